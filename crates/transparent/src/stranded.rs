//! Ends captured connections whose program has lost its address: the kernel has no route for such a socket, and tells its
//! program nothing for many minutes.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use crate::addresses::{Addresses, present};
use crate::capture::Capture;
use crate::connections::Connections;
use crate::notifications::AddressNotifications;
use crate::sockets::Sockets;

/// The report of captured connections that were ended, because this host lost the address from which they come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranded {
    /// The address.
    pub address: IpAddr,
    /// The number of connections.
    pub connections: usize,
    /// The reason why programs get no error, if the kernel refuses to end their sockets.
    pub refused: Option<String>,
}

impl Capture {
    /// Ends captured connections of programs of this host whose source address is gone for a second. The program gets an
    /// error (`ECONNABORTED`), and [`Connection::stranded`](crate::Connection::stranded) is told. Each report is of one
    /// address. Never returns.
    pub async fn end_stranded(&self, mut on_stranded: impl FnMut(Stranded)) -> Infallible {
        let notifications = AddressNotifications::open().ok();
        let mut addresses = Addresses::default();
        loop {
            self.connections.sweep(Instant::now());
            // Addresses that cannot be read are neither here nor gone.
            if let Ok(present) = present() {
                let lost = addresses.on_addresses(Instant::now(), present);
                lost.into_iter().filter_map(|ip| end(&self.connections, ip)).for_each(&mut on_stranded);
            }
            sleep(PAUSE).await;
            changed(notifications.as_ref(), addresses.poll_timeout()).await;
        }
    }
}

/// Ends the connections from an address.
fn end(connections: &Connections, address: IpAddr) -> Option<Stranded> {
    let stranded = connections.take(address);
    let mut connections = 0;
    let mut sockets = Sockets::open();
    let mut refused = None;
    for entry in stranded {
        let aborted = sockets.as_mut().map_err(|error| error.to_string()).and_then(|sockets| {
            sockets.abort(entry.program, entry.destination).map_err(|error: io::Error| error.to_string())
        });
        let is_open = entry.stranded.send(()).is_ok();
        connections += usize::from(is_open || aborted == Ok(true));
        refused = refused.or(aborted.err());
    }
    (connections > 0).then_some(Stranded { address, connections, refused })
}

/// Waits for a change, for a missing address that becomes a lost one, but not long: notifications may get lost.
async fn changed(notifications: Option<&AddressNotifications>, due: Option<Instant>) {
    let latest = Instant::now() + INTERVAL;
    let due = sleep_until(due.map_or(latest, |due| due.min(latest)));
    let Some(notifications) = notifications else { return due.await };
    tokio::select! {
        () = due => {}
        () = notifications.changed() => {}
    }
}

impl fmt::Display for Stranded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stranded { address, connections, refused } = self;
        let plural = if *connections == 1 { "" } else { "s" };
        write!(
            f,
            "{address} is no longer an address of this host: ended {connections} connection{plural} from it"
        )?;
        match refused {
            None => Ok(()),
            Some(reason) => write!(
                f,
                ", but the programs are not told: {reason}; it needs a kernel with CONFIG_INET_DIAG_DESTROY"
            ),
        }
    }
}

/// The longest time between two looks.
const INTERVAL: Duration = Duration::from_secs(1);
/// The shortest time, where addresses change often.
const PAUSE: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_of_programs_that_ended_are_closed_too() {
        let connections = Connections::default();
        let [program, destination] =
            ["192.0.2.1:9", "198.51.100.9:80"].map(|text| text.parse().expect("an address"));
        let mut stranded = connections.enter(Instant::now(), program, destination);
        let report = end(&connections, program.ip()).expect("a connection");
        assert_eq!(stranded.try_recv(), Ok(()));
        let text = "192.0.2.1 is no longer an address of this host: ended 1 connection from it";
        assert!(report.to_string().starts_with(text), "{report}");
        assert_eq!(end(&connections, program.ip()), None);
    }

    #[test]
    fn the_report_says_why_programs_are_not_told() {
        let address = IpAddr::from([192, 0, 2, 1]);
        let refused = Some("Operation not supported (os error 95)".to_owned());
        assert_eq!(
            Stranded { address, connections: 2, refused }.to_string(),
            "192.0.2.1 is no longer an address of this host: ended 2 connections from it, but the programs are not \
             told: Operation not supported (os error 95); it needs a kernel with CONFIG_INET_DIAG_DESTROY"
        );
    }
}
