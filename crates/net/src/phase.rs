//! The phase of an association, as its handles see it.

use anabranch_sctp::event::CloseReason;

/// The phase of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The handshake has not ended.
    Opening,
    /// The association is open in both directions.
    Open,
    /// It is shutting down.
    Closing,
    /// It has ended.
    Closed(CloseReason),
}
