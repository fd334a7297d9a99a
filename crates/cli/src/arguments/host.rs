//! Parses a host and a UDP port of the command line. It looks up no name.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// A host and a UDP port, not looked up yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostPort {
    /// A name or an address.
    pub name: String,
    /// The UDP port, if one was given.
    pub port: Option<u16>,
}

impl FromStr for HostPort {
    type Err = String;

    /// `HOST`, `HOST:PORT`, `[IPV6]`, `[IPV6]:PORT` or `IPV6`.
    fn from_str(text: &str) -> Result<HostPort, String> {
        let (name, port) = match text.strip_prefix('[') {
            Some(rest) => bracketed(rest)?,
            // More than one colon is an IPv6 address without a port.
            None if text.parse::<Ipv6Addr>().is_ok() || text.contains('%') => (text, None),
            None => match text.split_once(':') {
                Some((name, port)) => (name, Some(port)),
                None => (text, None),
            },
        };
        if name.is_empty() {
            return Err("a host is missing: expected HOST or HOST:PORT".to_owned());
        }
        if name.contains('%') {
            return Err(link_local(name));
        }
        if name.contains(':') && name.parse::<IpAddr>().is_err() {
            return Err(format!("{name:?} is not an IPv6 address; write one with a port as [ADDRESS]:PORT"));
        }
        let port = port.map(parse_port).transpose()?;
        Ok(HostPort { name: name.to_owned(), port })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name.contains(':'), self.port) {
            (true, Some(port)) => write!(f, "[{}]:{port}", self.name),
            (false, Some(port)) => write!(f, "{}:{port}", self.name),
            (_, None) => f.write_str(&self.name),
        }
    }
}

fn bracketed(rest: &str) -> Result<(&str, Option<&str>), String> {
    let (name, after) = rest.split_once(']').ok_or("a `]` is missing: expected [ADDRESS]:PORT")?;
    if name.contains('%') {
        return Err(link_local(name));
    }
    if name.parse::<Ipv6Addr>().is_err() {
        return Err(format!("{name:?} is not an IPv6 address; only IPv6 addresses are written in brackets"));
    }
    match after.strip_prefix(':') {
        Some(port) => Ok((name, Some(port))),
        None if after.is_empty() => Ok((name, None)),
        None => Err(format!("{after:?} after `]`: expected :PORT")),
    }
}

fn link_local(name: &str) -> String {
    format!(
        "{name:?} names a link (RFC 4007), and link-local addresses are not used: give another address of that host"
    )
}

fn parse_port(port: &str) -> Result<u16, String> {
    port.parse().map_err(|_| format!("{port:?} is not a UDP port: expected 0 to 65535"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Result<(String, Option<u16>), String> {
        text.parse::<HostPort>().map(|host| (host.name, host.port))
    }

    #[test]
    fn a_host_is_a_name_or_an_address_with_an_optional_port() {
        let named = |name: &str, port| Ok((name.to_owned(), port));
        assert_eq!(host("10.0.0.1"), named("10.0.0.1", None));
        assert_eq!(host("server.example:7000"), named("server.example", Some(7000)));
        assert_eq!(host("::1"), named("::1", None));
        assert_eq!(host("[::1]"), named("::1", None));
        assert_eq!(host("[2001:db8::1]:9"), named("2001:db8::1", Some(9)));
    }

    #[test]
    fn an_invalid_host_is_refused_with_the_expected_form() {
        for (text, complaint) in [
            ("", "a host is missing"),
            (":80", "a host is missing"),
            ("a:b", "is not a UDP port"),
            ("a:65536", "is not a UDP port"),
            ("[::1", "a `]` is missing"),
            ("[a]:1", "is not an IPv6 address"),
            ("[::1]x", "expected :PORT"),
            ("1:2:3", "is not a UDP port"),
            ("[fe80::1%lo]:9899", "link-local addresses are not used"),
            ("fe80::1%lo", "link-local addresses are not used"),
        ] {
            let error = host(text).expect_err(text);
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }

    #[test]
    fn a_host_is_shown_as_it_is_written() {
        for text in ["a", "a:1", "[::1]:1", "::1"] {
            assert_eq!(text.parse::<HostPort>().expect(text).to_string(), text);
        }
    }
}
