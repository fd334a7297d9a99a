//! UDP for a client: a socket for each destination, so that only a destination answers, or one for all with full cone.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::{Client, Server};
use crate::datagrams::{QueueReceiver, QueueSender, addressed, queue, receive, split};
use crate::destination::{Destination, Host, HostName};
use crate::event::Event;
use crate::flow::{Arrived, Flow, FlowReader, FlowWriter};
use crate::signal::Signal;

/// Serves the datagrams of one flow until the client ends it, or nothing was sent for [`IDLE`].
pub(super) async fn serve(server: &Server, client: &Client, mut flow: Flow, is_full_cone: bool) {
    let unspecified = Destination::from(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
    if flow.writer.signal(&Signal::Opened(unspecified)).await.is_err() {
        return;
    }
    let (answers, arriving) = queue(&client.waiting);
    let mut sender = Sender {
        server,
        client,
        is_full_cone,
        sockets: HashMap::new(),
        names: HashMap::new(),
        readers: JoinSet::new(),
        answers,
    };
    tokio::select! {
        () = sender.send_all(&mut flow.reader) => {}
        () = send_back(arriving, &mut flow.writer) => {}
    }
    drop(sender);
    flow.end().await;
}

/// Sends what sockets receive to the client.
async fn send_back(mut arriving: QueueReceiver, writer: &mut FlowWriter) {
    while let Some(datagram) = arriving.recv().await {
        if writer.datagram(datagram).await.is_err() {
            return;
        }
    }
}

/// Sends the client's datagrams.
struct Sender<'a> {
    server: &'a Server,
    client: &'a Client,
    is_full_cone: bool,
    /// The sockets by their destination; with full cone, by the unspecified address of their family.
    sockets: HashMap<SocketAddr, Socket>,
    /// The addresses of names, or the reasons for which they have none, with the time for which they are taken as known.
    names: HashMap<(HostName, u16), (Instant, Result<SocketAddr, String>)>,
    readers: JoinSet<()>,
    answers: QueueSender,
}

struct Socket {
    /// The share in the sockets that the client may have.
    _permit: OwnedSemaphorePermit,
    socket: Arc<UdpSocket>,
    last_used: Instant,
    reader: tokio::task::AbortHandle,
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Sender<'_> {
    async fn send_all(&mut self, reader: &mut FlowReader) {
        while let Ok(Ok(Some(arrived))) = timeout(IDLE, reader.next()).await {
            let Arrived::Datagram(datagram) = arrived else { return };
            let Some((destination, data)) = split(&datagram) else { continue };
            while self.readers.try_join_next().is_some() {}
            if let Err(reason) = self.send(&destination, data).await {
                let client = self.client.name.to_string();
                self.server.report.event(Event::Dropped { client, destination, reason });
            }
        }
    }

    async fn send(&mut self, destination: &Destination, data: &[u8]) -> Result<(), String> {
        let address = self.find(destination).await?;
        // Each datagram is checked, for the permissions follow the server's addresses.
        self.server.gate.check_of(destination, address).map_err(|refused| refused.to_string())?;
        let key = match (self.is_full_cone, address) {
            (false, _) => address,
            (true, SocketAddr::V4(_)) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            (true, SocketAddr::V6(_)) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        if !self.sockets.contains_key(&key) {
            let permit = self.make_room()?;
            let socket = self.open(key, permit).await.map_err(|error| error.to_string())?;
            self.sockets.insert(key, socket);
        }
        let Some(socket) = self.sockets.get_mut(&key) else { return Ok(()) };
        socket.last_used = Instant::now();
        // An error of an earlier datagram, as of a closed port, is not one of this datagram.
        let sent = if self.is_full_cone {
            socket.socket.send_to(data, address).await
        } else {
            socket.socket.send(data).await
        };
        match sent {
            Err(error) if error.kind() != io::ErrorKind::ConnectionRefused => Err(error.to_string()),
            _ => Ok(()),
        }
    }

    /// The address of a destination. A name keeps its address for a while, so that a flow stays with one host.
    async fn find(&mut self, destination: &Destination) -> Result<SocketAddr, String> {
        let name = match &destination.host {
            Host::Ip(ip) => return Ok(SocketAddr::new(*ip, destination.port)),
            Host::Name(name) => (name.clone(), destination.port),
        };
        if let Some((until, known)) = self.names.get(&name)
            && Instant::now() < *until
        {
            return known.clone();
        }
        let found = self.server.gate.find(destination, &self.client.look_ups).await;
        let address = match found {
            Ok(found) => found.first().copied().ok_or_else(|| "the name has no address".to_owned()),
            Err(refused) => Err(refused.to_string()),
        };
        if self.names.len() >= MOST_SOCKETS {
            self.names.clear();
        }
        let span = if address.is_ok() { NAME_KNOWN } else { NAME_UNKNOWN };
        self.names.insert(name, (Instant::now() + span, address.clone()));
        address
    }

    /// Takes a share in the client's sockets. If it has many, the one of this flow that was not used for the longest
    /// time is closed.
    fn make_room(&mut self) -> Result<OwnedSemaphorePermit, String> {
        self.sockets.retain(|_, socket| socket.last_used.elapsed() < IDLE);
        let share = || Arc::clone(&self.client.sockets).try_acquire_owned().ok();
        if self.sockets.len() < MOST_SOCKETS
            && let Some(permit) = share()
        {
            return Ok(permit);
        }
        let oldest = self.sockets.iter().min_by_key(|(_, one)| one.last_used).map(|(key, _)| *key);
        oldest.map(|oldest| self.sockets.remove(&oldest));
        share().ok_or_else(|| format!("the client has {MOST_SOCKETS_OF_CLIENT} sockets already"))
    }

    async fn open(&mut self, key: SocketAddr, permit: OwnedSemaphorePermit) -> io::Result<Socket> {
        let local: SocketAddr = match key {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = Arc::new(UdpSocket::bind(local).await?);
        if !self.is_full_cone {
            socket.connect(key).await?;
        }
        let reading = read(Arc::clone(&socket), self.answers.clone());
        let reader = self.readers.spawn(reading);
        Ok(Socket { _permit: permit, socket, last_used: Instant::now(), reader })
    }
}

/// Reads what arrives at `socket`. A datagram that finds no room is dropped, as by any full queue.
async fn read(socket: Arc<UdpSocket>, answers: QueueSender) {
    loop {
        let (data, source) = receive(&socket).await;
        let source = SocketAddr::new(source.ip().to_canonical(), source.port());
        if answers.offer(addressed(&source.into(), &data)).is_err() {
            return;
        }
    }
}

/// RFC 4787 REQ-5: a mapping lives for two minutes at least.
const IDLE: Duration = Duration::from_secs(120);
const NAME_KNOWN: Duration = Duration::from_secs(60);
/// The time in which datagrams to a name without an address do not look it up again.
const NAME_UNKNOWN: Duration = Duration::from_secs(5);
/// The sockets of one flow.
const MOST_SOCKETS: usize = 256;
/// The sockets of one client.
pub(super) const MOST_SOCKETS_OF_CLIENT: usize = 1024;
