//! UDP datagrams in flows: each message has a destination, or a source, and the payload.

mod ports;
mod queue;

pub(crate) use ports::{Local, relay};
pub use ports::{Replies, UdpPort};
pub(crate) use queue::{Budget, QueueReceiver, QueueSender, queue};

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use tokio::net::UdpSocket;
use tokio::time::sleep;

use crate::destination::Destination;

/// The longest destination that is not a name.
pub(crate) const ADDRESSED: usize = 19;

/// Waits for the next datagram at `socket`, and its source. An error may be about an earlier datagram, as of a closed port,
/// or last: after each one there is a pause.
pub(crate) async fn receive(socket: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    in_spite_of_errors(|| try_receive(socket)).await
}

async fn in_spite_of_errors<T, F: Future<Output = io::Result<T>>>(mut receive: impl FnMut() -> F) -> T {
    loop {
        match receive().await {
            Ok(received) => return received,
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// A socket that waits holds no buffer.
async fn try_receive(socket: &UdpSocket) -> io::Result<(Vec<u8>, SocketAddr)> {
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
/// The pause after an error of a socket.
const PAUSE: Duration = Duration::from_millis(10);

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_socket_with_a_lasting_error_is_asked_a_hundred_times_a_second() {
        let mut attempts = 0;
        let began = Instant::now();
        let received = in_spite_of_errors(|| {
            attempts += 1;
            let is_over = attempts > 500;
            async move { if is_over { Ok("a datagram") } else { Err(io::ErrorKind::ConnectionRefused.into()) } }
        });
        assert_eq!(received.await, "a datagram");
        assert!(began.elapsed() >= Duration::from_secs(5));
    }
}
