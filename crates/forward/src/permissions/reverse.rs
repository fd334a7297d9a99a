//! The ports of the server that clients may open with `--reverse`: `[CLIENT@]PORTS`, in which each port below 1024 is
//! listed by itself.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use anabranch_nets::{Ports, PortsError};

/// The server's rules for ports that clients open. The default permits none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReversePermissions {
    /// The ports that may be opened.
    pub allowed: Vec<ReverseAllowance>,
}

/// Ports that one client, or any, may open: `alice@443,8000-8100`, `*@8080` or `8080`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReverseAllowance {
    /// `None` for any client.
    client: Option<String>,
    ports: Ports,
}

/// The error of text that is not a [`ReverseAllowance`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReverseError {
    /// The text before the last `@` cannot be the name of a client.
    #[error("{0:?} is not the name of a client, nor * for any")]
    Client(String),
    /// A range begins below 1024.
    #[error("the range {0}-{1} has ports below 1024, which are listed one by one")]
    Privileged(u16, u16),
    /// The rest is not a list of ports.
    #[error(transparent)]
    Ports(#[from] PortsError),
}

/// A port that a client may not open.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{client} may not open port {port} of the server unless --allow-reverse {client}@{port}")]
pub struct ReverseRefusal {
    /// The name, safe to show on a terminal.
    client: String,
    port: u16,
}

impl ReversePermissions {
    /// Checks that the client of this name may open the port.
    ///
    /// # Errors
    /// It may not.
    pub fn check(&self, client: &str, port: u16) -> Result<(), ReverseRefusal> {
        let is_allowed = self.allowed.iter().any(|one| one.contains(client, port));
        is_allowed
            .then_some(())
            .ok_or_else(|| ReverseRefusal { client: client.escape_debug().to_string(), port })
    }
}

impl ReverseAllowance {
    fn contains(&self, client: &str, port: u16) -> bool {
        self.client.as_ref().is_none_or(|name| name == client) && self.ports.contains(port)
    }
}

impl FromStr for ReverseAllowance {
    type Err = ReverseError;

    fn from_str(text: &str) -> Result<ReverseAllowance, ReverseError> {
        let (client, ports) = text.rsplit_once('@').unwrap_or((ANY, text));
        if client.is_empty() || client.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(ReverseError::Client(client.to_owned()));
        }
        let ports: Ports = ports.parse()?;
        let is_privileged =
            |range: &RangeInclusive<u16>| *range.start() < FIRST_UNPRIVILEGED && range.start() != range.end();
        if let Some(range) = ports.ranges().find(is_privileged) {
            return Err(ReverseError::Privileged(*range.start(), *range.end()));
        }
        Ok(ReverseAllowance { client: (client != ANY).then(|| client.to_owned()), ports })
    }
}

impl fmt::Display for ReverseAllowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.client.as_deref().unwrap_or(ANY), self.ports)
    }
}

const ANY: &str = "*";
const FIRST_UNPRIVILEGED: u16 = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn permissions(allowed: &[&str]) -> ReversePermissions {
        let allowed = allowed.iter().map(|text| text.parse().expect("an allowance")).collect();
        ReversePermissions { allowed }
    }

    #[test]
    fn by_default_no_client_may_open_a_port() {
        let refusal = ReversePermissions::default().check("laptop", 8080).expect_err("a refusal");
        assert_eq!(
            refusal.to_string(),
            "laptop may not open port 8080 of the server unless --allow-reverse laptop@8080"
        );
    }

    #[test]
    fn the_name_in_a_refusal_is_safe_to_show() {
        let refusal = ReversePermissions::default().check("a\u{1b}[2J", 80).expect_err("a refusal");
        assert!(!refusal.to_string().contains(char::is_control));
    }

    #[test]
    fn a_client_may_open_its_ports_and_those_of_any() {
        let permissions = permissions(&["laptop@443,8000-8100", "*@9000", "9001", "me@home@22"]);
        let may = |client: &str, port| permissions.check(client, port).is_ok();
        assert!(may("laptop", 443) && may("laptop", 8000) && may("laptop", 8100) && may("laptop", 9000));
        assert!(!may("laptop", 444) && !may("laptop", 7999) && !may("laptop", 8101) && !may("laptop", 0));
        assert!(may("phone", 9000) && may("phone", 9001) && !may("phone", 443) && !may("phone", 8000));
        assert!(may("me@home", 22) && !may("home", 22) && !may("*", 443));
    }

    #[test]
    fn privileged_ports_are_listed_by_themselves() {
        let parse = |text: &str| text.parse::<ReverseAllowance>();
        assert!(parse("1,80,1023,1024-65535").is_ok() && parse("80-80").is_ok());
        assert_eq!(parse("1-65535"), Err(ReverseError::Privileged(1, 65535)));
        assert_eq!(parse("8080,1023-1024"), Err(ReverseError::Privileged(1023, 1024)));
    }

    #[test]
    fn text_that_is_not_an_allowance_is_refused() {
        let error = |text: &str| text.parse::<ReverseAllowance>().expect_err(text);
        for text in ["@80", "a b@80", "a\n@80"] {
            assert!(matches!(error(text), ReverseError::Client(_)), "{text:?}");
        }
        for text in ["", "laptop", "laptop@", "*@0", "80-79", "*"] {
            assert!(matches!(error(text), ReverseError::Ports(_)), "{text:?}");
        }
    }

    #[test]
    fn allowances_are_read_as_they_were_shown() {
        for text in ["laptop@443,8000-8100", "*@9000"] {
            let shown = text.parse::<ReverseAllowance>().expect("an allowance").to_string();
            assert_eq!(shown, text);
        }
    }
}
