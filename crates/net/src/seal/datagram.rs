//! The layout of the sealed layer's datagrams.

use anabranch_sctp::policy::PathId;

/// The id of a session at one of its ends: 56 random bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionId(u64);

/// The number of a packet, unique under its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PacketNumber(u64);

/// The path or purpose of a packet, in the high bits of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route(u16);

/// A parsed datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datagram<'a> {
    /// A request for a session: the first message of the handshake, longer if it names a client.
    Initiation(&'a [u8]),
    /// The second message of the handshake.
    Response {
        /// The initiated session.
        to: SessionId,
        /// The Noise message.
        message: &'a [u8; MESSAGE_LEN],
    },
    /// A query whether the peer still has a session.
    Probe {
        /// The session.
        about: SessionId,
        /// The Noise message, longer if it names a client.
        message: &'a [u8],
    },
    /// The answer to a probe.
    ProbeReply {
        /// The session of the probe, by the prober's id.
        to: SessionId,
        /// The Noise message.
        message: &'a [u8; MESSAGE_LEN],
    },
    /// A packet of a session.
    Packet {
        /// The session.
        to: SessionId,
        /// The number of the packet.
        number: PacketNumber,
        /// The encrypted packet and the tag.
        sealed: &'a [u8],
    },
}

impl Datagram<'_> {
    /// The length of a response and of a probe reply, and with a single key of an initiation and of a probe.
    pub const HANDSHAKE_LEN: usize = HEADER_LEN + MESSAGE_LEN;
    /// The length of an initiation and of a probe that name a client.
    pub const CLIENT_HANDSHAKE_LEN: usize = HEADER_LEN + CLIENT_MESSAGE_LEN;
    /// The number of bytes that sealing adds to a packet.
    pub const OVERHEAD: usize = 2 * HEADER_LEN + TAG_LEN;
    /// The offset of the sealed packet in its datagram.
    pub const PACKET_AT: usize = 2 * HEADER_LEN;

    /// Parses a datagram; `None` if it does not belong to this layer.
    pub fn parse(bytes: &[u8]) -> Option<Datagram<'_>> {
        let (header, rest) = bytes.split_first_chunk::<HEADER_LEN>()?;
        let word = u64::from_be_bytes(*header);
        let id = SessionId(word & SessionId::MASK);
        match (word >> SessionId::BITS, id) {
            (INITIATION, SessionId(0)) => Some(Datagram::Initiation(first_message(rest)?)),
            (RESPONSE, to) => Some(Datagram::Response { to, message: rest.try_into().ok()? }),
            (PROBE, about) => Some(Datagram::Probe { about, message: first_message(rest)? }),
            (PROBE_REPLY, to) => Some(Datagram::ProbeReply { to, message: rest.try_into().ok()? }),
            (PACKET, to) => {
                let (number, sealed) = rest.split_first_chunk::<8>()?;
                let number = PacketNumber(u64::from_be_bytes(*number));
                (sealed.len() >= TAG_LEN).then_some(Datagram::Packet { to, number, sealed })
            }
            _ => None,
        }
    }

    /// The bytes.
    pub(super) fn to_vec(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Datagram::CLIENT_HANDSHAKE_LEN);
        self.write(&mut bytes);
        bytes
    }

    /// Appends its bytes to `out`.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let word = match self {
            Datagram::Initiation(_) => INITIATION << SessionId::BITS,
            Datagram::Response { to, .. } => RESPONSE << SessionId::BITS | to.0,
            Datagram::Probe { about, .. } => PROBE << SessionId::BITS | about.0,
            Datagram::ProbeReply { to, .. } => PROBE_REPLY << SessionId::BITS | to.0,
            Datagram::Packet { to, .. } => PACKET << SessionId::BITS | to.0,
        };
        out.extend_from_slice(&word.to_be_bytes());
        match self {
            Datagram::Initiation(message) | Datagram::Probe { message, .. } => out.extend_from_slice(message),
            Datagram::Response { message, .. } | Datagram::ProbeReply { message, .. } => {
                out.extend_from_slice(*message);
            }
            Datagram::Packet { number, sealed, .. } => {
                out.extend_from_slice(&number.0.to_be_bytes());
                out.extend_from_slice(sealed);
            }
        }
    }
}

impl SessionId {
    const BITS: u32 = 56;
    const MASK: u64 = (1 << SessionId::BITS) - 1;

    /// An id of random bits, of which the lowest 56 count.
    pub const fn new(bits: u64) -> SessionId {
        SessionId(bits & SessionId::MASK)
    }

    /// The bits.
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl PacketNumber {
    const COUNTER_BITS: u32 = 48;
    /// The last counter of a path.
    pub(crate) const LAST_COUNTER: u64 = (1 << PacketNumber::COUNTER_BITS) - 1;

    /// The `counter`-th packet of a route, from 0.
    pub const fn new(route: Route, counter: u64) -> PacketNumber {
        PacketNumber((route.0 as u64) << PacketNumber::COUNTER_BITS | counter & PacketNumber::LAST_COUNTER)
    }

    /// The number as the 64 bits of the cipher's nonce.
    pub const fn nonce(self) -> u64 {
        self.0
    }

    /// The route.
    pub const fn route(self) -> Route {
        Route((self.0 >> PacketNumber::COUNTER_BITS) as u16)
    }

    /// The position among the packets of its route.
    pub const fn counter(self) -> u64 {
        self.0 & PacketNumber::LAST_COUNTER
    }
}

impl Route {
    /// The route of packets without an association.
    pub const NO_PATH: Route = Route(0xfffe);
    /// The route of initiations and responses within a session.
    pub(crate) const CONTROL: Route = Route(0xffff);
    /// The number of paths with packet numbers, so that a peer's state is bounded.
    pub const PATHS: u16 = 1_024;

    /// The route of an association's path; `None` beyond [`Route::PATHS`].
    pub fn of(path: PathId) -> Option<Route> {
        let index = u16::try_from(path.index()).ok()?;
        (index < Route::PATHS).then_some(Route(index))
    }

    /// Returns true if packets may have this route.
    pub fn is_used(self) -> bool {
        self.is_path() || self == Route::NO_PATH || self == Route::CONTROL
    }

    /// Returns true if the route is a path.
    pub fn is_path(self) -> bool {
        self.0 < Route::PATHS
    }
}

/// The bytes of a handshake's first message, if the length is that of one.
fn first_message(bytes: &[u8]) -> Option<&[u8]> {
    matches!(bytes.len(), MESSAGE_LEN | CLIENT_MESSAGE_LEN).then_some(bytes)
}

const INITIATION: u64 = 1;
const RESPONSE: u64 = 2;
const PACKET: u64 = 3;
const PROBE: u64 = 4;
const PROBE_REPLY: u64 = 5;
const HEADER_LEN: usize = 8;
/// The length of a handshake message: a public key, a payload of 8 bytes, a tag.
pub(crate) const MESSAGE_LEN: usize = 32 + 8 + TAG_LEN;
/// The length of a first message that names a client: a public key, a payload of 16 bytes, a tag.
pub(crate) const CLIENT_MESSAGE_LEN: usize = MESSAGE_LEN + 8;
/// The length of the tag of either cipher.
const TAG_LEN: usize = 16;

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{Just, any, prop_oneof, proptest};

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let (message, naming) = ([7; MESSAGE_LEN], [7; CLIENT_MESSAGE_LEN]);
        let (to, number) = (SessionId::new(u64::MAX), PacketNumber::new(Route(3), 9));
        let all = [
            Datagram::Initiation(&message),
            Datagram::Initiation(&naming),
            Datagram::Response { to, message: &message },
            Datagram::Probe { about: to, message: &message },
            Datagram::Probe { about: to, message: &naming },
            Datagram::ProbeReply { to, message: &message },
            Datagram::Packet { to, number, sealed: &[1; 40] },
        ];
        for datagram in all {
            let mut bytes = Vec::new();
            datagram.write(&mut bytes);
            assert_eq!(Datagram::parse(&bytes), Some(datagram));
        }
    }

    #[test]
    fn a_truncated_datagram_is_not_decoded() {
        let (to, message) = (SessionId::new(5), [7; MESSAGE_LEN]);
        let number = PacketNumber::new(Route(0), 0);
        let sealed = [0; TAG_LEN];
        let all = [
            Datagram::Initiation(&message),
            Datagram::Response { to, message: &message },
            Datagram::Probe { about: to, message: &message },
            Datagram::ProbeReply { to, message: &message },
            Datagram::Packet { to, number, sealed: &sealed },
        ];
        for datagram in all {
            let mut bytes = Vec::new();
            datagram.write(&mut bytes);
            for len in 0..bytes.len() {
                assert_eq!(Datagram::parse(&bytes[..len]), None, "{len} of {} bytes", bytes.len());
            }
        }
    }

    proptest! {
        /// Any bytes with any header: what is decoded has a length that it may have, and is written as the same bytes.
        #[test]
        fn what_is_read_is_written_again(
            kind in 0_u64..8,
            id in prop_oneof![Just(0), 0..=SessionId::MASK],
            body in prop_oneof![vec(any::<u8>(), 0..90), vec(any::<u8>(), 56), vec(any::<u8>(), 64)],
        ) {
            let bytes = [&(kind << SessionId::BITS | id).to_be_bytes()[..], &body].concat();
            if let Some(datagram) = Datagram::parse(&bytes) {
                assert_eq!(datagram.to_vec(), bytes);
                let lens = [Datagram::HANDSHAKE_LEN, Datagram::CLIENT_HANDSHAKE_LEN];
                match datagram {
                    Datagram::Packet { .. } => assert!(bytes.len() >= Datagram::OVERHEAD),
                    Datagram::Initiation(_) | Datagram::Probe { .. } => assert!(lens.contains(&bytes.len())),
                    Datagram::Response { .. } | Datagram::ProbeReply { .. } => assert_eq!(bytes.len(), lens[0]),
                }
            }
        }
    }

    #[test]
    fn an_initiation_names_no_session_and_has_one_of_two_lengths() {
        for len in [Datagram::HANDSHAKE_LEN, Datagram::CLIENT_HANDSHAKE_LEN] {
            let mut bytes = vec![0; len];
            bytes[0] = 1;
            assert!(Datagram::parse(&bytes).is_some());
            bytes[7] = 1;
            assert_eq!(Datagram::parse(&bytes), None);
            bytes[7] = 0;
            bytes.push(0);
            assert_eq!(Datagram::parse(&bytes), None);
        }
    }

    #[test]
    fn a_number_is_a_route_and_a_counter() {
        let number = PacketNumber::new(Route(0x1234), 0x5678);
        assert_eq!(number.nonce(), 0x1234_0000_0000_5678);
        assert_eq!((number.route(), number.counter()), (Route(0x1234), 0x5678));
        assert_eq!(Route::of(PathId::from_index(1_023)), Some(Route(1_023)));
        assert_eq!(Route::of(PathId::from_index(1_024)), None);
    }
}
