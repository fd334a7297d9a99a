//! The words in records for hosts, directions, causes and times.

use std::fmt;

use anabranch_base::{Duration, Time};
use anabranch_link::LossCause;
use anabranch_sim::observe::{FrameKind, Host};

/// Nanoseconds written as seconds, exact, with nine decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seconds(u64);

impl From<Time> for Seconds {
    fn from(at: Time) -> Seconds {
        Seconds(at.as_nanos())
    }
}

impl From<Duration> for Seconds {
    fn from(span: Duration) -> Seconds {
        Seconds(span.as_nanos())
    }
}

#[cfg(feature = "arrays")]
impl Seconds {
    /// The nearest floating-point number.
    pub(crate) fn as_f64(self) -> f64 {
        self.0 as f64 / NANOS as f64
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.0 / NANOS, self.0 % NANOS)
    }
}

/// `first` or `second`.
pub(crate) fn host(host: Host) -> &'static str {
    match host {
        Host::First => "first",
        Host::Second => "second",
    }
}

/// The direction of packets from this host.
pub(crate) fn direction(from: Host) -> &'static str {
    match from {
        Host::First => "forward",
        Host::Second => "reverse",
    }
}

/// The cause of a packet's loss.
pub(crate) fn cause(cause: LossCause) -> &'static str {
    match cause {
        LossCause::Medium => "medium",
        LossCause::Queue => "queue",
        LossCause::Down => "down",
        LossCause::TooLarge => "mtu",
        LossCause::Retries => "retries",
        LossCause::NoRoute => "no-route",
    }
}

/// The kind of a frame.
pub(crate) fn frame_kind(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Rts => "rts",
        FrameKind::Cts => "cts",
        FrameKind::Ack => "ack",
        FrameKind::Data => "data",
        FrameKind::RouteRequest => "route-request",
        FrameKind::RouteReply => "route-reply",
        FrameKind::RouteError => "route-error",
    }
}

const NANOS: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact_to_the_nanosecond() {
        let written = [0, 1, 999_999_999, 12_345_678_901, u64::MAX].map(|nanos| Seconds(nanos).to_string());
        let expected = ["0.000000000", "0.000000001", "0.999999999", "12.345678901", "18446744073.709551615"];
        assert_eq!(written, expected);
    }
}
