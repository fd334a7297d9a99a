//! Plans made while a transfer runs, from the measurements of its association (M-CWM-4).

use anabranch_base::{ByteCount, Duration};
use anabranch_models::{Markov, PathParameters, TimeoutBounds, WindowModel};
use anabranch_sctp::policy::registry::Registry;
use anabranch_sctp::policy::window::Planner;
use anabranch_sctp::policy::window::live::Live;
use anabranch_sctp::policy::{PathId, PathSample, View};

use crate::{Problem, exact};

/// Plans by a model of one path, with the exact method.
#[derive(Debug)]
pub struct LivePlanner {
    model: Box<dyn WindowModel + Send>,
    timeout: TimeoutBounds,
}

impl LivePlanner {
    /// Plans by `model`, for paths whose retransmission time-out stays within `timeout`.
    pub fn new(model: Box<dyn WindowModel + Send>, timeout: TimeoutBounds) -> LivePlanner {
        LivePlanner { model, timeout }
    }

    /// A path's parameters as measured; `None` while its rate or its round-trip time is unknown.
    fn parameters(&self, path: &PathSample) -> Option<PathParameters> {
        let (bandwidth, shortest) = path.bandwidth.zip(path.min_rtt)?;
        let delivered = bandwidth.bits_per_second() as f64 / (8.0 * path.unit.get() as f64);
        let shortest = shortest.as_secs_f64();
        // Only a path that queues delivers all that it can; of any other the measured rate is a lower bound.
        let rate = if path.is_queueing() { delivered } else { HEADROOM * delivered };
        let delay = (shortest - 1.0 / rate).max(0.0);
        let loss = path.loss_rate.clamp(LEAST_LOSS, MOST_LOSS);
        let parameters = PathParameters { rate, delay, loss, timeout: self.timeout };
        parameters.check().is_ok().then_some(parameters)
    }

    fn limits(&self, view: &View<'_>) -> Option<Vec<(PathId, ByteCount)>> {
        let paths: Vec<&PathSample> = view.active().collect();
        let parameters: Vec<PathParameters> =
            paths.iter().map(|path| self.parameters(path)).collect::<Option<_>>()?;
        let unit = paths.iter().map(|path| path.unit).max()?;
        let buffer = u32::try_from(view.receive_buffer.get() / unit.get().max(1)).ok()?;
        if buffer > LARGEST_BUFFER {
            return None;
        }
        let problem = Problem::new(&parameters, buffer, &*self.model).ok()?;
        let best = exact(&problem).ok()?;
        let limit = |(path, packets): (&&PathSample, &u32)| (path.id, path.unit * u64::from(*packets));
        Some(paths.iter().zip(&best.limits).map(limit).collect())
    }
}

impl Planner for LivePlanner {
    fn plan(&mut self, view: &View<'_>) -> Vec<(PathId, ByteCount)> {
        self.limits(view).unwrap_or_default()
    }
}

/// The shipped policies, and the window management `live`: limits by the Markov model with independent losses, planned
/// again while the association lives.
pub fn registry() -> Registry {
    let mut registry = Registry::standard();
    registry.window_limits.add("live", |rules| {
        let seconds = |span: Duration| span.as_secs_f64();
        let timeout = TimeoutBounds { min: seconds(rules.rto_min), max: seconds(rules.rto_max) };
        Box::new(Live::new(Box::new(LivePlanner::new(Box::new(Markov::default()), timeout))))
    });
    registry
}

/// A path that does not queue may carry this many times what it delivers: one round of slow start would find as much.
const HEADROOM: f64 = 2.0;
/// The least loss rate assumed: a few thousand packets without a loss prove no less.
const LEAST_LOSS: f64 = 1e-5;
/// The largest loss rate assumed: a path that loses everything now may recover.
const MOST_LOSS: f64 = 0.5;
/// A receive buffer of more packets is not planned for: it holds more than the paths carry, and the plan would take
/// milliseconds.
const LARGEST_BUFFER: u32 = 50_000;

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, Time};
    use anabranch_sctp::policy::{Hints, PathState};

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
            is_paced: false,
            has_spent_share: false,
            srtt: Some(Duration::from_millis(60)),
            min_rtt: Some(Duration::from_millis(40)),
            rttvar: Duration::ZERO,
            rto: Duration::from_secs(1),
            bandwidth: Some(BitRate::from_mbps(mbps)),
            loss_rate,
            hints: Hints::default(),
        }
    }

    fn plan(paths: &[PathSample], packets: u64) -> Vec<(PathId, ByteCount)> {
        let view = View {
            now: Time::ZERO,
            paths,
            primary: PathId::FIRST,
            last_resort: PathId::FIRST,
            peer_window: ByteCount::ZERO,
            receive_buffer: ByteCount::new(1500) * packets,
            queued: ByteCount::ZERO,
        };
        LivePlanner::new(Box::new(Markov::default()), TimeoutBounds { min: 1.0, max: 60.0 }).plan(&view)
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
}
