//! The input and output of an association: whole packets, each on a path.

use std::net::IpAddr;

use anabranch_base::ByteCount;
pub use anabranch_base::Ecn;

use bytes::Bytes;

use crate::policy::PathId;
use crate::wire;

/// A packet that arrived.
#[derive(Clone, Debug)]
pub struct Datagram {
    /// The path on which it arrived.
    pub path: PathId,
    /// The ECN bits of its IP header.
    pub ecn: Ecn,
    /// The SCTP packet.
    pub bytes: Bytes,
    /// The amount of memory `bytes` keeps allocated; see [`Arrival`](crate::endpoint::Arrival).
    pub memory: ByteCount,
}

/// A decoded packet with a verified checksum, and the path on which it arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verified<'a> {
    pub(crate) path: PathId,
    pub(crate) ecn: Ecn,
    /// The buffer that slices of user data refer to.
    pub(crate) bytes: &'a Bytes,
    /// The amount of memory that such a slice alone keeps allocated.
    pub(crate) memory: ByteCount,
    pub(crate) packet: &'a wire::Packet<'a>,
    /// The addresses that other associations of the endpoint use; only filled if the packet has an ASCONF.
    pub(crate) taken: &'a [IpAddr],
}

/// Packets to send on one path, in sequence in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// The path on which to send them.
    pub path: PathId,
    /// Their ECN codepoint.
    pub ecn: Ecn,
    /// The length of every packet except the last, which may be shorter.
    pub segment_size: usize,
    /// The length of all packets together.
    pub len: usize,
    /// The path's round (window of data) to which the packets belong, for observers.
    pub round: u64,
    /// True if the network may fragment it: it is one packet with a chunk cut for a larger path MTU than the path has
    /// now (RFC 9260 §6.9). The other packets are sent with IPv4's DF bit set.
    pub may_fragment: bool,
    /// True if the packets carry retransmitted data, for observers.
    pub retransmission: bool,
}

impl Transmit {
    /// One packet of `len` bytes that carries no data.
    pub fn single(path: PathId, len: usize) -> Transmit {
        Transmit {
            path,
            ecn: Ecn::NotEct,
            segment_size: len,
            len,
            round: 0,
            may_fragment: false,
            retransmission: false,
        }
    }
}

/// A single packet, for drivers that send packets one by one.
#[derive(Clone, Debug)]
pub struct Packet {
    /// The path, the ECN codepoint and the length.
    pub transmit: Transmit,
    /// The SCTP packet.
    pub bytes: Bytes,
}
