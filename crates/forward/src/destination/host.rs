//! The host of a destination: an IP address, or a name that the end which connects looks up. Only text that
//! [`IpAddr::from_str`] reads is an address; `127.1` and `0x7f.1` stay names, whose addresses are checked after the
//! look-up.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::DestinationError;

/// The host of a destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name to look up.
    Name(HostName),
    /// An address.
    Ip(IpAddr),
}

/// A host name of at most 255 bytes: labels of letters, digits, `-` and `_`, between dots. IDNA is not applied.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostName(Box<str>);

impl Host {
    /// Reads a name as it arrived.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Host, DestinationError> {
        let text = str::from_utf8(bytes).map_err(|error| {
            let found = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
            DestinationError::Character(found)
        })?;
        text.parse()
    }
}

impl FromStr for Host {
    type Err = DestinationError;

    fn from_str(text: &str) -> Result<Host, DestinationError> {
        match text.parse() {
            Ok(ip) => Ok(Host::Ip(ip)),
            Err(_) => Ok(Host::Name(HostName::new(text)?)),
        }
    }
}

/// Without the brackets that an IPv6 address has before a port.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => name.fmt(f),
            Host::Ip(ip) => ip.fmt(f),
        }
    }
}

impl HostName {
    /// Names that are text of an IP address do not get here, so that each host has one form.
    fn new(text: &str) -> Result<HostName, DestinationError> {
        if text.is_empty() {
            return Err(DestinationError::EmptyName);
        }
        if text.len() > MAX_NAME {
            return Err(DestinationError::LongName(text.len()));
        }
        let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        if let Some(found) = text.bytes().find(|byte| !is_allowed(byte)) {
            return Err(DestinationError::Character(found));
        }
        // A name may end with the dot of the root.
        let labels = text.strip_suffix('.').unwrap_or(text).split('.');
        match labels.map(str::len).find(|len| !(1..=MAX_LABEL).contains(len)) {
            Some(len) => Err(DestinationError::Label(len)),
            None => Ok(HostName(text.into())),
        }
    }

    /// The name that stands for the far end's own name server.
    pub(super) fn resolver() -> HostName {
        HostName(RESOLVER.into())
    }

    /// The name as the client wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const RESOLVER: &str = "resolver.anabranch.alt";
/// RFC 1928 §5 has one byte for the length.
const MAX_NAME: usize = 255;
/// RFC 1035 §2.3.4.
const MAX_LABEL: usize = 63;

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Result<Host, DestinationError> {
        text.parse()
    }

    #[test]
    fn text_of_an_address_is_an_address() {
        for text in ["127.0.0.1", "::1", "::ffff:10.0.0.1", "2001:db8::7"] {
            assert_eq!(host(text), Ok(Host::Ip(text.parse().expect("an address"))), "{text}");
        }
    }

    #[test]
    fn other_legal_forms_of_an_ipv4_address_stay_names() {
        for text in ["127.1", "0x7f.1", "2130706433", "127.0.0.01", "127.0.0.1.", "0177.0.0.1"] {
            assert!(matches!(host(text), Ok(Host::Name(name)) if name.as_str() == text), "{text}");
        }
    }

    #[test]
    fn names_of_letters_digits_hyphens_and_underscores_are_read() {
        let longest = format!("{0}.{0}.{0}.{0}", "a".repeat(63));
        for text in
            ["a", "localhost", "Example.ORG", "example.org.", "_dns.x-1.net", "xn--bcher-kva", &longest]
        {
            assert_eq!(host(text).map(|host| host.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn unsendable_names_are_refused() {
        let long = "a.".repeat(128);
        let refused = [
            ("", DestinationError::EmptyName),
            (".", DestinationError::Label(0)),
            ("a..b", DestinationError::Label(0)),
            (&"a".repeat(64), DestinationError::Label(64)),
            (&long, DestinationError::LongName(256)),
            ("a b", DestinationError::Character(b' ')),
            ("a\n", DestinationError::Character(b'\n')),
            ("user@a", DestinationError::Character(b'@')),
            ("[::1]", DestinationError::Character(b'[')),
            ("fe80::1%eth0", DestinationError::Character(b':')),
            ("b\u{fc}cher", DestinationError::Character(0xc3)),
        ];
        for (text, error) in refused {
            assert_eq!(host(text), Err(error), "{text:?}");
        }
        assert_eq!(Host::from_bytes(b"a\xff"), Err(DestinationError::Character(0xff)));
    }
}
