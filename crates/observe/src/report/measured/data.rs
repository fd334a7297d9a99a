//! The series of a measurement for the page's scripts, thinned to a size that does not grow with the measurement.
//!
//! The keys that the scripts share with a run's page (`paths`, `flows`, `links`, `marks`, `bands`) have the same form: the
//! lanes are the paths of a single flow.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_diagnose::DirectionEstimate;
use anabranch_diagnose::recording::Purpose;
use serde::Serialize;

use super::course::{Course, Phase};
use super::losses::{LossRun, Losses};
use crate::report::data::{ChartLine, NANOS, line};
use crate::report::envelope::ThinnedSeries;
use crate::report::sums::Sums;

/// The data of all charts.
#[derive(Debug, Serialize)]
pub(super) struct MeasuredData<'a> {
    /// The length of the measurement, in microseconds.
    end: u64,
    /// The length of a bin of the rates, in microseconds.
    bin: u64,
    paths: Vec<PathData<'a>>,
    flows: [FlowData; 1],
    links: [(); 0],
    marks: [(); 0],
    bands: [(); 0],
    lanes: Vec<LaneData<'a>>,
}

#[derive(Debug, Serialize)]
struct PathData<'a> {
    name: &'a str,
    links: [(); 0],
}

/// The lanes that charts show.
#[derive(Debug, Serialize)]
struct FlowData {
    name: &'static str,
    paths: Vec<ShownPath>,
}

#[derive(Debug, Serialize)]
struct ShownPath {
    path: usize,
}

#[derive(Debug, Serialize)]
struct LaneData<'a> {
    path: usize,
    name: &'a str,
    directions: [DirectionData; 2],
}

#[derive(Debug, Serialize)]
struct DirectionData {
    title: &'static str,
    /// The estimated capacity in bit/s.
    rate: Option<u64>,
    /// The delay above the floor in microseconds, of the packets that arrived.
    delay: ChartLine,
    /// The same around each packet lost by chance, and by the queue.
    chance: ChartLine,
    queue: ChartLine,
    /// The longest runs: first loss, last loss, delay, number of packets.
    runs: Vec<[u64; 4]>,
    sent: Vec<u64>,
    arrived: Vec<u64>,
    phases: Vec<PhaseData>,
}

#[derive(Debug, Serialize)]
struct PhaseData {
    from: u64,
    to: u64,
    text: &'static str,
}

/// A lane whose packets are shown.
#[derive(Debug)]
pub(super) struct ShownLane<'a> {
    /// Index of the lane.
    pub lane: usize,
    /// The name.
    pub name: &'a str,
    /// Forward and reverse.
    pub directions: [ShownDirection<'a>; 2],
}

/// One direction of it.
#[derive(Debug)]
pub(super) struct ShownDirection<'a> {
    /// The packets.
    pub course: Course,
    /// The losses among them.
    pub losses: Losses,
    /// The estimate.
    pub estimate: &'a DirectionEstimate,
}

impl<'a> MeasuredData<'a> {
    /// The data of these lanes; `names` are those of all lanes.
    pub(super) fn new(names: &'a [String], shown: &'a [ShownLane<'a>], end: Time) -> MeasuredData<'a> {
        let share = (2 * shown.len()).max(1);
        let mut sums: Vec<[Sums; 2]> = shown
            .iter()
            .flat_map(|lane| &lane.directions)
            .map(|direction| rates(direction, end, share))
            .collect();
        Sums::align(sums.iter_mut().flatten());
        let bin = sums.first().map_or(Duration::from_millis(1), |[sent, _]| sent.bin());
        let mut sums = sums.iter();
        let mut data = |direction, title| direction_data(direction, title, sums.next(), share);
        let lanes = shown.iter().map(|lane| {
            let [forward, reverse] = &lane.directions;
            let directions = [data(forward, "to the other end"), data(reverse, "from the other end")];
            LaneData { path: lane.lane, name: lane.name, directions }
        });
        MeasuredData {
            lanes: lanes.collect(),
            end: micros(end),
            bin: bin.as_nanos() / NANOS,
            paths: names.iter().map(|name| PathData { name, links: [] }).collect(),
            flows: [FlowData {
                name: "",
                paths: shown.iter().map(|lane| ShownPath { path: lane.lane }).collect(),
            }],
            links: [],
            marks: [],
            bands: [],
        }
    }

    /// The JSON without `<`, so that it may stand in a script element.
    pub(super) fn to_json(&self) -> String {
        // Serialization fails only for maps with keys other than strings, of which there are none.
        serde_json::to_string(self).unwrap_or_default().replace('<', "\\u003c")
    }
}

/// The bytes sent and arrived over time.
fn rates(direction: &ShownDirection<'_>, end: Time, share: usize) -> [Sums; 2] {
    let [mut sent, mut arrived] = [0, 1].map(|_| Sums::new(MOST_BINS / share));
    for packet in &direction.course.packets {
        sent.add(packet.at, packet.size);
        if let Some(growth) = packet.growth {
            arrived.add((packet.at + growth).min(end), packet.size);
        }
    }
    // An empty one is as long: the scripts take bins of one length.
    arrived.add(end, ByteCount::default());
    [sent, arrived]
}

fn direction_data(
    direction: &ShownDirection<'_>,
    title: &'static str,
    sums: Option<&[Sums; 2]>,
    share: usize,
) -> DirectionData {
    let ShownDirection { course, losses, estimate } = direction;
    let arrivals = course.packets.iter().filter_map(|packet| Some((packet.at, packet.growth?)));
    let lost = |is_by_queue: bool| {
        let lost = losses.lost.iter().filter(move |lost| lost.is_by_queue == is_by_queue);
        thinned(lost.map(|lost| (lost.at, lost.growth)), MOST_LOSS_STEPS / share)
    };
    let bins = |index: usize| sums.map(|sums| sums[index].bins().to_vec()).unwrap_or_default();
    let rate = estimate.rate_bps.map(|rate| rate.value).filter(|rate| rate.is_finite() && *rate >= 1.0);
    DirectionData {
        title,
        rate: rate.map(|rate| rate as u64),
        delay: thinned(arrivals, MOST_STEPS / share),
        chance: lost(false),
        queue: lost(true),
        runs: longest(&losses.runs),
        sent: bins(0),
        arrived: bins(1),
        phases: course.phases.iter().take(MOST_PHASES).map(phase_data).collect(),
    }
}

fn thinned(values: impl Iterator<Item = (Time, Duration)>, limit: usize) -> ChartLine {
    let mut series = ThinnedSeries::new(limit);
    for (at, growth) in values {
        series.mark(at, i64::try_from(growth.as_nanos() / NANOS).unwrap_or(i64::MAX));
    }
    line(&series)
}

/// The longest runs in the order of time.
fn longest(runs: &[LossRun]) -> Vec<[u64; 4]> {
    let mut runs = runs.to_vec();
    runs.sort_by_key(|run| std::cmp::Reverse(run.length));
    runs.truncate(MOST_RUNS);
    runs.sort_by_key(|run| run.from);
    let numbers = |run: &LossRun| {
        [micros(run.from), micros(run.to), run.growth.as_nanos() / NANOS, u64::from(run.length)]
    };
    runs.iter().map(numbers).collect()
}

fn phase_data(phase: &Phase) -> PhaseData {
    PhaseData { from: micros(phase.from), to: micros(phase.to), text: phase_name(phase.purpose) }
}

fn phase_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Rest => "rest",
        Purpose::Beside { .. } => "beside",
        Purpose::Trains { .. } => "trains",
        Purpose::Fill => "fill",
        Purpose::Chance => "chance",
        Purpose::Together => "together",
    }
}

fn micros(at: Time) -> u64 {
    at.as_nanos() / NANOS
}

/// The steps of all lines of delays, four values each.
const MOST_STEPS: usize = 2_000;
/// The steps of all marks of one kind.
const MOST_LOSS_STEPS: usize = 400;
/// The bins of all rates of one kind.
const MOST_BINS: usize = 3_600;
/// The runs of losses in a chart.
const MOST_RUNS: usize = 40;
/// The phases in a chart.
const MOST_PHASES: usize = 60;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::report::measured::testing::{links, recording};
    use crate::report::measured::{Span, names, shown_lanes};

    fn written() -> Value {
        let (recording, links) = (recording(), links());
        let span = Span::of(&recording);
        let names = names(&recording);
        let shown = shown_lanes(&recording, &links, &names, span);
        serde_json::from_str(&MeasuredData::new(&names, &shown, span.end).to_json()).unwrap()
    }

    #[test]
    fn each_direction_has_its_delays_losses_and_phases() {
        let data = written();
        let lanes = data["lanes"].as_array().unwrap();
        assert_eq!(lanes.len(), 2, "the dead lane has no chart");
        let forward = &lanes[0]["directions"][0];
        let phases: Vec<&str> = forward["phases"]
            .as_array()
            .unwrap()
            .iter()
            .map(|phase| phase["text"].as_str().unwrap())
            .collect();
        assert_eq!(phases, ["rest", "trains", "fill", "chance", "together"]);
        assert_eq!(forward["phases"][1], json!({"from": 1_000_000, "to": 1_119_000, "text": "trains"}));
        assert_eq!((&forward["chance"]["n"], &forward["queue"]["n"]), (&json!(6), &json!(25)));
        assert_eq!(forward["runs"][0][3], 25);
        assert_eq!(forward["rate"], 19_900_000);
        assert_eq!(data["flows"][0]["paths"], json!([{"path": 0}, {"path": 1}]));
    }

    #[test]
    fn every_byte_is_in_a_bin() {
        let data = written();
        let forward = &data["lanes"][0]["directions"][0];
        let sum =
            |key: &str| forward[key].as_array().unwrap().iter().map(|bin| bin.as_u64().unwrap()).sum::<u64>();
        let lane = &recording().lanes[0];
        let packets = || lane.forward.iter().flat_map(|flight| &flight.packets);
        assert_eq!(sum("sent"), packets().map(|packet| packet.size.get()).sum::<u64>());
        let arrived = packets().filter(|packet| packet.arrived.is_some());
        assert_eq!(sum("arrived"), arrived.map(|packet| packet.size.get()).sum::<u64>());
    }
}
