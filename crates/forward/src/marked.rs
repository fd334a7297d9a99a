//! Connections of this program that the rules which capture flows leave alone.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpSocket, TcpStream, lookup_host};

use crate::destination::Destination;

/// Connects to `to` as this host knows it: to the first of its addresses that answers. Packets have the `mark`.
///
/// # Errors
/// The name has no address, none of its addresses answers, or this user may not mark packets.
pub(crate) async fn connect(to: &Destination, mark: Option<u32>) -> io::Result<TcpStream> {
    let mut failed = None;
    for address in lookup_host((to.host.to_string(), to.port)).await? {
        match connect_to(address, mark).await {
            Ok(connection) => return Ok(connection),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("{to} has no address"))))
}

async fn connect_to(address: SocketAddr, mark: Option<u32>) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    if let Some(mark) = mark {
        set_mark(&socket, mark)?;
    }
    socket.connect(address).await
}

#[cfg(target_os = "linux")]
fn set_mark(socket: &TcpSocket, mark: u32) -> io::Result<()> {
    socket2::SockRef::from(socket).set_mark(mark)
}

#[cfg(not(target_os = "linux"))]
fn set_mark(_socket: &TcpSocket, _mark: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
