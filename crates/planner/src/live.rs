//! Plans made during a transfer, from the measurements of its association (M-CWM-4).

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_models::{Markov, PathParameters, TimeoutBounds, WindowModel};
use anabranch_sctp::policy::registry::Registry;
use anabranch_sctp::policy::window::Planner;
use anabranch_sctp::policy::window::live::Live;
use anabranch_sctp::policy::{PathId, PathSample, View};

use crate::problem::ranked;
use crate::{Problem, exact};

/// Plans by a model of one path and the exact method.
///
/// A chunk occupies the peer's window from its departure until a SACK for it returns by any path: the delay there, the
/// time of a packet, and the least delay back of any path. By Little's law a path with throughput `x` occupies `x`
/// times that time `T` of the buffer; a window of `c` packets that does not wait in a queue carries `c / T`, and
/// occupies `c`. So the limits, whose sum is the buffer, keep Σ x·T within it.
///
/// Data is delivered in order, so that all paths wait for a chunk that only a time-out retransmits. A path whose window
/// is no larger than [`shortest`](LivePlanner::new) has no fast retransmission, and its packets beyond the first are
/// not counted: limits between are not planned. A path gets either a window with a fast retransmission, or one packet,
/// so that it is still measured: more would carry little and lose as much time.
#[derive(Debug)]
pub struct LivePlanner {
    model: Box<dyn WindowModel + Send>,
    timeout: TimeoutBounds,
    /// The smallest window of more than one packet, in packets.
    shortest: u32,
    /// The mean loss rate of each path, by its index: the rates of the last windows vary too much for a plan.
    losses: Vec<Option<f64>>,
}

impl LivePlanner {
    /// Plans by `model`, for paths whose retransmission time-out stays within `timeout`. A chunk is marked lost after
    /// `missing_reports`; a window one packet larger than a loss and its reports still has enough reports when the SACK
    /// of the last one is delayed.
    pub fn new(
        model: Box<dyn WindowModel + Send>,
        timeout: TimeoutBounds,
        missing_reports: u8,
    ) -> LivePlanner {
        LivePlanner { model, timeout, shortest: u32::from(missing_reports) + 2, losses: Vec::new() }
    }

    /// Updates the loss rates. A window too short for a fast retransmission gives no estimate: one loss is all of it,
    /// and lasts as long as its time-out. Meanwhile the mean decays, so that the path is tried again.
    fn note_losses(&mut self, view: &View<'_>) {
        self.losses.resize(view.paths.len(), None);
        for (mean, path) in self.losses.iter_mut().zip(view.paths) {
            let is_short = path.cwnd < path.unit * u64::from(self.shortest);
            let latest = if is_short { 0.0 } else { path.loss_rate };
            *mean = Some(mean.map_or(path.loss_rate, |mean| mean + LATEST * (latest - mean)));
        }
    }

    /// The measured parameters of a path; `None` while its rate or its delay is unknown. `least_back` is the least
    /// delay of a SACK by any path.
    fn parameters(&self, path: &PathSample, least_back: Option<Duration>) -> Option<PathParameters> {
        let packets = |rate: BitRate| rate.bits_per_second() as f64 / (8.0 * path.unit.get() as f64);
        let spacing = path.bandwidth.map(packets);
        let delivered = path.delivery.map(|delivery| packets(delivery.rate)).or(spacing)?;
        let there_and_back = path.one_way.zip(least_back).map(|(one_way, back)| one_way.least + back);
        let shortest = there_and_back.or(path.min_rtt)?.as_secs_f64();
        // Only a path that queues delivers all it can; for others the rate over whole round trips is a lower bound. The
        // capacity may be higher, as the spacing of SACKs shows too, and is at least that of the smallest useful
        // window.
        let least = if is_queueing(path) {
            delivered
        } else {
            (headroom(path) * delivered).max(f64::from(self.shortest) / shortest.max(LEAST_DELAY))
        };
        let rate = spacing.map_or(least, |spacing| spacing.max(least));
        let delay = (shortest - 1.0 / rate).max(0.0);
        let mean = self.losses.get(path.id.index()).copied().flatten();
        let loss = mean.unwrap_or(path.loss_rate).clamp(LEAST_LOSS, MOST_LOSS);
        let parameters = PathParameters { rate, delay, loss, timeout: self.timeout };
        parameters.check().is_ok().then_some(parameters)
    }

    fn limits(&self, view: &View<'_>) -> Option<Vec<(PathId, ByteCount)>> {
        let least_back = view.active().filter_map(|path| Some(path.one_way?.back)).min();
        let paths: Vec<&PathSample> = view.active().collect();
        let parameters: Vec<PathParameters> =
            paths.iter().map(|path| self.parameters(path, least_back)).collect::<Option<_>>()?;
        let unit = paths.iter().map(|path| path.unit).max()?;
        let buffer = u32::try_from(view.receive_buffer.get() / unit.get().max(1)).ok()?;
        if buffer > LARGEST_BUFFER {
            return None;
        }
        // At a tie the first path keeps more.
        let ranked = ranked(&parameters);
        let problem = self.problem(ranked.iter().map(|&index| &parameters[index]), buffer)?;
        let best = exact(&problem).ok()?;
        let limit =
            |(&index, &packets): (&usize, &u32)| (paths[index].id, paths[index].unit * u64::from(packets));
        let mut limits: Vec<(PathId, ByteCount)> = ranked.iter().zip(&best.limits).map(limit).collect();
        limits.sort_unstable_by_key(|(path, _)| *path);
        Some(limits)
    }

    /// The problem of `paths` in a buffer of this many packets. The curves extend to the smallest useful window even
    /// where less fills the path: the rest waits in a queue.
    fn problem<'p>(&self, paths: impl Iterator<Item = &'p PathParameters>, buffer: u32) -> Option<Problem> {
        let curve =
            |path: &PathParameters| self.model.curve(path, path.cap().max(self.shortest).min(buffer)).ok();
        let curves = paths.map(curve).collect::<Option<_>>()?;
        let problem = Problem::from_curves(curves, buffer).ok()?;
        Some(problem.without_short_windows(self.shortest - 1))
    }
}

/// Returns true if packets wait in a queue of the path. The one-way delay shows it sooner than the round trip, which
/// varies with the reverse direction too.
fn is_queueing(path: &PathSample) -> bool {
    path.one_way.map_or_else(
        || path.is_queueing(),
        |one_way| one_way.delay > one_way.least + (one_way.least + one_way.back) / 8 + LEAST_QUEUEING,
    )
}

/// The assumed capacity of a path that does not queue, as a multiple of its delivery rate.
fn headroom(path: &PathSample) -> f64 {
    if path.is_below_threshold() { IN_SLOW_START } else { IN_AVOIDANCE }
}

impl Planner for LivePlanner {
    fn plan(&mut self, view: &View<'_>) -> Vec<(PathId, ByteCount)> {
        self.note_losses(view);
        self.limits(view).unwrap_or_default()
    }
}

/// The shipped policies, including those for research, and the window management `live`: limits by the Markov model
/// with independent losses, planned again during the association.
pub fn registry() -> Registry {
    let mut registry = anabranch_policies::registry();
    registry.window_limits.add("live", |rules| {
        let seconds = |span: Duration| span.as_secs_f64();
        let timeout = TimeoutBounds { min: seconds(rules.rto_min), max: seconds(rules.rto_max) };
        let planner = LivePlanner::new(Box::new(Markov::default()), timeout, rules.missing_reports);
        Box::new(Live::new(Box::new(planner)))
    });
    registry
}

/// The growth of a window in one round of slow start.
const IN_SLOW_START: f64 = 2.0;
/// The largest growth of a window in congestion avoidance between two plans, unless round trips are short.
const IN_AVOIDANCE: f64 = 1.25;
/// A shorter wait counts as the variation of an empty path.
const LEAST_QUEUEING: Duration = Duration::from_millis(1);
/// A shorter delay, in seconds, does not raise the rate derived from a window.
const LEAST_DELAY: f64 = 1e-6;
/// The weight of the latest loss rate in the average: sixteen plans, 8 s, are long enough to count losses.
const LATEST: f64 = 1.0 / 16.0;
/// The least loss rate assumed: a few thousand packets without a loss do not prove a lower one.
const LEAST_LOSS: f64 = 1e-5;
/// The largest loss rate assumed: a path that loses everything now may recover.
const MOST_LOSS: f64 = 0.5;
/// The largest receive buffer planned for, in packets: it holds more than the paths carry, and a larger plan would take
/// milliseconds.
const LARGEST_BUFFER: u32 = 50_000;

#[cfg(test)]
mod tests {
    use anabranch_base::Time;
    use anabranch_sctp::policy::{Delivery, Hints, OneWay, PathState};

    use super::*;

    /// A path with a round-trip time of 40 ms that delivers `mbps`, and queues.
    fn sample(index: usize, mbps: u64, loss_rate: f64) -> PathSample {
        let unit = ByteCount::new(1500);
        PathSample {
            id: PathId::from_index(index),
            state: PathState::Active,
            mtu: unit,
            packet_limit: unit,
            unit,
            cwnd: unit * 4,
            ssthresh: unit * 4,
            flight: ByteCount::ZERO,
            is_strict: false,
            blocked_by: None,
            cut_open: false,
            ecn_open: false,
            loss_open: false,
            is_paced: false,
            has_used_share: false,
            srtt: Some(Duration::from_millis(60)),
            min_rtt: Some(Duration::from_millis(40)),
            rttvar: Duration::ZERO,
            rto: Duration::from_secs(1),
            recovery_rto: Duration::from_secs(1),
            bandwidth: Some(BitRate::from_mbps(mbps)),
            one_way: None,
            delivery: None,
            drain_to: None,
            loss_rate,
            hints: Hints::default(),
        }
    }

    fn planner() -> LivePlanner {
        LivePlanner::new(Box::new(Markov::default()), TimeoutBounds { min: 1.0, max: 60.0 }, 3)
    }

    fn view(paths: &[PathSample], packets: u64) -> View<'_> {
        View {
            now: Time::ZERO,
            paths,
            primary: PathId::FIRST,
            last_resort: PathId::FIRST,
            peer_window: ByteCount::ZERO,
            receive_buffer: ByteCount::new(1500) * packets,
            queued: ByteCount::ZERO,
        }
    }

    fn plan(paths: &[PathSample], packets: u64) -> Vec<(PathId, ByteCount)> {
        planner().plan(&view(paths, packets))
    }

    #[test]
    fn the_whole_buffer_is_shared_out_and_the_better_path_has_more_of_it() {
        let limits = plan(&[sample(0, 20, 0.02), sample(1, 20, 0.0001)], 43);
        let [(first, small), (second, large)] = limits[..] else { panic!("two paths: {limits:?}") };
        assert_eq!((first, second), (PathId::FIRST, PathId::from_index(1)));
        assert_eq!((small + large).get(), 43 * 1500);
        assert!(small * 3 < large, "{small} and {large}");
    }

    #[test]
    fn there_is_no_plan_before_every_path_was_measured() {
        let mut paths = [sample(0, 20, 0.0), sample(1, 20, 0.0)];
        paths[1].bandwidth = None;
        assert_eq!(plan(&paths, 43), []);
        paths[1].state = PathState::Inactive;
        assert_eq!(plan(&paths, 43).len(), 1, "a path that carries nothing is not waited for");
    }

    #[test]
    fn a_buffer_that_is_too_small_or_too_large_to_plan_gives_none() {
        let paths = [sample(0, 20, 0.0), sample(1, 20, 0.0)];
        assert_eq!(plan(&paths, 1), []);
        assert_eq!(plan(&paths, 1 << 20), []);
    }

    #[test]
    fn a_path_that_does_not_queue_may_carry_more_than_it_delivers() {
        let (full, mut idle) = (sample(0, 10, 0.0), sample(1, 10, 0.0));
        idle.srtt = idle.min_rtt;
        let limits = plan(&[full, idle], 200);
        assert_eq!(limits.iter().map(|(_, limit)| limit.get() / 1500).collect::<Vec<_>>(), [34, 67]);
    }

    /// 12 Mbit/s are a packet a millisecond: a window is filled after the delay there and the least delay back.
    #[test]
    fn a_path_takes_its_rate_for_its_delay_there_and_the_least_delay_back() {
        let one_way = |there, back| {
            let [least, back] = [there, back].map(Duration::from_millis);
            Some(OneWay { delay: least * 2, least, back })
        };
        let mut paths = [sample(0, 1, 0.0), sample(1, 1, 0.0)];
        for (path, one_way) in paths.iter_mut().zip([one_way(30, 10), one_way(90, 90)]) {
            let rate = BitRate::from_mbps(12);
            (path.one_way, path.delivery) = (one_way, Some(Delivery { rate, peak: rate }));
        }
        assert_eq!(packets(&plan(&paths, 300)), [40, 100]);
        assert_eq!(packets(&plan(&paths, 100)), [40, 60], "the shorter path has what fills it");
    }

    /// A window of two to four packets has no fast retransmission after three missing reports.
    #[test]
    fn no_path_has_a_window_that_can_only_time_out() {
        let slow = plan(&[sample(0, 20, 0.001), sample(1, 1, 0.001)], 75);
        assert_eq!(packets(&slow)[1], 5, "3.3 packets fill it");
        for buffer in 2..60 {
            for loss in [0.0, 0.01, 0.1] {
                let limits = packets(&plan(&[sample(0, 20, loss), sample(1, 2, 0.01)], buffer));
                assert!(
                    limits.iter().all(|limit| *limit == 1 || *limit >= 5),
                    "{buffer}, {loss}: {limits:?}"
                );
                assert!(limits.iter().sum::<u64>() <= buffer);
            }
        }
    }

    /// 12 Mbit/s are a packet a millisecond; the path takes 40 ms when nothing waits.
    #[test]
    fn a_path_in_congestion_avoidance_that_does_not_queue_may_carry_a_quarter_more() {
        let mut path = sample(0, 12, 0.0);
        let one_way = |delay| {
            let [delay, least, back] = [delay, 20, 20].map(Duration::from_millis);
            Some(OneWay { delay, least, back })
        };
        (path.one_way, path.cwnd) = (one_way(26), path.ssthresh + path.unit);
        assert_eq!(packets(&plan(&[path.clone()], 200)), [50]);
        path.one_way = one_way(27);
        assert_eq!(packets(&plan(&[path.clone()], 200)), [40], "more than 6 ms in a queue");
        (path.one_way, path.cwnd) = (one_way(26), path.ssthresh);
        assert_eq!(packets(&plan(&[path], 200)), [80], "slow start");
    }

    /// A path that loses has a window of one packet later, where each loss is a loss of everything.
    #[test]
    fn losses_of_a_window_of_one_packet_are_not_counted_and_the_path_is_tried_again() {
        let mut planner = planner();
        let mut path = sample(0, 20, 0.16);
        path.cwnd = path.unit * 5;
        let mut mean_after = |path: &PathSample, plans: usize| {
            (0..plans).for_each(|_| planner.note_losses(&view(std::slice::from_ref(path), 43)));
            planner.losses[0].expect("noted")
        };
        assert!((mean_after(&path, 1) - 0.16).abs() < 1e-9, "the first is the mean");
        path.loss_rate = 0.0;
        assert!((mean_after(&path, 1) - 0.15).abs() < 1e-9, "a sixteenth is new");
        (path.loss_rate, path.cwnd) = (1.0, path.unit);
        assert!(mean_after(&path, 16) < 0.15 / 2.5);
    }

    /// 1,500 bytes in 0.24 ms are 50 Mbit/s: the delivery of one packet a round trip is not evidence of the path's
    /// capacity.
    #[test]
    fn a_path_that_one_packet_seems_to_fill_is_tried_with_a_useful_window() {
        let mut path = sample(0, 9, 0.0);
        path.min_rtt = Some(Duration::from_micros(300));
        path.srtt = path.min_rtt;
        assert_eq!(packets(&plan(&[path.clone()], 43)), [5]);
        path.srtt = Some(Duration::from_millis(1));
        assert_eq!(packets(&plan(&[path], 43)), [5], "it keeps the window with which it queues");
    }

    fn packets(limits: &[(PathId, ByteCount)]) -> Vec<u64> {
        limits.iter().map(|(_, limit)| limit.get() / 1500).collect()
    }
}
