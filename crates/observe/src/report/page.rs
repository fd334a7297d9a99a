//! The content of the page, for its template.

use std::io::{self, Write};

use anabranch_sim::result::RunResult;
use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::headline::{headline, jains_index};
use super::held::{REASONS, Reason, TimeShares, held};
use super::marks::{Mark, MarkOrigin};
use super::results;
use super::runs::{FlowRuns, over_runs};
use super::series::RunSeries;
use super::slow::slow_time;
use super::stations::{self, StationMap};
use super::table::{ReportTable, grouped};
use crate::words::Seconds;
use crate::{About, PROGRAM};

/// The page.
#[derive(Template)]
#[template(path = "report.html")]
pub(super) struct Page<'a> {
    title: &'a str,
    command: &'a str,
    program: &'a str,
    source: Option<&'a str>,
    headline: String,
    /// Every flow over all replications; empty for a single run.
    runs: Vec<FlowRuns>,
    run_count: usize,
    facts: Vec<(&'static str, String)>,
    flows: ReportTable,
    paths: ReportTable,
    links: ReportTable,
    maps: Vec<StationMap>,
    stations: ReportTable,
    reasons: &'static [Reason],
    held: Vec<TimeShares>,
    marks: Vec<(String, &'a Mark)>,
    /// The number of flows that the charts can show, and the number of all.
    shown: usize,
    count: usize,
    data: String,
    styles: &'static str,
    scripts: &'static [&'static str],
    plotly: String,
}

impl<'a> Page<'a> {
    /// The page of a run; `data` is the JSON that its scripts read.
    pub(super) fn new(
        about: &'a About<'a>,
        result: &RunResult,
        runs: &[RunResult],
        series: &RunSeries,
        marks: &'a [Mark],
        data: String,
    ) -> Page<'a> {
        let title = match about.scenario.title.trim() {
            "" => about.name,
            title => title,
        };
        let slow: Vec<_> = series.flows.iter().map(|flow| slow_time(&flow.delivered)).collect();
        Page {
            title,
            command: about.command,
            program: PROGRAM,
            source: about.source,
            headline: headline(about.scenario, result),
            runs: over_runs(runs),
            run_count: runs.len(),
            facts: facts(about, result),
            flows: results::flows(result, &slow),
            paths: results::paths(result),
            links: results::links(about.scenario, result),
            maps: stations::maps(about.scenario),
            stations: results::stations(result),
            reasons: REASONS,
            held: held(result, &series.flows),
            marks: marks.iter().map(|mark| (Seconds::from(mark.at).to_string(), mark)).collect(),
            shown: series.flows.len(),
            count: series.flow_count,
            data,
            styles: include_str!("report.css"),
            scripts: SCRIPTS,
            plotly: plotly(),
        }
    }

    /// Writes the HTML.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write_into(&self, out: &mut impl Write) -> io::Result<()> {
        Template::write_into(self, out)
    }
}

fn facts(about: &About<'_>, result: &RunResult) -> Vec<(&'static str, String)> {
    let seconds = format!("{:.3}", result.time.as_secs_f64());
    let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
    let mut facts = vec![
        ("Scenario", about.name.to_owned()),
        ("Seed", result.seed.to_string()),
        ("Simulated time", format!("{seconds} s")),
        ("Packets sent by hosts", grouped(result.end_to_end_packets)),
        ("Written by", PROGRAM.to_owned()),
    ];
    facts.extend(jains_index(result).map(|index| ("Jain's fairness index", format!("{index:.3}"))));
    facts
}

/// In order of their dependencies.
pub(super) const SCRIPTS: &[&str] = &[
    include_str!("lines.js"),
    include_str!("charts.js"),
    include_str!("air.js"),
    include_str!("lanes.js"),
    include_str!("layout.js"),
    include_str!("samples.js"),
    include_str!("zoom.js"),
    include_str!("cursor.js"),
    include_str!("page.js"),
];

/// The plotting library, compressed with gzip by the build script, as pages have it: in base64.
pub(super) fn plotly() -> String {
    STANDARD.encode(include_bytes!(concat!(env!("OUT_DIR"), "/plotly.min.js.gz")))
}
