//! The way out of the server: looks names up, checks every address against the permissions, and connects to the address
//! that was checked.

mod resolvers;

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anabranch_net::interfaces;
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::destination::{Destination, Host};
use crate::permissions::{Allowance, Permissions};
use crate::signal::Refused;
use crate::socks::Reply;

/// Connects to what the permissions allow.
#[derive(Debug)]
pub struct Gate {
    allowed: Vec<Allowance>,
    current: Mutex<Option<(Instant, Permissions)>>,
    look_ups: LookUps,
    /// The file that names the name servers of this host.
    resolvers: PathBuf,
}

/// The look-ups that may run at once. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct LookUps(Arc<Semaphore>);

impl LookUps {
    /// The look-ups of one client: names that are never answered do not stop those of others.
    pub(crate) fn of_client() -> LookUps {
        LookUps(Arc::new(Semaphore::new(MOST_OF_CLIENT)))
    }
}

impl Gate {
    /// A gate to the public internet and to what is `allowed`.
    pub fn new(allowed: Vec<Allowance>) -> Gate {
        Gate {
            allowed,
            current: Mutex::new(None),
            look_ups: LookUps(Arc::new(Semaphore::new(MOST_LOOK_UPS))),
            resolvers: RESOLVERS.into(),
        }
    }

    /// Checks one address.
    ///
    /// # Errors
    /// It is not permitted.
    pub(crate) fn check(&self, address: SocketAddr) -> Result<(), Refused> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let permissions = match &mut *current {
            Some((since, permissions)) if since.elapsed() < OWN_KNOWN => permissions,
            stale => &mut stale.insert((Instant::now(), self.permissions())).1,
        };
        permissions
            .check(address.ip(), address.port())
            .map_err(|refusal| Refused::new(Reply::NotAllowed, refusal.to_string()))
    }

    /// Checks the address of a destination. The name server of this host is permitted, wherever it is: it is asked for
    /// names of clients anyway.
    ///
    /// # Errors
    /// It is not permitted.
    pub(crate) fn check_of(&self, destination: &Destination, address: SocketAddr) -> Result<(), Refused> {
        if destination.is_resolver() { Ok(()) } else { self.check(address) }
    }

    /// The addresses of a destination that are permitted, in both families.
    ///
    /// # Errors
    /// The name is unknown, or no address is permitted.
    pub(crate) async fn find(
        &self,
        destination: &Destination,
        look_ups: &LookUps,
    ) -> Result<Vec<SocketAddr>, Refused> {
        let all = match &destination.host {
            Host::Name(_) if destination.is_resolver() => return Ok(resolvers::read(&self.resolvers)),
            Host::Ip(ip) => vec![SocketAddr::new(*ip, destination.port)],
            Host::Name(name) => self.look_up(name.as_str(), destination.port, look_ups).await?,
        };
        let mut first_refusal = None;
        let mut permitted = Vec::new();
        for address in all {
            match self.check(address) {
                Ok(()) if !permitted.contains(&address) => permitted.push(address),
                Ok(()) => {}
                Err(refused) => first_refusal = first_refusal.or(Some(refused)),
            }
        }
        match first_refusal {
            Some(refused) if permitted.is_empty() => Err(refused),
            _ => Ok(permitted),
        }
    }

    /// Connects to a destination: its addresses one after the other, the families in turns, each with a head start
    /// before the next (RFC 8305).
    ///
    /// # Errors
    /// It is not permitted, or does not answer.
    pub(crate) async fn connect(
        &self,
        destination: &Destination,
        look_ups: &LookUps,
    ) -> Result<TcpStream, Refused> {
        let addresses = in_turns(self.find(destination, look_ups).await?);
        let mut attempts = JoinSet::new();
        for (place, address) in addresses.into_iter().take(MOST_ATTEMPTS).enumerate() {
            attempts.spawn(async move {
                sleep(HEAD_START * u32::try_from(place).unwrap_or(u32::MAX)).await;
                timeout(CONNECTING, TcpStream::connect(address))
                    .await
                    .unwrap_or_else(|_| Err(io::Error::new(ErrorKind::TimedOut, "no answer within 20 s")))
            });
        }
        let mut error = None;
        while let Some(attempt) = attempts.join_next().await {
            match attempt.map_err(io::Error::other).flatten() {
                Ok(connection) => return Ok(connection),
                Err(failed) => error = error.or(Some(failed)),
            }
        }
        Err(error.map_or_else(|| unknown_host(destination), |error| refused(&error)))
    }

    async fn look_up(&self, name: &str, port: u16, look_ups: &LookUps) -> Result<Vec<SocketAddr>, Refused> {
        let looked_up = async {
            let own = Arc::clone(&look_ups.0).acquire_owned().await;
            let all = Arc::clone(&self.look_ups.0).acquire_owned().await;
            let name = name.to_owned();
            // The thread of a look-up that is not awaited any more stays until the name server is silent for long.
            let found = tokio::spawn(async move {
                let found = lookup_host((name, port)).await.map(Vec::from_iter);
                drop((own, all));
                found
            });
            found.await.unwrap_or_else(|error| Err(io::Error::other(error)))
        };
        match timeout(LOOK_UP, looked_up).await {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(error)) => Err(Refused::new(Reply::HostUnreachable, format!("{name}: {error}"))),
            Err(_) => Err(Refused::new(Reply::HostUnreachable, format!("{name}: the name server is silent"))),
        }
    }

    fn permissions(&self) -> Permissions {
        let own: Vec<IpAddr> = interfaces()
            .map(|all| all.into_iter().flat_map(|interface| interface.addresses).collect())
            .unwrap_or_default();
        Permissions { allowed: self.allowed.clone(), own }
    }
}

/// The refusal that names an error of a connection.
pub(crate) fn refused(error: &io::Error) -> Refused {
    let reply = match error.kind() {
        ErrorKind::ConnectionRefused => Reply::ConnectionRefused,
        ErrorKind::NetworkUnreachable => Reply::NetworkUnreachable,
        ErrorKind::HostUnreachable | ErrorKind::TimedOut => Reply::HostUnreachable,
        _ => Reply::GeneralFailure,
    };
    Refused::new(reply, error.to_string())
}

fn unknown_host(destination: &Destination) -> Refused {
    Refused::new(Reply::HostUnreachable, format!("{destination} has no address"))
}

/// The addresses with the families in turns, the first one's first.
fn in_turns(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let is_first_v6 = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (one, other): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|address| address.is_ipv6() == is_first_v6);
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    let mut alternating = Vec::new();
    loop {
        let both = [one.next(), other.next()];
        if both == [None, None] {
            return alternating;
        }
        alternating.extend(both.into_iter().flatten());
    }
}

/// The name servers of this host.
pub fn name_servers() -> Vec<SocketAddr> {
    resolvers::read(RESOLVERS.as_ref())
}

const RESOLVERS: &str = "/etc/resolv.conf";
/// The number of look-ups at once. Each blocks a thread of the runtime.
const MOST_LOOK_UPS: usize = 256;
const MOST_OF_CLIENT: usize = 32;
const LOOK_UP: Duration = Duration::from_secs(20);
/// The time for which the server's own addresses are taken as known.
const OWN_KNOWN: Duration = Duration::from_secs(2);
const MOST_ATTEMPTS: usize = 8;
/// RFC 8305 §5: "A simple implementation can have a fixed delay for how long to wait before starting the next connection
/// attempt. […] One recommended value for a default delay is 250 milliseconds."
const HEAD_START: Duration = Duration::from_millis(250);
const CONNECTING: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns_from_the_first_one_on() {
        let all = ["[2001:db8::1]:1", "[2001:db8::2]:1", "192.0.2.1:1"].map(|text| text.parse().expect("ok"));
        assert_eq!(in_turns(all.to_vec()), [all[0], all[2], all[1]]);
        assert!(in_turns(Vec::new()).is_empty());
    }

    #[tokio::test]
    async fn a_name_of_a_refused_address_is_refused_and_a_port_without_a_listener_is_named() {
        let gate = Gate::new(Vec::new());
        let look_ups = LookUps::of_client();
        let error =
            gate.connect(&"localhost:80".parse().expect("ok"), &look_ups).await.expect_err("loopback");
        assert_eq!(error.reply, Reply::NotAllowed);
        let open = Gate::new(vec!["127.0.0.0/8".parse().expect("a net")]);
        let error =
            open.connect(&"127.0.0.1:1".parse().expect("ok"), &look_ups).await.expect_err("nothing listens");
        assert_eq!(error.reply, Reply::ConnectionRefused);
    }
}
