//! Flows of this host, or of a network behind it, at sockets of this program.

use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::connections::Connections;
use crate::datagrams::Datagram;
use crate::error::CaptureError;
use crate::install::{Installed, Kernel};
use crate::listeners::Listeners;
use crate::request::Request;
use crate::restored::Restored;
use crate::rules::Plan;
use crate::selection::Selection;
use crate::stub::Stub;

/// Flows that are led to this program while this exists. When it is dropped, rules and routes are removed, but those of a
/// strict capture that drop what goes beside stay until [`release`](crate::release()).
#[derive(Debug)]
pub struct Capture {
    // Dropped first: no flow is led to closed sockets.
    installed: Mutex<Option<Installed>>,
    listeners: Listeners,
    stub: Stub,
    pub(crate) connections: Connections,
}

/// A captured connection.
#[derive(Debug)]
pub struct Connection {
    /// The connection to the program.
    pub stream: TcpStream,
    /// The address of the program.
    pub program: SocketAddr,
    /// The address to which the program connected.
    pub destination: SocketAddr,
    /// Gets a value when this host no longer has the address of the program: the connection is to be reset. Dropped with
    /// the connection.
    pub stranded: oneshot::Receiver<()>,
}

impl Capture {
    /// Opens sockets, removes what a killed run left, and installs rules and routes. IPv6 is carried if `::1` exists;
    /// otherwise IPv6 of the selected flows is refused.
    ///
    /// # Errors
    /// The request is wrong, another capture runs, this process lacks the permission, or the kernel the means.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O.
    pub fn open(request: &Request) -> Result<Capture, CaptureError> {
        request.check()?;
        let selection = Selection::resolve(request)?;
        let kernel = Kernel::open()?;
        let listeners = Listeners::open()?;
        let stub = Stub { listeners: Listeners::open()? };
        let plan = Plan { selection, listeners: listeners.ports(), stub: stub.listeners.ports() };
        let installed = Mutex::new(Some(Installed::install(kernel, plan)?));
        Ok(Capture { installed, listeners, stub, connections: Connections::default() })
    }

    /// Waits for the next connection. One to the socket's own address, which was not captured, is closed.
    ///
    /// # Errors
    /// Those of the socket, after which the next connection may be awaited: after a pause, if files are used up.
    pub async fn accept(&self) -> io::Result<Connection> {
        loop {
            let (stream, program) = self.listeners.accept().await?;
            match stream.local_addr() {
                Ok(destination) if !self.listeners.has(destination) => {
                    let stranded = self.connections.enter(Instant::now(), program, destination);
                    return Ok(Connection { stream, program, destination, stranded });
                }
                _ => {}
            }
        }
    }

    /// Waits for the next datagram. One to the socket's own address, which was not captured, is dropped.
    ///
    /// # Errors
    /// Those of the socket, after which the next datagram may be awaited.
    pub async fn receive(&self) -> io::Result<Datagram> {
        loop {
            let datagram = self.listeners.receive().await?;
            if !self.listeners.has(datagram.destination) {
                return Ok(datagram);
            }
        }
    }

    /// Removes rules and routes now, but those of strict: sockets that are still in use get no further flow.
    pub fn close(&self) {
        self.installed.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Queries of selected users and control groups to a name server on loopback.
    pub fn stub(&self) -> &Stub {
        &self.stub
    }

    /// Returns true if IPv6 is carried; otherwise IPv6 of the selected flows is refused.
    pub fn carries_ipv6(&self) -> bool {
        self.listeners.ports().ipv6.is_some()
    }

    /// Restores what others removed.
    pub(crate) fn restore(&self) -> Result<Vec<Restored>, CaptureError> {
        let mut installed = self.installed.lock().unwrap_or_else(PoisonError::into_inner);
        installed.as_mut().map_or(Ok(Vec::new()), Installed::restore)
    }
}
