//! UDP of local programs: a port whose datagrams go to one destination, and the relay of a SOCKS5 client.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::{QueueReceiver, QueueSender, addressed, queue, receive, split};
use crate::bond::Bond;
use crate::destination::{Destination, Host};
use crate::event::Event;
use crate::flow::{Arrived, FlowReader, FlowWriter};
use crate::signal::Signal;

/// A local UDP port whose datagrams go to one destination. Each local program has a mapping of its own.
#[derive(Debug)]
pub struct UdpPort {
    /// The socket of the port.
    pub socket: UdpSocket,
    /// The destination.
    pub to: Destination,
    /// True if anybody may answer, not the destination alone.
    pub is_full_cone: bool,
}

/// Takes datagrams back to programs.
pub trait Replies: Send + Sync {
    /// Sends `data` to `program` as if it came from `source`. A datagram that cannot be sent is lost.
    fn reply(&self, source: SocketAddr, program: SocketAddr, data: &[u8]);
}

/// A local program, and the way of datagrams back to it.
#[derive(Clone)]
pub(crate) struct Local {
    program: SocketAddr,
    link: Link,
}

#[derive(Clone)]
enum Link {
    /// The socket of a port.
    Port(Arc<UdpSocket>),
    /// The socket of a program that speaks SOCKS5: datagrams have a header with their source.
    Socks(Arc<UdpSocket>),
    /// Each datagram comes from its source.
    Captured(Arc<dyn Replies>),
}

impl Local {
    /// A program that sends to a port.
    pub(crate) fn at_port(socket: &Arc<UdpSocket>, program: SocketAddr) -> Local {
        Local { program, link: Link::Port(Arc::clone(socket)) }
    }

    /// A program that speaks SOCKS5.
    pub(crate) fn by_socks(socket: &Arc<UdpSocket>, program: SocketAddr) -> Local {
        Local { program, link: Link::Socks(Arc::clone(socket)) }
    }

    /// A program that does not know that its datagrams are captured.
    pub(crate) fn captured(replies: Arc<dyn Replies>, program: SocketAddr) -> Local {
        Local { program, link: Link::Captured(replies) }
    }

    /// Passes a message with a datagram and its source on. A program that has gone receives nothing.
    async fn deliver(&self, message: &Bytes) {
        let Some((source, data)) = split(message) else { return };
        let _ = match &self.link {
            Link::Port(socket) => socket.send_to(data, self.program).await,
            // The message has the form of SOCKS5 behind its first three bytes.
            Link::Socks(socket) => socket.send_to(&[&[0, 0, 0], &message[..]].concat(), self.program).await,
            Link::Captured(replies) => {
                if let Host::Ip(ip) = source.host {
                    replies.reply(SocketAddr::new(ip, source.port), self.program, data);
                }
                return;
            }
        };
    }
}

impl UdpPort {
    /// Serves the port for ever.
    pub async fn serve(self, bond: Bond) {
        let socket = Arc::new(self.socket);
        let mut mappings: HashMap<SocketAddr, QueueSender> = HashMap::new();
        let mut relays = JoinSet::new();
        loop {
            let (data, program) = tokio::select! {
                received = receive(&socket) => received,
                Some(_) = relays.join_next() => {
                    mappings.retain(|_, sender| !sender.is_closed());
                    continue;
                }
            };
            let datagram = addressed(&self.to, &data);
            let sender = match mappings.get(&program) {
                Some(sender) => sender,
                None if mappings.len() >= MOST_MAPPINGS => continue,
                None => {
                    let (sender, datagrams) = queue(bond.waiting());
                    let local = Local::at_port(&socket, program);
                    relays.spawn(relay(bond.clone(), local, datagrams, self.is_full_cone));
                    mappings.entry(program).or_insert(sender)
                }
            };
            // One that is sent while the mapping ends is lost.
            let _ = sender.offer(datagram);
        }
    }
}

/// Carries the datagrams of one local program over a flow, until there are none for [`IDLE`] or no more can come.
pub(crate) async fn relay(bond: Bond, local: Local, mut datagrams: QueueReceiver, is_full_cone: bool) {
    let mut flow = match bond.open(local.program, &Signal::Datagrams { is_full_cone }).await {
        Ok((flow, _)) => flow,
        Err(refused) => {
            let destination = match datagrams.try_recv().as_ref().and_then(split) {
                Some((destination, _)) => destination,
                None => return,
            };
            let client = local.program.to_string();
            bond.report().event(Event::Refused { client, destination, refused });
            // The next datagrams do not ask again at once.
            sleep(PAUSE).await;
            return;
        }
    };
    tokio::select! {
        () = send_all(&mut datagrams, &mut flow.writer) => {}
        () = receive_all(&mut flow.reader, &local) => {}
    }
    drop(datagrams);
    tokio::spawn(flow.end());
}

async fn send_all(datagrams: &mut QueueReceiver, writer: &mut FlowWriter) {
    while let Ok(Some(datagram)) = timeout(IDLE, datagrams.recv()).await {
        if writer.datagram(datagram).await.is_err() {
            return;
        }
    }
}

async fn receive_all(reader: &mut FlowReader, local: &Local) {
    while let Ok(Some(Arrived::Datagram(datagram))) = reader.next().await {
        local.deliver(&datagram).await;
    }
}

/// As at the server, and a little shorter, so that this end ends first.
const IDLE: Duration = Duration::from_secs(115);
/// The local programs of a port at once.
const MOST_MAPPINGS: usize = 1024;
/// The pause before a flow that was refused is asked for again.
const PAUSE: Duration = Duration::from_secs(1);
