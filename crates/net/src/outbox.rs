//! The queue of packets of one socket. Adjacent packets to the same address are sent in one call where the operating
//! system segments them (GSO).

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

use anabranch_sctp::association::Ecn;

/// The properties of packets outside their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacketHeader {
    /// The destination.
    pub remote: SocketAddr,
    /// The source address of a wildcard socket; `None` if the socket or the system determines it.
    pub source: Option<IpAddr>,
    /// The ECN bits.
    pub ecn: Ecn,
    /// True if routers may fragment them; otherwise IPv4's DF bit is set.
    pub may_fragment: bool,
}

/// The next packets to send, all of `segment_size` bytes except a shorter last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packets<'a> {
    /// Their destination, source and ECN bits.
    pub envelope: PacketHeader,
    /// The length of every packet but the last.
    pub segment_size: usize,
    /// The packets, contiguous.
    pub bytes: &'a [u8],
}

/// A queue of packets in contiguous memory. Packets may be written directly after its end, and stay there when they
/// are [added](Outbox::take).
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    bytes: Vec<u8>,
    /// The beginning of the queue; bytes before it were sent.
    start: usize,
    /// The end of the queue; bytes after it were written and are not queued yet.
    end: usize,
    runs: VecDeque<PacketRun>,
}

#[derive(Debug)]
struct PacketRun {
    envelope: PacketHeader,
    segment_size: usize,
    len: usize,
}

impl Outbox {
    /// Adds packets at the end. Returns false if the queue is full: the packets are lost.
    #[must_use]
    pub(crate) fn push(&mut self, packets: Packets<'_>) -> bool {
        let Packets { envelope, segment_size, bytes } = packets;
        self.tail().extend_from_slice(bytes);
        self.take(envelope, segment_size)
    }

    /// The memory after the queue: bytes appended to it are queued by the next [`take`](Outbox::take), and discarded
    /// without one.
    pub(crate) fn tail(&mut self) -> &mut Vec<u8> {
        self.bytes.truncate(self.end);
        // A queue that never gets empty would otherwise keep sent bytes for ever.
        if self.start > self.end / 2 {
            self.bytes.drain(..self.start);
            self.end -= self.start;
            self.start = 0;
        }
        &mut self.bytes
    }

    /// The bytes appended to the tail and not yet taken.
    pub(crate) fn written(&self) -> &[u8] {
        &self.bytes[self.end..]
    }

    /// Queues the bytes appended to the tail as packets of `segment_size` bytes, except a shorter last one. Returns
    /// false if the queue is full: the packets are lost.
    #[must_use]
    pub(crate) fn take(&mut self, envelope: PacketHeader, segment_size: usize) -> bool {
        let added =
            PacketRun { envelope, segment_size: segment_size.max(1), len: self.bytes.len() - self.end };
        if self.bytes.len() - self.start > MOST_BYTES {
            self.bytes.truncate(self.end);
            return false;
        }
        self.end = self.bytes.len();
        match self.runs.back_mut() {
            _ if added.len == 0 => {}
            Some(run) if run.takes(&added) => run.len += added.len,
            _ => self.runs.push_back(added),
        }
        true
    }

    /// The first packet of the queue with those following it that may be sent in the same call, at most
    /// `max_segments` together.
    pub(crate) fn first(&self, max_segments: usize) -> Option<Packets<'_>> {
        let run = self.runs.front()?;
        // The system does not segment a call into packets that may be fragmented: it refuses all of them.
        let most = if run.envelope.may_fragment {
            1
        } else {
            max_segments.min(MOST_SEGMENTS).min(LARGEST_CALL / run.segment_size).max(1)
        };
        let len = run.len.min(run.segment_size.saturating_mul(most));
        let bytes = &self.bytes[self.start..self.start + len];
        Some(Packets { envelope: run.envelope, segment_size: run.segment_size, bytes })
    }

    /// Removes the first `len` bytes, which [`first`](Outbox::first) returned, after they were sent or dropped.
    pub(crate) fn pop(&mut self, len: usize) {
        let Some(run) = self.runs.front_mut() else { return };
        let len = len.min(run.len);
        run.len -= len;
        self.start += len;
        if run.len == 0 {
            self.runs.pop_front();
        }
        if self.runs.is_empty() {
            self.bytes.clear();
            self.bytes.shrink_to(KEPT_BYTES);
            (self.start, self.end) = (0, 0);
        }
    }

    /// Returns true if no packet is queued.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns true if more than `most` packets are queued.
    pub(crate) fn has_more_than(&self, most: u64) -> bool {
        self.runs.len() as u64 > most || self.count() > most
    }

    /// The number of queued packets.
    pub(crate) fn count(&self) -> u64 {
        self.runs.iter().map(|run| run.len.div_ceil(run.segment_size) as u64).sum()
    }
}

impl<'a> Packets<'a> {
    /// The packets one by one.
    pub(crate) fn one_by_one(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + Clone + use<'a> {
        self.bytes.chunks(self.segment_size.max(1))
    }

    /// The number of packets.
    pub(crate) fn count(&self) -> u64 {
        self.bytes.len().div_ceil(self.segment_size.max(1)) as u64
    }
}

impl PacketRun {
    /// Returns true if `added` continues the run: the same properties, and no packet but the last shorter than the
    /// others. A call sends as much of it as the operating system accepts.
    fn takes(&self, added: &PacketRun) -> bool {
        let is_full = self.len.is_multiple_of(self.segment_size);
        let is_single = added.len <= added.segment_size;
        let fits_behind =
            added.segment_size == self.segment_size || (is_single && added.len <= self.segment_size);
        self.envelope == added.envelope && is_full && fits_behind
    }
}

/// The most bytes queued for a socket. Windows bound what associations send; this bounds the answers to other
/// packets.
const MOST_BYTES: usize = 16 << 20;
/// The memory kept while the queue is empty: as much as a window's worth of SACKs releases at once. Allocating it
/// anew each time costs as much as filling it.
const KEPT_BYTES: usize = 1 << 20;
/// The most user data in one UDP call: 65,535 less the headers of IPv4 and UDP.
const LARGEST_CALL: usize = 65_507;
/// The most segments that Linux accepts (`UDP_MAX_SEGMENTS` of older kernels).
const MOST_SEGMENTS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn to(port: u16) -> PacketHeader {
        PacketHeader {
            remote: ([127, 0, 0, 1], port).into(),
            source: None,
            ecn: Ecn::NotEct,
            may_fragment: false,
        }
    }

    fn push(outbox: &mut Outbox, port: u16, segment_size: usize, bytes: &[u8]) {
        assert!(outbox.push(Packets { envelope: to(port), segment_size, bytes }));
    }

    /// The queued packets, call by call.
    fn drain(outbox: &mut Outbox, max_segments: usize) -> Vec<(u16, usize, Vec<u8>)> {
        let mut calls = Vec::new();
        while let Some(packets) = outbox.first(max_segments) {
            let call = (packets.envelope.remote.port(), packets.segment_size, packets.bytes.to_vec());
            outbox.pop(call.2.len());
            calls.push(call);
        }
        calls
    }

    #[test]
    fn neighbours_to_one_address_leave_in_one_call_until_a_short_one() {
        let mut outbox = Outbox::default();
        push(&mut outbox, 1, 3, b"aaabbb");
        push(&mut outbox, 1, 3, b"ccc");
        push(&mut outbox, 1, 2, b"dd");
        push(&mut outbox, 1, 3, b"eee");
        push(&mut outbox, 2, 3, b"fff");
        assert_eq!(outbox.count(), 6);
        let expected = [(1, 3, b"aaabbbcccdd".to_vec()), (1, 3, b"eee".to_vec()), (2, 3, b"fff".to_vec())];
        assert_eq!(drain(&mut outbox, 64), expected);
        assert!(outbox.is_empty());
    }

    #[test]
    fn a_longer_packet_begins_a_call_of_its_own() {
        let mut outbox = Outbox::default();
        push(&mut outbox, 1, 2, b"aa");
        push(&mut outbox, 1, 3, b"bbb");
        assert_eq!(drain(&mut outbox, 64).len(), 2);
    }

    #[test]
    fn without_segmentation_each_packet_leaves_alone() {
        let mut outbox = Outbox::default();
        push(&mut outbox, 1, 3, b"aaabbbcc");
        let calls: Vec<Vec<u8>> = drain(&mut outbox, 1).into_iter().map(|call| call.2).collect();
        assert_eq!(calls, [b"aaa".to_vec(), b"bbb".to_vec(), b"cc".to_vec()]);
    }

    #[test]
    fn packets_that_may_be_fragmented_leave_one_by_one() {
        let mut outbox = Outbox::default();
        let envelope = PacketHeader { may_fragment: true, ..to(1) };
        for bytes in [b"aaabbb", b"cccddd"] {
            assert!(outbox.push(Packets { envelope, segment_size: 3, bytes }));
        }
        let calls: Vec<Vec<u8>> = drain(&mut outbox, 64).into_iter().map(|call| call.2).collect();
        assert_eq!(calls, [b"aaa".to_vec(), b"bbb".to_vec(), b"ccc".to_vec(), b"ddd".to_vec()]);
    }

    #[test]
    fn a_call_is_never_larger_than_a_datagram_may_be() {
        let mut outbox = Outbox::default();
        for _ in 0..200 {
            push(&mut outbox, 1, 1400, &[0; 1400]);
        }
        let calls = drain(&mut outbox, 64);
        assert_eq!(calls.iter().map(|call| call.2.len()).sum::<usize>(), 200 * 1400);
        assert!(calls.iter().all(|call| call.2.len() <= LARGEST_CALL));
        assert_eq!(calls.len(), 5, "46 packets a call");
    }

    #[test]
    fn a_queue_that_never_empties_is_bounded_and_keeps_order() {
        let mut outbox = Outbox::default();
        let packet = |number: u32| [number.to_be_bytes(); 256].concat();
        let mut next_out = 0_u32;
        for number in 0..100_000_u32 {
            push(&mut outbox, 1, 1024, &packet(number));
            if number >= 10 {
                let first = outbox.first(1).expect("ten wait").bytes.to_vec();
                assert_eq!(first, packet(next_out));
                outbox.pop(first.len());
                next_out += 1;
            }
        }
        assert!(outbox.bytes.capacity() < 1 << 20, "{} bytes", outbox.bytes.capacity());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut outbox = Outbox::default();
        let large = vec![0; 60_000];
        let packets = Packets { envelope: to(1), segment_size: 60_000, bytes: &large };
        let taken = (0..1_000).take_while(|_| outbox.push(packets)).count();
        assert_eq!(taken, MOST_BYTES / 60_000);
    }
}
