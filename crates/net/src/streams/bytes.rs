//! A stream as bytes: the messages, of some KiB each, one behind the other.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use anabranch_sctp::association::Part;
use anabranch_sctp::event::CloseReason;
use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::half::{RecvHalf, SendHalf};
use crate::send_error::SendError;

/// A stream as bytes in both directions, which [`Stream::into_bytes`](super::Stream::into_bytes) returns.
///
/// Each write becomes a message of at most 8 KiB at once, and the boundaries of messages do not matter to the reader. Many
/// small writes need a `BufWriter`.
/// A message that arrives in [parts](Part) is read like others; if it is aborted, a read returns
/// [`io::ErrorKind::UnexpectedEof`], and the next one reads the message behind it.
/// `shutdown` sends the end of the stream, after which the peer reads no more; a peer without credits has no such end,
/// so that `shutdown` returns [`io::ErrorKind::Unsupported`] there.
#[derive(Debug)]
pub struct ByteStream {
    reader: ByteReader,
    writer: ByteWriter,
}

/// The receiving half of a stream as bytes.
#[derive(Debug)]
pub struct ByteReader {
    recv: RecvHalf,
    /// The rest of the last message, in pieces, the first one last.
    rest: Vec<Bytes>,
}

/// The sending half of a stream as bytes.
#[derive(Debug)]
pub struct ByteWriter {
    send: SendHalf,
}

impl ByteStream {
    pub(super) fn new(reader: ByteReader, writer: ByteWriter) -> ByteStream {
        ByteStream { reader, writer }
    }

    /// One half for each direction, for two tasks.
    pub fn into_split(self) -> (ByteReader, ByteWriter) {
        (self.reader, self.writer)
    }
}

impl ByteReader {
    pub(super) fn new(recv: RecvHalf) -> ByteReader {
        ByteReader { recv, rest: Vec::new() }
    }
}

impl ByteWriter {
    pub(super) fn new(send: SendHalf) -> ByteWriter {
        ByteWriter { send }
    }
}

impl AsyncRead for ByteReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let cooperation = ready!(tokio::task::coop::poll_proceed(context));
        while self.rest.is_empty() {
            match ready!(self.recv.poll_recv(context)) {
                Ok(Some(message)) if message.part == Part::Aborted => {
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, INCOMPLETE)));
                }
                Ok(Some(message)) => {
                    self.rest.extend(message.chunks().filter(|chunk| !chunk.is_empty()).cloned());
                    self.rest.reverse();
                }
                Ok(None) => return Poll::Ready(Ok(())),
                // Without credits the association's end is that of its streams.
                Err(CloseReason::Graceful) if !self.recv.has_credits() => return Poll::Ready(Ok(())),
                Err(reason) => return Poll::Ready(Err(read_error(reason))),
            }
        }
        cooperation.made_progress();
        while let Some(piece) = self.rest.last_mut()
            && buffer.remaining() > 0
        {
            let length = piece.len().min(buffer.remaining());
            buffer.put_slice(&piece[..length]);
            piece.advance(length);
            if piece.is_empty() {
                self.rest.pop();
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ByteWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if bytes.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let cooperation = ready!(tokio::task::coop::poll_proceed(context));
        ready!(self.send.poll_sent(context)).map_err(write_error)?;
        let message = Bytes::copy_from_slice(&bytes[..bytes.len().min(MESSAGE)]);
        let length = message.len();
        self.send.send_or_keep(message).map_err(write_error)?;
        cooperation.made_progress();
        Poll::Ready(Ok(length))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.send.poll_sent(context).map_err(write_error)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(context))?;
        if !self.send.has_credits() {
            let why = "the peer has no end of a stream: close the association";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::Unsupported, why)));
        }
        self.send.poll_finish(context).map_err(write_error)
    }
}

impl AsyncRead for ByteStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.reader).poll_read(context, buffer)
    }
}

impl AsyncWrite for ByteStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.writer).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(context)
    }
}

fn read_error(reason: CloseReason) -> io::Error {
    let kind = match reason {
        CloseReason::Graceful => io::ErrorKind::UnexpectedEof,
        _ => io::ErrorKind::ConnectionAborted,
    };
    io::Error::new(kind, reason)
}

fn write_error(error: SendError) -> io::Error {
    let kind = match error {
        SendError::Closing | SendError::Closed(_) | SendError::Finished => io::ErrorKind::BrokenPipe,
        _ => io::ErrorKind::InvalidInput,
    };
    io::Error::new(kind, error)
}

/// The error of a message of which only the beginning arrived.
const INCOMPLETE: &str = "a message ends without its rest: the peer gave it up or reset the stream";
/// The longest message.
const MESSAGE: usize = 8 * 1024;
