//! The server's side of SOCKS5 (RFC 1928): [`Greeting`], [`Request`], [`Reply`] and the [`Datagram`]s of UDP. Clients
//! that speak SOCKS4 or HTTP are recognised by their first byte.

mod datagram;
mod greeting;
mod reply;
mod request;

pub use datagram::{Datagram, DatagramError};
pub use greeting::Greeting;
pub use reply::Reply;
pub use request::{Command, Request};

use crate::destination::DestinationError;

/// The error of bytes that a server of SOCKS5 does not serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SocksError {
    /// The client speaks SOCKS4 or SOCKS4a.
    #[error("a client of SOCKS version 4, where only version 5 is served")]
    Version4,
    /// The client sends an HTTP request.
    #[error("an HTTP request on a port of SOCKS5")]
    Http,
    /// The client speaks another protocol.
    #[error("a client of SOCKS version {0}, where only version 5 is served")]
    Version(u8),
    /// The client asks for a port to which others connect.
    #[error("a BIND request, which is not served")]
    Bind,
    /// The command is unknown.
    #[error("a request with the unknown command {0}")]
    UnknownCommand(u8),
    /// The destination is malformed.
    #[error(transparent)]
    Destination(#[from] DestinationError),
}

impl SocksError {
    /// The reply that tells the client; `None` if it would not understand one.
    pub fn reply(self) -> Option<Reply> {
        match self {
            SocksError::Version4 | SocksError::Http | SocksError::Version(_) => None,
            SocksError::Bind | SocksError::UnknownCommand(_) => Some(Reply::CommandNotSupported),
            SocksError::Destination(DestinationError::UnknownKind(_)) => Some(Reply::AddressKindNotSupported),
            SocksError::Destination(_) => Some(Reply::GeneralFailure),
        }
    }
}

/// Checks the first byte of a greeting or a request. Every method of HTTP begins with a capital letter.
fn check_version(first: u8) -> Result<(), SocksError> {
    match first {
        VERSION => Ok(()),
        4 => Err(SocksError::Version4),
        b'A'..=b'Z' => Err(SocksError::Http),
        other => Err(SocksError::Version(other)),
    }
}

const VERSION: u8 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_protocol_is_recognised_by_its_first_byte() {
        let first = |bytes: &[u8]| Greeting::decode(bytes).expect_err("another protocol");
        assert_eq!(first(b"\x04\x01\x00\x50\xc0\x00\x02\x01\x00"), SocksError::Version4);
        for request in [&b"GET / HTTP/1.1\r\n"[..], b"CONNECT a:443 HTTP/1.1\r\n", b"POST", b"P"] {
            assert_eq!(first(request), SocksError::Http);
        }
        assert_eq!(first(b"\x16\x03\x01"), SocksError::Version(0x16));
    }

    #[test]
    fn only_clients_of_version_5_get_a_reply() {
        assert_eq!(SocksError::Version4.reply(), None);
        assert_eq!(SocksError::Http.reply(), None);
        assert_eq!(SocksError::Version(6).reply(), None);
        assert_eq!(SocksError::Bind.reply().map(Reply::code), Some(7));
        assert_eq!(SocksError::UnknownCommand(9).reply().map(Reply::code), Some(7));
        let replies = |error| SocksError::Destination(error).reply().map(Reply::code);
        assert_eq!(replies(DestinationError::UnknownKind(2)), Some(8));
        assert_eq!(replies(DestinationError::EmptyName), Some(1));
    }
}
