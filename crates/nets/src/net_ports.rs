//! Destinations as `NET[:PORTS]`, where an IPv6 network has ports only after brackets.
//!
//! ```text
//! 10.0.0.0/8    192.168.1.5:22    10.0.0.0/8:80,443,8000-8100    all
//! fd00::/8      [fd00::5]:22      [fd00::]/8:80,443,8000-8100    all:443
//! ```

use std::fmt;
use std::str::FromStr;

use ipnet::IpNet;

use crate::network::{NetworkError, network_of, show};
use crate::ports::{Ports, PortsError};

/// A network and ports. A network of IPv4-mapped addresses stands for the IPv4 network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetPorts {
    /// `None` for every address.
    pub net: Option<IpNet>,
    /// `None` for every port.
    pub ports: Option<Ports>,
}

/// The error of text that is not a network with ports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetPortsError {
    /// The text before the ports is not a network.
    #[error("{0:?} is not a network: write an address, a network such as 10.0.0.0/8, or all")]
    Net(String),
    /// The text has colons, and is neither an IPv6 network nor one in brackets.
    #[error("{0:?} is not an IPv6 network: write fd00::/8, or [fd00::]/8:22 for one with ports")]
    Ipv6(String),
    /// The address has bits behind the prefix.
    #[error("{0} has bits behind its prefix: write {net} or {ip}", net = .0.trunc(), ip = .0.addr())]
    HostBits(IpNet),
    /// The text after the network is not a list of ports.
    #[error(transparent)]
    Ports(#[from] PortsError),
}

impl FromStr for NetPorts {
    type Err = NetPortsError;

    fn from_str(text: &str) -> Result<NetPorts, NetPortsError> {
        let (net, ports) = split(text)?;
        let ports = ports.map(str::parse).transpose()?;
        let net = match net {
            Some((address, length)) => Some(net_of(text, address, length)?),
            None => None,
        };
        Ok(NetPorts { net, ports })
    }
}

/// An address and the length of its prefix, if it has one.
type NetText<'a> = (&'a str, Option<&'a str>);

/// Splits the text into a network, `None` for all addresses, and ports.
fn split(text: &str) -> Result<(Option<NetText<'_>>, Option<&str>), NetPortsError> {
    if let Some(rest) = text.strip_prefix('[') {
        let (net, ports) = split_brackets(rest).ok_or_else(|| NetPortsError::Ipv6(text.to_owned()))?;
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

fn net_of(text: &str, address: &str, length: Option<&str>) -> Result<IpNet, NetPortsError> {
    network_of(text, address, length).map_err(|error| match error {
        NetworkError::Text(text) if address.contains(':') => NetPortsError::Ipv6(text),
        NetworkError::Text(text) => NetPortsError::Net(text),
        NetworkError::HostBits(net) => NetPortsError::HostBits(net),
    })
}

impl fmt::Display for NetPorts {
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
    use std::net::IpAddr;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_network_of_mapped_addresses_is_the_ipv4_network() {
        let shown = |text: &str| text.parse::<NetPorts>().map(|both| both.to_string());
        assert_eq!(shown("::ffff:10.0.0.0/104"), Ok("10.0.0.0/8".to_owned()));
        assert_eq!(shown("[::ffff:10.0.0.1]:80"), Ok("10.0.0.1:80".to_owned()));
        assert_eq!(shown("::ffff:0:0/96"), Ok("0.0.0.0/0".to_owned()));
    }

    #[test]
    fn text_that_is_not_a_network_with_ports_is_refused() {
        let error = |text: &str| text.parse::<NetPorts>().expect_err(text);
        for text in
            ["", "localhost", "10.0.0", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0.0/", "010.0.0.0/8", ":80", "*"]
        {
            assert!(matches!(error(text), NetPortsError::Net(_)), "{text:?}");
        }
        for text in [
            "fd00::/8:22",
            "fd00::/129",
            "fe80::1%eth0",
            "[fd00::/8]:22",
            "[fd00::",
            "[10.0.0.1]:80",
            "[::1]22",
        ] {
            assert!(matches!(error(text), NetPortsError::Ipv6(_)), "{text:?}");
        }
        for text in ["10.0.0.0/8:", "10.0.0.1:0", "all:", "[::1]:", "10.0.0.1:80-79"] {
            assert!(matches!(error(text), NetPortsError::Ports(_)), "{text:?}");
        }
        assert_eq!(
            error("10.0.0.1/8").to_string(),
            "10.0.0.1/8 has bits behind its prefix: write 10.0.0.0/8 or 10.0.0.1"
        );
    }

    proptest! {
        #[test]
        fn networks_with_ports_are_read_as_they_were_shown(ip: IpAddr, length in 0..=128_u8, ports in "(|:[1-9][0-9]{0,3}(,2-9)?)") {
            let length = if ip.is_ipv4() { length / 4 } else { length };
            let net = IpNet::new(ip, length).expect("a network").trunc();
            let text = match net {
                IpNet::V6(net) => format!("[{}]/{length}{ports}", net.addr()),
                IpNet::V4(net) => format!("{net}{ports}"),
            };
            let both: NetPorts = text.parse().expect("a network");
            prop_assert_eq!(both.to_string().parse(), Ok(both));
        }

        #[test]
        fn any_text_is_a_network_with_ports_or_an_error(text in "[0-9a-f:./,\\[\\]-]{0,30}") {
            if let Ok(both) = text.parse::<NetPorts>() {
                prop_assert_eq!(both.to_string().parse(), Ok(both));
            }
        }
    }
}
