//! Shared bottlenecks by summary statistics (RFC 8382): paths whose delays have the same shape are thought to share one.
//!
//! The flows of the RFC are the paths of one flow, from the first host to the second. One sender sees all of them, at once.
//! The statistics are those of section 3 with the enhancements of section 4, for which the RFC recommends its values. It
//! recommends not to group before 2 M intervals, which are 21 s (section 3.3.2); here groups are asked for sooner, too.

use std::collections::VecDeque;

use anabranch_base::{Duration, Time};
use anabranch_scenario::model::Flow;
use anabranch_sim::observe::{Host, Observation, PacketSeen, Seen, Step};
use anabranch_sim::{Run, RunProgress};

/// The detector of RFC 8382, for the paths of a scenario's first flow. It needs runs whose packets are watched.
#[derive(Clone, Debug)]
pub(crate) struct SummaryDetector {
    paths: Vec<PathHistory>,
    /// When the present interval ends.
    end: Time,
    /// The groups at the end of the interval before, of paths in the order of the flow.
    groups: Vec<Vec<usize>>,
}

/// The history of a path. Delays are whole nanoseconds: their sums do not round, which would bias the skewness.
#[derive(Clone, Debug, Default)]
struct PathHistory {
    /// The number in the scenario.
    number: usize,
    /// Of the packets that arrived in the present interval.
    delays: Vec<f64>,
    /// The packets that were lost since an interval ended.
    lost: f64,
    /// The last N intervals in which packets arrived, from the newest.
    intervals: VecDeque<Interval>,
    /// True if the last significant crossing led above the long-term mean.
    was_above: Option<bool>,
    is_in_bottleneck: bool,
}

/// An interval T of a path.
#[derive(Clone, Copy, Debug, Default)]
struct Interval {
    arrived: f64,
    lost: f64,
    /// The mean of the delays.
    mean: f64,
    skew_base: Base,
    var_base: Base,
    /// The estimate at its end.
    var_est: Option<f64>,
    is_crossing: bool,
}

/// A sum over the packets of an interval. There are none where nothing was there to compare them with.
#[derive(Clone, Copy, Debug, Default)]
struct Base {
    sum: f64,
    packets: f64,
}

/// The summary statistics by which paths are grouped.
#[derive(Clone, Copy, Debug, Default)]
struct Summary {
    freq_est: f64,
    /// The mean of `var_est` over M intervals, in nanoseconds.
    var_est: f64,
    skew_est: f64,
    pkt_loss: f64,
}

/// A path, in the order of the flow, and its statistics.
type Member = (usize, Summary);

impl SummaryDetector {
    /// A detector whose first interval begins with the flow.
    pub(crate) fn new(flow: &Flow) -> SummaryDetector {
        SummaryDetector::starting(flow.start, &flow.paths)
    }

    fn starting(start: Time, numbers: &[usize]) -> SummaryDetector {
        let history = |&number: &usize| PathHistory { number, ..PathHistory::default() };
        let paths = numbers.iter().map(history).collect();
        SummaryDetector { paths, end: start + INTERVAL, groups: Vec::new() }
    }

    /// Advances `run` to `until`, and looks at what happens on the way.
    pub(crate) fn watch(&mut self, run: &mut Run, until: Time) {
        while run.now() < until {
            let progress = run.advance(INTERVAL.min(until.since(run.now())));
            run.take_observations().iter().for_each(|seen| self.take(seen));
            if progress == RunProgress::Ended {
                break;
            }
        }
        self.end_intervals(until);
    }

    /// For each path of the flow, the first other path of its group.
    pub(crate) fn shares_with(&self) -> Vec<Option<usize>> {
        let first_other = |path: usize| {
            let group = self.groups.iter().find(|group| group.contains(&path))?;
            group.iter().copied().filter(|other| *other != path).min()
        };
        (0..self.paths.len()).map(first_other).collect()
    }

    /// The next observation, in order of time.
    fn take(&mut self, seen: &Observation) {
        self.end_intervals(seen.at);
        let Seen::Packet(PacketSeen { flow: 0, path, from: Host::First, step, .. }) = &seen.what else {
            return;
        };
        self.paths.iter_mut().filter(|known| known.number == *path).for_each(|known| known.see(*step));
    }

    /// Ends the intervals until `now`. Paths are grouped once in each.
    fn end_intervals(&mut self, now: Time) {
        while self.end <= now {
            self.paths.iter_mut().for_each(PathHistory::end_interval);
            self.group();
            self.end += INTERVAL;
        }
    }

    fn group(&mut self) {
        let paths = self.paths.iter().enumerate().filter(|(_, history)| history.is_in_bottleneck);
        let members = paths.filter_map(|(path, history)| Some((path, history.summary()?))).collect();
        let numbers = |group: &Vec<Member>| group.iter().map(|(path, _)| *path).collect();
        self.groups = grouped(members).iter().map(numbers).collect();
    }
}

impl PathHistory {
    fn see(&mut self, step: Step) {
        match step {
            Step::Sent => {}
            Step::Arrived { delay } => self.delays.push(delay.as_nanos() as f64),
            Step::Lost { .. } => self.lost += 1.0,
        }
    }

    /// An interval without arrivals is skipped; what is lost in it counts in the next one.
    fn end_interval(&mut self) {
        if self.delays.is_empty() {
            return;
        }
        let delays = std::mem::take(&mut self.delays);
        let arrived = delays.len() as f64;
        let interval = Interval {
            arrived,
            lost: std::mem::take(&mut self.lost),
            mean: delays.iter().sum::<f64>() / arrived,
            ..Interval::default()
        };
        let means = self.mean_delay().zip(self.intervals.front().map(|before| before.mean));
        self.intervals.push_front(interval);
        self.intervals.truncate(N);
        if let Some((mean_delay, mean_before)) = means {
            self.compare(&delays, mean_delay, mean_before);
        }
    }

    /// Compares the newest interval with the long-term mean and with the mean of the interval before. Neither includes the
    /// newest. Variation and crossings of a path without a bottleneck are noise, and do not count (section 4.2).
    fn compare(&mut self, delays: &[f64], mean_delay: f64, mean_before: f64) {
        let base = |of_packet: &dyn Fn(f64) -> f64| Base {
            sum: delays.iter().map(|delay| of_packet(*delay)).sum(),
            packets: delays.len() as f64,
        };
        self.intervals[0].skew_base =
            base(&|delay| f64::from(delay < mean_delay) - f64::from(delay > mean_delay));
        let was = self.is_in_bottleneck;
        self.is_in_bottleneck =
            self.skew_est().is_some_and(|skew_est| is_in_bottleneck(skew_est, self.pkt_loss(), was));
        if self.is_in_bottleneck {
            self.intervals[0].var_base = base(&|delay| (delay - mean_before).abs());
        }
        let var_est = self.estimate(|interval| interval.var_base);
        self.intervals[0].var_est = var_est;
        if let Some(var_est) = var_est.filter(|_| self.is_in_bottleneck) {
            self.intervals[0].is_crossing = self.crosses(self.intervals[0].mean - mean_delay, P_V * var_est);
        }
    }

    /// Returns true if a mean at this distance from the long-term one is beyond `far`, and the last one that was lay on the other
    /// side of it (section 3.2.4).
    fn crosses(&mut self, distance: f64, far: f64) -> bool {
        let is_above = distance > 0.0;
        distance.abs() > far
            && self.was_above.replace(is_above).is_some_and(|was_above| was_above != is_above)
    }

    /// Unknown until there are two intervals.
    fn summary(&self) -> Option<Summary> {
        let crossings = self.intervals.iter().filter(|interval| interval.is_crossing).count();
        Some(Summary {
            freq_est: crossings as f64 / self.intervals.len() as f64,
            var_est: mean(self.intervals.iter().take(M).filter_map(|interval| interval.var_est))?,
            skew_est: self.skew_est()?,
            pkt_loss: self.pkt_loss(),
        })
    }

    /// The long-term mean (section 3.2.1).
    fn mean_delay(&self) -> Option<f64> {
        mean(self.intervals.iter().take(M).map(|interval| interval.mean))
    }

    /// From -1 to 1 (sections 3.2.2 and 4.1.1): positive where few packets wait much longer than the others, negative where
    /// a queue is seldom short.
    fn skew_est(&self) -> Option<f64> {
        self.estimate(|interval| interval.skew_base)
    }

    /// The weighted mean of a base over the packets of M intervals (section 4.1).
    fn estimate(&self, base: impl Fn(&Interval) -> Base) -> Option<f64> {
        let bases = self.intervals.iter().map(base).take(M).enumerate();
        let weighted = bases.fold(Base::default(), |all, (age, base)| Base {
            sum: all.sum + weight(age) * base.sum,
            packets: all.packets + weight(age) * base.packets,
        });
        (weighted.packets > 0.0).then(|| weighted.sum / weighted.packets)
    }

    /// The share of lost packets in N intervals (section 3.2.5).
    fn pkt_loss(&self) -> f64 {
        let lost: f64 = self.intervals.iter().map(|interval| interval.lost).sum();
        let arrived: f64 = self.intervals.iter().map(|interval| interval.arrived).sum();
        lost / (lost + arrived)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// The weight of an interval, where 0 is the newest: the same for the F newest, then linearly less (section 4.1).
fn weight(age: usize) -> f64 {
    (M - age).min(M - F + 1) as f64
}

/// Returns true if a path crosses a bottleneck, where `was` says whether it did an interval ago (section 3.3.1, step 1).
fn is_in_bottleneck(skew_est: f64, pkt_loss: f64, was: bool) -> bool {
    skew_est < C_S || (skew_est < C_H && was) || pkt_loss > P_L
}

/// The groups of paths that cross a bottleneck (section 3.3.1, steps 2 to 5).
fn grouped(members: Vec<Member>) -> Vec<Vec<Member>> {
    let reliable = |loss: f64| if loss > P_L { P_D * loss } else { f64::INFINITY };
    divided(members, |summary| summary.freq_est, |_| P_F)
        .into_iter()
        .flat_map(|group| divided(group, |summary| summary.var_est, |highest| P_MAD * highest))
        .flat_map(|group| divided(group, |summary| summary.skew_est, |_| P_S))
        .flat_map(|group| divided(group, |summary| summary.pkt_loss, reliable))
        .collect()
}

/// Sorts by a value, from the highest, and parts neighbours that differ by the limit or more. The limit may depend on the
/// higher of both.
fn divided(
    mut members: Vec<Member>,
    value: impl Fn(&Summary) -> f64,
    limit: impl Fn(f64) -> f64,
) -> Vec<Vec<Member>> {
    members.sort_by(|(_, one), (_, other)| value(other).total_cmp(&value(one)));
    let are_near = |(_, high): &Member, (_, low): &Member| value(high) - value(low) < limit(value(high));
    members.chunk_by(are_near).map(<[Member]>::to_vec).collect()
}

// The values that section 2.2 recommends, all but the last. Their names are those of section 2.

/// T, the base interval.
const INTERVAL: Duration = Duration::from_millis(350);
/// Over how many intervals crossings and losses are counted.
const N: usize = 50;
/// Over how many intervals the mean, the skewness and the variation are estimated.
const M: usize = 30;
/// The number of these intervals weigh alike.
const F: usize = 20;
/// A path with a lower skewness crosses a bottleneck.
const C_S: f64 = 0.1;
/// The same for a path that crossed one before.
const C_H: f64 = 0.3;
/// The distance from the long-term mean at which a mean counts as a crossing, in `var_est`.
const P_V: f64 = 0.7;
/// Paths that differ by more in oscillation are in two groups.
const P_F: f64 = 0.1;
/// In variation, as a part of the higher one.
const P_MAD: f64 = 0.1;
/// In skewness.
const P_S: f64 = 0.15;
/// In loss, as a part of the higher one.
const P_D: f64 = 0.1;
/// A path that loses more crosses a bottleneck, and its loss is reliable. The RFC recommends no value.
const P_L: f64 = 0.05;

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Ecn};
    use anabranch_link::LossCause;
    use anabranch_sim::Watch;
    use anabranch_sim::observe::LossSite;

    use super::super::draw;
    use super::*;
    use anabranch_runs::grid::{GridPoint, parse};

    const FIRST_PATH: usize = 4;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn arrival(delay: Duration) -> Step {
        Step::Arrived { delay }
    }

    fn loss() -> Step {
        Step::Lost { site: LossSite::Link(0), cause: LossCause::Queue }
    }

    fn observation(at: Time, flow: usize, path: usize, delay: Duration) -> Observation {
        let seen = PacketSeen {
            flow,
            path,
            from: Host::First,
            step: arrival(delay),
            size: ByteCount::default(),
            ecn: Ecn::NotEct,
            bytes: Default::default(),
            retransmission: false,
        };
        Observation { at, what: Seen::Packet(seen) }
    }

    /// The waiting time in a queue that falls by `swing_ms` every `period_ms` and rises again, ever more slowly.
    fn queue(period_ms: u64, swing_ms: f64) -> impl Fn(u64) -> Duration {
        move |at_ms| {
            let left = 1.0 - (at_ms % period_ms) as f64 / period_ms as f64;
            Duration::from_micros((1e3 * (20.0 + swing_ms * (1.0 - left * left))) as u64)
        }
    }

    /// Returns the groups found in 10 s over two paths with delays of 20 ms and 70 ms, and with a packet every 10 ms.
    /// Another flow sees something else on them.
    fn found(queues: [&dyn Fn(u64) -> Duration; 2]) -> Vec<Option<usize>> {
        let start = Time::ZERO + ms(1_300);
        let mut detector = SummaryDetector::starting(start, &[FIRST_PATH, FIRST_PATH + 1]);
        for at_ms in (0..10_000).step_by(10) {
            for (path, waits) in queues.iter().enumerate() {
                let sent_ms = at_ms + 3 * path as u64;
                let delay = ms(20 + 50 * path as u64) + waits(sent_ms);
                detector.take(&observation(start + ms(sent_ms), 0, FIRST_PATH + path, delay));
                let other = ms(at_ms * (path as u64 + 1) % 400);
                detector.take(&observation(start + ms(sent_ms), 1, FIRST_PATH + path, other));
            }
        }
        detector.end_intervals(start + ms(10_000));
        detector.shares_with()
    }

    /// The history of a path with these delays, in ms, and losses, in each interval.
    fn history<'a>(intervals: impl IntoIterator<Item = (&'a [u64], usize)>) -> PathHistory {
        let mut history = PathHistory::default();
        for (delays, lost) in intervals {
            delays.iter().for_each(|delay| history.see(arrival(ms(*delay))));
            (0..lost).for_each(|_| history.see(loss()));
            history.end_interval();
        }
        history
    }

    fn paths_of(groups: &[Vec<Member>]) -> Vec<Vec<usize>> {
        groups.iter().map(|group| group.iter().map(|(path, _)| *path).collect()).collect()
    }

    #[test]
    fn the_packets_of_a_run_are_seen_on_its_paths() {
        let network = draw::network(1, 0);
        let point = GridPoint { scenario: network.scenario("off"), seeds: 1..2 };
        let scenario = parse(&point).expect("a drawn network");
        let watch = Watch { packets: true, ..Watch::default() };
        let mut run = Run::new(&scenario, 1, watch).expect("a drawn network");
        let mut detector = SummaryDetector::new(&scenario.flows[0]);
        detector.watch(&mut run, scenario.flows[0].start + ms(3_600));
        assert_eq!(detector.paths.len(), network.paths.len());
        for (history, path) in detector.paths.iter().zip(&network.paths) {
            assert!((8..=10).contains(&history.intervals.len()), "{}", history.intervals.len());
            let direction = 1e6 * path.round_trip_ms / 2.0;
            assert!(
                history.mean_delay().is_some_and(|mean| mean > direction && mean < 20.0 * direction),
                "{path:?}"
            );
        }
    }

    #[test]
    fn paths_that_see_one_queue_are_in_one_group() {
        let one = queue(3_000, 40.0);
        assert_eq!(found([&one, &one]), [Some(1), Some(0)]);
    }

    #[test]
    fn queues_that_vary_or_oscillate_unlike_are_in_two_groups() {
        let one = queue(3_000, 40.0);
        assert_eq!(found([&one, &queue(3_000, 30.0)]), [None; 2], "one varies less");
        assert_eq!(found([&one, &queue(1_050, 40.0)]), [None; 2], "one oscillates more often");
    }

    #[test]
    fn a_queue_that_is_seldom_long_is_no_bottleneck() {
        let seldom = |at_ms: u64| if at_ms % 1_000 < 100 { ms(30) } else { ms(0) };
        assert_eq!(found([&seldom, &seldom]), [None; 2]);
        let often = |at_ms: u64| if at_ms % 1_000 < 900 { ms(30) } else { ms(0) };
        assert_eq!(found([&often, &often]), [Some(1), Some(0)]);
    }

    #[test]
    fn skewness_is_positive_where_few_packets_wait_long() {
        let skew_est = |delays: &[u64; 10]| history([(&delays[..], 0); 40]).skew_est();
        assert_eq!(skew_est(&[10, 10, 10, 10, 10, 10, 10, 10, 10, 110]), Some(0.8));
        assert_eq!(skew_est(&[10, 110, 110, 110, 110, 110, 110, 110, 110, 110]), Some(-0.8));
        assert_eq!(skew_est(&[10; 10]), Some(0.0), "no delay is above or below");
        assert_eq!(
            history([(&[10, 20][..], 0)]).skew_est(),
            None,
            "there is no mean before the first interval"
        );
    }

    #[test]
    fn variation_is_measured_from_the_mean_of_the_interval_before() {
        let alternating = history([[10], [14]].iter().cycle().take(40).map(|delays| (&delays[..], 0)));
        assert_eq!(alternating.intervals[0].var_est, Some(4e6));
        let steady = history([(&[10, 14][..], 0); 40]);
        assert_eq!(steady.intervals[0].var_est, Some(2e6));
    }

    #[test]
    fn oscillation_counts_means_far_on_the_other_side() {
        let freq_est = |means: &[u64]| {
            let delays: Vec<[u64; 1]> = means.iter().map(|mean| [*mean]).collect();
            history(delays.iter().cycle().take(100).map(|delays| (&delays[..], 0)))
                .summary()
                .map(|all| all.freq_est)
        };
        assert_eq!(freq_est(&[10, 10, 30, 30]), Some(0.5));
        assert_eq!(freq_est(&[10]), Some(0.0));
        assert_eq!(freq_est(&[10, 30]), Some(0.0), "its variation is twice as far as its means lie off");
    }

    #[test]
    fn crossings_of_a_path_without_a_bottleneck_do_not_count() {
        let means = [[10, 10, 10, 90], [10, 10, 10, 90], [30, 30, 30, 110], [30, 30, 30, 110]];
        let noisy = history(means.iter().cycle().take(100).map(|delays| (&delays[..], 0)));
        assert!(!noisy.is_in_bottleneck, "{:?}", noisy.skew_est());
        assert!(noisy.intervals.iter().all(|interval| !interval.is_crossing && interval.var_est.is_none()));
    }

    #[test]
    fn losses_count_for_fifty_intervals_and_wait_for_an_arrival() {
        let skewed: &[u64] = &[10, 10, 10, 10, 10, 10, 10, 10, 10, 110];
        let quiet: &[u64] = &[];
        let losing = |after: usize| {
            let first = [(skewed, 0), (quiet, 400), (skewed, 100)];
            history(first.into_iter().chain(std::iter::repeat_n((skewed, 0), after)))
        };
        assert_eq!(losing(0).pkt_loss(), 500.0 / 520.0);
        assert_eq!(losing(N - 1).pkt_loss(), 0.5);
        assert!(losing(N - 1).is_in_bottleneck);
        assert_eq!(losing(N).pkt_loss(), 0.0);
        assert!(!losing(N).is_in_bottleneck);
    }

    #[test]
    fn the_newest_intervals_weigh_alike_and_the_others_ever_less() {
        let weights: Vec<f64> = [0, F - 1, F, M - 1].into_iter().map(weight).collect();
        assert_eq!(weights, [11.0, 11.0, 10.0, 1.0]);
    }

    #[test]
    fn a_path_leaves_its_bottleneck_later_than_it_came() {
        assert!(is_in_bottleneck(0.09, 0.0, false) && !is_in_bottleneck(0.11, 0.0, false));
        assert!(is_in_bottleneck(0.29, 0.0, true) && !is_in_bottleneck(0.31, 0.0, true));
        assert!(is_in_bottleneck(0.9, 0.06, false) && !is_in_bottleneck(0.9, 0.04, false));
    }

    #[test]
    fn each_statistic_divides_by_its_own_limit() {
        let like = Summary { freq_est: 0.3, var_est: 100.0, skew_est: -0.2, pkt_loss: 0.01 };
        let are_one = |other: Summary| grouped(vec![(0, like), (1, other)]).len() == 1;
        assert!(are_one(Summary { freq_est: 0.39, ..like }) && !are_one(Summary { freq_est: 0.41, ..like }));
        assert!(are_one(Summary { var_est: 110.0, ..like }) && !are_one(Summary { var_est: 112.0, ..like }));
        assert!(
            are_one(Summary { skew_est: -0.34, ..like }) && !are_one(Summary { skew_est: -0.36, ..like })
        );
        assert!(are_one(Summary { pkt_loss: 0.04, ..like }), "so little loss is not reliable");
        assert!(!are_one(Summary { pkt_loss: 0.06, ..like }));
    }

    #[test]
    fn neighbours_hold_a_group_together() {
        let member = |path, freq_est| (path, Summary { freq_est, var_est: 100.0, ..Summary::default() });
        let groups = grouped(vec![member(0, 0.1), member(1, 0.5), member(2, 0.18), member(3, 0.26)]);
        assert_eq!(paths_of(&groups), [vec![1], vec![3, 2, 0]]);
    }
}
