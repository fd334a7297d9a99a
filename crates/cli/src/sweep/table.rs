//! The result of a sweep for people: the goodput at each point, and the place of the table of all runs.

use anabranch_lab::sweep::{Axis, PointSummary};

use super::Swept;
use crate::report::lay_out_narrow;
use crate::sim::goodput;

/// So many points are shown; all are in the table.
pub(super) const MOST_POINTS: usize = 20;

/// The points, and the files.
pub(super) fn swept(swept: &Swept) -> String {
    let mut text = String::new();
    if !swept.scenario.title.is_empty() {
        text.push_str(&format!("{}\n\n", crate::failure::printable(&swept.scenario.title)));
    }
    text.push_str(&points(&swept.axes, &swept.summaries));
    let more = swept.points - swept.summaries.len().min(swept.points);
    if more > 0 {
        text.push_str(&format!("and {more} more points\n"));
    }
    text.push_str("\nGoodput: means, and half the width of their 95 % confidence intervals.\n");
    let files: Vec<String> = swept.written.files.iter().map(|file| file.display().to_string()).collect();
    text.push_str(&format!("{} runs, a row each: {}\n", swept.written.rows, files.join(", ")));
    for warning in swept.warnings() {
        text.push_str(&format!("Warning: {warning}.\n"));
    }
    if !swept.is_complete {
        text.push_str(&format!(
            "\nStopped after {} of {} runs. The same command goes on from there.\n",
            swept.progress.done, swept.progress.expected
        ));
    }
    text
}

/// A line a point and flow.
fn points(axes: &[Axis], summaries: &[PointSummary]) -> String {
    let has_flows = summaries.iter().any(|point| point.flows.len() > 1);
    let flow = |name: &str| has_flows.then(|| name.to_owned());
    let mut head = short_keys(axes);
    let texts = head.len() + usize::from(has_flows);
    head.extend(flow("flow").into_iter().chain(["runs".to_owned(), "goodput".to_owned()]));
    let mut rows = vec![head];
    for point in summaries {
        let mut values = point.values.clone();
        for estimate in &point.flows {
            let cells = [estimate.goodput_bps.n.to_string(), goodput(&estimate.goodput_bps)];
            rows.push(values.iter().cloned().chain(flow(&estimate.name)).chain(cells).collect());
            // A point's further flows stand below its values.
            values.iter_mut().for_each(String::clear);
        }
    }
    lay_out_narrow(&rows, texts, &[])
}

/// The ends of keys by which they differ: `rate` for `link.wifi.rate` where no other key ends so.
fn short_keys(axes: &[Axis]) -> Vec<String> {
    let end = |key: &str, parts: usize| {
        let all: Vec<&str> = key.split('.').collect();
        all[all.len().saturating_sub(parts)..].join(".")
    };
    let is_unique = |key: &str, parts: usize| {
        axes.iter().filter(|other| end(other.key(), parts) == end(key, parts)).count() == 1
    };
    let short = |axis: &Axis| {
        let parts = (1..=axis.key().split('.').count()).find(|parts| is_unique(axis.key(), *parts));
        end(axis.key(), parts.unwrap_or(usize::MAX))
    };
    axes.iter().map(short).collect()
}

#[cfg(test)]
mod tests {
    use anabranch_lab::sweep::FlowEstimate;
    use anabranch_sim::Summary;

    use super::*;

    #[test]
    fn a_point_is_a_line_for_each_of_its_flows() {
        let axes = [
            "link.a.rate=1 Mbit/s,2 Mbit/s",
            "link.b.rate=5 Mbit/s,6 Mbit/s",
            "flow.x.sctp.scheduler=fill,ecf",
        ];
        let axes = axes.map(|text| Axis::parse(text).expect("an axis"));
        let flow = |name: &str, values: [f64; 2]| FlowEstimate {
            name: name.to_owned(),
            goodput_bps: values.into_iter().collect::<Summary>().estimate().expect("values"),
        };
        let point = PointSummary {
            point: 0,
            values: ["1 Mbit/s", "5 Mbit/s", "fill"].map(str::to_owned).into(),
            runs: 2,
            flows: vec![flow("x", [1e6, 1.2e6]), flow("y", [3e6, 3e6])],
        };
        let text = points(&axes, &[point]);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["a.rate", "b.rate", "scheduler", "flow", "runs", "goodput"]);
        assert_eq!(lines[1][..7], ["1", "Mbit/s", "5", "Mbit/s", "fill", "x", "2"]);
        assert_eq!(lines[2], ["y", "2", "3.00", "Mbit/s"]);
    }
}
