//! Packets that tests lose, keep and forge.

use std::net::SocketAddr;

use anabranch_base::Duration;
use anabranch_sctp::association::Ecn;
use anabranch_sctp::wire::{EncodeChunk, VerificationTag};
use bytes::Bytes;

use super::{End, Loss, Pair, packet};

impl Pair {
    /// The next packet from `end` on `pipe` is lost.
    pub(crate) fn drop_next(&mut self, end: End, pipe: usize) {
        self.pipes[pipe].drop_next[end as usize] += 1;
    }

    /// The next packet from `end` with such a chunk is lost. Two calls mean the same packet.
    pub(crate) fn lose(&mut self, end: End, chunk: &'static str) {
        self.lose_nth(end, chunk, 1);
    }

    /// Of the packets from `end` with such a chunk, counted from 1 and from now on, the `nth` is lost.
    pub(crate) fn lose_nth(&mut self, end: End, chunk: &'static str, nth: usize) {
        self.losses.push(Loss { from: end, chunk, skipped: nth - 1 });
    }

    /// From now on [`Line::bytes`] are kept.
    pub(crate) fn keep_packets(&mut self) {
        self.keeps_packets = true;
    }

    /// The packets that left `end` since the last call; the log forgets the other end's, too.
    pub(crate) fn take_packets(&mut self, end: End) -> Vec<Bytes> {
        assert!(self.keeps_packets, "keep_packets was not called");
        let log = std::mem::take(&mut self.log);
        log.into_iter().filter(|line| line.from == end).map(|line| line.bytes).collect()
    }

    /// Puts a packet of the test's own on the wire: it arrives as soon as time goes on.
    pub(crate) fn inject(&mut self, to: End, pipe: usize, bytes: Vec<u8>) {
        let (local, remote) = (self.address(to, pipe), self.seen(to.other(), pipe));
        self.fly((to, pipe), (local, remote), Ecn::NotEct, Bytes::from(bytes), Duration::ZERO);
    }

    /// A packet from `remote`, any address, arrives at the first address of an end.
    pub(crate) fn inject_from(&mut self, to: End, remote: SocketAddr, bytes: Vec<u8>) {
        let ends = (self.address(to, 0), remote);
        self.fly((to, 0), ends, Ecn::NotEct, Bytes::from(bytes), Duration::ZERO);
        self.run_for(Duration::ZERO);
    }

    /// A packet from `remote` arrives at `local`, an address of an end.
    pub(crate) fn inject_between(&mut self, to: End, local: SocketAddr, remote: SocketAddr, bytes: Vec<u8>) {
        self.fly((to, 0), (local, remote), Ecn::NotEct, Bytes::from(bytes), Duration::ZERO);
        self.run_for(Duration::ZERO);
    }

    /// Chunks in one packet arrive at an end, with its tag, as if its peer had sent them.
    pub(crate) fn forge(&mut self, to: End, chunks: &[&dyn EncodeChunk]) {
        let tag = self.at(to).tags().0;
        self.forge_with_tag(to, tag, chunks);
    }

    /// Chunks in one packet arrive at an end, with this tag.
    pub(crate) fn forge_with_tag(&mut self, to: End, tag: VerificationTag, chunks: &[&dyn EncodeChunk]) {
        self.inject(to, 0, packet(tag, chunks));
        self.run_for(Duration::ZERO);
    }
}
