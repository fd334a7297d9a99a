//! The methods for applications that change the streams of an open association (RFC 6525).

use super::session::Session;
use super::{Association, State};
use crate::wire::{StreamId, StreamSet};

/// Why a change of streams cannot be requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReconfigurationError {
    /// The handshake is not complete, or the association is closing or closed.
    #[error("the association is not open")]
    NotOpen,
    /// One of the ends has not set [`Config::stream_reconfiguration`](crate::config::Config::stream_reconfiguration).
    #[error("the two ends did not agree on stream reconfiguration")]
    NotAgreed,
    /// The stream does not exist.
    #[error("there is no stream {stream}: the association has {streams}")]
    NoSuchStream {
        /// The stream.
        stream: StreamId,
        /// The number of streams.
        streams: u16,
    },
    /// An earlier request for the same streams, or for the association, is not answered.
    #[error("an earlier request is not answered")]
    UnderWay,
    /// Streams have numbers of 16 bits.
    #[error("there would be {wanted} streams, and at most 65535 are possible")]
    TooMany {
        /// The number of streams with the new ones.
        wanted: u32,
    },
    /// No streams are to be added.
    #[error("no streams are to be added")]
    Nothing,
}

impl Association {
    /// Requests that the messages on these outgoing streams, or on all if the list is empty, count from zero.
    ///
    /// Messages that are sent from now on wait for the peer's answer. The request follows the last message before it.
    /// [`Event::OutgoingStreamsReset`](crate::event::Event::OutgoingStreamsReset) or
    /// [`Event::StreamChangeRefused`](crate::event::Event::StreamChangeRefused) reports the answer.
    ///
    /// # Errors
    /// The association is not open, the peer does not support it, a stream does not exist or is being reset.
    pub fn reset_streams(&mut self, streams: &[StreamId]) -> Result<(), ReconfigurationError> {
        self.reconfigurable()?.reset_outgoing(&StreamSet::of_list(streams.iter().copied()))
    }

    /// Requests that the peer resets these of its outgoing streams, or all if the list is empty.
    /// [`Event::IncomingStreamsReset`](crate::event::Event::IncomingStreamsReset) reports it.
    ///
    /// # Errors
    /// As for [`reset_streams`](Association::reset_streams).
    pub fn request_incoming_reset(&mut self, streams: &[StreamId]) -> Result<(), ReconfigurationError> {
        self.reconfigurable()?.request_incoming_reset(&StreamSet::of_list(streams.iter().copied()))
    }

    /// Requests so many more streams: `outgoing` for this end, and `incoming` for the peer.
    /// [`Event::StreamsAdded`](crate::event::Event::StreamsAdded) reports each of the two.
    ///
    /// # Errors
    /// The association is not open, the peer does not support it, there would be more than 65,535 streams, or none are to
    /// be added.
    pub fn add_streams(&mut self, outgoing: u16, incoming: u16) -> Result<(), ReconfigurationError> {
        self.reconfigurable()?.add_streams(outgoing, incoming)
    }

    /// Requests that all streams of both ends count from zero, and that TSNs begin anew.
    ///
    /// Messages that are sent from now on wait for the peer's answer, which comes when all data of both ends is
    /// acknowledged. [`Event::AssociationReset`](crate::event::Event::AssociationReset) reports it.
    ///
    /// # Errors
    /// The association is not open, the peer does not support it, or an earlier request for it is not answered.
    pub fn reset_association(&mut self) -> Result<(), ReconfigurationError> {
        self.reconfigurable()?.reset_association()
    }

    /// Returns true if a request of this end is not answered.
    pub fn is_reconfiguring(&self) -> bool {
        self.session().is_some_and(Session::is_reconfiguring)
    }

    fn reconfigurable(&mut self) -> Result<&mut Session, ReconfigurationError> {
        match &mut self.state {
            State::Open(session) if session.ground().agreement.features.reconfiguration => Ok(session),
            State::Open(_) => Err(ReconfigurationError::NotAgreed),
            _ => Err(ReconfigurationError::NotOpen),
        }
    }
}
