//! The association of [`Streams`](crate::Streams), as they use it.

use anabranch_sctp::event::CloseReason;

use super::{Association, SharedHandle};
use crate::phase::Phase;
use crate::streams::{CorePort, Mux, Streams};
use crate::waiting::until;

impl Association {
    /// Lets streams carry the messages of the association from now on: each has its own back-pressure if both ends set
    /// [`Config::stream_credits`](crate::Config::stream_credits).
    ///
    /// Other handles of the association can close it and read its state. [`send`](Association::send) returns
    /// [`SendError::Multiplexed`](crate::SendError::Multiplexed) from now on, and [`recv`](Association::recv) waits for
    /// the end: all messages, also those that have arrived, are those of streams. The peer should use streams as well,
    /// and must if both ends set `stream_credits`.
    pub fn into_streams(self) -> Streams {
        self.owner.shared.multiplex(self.owner.id);
        Streams::new(self)
    }

    /// Uses the streams; `None` without any.
    pub(crate) fn with_streams<T>(&self, act: impl FnOnce(&mut Mux, &mut CorePort<'_>) -> T) -> Option<T> {
        let SharedHandle { shared, id, .. } = &*self.owner;
        shared.with_streams(*id, act)
    }

    /// Waits until `poll` returns something: at each stream that arrives, and until the association has ended.
    pub(crate) async fn until_arrival<T>(
        &self,
        mut poll: impl FnMut() -> Option<T>,
    ) -> Result<T, CloseReason> {
        until(&self.owner.notifiers.acceptable, || match (poll(), self.phase()) {
            (Some(arrival), _) => Some(Ok(arrival)),
            (None, Phase::Closed(reason)) => Some(Err(reason)),
            (None, _) => None,
        })
        .await
    }
}
