//! Changes of the streams of an open association: they are reset and added (RFC 6525).

use anabranch_sctp::association::{self as core, ReconfigurationError};
use anabranch_sctp::event::{CloseReason, Event, StreamChange};
use anabranch_sctp::wire::{ReConfigResult, StreamId};

use super::{Association, Events, SharedHandle};
use crate::phase::Phase;

/// The error of a change of streams that was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamChangeError {
    /// This change cannot be requested.
    #[error(transparent)]
    Refused(#[from] ReconfigurationError),
    /// The peer refused it. Messages on streams that were to be reset count on.
    #[error("the peer refused the change of streams: {0}")]
    RefusedByPeer(ReConfigResult),
    /// Too many other events arrived at once: the result is not known.
    #[error("the answer to the change of streams was missed")]
    Missed,
    /// The association has ended.
    #[error("{0}")]
    Closed(CloseReason),
}

impl Association {
    /// Resets outgoing streams, or all if the list is empty, and waits for the peer's answer: their messages count from
    /// zero. A stream can so be used for something new, and takes no memory at either end until then.
    ///
    /// Messages that are sent on these streams meanwhile wait for the answer. The peer's application receives
    /// [`Event::IncomingStreamsReset`] after the last message before the reset. Both ends must set
    /// [`Config::stream_reconfiguration`](crate::Config::stream_reconfiguration).
    ///
    /// Cancellation-safe: the request is made when the future is first polled, and stands if it is dropped.
    ///
    /// ```no_run
    /// # async fn example(association: anabranch_net::Association) -> Result<(), Box<dyn std::error::Error>> {
    /// use anabranch_net::StreamId;
    ///
    /// let stream = StreamId::new(5);
    /// association.send("the last message of a conversation", stream).await?;
    /// association.reset_streams(&[stream]).await?;
    /// association.send("the first one of another", stream).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The streams cannot be reset, the peer refuses, or the association ends.
    pub async fn reset_streams(&self, streams: &[StreamId]) -> Result<(), StreamChangeError> {
        let mut open = Open::of(streams);
        self.change_streams(
            |association| association.reset_streams(streams),
            |event| match event {
                Event::OutgoingStreamsReset(done) => open.is_answered_by(done).then_some(Ok(())),
                Event::StreamChangeRefused { change: StreamChange::ResetOutgoing(done), result } => {
                    open.meets(done).then_some(Err(*result))
                }
                _ => None,
            },
        )
        .await
    }

    /// Asks the peer to reset these of its outgoing streams, or all if the list is empty, and waits until it has.
    ///
    /// Cancellation-safe, like [`reset_streams`](Association::reset_streams).
    ///
    /// # Errors
    /// As for [`reset_streams`](Association::reset_streams).
    pub async fn request_incoming_reset(&self, streams: &[StreamId]) -> Result<(), StreamChangeError> {
        let mut open = Open::of(streams);
        self.change_streams(
            |association| association.request_incoming_reset(streams),
            |event| match event {
                Event::IncomingStreamsReset(done) => open.is_answered_by(done).then_some(Ok(())),
                Event::StreamChangeRefused { change: StreamChange::ResetIncoming(done), result } => {
                    open.meets(done).then_some(Err(*result))
                }
                _ => None,
            },
        )
        .await
    }

    /// Adds streams, `outgoing` for this end and `incoming` for the peer, and waits until there are so many.
    ///
    /// Cancellation-safe, like [`reset_streams`](Association::reset_streams).
    ///
    /// # Errors
    /// There would be too many streams, the peer refuses, or the association ends.
    pub async fn add_streams(&self, outgoing: u16, incoming: u16) -> Result<(), StreamChangeError> {
        let (has, had) = self.streams();
        let wanted = (has.saturating_add(outgoing), had.saturating_add(incoming));
        self.change_streams(
            |association| association.add_streams(outgoing, incoming),
            |event| match event {
                Event::StreamsAdded { outbound, inbound } => {
                    (*outbound >= wanted.0 && *inbound >= wanted.1).then_some(Ok(()))
                }
                Event::StreamChangeRefused {
                    change: StreamChange::AddOutgoing(_) | StreamChange::AddIncoming(_),
                    result,
                } => Some(Err(*result)),
                _ => None,
            },
        )
        .await
    }

    /// Resets all streams of both ends, and their transmission sequence numbers, and waits for the peer's answer, which
    /// comes when all earlier data of both ends is delivered.
    ///
    /// Cancellation-safe, like [`reset_streams`](Association::reset_streams).
    ///
    /// # Errors
    /// The association cannot be reset, the peer refuses, or the association ends.
    pub async fn reset_association(&self) -> Result<(), StreamChangeError> {
        self.change_streams(core::Association::reset_association, |event| match event {
            Event::AssociationReset => Some(Ok(())),
            Event::StreamChangeRefused { change: StreamChange::ResetAssociation, result } => {
                Some(Err(*result))
            }
            _ => None,
        })
        .await
    }

    /// Requests a change, and waits for the event that `answers` it.
    async fn change_streams(
        &self,
        request: impl FnOnce(&mut core::Association) -> Result<(), ReconfigurationError>,
        mut answers: impl FnMut(&Event) -> Option<Result<(), ReConfigResult>>,
    ) -> Result<(), StreamChangeError> {
        let mut events = self.begin_change(request)?;
        loop {
            match events.next().await {
                Some(Ok(event)) => {
                    if let Some(answer) = answers(&event) {
                        return answer.map_err(StreamChangeError::RefusedByPeer);
                    }
                }
                Some(Err(_)) => return Err(StreamChangeError::Missed),
                None => return Err(self.closed_change()),
            }
        }
    }

    /// Subscribes to events, and requests a change.
    fn begin_change(
        &self,
        request: impl FnOnce(&mut core::Association) -> Result<(), ReconfigurationError>,
    ) -> Result<Events, StreamChangeError> {
        let SharedHandle { shared, id, .. } = &*self.owner;
        let (listener, requested) = shared.change(|core, _| {
            let listener = core.subscribe(*id);
            (listener, core.association(*id).map(request))
        });
        match requested {
            Some(Ok(())) => Ok(Events { listener }),
            Some(Err(ReconfigurationError::NotOpen)) | None => Err(self.closed_change()),
            Some(Err(refused)) => Err(refused.into()),
        }
    }

    /// The error of a change of an association that is closing or has ended.
    fn closed_change(&self) -> StreamChangeError {
        match self.phase() {
            Phase::Closed(reason) => StreamChangeError::Closed(reason),
            Phase::Opening | Phase::Open | Phase::Closing => ReconfigurationError::NotOpen.into(),
        }
    }
}

/// The streams of a request that are not answered; `None` if it is for all.
struct Open(Option<Vec<StreamId>>);

impl Open {
    fn of(streams: &[StreamId]) -> Open {
        Open((!streams.is_empty()).then(|| streams.to_vec()))
    }

    /// Notes that these streams, or all if there are none, were reset. Returns true if none is left.
    fn is_answered_by(&mut self, done: &[StreamId]) -> bool {
        match &mut self.0 {
            None => done.is_empty(),
            Some(open) => {
                open.retain(|stream| !done.is_empty() && !done.contains(stream));
                open.is_empty()
            }
        }
    }

    /// Returns true if one of these streams, or all if there are none, was asked for.
    fn meets(&self, streams: &[StreamId]) -> bool {
        match &self.0 {
            None => streams.is_empty(),
            Some(open) => streams.is_empty() || open.iter().any(|stream| streams.contains(stream)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams(numbers: &[u16]) -> Vec<StreamId> {
        numbers.iter().copied().map(StreamId::new).collect()
    }

    #[test]
    fn a_request_is_answered_when_each_of_its_streams_is() {
        let mut open = Open::of(&streams(&[1, 2, 3]));
        assert!(!open.is_answered_by(&streams(&[1, 3, 9])));
        assert!(open.meets(&streams(&[2])) && !open.meets(&streams(&[1])));
        assert!(open.is_answered_by(&streams(&[2])));
        assert!(Open::of(&streams(&[4])).is_answered_by(&[]), "all were reset");
        let mut all = Open::of(&[]);
        assert!(!all.is_answered_by(&streams(&[1])) && all.is_answered_by(&[]));
    }
}
