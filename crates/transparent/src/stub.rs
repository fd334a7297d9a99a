//! Queries of selected programs to a name server on loopback, such as systemd-resolved's. They are redirected here,
//! because the queries of that server itself belong to another user. Answers leave by the same sockets, and the kernel
//! gives them the address of the name server.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpStream;

use crate::listeners::Listeners;

/// The sockets for queries to a name server on loopback.
#[derive(Debug)]
pub struct Stub {
    pub(crate) listeners: Listeners,
}

impl Stub {
    /// Waits for the next query by UDP, and returns it with the address of the program.
    ///
    /// # Errors
    /// Those of the socket, after which the next query may be awaited.
    pub async fn receive(&self) -> io::Result<(Vec<u8>, SocketAddr)> {
        let datagram = self.listeners.receive().await?;
        Ok((datagram.data, datagram.program))
    }

    /// Answers the query of a program by UDP.
    ///
    /// # Errors
    /// Those of the socket, which do not matter to other programs.
    pub async fn answer(&self, data: &[u8], program: SocketAddr) -> io::Result<()> {
        self.listeners.send(data, program).await
    }

    /// Waits for the next connection for queries by TCP, and returns it with the address of the program.
    ///
    /// # Errors
    /// Those of the socket, after which the next connection may be awaited.
    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        self.listeners.accept().await
    }
}
