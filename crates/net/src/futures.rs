//! Streams, events and records as the `Stream` and `Sink` of asynchronous programs (feature `futures`).

use std::pin::Pin;
use std::task::{Context, Poll};

use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::record::Record;
use bytes::Bytes;
use futures_core::Stream as Items;
use futures_sink::Sink;

use crate::association::{Events, Records};
use crate::feed::Missed;
use crate::send_error::SendError;
use crate::streams::{RecvHalf, SendHalf, Stream, StreamMessage};

impl Items for Events {
    type Item = Result<Event, Missed>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_item(context)
    }
}

impl Items for Records {
    type Item = Result<Record, Missed>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_item(context)
    }
}

impl Items for RecvHalf {
    type Item = Result<StreamMessage, CloseReason>;

    /// The next message; `None` after the end, and after the reason for which the association ended.
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_item(context)
    }
}

/// Messages with the default options. One message may wait in the sink. `close` sends the [end](SendHalf::finish).
impl Sink<Bytes> for SendHalf {
    type Error = SendError;

    fn poll_ready(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.poll_sent(context)
    }

    fn start_send(mut self: Pin<&mut Self>, message: Bytes) -> Result<(), SendError> {
        self.send_or_keep(message)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.poll_sent(context)
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.poll_finish(context)
    }
}

impl Items for Stream {
    type Item = Result<StreamMessage, CloseReason>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.halves().0.poll_item(context)
    }
}

impl Sink<Bytes> for Stream {
    type Error = SendError;

    fn poll_ready(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.halves().1.poll_sent(context)
    }

    fn start_send(mut self: Pin<&mut Self>, message: Bytes) -> Result<(), SendError> {
        self.halves().1.send_or_keep(message)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.halves().1.poll_sent(context)
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.halves().1.poll_finish(context)
    }
}
