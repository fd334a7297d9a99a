//! Serves SOCKS5 (RFC 1928): CONNECT and UDP ASSOCIATE.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UdpSocket};

use super::{Head, Negotiations, dismiss, open};
use crate::bond::Bond;
use crate::datagrams::{Local, QueueSender, addressed, queue, receive, relay};
use crate::destination::Destination;
use crate::event::Event;
use crate::flow::pipe;
use crate::socks::{Command, Datagram, Greeting, Reply, Request, SocksError};

/// Serves one program.
pub(super) async fn serve(
    mut connection: TcpStream,
    program: SocketAddr,
    bond: &Bond,
    negotiations: &Negotiations,
    is_full_cone: bool,
) {
    let mut head = Head::new(LONGEST);
    let reading = request(&mut head, &mut connection);
    let Some(request) = negotiations.within(reading).await else { return };
    match request {
        Ok(Some(Request { command: Command::Connect, destination })) => {
            connect(connection, program, bond, &destination, head.bytes.into()).await;
        }
        Ok(Some(Request { command: Command::UdpAssociate, .. })) => {
            associate(connection, program, bond, is_full_cone).await;
        }
        Ok(None) => {}
        Err(error) => {
            bond.report().event(Event::Misspoken { client: program, what: error.to_string() });
            if let Some(reply) = error.reply() {
                dismiss(connection, &encoded(reply, None)).await;
            }
        }
    }
}

/// Reads the greeting and the request. `None` if the program ends before, or must authenticate.
async fn request(head: &mut Head, connection: &mut TcpStream) -> Result<Option<Request>, SocksError> {
    let Some(greeting) = head.read(connection, Greeting::decode).await? else { return Ok(None) };
    let is_sent = connection.write_all(&greeting.answer()).await.is_ok();
    if !is_sent || !greeting.without_authentication {
        return Ok(None);
    }
    head.read(connection, Request::decode).await
}

async fn connect(
    mut connection: TcpStream,
    program: SocketAddr,
    bond: &Bond,
    destination: &Destination,
    early: Bytes,
) {
    match open(bond, program, destination).await {
        Ok(mut flow) => {
            let answered = connection.write_all(&encoded(Reply::Succeeded, None)).await.is_ok();
            if !answered || (!early.is_empty() && flow.writer.bytes(early).await.is_err()) {
                return flow.end().await;
            }
            pipe(connection, flow).await;
        }
        Err(refused) => dismiss(connection, &encoded(refused.reply, None)).await,
    }
}

/// Relays datagrams until the program closes the connection: "A UDP association terminates when the TCP connection that
/// the UDP ASSOCIATE request arrived on terminates" (RFC 1928 §7).
async fn associate(mut connection: TcpStream, program: SocketAddr, bond: &Bond, is_full_cone: bool) {
    let bound = async {
        let socket = UdpSocket::bind((connection.local_addr()?.ip(), 0)).await?;
        let address = socket.local_addr()?;
        Ok::<_, std::io::Error>((socket, address))
    };
    let (socket, address) = match bound.await {
        Ok(bound) => bound,
        Err(error) => {
            bond.report().event(Event::Exhausted(format!("a socket for UDP of {program}: {error}")));
            return dismiss(connection, &encoded(Reply::GeneralFailure, None)).await;
        }
    };
    if connection.write_all(&encoded(Reply::Succeeded, Some(address))).await.is_err() {
        return;
    }
    let mut rest = [0; 64];
    tokio::select! {
        () = relay_all(socket, program, bond, is_full_cone) => {}
        () = async { while matches!(connection.read(&mut rest).await, Ok(1..)) {} } => {}
    }
}

/// Relays datagrams of the host of `program`, from the port that sends first.
async fn relay_all(socket: UdpSocket, program: SocketAddr, bond: &Bond, is_full_cone: bool) {
    let socket = Arc::new(socket);
    let mut mapping: Option<(SocketAddr, QueueSender)> = None;
    loop {
        let (bytes, source) = receive(&socket).await;
        let is_stranger = mapping.as_ref().is_some_and(|(first, _)| *first != source);
        if source.ip().to_canonical() != program.ip().to_canonical() || is_stranger {
            continue;
        }
        let Ok(datagram) = Datagram::decode(&bytes) else { continue };
        let message = addressed(&datagram.destination, datagram.data);
        let is_over = mapping.as_ref().is_none_or(|(_, sender)| sender.is_closed());
        if is_over {
            let (sender, datagrams) = queue(bond.waiting());
            let local = Local::by_socks(&socket, source);
            tokio::spawn(relay(bond.clone(), local, datagrams, is_full_cone));
            mapping = Some((source, sender));
        }
        if let Some((_, sender)) = &mapping {
            let _ = sender.offer(message);
        }
    }
}

fn encoded(reply: Reply, bound: Option<SocketAddr>) -> Vec<u8> {
    let mut bytes = Vec::new();
    reply.encode(bound, &mut bytes);
    bytes
}

/// The longest greeting and request, and as much of what follows as is read with them.
const LONGEST: usize = 4096;
