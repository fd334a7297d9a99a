//! The series for the page's scripts: JSON whose times are whole microseconds since the previous point.

use anabranch_base::{Duration, Time};
use anabranch_link::config::Rate;
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Link, Path};
use serde::Serialize;

use super::bands::Band;
use super::envelope::ThinnedSeries;
use super::marks::{Mark, MarkOrigin};
use super::series::{AirSeries, FlowSeries, Lane, LinkSeries, PathSeries, RunSeries, ShownFrame};
use super::sums::Sums;

/// The data of all charts.
#[derive(Debug, Serialize)]
pub(super) struct ChartData<'a> {
    /// The length of the run, in microseconds.
    end: u64,
    /// The length of a bin of the rates, in microseconds.
    bin: u64,
    paths: Vec<RouteData<'a>>,
    links: Vec<LinkData<'a>>,
    flows: Vec<FlowData<'a>>,
    marks: Vec<MarkData<'a>>,
    bands: Vec<BandData>,
    /// The transmissions in a mesh; `None` without one.
    air: Option<AirData<'a>>,
}

/// The air time of a mesh.
#[derive(Debug, Serialize)]
struct AirData<'a> {
    /// The length of a bin, in microseconds.
    bin: u64,
    lanes: Vec<LaneData<'a>>,
    /// The first frames: start since the previous one and duration (both in microseconds), lane, use.
    frames: Vec<[u64; 4]>,
}

/// The air time of a station on a radio, in microseconds per bin, by use.
#[derive(Debug, Serialize)]
struct LaneData<'a> {
    name: String,
    uses: Vec<&'a [u64]>,
}

/// A path of the scenario.
#[derive(Debug, Serialize)]
struct RouteData<'a> {
    name: &'a str,
    /// Indices of its links.
    links: &'a [usize],
}

#[derive(Debug, Serialize)]
struct LinkData<'a> {
    name: &'a str,
    /// The path that uses it, if it is the only one.
    path: Option<usize>,
    /// The forward and reverse rates in bit/s; `None` where they vary.
    rates: [Option<u64>; 2],
    forward: ChartLine,
    reverse: ChartLine,
}

#[derive(Debug, Serialize)]
struct FlowData<'a> {
    name: &'a str,
    delivered: &'a [u64],
    delivery_delay: ChartLine,
    paths: Vec<PathData<'a>>,
}

#[derive(Debug, Serialize)]
struct PathData<'a> {
    path: usize,
    cwnd: ChartLine,
    ssthresh: ChartLine,
    flight: ChartLine,
    srtt: ChartLine,
    rto: ChartLine,
    delay: ChartLine,
    #[serde(rename = "way")]
    measured_delay: ChartLine,
    sent: &'a [u64],
    arrived: &'a [u64],
    fresh: ChartLine,
    resent: ChartLine,
    lost: ChartLine,
    marked: ChartLine,
}

#[derive(Debug, Serialize)]
struct MarkData<'a> {
    at: u64,
    text: &'a str,
    scenario: bool,
}

/// The events other than packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunEvents<'a> {
    /// The numbered events.
    pub marks: &'a [Mark],
    /// The shaded times.
    pub bands: &'a [Band],
}

/// A shaded time, in microseconds.
#[derive(Debug, Serialize)]
struct BandData {
    from: u64,
    to: u64,
    link: usize,
    /// The path that uses the link, if it is the only one.
    path: Option<usize>,
}

/// Points in order of time.
#[derive(Debug, Serialize)]
pub(super) struct ChartLine {
    /// Microseconds since the previous point; for the first, since the start.
    t: Vec<u64>,
    /// The values.
    v: Vec<i64>,
    /// The number of values before thinning.
    n: u64,
}

impl<'a> ChartData<'a> {
    /// The data of a run that ended at `end`. The bins of `series` are aligned, each `bin` long.
    pub(super) fn new(
        scenario: &'a Scenario,
        series: &'a RunSeries,
        bin: Duration,
        flows: &'a [String],
        events: RunEvents<'a>,
        end: Time,
    ) -> ChartData<'a> {
        let names = flows.iter().map(String::as_str);
        let links = scenario.links.iter().zip(&series.links).enumerate();
        ChartData {
            end: end.as_nanos() / NANOS,
            bin: bin.as_nanos() / NANOS,
            paths: scenario.paths.iter().map(route_data).collect(),
            links: links
                .map(|(index, (link, series))| link_data(link, only_user(scenario, index), series))
                .collect(),
            flows: names.zip(&series.flows).map(|(name, flow)| flow_data(name, flow)).collect(),
            marks: events.marks.iter().map(mark_data).collect(),
            bands: events.bands.iter().map(|band| band_data(scenario, band)).collect(),
            air: (!series.air.lanes.is_empty()).then(|| air_data(scenario, &series.air)),
        }
    }

    /// The JSON without `<`, so that it may stand in a script element.
    pub(crate) fn to_json(&self) -> String {
        // Serialization fails only for maps with keys other than strings, of which there are none.
        let json = serde_json::to_string(self).unwrap_or_default();
        json.replace('<', "\\u003c")
    }
}

fn route_data(path: &Path) -> RouteData<'_> {
    RouteData { name: &path.name, links: &path.links }
}

fn link_data<'a>(link: &'a Link, path: Option<usize>, series: &LinkSeries) -> LinkData<'a> {
    let rates = [&link.forward, &link.reverse].map(|config| match &config.rate {
        Rate::Fixed(rate) => Some(rate.bits_per_second()),
        Rate::Steps(_) | Rate::Trace(_) => None,
    });
    LinkData { name: &link.name, path, rates, forward: line(&series.forward), reverse: line(&series.reverse) }
}

fn flow_data<'a>(name: &'a str, flow: &'a FlowSeries) -> FlowData<'a> {
    FlowData {
        name,
        delivered: flow.delivered.bins(),
        delivery_delay: line(&flow.delivery_delay),
        paths: flow.paths.iter().map(path_data).collect(),
    }
}

fn path_data(path: &PathSeries) -> PathData<'_> {
    PathData {
        path: path.path,
        cwnd: line(&path.cwnd),
        ssthresh: line(&path.ssthresh),
        flight: line(&path.flight),
        srtt: line(&path.srtt),
        rto: line(&path.rto),
        delay: line(&path.delay),
        measured_delay: line(&path.measured_delay),
        sent: path.sent.bins(),
        arrived: path.arrived.bins(),
        fresh: line(&path.fresh),
        resent: line(&path.resent),
        lost: line(&path.lost),
        marked: line(&path.marked),
    }
}

fn air_data<'a>(scenario: &'a Scenario, air: &'a AirSeries) -> AirData<'a> {
    let mut before = 0;
    let frame = |frame: &ShownFrame| {
        let [start, end] = [frame.start, frame.end].map(|at| at.as_nanos() / NANOS);
        let since = start - std::mem::replace(&mut before, start);
        [since, end - start, frame.lane as u64, frame.air_use as u64]
    };
    let mut frames = air.frames.clone();
    frames.sort_by_key(|frame| frame.start);
    AirData {
        bin: air.lanes.first().map_or(0, |lane| lane.uses[0].bin().as_nanos() / NANOS),
        lanes: air.lanes.iter().map(|lane| lane_data(scenario, lane)).collect(),
        frames: frames.iter().map(frame).collect(),
    }
}

fn lane_data<'a>(scenario: &'a Scenario, lane: &'a Lane) -> LaneData<'a> {
    let node = &scenario.nodes[lane.node].name;
    let name = match scenario.radios.as_slice() {
        [_] => node.clone(),
        radios => format!("{node} {}", radios[lane.radio].name),
    };
    LaneData { name, uses: lane.uses.iter().map(Sums::bins).collect() }
}

fn band_data(scenario: &Scenario, band: &Band) -> BandData {
    let [from, to] = [band.from, band.to].map(|at| at.as_nanos() / NANOS);
    BandData { from, to, link: band.link, path: only_user(scenario, band.link) }
}

fn mark_data(mark: &Mark) -> MarkData<'_> {
    MarkData {
        at: mark.at.as_nanos() / NANOS,
        text: &mark.text,
        scenario: mark.origin == MarkOrigin::Scenario,
    }
}

/// The points of a series.
pub(super) fn line(envelope: &ThinnedSeries) -> ChartLine {
    let points = envelope.points();
    let mut before = 0;
    let since = |at: Time| {
        let micros = at.as_nanos() / NANOS;
        micros - std::mem::replace(&mut before, micros)
    };
    ChartLine {
        t: points.iter().map(|point| point.at).map(since).collect(),
        v: points.iter().map(|point| point.value).collect(),
        n: envelope.count(),
    }
}

/// The path that uses a link, if it is the only one.
fn only_user(scenario: &Scenario, link: usize) -> Option<usize> {
    let mut users = scenario.paths.iter().enumerate().filter(|(_, path)| path.links.contains(&link));
    let (first, _) = users.next()?;
    users.next().is_none().then_some(first)
}

/// Nanoseconds in a microsecond.
pub(super) const NANOS: u64 = 1_000;

#[cfg(test)]
mod tests {
    use anabranch_sim::observe::Step;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{self, data};

    fn written(scenario: &Scenario, marks: &[Mark]) -> String {
        let mut series = RunSeries::new(scenario);
        let at = |micros: u64| Time::from_nanos(micros * 1_000);
        series.take(&data(at(1_500), &[7], Step::Sent));
        series.take(&data(at(2_000), &[8], Step::Sent));
        let bin = series.align();
        let flows = ["main".to_owned()];
        ChartData::new(scenario, &series, bin, &flows, RunEvents { marks, bands: &[] }, at(3_000)).to_json()
    }

    #[test]
    fn times_count_from_one_point_to_the_next() {
        let data: Value = serde_json::from_str(&written(&testing::scenario(), &[])).unwrap();
        let path = &data["flows"][0]["paths"][0];
        assert_eq!(path["fresh"], json!({"t": [1_500, 500], "v": [0, 1], "n": 2}));
        assert_eq!(
            (&path["sent"], &data["bin"], &data["end"]),
            (&json!([0, 52, 52]), &json!(1_000), &json!(3_000))
        );
        assert_eq!(data["links"][1]["path"], 1);
    }

    #[test]
    fn a_name_cannot_end_the_script_it_stands_in() {
        let mut scenario = testing::scenario();
        scenario.paths[0].name = "</script><b>".to_owned();
        let json = written(&scenario, &[]);
        assert!(!json.contains('<'), "{json}");
        let data: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(data["paths"][0]["name"], "</script><b>");
    }
}
