//! Destinations that go beside the capture: `NET[:PORTS]`, where an IPv6 network has ports only after brackets.
//!
//! ```text
//! 10.0.0.0/8    192.168.1.5:22    10.0.0.0/8:80,443,8000-8100    all:22
//! fd00::/8      [fd00::5]:22      [fd00::]/8:80,443,8000-8100
//! ```

use std::fmt;
use std::str::FromStr;

use ipnet::IpNet;

use crate::network::{NetworkError, network_of, show};
use crate::ports::{Ports, PortsError};

/// Destinations that go beside the capture, as without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Except {
    /// `None` for every address.
    pub(crate) net: Option<IpNet>,
    /// `None` for every port and every protocol; otherwise ports of TCP and UDP.
    pub(crate) ports: Option<Ports>,
}

/// The error of text that is not an exception.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExceptError {
    /// The text before the ports is not a network.
    #[error(transparent)]
    Net(#[from] NetworkError),
    /// The text has colons, and is neither an IPv6 network nor one in brackets.
    #[error("{0:?} is not an IPv6 network: write fd00::/8, or [fd00::]/8:22 for one with ports")]
    Ipv6(String),
    /// Everything is excepted.
    #[error("all without ports leaves nothing to carry: write all:22 for a port of every host")]
    Everything,
    /// The text after the network is not a list of ports.
    #[error(transparent)]
    Ports(#[from] PortsError),
}

impl FromStr for Except {
    type Err = ExceptError;

    fn from_str(text: &str) -> Result<Except, ExceptError> {
        let (net, ports) = split(text)?;
        let ports: Option<Ports> = ports.map(str::parse).transpose()?;
        let net = match net {
            Some((address, length)) => Some(read_net(text, address, length)?),
            None if ports.is_none() => return Err(ExceptError::Everything),
            None => None,
        };
        Ok(Except { net, ports })
    }
}

/// An address and the length of its prefix, if it has one.
type NetText<'a> = (&'a str, Option<&'a str>);

/// Splits the text into a network, `None` for all addresses, and ports.
fn split(text: &str) -> Result<(Option<NetText<'_>>, Option<&str>), ExceptError> {
    if let Some(rest) = text.strip_prefix('[') {
        let (net, ports) = split_brackets(rest).ok_or_else(|| ExceptError::Ipv6(text.to_owned()))?;
        return Ok((Some(net), ports));
    }
    let is_ipv6 = text.matches(':').count() > 1;
    let (net, ports) = text.split_once(':').filter(|_| !is_ipv6).unzip();
    let net = net.unwrap_or(text);
    let (address, length) = net.split_once('/').unzip();
    Ok(((net != ALL).then_some((address.unwrap_or(net), length)), ports))
}

/// Splits what follows the first bracket.
fn split_brackets(text: &str) -> Option<(NetText<'_>, Option<&str>)> {
    let (address, rest) = text.split_once(']').filter(|(address, _)| address.contains(':'))?;
    let (length, ports) = rest.split_once(':').unzip();
    let length = match length.unwrap_or(rest) {
        "" => None,
        length => Some(length.strip_prefix('/')?),
    };
    Some(((address, length), ports))
}

fn read_net(text: &str, address: &str, length: Option<&str>) -> Result<IpNet, ExceptError> {
    network_of(text, address, length).map_err(|error| match error {
        NetworkError::Text(text) if address.contains(':') => ExceptError::Ipv6(text),
        error => ExceptError::Net(error),
    })
}

impl fmt::Display for Except {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_host = |net: IpNet| net.prefix_len() == net.max_prefix_len();
        match (self.net, &self.ports) {
            (None, _) => f.write_str(ALL)?,
            (Some(net @ IpNet::V6(_)), Some(_)) if is_host(net) => write!(f, "[{}]", net.addr())?,
            (Some(net @ IpNet::V6(_)), Some(_)) => write!(f, "[{}]/{}", net.addr(), net.prefix_len())?,
            (Some(net), _) => show(net, f)?,
        }
        self.ports.as_ref().map_or(Ok(()), |ports| write!(f, ":{ports}"))
    }
}

const ALL: &str = "all";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        for text in ["", "localhost", "10.0.0", "10.0.0.0/33", "10.0.0.1/8", ":80", "*"] {
            assert!(matches!(error(text), ExceptError::Net(_)), "{text:?}");
        }
        for text in ["fd00::/8:22", "fd00::/129", "fe80::1%eth0", "[fd00::/8]:22", "[fd00::", "[10.0.0.1]:80"]
        {
            assert!(matches!(error(text), ExceptError::Ipv6(_)), "{text:?}");
        }
        for text in ["10.0.0.0/8:", "10.0.0.1:0", "all:", "[::1]:", "10.0.0.1:80-79"] {
            assert!(matches!(error(text), ExceptError::Ports(_)), "{text:?}");
        }
        assert_eq!(error("all"), ExceptError::Everything);
    }

    proptest! {
        #[test]
        fn any_exception_survives_a_round_trip(ip: std::net::IpAddr, length in 0..=128_u8, ports in "(|:[1-9][0-9]{0,3}(,2-9)?)") {
            let length = if ip.is_ipv4() { length / 4 } else { length };
            let net = IpNet::new(ip, length).expect("a network").trunc();
            let text = match net {
                IpNet::V6(net) => format!("[{}]/{length}{ports}", net.addr()),
                IpNet::V4(net) => format!("{net}{ports}"),
            };
            let except: Except = text.parse().expect("an exception");
            prop_assert_eq!(except.to_string().parse(), Ok(except));
        }

        #[test]
        fn any_text_is_an_exception_or_an_error(text in "[0-9a-l:./,\\[\\]-]{0,30}") {
            if let Ok(except) = text.parse::<Except>() {
                prop_assert_eq!(except.to_string().parse(), Ok(except));
            }
        }
    }
}
