//! The record of an association for a study, event by event. Nothing is recorded unless recording is on.

use anabranch_base::{ByteCount, Duration, Time};

use crate::policy::PathId;
use crate::policy::congestion::CutCause;
use crate::seq::Tsn;

/// One entry of the record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// When it happened.
    pub at: Time,
    /// The path.
    pub path: PathId,
    /// The event.
    pub what: Happening,
}

/// An event to record.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Happening {
    /// The window after it grew or was cut.
    Window {
        /// The congestion window.
        cwnd: ByteCount,
        /// The slow-start threshold.
        ssthresh: ByteCount,
        /// Why it shrank, if it did.
        cut: Option<CutCause>,
    },
    /// A round-trip time was measured.
    RoundTrip {
        /// The sample.
        sample: Duration,
        /// The time-out after the sample.
        rto: Duration,
    },
    /// A chunk was marked lost by missing reports.
    FastRetransmit(Tsn),
    /// The T3-rtx timer expired.
    Timeout,
    /// A packet arrived that a queue had marked (CE).
    Marked,
}
