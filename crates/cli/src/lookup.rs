//! Looks up the addresses of a host name. Unlike those of the standard library, the errors distinguish a name that does
//! not exist from a name server that does not answer.

use std::net::{IpAddr, SocketAddr};

use dns_lookup::{AddrInfoHints, LookupError, LookupErrorKind, SockType, getaddrinfo};

use crate::threads;

/// The failure of a lookup.
#[derive(Debug, thiserror::Error)]
#[error("{cause}{}", .note.as_ref().map(|note| format!("; {note}")).unwrap_or_default())]
pub(crate) struct LookupFailure {
    cause: Cause,
    /// A further remedy.
    note: Option<String>,
}

#[derive(Debug, thiserror::Error)]
enum Cause {
    /// The name does not exist, or has no address.
    #[error("there is no host named {host:?}: check the spelling, or give its address")]
    NoSuchHost {
        /// As it was written.
        host: String,
    },
    /// The name server does not answer.
    #[error(
        "cannot look up {host:?}, because the name server did not answer: check the network connection, or give \
         the address of the host"
    )]
    NoAnswer {
        /// As it was written.
        host: String,
    },
    /// Another error of the system.
    #[error("cannot look up {host:?} ({why}): give the address of the host")]
    System {
        /// As it was written.
        host: String,
        /// The system's message.
        why: String,
    },
}

/// Returns the address of `host`: itself, or one of its name, IPv4 before IPv6.
///
/// # Errors
/// The host has no address, or the lookup fails.
pub(crate) async fn address_of(host: &str, port: u16) -> Result<SocketAddr, LookupFailure> {
    let found = addresses_of(host, port).await?;
    let chosen = found.iter().find(|address| address.is_ipv4()).or(found.first());
    chosen.copied().ok_or_else(|| LookupFailure::no_such(host))
}

/// Returns the addresses of `host`: itself, or those of its name, each once, in the system's order. Of many, only the first
/// are used.
///
/// # Errors
/// The host has no address, or the lookup fails.
pub(crate) async fn addresses_of(host: &str, port: u16) -> Result<Vec<SocketAddr>, LookupFailure> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let name = host.to_owned();
    let found = match threads::spawn(move || addresses(&name)) {
        Ok(work) => work.ended().await,
        Err(failure) => Err(failure),
    };
    let found = found.map_err(|failure| LookupFailure::system(host, &failure))?;
    let mut all: Vec<SocketAddr> = Vec::new();
    for address in found.map_err(|error| LookupFailure::of(host, error))? {
        let address = SocketAddr::new(address.ip(), port);
        if !all.contains(&address) && all.len() < MOST_ADDRESSES {
            all.push(address);
        }
    }
    if all.is_empty() { Err(LookupFailure::no_such(host)) } else { Ok(all) }
}

fn addresses(name: &str) -> Result<Vec<SocketAddr>, LookupError> {
    let hints = AddrInfoHints { socktype: SockType::DGram.into(), ..AddrInfoHints::default() };
    let found = getaddrinfo(Some(name), None, Some(hints))?;
    // Addresses of other families cannot be used.
    Ok(found.filter_map(Result::ok).map(|entry| entry.sockaddr).collect())
}

impl LookupFailure {
    /// Adds a remedy.
    pub(crate) fn with_note(self, note: String) -> LookupFailure {
        LookupFailure { note: Some(note), ..self }
    }

    /// Returns true if a later lookup may succeed: the name server did not answer.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self.cause, Cause::NoAnswer { .. })
    }

    fn of(host: &str, error: LookupError) -> LookupFailure {
        match error.kind() {
            LookupErrorKind::NoName | LookupErrorKind::NoData => LookupFailure::no_such(host),
            LookupErrorKind::Again => Cause::NoAnswer { host: host.to_owned() }.into(),
            _ => LookupFailure::system(host, &std::io::Error::from(error)),
        }
    }

    fn no_such(host: &str) -> LookupFailure {
        Cause::NoSuchHost { host: host.to_owned() }.into()
    }

    fn system(host: &str, error: &dyn std::error::Error) -> LookupFailure {
        Cause::System { host: host.to_owned(), why: error.to_string() }.into()
    }
}

impl From<Cause> for LookupFailure {
    fn from(cause: Cause) -> LookupFailure {
        LookupFailure { cause, note: None }
    }
}

/// The maximum number of addresses used of one name.
const MOST_ADDRESSES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: i32) -> String {
        LookupFailure::of("server.exampel", LookupError::new(code)).to_string()
    }

    /// Numbers of getaddrinfo, as Linux has them.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_failure_has_one_cause_and_says_what_to_do() {
        let (no_name, no_data, again, fail) = (-2, -5, -3, -4);
        let missing = "there is no host named \"server.exampel\": check the spelling, or give its address";
        assert_eq!([told(no_name), told(no_data)], [missing, missing]);
        assert_eq!(
            told(again),
            "cannot look up \"server.exampel\", because the name server did not answer: check the network connection, \
             or give the address of the host"
        );
        let other = told(fail);
        assert!(
            other.starts_with("cannot look up \"server.exampel\" (") && other.ends_with("the host"),
            "{other}"
        );
    }

    #[tokio::test]
    async fn addresses_and_names_of_this_host_have_an_address() {
        for (host, expected) in [("192.0.2.1", "192.0.2.1:7"), ("::1", "[::1]:7")] {
            assert_eq!(address_of(host, 7).await.expect(host).to_string(), expected);
        }
        let found = address_of("localhost", 7).await.expect("a name that every system has");
        assert!(found.ip().is_loopback() && found.port() == 7, "{found}");
    }

    #[tokio::test]
    async fn a_name_that_cannot_be_looked_up_is_an_error() {
        for host in ["host.invalid", "a\0b", "a b", &"a".repeat(300)] {
            let error = address_of(host, 7).await.expect_err(host).to_string();
            assert!(!error.contains('\0'), "{error:?}");
        }
    }
}
