//! Pacing and drop-tail queues: goodput, losses and queue length, by the size of the queue and the round trip.

use std::fmt::Write;

use anabranch_runs::grid::{self, GridError, GridPoint};

use super::tally::MeanOfRuns;

/// A network: a number of equal paths, their rate in Mbit/s, round trip in milliseconds and queue in packets.
#[derive(Clone, Copy, Debug)]
struct EqualPaths {
    paths: usize,
    rate: u32,
    round_trip: u32,
    queue: u32,
}

/// The senders that are compared: a name, and lines of `[flow.sctp]`.
fn senders(profile: &str) -> [(String, String); 5] {
    let with = |change: &str| format!("profile = \"{profile}\"\n{change}");
    [
        ("rfc9260", "profile = \"rfc9260\"\nreceive_buffer = \"4 MiB\"\nsend_buffer = \"8 MiB\"".to_owned()),
        ("not paced", with("max_burst = { packets = 1000, rule = \"event\" }")),
        ("trains of 4", with("max_burst = { packets = 4, rule = \"paced\" }")),
        ("packet by packet", with("scheduler = \"round-robin\"")),
        (profile, with("")),
    ]
    .map(|(name, settings)| (name.to_owned(), settings))
}

fn networks() -> Vec<EqualPaths> {
    let mut networks = Vec::new();
    for paths in [1, 2] {
        for round_trip in [20, 60, 200] {
            networks.extend([20, 50, 100].map(|queue| EqualPaths { paths, rate: 20, round_trip, queue }));
        }
        networks.push(EqualPaths { paths, rate: 100, round_trip: 60, queue: 100 });
    }
    networks
}

/// Bulk transfers for 15 s from their start.
pub(super) fn table(profile: &str, seeds: u64) -> Result<String, GridError> {
    let senders = senders(profile);
    let points: Vec<GridPoint> = networks()
        .into_iter()
        .flat_map(|network| {
            senders
                .each_ref()
                .map(|(_, settings)| GridPoint { scenario: scenario(network, settings), seeds: 1..seeds + 1 })
        })
        .collect();
    let tallies: Vec<MeanOfRuns> = grid::run(&points)?.iter().map(|runs| MeanOfRuns::of(runs)).collect();
    let mut page = format!(
        "## Queues\n\n15 s from the start, {seeds} seeds; goodput in Mbit/s, time-outs, packets dropped by the queue, mean \
         length of the queue.\n\n| paths, rate, round trip, queue | {} |\n|---|{}\n",
        senders.each_ref().map(|(name, _)| name.as_str()).join(" | "),
        "---|".repeat(senders.len())
    );
    for (network, tallies) in networks().iter().zip(tallies.chunks(senders.len())) {
        let EqualPaths { paths, rate, round_trip, queue } = network;
        let cells: Vec<String> = tallies.iter().map(cell).collect();
        let _ = writeln!(
            page,
            "| {paths} × {rate} Mbit/s, {round_trip} ms, {queue} packets | {} |",
            cells.join(" | ")
        );
    }
    Ok(page)
}

fn cell(tally: &MeanOfRuns) -> String {
    format!("{:.2}, {:.1}, {:.0}, {:.1}", tally.goodput, tally.timeouts, tally.drops, tally.queue)
}

fn scenario(network: EqualPaths, settings: &str) -> String {
    let EqualPaths { paths, rate, round_trip, queue } = network;
    let mut text = "[run]\ntime = \"15 s\"\n".to_owned();
    for number in 1..=paths {
        let _ = writeln!(
            text,
            "[[link]]\nname = \"{number}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{} ms\"\njitter = \"0.1 ms\"\n\
             queue = \"{queue} packets\"",
            round_trip / 2
        );
    }
    let _ = writeln!(text, "[flow.sctp]\n{settings}");
    text
}
