//! What follows from a sign of loss: whether the window is cut, what is sent again, what the timer does.
//! Detecting the loss, choosing where to resend, and the size of the cut are other rules' business.

pub mod standard;

use std::fmt::Debug;

use super::congestion::Cause;
use super::{PathId, View};

/// A sign that something went wrong on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Chunks reached the number of missing reports, outside fast recovery.
    Missing,
    /// More chunks did, while the path is in fast recovery.
    MissingInRecovery,
    /// The T3-rtx timer expired; `again` if nothing was acknowledged since the last time.
    Timeout {
        /// Whether this is the second expiry in a row.
        again: bool,
    },
    /// The T3-rtx timer expired on a zero-window probe while SACKs keep coming (RFC 9260 §6.1 A).
    ProbeUnanswered,
}

/// Which of the lost chunks are marked for retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resend {
    /// None.
    Nothing,
    /// The lowest TSN.
    First,
    /// All of them.
    All,
}

/// What the T3-rtx timer's RTO does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerRule {
    /// It doubles (RFC 9260 §6.3.3 E2).
    Double,
    /// It stays.
    Keep,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// Cut the window for this cause.
    pub cut: Option<Cause>,
    /// Mark these chunks.
    pub resend: Resend,
    /// Count the event against the path and the association.
    pub is_error: bool,
    /// What happens to the RTO.
    pub timer: TimerRule,
}

/// A rule that turns signs of loss into actions.
pub trait LossResponse: Debug + Send {
    /// What to do about `signal` on `path`.
    fn on_signal(&mut self, signal: Signal, path: PathId, view: &View<'_>) -> Response;
}
