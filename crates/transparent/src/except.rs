//! Destinations that go beside the capture.

use std::fmt;
use std::str::FromStr;

use anabranch_nets::{NetPorts, NetPortsError};

/// Destinations that go beside the capture, as without it, as `NET[:PORTS]`. Without ports every protocol does, otherwise
/// these ports of TCP and UDP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Except(pub(crate) NetPorts);

/// The error of text that is not an exception.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExceptError {
    /// Everything is excepted.
    #[error("all without ports leaves nothing to carry: write all:22 for a port of every host")]
    Everything,
    /// The text is not a network with ports.
    #[error(transparent)]
    Text(#[from] NetPortsError),
}

impl FromStr for Except {
    type Err = ExceptError;

    fn from_str(text: &str) -> Result<Except, ExceptError> {
        match text.parse()? {
            NetPorts { net: None, ports: None } => Err(ExceptError::Everything),
            both => Ok(Except(both)),
        }
    }
}

impl fmt::Display for Except {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_shown_as_they_were_read() {
        for text in [
            "10.0.0.0/8",
            "192.168.1.5",
            "192.168.1.5:22",
            "10.0.0.0/8:80,8000-8100",
            "fd00::/8",
            "fd00::5:22",
            "[fd00::5]:22",
            "[fd00::]/8:80,443",
            "all:22",
        ] {
            assert_eq!(text.parse::<Except>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn text_that_is_not_an_exception_is_refused() {
        let error = |text: &str| text.parse::<Except>().expect_err(text);
        for text in ["", "localhost", "10.0.0", "10.0.0.0/33", ":80", "*"] {
            assert!(matches!(error(text), ExceptError::Text(NetPortsError::Net(_))), "{text:?}");
        }
        for text in ["fd00::/8:22", "fd00::/129", "fe80::1%eth0", "[fd00::/8]:22", "[fd00::", "[10.0.0.1]:80"]
        {
            assert!(matches!(error(text), ExceptError::Text(NetPortsError::Ipv6(_))), "{text:?}");
        }
        for text in ["10.0.0.0/8:", "10.0.0.1:0", "all:", "[::1]:", "10.0.0.1:80-79"] {
            assert!(matches!(error(text), ExceptError::Text(NetPortsError::Ports(_))), "{text:?}");
        }
        assert_eq!(error("all"), ExceptError::Everything);
    }
}
