//! The name servers of this host.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

use crate::destination::RESOLVER_PORT;

/// The name servers that the file at `path` names. Without any, it is the one of this host (resolv.conf(5)).
pub(super) fn read(path: &Path) -> Vec<SocketAddr> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    named(&text).into_iter().map(|ip| SocketAddr::new(ip, RESOLVER_PORT)).collect()
}

/// As for the system's own look-ups, a wrong line does not spoil the others.
fn named(text: &str) -> Vec<IpAddr> {
    let lines = text.lines().filter_map(|line| resolv_conf::Config::parse(line).ok());
    let all: Vec<IpAddr> = lines.flat_map(|config| config.nameservers).map(IpAddr::from).collect();
    if all.is_empty() { vec![Ipv4Addr::LOCALHOST.into()] } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_system_names_them() {
        let text = "# by hand\nsearch example.org\nnameserver 192.0.2.53\nnameserver ?\nnameserver 2001:db8::53\noptions edns0\n";
        let expected: [IpAddr; 2] = [[192, 0, 2, 53].into(), "2001:db8::53".parse().expect("an address")];
        assert_eq!(named(text), expected);
        for text in ["", "search example.org\n", "nameserver here\n"] {
            assert_eq!(named(text), [Ipv4Addr::LOCALHOST], "{text:?}");
        }
    }
}
