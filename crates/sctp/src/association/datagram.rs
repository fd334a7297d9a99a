//! What goes in and out of an association: whole packets, each on a path.

use anabranch_base::ByteCount;
use std::net::IpAddr;

use bytes::Bytes;

use crate::policy::PathId;
use crate::wire;

/// The ECN bits of an IP packet (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// 00: the sender cannot.
    #[default]
    NotCapable,
    /// 10: it can.
    Capable0,
    /// 01: it can.
    Capable1,
    /// 11: a queue on the way was congested.
    CongestionExperienced,
}

/// A packet that arrived.
#[derive(Clone, Debug)]
pub struct Datagram {
    /// On which path.
    pub path: PathId,
    /// With which ECN bits.
    pub ecn: Ecn,
    /// The SCTP packet.
    pub bytes: Bytes,
    /// How much memory that keeps alive; see [`Arrival`](crate::endpoint::Arrival).
    pub memory: ByteCount,
}

/// A packet that arrived on a path, read and with its checksum verified.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verified<'a> {
    pub(crate) path: PathId,
    /// What user data is sliced from.
    pub(crate) bytes: &'a Bytes,
    /// How much memory a slice of it keeps alive.
    pub(crate) memory: ByteCount,
    pub(crate) packet: &'a wire::Packet<'a>,
    /// Addresses with which the endpoint has other associations, where the packet has an ASCONF.
    pub(crate) taken: &'a [IpAddr],
}

/// Packets that leave on one path, one behind the other in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// On which path.
    pub path: PathId,
    /// With which ECN bits.
    pub ecn: Ecn,
    /// The length of every packet but the last, which may be shorter.
    pub segment_size: usize,
    /// The length of all of them.
    pub len: usize,
    /// The round of the path's window that the packets belong to, for observers.
    pub round: u64,
    /// Whether the network may cut it in pieces: one packet by itself, which carries a chunk that was made for larger
    /// packets than the path carries (RFC 9260 §6.9). All others leave with IPv4's DF bit set.
    pub may_fragment: bool,
    /// Whether they carry something that was sent before, for observers.
    pub retransmission: bool,
}

impl Transmit {
    /// One packet of `len` bytes that carries no data.
    pub fn single(path: PathId, len: usize) -> Transmit {
        Transmit {
            path,
            ecn: Ecn::NotCapable,
            segment_size: len,
            len,
            round: 0,
            may_fragment: false,
            retransmission: false,
        }
    }
}

/// A packet by itself, for drivers that hand packets on one by one.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Where and how it leaves.
    pub transmit: Transmit,
    /// The SCTP packet.
    pub bytes: Bytes,
}
