//! What links and queues see of a packet, and what becomes of it. The payload is the driver's.

use anabranch_base::{ByteCount, Ecn, Time};

use crate::route::RouteId;

/// A packet on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet<L> {
    /// Its size, all headers included.
    pub size: ByteCount,
    /// The sender's round it belongs to, for losses correlated in a round.
    pub round: Option<Round>,
    /// Its ECN codepoint, which a queue may change to CE.
    pub ecn: Ecn,
    /// Whether a link may cut it in pieces that it carries (IPv4's DF bit is clear).
    pub may_fragment: bool,
    /// How many hops of its route it has behind it.
    pub passed: u16,
    /// Which route of a fabric it takes.
    pub route: RouteId,
    /// What is carried.
    pub load: L,
}

/// A round of a sender's window (M-NET-4): from a window's first packet to the first acknowledgement of one
/// of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Whose: no two windows in a network have the same.
    pub window: u64,
    /// Which.
    pub number: u64,
}

/// What became of a packet.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate<L> {
    /// It arrived at the other end.
    Arrived {
        /// The packet.
        packet: Packet<L>,
        /// Whether it is the second of two that were one.
        is_duplicate: bool,
        /// What happened to its bytes.
        damage: Option<Damage>,
    },
    /// It did not.
    Lost {
        /// When it was lost; never later than the event.
        at: Time,
        /// The packet.
        packet: Packet<L>,
        /// Why.
        cause: LossCause,
    },
}

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossCause {
    /// By the link's loss rule.
    Medium,
    /// The queue refused it: because it was full, or by the rule of its discipline.
    Queue,
    /// The link was down.
    Down,
    /// It was larger than what the link carries.
    TooLarge,
}

/// A bit that was turned over on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage(pub(crate) u64);

impl<L> Packet<L> {
    /// A packet that no queue may mark and no link may cut, that belongs to no round, and that is at the beginning of
    /// the first route.
    pub fn new(size: ByteCount, load: L) -> Packet<L> {
        Packet {
            size,
            round: None,
            ecn: Ecn::NotEct,
            may_fragment: false,
            passed: 0,
            route: RouteId::FIRST,
            load,
        }
    }

    /// Marks the packet, where its transport understands marks. Says whether it bears the mark now; a queue drops a
    /// packet
    /// that it can not mark (RFC 3168 §5).
    #[must_use]
    pub fn mark(&mut self) -> bool {
        if self.ecn.is_capable() {
            self.ecn = Ecn::Ce;
        }
        self.ecn.is_marked()
    }

    /// Whether a link that carries `mtu` bytes at a time takes it. One that is cut for that keeps together here: its
    /// pieces follow one another, and each but the first brings a header of its own (RFC 791 §3.2).
    pub(crate) fn fit(&mut self, mtu: ByteCount) -> bool {
        if self.size <= mtu {
            return true;
        }
        if self.may_fragment {
            let piece = mtu.saturating_sub(IP_HEADER).get().max(8) & !7;
            let pieces = self.size.saturating_sub(IP_HEADER).get().div_ceil(piece);
            self.size += IP_HEADER * (pieces - 1);
        }
        self.may_fragment
    }
}

/// IPv4's header, without options.
const IP_HEADER: ByteCount = ByteCount::new(20);

impl Damage {
    /// Flips the bit; bytes without that bit stay unchanged.
    pub fn apply(self, bytes: &mut [u8]) {
        let bits = bytes.len() as u64 * 8;
        if let Some(bit) = self.0.checked_rem(bits) {
            let byte = usize::try_from(bit / 8).unwrap_or(0);
            bytes[byte] ^= 1 << (bit % 8);
        }
    }
}

/// What a direction of a link did so far.
///
/// `offered + duplicated = arrived + lost + queue_drops + [`Link::holds`](crate::Link::holds)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Packets that came in.
    pub offered: u64,
    /// Packets that came out.
    pub arrived: u64,
    /// Bytes of the packets that came out.
    pub arrived_bytes: ByteCount,
    /// Packets lost by the loss rule, because the link was down or because they were too large for it.
    pub lost: u64,
    /// Packets that the queue refused, on their way in or out.
    pub queue_drops: u64,
    /// Packets that the queue marked.
    pub marked: u64,
    /// Second copies.
    pub duplicated: u64,
    /// Packets that came out damaged.
    pub corrupted: u64,
    /// Packets waiting, times nanoseconds: the integral of the queue's length over time.
    pub waited: u128,
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Their bytes.
    pub bytes: ByteCount,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_marked_where_its_transport_understands_marks() {
        let marked = |ecn| {
            let mut packet = Packet { ecn, ..Packet::new(ByteCount::new(1_500), ()) };
            (packet.mark(), packet.ecn)
        };
        assert_eq!(marked(Ecn::NotEct), (false, Ecn::NotEct));
        assert_eq!([Ecn::Ect0, Ecn::Ect1, Ecn::Ce].map(marked), [(true, Ecn::Ce); 3]);
    }

    /// Packets are moved from queue to queue: each word more is copied several times a hop.
    #[test]
    fn a_packet_with_a_boxed_load_is_six_words() {
        assert!(size_of::<Packet<Box<u8>>>() <= 48);
    }

    #[test]
    fn a_packet_that_may_be_cut_grows_by_a_header_for_each_further_piece() {
        let fitted = |size, mtu, may_fragment| {
            let mut packet = Packet { may_fragment, ..Packet::new(ByteCount::new(size), ()) };
            packet.fit(ByteCount::new(mtu)).then_some(packet.size.get())
        };
        assert_eq!(fitted(1_400, 1_400, false), Some(1_400));
        assert_eq!(fitted(1_401, 1_400, false), None);
        assert_eq!(fitted(1_500, 1_400, true), Some(1_520));
        assert_eq!(fitted(1_500, 520, true), Some(1_540), "496 bytes a piece");
    }
}
