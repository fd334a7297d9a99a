//! A bulk transfer between two endpoints over one path, without loss, in virtual time.

use anabranch_base::{ByteCount, Duration};
use bytes::Bytes;

use crate::count;
use crate::stacks::transfer::Transfer;
use crate::stacks::{Anabranch, Buffers, Role};

const BUFFERS: Buffers = Buffers { send: ByteCount::from_mib(1), receive: ByteCount::from_mib(1) };
const DELAY: Duration = Duration::from_micros(100);

/// Sends `messages` messages of `length` bytes. A tenth of them is sent before, so that windows and buffers have grown.
pub(crate) fn transfer(length: usize, messages: u64) {
    let [client, server] = [Role::Client, Role::Server].map(|role| Anabranch::new(role, BUFFERS, 1));
    let mut transfer = Transfer::open(client, server, DELAY);
    let message = Bytes::from(vec![7; length]);
    transfer.run(&message, messages / 10);
    let before = transfer.received;
    count(&mut || transfer.run(&message, messages));
    assert!(transfer.received >= before + messages, "all messages arrived");
}
