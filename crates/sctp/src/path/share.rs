//! The part of a split buffer that new data of one path may use.

use anabranch_base::ByteCount;

use crate::config::BufferSplit;

/// The buffers at both ends, and the number of paths among which they are split.
///
/// There are two rules (M-CMT-9). With both, the last chunk may exceed the share, as it may exceed cwnd, and
/// retransmissions are always allowed, because they make room.
///
/// - By what a path holds: a path may take new data while it holds less than an even share of the whole buffer. A path
///   holds the chunks last sent on it until they are *cumulatively* acknowledged: until then they are in the send
///   buffer, and if they arrived, out of order in the peer's receive buffer.
/// - By flight, as in FreeBSD: a path may take new data while its flight is at most an even share of the peer's window
///   plus all flights. Chunks of a fast path that arrived and wait for those of a slow path do not count, but they make
///   the window smaller, and with it the share of the slow path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    /// The buffers that are split.
    pub split: BufferSplit,
    /// This end's send buffer, in user data.
    pub send_buffer: ByteCount,
    /// The buffer that the paths share at the peer. By what a path holds: the receive buffer, which is the largest
    /// window ever advertised. By flight: the current window plus all flights.
    pub peer_buffer: ByteCount,
    /// The number of paths that have a share. By what a path holds: the paths that carry new data. By flight: all paths.
    pub paths: u64,
}

impl Shares {
    /// Returns true if a path that has used `sent` of this end's buffer and `received` of the peer's may take new data.
    pub(crate) fn has_room(&self, sent: ByteCount, received: ByteCount) -> bool {
        let paths = self.paths.max(1);
        let fits = |used: ByteCount, buffer: ByteCount| {
            if self.split.counts_flight() { used * paths <= buffer } else { used * paths < buffer }
        };
        let sender_has = fits(sent, self.send_buffer) || !self.split.splits_send_buffer();
        let receiver_has = fits(received, self.peer_buffer) || !self.split.splits_receive_buffer();
        sender_has && receiver_has
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARES: Shares = Shares {
        split: BufferSplit::None,
        send_buffer: ByteCount::new(12_000),
        peer_buffer: ByteCount::new(9_000),
        paths: 3,
    };

    fn has_room(shares: Shares, sent: u64, received: u64) -> bool {
        shares.has_room(ByteCount::new(sent), ByteCount::new(received))
    }

    #[test]
    fn each_buffer_is_split_evenly_where_it_is_split() {
        let cases = [
            (BufferSplit::None, [true, true, true, true]),
            (BufferSplit::Sender, [true, true, false, false]),
            (BufferSplit::Receiver, [true, false, true, false]),
            (BufferSplit::Both, [true, false, false, false]),
            (BufferSplit::ReceiverFlight, [true, true, true, true]),
        ];
        for (split, expected) in cases {
            let shares = Shares { split, ..SHARES };
            let held = [(3_999, 2_999), (3_999, 3_000), (4_000, 2_999), (4_000, 3_000)];
            let told = held.map(|(sent, received)| has_room(shares, sent, received));
            assert_eq!(told, expected, "{split:?}");
        }
    }

    #[test]
    fn a_flight_may_be_as_large_as_its_share_and_no_larger() {
        let cases = [
            (BufferSplit::ReceiverFlight, [true, false, true]),
            (BufferSplit::BothFlight, [true, false, false]),
        ];
        for (split, expected) in cases {
            let shares = Shares { split, ..SHARES };
            let flights = [(4_000, 3_000), (4_000, 3_001), (4_001, 3_000)];
            let told = flights.map(|(sent, received)| has_room(shares, sent, received));
            assert_eq!(told, expected, "{split:?}");
        }
    }

    /// Otherwise nothing could ever leave, and no acknowledgement could free room.
    #[test]
    fn a_path_that_holds_nothing_has_room_however_small_the_buffer() {
        let shares = Shares { split: BufferSplit::Both, send_buffer: ByteCount::new(1), ..SHARES };
        assert!(has_room(shares, 0, 0));
        assert!(has_room(Shares { paths: 0, ..shares }, 0, 0));
    }
}
