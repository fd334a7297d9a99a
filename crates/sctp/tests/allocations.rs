//! A running transfer allocates nothing at either end once buffers have grown.

mod counting;
mod stacks;

use anabranch_base::{ByteCount, Duration};
use bytes::Bytes;
use counting::{Allocated, Counting, allocated};
use stacks::transfer::Transfer;
use stacks::{Anabranch, Buffers, Role};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const BUFFERS: Buffers = Buffers { send: ByteCount::from_mib(1), receive: ByteCount::from_mib(1) };

fn transfer_allocates(paths: usize, length: usize) -> Allocated {
    let end = |role| Anabranch::new(role, BUFFERS, paths);
    let mut transfer = Transfer::open(end(Role::Client), end(Role::Server), Duration::from_millis(1));
    let message = Bytes::from(vec![7; length]);
    transfer.run(&message, 20_000);
    let before = allocated();
    transfer.run(&message, 50_000);
    let allocated = allocated() - before;
    let association = transfer.client.association().expect("it is open");
    for path in association.paths() {
        let sent = association.path_counters(path.id).sent_packets;
        assert!(
            sent > 50_000 / paths as u64,
            "every path carries its part; {} carried {sent} packets",
            path.id
        );
    }
    allocated
}

#[test]
fn fifty_thousand_packets_on_one_path_allocate_nothing() {
    assert_eq!(transfer_allocates(1, 1_400), Allocated::default());
}

#[test]
fn fifty_thousand_packets_on_two_paths_allocate_nothing() {
    assert_eq!(transfer_allocates(2, 1_400), Allocated::default());
}

#[test]
fn the_counter_counts() {
    let before = allocated();
    let some = Bytes::from(vec![7; 1_000]);
    assert!((allocated() - before).bytes >= some.len() as u64);
}
