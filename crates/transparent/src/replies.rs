//! Answers to datagrams of captured flows, from the addresses to which programs sent them.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use socket2::{Socket, Type};
use tokio::time::Instant;

use crate::listeners::{marked, transparent};

/// Sends datagrams to programs from addresses of other hosts. Sockets are kept for later answers; of more than
/// [`Replies::LARGEST`] the one that is unused for longest is closed. Each has the port of a far host: a program of this
/// host that has this port on all addresses without `SO_REUSEADDR` excludes them, and one that wants it waits until they
/// are unused for half a minute and another answer is sent.
#[derive(Debug, Default)]
pub struct Replies {
    sockets: Mutex<Sockets>,
}

#[derive(Debug, Default)]
struct Sockets {
    by_source: HashMap<SocketAddr, Kept>,
    /// The last time when unused sockets were closed.
    swept: Option<Instant>,
}

#[derive(Debug)]
struct Kept {
    socket: Socket,
    /// The time of its last use.
    used: Instant,
}

impl Replies {
    /// The largest number of sockets.
    pub const LARGEST: usize = 256;

    /// A sender without sockets.
    pub fn new() -> Replies {
        Replies::default()
    }

    /// Sends a datagram to `program` with the source `from`, at once or never.
    ///
    /// # Errors
    /// `AddrNotAvailable` if `from` is an address of this host, a group or no address: a socket there would take what is
    /// sent to programs of this host. `WouldBlock` if the buffers of the system are full. Errors of the system otherwise.
    /// An error of one source does not matter to others.
    pub fn send(&self, data: &[u8], from: SocketAddr, program: SocketAddr) -> io::Result<()> {
        let mut sockets = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        let result = sockets.bound(from)?.send_to(data, &program.into());
        match result {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(error),
            Err(error) => {
                sockets.by_source.remove(&from);
                Err(error)
            }
        }
    }
}

impl Sockets {
    /// The socket of a source.
    fn bound(&mut self, from: SocketAddr) -> io::Result<&Socket> {
        let now = Instant::now();
        self.sweep(now);
        if !self.by_source.contains_key(&from) {
            let socket = open(from)?;
            self.make_room();
            self.by_source.insert(from, Kept { socket, used: now });
        }
        let kept = self.by_source.get_mut(&from).ok_or(io::ErrorKind::NotFound)?;
        kept.used = now;
        Ok(&kept.socket)
    }

    /// Closes sockets that are unused for long. They are looked through at most once a second.
    fn sweep(&mut self, now: Instant) {
        if self.swept.is_none_or(|swept| now - swept >= SWEEP) {
            self.by_source.retain(|_, kept| now - kept.used < IDLE);
            self.swept = Some(now);
        }
    }

    /// Closes the sockets that are unused for longest.
    fn make_room(&mut self) {
        while self.by_source.len() >= Replies::LARGEST {
            let oldest = self.by_source.iter().min_by_key(|(_, kept)| kept.used).map(|(source, _)| *source);
            oldest.and_then(|source| self.by_source.remove(&source));
        }
    }
}

fn open(from: SocketAddr) -> io::Result<Socket> {
    if is_here(from) {
        return Err(io::Error::new(
            io::ErrorKind::AddrNotAvailable,
            format!("{from} is not an address of another host"),
        ));
    }
    let socket = transparent(from.ip(), Type::DGRAM)?;
    // Two captures in a row may have sockets for one source.
    socket.set_reuse_address(true)?;
    socket.bind(&from.into())?;
    Ok(socket)
}

/// Returns true for addresses of this host, of groups, and for none.
fn is_here(address: SocketAddr) -> bool {
    let ip = address.ip();
    if address.port() == 0 || ip.is_unspecified() || ip.is_multicast() || ip.is_loopback() {
        return true;
    }
    // Packets of this host to one of its addresses have that address as their source.
    let source = || -> io::Result<Option<SocketAddr>> {
        let socket = marked(ip, Type::DGRAM)?;
        socket.connect(&address.into())?;
        Ok(socket.local_addr()?.as_socket())
    };
    matches!(source(), Ok(Some(source)) if source.ip() == ip)
}

/// Between two looks for unused sockets.
const SWEEP: Duration = Duration::from_secs(1);
/// The time after which an unused socket is closed: to open one takes microseconds.
const IDLE: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_host_are_not_sources() {
        for from in [
            "127.0.0.1:53",
            "127.9.9.9:53",
            "[::1]:53",
            "0.0.0.0:53",
            "224.0.0.1:53",
            "[ff02::1]:53",
            "192.0.2.1:0",
        ] {
            let from = from.parse().expect(from);
            let sent = Replies::new().send(b"x", from, "127.0.0.1:9".parse().expect("an address"));
            assert_eq!(sent.map_err(|error| error.kind()), Err(io::ErrorKind::AddrNotAvailable), "{from}");
        }
    }
}
