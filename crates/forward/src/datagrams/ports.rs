//! UDP of local programs: a port whose datagrams go to one destination, and the relay of a SOCKS5 client.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::{QueueReceiver, QueueSender, addressed, queue, receive, split};
use crate::bond::Bond;
use crate::destination::Destination;
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

/// The way of datagrams back to a local program.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) socket: Arc<UdpSocket>,
    pub(crate) program: SocketAddr,
    /// True if the program speaks SOCKS5: then datagrams have a header with their source.
    pub(crate) is_socks: bool,
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
                    let local = Local { socket: Arc::clone(&socket), program, is_socks: false };
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
    let mut flow = match bond.open(&Signal::Datagrams { is_full_cone }).await {
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
        let Some((_, data)) = split(&datagram) else { continue };
        // A program that has gone receives nothing.
        let _ = if local.is_socks {
            // The message has the form of SOCKS5 behind its first three bytes.
            local.socket.send_to(&[&[0, 0, 0], &datagram[..]].concat(), local.program).await
        } else {
            local.socket.send_to(data, local.program).await
        };
    }
}

/// As at the server, and a little shorter, so that this end ends first.
const IDLE: Duration = Duration::from_secs(115);
/// The local programs of a port at once.
const MOST_MAPPINGS: usize = 1024;
/// The pause before a flow that was refused is asked for again.
const PAUSE: Duration = Duration::from_secs(1);
