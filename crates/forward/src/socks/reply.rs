//! The reply to a request (RFC 1928 §6): a code and the address from which the server connects or relays.
//!
//! ```text
//! 5 | code (1) | reserved (1) | bound address and port, as a destination
//! ```

use std::net::{Ipv4Addr, SocketAddr};

use super::VERSION;
use crate::destination::Destination;

/// A reply. After any but [`Reply::Succeeded`] the server closes the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reply {
    /// The connection is open, or datagrams are relayed.
    Succeeded = 0,
    /// A failure that no other code names.
    GeneralFailure = 1,
    /// The server does not permit the destination.
    NotAllowed = 2,
    /// No route leads to the network.
    NetworkUnreachable = 3,
    /// The host does not answer, or its name is unknown.
    HostUnreachable = 4,
    /// The host refused the connection.
    ConnectionRefused = 5,
    /// The packet was discarded on its path.
    TtlExpired = 6,
    /// The command is not served.
    CommandNotSupported = 7,
    /// The kind of the address is not served.
    AddressKindNotSupported = 8,
}

impl Reply {
    /// Every reply, by its code.
    pub const ALL: [Reply; 9] = [
        Reply::Succeeded,
        Reply::GeneralFailure,
        Reply::NotAllowed,
        Reply::NetworkUnreachable,
        Reply::HostUnreachable,
        Reply::ConnectionRefused,
        Reply::TtlExpired,
        Reply::CommandNotSupported,
        Reply::AddressKindNotSupported,
    ];

    /// Appends the reply to `bytes`, with zeros if no address is bound.
    pub fn encode(self, bound: Option<SocketAddr>, bytes: &mut Vec<u8>) {
        bytes.extend([VERSION, self.code(), 0]);
        let unbound = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        Destination::from(bound.unwrap_or(unbound)).encode(bytes);
    }

    /// The reply in a word.
    pub fn word(self) -> &'static str {
        match self {
            Reply::Succeeded => "succeeded",
            Reply::GeneralFailure => "failure",
            Reply::NotAllowed => "not-allowed",
            Reply::NetworkUnreachable => "network-unreachable",
            Reply::HostUnreachable => "host-unreachable",
            Reply::ConnectionRefused => "connection-refused",
            Reply::TtlExpired => "ttl-expired",
            Reply::CommandNotSupported => "command-not-supported",
            Reply::AddressKindNotSupported => "address-not-supported",
        }
    }

    /// The code on the wire.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The reply with this code, if there is one.
    pub fn from_code(code: u8) -> Option<Reply> {
        Reply::ALL.get(usize::from(code)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(reply: Reply, bound: Option<&str>) -> Vec<u8> {
        let mut bytes = Vec::new();
        reply.encode(bound.map(|text| text.parse().expect("an address")), &mut bytes);
        bytes
    }

    #[test]
    fn a_reply_has_its_code_and_the_bound_address() {
        assert_eq!(encoded(Reply::Succeeded, Some("192.0.2.1:80")), [5, 0, 0, 1, 192, 0, 2, 1, 0, 80]);
        let bytes = encoded(Reply::Succeeded, Some("[2001:db8::1]:80"));
        assert_eq!((&bytes[..4], bytes.len()), (&[5, 0, 0, 4][..], 22));
        assert_eq!(encoded(Reply::NotAllowed, None), [5, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn codes_are_those_of_the_list() {
        for code in 0..=u8::MAX {
            let reply = Reply::from_code(code);
            assert_eq!(reply.map(Reply::code), (code <= 8).then_some(code));
        }
    }
}
