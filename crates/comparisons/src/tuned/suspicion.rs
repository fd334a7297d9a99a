//! The cost of quick failover where no path fails: the number of times a path is left, by network and by the send
//! rate.

use std::fmt::Write;

use anabranch_runs::grid::{self, GridError, GridPoint};

use super::tally::MeanOfRuns;

/// Two paths, each `rate, delay, jitter, queue`.
const NETWORKS: [(&str, [&str; 2]); 7] = [
    ("alike, 20 ms", ["10 Mbit/s, 10 ms, 0.1 ms, 50", "10 Mbit/s, 10 ms, 0.1 ms, 50"]),
    ("20 ms and 100 ms", ["10 Mbit/s, 10 ms, 0.1 ms, 50", "10 Mbit/s, 50 ms, 0.1 ms, 50"]),
    ("100 ms and 300 ms", ["10 Mbit/s, 50 ms, 0.1 ms, 50", "10 Mbit/s, 150 ms, 0.1 ms, 50"]),
    ("600 ms twice", ["10 Mbit/s, 300 ms, 0.1 ms, 50", "10 Mbit/s, 300 ms, 0.1 ms, 50"]),
    ("jitter of 20 ms", ["10 Mbit/s, 20 ms, 20 ms, 100", "10 Mbit/s, 40 ms, 20 ms, 100"]),
    ("jitter of 80 ms", ["10 Mbit/s, 20 ms, 80 ms, 100", "10 Mbit/s, 40 ms, 80 ms, 100"]),
    ("deep queues", ["20 Mbit/s, 20 ms, 0.1 ms, 100", "2 Mbit/s, 40 ms, 0.1 ms, 500"]),
];

/// Lines of `[[flow]]`.
const TRAFFIC: [(&str, &str); 4] = [
    ("bulk", ""),
    ("1 message a second", "traffic = { kind = \"cbr\", rate = \"800 bit/s\", message = \"100 B\" }"),
    (
        "1 a second, both ways",
        "direction = \"both\"\ntraffic = { kind = \"cbr\", rate = \"800 bit/s\", message = \"100 B\" }",
    ),
    ("50 a second", "traffic = { kind = \"poisson\", rate = \"400 kbit/s\", message = \"1000 B\" }"),
];

/// A minute of each.
pub(super) fn table(profile: &str, seeds: u64) -> Result<String, GridError> {
    let points: Vec<GridPoint> = NETWORKS
        .iter()
        .flat_map(|(_, links)| {
            TRAFFIC.map(|(_, traffic)| GridPoint {
                scenario: scenario(*links, traffic, profile),
                seeds: 1..seeds + 1,
            })
        })
        .collect();
    let tallies: Vec<MeanOfRuns> = grid::run(&points)?.iter().map(|runs| MeanOfRuns::of(runs)).collect();
    let mut page = format!(
        "## False suspicions, {profile}\n\nA minute, {seeds} seeds, no path fails; how often one was left because it was silent, \
         time-outs, chunks sent again.\n\n| two paths | {} |\n|---|{}\n",
        TRAFFIC.map(|(name, _)| name).join(" | "),
        "---|".repeat(TRAFFIC.len())
    );
    for ((name, _), tallies) in NETWORKS.iter().zip(tallies.chunks(TRAFFIC.len())) {
        let cells: Vec<String> = tallies
            .iter()
            .map(|tally| format!("{:.1}, {:.1}, {:.1}", tally.suspicions, tally.timeouts, tally.sent_again))
            .collect();
        let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
    }
    Ok(page)
}

fn scenario(links: [&str; 2], traffic: &str, profile: &str) -> String {
    let mut text = "[run]\ntime = \"60 s\"\n".to_owned();
    for (number, link) in (1..).zip(links) {
        let mut parts = link.split(", ");
        let mut part = || parts.next().unwrap_or("");
        let _ = writeln!(
            text,
            "[[link]]\nname = \"{number}\"\nrate = \"{}\"\ndelay = \"{}\"\njitter = \"{}\"\nqueue = \"{} packets\"",
            part(),
            part(),
            part(),
            part()
        );
    }
    let _ = writeln!(text, "[[flow]]\n{traffic}\n[flow.sctp]\nprofile = \"{profile}\"");
    text
}
