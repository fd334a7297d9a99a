//! A packet as links and queues see it, and what happens to it. The driver defines the payload.

use std::fmt::Debug;

use anabranch_base::{ByteCount, Ecn, Time};

use crate::chunk_kind::ChunkKind;
use crate::route::RouteId;

/// A packet on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet<L> {
    /// The size, including all headers.
    pub size: ByteCount,
    /// The ECN codepoint, which a queue may change to CE.
    pub ecn: Ecn,
    /// True if a link may fragment it (IPv4's DF bit is clear).
    pub may_fragment: bool,
    /// The number of hops of its route it has passed.
    pub passed: u16,
    /// The route of a fabric that it takes.
    pub route: RouteId,
    /// The payload.
    pub load: L,
}

/// A round of a sender's window (M-NET-4): from a window's first packet to the first acknowledgement of one of its
/// packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The window; no two windows in a network have the same number.
    pub window: u64,
    /// The number of the round.
    pub number: u64,
}

/// The fate of a packet.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate<L> {
    /// It arrived at the other end.
    Arrived {
        /// The packet.
        packet: Packet<L>,
        /// True if it is the second copy of a duplicated packet.
        is_duplicate: bool,
        /// The damage to its bytes.
        damage: Option<Damage>,
    },
    /// It was lost.
    Lost {
        /// When it was lost; never later than the event.
        at: Time,
        /// The packet.
        packet: Packet<L>,
        /// The reason.
        cause: LossCause,
    },
}

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossCause {
    /// The link's loss rule lost it.
    Medium,
    /// The queue refused it: because it was full, or according to its discipline.
    Queue,
    /// The link was down.
    Down,
    /// It was larger than the link carries.
    TooLarge,
    /// A station gave it up after its last attempt.
    Retries,
    /// No route was found, or the route broke on the way.
    NoRoute,
}

impl LossCause {
    /// The causes.
    pub const ALL: [LossCause; LossCause::NoRoute as usize + 1] = [
        LossCause::Medium,
        LossCause::Queue,
        LossCause::Down,
        LossCause::TooLarge,
        LossCause::Retries,
        LossCause::NoRoute,
    ];
}

/// A bit that changed on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage(pub(crate) u64);

impl<L> Packet<L> {
    /// A packet that no queue may mark and no link may fragment, at the start of the first route.
    pub fn new(size: ByteCount, load: L) -> Packet<L> {
        Packet { size, ecn: Ecn::NotEct, may_fragment: false, passed: 0, route: RouteId::FIRST, load }
    }

    /// Marks the packet if its transport supports marks. Returns whether it is marked now; a queue drops a packet that
    /// it cannot mark (RFC 3168 §5).
    #[must_use]
    pub fn mark(&mut self) -> bool {
        if self.ecn.is_capable() {
            self.ecn = Ecn::Ce;
        }
        self.ecn.is_marked()
    }

    /// Returns true if a link that carries packets of `mtu` bytes accepts it. The fragments of a packet stay together here:
    /// they follow each other, and each except the first adds its own header (RFC 791 §3.2).
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

/// The length of an IPv4 header without options.
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

/// The counters of a direction of a link.
///
/// `offered + duplicated = arrived + lost + queue_drops + [`Link::holds`](crate::Link::holds)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Packets that entered.
    pub offered: u64,
    /// Packets that arrived at the other end.
    pub arrived: u64,
    /// Bytes of the packets that arrived.
    pub arrived_bytes: ByteCount,
    /// Packets lost by the loss rule, because the link was down or because they were too large for it.
    pub lost: u64,
    /// Packets that the queue refused, when they entered or left it.
    pub queue_drops: u64,
    /// Packets that the queue marked.
    pub marked: u64,
    /// Second copies.
    pub duplicated: u64,
    /// Packets that arrived damaged.
    pub corrupted: u64,
    /// Waiting packets times nanoseconds: the integral of the queue's length over time.
    pub waited: u128,
}

/// The packets that wait in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// The number of packets.
    pub packets: u64,
    /// Their bytes.
    pub bytes: ByteCount,
}

impl Backlog {
    /// A packet of `size` joins.
    pub(crate) fn join(&mut self, size: ByteCount) {
        self.packets += 1;
        self.bytes += size;
    }

    /// A packet of `size` leaves.
    pub(crate) fn leave(&mut self, size: ByteCount) {
        self.packets -= 1;
        self.bytes -= size;
    }
}

/// The content of a packet, as far as a queue sees it.
pub trait Payload: Debug + Send {
    /// A number that packets of one flow share, and packets of other flows normally do not. A flow has one sender, one
    /// receiver and one pair of ports (RFC 8290 §1.3).
    fn flow(&self) -> u64 {
        0
    }

    /// The sender's round to which it belongs, for losses correlated within a round.
    fn round(&self) -> Option<Round> {
        None
    }

    /// Returns true if it is an SCTP packet that carries a chunk of this type. The bytes may be damaged or forged.
    fn carries_chunk(&self, _kind: ChunkKind) -> bool {
        false
    }
}

/// Packets without content belong to one flow.
impl Payload for () {}

/// A number is the flow of its packet.
impl Payload for u64 {
    fn flow(&self) -> u64 {
        *self
    }
}

/// A number is the flow of its packet.
impl Payload for usize {
    fn flow(&self) -> u64 {
        *self as u64
    }
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

    /// Packets are moved from link to link: every additional word is copied several times on each hop.
    #[test]
    fn a_packet_with_a_boxed_load_is_three_words() {
        assert!(size_of::<Packet<Box<u8>>>() <= 24);
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
