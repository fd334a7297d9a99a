//! The sender's response to a sign of loss: whether it cuts the window, which chunks it sends again and how fast,
//! whether it probes the path or holds its data, and what happens to the timer. Loss detection, the choice of a path
//! for a retransmission, and the size of a cut are separate policies.

pub mod standard;

use std::fmt::Debug;

use anabranch_base::Duration;

use super::congestion::CutCause;
use super::{PathId, View};
use crate::seq::Tsn;

/// A sign of a loss on a path, or of its recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Chunks reached the number of missing reports, outside fast recovery.
    Missing,
    /// More chunks reached that number, while the path is in fast recovery.
    MissingInRecovery,
    /// The last chunk that a small window allowed arrived, and chunks before it did not (M-SWS-1).
    SmallWindow,
    /// The T3-rtx timer expired; `again` if nothing was acknowledged since its last expiry.
    Timeout {
        /// True if this is the second expiry in a row.
        again: bool,
    },
    /// The T3-rtx timer expired on a zero-window probe while SACKs still arrive (RFC 9260 §6.1 A).
    WindowProbeUnanswered,
    /// The peer reports that a packet of the path was marked (ECNE).
    EcnEcho,
    /// The HEARTBEAT that a response [requested](Response::probe) was answered.
    ProbeAnswered,
    /// The HEARTBEAT was not answered before its timer expired.
    ProbeUnanswered,
}

/// The lost chunks that are marked for retransmission, and the rate at which they leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resend {
    /// No chunk.
    Nothing,
    /// The lowest TSN.
    First,
    /// Every chunk, as many at a time as the window allows.
    All,
    /// Every chunk: one leaves at once, and then one in each smoothed round-trip time.
    OnePerRtt,
}

/// The effect on the path's timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerRule {
    /// The RTO doubles (RFC 9260 §6.3.3 E2).
    Double,
    /// The RTO stays.
    Keep,
    /// The RTO stays. The next timer on the path (that of the probe that this response requests, else T3-rtx) runs for
    /// a time drawn between these two instead.
    Uniform {
        /// The shortest time.
        low: Duration,
        /// The longest time.
        high: Duration,
    },
}

/// The sender's actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// The window is cut for this cause. After a time-out that cuts it to one unit, one packet may be in flight until
    /// something is acknowledged (RFC 9260 §7.2.3).
    pub cut: Option<CutCause>,
    /// These chunks are marked. It has no effect if the signal concerns no chunks.
    pub resend: Resend,
    /// The path is probed by a HEARTBEAT at once. The result is another signal, and gives no round-trip time.
    pub probe: bool,
    /// No data leaves on the path from now on, neither new nor marked, until another response or [the
    /// progress](LossResponse::on_progress) of the path ends this. The retransmission policy may send marked chunks
    /// on other paths.
    pub hold_data: bool,
    /// The effect on the timer.
    pub timer: TimerRule,
    /// True if the time-out, or the unanswered probe, counts as an error of the path and the association.
    pub is_error: bool,
    /// True if the expiry counts as a time-out, in the path's counters and for `again` of the next one.
    pub counts_rto: bool,
}

/// The effect on data that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Nothing changes.
    Keep,
    /// Allows data, and cancels a probe in flight.
    Release,
}

/// A rule that turns signs of loss into actions.
pub trait LossResponse: Debug + Send {
    /// Returns what to do after `signal` on `path`.
    fn on_signal(&mut self, signal: Signal, path: PathId, view: &View<'_>) -> Response;

    /// Returns true if [`on_progress`](LossResponse::on_progress) is to be called.
    fn follows_progress(&self) -> bool {
        false
    }

    /// Returns true if `path` repairs losses that are not congestion: its time-out then has its own minimum (M-WA-7).
    fn is_recovering(&self, _path: PathId) -> bool {
        false
    }

    /// A SACK was read; `lowest_unacked` is the lowest TSN last sent on `path` that is not acknowledged, in flight or
    /// marked. Called for every path, before the losses that the SACK shows are answered.
    fn on_progress(&mut self, _path: PathId, _lowest_unacked: Option<Tsn>, _view: &View<'_>) -> Hold {
        Hold::Keep
    }
}

impl Response {
    /// No action.
    pub const NONE: Response = Response {
        cut: None,
        resend: Resend::Nothing,
        probe: false,
        hold_data: false,
        timer: TimerRule::Keep,
        is_error: false,
        counts_rto: false,
    };
}

impl Resend {
    /// The number of the `lost` chunks, from the lowest on, that are marked.
    pub(crate) fn count(self, lost: usize) -> usize {
        match self {
            Resend::Nothing => 0,
            Resend::First => lost.min(1),
            Resend::All | Resend::OnePerRtt => lost,
        }
    }
}
