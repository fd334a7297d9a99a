//! The destination of a flow, as text (`host:port`) and in the form of a SOCKS5 address.
//!
//! ```text
//! 1 | IPv4 address (4)  | port (2)
//! 3 | length (1) | name | port (2)
//! 4 | IPv6 address (16) | port (2)
//! ```

mod host;

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

pub use host::{Host, HostName};

/// A host and a port to which a client connects or sends.
///
/// ```
/// use anabranch_forward::{Destination, Host};
///
/// let destination: Destination = "[::1]:80".parse()?;
/// assert_eq!(destination.host, Host::Ip("::1".parse().expect("an address")));
/// assert_eq!(destination.to_string(), "[::1]:80");
/// # Ok::<(), anabranch_forward::DestinationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The host.
    pub host: Host,
    /// The port. It may be zero on the wire, as in the request of a client that does not know its own port yet.
    pub port: u16,
}

/// The error of bytes or text that are not a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DestinationError {
    /// The kind of an address is unknown.
    #[error("an address of unknown kind {0}")]
    UnknownKind(u8),
    /// A name has no bytes.
    #[error("an empty host name")]
    EmptyName,
    /// A name is longer than its length byte can say.
    #[error("a host name of {0} bytes; at most 255")]
    LongName(usize),
    /// A label of a name is empty or too long.
    #[error("a host name with a label of {0} bytes; 1 to 63")]
    Label(usize),
    /// A byte of a name is not a letter, a digit, `-`, `_` or a dot.
    #[error("a host name with the byte {0:#04x}")]
    Character(u8),
    /// An IPv6 address has no brackets, or the brackets hold something else.
    #[error("an IPv6 address that is not written [address]:port")]
    Brackets,
    /// The text has no port.
    #[error("a destination without a port")]
    NoPort,
    /// The port is not a decimal number from 1 to 65535.
    #[error("a port that is not a number from 1 to 65535")]
    Port,
}

impl Destination {
    /// The name server that the far end uses itself. RFC 9476 keeps names below `alt` out of the DNS.
    pub(crate) fn resolver() -> Destination {
        Destination { host: Host::Name(HostName::resolver()), port: RESOLVER_PORT }
    }

    /// Returns true for the name server of the far end, whatever the port.
    pub(crate) fn is_resolver(&self) -> bool {
        matches!(&self.host, Host::Name(name) if *name == HostName::resolver())
    }

    /// Appends the destination to `bytes`.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        match &self.host {
            Host::Ip(IpAddr::V4(ip)) => {
                bytes.push(IPV4);
                bytes.extend(ip.octets());
            }
            Host::Ip(IpAddr::V6(ip)) => {
                bytes.push(IPV6);
                bytes.extend(ip.octets());
            }
            Host::Name(name) => {
                let name = name.as_str().as_bytes();
                bytes.extend([NAME, u8::try_from(name.len()).unwrap_or(u8::MAX)]);
                bytes.extend(name);
            }
        }
        bytes.extend(self.port.to_be_bytes());
    }

    /// Reads a destination from the start of `bytes`, with the number of its bytes; `None` until enough have arrived. A
    /// name that is the text of an IP address becomes that address.
    ///
    /// # Errors
    /// It is not a destination.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Destination, usize)>, DestinationError> {
        let Some((kind, rest)) = bytes.split_first() else { return Ok(None) };
        let host = match *kind {
            IPV4 => rest.split_first_chunk::<4>().map(|(ip, rest)| (Host::Ip(IpAddr::from(*ip)), rest)),
            IPV6 => rest.split_first_chunk::<16>().map(|(ip, rest)| (Host::Ip(IpAddr::from(*ip)), rest)),
            NAME => split_name(rest)?,
            other => return Err(DestinationError::UnknownKind(other)),
        };
        let Some((host, rest)) = host else { return Ok(None) };
        let Some((port, rest)) = rest.split_first_chunk() else { return Ok(None) };
        let destination = Destination { host, port: u16::from_be_bytes(*port) };
        Ok(Some((destination, bytes.len() - rest.len())))
    }

    /// The number of bytes of a destination at the start of `bytes`, without reading it; all bytes if its kind is unknown.
    pub(crate) fn length_in(bytes: &[u8]) -> usize {
        match bytes {
            [IPV4, ..] => 1 + 4 + 2,
            [IPV6, ..] => 1 + 16 + 2,
            [NAME, length, ..] => 2 + usize::from(*length) + 2,
            _ => bytes.len(),
        }
    }
}

/// Reads a name after its length.
fn split_name(bytes: &[u8]) -> Result<Option<(Host, &[u8])>, DestinationError> {
    let Some((length, rest)) = bytes.split_first() else { return Ok(None) };
    let Some((name, rest)) = rest.split_at_checked(usize::from(*length)) else { return Ok(None) };
    Ok(Some((Host::from_bytes(name)?, rest)))
}

impl From<SocketAddr> for Destination {
    fn from(address: SocketAddr) -> Destination {
        Destination { host: Host::Ip(address.ip()), port: address.port() }
    }
}

impl FromStr for Destination {
    type Err = DestinationError;

    fn from_str(text: &str) -> Result<Destination, DestinationError> {
        let (host, port) = text.rsplit_once(':').ok_or(DestinationError::NoPort)?;
        let host = match host.strip_prefix('[') {
            Some(rest) => {
                let ip = rest.strip_suffix(']').and_then(|inside| inside.parse::<Ipv6Addr>().ok());
                Host::Ip(ip.ok_or(DestinationError::Brackets)?.into())
            }
            None if host.contains(':') => return Err(DestinationError::Brackets),
            None => host.parse()?,
        };
        Ok(Destination { host, port: anabranch_nets::port(port).ok_or(DestinationError::Port)? })
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Ip(ip) => SocketAddr::new(*ip, self.port).fmt(f),
            Host::Name(name) => write!(f, "{name}:{}", self.port),
        }
    }
}

/// RFC 1035 §4.2.
pub(crate) const RESOLVER_PORT: u16 = 53;
const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any destination with a port that is not zero.
    pub(crate) fn destination() -> impl Strategy<Value = Destination> {
        let host = prop_oneof![
            any::<IpAddr>().prop_map(Host::Ip),
            "[a-zA-Z0-9_-]{1,63}(\\.[a-z0-9]{1,60}){0,3}\\.?".prop_map(|name| name.parse().expect("a name")),
        ];
        (host, 1..=u16::MAX).prop_map(|(host, port)| Destination { host, port })
    }

    fn encoded(destination: &Destination) -> Vec<u8> {
        let mut bytes = Vec::new();
        destination.encode(&mut bytes);
        bytes
    }

    #[test]
    fn each_kind_has_the_form_of_rfc_1928() {
        let bytes = |text: &str| encoded(&text.parse().expect("a destination"));
        assert_eq!(bytes("192.0.2.1:80"), [1, 192, 0, 2, 1, 0, 80]);
        assert_eq!(bytes("ab.c:258"), *b"\x03\x04ab.c\x01\x02");
        let ipv6 = [&[4, 0x20, 1, 0xd, 0xb8][..], &[0; 11], &[7, 0, 80]].concat();
        assert_eq!(bytes("[2001:db8::7]:80"), ipv6);
    }

    #[test]
    fn a_name_on_the_wire_that_is_an_address_becomes_the_address() {
        for (name, text) in [("127.0.0.1", "127.0.0.1:80"), ("::1", "[::1]:80")] {
            let bytes = [&[3, name.len() as u8], name.as_bytes(), &[0, 80]].concat();
            let (destination, used) = Destination::decode(&bytes).expect("valid").expect("complete");
            assert_eq!((destination.to_string().as_str(), used), (text, bytes.len()));
        }
    }

    #[test]
    fn an_error_is_found_as_soon_as_its_byte_has_arrived() {
        assert_eq!(Destination::decode(&[2]), Err(DestinationError::UnknownKind(2)));
        assert_eq!(Destination::decode(&[3, 0]), Err(DestinationError::EmptyName));
        assert_eq!(Destination::decode(b"\x03\x02a "), Err(DestinationError::Character(b' ')));
    }

    #[test]
    fn text_that_is_not_a_destination_is_refused() {
        use DestinationError::*;
        let refused = [
            ("", NoPort),
            ("a", NoPort),
            (":80", EmptyName),
            ("a:", Port),
            ("a:0", Port),
            ("a:+80", Port),
            ("a:65536", Port),
            ("a:http", Port),
            ("::1", Brackets),
            ("::1:80", Brackets),
            ("[::1]", Brackets),
            ("[127.0.0.1]:80", Brackets),
            ("[fe80::1%eth0]:80", Brackets),
            ("http://a:80", Brackets),
            ("a/b:80", Character(b'/')),
        ];
        for (text, error) in refused {
            assert_eq!(text.parse::<Destination>(), Err(error), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn destinations_are_read_as_they_were_written(
            destination in destination(),
            after in prop::collection::vec(any::<u8>(), 0..9),
        ) {
            prop_assert_eq!(&destination.to_string().parse::<Destination>(), &Ok(destination.clone()));
            let bytes = encoded(&destination);
            for used in 0..bytes.len() {
                prop_assert_eq!(Destination::decode(&bytes[..used]), Ok(None));
            }
            let read = Destination::decode(&[&bytes[..], &after].concat());
            prop_assert_eq!(read, Ok(Some((destination, bytes.len()))));
        }

        #[test]
        fn any_bytes_give_the_same_at_once_and_one_by_one(
            kind in 0..6_u8,
            rest in prop::collection::vec(prop_oneof![0..20_u8, 45..58_u8, 97..123_u8, any::<u8>()], 0..40),
        ) {
            let bytes = [&[kind][..], &rest].concat();
            let whole = Destination::decode(&bytes);
            let first = (0..=bytes.len()).map(|len| Destination::decode(&bytes[..len])).find(|one| *one != Ok(None));
            prop_assert_eq!(&first.unwrap_or(Ok(None)), &whole);
            if let Ok(Some((destination, used))) = whole {
                prop_assert!(used <= bytes.len());
                let again = encoded(&destination);
                prop_assert_eq!(Destination::decode(&again), Ok(Some((destination, again.len()))));
            }
        }
    }
}
