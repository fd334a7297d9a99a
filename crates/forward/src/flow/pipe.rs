//! Carries a TCP connection over a flow: its bytes in both directions, half-closes and resets.

use std::future::pending;
use std::io;
use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncWriteExt as _, Interest};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::{Arrived, Flow, FlowError, FlowReader, FlowWriter, GRACE};
use crate::signal::Signal;

/// The reason for which a direction ends early.
enum Broken {
    /// The connection at this end was reset.
    Here,
    /// The other end sends a reset, or ends the flow before its direction has finished.
    There,
    /// The flow cannot go on.
    Flow,
}

/// Carries `connection` until both directions have ended. A reset of one side is a reset of the other, and so is the end
/// of the association.
pub(crate) async fn pipe(connection: TcpStream, flow: Flow) {
    pipe_until(pending(), connection, flow).await;
}

/// The same, until the connection is `lost`, as if it were reset.
pub(crate) async fn pipe_until(lost: impl Future<Output = ()>, mut connection: TcpStream, mut flow: Flow) {
    let _ = connection.set_nodelay(true);
    // A peer that vanished does not hold a flow for ever.
    let _ = SockRef::from(&connection).set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE));
    // Until both directions have finished, also if this future is dropped.
    set_reset(&connection, true);
    // A connection that ends counts no longer, even if its stream stays for a while.
    let entry = flow.entry.take();
    let carried = flow.carrier.carry(flow.id());
    let broken = {
        let (from, to) = connection.split();
        let (finished, is_finished) = oneshot::channel();
        let both = async {
            tokio::try_join!(
                upload(from, &mut flow.writer, is_finished),
                download(&mut flow.reader, to, finished)
            )
        };
        tokio::select! {
            // An end that was sent meanwhile is not sent twice.
            biased;
            ended = both => ended.err(),
            () = carried.broken() => Some(Broken::There),
            () = lost => Some(Broken::Here),
        }
    };
    drop(carried);
    if matches!(broken, Some(Broken::Here | Broken::There)) {
        set_reset(&connection, true);
    }
    drop(connection);
    match (entry, &broken) {
        (Some(entry), None) => entry.finish(),
        (entry, _) => drop(entry),
    }
    match broken {
        Some(Broken::Here) => flow.reset().await,
        None | Some(Broken::There) => flow.end().await,
        Some(Broken::Flow) => {}
    }
}

/// Closes a connection with a reset.
pub(crate) fn reset(connection: TcpStream) {
    set_reset(&connection, true);
    drop(connection);
}

/// Determines whether a connection that is dropped is reset: the kernel does so after a linger time of zero.
fn set_reset(connection: &TcpStream, is_reset: bool) {
    let _ = SockRef::from(connection).set_linger(is_reset.then_some(Duration::ZERO));
}

/// Carries bytes from the connection to the flow until the connection ends, and ends the flow when both directions have
/// finished: until then a reset may follow.
async fn upload(
    from: ReadHalf<'_>,
    writer: &mut FlowWriter,
    is_finished: oneshot::Receiver<()>,
) -> Result<(), Broken> {
    send_all(&from, writer).await?;
    writer.signal(&Signal::Finished).await?;
    tokio::select! {
        // An error of the other direction ends this one.
        _ = is_finished => {}
        () = reset_for_long(&from) => return Err(Broken::Here),
    }
    set_reset(from.as_ref(), false);
    Ok(writer.finish().await?)
}

async fn send_all(from: &ReadHalf<'_>, writer: &mut FlowWriter) -> Result<(), Broken> {
    let mut buffer = BytesMut::new();
    loop {
        buffer.reserve(LONGEST);
        match from.try_read_buf(&mut (&mut buffer).limit(LONGEST)) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                // An idle connection holds no buffer.
                buffer = BytesMut::new();
                from.readable().await?;
                continue;
            }
            Err(error) => return Err(error.into()),
        }
        let message = if buffer.len() < SHORT {
            let copy = Bytes::copy_from_slice(&buffer);
            buffer.clear();
            copy
        } else {
            buffer.split().freeze()
        };
        writer.turn(message.len()).await;
        tokio::select! {
            biased;
            sent = writer.bytes_now(message) => sent?,
            // The other end does not read.
            () = reset_for_long(from) => return Err(Broken::Here),
        }
    }
}

/// Waits until the connection was reset, and for a moment in which what came before may still leave.
async fn reset_for_long(from: &ReadHalf<'_>) {
    let _ = from.ready(Interest::ERROR).await;
    sleep(GRACE).await;
}

/// Carries bytes from the flow to the connection until the flow ends.
async fn download(
    reader: &mut FlowReader,
    mut to: WriteHalf<'_>,
    finished: oneshot::Sender<()>,
) -> Result<(), Broken> {
    loop {
        match reader.next().await? {
            Some(Arrived::Bytes(bytes)) => to.write_all(&bytes).await?,
            Some(Arrived::Signal(Signal::Finished)) => break,
            Some(Arrived::Signal(Signal::Reset)) | None => return Err(Broken::There),
            Some(_) => return Err(Broken::Flow),
        }
    }
    to.shutdown().await?;
    let _ = finished.send(());
    match reader.next().await? {
        Some(Arrived::Signal(Signal::Reset)) => Err(Broken::There),
        Some(_) => Err(Broken::Flow),
        None => Ok(()),
    }
}

impl From<io::Error> for Broken {
    fn from(_: io::Error) -> Broken {
        Broken::Here
    }
}

impl From<FlowError> for Broken {
    fn from(_: FlowError) -> Broken {
        Broken::Flow
    }
}

/// The time without data after which the kernel asks whether the peer is there.
const KEEPALIVE: Duration = Duration::from_secs(300);
/// The longest message: long enough for few, short enough that flows take turns.
const LONGEST: usize = 16 * 1024;
/// A shorter message is copied, so that it does not keep a whole buffer.
const SHORT: usize = LONGEST / 4;
