//! The text of a network: an address or a prefix, without bits behind the prefix.

use std::fmt;
use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net};

/// The error of text that is not a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The text is not a network.
    #[error("{0:?} is not a network: write an address, or a network such as 10.0.0.0/8 or fd00::/8")]
    Text(String),
    /// The address has bits behind the prefix.
    #[error("{0} has bits behind its prefix: write {net} or {ip}", net = .0.trunc(), ip = .0.addr())]
    HostBits(IpNet),
}

/// Reads a network. One of IPv4-mapped addresses becomes the IPv4 network.
///
/// # Errors
/// The text is neither an address nor a network, or has bits behind the prefix.
pub fn network(text: &str) -> Result<IpNet, NetworkError> {
    let (address, length) = text.split_once('/').unzip();
    network_of(text, address.unwrap_or(text), length)
}

/// Reads a network from its address and the length of its prefix, as parts of `text`.
pub(crate) fn network_of(text: &str, address: &str, length: Option<&str>) -> Result<IpNet, NetworkError> {
    let refused = || NetworkError::Text(text.to_owned());
    let ip: IpAddr = address.parse().map_err(|_| refused())?;
    let net = match length {
        None => IpNet::from(ip),
        Some(length) if length.bytes().all(|byte| byte.is_ascii_digit()) => {
            IpNet::new(ip, length.parse().map_err(|_| refused())?).map_err(|_| refused())?
        }
        Some(_) => return Err(refused()),
    };
    if net.trunc() == net { Ok(unmapped(net)) } else { Err(NetworkError::HostBits(net)) }
}

/// The IPv4 network of a network of mapped addresses.
fn unmapped(net: IpNet) -> IpNet {
    const MAPPED_PREFIX: u8 = 96;
    let IpNet::V6(mapped) = net else { return net };
    let length = mapped.prefix_len().checked_sub(MAPPED_PREFIX);
    let ipv4 = mapped.addr().to_ipv4_mapped().zip(length);
    ipv4.and_then(|(ip, length)| Ipv4Net::new(ip, length).ok()).map_or(net, IpNet::V4)
}

/// Shows a network; one of a single address as the address.
///
/// # Errors
/// Those of the formatter.
pub fn show(net: IpNet, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if net.prefix_len() == net.max_prefix_len() { write!(f, "{}", net.addr()) } else { write!(f, "{net}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_read() {
        let shown = |text: &str| network(text).map(|net| net.to_string());
        assert_eq!(shown("10.0.0.0/8"), Ok("10.0.0.0/8".to_owned()));
        assert_eq!(shown("192.168.1.5"), Ok("192.168.1.5/32".to_owned()));
        assert_eq!(shown("fd00::/8"), Ok("fd00::/8".to_owned()));
        assert_eq!(shown("::ffff:10.0.0.0/104"), Ok("10.0.0.0/8".to_owned()));
    }

    #[test]
    fn text_that_is_not_a_network_is_refused() {
        for text in
            ["", "eth0", "10.0.0", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0.0/", "fe80::1%eth0", "1.2.3.4:5"]
        {
            assert!(matches!(network(text), Err(NetworkError::Text(_))), "{text:?}");
        }
        assert_eq!(
            network("10.0.0.1/8").map_err(|error| error.to_string()),
            Err("10.0.0.1/8 has bits behind its prefix: write 10.0.0.0/8 or 10.0.0.1".to_owned())
        );
    }
}
