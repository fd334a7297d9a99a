//! The local ports at which programs connect: SOCKS5, HTTP CONNECT, and ports with a fixed destination.

mod http;
mod socks;

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::bond::Bond;
use crate::destination::Destination;
use crate::event::Event;
use crate::flow::{Flow, pipe_until, reset};
use crate::newest::Newest;
use crate::signal::{Refused, Signal};

/// The protocol of a local TCP port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Front {
    /// SOCKS5 (RFC 1928).
    Socks {
        /// True if anybody may answer a datagram, not its destination alone.
        is_full_cone: bool,
    },
    /// HTTP CONNECT.
    Http,
    /// Every connection goes to one destination.
    Fixed(Destination),
}

impl Front {
    /// Serves the programs that connect to `listener` for ever.
    pub async fn serve(self, listener: TcpListener, bond: Bond) {
        let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let negotiations = Negotiations(Newest::new(MOST_NEGOTIATIONS));
        let mut connections = JoinSet::new();
        loop {
            if places.available_permits() == 0 {
                bond.report().event(Event::Exhausted(format!(
                    "a local port has {MOST_CONNECTIONS} connections, the most: further ones wait"
                )));
            }
            // A closed semaphore does not occur.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            while connections.try_join_next().is_some() {}
            match listener.accept().await {
                Ok((connection, program)) => {
                    let (front, bond, negotiations) = (self.clone(), bond.clone(), negotiations.clone());
                    connections.spawn(async move {
                        front.serve_one(connection, program, &bond, &negotiations).await;
                        drop(place);
                    });
                }
                Err(error) => {
                    bond.report().event(Event::Exhausted(format!("a local connection: {error}")));
                    sleep(PAUSE).await;
                }
            }
        }
    }

    async fn serve_one(
        &self,
        connection: TcpStream,
        program: SocketAddr,
        bond: &Bond,
        negotiations: &Negotiations,
    ) {
        match self {
            Front::Socks { is_full_cone } => {
                socks::serve(connection, program, bond, negotiations, *is_full_cone).await;
            }
            Front::Http => http::serve(connection, program, bond, negotiations).await,
            Front::Fixed(destination) => carry_to(destination, connection, program, bond).await,
        }
    }
}

/// Carries the connection of a local program to `destination`. A refusal is a reset.
async fn carry_to(destination: &Destination, connection: TcpStream, program: SocketAddr, bond: &Bond) {
    carry_until(pending(), destination, connection, program, bond).await;
}

/// The same, until the connection is `lost`, which is a reset too.
pub(crate) async fn carry_until(
    lost: impl Future<Output = ()>,
    destination: &Destination,
    connection: TcpStream,
    program: SocketAddr,
    bond: &Bond,
) {
    match open(bond, program, destination).await {
        Ok(flow) => pipe_until(lost, connection, flow).await,
        Err(_) => reset(connection),
    }
}

/// Opens a flow to `destination` for a local program.
async fn open(bond: &Bond, program: SocketAddr, destination: &Destination) -> Result<Flow, Refused> {
    let (flow, _) =
        bond.open(program, &Signal::Connect(destination.clone())).await.inspect_err(|refused| {
            bond.report().event(Event::Refused {
                client: program.to_string(),
                destination: destination.clone(),
                refused: refused.clone(),
            });
        })?;
    Ok(flow)
}

/// The connections of a port whose request is being read. Where there are many, the oldest give way: those that say nothing
/// do not keep others out.
#[derive(Clone)]
struct Negotiations(Newest<Arc<Notify>>);

impl Negotiations {
    /// Reads a request. `None` if newer ones displace it.
    async fn within<T>(&self, reading: impl Future<Output = T>) -> Option<T> {
        let displaced = Arc::new(Notify::new());
        let (_place, oldest) = self.0.enter(Arc::clone(&displaced));
        oldest.iter().for_each(|one| one.notify_one());
        tokio::select! {
            biased;
            read = reading => Some(read),
            () = displaced.notified() => None,
        }
    }
}

/// The beginning of what a program sends, which grows until it can be read.
struct Head {
    bytes: Vec<u8>,
    longest: usize,
    until: Instant,
}

impl Head {
    /// Nothing was read yet. The time for all of it begins now.
    fn new(longest: usize) -> Head {
        Head { bytes: Vec::new(), longest, until: Instant::now() + PATIENCE }
    }

    /// Reads from `connection` until `decode` has a value, and removes its bytes. `None` if the program ends or takes longer
    /// than [`PATIENCE`].
    async fn read<T, E>(
        &mut self,
        connection: &mut TcpStream,
        decode: impl Fn(&[u8]) -> Result<Option<(T, usize)>, E>,
    ) -> Result<Option<T>, E> {
        let until = self.until;
        let reading = async {
            loop {
                if let Some((value, used)) = decode(&self.bytes)? {
                    self.bytes.drain(..used);
                    return Ok(Some(value));
                }
                if self.bytes.len() >= self.longest || self.fill(connection).await.unwrap_or(0) == 0 {
                    return Ok(None);
                }
            }
        };
        timeout_at(until, reading).await.unwrap_or(Ok(None))
    }

    async fn fill(&mut self, connection: &mut TcpStream) -> io::Result<usize> {
        let mut buffer = [0; 1024];
        let most = buffer.len().min(self.longest - self.bytes.len());
        let length = connection.read(&mut buffer[..most]).await?;
        self.bytes.extend_from_slice(&buffer[..length]);
        Ok(length)
    }
}

/// Sends the last answer to a program, and reads until it ends: a connection that is closed with unread bytes is reset, and
/// the program might lose the answer.
async fn dismiss(mut connection: TcpStream, answer: &[u8]) {
    let parting = async {
        connection.write_all(answer).await?;
        connection.shutdown().await?;
        let mut rest = [0; 1024];
        while connection.read(&mut rest).await? > 0 {}
        Ok::<(), io::Error>(())
    };
    let _ = timeout(PARTING, parting).await;
}

/// The connections of a port at once.
const MOST_CONNECTIONS: usize = 16_384;
/// The connections of a port whose request is being read.
const MOST_NEGOTIATIONS: usize = 256;
/// The time for the whole request of a program.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time for which a program may send on after its last answer.
const PARTING: Duration = Duration::from_secs(2);
/// The pause after a connection could not be accepted, as when descriptors are short.
const PAUSE: Duration = Duration::from_millis(100);
