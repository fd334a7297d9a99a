//! Flows of programs that know nothing of the bond: the system leads them to this program, with the destination that they
//! meant.

mod dns;
mod queries;

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::bond::Bond;
pub use crate::datagrams::Replies;
use crate::datagrams::{Local, QueueSender, addressed, queue, relay};
use crate::destination::{Destination, RESOLVER_PORT};
use crate::event::Event;
use crate::fronts::carry_until;
use crate::permissions::Permissions;

pub use dns::question;
use queries::Queries;

/// A source of captured flows. [`serve`] carries them.
pub trait Capture: Replies + 'static {
    /// Waits for the next connection.
    ///
    /// # Errors
    /// A connection was lost, or the system is short of something. The next one may succeed.
    fn accept(&self) -> impl Future<Output = io::Result<CapturedConnection>> + Send;

    /// Waits for the next datagram.
    fn receive(&self) -> impl Future<Output = CapturedDatagram> + Send;
}

/// A connection of a program.
#[derive(Debug)]
pub struct CapturedConnection {
    /// The connection.
    pub connection: TcpStream,
    /// The address of the program.
    pub program: SocketAddr,
    /// The address to which the program connected.
    pub destination: SocketAddr,
    /// Gets a value when the program can no longer be reached, which resets the connection. It may be closed without one.
    pub stranded: oneshot::Receiver<()>,
}

/// A datagram of a program.
#[derive(Clone, Debug)]
pub struct CapturedDatagram {
    /// The payload.
    pub data: Vec<u8>,
    /// The address of the program.
    pub program: SocketAddr,
    /// The address to which the program sent it.
    pub destination: SocketAddr,
}

/// Carries the flows of `capture` over `bond`, for ever.
pub async fn serve<C: Capture>(capture: Arc<C>, bond: Bond) {
    tokio::join!(serve_connections(&capture, &bond), serve_datagrams(&capture, &bond));
}

async fn serve_connections<C: Capture>(capture: &Arc<C>, bond: &Bond) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        if places.available_permits() == 0 {
            bond.report().event(Event::Exhausted(format!(
                "programs have {MOST_CONNECTIONS} connections, the most: further ones wait"
            )));
        }
        // A closed semaphore does not occur.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        while connections.try_join_next().is_some() {}
        match capture.accept().await {
            Ok(CapturedConnection { connection, program, destination, stranded }) => {
                let bond = bond.clone();
                connections.spawn(async move {
                    carry_until(told(stranded), &meant(destination), connection, program, &bond).await;
                    drop(place);
                });
            }
            Err(error) => {
                bond.report().event(Event::Exhausted(format!("a captured connection: {error}")));
                sleep(PAUSE).await;
            }
        }
    }
}

async fn serve_datagrams<C: Capture>(capture: &Arc<C>, bond: &Bond) {
    let replies: Arc<dyn Replies> = Arc::clone(capture) as Arc<dyn Replies>;
    let mut queries = Queries::new(bond.clone(), Arc::clone(&replies));
    let mut mappings: HashMap<SocketAddr, QueueSender> = HashMap::new();
    let mut relays = JoinSet::new();
    loop {
        let datagram = tokio::select! {
            received = capture.receive() => received,
            Some(_) = relays.join_next() => {
                mappings.retain(|_, sender| !sender.is_closed());
                continue;
            }
        };
        let CapturedDatagram { data, program, destination } = datagram;
        if destination.port() == RESOLVER_PORT {
            queries.ask(data, program, destination, &meant(destination));
            continue;
        }
        let sender = match mappings.get(&program) {
            Some(sender) if !sender.is_closed() => sender,
            None if mappings.len() >= MOST_MAPPINGS => continue,
            _ => {
                let (sender, datagrams) = queue(bond.waiting());
                let local = Local::captured(Arc::clone(&replies), program);
                relays.spawn(relay(bond.clone(), local, datagrams, false));
                mappings.insert(program, sender);
                &mappings[&program]
            }
        };
        // One that is sent while the mapping ends is lost.
        let _ = sender.offer(addressed(&destination.into(), &data));
    }
}

/// Waits until the program can no longer be reached.
async fn told(stranded: oneshot::Receiver<()>) {
    if stranded.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The destination for the far end. A name server that is not on the public internet is one of this host's networks: the
/// far end's own answers in its place.
fn meant(destination: SocketAddr) -> Destination {
    let is_public = Permissions::default().check(destination.ip(), destination.port()).is_ok();
    if destination.port() == RESOLVER_PORT && !is_public {
        Destination::resolver()
    } else {
        destination.into()
    }
}

/// The connections of all programs at once.
const MOST_CONNECTIONS: usize = 16_384;
/// The programs' sockets at once.
const MOST_MAPPINGS: usize = 4096;
/// The pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_server_of_the_own_networks_becomes_that_of_the_far_end() {
        let meant = |text: &str| meant(text.parse().expect("an address")).to_string();
        for resolver in ["192.168.1.1:53", "127.0.0.53:53", "[fe80::1]:53", "[::ffff:10.0.0.1]:53"] {
            assert_eq!(meant(resolver), "resolver.anabranch.alt:53");
        }
        assert_eq!(meant("9.9.9.9:53"), "9.9.9.9:53");
        assert_eq!(meant("192.168.1.1:80"), "192.168.1.1:80");
    }
}
