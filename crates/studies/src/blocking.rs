//! The table of receive-buffer blocking: two unlike paths in one receive buffer, by its size, by how it is split and by
//! how windows share it, beside the best path alone.
//!
//! Nothing is lost at random, but each packet is late by up to 0.1 ms: without that jitter the phase of the packets
//! would decide, and all twenty seeds would give the same run.

use std::fmt::Write;

use anabranch_sim::{RunResult, Summary};

use crate::grid::{self, GridError, GridPoint};
use crate::scale::StudyScale;

/// A path: its rate in Mbit/s, its delay one way in milliseconds, and what may wait before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StudyPath {
    rate: u32,
    delay: u32,
    queue: &'static str,
}

/// Which of the two paths carry data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carrier {
    /// One of them, by standard SCTP.
    Alone(usize),
    /// Both, by CMT, with the buffer split like this.
    Both(&'static str),
    /// Both, by CMT, with the windows managed like this.
    Managed(&'static str),
    /// Both, by this profile for real networks.
    Tuned(&'static str),
}

/// The seeds' goodput in Mbit/s and share of time blocked in percent, each `mean ± interval`.
#[derive(Clone, Debug, PartialEq)]
struct BufferCell {
    mean: f64,
    goodput: String,
    blocked: String,
}

/// The networks, two paths each. The last one is that on which other stacks were measured (docs/performance.md).
const NETWORKS: [[StudyPath; 2]; 4] = [
    [FIRST, FIRST],
    [FIRST, StudyPath { delay: 100, ..FIRST }],
    [FIRST, StudyPath { rate: 1, delay: 100, ..FIRST }],
    [StudyPath { rate: 50, ..SHAPED }, StudyPath { rate: 10, ..SHAPED }],
];

const FIRST: StudyPath = StudyPath { rate: 10, delay: 20, queue: "50 packets" };
const SHAPED: StudyPath = StudyPath { rate: 50, delay: 0, queue: "100 kB" };

const BUFFERS_KIB: [u32; 5] = [16, 32, 64, 128, 256];

const CARRIERS: [Carrier; 13] = [
    Carrier::Alone(0),
    Carrier::Alone(1),
    Carrier::Both("none"),
    Carrier::Both("sender"),
    Carrier::Both("receiver"),
    Carrier::Both("both"),
    Carrier::Both("receiver-flight"),
    Carrier::Both("both-flight"),
    Carrier::Managed("dynamic"),
    Carrier::Managed("static"),
    Carrier::Managed("live"),
    Carrier::Tuned("tuned-1"),
    Carrier::Tuned("tuned-2"),
];

/// Runs all points: the tables as Markdown. At full scale 60 s with twenty seeds, otherwise 30 s with five.
///
/// # Errors
/// A scenario that cannot be run.
pub fn table(scale: StudyScale) -> Result<String, GridError> {
    let (seconds, seeds) = (seconds(scale), scale.seeds(20));
    let mut points = Vec::new();
    for network in NETWORKS {
        for carrier in CARRIERS {
            points.extend(BUFFERS_KIB.map(|buffer| GridPoint {
                scenario: scenario(seconds, network, carrier, buffer),
                seeds: 1..seeds + 1,
            }));
        }
    }
    let cells: Vec<BufferCell> = grid::run(&points)?.iter().map(|runs| cell(runs)).collect();
    let rows: Vec<&[BufferCell]> = cells.chunks(BUFFERS_KIB.len()).collect();
    let mut page = format!(
        "{seconds} s, the first 10 s left out of goodput, {seeds} seeds, mean ± 95 % interval; queues of 50 packets \
         (of 100 kB where there is no delay), 0.1 ms jitter, no loss but in queues, profile rfc9260 where no other is named.\n\n"
    );
    for (network, rows) in NETWORKS.iter().zip(rows.chunks(CARRIERS.len())) {
        page.push_str(&of_network(*network, rows));
    }
    Ok(page)
}

fn seconds(scale: StudyScale) -> u32 {
    match scale {
        StudyScale::Quick => 30,
        StudyScale::Full => 60,
    }
}

fn scenario(seconds: u32, network: [StudyPath; 2], carrier: Carrier, buffer_kib: u32) -> String {
    let paths = ["one", "two"].into_iter().zip(network);
    let links: String = paths
        .enumerate()
        .filter(|(number, _)| carrier.uses(*number))
        .map(|(_, (name, path))| link(name, path))
        .collect();
    let profile = match carrier {
        Carrier::Tuned(profile) => profile,
        Carrier::Alone(_) | Carrier::Both(_) | Carrier::Managed(_) => "rfc9260",
    };
    let rules = match carrier {
        Carrier::Tuned(_) => String::new(),
        Carrier::Alone(_) => "multipath = \"off\"".to_owned(),
        Carrier::Both(split) => format!("multipath = \"cmt\"\nbuffer_split = \"{split}\""),
        Carrier::Managed(rule) => format!("multipath = \"cmt\"\nwindow_management = \"{rule}\""),
    };
    format!(
        "title = \"{carrier}\"\n[run]\ntime = \"{seconds} s\"\nwarmup = \"10 s\"\n{links}[flow.sctp]\n\
         profile = \"{profile}\"\nreceive_buffer = \"{buffer_kib} KiB\"\n{rules}\n",
    )
}

fn link(name: &str, path: StudyPath) -> String {
    format!(
        "[[link]]\nname = \"{name}\"\nrate = \"{} Mbit/s\"\ndelay = \"{} ms\"\njitter = \"0.1 ms\"\n\
         queue = \"{}\"\n",
        path.rate, path.delay, path.queue
    )
}

fn cell(runs: &[RunResult]) -> BufferCell {
    let flows = || runs.iter().filter_map(|run| Some((run, run.flows.first()?)));
    let goodput: Summary = flows().map(|(_, flow)| flow.goodput_bps / 1e6).collect();
    let blocked: Summary =
        flows().map(|(run, flow)| 100.0 * flow.blocked.as_secs_f64() / run.time.as_secs_f64()).collect();
    let mean = goodput.estimate().map_or(f64::NAN, |found| found.mean);
    BufferCell { mean, goodput: shown(&goodput, 2), blocked: shown(&blocked, 1) }
}

fn shown(summary: &Summary, digits: usize) -> String {
    let Some(found) = summary.estimate() else { return "–".to_owned() };
    format!("{:.digits$} ± {:.digits$}", found.mean, found.ci95.unwrap_or(0.0))
}

/// Both tables of a network.
fn of_network([first, second]: [StudyPath; 2], rows: &[&[BufferCell]]) -> String {
    let goodput = part("Goodput in Mbit/s", rows, |cell| &cell.goodput);
    let blocked = part("Share of the time blocked by the receive window, in %", rows, |cell| &cell.blocked);
    format!("## {first} and {second}\n\n{goodput}\n{blocked}\n")
}

/// One of them. The best path alone is the better of the two, by buffer.
fn part(title: &str, rows: &[&[BufferCell]], show: impl Fn(&BufferCell) -> &str) -> String {
    let sizes: Vec<String> = BUFFERS_KIB.iter().map(|buffer| format!("{buffer} KiB")).collect();
    let line = "---:|".repeat(BUFFERS_KIB.len());
    let mut page = format!("{title}\n\n| | {} |\n|---|{line}\n", sizes.join(" | "));
    let best: Vec<BufferCell> = (0..BUFFERS_KIB.len()).filter_map(|column| best(rows, column)).collect();
    let both = CARRIERS.iter().zip(rows).filter(|(carrier, _)| !matches!(carrier, Carrier::Alone(_)));
    let both = both.map(|(carrier, row)| (carrier.to_string(), *row));
    for (name, row) in std::iter::once(("best path alone".to_owned(), &best[..])).chain(both) {
        let cells: Vec<&str> = row.iter().map(&show).collect();
        let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
    }
    page
}

fn best(rows: &[&[BufferCell]], column: usize) -> Option<BufferCell> {
    let alone = CARRIERS.iter().zip(rows).filter(|(carrier, _)| matches!(carrier, Carrier::Alone(_)));
    alone.map(|(_, row)| row[column].clone()).max_by(|one, two| one.mean.total_cmp(&two.mean))
}

impl Carrier {
    fn uses(self, number: usize) -> bool {
        match self {
            Carrier::Alone(only) => only == number,
            Carrier::Both(_) | Carrier::Managed(_) | Carrier::Tuned(_) => true,
        }
    }
}

impl std::fmt::Display for Carrier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Carrier::Alone(number) => write!(f, "path {} alone", number + 1),
            Carrier::Both(split) => write!(f, "CMT, buffer split: {split}"),
            Carrier::Managed(rule) => write!(f, "CMT, windows: {rule}"),
            Carrier::Tuned(profile) => f.write_str(profile),
        }
    }
}

impl std::fmt::Display for StudyPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} Mbit/s {} ms", self.rate, self.delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell_of(mean: f64) -> BufferCell {
        BufferCell { mean, goodput: format!("{mean}"), blocked: String::new() }
    }

    #[test]
    fn the_best_path_alone_is_chosen_for_each_buffer() {
        let row = |means: [f64; 5]| means.map(cell_of);
        let (one, two) = (row([1.0, 2.0, 3.0, 4.0, 5.0]), row([2.0, 2.5, 1.0, 1.0, 9.0]));
        let both = row([50.0; 5]);
        let mut rows: [&[BufferCell]; CARRIERS.len()] = [&both; CARRIERS.len()];
        (rows[0], rows[1]) = (&one, &two);
        let page = of_network(NETWORKS[0], &rows);
        assert!(page.contains("| best path alone | 2 | 2.5 | 3 | 4 | 9 |"), "{page}");
        assert!(page.contains("| CMT, buffer split: sender | 50 |"), "{page}");
        assert!(page.contains("| CMT, windows: live | 50 |"), "{page}");
    }

    #[test]
    fn a_path_alone_has_no_other_beside_it() {
        let alone = scenario(60, NETWORKS[2], Carrier::Alone(1), 64);
        assert!(!alone.contains("\"one\"") && alone.contains("\"1 Mbit/s\""), "{alone}");
        let both = scenario(60, NETWORKS[2], Carrier::Both("none"), 64);
        assert!(both.contains("\"one\"") && both.contains("\"two\""), "{both}");
    }
}
