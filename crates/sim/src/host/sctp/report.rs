//! The report of an SCTP end on its paths.

use anabranch_base::{Duration, Time};
use anabranch_sctp::policy::{self, PathSample};

use super::SctpEnd;
use crate::host::{PathReport, PathView};
use crate::observe::{PathMeasurements, PathState};

/// The association's counters of a path of the flow; the time before the association opened counts as down.
pub(super) fn path(end: &SctpEnd, now: Time, number: usize) -> PathReport {
    let since_start = now.since(Time::ZERO);
    let empty = PathReport { down: since_start, ..PathReport::empty(PathState::Unconfirmed) };
    let Some(association) = end.association() else { return empty };
    let is_this = |sample: &&PathSample| end.path_number(sample.id) == Some(number);
    let Some(sample) = association.paths().iter().find(is_this) else { return empty };
    let counters = association.path_counters(sample.id);
    let shares = association.time_in_limit(now, sample.id);
    PathReport {
        state: sample.state.into(),
        counters,
        mean_cwnd_bytes: association.mean_cwnd(now, sample.id),
        mean_rtt_s: counters.mean_round_trip().map(Duration::as_secs_f64),
        min_rtt_s: sample.min_rtt.map(Duration::as_secs_f64),
        app_limited: shares.application,
        cwnd_limited: shares.congestion_window,
        rwnd_limited: shares.receive_window,
        scheduler_limited: shares.scheduler,
        down: shares.down + since_start.saturating_sub(shares.total()),
        shares_with: association.shares_with(sample.id).and_then(|other| end.path_number(other)),
    }
}

impl From<&PathSample> for PathView {
    fn from(sample: &PathSample) -> PathView {
        PathView {
            state: sample.state.into(),
            cwnd: sample.cwnd,
            ssthresh: sample.ssthresh,
            flight: sample.flight,
            srtt: sample.srtt,
            rto: sample.rto,
            measured: PathMeasurements {
                delay: sample.one_way.map(|one_way| one_way.delay),
                least_way: sample.one_way.map(|delay| delay.least),
                rate: sample.delivery.map(|delivery| delivery.rate),
                peak_rate: sample.delivery.map(|delivery| delivery.peak),
            },
        }
    }
}

impl From<policy::PathState> for PathState {
    fn from(state: policy::PathState) -> PathState {
        match state {
            policy::PathState::Unconfirmed => PathState::Unconfirmed,
            policy::PathState::Active => PathState::Active,
            policy::PathState::Spare => PathState::Spare,
            policy::PathState::Standby => PathState::Standby,
            policy::PathState::PotentiallyFailed => PathState::PotentiallyFailed,
            policy::PathState::Inactive => PathState::Inactive,
            policy::PathState::Removed => PathState::Removed,
        }
    }
}
