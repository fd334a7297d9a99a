//! UDP datagrams in flows: each message has a destination, or a source, and the payload.

mod ports;

pub use ports::UdpPort;
pub(crate) use ports::{Local, relay};

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;

use bytes::Bytes;
use tokio::net::UdpSocket;

use crate::destination::Destination;

/// The longest destination that is not a name.
pub(crate) const ADDRESSED: usize = 19;

/// Waits for the next datagram at `socket`, and its source. A socket that waits holds no buffer.
pub(crate) async fn receive(socket: &UdpSocket) -> io::Result<(Vec<u8>, SocketAddr)> {
    thread_local! {
        static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    loop {
        socket.readable().await?;
        let received: io::Result<_> = BUFFER.with_borrow_mut(|buffer| {
            buffer.resize(LARGEST, 0);
            let (length, source) = socket.try_recv_from(buffer)?;
            Ok((buffer[..length].to_vec(), source))
        });
        match received {
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock) => {}
            other => return other,
        }
    }
}

/// The payload of a message with `data` to or from `destination`.
pub(crate) fn addressed(destination: &Destination, data: &[u8]) -> Bytes {
    let mut bytes = Vec::with_capacity(ADDRESSED + data.len());
    destination.encode(&mut bytes);
    bytes.extend_from_slice(data);
    bytes.into()
}

/// The destination, or source, and the data of a message. `None` if it is malformed: a datagram is dropped then.
pub(crate) fn split(message: &Bytes) -> Option<(Destination, &[u8])> {
    let (destination, used) = Destination::decode(message).ok().flatten()?;
    Some((destination, message.get(used..)?))
}

/// The largest datagram.
const LARGEST: usize = 65_535;
