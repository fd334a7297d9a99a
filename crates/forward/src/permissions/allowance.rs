//! One `--allow` of a server: `NET[:PORTS]`, where an IPv6 network has ports only after brackets.
//!
//! ```text
//! 10.0.0.0/8    192.168.1.5:22    10.0.0.0/8:80,443,8000-8100    all
//! fd00::/8      [fd00::5]:22      [fd00::]/8:80,443,8000-8100    all:443
//! ```

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net};

use super::ports::{Ports, PortsError};

/// Addresses and ports that a server allows beyond the public internet. A network of IPv4-mapped addresses stands for
/// the IPv4 network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// `None` for every address.
    net: Option<IpNet>,
    /// `None` for every port.
    ports: Option<Ports>,
}

/// The error of text that is not an allowance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllowanceError {
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

impl Allowance {
    /// Returns true if it has this address, not mapped, and this port.
    pub(super) fn contains(&self, ip: IpAddr, port: u16) -> bool {
        self.net.is_none_or(|net| net.contains(&ip)) && self.has_port(port)
    }

    /// Returns true if it has every address at this port.
    pub(super) fn contains_all(&self, port: u16) -> bool {
        self.net.is_none() && self.has_port(port)
    }

    fn has_port(&self, port: u16) -> bool {
        self.ports.as_ref().is_none_or(|ports| ports.contains(port))
    }
}

impl FromStr for Allowance {
    type Err = AllowanceError;

    fn from_str(text: &str) -> Result<Allowance, AllowanceError> {
        let (net, ports) = split(text)?;
        let ports = ports.map(str::parse).transpose()?;
        let net = match net {
            Some((address, length)) => Some(net_of(text, address, length)?),
            None => None,
        };
        Ok(Allowance { net, ports })
    }
}

/// An address and the length of its prefix, if it has one.
type NetText<'a> = (&'a str, Option<&'a str>);

/// Splits the text into a network, `None` for all addresses, and ports.
fn split(text: &str) -> Result<(Option<NetText<'_>>, Option<&str>), AllowanceError> {
    if let Some(rest) = text.strip_prefix('[') {
        let (net, ports) = split_brackets(rest).ok_or_else(|| AllowanceError::Ipv6(text.to_owned()))?;
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

fn net_of(text: &str, address: &str, length: Option<&str>) -> Result<IpNet, AllowanceError> {
    let error = if address.contains(':') { AllowanceError::Ipv6 } else { AllowanceError::Net };
    let refused = || error(text.to_owned());
    let ip: IpAddr = address.parse().map_err(|_| refused())?;
    let net = match length {
        None => IpNet::from(ip),
        Some(length) if length.bytes().all(|byte| byte.is_ascii_digit()) => {
            let length = length.parse().map_err(|_| refused())?;
            IpNet::new(ip, length).map_err(|_| refused())?
        }
        Some(_) => return Err(refused()),
    };
    if net.trunc() == net { Ok(unmapped(net)) } else { Err(AllowanceError::HostBits(net)) }
}

/// The IPv4 network of a network of mapped addresses.
fn unmapped(net: IpNet) -> IpNet {
    const MAPPED_PREFIX: u8 = 96;
    let IpNet::V6(mapped) = net else { return net };
    let length = mapped.prefix_len().checked_sub(MAPPED_PREFIX);
    let ipv4 = mapped.addr().to_ipv4_mapped().zip(length);
    ipv4.and_then(|(ip, length)| Ipv4Net::new(ip, length).ok()).map_or(net, IpNet::V4)
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_host = |net: IpNet| net.prefix_len() == net.max_prefix_len();
        match (self.net, &self.ports) {
            (None, _) => f.write_str(ALL)?,
            (Some(net @ IpNet::V6(_)), Some(_)) if is_host(net) => write!(f, "[{}]", net.addr())?,
            (Some(net @ IpNet::V6(_)), Some(_)) => write!(f, "[{}]/{}", net.addr(), net.prefix_len())?,
            (Some(net), _) if is_host(net) => write!(f, "{}", net.addr())?,
            (Some(net), _) => write!(f, "{net}")?,
        }
        self.ports.as_ref().map_or(Ok(()), |ports| write!(f, ":{ports}"))
    }
}

const ALL: &str = "all";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn has(allowance: &str, ip: &str, port: u16) -> bool {
        let allowance: Allowance = allowance.parse().unwrap_or_else(|error| panic!("{allowance}: {error}"));
        allowance.contains(ip.parse().expect("an address"), port)
    }

    #[test]
    fn a_network_has_its_addresses_at_its_ports() {
        assert!(has("10.0.0.0/8", "10.255.255.255", 1) && !has("10.0.0.0/8", "11.0.0.0", 1));
        assert!(has("192.168.1.5", "192.168.1.5", 9) && !has("192.168.1.5", "192.168.1.6", 9));
        assert!(has("192.168.1.5:22", "192.168.1.5", 22) && !has("192.168.1.5:22", "192.168.1.5", 23));
        assert!(has("10.0.0.0/8:80,8000-8100", "10.1.2.3", 8050) && !has("10.0.0.0/8:80", "10.1.2.3", 81));
        assert!(has("fd00::/8", "fdff::1", 22) && !has("fd00::/8", "fe00::1", 22));
        assert!(has("[fd00::]/8:22", "fd00::1", 22) && !has("[fd00::]/8:22", "fd00::1", 23));
        assert!(has("[fd00::5]:22", "fd00::5", 22) && !has("[fd00::5]:22", "fd00::6", 22));
        assert!(has("[fd00::5]", "fd00::5", 7) && has("[fd00::]/8", "fd00::5", 7));
    }

    #[test]
    fn colons_of_an_ipv6_address_are_never_before_ports() {
        assert!(has("fd00::5:22", "fd00::5:22", 80) && !has("fd00::5:22", "fd00::5", 22));
    }

    #[test]
    fn all_has_every_address_of_both_versions() {
        for ip in ["127.0.0.1", "::1", "8.8.8.8", "2001:db8::1"] {
            assert!(has("all", ip, 1) && has("all:443", ip, 443) && !has("all:443", ip, 80));
        }
        assert!(has("0.0.0.0/0", "127.0.0.1", 1) && !has("0.0.0.0/0", "::1", 1));
    }

    #[test]
    fn a_network_of_mapped_addresses_is_the_ipv4_network() {
        let shown = |text: &str| text.parse::<Allowance>().map(|allowance| allowance.to_string());
        assert_eq!(shown("::ffff:10.0.0.0/104"), Ok("10.0.0.0/8".to_owned()));
        assert_eq!(shown("[::ffff:10.0.0.1]:80"), Ok("10.0.0.1:80".to_owned()));
        assert_eq!(shown("::ffff:0:0/96"), Ok("0.0.0.0/0".to_owned()));
        assert!(!has("::/0", "127.0.0.1", 80));
    }

    #[test]
    fn text_that_is_not_an_allowance_is_refused() {
        let error = |text: &str| text.parse::<Allowance>().expect_err(text);
        for text in
            ["", "localhost", "10.0.0", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0.0/", "010.0.0.0/8", ":80", "*"]
        {
            assert!(matches!(error(text), AllowanceError::Net(_)), "{text:?}");
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
            assert!(matches!(error(text), AllowanceError::Ipv6(_)), "{text:?}");
        }
        for text in ["10.0.0.0/8:", "10.0.0.1:0", "all:", "[::1]:", "10.0.0.1:80-79"] {
            assert!(matches!(error(text), AllowanceError::Ports(_)), "{text:?}");
        }
        assert_eq!(
            error("10.0.0.1/8").to_string(),
            "10.0.0.1/8 has bits behind its prefix: write 10.0.0.0/8 or 10.0.0.1"
        );
    }

    proptest! {
        #[test]
        fn allowances_are_read_as_they_were_shown(ip: IpAddr, length in 0..=128_u8, ports in "(|:[1-9][0-9]{0,3}(,2-9)?)") {
            let length = if ip.is_ipv4() { length / 4 } else { length };
            let net = IpNet::new(ip, length).expect("a network").trunc();
            let text = match net {
                IpNet::V6(net) => format!("[{}]/{length}{ports}", net.addr()),
                IpNet::V4(net) => format!("{net}{ports}"),
            };
            let allowance: Allowance = text.parse().expect("an allowance");
            prop_assert_eq!(allowance.to_string().parse(), Ok(allowance));
        }

        #[test]
        fn any_text_is_an_allowance_or_an_error(text in "[0-9a-f:./,\\[\\]-]{0,30}") {
            if let Ok(allowance) = text.parse::<Allowance>() {
                prop_assert_eq!(allowance.to_string().parse(), Ok(allowance));
            }
        }
    }
}
