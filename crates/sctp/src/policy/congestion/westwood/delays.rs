//! Separates the queue of a path from jitter, by one-way delays.
//!
//! A link that draws a delay for each packet and keeps their order holds all packets behind a late one. The latest of
//! many packets decides, so that the delay stays some deviations above the mean, and far above the least, without a
//! queue that a smaller window would empty. It also varies within each round trip, which a queue does not. The scatter
//! within round trips bounds the part of the delay that may be jitter, and the least mean of a round trip measures it.

use std::collections::VecDeque;

use anabranch_base::{Duration, Time};

use crate::policy::{OneWay, PathSample};

/// The one-way delays of one path, in seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Delays {
    round: Round,
    /// The recent delay.
    now: Option<f64>,
    /// The scatter within a round trip, smoothed.
    scatter: f64,
    /// The means of recent round trips, each less than all later ones.
    means: VecDeque<(Time, f64)>,
}

/// The samples of a round trip, for a line through them.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    since: Option<Time>,
    count: f64,
    time: f64,
    delay: f64,
    time_squared: f64,
    delay_squared: f64,
    product: f64,
}

impl Round {
    fn take(&mut self, time: f64, delay: f64) {
        self.count += 1.0;
        self.time += time;
        self.delay += delay;
        self.time_squared += time * time;
        self.delay_squared += delay * delay;
        self.product += time * delay;
    }

    fn mean(&self) -> f64 {
        self.delay / self.count
    }

    /// The standard deviation from the straight line that fits best, so that a growing queue does not count as scatter.
    fn scatter(&self) -> f64 {
        let variance = |squares: f64, sum: f64| squares / self.count - (sum / self.count).powi(2);
        let of_time = variance(self.time_squared, self.time);
        let together = self.product / self.count - self.time / self.count * self.mean();
        let explained = if of_time > 0.0 { together * together / of_time } else { 0.0 };
        (variance(self.delay_squared, self.delay) - explained).max(0.0).sqrt()
    }
}

impl Delays {
    /// A packet took `delay`; round trips take `round_trip`.
    pub(super) fn on_delay(&mut self, delay: Duration, round_trip: Duration, at: Time) {
        let delay = delay.as_secs_f64();
        self.now = Some(self.now.map_or(delay, |before| before + (delay - before) / 8.0));
        let since = *self.round.since.get_or_insert(at);
        self.round.take(at.since(since).as_secs_f64(), delay);
        if at.since(since) >= round_trip && self.round.count >= FEWEST {
            self.end_round(at);
        }
    }

    fn end_round(&mut self, at: Time) {
        self.scatter += (self.round.scatter() - self.scatter) / 4.0;
        let mean = self.round.mean();
        while self.means.back().is_some_and(|(_, last)| *last >= mean) {
            self.means.pop_back();
        }
        self.means.push_back((at, mean));
        while self.means.front().is_some_and(|(seen, _)| at.since(*seen) > MEMORY) {
            self.means.pop_front();
        }
        self.round = Round { since: Some(at), ..Round::default() };
    }

    /// The part of the one-way delay above the least that may be jitter.
    fn jitter(&self, sample: &PathSample) -> f64 {
        let Some(delay) = sample.one_way else { return 0.0 };
        let most = (delay.least + delay.back + MOST_JITTER).as_secs_f64();
        (self.scatter * SCATTERS).min(most)
    }

    /// Returns true if jitter may be more than an eighth of the least round trip.
    pub(crate) fn have_jitter(&self, sample: &PathSample) -> bool {
        let least = sample.one_way.map_or(0.0, |delay| (delay.least + delay.back).as_secs_f64());
        self.jitter(sample) > least / 8.0
    }

    /// Returns true if packets wait in a queue of the path, or if that is unknown.
    pub(crate) fn are_queueing(&self, sample: &PathSample) -> bool {
        let Some(delay) = sample.one_way else { return true };
        let (least, round_trip) = (delay.least.as_secs_f64(), (delay.least + delay.back).as_secs_f64());
        let now = self.recent(delay);
        now > least + (round_trip / 8.0).min(GREATEST_RISE) + 0.001 + self.jitter(sample)
    }

    /// The deviation of the delays of a round trip from their line, in seconds.
    pub(crate) fn scatter(&self) -> f64 {
        self.scatter
    }

    /// The recent delay, in seconds.
    pub(super) fn recent(&self, one_way: OneWay) -> f64 {
        self.now.unwrap_or(one_way.delay.as_secs_f64())
    }

    /// The one-way delay without a queue, in seconds: the least, and what jitter adds to it. 0 if it is unknown.
    pub(crate) fn empty_delay(&self, sample: &PathSample) -> f64 {
        let Some(delay) = sample.one_way else { return 0.0 };
        let least = delay.least.as_secs_f64();
        let mean = self.means.front().map_or(0.0, |(_, mean)| mean - least);
        least + mean.clamp(0.0, self.jitter(sample))
    }

    /// The round trip of the path without a queue.
    pub(crate) fn empty_round_trip(&self, sample: &PathSample) -> Option<Duration> {
        let back = sample.one_way?.back;
        Some(back + Duration::from_nanos((self.empty_delay(sample) * 1e9) as u64))
    }
}

/// The fewest samples of a round trip.
const FEWEST: f64 = 8.0;
/// The distance from the least delay to that of a busy link, in scatters of a round trip, if delays are drawn from a
/// normal distribution and packets keep their order.
const SCATTERS: f64 = 20.0;
/// A rise of the delay by this many seconds is a queue, however long the path is.
const GREATEST_RISE: f64 = 0.008;
/// The most jitter that is assumed, beyond the least round trip.
const MOST_JITTER: Duration = Duration::from_millis(100);
/// The time for which the least mean of a round trip is remembered.
const MEMORY: Duration = Duration::from_secs(10);
