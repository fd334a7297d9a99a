//! The series of one direction of a flow: values over time of each path.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_scenario::model::{Flow, Protocol};
use anabranch_sctp::seq::Tsn;
use anabranch_sim::observe::{DeliverySeen, Host, PacketSeen, PathSeen, PathState, Step};

use super::super::envelope::ThinnedSeries;
use super::super::sums::Sums;
use super::SeriesLimits;
use crate::contents::Contents;

/// One direction of a flow.
#[derive(Debug)]
pub(crate) struct FlowSeries {
    /// Index of the flow.
    pub flow: usize,
    /// The sending host.
    pub from: Host,
    /// The paths, in the flow's order.
    pub paths: Vec<PathSeries>,
    /// User data delivered, in bytes.
    pub delivered: Sums,
    /// The time from `send` to delivery, in microseconds.
    pub delivery_delay: ThinnedSeries,
    is_sctp: bool,
    sequence: Sequence,
}

/// One path of a flow's direction. Sizes in bytes, times in microseconds, TSNs from the first one on.
#[derive(Debug)]
pub(crate) struct PathSeries {
    /// Index of the path.
    pub path: usize,
    /// The congestion window.
    pub cwnd: ThinnedSeries,
    /// The slow-start threshold.
    pub ssthresh: ThinnedSeries,
    /// The flight size.
    pub flight: ThinnedSeries,
    /// The smoothed round-trip time.
    pub srtt: ThinnedSeries,
    /// The retransmission time-out.
    pub rto: ThinnedSeries,
    /// One-way delays of packets.
    pub delay: ThinnedSeries,
    /// The one-way delays measured by the sender.
    pub measured_delay: ThinnedSeries,
    /// Packets sent.
    pub sent: Sums,
    /// Packets received.
    pub arrived: Sums,
    /// First TSNs of packets with new data.
    pub fresh: ThinnedSeries,
    /// First TSNs of packets with retransmitted data.
    pub resent: ThinnedSeries,
    /// First TSNs of lost packets with data.
    pub lost: ThinnedSeries,
    /// First TSNs of packets with data received with a congestion mark.
    pub marked: ThinnedSeries,
    state: Option<PathState>,
    /// The time of the first data in flight, or of a failure before that.
    opened_at: Option<Time>,
}

/// TSNs as numbers that do not wrap.
#[derive(Clone, Copy, Debug, Default)]
struct Sequence {
    highest: Option<(Tsn, i64)>,
}

impl FlowSeries {
    /// Empty series of the first `paths` paths of a flow.
    pub(super) fn new(
        flow: usize,
        settings: &Flow,
        from: Host,
        paths: usize,
        limits: SeriesLimits,
    ) -> FlowSeries {
        FlowSeries {
            flow,
            from,
            paths: settings.paths.iter().take(paths).map(|path| PathSeries::new(*path, limits)).collect(),
            delivered: Sums::new(limits.bins),
            delivery_delay: ThinnedSeries::new(limits.steps),
            is_sctp: matches!(settings.protocol, Protocol::Sctp(_)),
            sequence: Sequence::default(),
        }
    }

    /// Adds a packet of this direction.
    pub(super) fn on_packet(&mut self, at: Time, seen: &PacketSeen) {
        let first_tsn = if self.is_sctp { Contents::of(&seen.bytes).first_tsn } else { None };
        let tsn = first_tsn.map(|tsn| self.sequence.place(tsn));
        let Some(path) = self.path(seen.path) else { return };
        match seen.step {
            Step::Sent => {
                path.sent.add(at, seen.size);
                let line = if seen.retransmission { &mut path.resent } else { &mut path.fresh };
                tsn.into_iter().for_each(|tsn| line.mark(at, tsn));
            }
            Step::Arrived { delay } => {
                path.arrived.add(at, seen.size);
                path.delay.mark(at, micros(delay));
                if seen.ecn.is_marked() {
                    tsn.into_iter().for_each(|tsn| path.marked.mark(at, tsn));
                }
            }
            Step::Lost { .. } => tsn.into_iter().for_each(|tsn| path.lost.mark(at, tsn)),
        }
    }

    /// Adds data received by the application.
    pub(super) fn on_delivery(&mut self, at: Time, seen: DeliverySeen) {
        self.delivered.add(at, seen.bytes);
        self.delivery_delay.mark(at, micros(seen.delay));
    }

    /// The series of a path, if it is kept.
    pub(super) fn path(&mut self, path: usize) -> Option<&mut PathSeries> {
        self.paths.iter_mut().find(|series| series.path == path)
    }
}

impl PathSeries {
    fn new(path: usize, limits: SeriesLimits) -> PathSeries {
        let line = || ThinnedSeries::new(limits.steps);
        PathSeries {
            path,
            cwnd: line(),
            ssthresh: line(),
            flight: line(),
            srtt: line(),
            rto: line(),
            delay: line(),
            measured_delay: line(),
            sent: Sums::new(limits.bins),
            arrived: Sums::new(limits.bins),
            fresh: line(),
            resent: line(),
            lost: line(),
            marked: line(),
            state: None,
            opened_at: None,
        }
    }

    /// The time, in a run of `time`, before the path was open: the flow had not started, the handshake was not
    /// complete, or no probe on it had been answered.
    pub(crate) fn unopened(&self, time: Duration) -> Duration {
        self.opened_at.map_or(time, |at| at.since(Time::ZERO))
    }

    /// Records the sender's view of the path; returns true if its state has changed.
    pub(super) fn on_path(&mut self, at: Time, seen: &PathSeen) -> bool {
        self.cwnd.hold(at, number(seen.cwnd.get()));
        // Before the first loss the threshold is unlimited.
        if seen.ssthresh != ByteCount::MAX {
            self.ssthresh.hold(at, number(seen.ssthresh.get()));
        }
        self.flight.hold(at, number(seen.flight.get()));
        if let Some(srtt) = seen.srtt {
            self.srtt.hold(at, micros(srtt));
        }
        self.rto.hold(at, micros(seen.rto));
        if let Some(delay) = seen.measured.delay {
            self.measured_delay.hold(at, micros(delay));
        }
        // The state is known from the first packet of the handshake on.
        let has_failed = matches!(seen.state, PathState::PotentiallyFailed | PathState::Inactive);
        if !seen.flight.is_zero() || has_failed {
            self.opened_at.get_or_insert(at);
        }
        let before = self.state.replace(seen.state);
        before.is_some_and(|before| before != seen.state)
    }
}

impl Sequence {
    /// The position of a TSN, counted from the first one seen.
    fn place(&mut self, tsn: Tsn) -> i64 {
        let (highest, place) = *self.highest.get_or_insert((tsn, 0));
        if tsn.is_before(highest) {
            return place - i64::from(highest.distance_from(tsn));
        }
        let place = place + i64::from(tsn.distance_from(highest));
        self.highest = Some((tsn, place));
        place
    }
}

fn micros(span: Duration) -> i64 {
    number(span.as_nanos() / 1_000)
}

/// A count as a value of a series.
pub(super) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tsns_count_from_the_first_one_and_do_not_wrap() {
        let mut sequence = Sequence::default();
        let places = [u32::MAX, 1, 0, u32::MAX - 2, 2].map(|tsn| sequence.place(Tsn::new(tsn)));
        assert_eq!(places, [0, 2, 1, -2, 3]);
    }
}
