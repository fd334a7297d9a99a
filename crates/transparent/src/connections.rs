//! The captured connections that are open, or were a moment ago.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

/// The connections.
#[derive(Debug, Default)]
pub(crate) struct Connections(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    entries: Vec<Entry>,
    /// The number of entries at which closed ones are looked for.
    sweep_at: usize,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) program: SocketAddr,
    pub(crate) destination: SocketAddr,
    /// Tells who carries the connection that its program cannot be reached. Closed when the connection is.
    pub(crate) stranded: oneshot::Sender<()>,
    /// The time when it was first seen closed.
    closed: Option<Instant>,
}

impl Connections {
    /// Enters a connection, which is closed when the receiver is dropped.
    pub(crate) fn enter(
        &self,
        now: Instant,
        program: SocketAddr,
        destination: SocketAddr,
    ) -> oneshot::Receiver<()> {
        let (stranded, receiver) = oneshot::channel();
        let mut inner = self.lock();
        if inner.entries.len() >= inner.sweep_at {
            inner.sweep(now);
        }
        inner.entries.push(Entry { program, destination, stranded, closed: None });
        receiver
    }

    /// Removes the connections of programs at this address, and returns them. A reset that was sent when the address was
    /// missing did not reach the program.
    pub(crate) fn take(&self, program: IpAddr) -> Vec<Entry> {
        self.lock().entries.extract_if(.., |entry| entry.program.ip() == program).collect()
    }

    /// Removes the connections that are closed for long.
    pub(crate) fn sweep(&self, now: Instant) {
        self.lock().sweep(now);
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn sweep(&mut self, now: Instant) {
        self.entries
            .retain_mut(|entry| !entry.stranded.is_closed() || now < *entry.closed.get_or_insert(now) + KEPT);
        self.sweep_at = FEWEST.max(2 * self.entries.len());
    }
}

/// The time for which closed connections are kept: longer than an address is missing before it is lost.
const KEPT: Duration = Duration::from_secs(5);

/// Fewer entries are not looked through.
const FEWEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn program(last: u8, port: u16) -> SocketAddr {
        ([192, 0, 2, last], port).into()
    }

    #[test]
    fn the_connections_of_an_address_are_taken_once() {
        let (connections, now) = (Connections::default(), Instant::now());
        let to = ([198, 51, 100, 9], 80).into();
        let _first = connections.enter(now, program(1, 1), to);
        drop(connections.enter(now, program(1, 2), to));
        let _other = connections.enter(now, program(2, 1), to);
        connections.sweep(now);
        let taken = connections.take(program(1, 0).ip());
        assert_eq!(
            taken.iter().map(|entry| entry.program).collect::<Vec<_>>(),
            [program(1, 1), program(1, 2)]
        );
        assert!(connections.take(program(1, 0).ip()).is_empty());
        assert_eq!(connections.take(program(2, 0).ip()).len(), 1);
    }

    #[test]
    fn closed_connections_take_no_memory() {
        let (connections, start) = (Connections::default(), Instant::now());
        let _open = connections.enter(start, program(1, 0), program(2, 80));
        for port in 1..10_000 {
            let now = start + Duration::from_millis(100) * port.into();
            drop(connections.enter(now, program(1, port), program(2, 80)));
        }
        assert!(connections.lock().entries.len() < 300);
        connections.sweep(start + Duration::from_secs(2_000));
        connections.sweep(start + Duration::from_secs(2_000) + KEPT);
        assert_eq!(connections.lock().entries.len(), 1);
    }
}
