//! The addresses of the receiver: those of the host that ssh connects to, and those that the receiver reports.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use tokio::time::timeout;

use super::command::SshCommand;
use super::output::Ready;
use crate::failure::Failure;
use crate::lookup::addresses_of;

/// The addresses of a receiver, as they are dialled.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReceiverAddresses {
    /// Addresses of the host that ssh connects to, of which one is used.
    named: Vec<SocketAddr>,
    /// Others that the receiver reports, each a path.
    reported: Vec<SocketAddr>,
}

/// Finds the addresses of the receiver that is `ready`.
///
/// # Errors
/// The host's name cannot be looked up here, and the receiver reports no address.
pub(super) async fn of(command: &SshCommand, ready: &Ready) -> Result<ReceiverAddresses, Failure> {
    let name = configured(command).await.unwrap_or_else(|| command.place.host.clone());
    let (named, failure) = match addresses_of(&name, 0).await {
        Ok(found) => (found, None),
        Err(failure) => (Vec::new(), Some(failure)),
    };
    let found = choose(&named, ready);
    match failure {
        Some(failure) if found.named.is_empty() => Err(failure
            .with_note("ssh reaches it by another name: use --ssh with that, or --to".to_owned())
            .into()),
        _ => Ok(found),
    }
}

/// Gives each address of the name the port on which its IP version is listened to. If none is, a reported one leads.
fn choose(named: &[SocketAddr], ready: &Ready) -> ReceiverAddresses {
    let listens = |one: &SocketAddr| {
        let is_for = |at: &&SocketAddr| at.is_ipv4() == one.is_ipv4() && at.port() != 0;
        ready.listening.iter().find(is_for).map(|at| SocketAddr::new(one.ip(), at.port()))
    };
    let mut named: Vec<SocketAddr> = named.iter().filter_map(listens).collect();
    let mut reported: Vec<SocketAddr> = Vec::new();
    for one in ready.reachable() {
        let is_usable = !one.ip().is_loopback() && !one.ip().is_unspecified() && one.port() != 0;
        if is_usable && !named.contains(&one) && !reported.contains(&one) && reported.len() < MOST_REPORTED {
            reported.push(one);
        }
    }
    if named.is_empty() && !reported.is_empty() {
        named.push(reported.remove(0));
    }
    ReceiverAddresses { named, reported }
}

impl ReceiverAddresses {
    /// Every address, each entry a path.
    pub(super) fn all(&self) -> Vec<Vec<SocketAddr>> {
        let mut all = self.first();
        all.extend(self.reported.iter().map(|one| vec![*one]));
        all
    }

    /// Only those of the host that ssh connects to.
    pub(super) fn first(&self) -> Vec<Vec<SocketAddr>> {
        vec![self.named.clone()]
    }
}

/// The host's name in the configuration of OpenSSH, which may differ from the one on the command line.
async fn configured(command: &SshCommand) -> Option<String> {
    let mut asked = command.configuration();
    let asked = asked.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let told = timeout(PATIENCE, asked).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&told.stdout);
    text.lines().find_map(|line| line.strip_prefix("hostname ")).map(|name| name.trim().to_owned())
}

const PATIENCE: Duration = Duration::from_secs(5);
/// The maximum number of reported addresses that are dialled.
const MOST_REPORTED: usize = 7;

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(list: &[&str]) -> Vec<SocketAddr> {
        list.iter().map(|text| text.parse().expect("an address")).collect()
    }

    fn ready(listening: &[&str], reachable: &[&str]) -> Ready {
        Ready {
            listening: addresses(listening),
            reachable: reachable.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn each_version_has_its_port_and_reported_addresses_are_further_paths() {
        let ready =
            ready(&["0.0.0.0:7", "[::]:8"], &["192.0.2.1:7", "198.51.100.1:7", "127.0.0.1:7", "192.0.2.9"]);
        let found = choose(&addresses(&["192.0.2.1:0", "[2001:db8::1]:0"]), &ready);
        assert_eq!(found.first(), [addresses(&["192.0.2.1:7", "[2001:db8::1]:8"])]);
        assert_eq!(found.all()[1..], [addresses(&["198.51.100.1:7"]), addresses(&["192.0.2.9:9899"])]);
    }

    #[test]
    fn a_name_that_is_unknown_here_is_replaced_by_what_the_receiver_reports() {
        let found = choose(&[], &ready(&["0.0.0.0:7"], &["198.51.100.1:7"]));
        assert_eq!(found.all(), [addresses(&["198.51.100.1:7"])]);
        assert!(choose(&[], &ready(&[], &["0.0.0.0:1", "nonsense", "1.2.3.4:0"])).named.is_empty());
    }

    #[test]
    fn of_many_reported_addresses_a_few_are_dialled() {
        let many: Vec<String> = (1..200).map(|last| format!("198.51.100.{last}:7")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(choose(&addresses(&["192.0.2.1:0"]), &ready(&["0.0.0.0:7"], &many)).all().len(), 8);
    }
}
