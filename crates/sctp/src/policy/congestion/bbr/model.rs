//! The model of a path: the rate that it carries, and how much may be in flight (draft-ietf-ccwg-bbr, "Updating Network Path
//! Model Parameters").

use anabranch_base::{Duration, Time};

use super::filter::MaxFilter;
use super::loss::LossJudge;
use super::min_rtt::MinRtt;
use super::sampler::RateSample;

/// BBR's model of a path.
#[derive(Clone, Debug)]
pub(super) struct BbrModel {
    /// `BBR.bw`: the rate to be used.
    pub bw: f64,
    /// `BBR.max_bw`: the largest rate of the last two cycles.
    pub max_bw: f64,
    /// `BBR.inflight_longterm`: the bound on the flight from the losses of the last probe.
    pub inflight_longterm: f64,
    /// `BBR.inflight_shortterm`: the bound on the flight from the losses since then.
    pub inflight_shortterm: f64,
    /// `BBR.inflight_latest`: the largest delivery of the last round trip.
    pub inflight_latest: f64,
    /// `BBR.min_rtt`
    pub min_rtt: MinRtt,
    bw_shortterm: f64,
    bw_latest: f64,
    max_bw_filter: MaxFilter,
    cycle_count: u64,
    extra_acked: ExtraAcked,
    round: Round,
    losses: LossRound,
}

/// Packet-timed round trips ("BBR.round_count").
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    count: u64,
    is_start: bool,
    next_delivered: f64,
}

/// The losses of a round trip.
#[derive(Clone, Copy, Debug, Default)]
struct LossRound {
    /// `BBR.is_loss_in_round`
    has_loss: bool,
    /// The number of the packet lost last, among those of the path.
    last: u64,
    ranges: u32,
    /// `BBR.loss_round_delivered`
    delivered: f64,
    /// `BBR.loss_round_start`
    is_start: bool,
}

/// The bounds that losses set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
}

/// The round trip that a SACK ended, for the decision whether Startup is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EndedRound {
    /// The number of separate ranges of packets lost in it.
    pub(crate) lost_ranges: u32,
}

/// The volume acknowledged beyond what the rate predicts ("BBR.extra_acked").
#[derive(Clone, Debug)]
struct ExtraAcked {
    since: Time,
    delivered: f64,
    filter: MaxFilter,
    value: f64,
}

impl BbrModel {
    /// The model of a path without measurements.
    pub(super) fn new(now: Time) -> BbrModel {
        BbrModel {
            bw: 0.0,
            max_bw: 0.0,
            inflight_longterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_latest: 0.0,
            min_rtt: MinRtt::new(now),
            bw_shortterm: f64::INFINITY,
            bw_latest: 0.0,
            max_bw_filter: MaxFilter::default(),
            cycle_count: 0,
            extra_acked: ExtraAcked { since: now, delivered: 0.0, filter: MaxFilter::default(), value: 0.0 },
            round: Round::default(),
            losses: LossRound::default(),
        }
    }

    /// `UpdateLatestDeliverySignals`, `UpdateMaxBw`, `UpdateRound`: reads the `sample` of a SACK; `delivered` is the
    /// total so far.
    pub(super) fn on_sample(&mut self, sample: &RateSample, delivered: f64) {
        self.bw_latest = self.bw_latest.max(sample.rate);
        self.inflight_latest = self.inflight_latest.max(sample.delivered);
        self.losses.is_start = sample.prior_delivered >= self.losses.delivered;
        if self.losses.is_start {
            self.losses.delivered = delivered;
        }
        self.round.is_start = sample.prior_delivered >= self.round.next_delivered;
        if self.round.is_start {
            self.round.count += 1;
            self.start_round(delivered);
        }
        if sample.rate > 0.0 && (sample.rate >= self.max_bw || !sample.is_app_limited) {
            self.max_bw = self.max_bw_filter.update(sample.rate, self.cycle_count, MAX_BW_CYCLES);
        }
    }

    /// The end of `UpdateCongestionSignals`: at the end of a round trip with losses that count by `losses`, sets the
    /// short-term bounds from what was delivered, unless the path `is_probed`. `cwnd` is the window. Returns the round
    /// trip, if one with a loss ended.
    pub(crate) fn end_loss_round(
        &mut self,
        sample: &RateSample,
        losses: LossJudge,
        is_probed: bool,
        cwnd: f64,
    ) -> Option<EndedRound> {
        if !self.losses.is_start {
            return None;
        }
        let lost_ranges = std::mem::take(&mut self.losses.ranges);
        if !std::mem::take(&mut self.losses.has_loss) {
            return None;
        }
        if !is_probed && losses.bounds_short_term(sample.lost, sample.in_flight_then) {
            self.bound_short_term(cwnd);
        }
        Some(EndedRound { lost_ranges })
    }

    /// `InitLowerBounds`, `LossLowerBounds`
    pub(crate) fn bound_short_term(&mut self, cwnd: f64) {
        let or = |bound: f64, first: f64| if bound.is_infinite() { first } else { bound };
        let (bw, inflight) = (or(self.bw_shortterm, self.max_bw), or(self.inflight_shortterm, cwnd));
        self.bw_shortterm = self.bw_latest.max(BETA * bw);
        self.inflight_shortterm = self.inflight_latest.max(BETA * inflight);
    }

    /// `AdvanceLatestDeliverySignals`, `BoundBWForModel`
    pub(crate) fn end_sample(&mut self, sample: &RateSample) {
        if self.losses.is_start {
            (self.bw_latest, self.inflight_latest) = (sample.rate, sample.delivered);
        }
        self.bw = self.max_bw.min(self.bw_shortterm);
    }

    /// `NoteLoss`: the packet `serial` of the path was lost when `delivered` bytes had been delivered. Returns true if
    /// it is the first loss of the round trip.
    pub(crate) fn note_loss(&mut self, serial: u64, delivered: f64) -> bool {
        let is_first = !std::mem::replace(&mut self.losses.has_loss, true);
        if is_first {
            self.losses.delivered = delivered;
        }
        let is_next = serial.abs_diff(self.losses.last) <= 1;
        self.losses.ranges += u32::from(is_first && self.losses.ranges == 0 || !is_next);
        self.losses.last = serial;
        is_first
    }

    /// `SaveStateUponLoss`: the present bounds.
    pub(super) fn bounds(&self) -> Bounds {
        let &BbrModel { bw_shortterm, inflight_shortterm, inflight_longterm, .. } = self;
        Bounds { bw_shortterm, inflight_shortterm, inflight_longterm }
    }

    /// `HandleSpuriousLossDetection`: widens the bounds to those before the spurious losses.
    pub(crate) fn undo_losses(&mut self, before: &Bounds) {
        self.losses.has_loss = false;
        self.bw_shortterm = self.bw_shortterm.max(before.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(before.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(before.inflight_longterm);
    }

    /// `StartRound`: a round trip begins, when `delivered` bytes have been delivered.
    pub(crate) fn start_round(&mut self, delivered: f64) {
        self.round.next_delivered = delivered;
    }

    /// `BBR.round_start`: returns true if this SACK begins a round trip.
    pub(crate) fn is_round_start(&self) -> bool {
        self.round.is_start
    }

    /// `BBR.round_count`: the number of round trips that have ended.
    pub(crate) fn round_count(&self) -> u64 {
        self.round.count
    }

    /// `ResetCongestionSignals`
    pub(crate) fn reset_congestion_signals(&mut self) {
        self.losses.has_loss = false;
        (self.bw_latest, self.inflight_latest) = (0.0, 0.0);
    }

    /// `ResetShortTermModel`
    pub(crate) fn reset_short_term(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    /// `AdvanceMaxBwFilter`
    pub(crate) fn advance_cycle(&mut self) {
        self.cycle_count += 1;
    }

    /// `UpdateACKAggregation`; `is_full` if the path was ever filled.
    pub(crate) fn on_aggregation(&mut self, newly_acked: f64, cwnd: f64, is_full: bool, now: Time) {
        let extra = &mut self.extra_acked;
        let mut expected = self.bw * now.since(extra.since).as_secs_f64();
        if extra.delivered <= expected {
            (extra.delivered, extra.since, expected) = (0.0, now, 0.0);
        }
        extra.delivered += newly_acked;
        let rounds = if is_full { EXTRA_ACKED_ROUNDS } else { 1 };
        extra.value = extra.filter.update((extra.delivered - expected).min(cwnd), self.round.count, rounds);
    }

    /// Restarts the count when a packet leaves an idle path: acknowledgements are expected from now on.
    pub(crate) fn restart_aggregation(&mut self, now: Time) {
        self.extra_acked.since = now;
    }

    /// `BBR.extra_acked`: the volume that the aggregation of SACKs needs.
    pub(crate) fn extra_acked(&self) -> f64 {
        self.extra_acked.value
    }

    /// `BDPMultiple`: `gain` times `rate` times the least round trip; `None` before a round trip was measured.
    pub(crate) fn bdp_at(&self, rate: f64, gain: f64) -> Option<f64> {
        Some(gain * rate * self.min_rtt.value.map(Duration::as_secs_f64)?)
    }

    /// [`bdp_at`](BbrModel::bdp_at) the rate in use.
    pub(crate) fn bdp(&self, gain: f64) -> Option<f64> {
        self.bdp_at(self.bw, gain)
    }

    /// `InflightWithHeadroom`, with windows of at least `least` in units of `unit`.
    pub(crate) fn with_headroom(&self, unit: f64, least: f64) -> f64 {
        let most = self.inflight_longterm;
        if most.is_infinite() { most } else { (most - (HEADROOM * most).max(unit)).max(least) }
    }
}

/// `BBR.Beta`
pub(super) const BETA: f64 = 0.7;
/// `BBR.MaxBwFilterLen`
const MAX_BW_CYCLES: u64 = 2;
/// `BBR.ExtraAckedFilterLen`
const EXTRA_ACKED_ROUNDS: u64 = 10;
/// `BBR.Headroom`
const HEADROOM: f64 = 0.15;

#[cfg(test)]
mod tests {
    use super::super::loss::LossRule;
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    const LITERAL: LossJudge = LossJudge { rule: LossRule::Draft, unit: 1500.0, is_queueing: false };

    fn sample(rate: f64, prior_delivered: f64) -> RateSample {
        RateSample { rate, delivered: 50_000.0, prior_delivered, is_app_limited: false, ..RateSample::NONE }
    }

    #[test]
    fn the_rate_is_the_largest_of_two_cycles() {
        let mut model = BbrModel::new(ms(0));
        let mut seen = |rate, advance: bool| {
            if advance {
                model.advance_cycle();
            }
            model.on_sample(&sample(rate, 0.0), 0.0);
            model.max_bw
        };
        assert_eq!(
            [seen(100.0, false), seen(50.0, false), seen(50.0, true), seen(50.0, true)],
            [100.0, 100.0, 100.0, 50.0]
        );
    }

    #[test]
    fn a_sample_that_the_application_limits_counts_only_if_it_is_higher() {
        let mut model = BbrModel::new(ms(0));
        let limited = |rate| RateSample { is_app_limited: true, ..sample(rate, 0.0) };
        let rates = [sample(100.0, 0.0), limited(90.0), limited(110.0)].map(|sample| {
            model.advance_cycle();
            model.advance_cycle();
            model.on_sample(&sample, 0.0);
            model.max_bw
        });
        assert_eq!(rates, [100.0, 100.0, 110.0]);
    }

    #[test]
    fn a_round_trip_ends_with_a_packet_that_left_after_its_beginning() {
        let mut model = BbrModel::new(ms(0));
        let starts =
            [(0.0, 10.0), (5.0, 20.0), (10.0, 30.0), (29.0, 40.0), (30.0, 50.0)].map(|(prior, delivered)| {
                model.on_sample(&sample(1.0, prior), delivered);
                model.is_round_start()
            });
        assert_eq!(starts, [true, false, true, false, true]);
        model.on_sample(&RateSample::NONE, 60.0);
        assert_eq!((model.is_round_start(), model.round_count()), (false, 3));
    }

    /// 1,000,000 B/s, then a round trip with a loss that delivers 600,000: max(600,000, 0.7 · 1,000,000) = 700,000; then
    /// max(600,000, 0.7 · 700,000) = 600,000. In flight: max(50,000, 0.7 · 100,000) = 70,000, then 50,000.
    #[test]
    fn a_round_trip_with_a_loss_bounds_the_path_to_what_it_delivers_but_not_below_seven_tenths() {
        let mut model = BbrModel::new(ms(0));
        model.on_sample(&sample(1e6, 0.0), 1000.0);
        model.end_loss_round(&sample(1e6, 0.0), LITERAL, false, 100_000.0);
        model.end_sample(&sample(6e5, 0.0));
        let mut bounds = Vec::new();
        for round in 1..=2_u32 {
            let delivered = 1000.0 * f64::from(round);
            model.note_loss(round.into(), delivered);
            let sample = sample(6e5, delivered);
            model.on_sample(&sample, delivered + 1000.0);
            let ended = model.end_loss_round(&sample, LITERAL, false, 100_000.0);
            assert_eq!(ended, Some(EndedRound { lost_ranges: 1 }));
            model.end_sample(&sample);
            bounds.push((model.bw, model.inflight_shortterm));
        }
        assert_eq!(bounds, [(7e5, 7e4), (6e5, 5e4)]);
        model.reset_short_term();
        model.end_sample(&sample(6e5, 0.0));
        assert_eq!(model.bw, 1e6);
    }

    #[test]
    fn losses_that_were_none_bound_nothing() {
        let mut model = BbrModel::new(ms(0));
        model.on_sample(&sample(1e6, 0.0), 1000.0);
        model.end_sample(&sample(1e6, 0.0));
        let before = model.bounds();
        model.note_loss(1, 1000.0);
        model.bound_short_term(100_000.0);
        model.inflight_longterm = 50_000.0;
        model.undo_losses(&before);
        assert_eq!((model.bounds(), model.losses.has_loss), (before, false));
    }

    #[test]
    fn losses_next_to_each_other_are_one_range() {
        let mut model = BbrModel::new(ms(0));
        for serial in [10, 11, 12, 20, 21, 30] {
            model.note_loss(serial, 0.0);
        }
        model.on_sample(&sample(1.0, 0.0), 1000.0);
        let ended = model.end_loss_round(&sample(1.0, 0.0), LITERAL, true, 100_000.0);
        assert_eq!(ended, Some(EndedRound { lost_ranges: 3 }));
    }

    /// At 1,000,000 B/s, 10,000 B are expected in 10 ms: of 37,000, 27,000 are extra.
    #[test]
    fn what_is_acknowledged_beyond_the_rate_is_extra() {
        let mut model = BbrModel::new(ms(0));
        model.on_sample(&sample(1e6, 0.0), 1000.0);
        model.end_sample(&sample(1e6, 0.0));
        model.on_aggregation(12_000.0, 1e5, true, ms(1));
        assert_eq!(model.extra_acked(), 12_000.0, "an interval begins");
        model.on_aggregation(25_000.0, 1e5, true, ms(11));
        assert_eq!(model.extra_acked(), 27_000.0);
        model.on_aggregation(1_000.0, 1e5, true, ms(100));
        assert_eq!(model.extra_acked(), 27_000.0, "the largest of ten round trips");
    }

    #[test]
    fn headroom_is_fifteen_percent_and_at_least_a_packet() {
        let mut model = BbrModel::new(ms(0));
        let mut with = |inflight| {
            model.inflight_longterm = inflight;
            model.with_headroom(1500.0, 6000.0)
        };
        assert_eq!([with(100_000.0), with(8_000.0), with(6_500.0)], [85_000.0, 6_500.0, 6_000.0]);
        assert!(with(f64::INFINITY).is_infinite());
    }
}
