//! A running transfer allocates nothing at either end once buffers have grown.

mod counting;
mod stacks;

use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::Registry;
use bytes::Bytes;
use counting::{Allocated, Counting, allocated};
use stacks::transfer::Transfer;
use stacks::{Anabranch, Buffers, Role};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const BUFFERS: Buffers = Buffers { send: ByteCount::from_mib(1), receive: ByteCount::from_mib(1) };

/// Returns the allocations of a running transfer by `config`, and the packets of each path.
fn allocated_with(config: &Config, paths: usize, length: usize) -> (Allocated, Vec<u64>) {
    let end = |role| Anabranch::with(role, config.clone(), Registry::standard(), paths);
    let mut transfer = Transfer::open(end(Role::Client), end(Role::Server), Duration::from_millis(1));
    let message = Bytes::from(vec![7; length]);
    transfer.run(&message, 20_000);
    let before = allocated();
    transfer.run(&message, 50_000);
    let allocated = allocated() - before;
    let association = transfer.client.association().expect("it is open");
    let carried = association.paths().iter().map(|path| association.path_counters(path.id).sent_packets);
    (allocated, carried.collect())
}

fn transfer_allocates(paths: usize, length: usize) -> Allocated {
    let Buffers { send: send_buffer, receive: receive_buffer } = BUFFERS;
    let config = Config { send_buffer, receive_buffer, ..Config::rfc9260() };
    let (allocated, carried) = allocated_with(&config, paths, length);
    let part = 50_000 / paths as u64;
    assert!(carried.iter().all(|&packets| packets > part), "every path carries its part: {carried:?}");
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
fn scheduling_for_arrival_in_order_allocates_nothing() {
    let Buffers { send: send_buffer, receive: receive_buffer } = BUFFERS;
    let tuned = Config::tuned_2();
    let mut config = Config {
        send_buffer,
        receive_buffer,
        scheduler: tuned.scheduler,
        retransmission: tuned.retransmission,
        fast_retransmission: tuned.fast_retransmission,
        ..Config::rfc9260()
    };
    config.set_cmt(tuned.cmt);
    let (allocated, carried) = allocated_with(&config, 2, 1_400);
    assert_eq!(allocated, Allocated::default());
    assert!(carried.iter().all(|&packets| packets > 1_000), "both paths are used: {carried:?}");
}

#[test]
fn the_counter_counts() {
    let before = allocated();
    let some = Bytes::from(vec![7; 1_000]);
    assert!((allocated() - before).bytes >= some.len() as u64);
}
