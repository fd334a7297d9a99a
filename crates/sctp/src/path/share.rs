//! How much of a split buffer the new data of one path may take.

use anabranch_base::ByteCount;

use crate::config::BufferSplit;

/// The buffers at both ends, and the number of paths among which they are split.
///
/// A path may take new data while it holds less than an even share; as with cwnd, the last chunk may exceed the
/// share. A path holds the chunks last sent on it until they are *cumulatively* acknowledged: until then they are in
/// the send buffer, and if they arrived, out of order in the peer's receive buffer. FreeBSD counts only chunks in
/// flight. Then the chunks of a fast path that arrived and wait for those of a slow path do not count, although they
/// fill the buffer. Retransmissions are always allowed: they make room.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// Which buffers are split.
    pub split: BufferSplit,
    /// This end's send buffer, in user data.
    pub send_buffer: ByteCount,
    /// The peer's receive buffer, in the weight that chunks have there: the largest window ever advertised. The last
    /// SACK's window plus everything that it left unacknowledged would be larger by the flight, and would shrink when
    /// the reader is slow; the window itself already handles that case.
    pub peer_buffer: ByteCount,
    /// How many paths carry new data.
    pub paths: u64,
}

impl Shares {
    /// Whether a path that holds `sent` in this end's buffer and `received` in the peer's may take new data.
    pub fn has_room(&self, sent: ByteCount, received: ByteCount) -> bool {
        let paths = self.paths.max(1);
        let sender_has = sent * paths < self.send_buffer || !self.split.splits_send_buffer();
        let receiver_has = received * paths < self.peer_buffer || !self.split.splits_receive_buffer();
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
        ];
        for (split, expected) in cases {
            let shares = Shares { split, ..SHARES };
            let held = [(3_999, 2_999), (3_999, 3_000), (4_000, 2_999), (4_000, 3_000)];
            let told = held.map(|(sent, received)| has_room(shares, sent, received));
            assert_eq!(told, expected, "{split:?}");
        }
    }

    /// Otherwise nothing could ever leave, and no acknowledgement could make room.
    #[test]
    fn a_path_that_holds_nothing_has_room_however_small_the_buffer() {
        let shares = Shares { split: BufferSplit::Both, send_buffer: ByteCount::new(1), ..SHARES };
        assert!(has_room(shares, 0, 0));
        assert!(has_room(Shares { paths: 0, ..shares }, 0, 0));
    }
}
