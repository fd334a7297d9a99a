//! HyStart++ (RFC 9406): the initial slow start ends when delays rise, before the queue overflows. This avoids the
//! losses of a window that is twice too large.
//!
//! RFC 9406 compares round-trip times. Here the delays are [one-way](Acked::delay), because SACKs return by any path.
//! And a window of more than a quarter of the peer's buffer grows by half of what is acknowledged, as with [delayed
//! SACKs](super::half_of_acked): where all paths share a small buffer, the losses after a window has doubled stop all
//! of them.

use anabranch_base::{BitRate, ByteCount, Duration};

use super::{SlowStart, SlowStartStep};
use crate::policy::congestion::{Acked, pacing};
use crate::policy::{OneWay, PathId, PathSample, View};

/// MIN_RTT_THRESH: a smaller rise of the delay does not indicate a queue.
const LEAST_RISE: Duration = Duration::from_millis(4);
/// MAX_RTT_THRESH: a larger rise always does.
const GREATEST_RISE: Duration = Duration::from_millis(16);
/// MIN_RTT_DIVISOR: between the two, this part of the round-trip time does.
const PART_OF_ROUND_TRIP: u64 = 8;
/// N_RTT_SAMPLE: the number of samples after which a round is judged.
const ENOUGH_SAMPLES: u32 = 8;
/// A window of more than this part of the peer's buffer is large.
const LARGE: u64 = 4;
/// A large window grows by this part of what is acknowledged.
const PART_IF_LARGE: u64 = 2;
/// CSS_GROWTH_DIVISOR: the same in conservative slow start.
const PART_IN_CONSERVATIVE: u64 = 4;
/// CSS_ROUNDS: the number of rounds of conservative slow start before congestion avoidance begins.
const CONSERVATIVE_ROUNDS: u32 = 5;

/// The rule, and its state for each path.
#[derive(Debug, Default)]
pub(crate) struct HystartPlusPlus {
    paths: Vec<Initial>,
}

/// The initial slow start of one path.
#[derive(Clone, Copy, Debug, Default)]
struct Initial {
    /// lastRoundMinRTT.
    last_round: Option<Duration>,
    /// currentRoundMinRTT.
    round: Option<Duration>,
    /// rttSampleCount.
    samples: u32,
    conservative: Option<Conservative>,
    /// The threshold at the last SACK. Once it has fallen, the window was cut: this slow start is not the initial one.
    ssthresh: ByteCount,
    is_over: bool,
}

/// Conservative slow start: the delay has risen, perhaps by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Conservative {
    /// cssBaselineMinRtt: a round with a smaller delay shows that the rise was not a queue.
    baseline: Duration,
    rounds_left: u32,
}

impl Initial {
    /// A new round began.
    fn on_round(&mut self) {
        (self.last_round, self.round, self.samples) = (self.round, None, 0);
        if let Some(conservative) = &mut self.conservative {
            conservative.rounds_left -= 1;
            self.is_over |= conservative.rounds_left == 0;
        }
    }

    /// A packet took `delay`; the round trip without queues takes `base`.
    fn on_sample(&mut self, delay: Duration, base: Duration) {
        let least = self.round.map_or(delay, |least| least.min(delay));
        self.round = Some(least);
        self.samples += 1;
        let Some(last) = self.last_round.filter(|_| self.samples >= ENOUGH_SAMPLES) else { return };
        match self.conservative {
            Some(Conservative { baseline, .. }) if least < baseline => self.conservative = None,
            Some(_) => {}
            None if least >= last + (base / PART_OF_ROUND_TRIP).clamp(LEAST_RISE, GREATEST_RISE) => {
                self.conservative = Some(Conservative { baseline: least, rounds_left: CONSERVATIVE_ROUNDS });
            }
            None => {}
        }
    }
}

impl SlowStart for HystartPlusPlus {
    fn add_path(&mut self, path: PathId) {
        self.paths.resize(self.paths.len().max(path.index() + 1), Initial::default());
    }

    fn remove_path(&mut self, path: PathId) {
        self.paths[path.index()] = Initial::default();
    }

    fn on_acked(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        let (sample, initial) = (view.path(path), &mut self.paths[path.index()]);
        if sample.ssthresh < initial.ssthresh {
            (initial.is_over, initial.conservative) = (true, None);
        }
        initial.ssthresh = sample.ssthresh;
        if initial.is_over {
            return;
        }
        if let Some((delay, OneWay { least, back, .. })) = acked.delay.zip(sample.one_way) {
            initial.on_sample(delay, least + back);
        }
        if acked.ends_round {
            initial.on_round();
        }
    }

    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> SlowStartStep {
        let (sample, initial) = (view.path(path), &mut self.paths[path.index()]);
        let is_at_end = initial.is_over && initial.conservative.take().is_some();
        if is_at_end || !acked.grows_slow_start() {
            return SlowStartStep { by: ByteCount::ZERO, is_over: is_at_end };
        }
        let part = match initial.conservative {
            Some(_) => PART_IN_CONSERVATIVE,
            None if is_large(sample, view) => PART_IF_LARGE,
            None => 1,
        };
        let to_threshold = sample.ssthresh.saturating_sub(sample.cwnd).max(sample.unit);
        SlowStartStep::grow((acked.bytes / part).min(to_threshold))
    }

    fn pacing_rate(&self, path: PathId, view: &View<'_>) -> Option<BitRate> {
        let sample = view.path(path);
        let pace = if is_large(sample, view) { pacing::GROWING_BY_HALF } else { pacing::DOUBLING };
        pacing::window_rate(sample, pace)
    }
}

fn is_large(sample: &PathSample, view: &View<'_>) -> bool {
    sample.cwnd * LARGE > view.receive_buffer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::acked_bytes as acked;
    use crate::policy::testing::{sample, view};

    /// A path of 40 ms both ways, of which rounds of packets are acknowledged.
    struct Rounds {
        rule: HystartPlusPlus,
        path: crate::policy::PathSample,
        /// The peer's buffer.
        buffer: ByteCount,
    }

    impl Rounds {
        fn new() -> Rounds {
            let (mut rule, mut path) = (HystartPlusPlus::default(), sample(0));
            rule.add_path(path.id);
            (path.cwnd, path.ssthresh) = (ByteCount::new(15_000), ByteCount::new(1_000_000));
            let (delay, back) = (Duration::from_millis(20), Duration::from_millis(20));
            path.one_way = Some(OneWay { delay, least: delay, back });
            Rounds { rule, path, buffer: ByteCount::new(11_000) }
        }

        /// A round of `samples` SACKs for 1,500 bytes each whose packets took `delay` milliseconds. Returns the growth
        /// by each of them, and true if slow start ended.
        fn round(&mut self, delay: u64, samples: u32) -> (Vec<u64>, bool) {
            let steps: Vec<SlowStartStep> = (0..samples)
                .map(|number| {
                    let delay = Some(Duration::from_millis(delay));
                    let acked = Acked { delay, ends_round: number + 1 == samples, ..acked(1500) };
                    let paths = [self.path.clone()];
                    let view = View { receive_buffer: self.buffer, ..view(&paths) };
                    self.rule.on_acked(self.path.id, &acked, &view);
                    self.rule.increase(self.path.id, &acked, &view)
                })
                .collect();
            (steps.iter().map(|step| step.by.get()).collect(), steps.iter().any(|step| step.is_over))
        }
    }

    #[test]
    fn the_window_grows_by_half_in_a_round_while_delays_stay() {
        let mut rounds = Rounds::new();
        for _ in 0..20 {
            // An eighth of 40 ms and less does not count as a rise.
            assert_eq!(rounds.round(20, 10), (vec![750; 10], false));
            assert_eq!(rounds.round(24, 10), (vec![750; 10], false));
        }
    }

    #[test]
    fn a_window_that_is_small_beside_the_peers_buffer_doubles_in_a_round() {
        let mut rounds = Rounds::new();
        rounds.buffer = ByteCount::new(60_000);
        assert_eq!(rounds.round(20, 10), (vec![1500; 10], false));
        let (grown, _) = rounds.round(25, 10);
        assert_eq!(grown, [[1500; 7].as_slice(), &[375; 3]].concat());
    }

    #[test]
    fn a_rise_of_a_whole_round_slows_growth_at_once_and_ends_it_after_five_rounds() {
        let mut rounds = Rounds::new();
        rounds.round(20, 10);
        let (grown, is_over) = rounds.round(25, 10);
        assert_eq!(grown, [[750; 7].as_slice(), &[375; 3]].concat());
        assert!(!is_over);
        for _ in 0..3 {
            assert_eq!(rounds.round(25, 10), (vec![375; 10], false));
        }
        assert_eq!(rounds.round(25, 10), ([[375; 9].as_slice(), &[0]].concat(), true));
        assert!(!rounds.round(25, 10).1, "slow start ends once");
    }

    #[test]
    fn a_rise_that_passes_is_forgotten() {
        let mut rounds = Rounds::new();
        rounds.round(20, 10);
        rounds.round(30, 10);
        let (grown, _) = rounds.round(29, 10);
        assert_eq!(grown, [[375; 7].as_slice(), &[750; 3]].concat());
    }

    #[test]
    fn a_round_of_few_samples_is_not_judged() {
        let mut rounds = Rounds::new();
        rounds.round(20, 10);
        assert_eq!(rounds.round(60, 7), (vec![750; 7], false));
    }

    #[test]
    fn a_slow_start_after_a_cut_goes_to_its_threshold() {
        let mut rounds = Rounds::new();
        rounds.round(20, 10);
        rounds.path.ssthresh = ByteCount::new(16_000);
        assert_eq!(rounds.round(60, 10), (vec![750; 10], false), "up to one unit may pass the threshold");
        rounds.path.cwnd = ByteCount::new(3000);
        assert_eq!(rounds.round(90, 10), (vec![750; 10], false));
    }

    #[test]
    fn a_cut_in_conservative_slow_start_does_not_end_the_slow_start_after_it() {
        let mut rounds = Rounds::new();
        rounds.round(20, 10);
        rounds.round(30, 10);
        (rounds.path.ssthresh, rounds.path.cwnd) = (ByteCount::new(16_000), ByteCount::new(1500));
        assert_eq!(rounds.round(30, 10), (vec![1500; 10], false));
    }

    #[test]
    fn growth_needs_a_fully_used_window_and_a_train_leaves_as_fast_as_the_window_grows() {
        let mut rounds = Rounds::new();
        let round_trip = Some(Duration::from_millis(40));
        (rounds.path.srtt, rounds.path.min_rtt) = (round_trip, round_trip);
        let paths = [rounds.path.clone()];
        let unused = Acked { is_fully_used: false, ..acked(1500) };
        assert!(rounds.rule.increase(PathId::FIRST, &unused, &view(&paths)).by.is_zero());
        for (buffer, times) in [(59_999, 3), (60_000, 4)] {
            let view = View { receive_buffer: ByteCount::new(buffer), ..view(&paths) };
            let rate = rounds.rule.pacing_rate(PathId::FIRST, &view);
            assert_eq!(rate, Some(BitRate::from_bits_per_second(15_000 * 8 * 25 * times / 2)));
        }
    }
}
