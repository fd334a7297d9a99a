//! The content of a measurement's page, for its template.

use anabranch_diagnose::recording::Recording;
use anabranch_diagnose::{DirectionEstimate, LinkEstimate};
use askama::Template;

use super::course::Span;
use super::data::ShownLane;
use super::map::PathMap;
use super::words::{plain, rate, share, span as words_of_span};
use super::{MOST_SHOWN, estimate, tables};
use crate::report::page::{SCRIPTS, plotly};
use crate::report::table::{ReportTable, grouped};
use crate::{Measurement, PROGRAM};

/// The page.
#[derive(Template)]
#[template(path = "measured.html")]
pub(super) struct MeasuredPage {
    title: String,
    command: String,
    program: &'static str,
    headline: String,
    facts: Vec<(&'static str, String)>,
    findings: Vec<String>,
    map: PathMap,
    paths: ReportTable,
    directions: ReportTable,
    losses: ReportTable,
    /// The number of lanes that the charts show, of all, and the most that they can show.
    shown: usize,
    count: usize,
    most: usize,
    data: String,
    styles: &'static str,
    map_styles: &'static str,
    scripts: &'static [&'static str],
    plotly: String,
}

impl MeasuredPage {
    /// The page of a measurement; `data` is the JSON that its scripts read.
    pub(super) fn new(
        measurement: &Measurement<'_>,
        names: &[String],
        shown: &[ShownLane<'_>],
        span: Span,
        data: String,
    ) -> MeasuredPage {
        let Measurement { recording, links, findings, title, command } = *measurement;
        let estimates: Vec<&LinkEstimate> = (0..names.len()).map(|lane| estimate(links, lane)).collect();
        let title = plain(title.trim(), MOST_LETTERS);
        MeasuredPage {
            title: if title.is_empty() { "Measured paths".to_owned() } else { title },
            command: plain(command, MOST_LETTERS),
            program: PROGRAM,
            headline: headline(&estimates, shown, findings.len()),
            facts: facts(recording, span),
            findings: findings.iter().map(|finding| plain(finding, MOST_LETTERS)).collect(),
            map: PathMap::new(recording, &estimates, names),
            paths: tables::paths(&estimates, names),
            directions: tables::directions(&estimates, names),
            losses: tables::losses(recording, shown, names),
            shown: shown.len(),
            count: names.len(),
            most: MOST_SHOWN,
            data,
            styles: include_str!("../report.css"),
            map_styles: include_str!("../measured.css"),
            scripts: SCRIPTS,
            plotly: plotly(),
        }
    }

    /// The HTML.
    pub(super) fn to_html(&self) -> String {
        // Writing to memory fails only if a value's text does, and none of these does.
        self.render().unwrap_or_default()
    }
}

/// `2 of 3 paths carry 24.9 Mbit/s to the other end and 7.00 Mbit/s from it; 1 finding.`
fn headline(estimates: &[&LinkEstimate], shown: &[ShownLane<'_>], findings: usize) -> String {
    if shown.is_empty() {
        return "No packet of the measurement arrived.".to_owned();
    }
    let sum = |direction: fn(&LinkEstimate) -> &DirectionEstimate| -> Option<f64> {
        let rates = estimates.iter().filter_map(|link| direction(link).rate_bps).map(|rate| rate.value);
        let rates: Vec<f64> = rates.filter(|rate| rate.is_finite()).collect();
        (!rates.is_empty()).then(|| rates.iter().sum())
    };
    let alive =
        estimates.iter().filter(|link| link.forward.rate_bps.or(link.reverse.rate_bps).is_some()).count();
    let rates = [(sum(|link| &link.forward), "to the other end"), (sum(|link| &link.reverse), "from it")];
    let rates = rates.into_iter().filter_map(|(sum, to)| Some(format!("{} {to}", rate(sum?))));
    let carried = match rates.collect::<Vec<_>>().join(" and ") {
        rates if rates.is_empty() => format!("{} paths, whose rates are unknown", estimates.len()),
        rates => format!("{alive} of {} paths carry {rates}", estimates.len()),
    };
    let findings = match findings {
        0 => "nothing found".to_owned(),
        1 => "1 finding".to_owned(),
        many => format!("{many} findings"),
    };
    format!("{carried}; {findings}.")
}

fn facts(recording: &Recording, span: Span) -> Vec<(&'static str, String)> {
    let flights = recording.lanes.iter().flat_map(|lane| lane.forward.iter().chain(&lane.reverse));
    let packets: u64 = flights.map(|flight| flight.packets.len() as u64).sum();
    let dropped = [("here", recording.here.socket_drops), ("there", recording.there.socket_drops)];
    let dropped: Vec<String> =
        dropped.into_iter().filter_map(|(end, drops)| Some(format!("{} {end}", grouped(drops?)))).collect();
    let late = |end: &anabranch_diagnose::recording::End| words_of_span(end.lateness_p99.as_secs_f64());
    let mut facts = vec![
        ("Measured for", words_of_span(span.end.since(anabranch_base::Time::ZERO).as_secs_f64())),
        ("Test packets", grouped(packets)),
        (
            "Lateness of timers (99 %)",
            format!("{} here, {} there", late(&recording.here), late(&recording.there)),
        ),
        (
            "Processor",
            format!(
                "{} here, {} there",
                share(recording.here.processor_share),
                share(recording.there.processor_share)
            ),
        ),
        ("Written by", PROGRAM.to_owned()),
    ];
    if !dropped.is_empty() {
        facts.insert(4, ("Dropped by sockets", dropped.join(", ")));
    }
    facts
}

/// The letters of a sentence. The other end may have chosen some of them.
const MOST_LETTERS: usize = 1_000;
