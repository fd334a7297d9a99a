//! The data that each path carried in each interval of a test.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Duration};
use anabranch_net::PathId;
use anabranch_net::monitor::PathMonitor;
use serde_json::{Value, json};

use crate::direction::TestDirection;
use crate::path_entry::rate;

/// The data carried in one interval.
#[derive(Clone, Debug)]
pub struct Interval {
    /// The beginning, counted from the beginning of the test.
    pub from: Duration,
    /// The end, counted from the beginning of the test.
    pub to: Duration,
    /// One entry for each direction of the test.
    pub directions: Vec<DirectionInterval>,
}

/// The data carried in one direction during an interval.
#[derive(Clone, Debug)]
pub struct DirectionInterval {
    /// The direction.
    pub direction: TestDirection,
    /// The data of each path.
    pub paths: Vec<PathInterval>,
}

/// The data one path carried in an interval.
#[derive(Clone, Debug)]
pub struct PathInterval {
    /// The name of the path.
    pub name: String,
    /// The user data carried.
    pub carried: ByteCount,
    /// The state at the end, in a word.
    pub state: &'static str,
    /// The smoothed round-trip time at the end.
    pub rtt: Option<Duration>,
    /// The congestion window at the end.
    pub cwnd: ByteCount,
}

/// The intervals of a running test.
#[derive(Debug)]
pub(crate) struct Intervals {
    every: Duration,
    last: Duration,
    before: Vec<Vec<(PathId, ByteCount)>>,
    /// The intervals not yet returned by `take_fresh`.
    fresh: VecDeque<Interval>,
    all: Vec<Interval>,
    is_over: bool,
}

impl Intervals {
    /// No intervals yet; each will last `every`.
    pub(crate) fn new(every: Duration) -> Intervals {
        let (last, before, fresh, all) = (Duration::ZERO, Vec::new(), VecDeque::new(), Vec::new());
        Intervals { every, last, before, fresh, all, is_over: false }
    }

    /// Begins the test: data carried before does not count.
    pub(crate) fn begin(&mut self, monitors: &[(TestDirection, PathMonitor)]) {
        self.before = monitors.iter().map(|(_, monitor)| carried(monitor)).collect();
    }

    /// Returns true if the current interval is over at `age`.
    pub(crate) fn is_due(&self, age: Duration) -> bool {
        !self.is_over && age.saturating_sub(self.last) >= self.every
    }

    /// Ends the current interval at `age`, with the monitors' current values.
    pub(crate) fn on_end(&mut self, age: Duration, monitors: &[(TestDirection, PathMonitor)]) {
        let directions = monitors.iter().zip(&self.before).map(|((direction, monitor), before)| {
            DirectionInterval { direction: *direction, paths: paths(monitor, before) }
        });
        let interval = Interval { from: self.last, to: age, directions: directions.collect() };
        self.begin(monitors);
        self.last = age;
        if self.all.len() < MOST_LISTED {
            self.all.push(interval.clone());
        }
        self.fresh.push_back(interval);
    }

    /// Ends the test at `age`. The rest counts as an interval if it lasts at least a tenth of one.
    pub(crate) fn on_last(&mut self, age: Duration, monitors: &[(TestDirection, PathMonitor)]) {
        if !self.is_over && age.saturating_sub(self.last) >= self.every / 10 {
            self.on_end(age, monitors);
        }
        self.is_over = true;
    }

    /// Takes the oldest interval not yet taken.
    pub(crate) fn take_fresh(&mut self) -> Option<Interval> {
        self.fresh.pop_front()
    }

    /// The intervals, at most the first 36,000.
    pub(crate) fn into_all(self) -> Vec<Interval> {
        self.all
    }
}

impl Interval {
    /// The interval as a document, with the first direction's keys at the top level.
    pub fn document(&self) -> Value {
        let seconds = self.to.saturating_sub(self.from).as_secs_f64();
        let mut whole = json!({ "from_s": self.from.as_secs_f64(), "to_s": self.to.as_secs_f64() });
        for (index, direction) in self.directions.iter().enumerate() {
            let one = direction.document(seconds);
            match (index, &mut whole, one) {
                (0, Value::Object(keys), Value::Object(one)) => keys.extend(one),
                (_, Value::Object(keys), one) => {
                    drop(keys.insert(direction.direction.word().to_owned(), one));
                }
                _ => {}
            }
        }
        whole
    }
}

impl DirectionInterval {
    /// The data of all paths together.
    pub fn bytes(&self) -> ByteCount {
        self.paths.iter().map(|path| path.carried).sum()
    }

    fn document(&self, seconds: f64) -> Value {
        let path = |path: &PathInterval| {
            json!({
                "name": path.name,
                "state": path.state,
                "bytes": path.carried.get(),
                "goodput_bps": rate(path.carried.get(), seconds),
                "rtt_s": path.rtt.map(Duration::as_secs_f64),
                "cwnd_bytes": path.cwnd.get(),
            })
        };
        json!({
            "bytes": self.bytes().get(),
            "goodput_bps": rate(self.bytes().get(), seconds),
            "paths": self.paths.iter().map(path).collect::<Vec<_>>(),
        })
    }
}

fn paths(monitor: &PathMonitor, before: &[(PathId, ByteCount)]) -> Vec<PathInterval> {
    let carried_before = |id: PathId| before.iter().find(|(one, _)| *one == id).map(|(_, carried)| *carried);
    let paths = monitor.paths().iter().map(|path| PathInterval {
        name: path.name.clone(),
        carried: path.carried.saturating_sub(carried_before(path.report.id).unwrap_or_default()),
        state: path.state(),
        rtt: path.report.sample.srtt,
        cwnd: path.report.sample.cwnd,
    });
    paths.collect()
}

fn carried(monitor: &PathMonitor) -> Vec<(PathId, ByteCount)> {
    monitor.paths().iter().map(|path| (path.report.id, path.carried)).collect()
}

/// The most intervals in a document.
const MOST_LISTED: usize = 36_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_direction_stands_under_its_name() {
        let path = |carried| PathInterval {
            name: "a".to_owned(),
            carried: ByteCount::new(carried),
            state: "active",
            rtt: Some(Duration::from_millis(20)),
            cwnd: ByteCount::new(30_000),
        };
        let direction = |direction, paths| DirectionInterval { direction, paths };
        let directions = vec![
            direction(TestDirection::Forward, vec![path(1_250_000)]),
            direction(TestDirection::Reverse, Vec::new()),
        ];
        let both = Interval { from: Duration::from_secs(1), to: Duration::from_secs(2), directions };
        let document = both.document();
        assert_eq!((&document["bytes"], &document["reverse"]["bytes"]), (&json!(1_250_000), &json!(0)));
        assert_eq!(document["paths"][0]["goodput_bps"], 1e7);
    }
}
