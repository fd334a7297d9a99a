//! The result of one path of a flow, and the table of its quantities, from which documents and columns are made.

use anabranch_base::Duration;
use anabranch_base::counter::{Counter, Shown};
use anabranch_sctp::association::PathCounters;

use crate::observe::PathState;

/// The result of one path of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct PathResult {
    /// The name.
    pub name: String,
    /// The state at the end, as its sender sees it.
    pub state: PathState,
    /// The counters of both ends for the flow's data: arrivals are the receiver's count, the rest the sender's.
    pub counters: PathCounters,
    /// Packets of the sender that were lost on this path.
    pub lost_packets: u64,
    /// The congestion window, averaged over time.
    pub mean_cwnd_bytes: f64,
    /// The mean of the round-trip times measured; `None` without one.
    pub mean_rtt_s: Option<f64>,
    /// The least of them.
    pub min_rtt_s: Option<f64>,
    /// Bits of user data per second that arrived for the first time on this path, after the warm-up.
    pub goodput_bps: f64,
    /// For how long there was no data.
    pub app_limited: Duration,
    /// For how long the congestion window was full.
    pub cwnd_limited: Duration,
    /// For how long the receive window was too small.
    pub rwnd_limited: Duration,
    /// For how long both windows had room, and the scheduler sent nothing.
    pub scheduler_limited: Duration,
    /// For how long it carried no data.
    pub down: Duration,
}

/// A quantity of a path's result.
#[derive(Clone, Copy, Debug)]
pub struct PathQuantity {
    /// The key in documents, and the last part of its column's name.
    pub name: &'static str,
    /// The unit; empty for words.
    pub unit: &'static str,
    /// The meaning, as a column has it.
    pub meaning: &'static str,
    read: Reader,
}

/// A value of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// A word.
    Word(&'static str),
    /// A count.
    Whole(u64),
    /// A number; `None` where nothing was measured.
    Number(Option<f64>),
}

#[derive(Clone, Copy, Debug)]
enum Reader {
    Counter(fn(&PathCounters) -> u64),
    Own(fn(&PathResult) -> Measure),
}

impl PathQuantity {
    /// Every quantity, in the order in which results list them.
    pub fn all() -> impl Iterator<Item = PathQuantity> {
        let counters = |table: &'static [Counter<PathCounters>]| {
            table
                .iter()
                .filter(|counter| counter.shown.includes(Shown::Simulations))
                .map(PathQuantity::counted)
        };
        BEFORE
            .into_iter()
            .chain(counters(PathCounters::TRAFFIC))
            .chain(counters(PathCounters::RESENT))
            .chain(LOST)
            .chain(counters(PathCounters::LOSSES))
            .chain(counters(PathCounters::MARKS))
            .chain(AFTER)
    }

    /// The value for `path`.
    pub fn of(&self, path: &PathResult) -> Measure {
        match self.read {
            Reader::Counter(read) => Measure::Whole(read(&path.counters)),
            Reader::Own(read) => read(path),
        }
    }

    fn counted(counter: &Counter<PathCounters>) -> PathQuantity {
        let Counter { name, unit, meaning, read, .. } = *counter;
        PathQuantity { name, unit, meaning, read: Reader::Counter(read) }
    }

    const fn new(
        name: &'static str,
        unit: &'static str,
        meaning: &'static str,
        read: fn(&PathResult) -> Measure,
    ) -> PathQuantity {
        PathQuantity { name, unit, meaning, read: Reader::Own(read) }
    }
}

const BEFORE: [PathQuantity; 1] =
    [PathQuantity::new("state", "", "state at the end, as the sender sees it", |path| {
        Measure::Word(path.state.name())
    })];

/// Counted by the network: neither end knows it.
const LOST: [PathQuantity; 1] = [PathQuantity::new(
    "lost_packets",
    "packets",
    "packets of the sender that were lost on this path",
    |path| Measure::Whole(path.lost_packets),
)];

const AFTER: [PathQuantity; 9] = [
    PathQuantity::new("mean_cwnd_bytes", "B", "congestion window, averaged over time", |path| {
        Measure::Number(Some(path.mean_cwnd_bytes))
    }),
    PathQuantity::new(
        "mean_rtt_s",
        "s",
        "mean of the round-trip times; empty without a measurement",
        |path| Measure::Number(path.mean_rtt_s),
    ),
    PathQuantity::new("min_rtt_s", "s", "least round-trip time; empty without a measurement", |path| {
        Measure::Number(path.min_rtt_s)
    }),
    PathQuantity::new(
        "goodput_bps",
        "bit/s",
        "user data that arrived for the first time on this path, after the warm-up, per second",
        |path| Measure::Number(Some(path.goodput_bps)),
    ),
    PathQuantity::new("app_limited_s", "s", "for how long there was no data to send", |path| {
        seconds(path.app_limited)
    }),
    PathQuantity::new("cwnd_limited_s", "s", "for how long the congestion window was full", |path| {
        seconds(path.cwnd_limited)
    }),
    PathQuantity::new("rwnd_limited_s", "s", "for how long the receive window was too small", |path| {
        seconds(path.rwnd_limited)
    }),
    PathQuantity::new(
        "scheduler_limited_s",
        "s",
        "for how long both windows had room, and the scheduler sent nothing",
        |path| seconds(path.scheduler_limited),
    ),
    PathQuantity::new("down_s", "s", "for how long the path carried no data because it was down", |path| {
        seconds(path.down)
    }),
];

fn seconds(span: Duration) -> Measure {
    Measure::Number(Some(span.as_secs_f64()))
}
