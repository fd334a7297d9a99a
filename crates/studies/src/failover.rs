//! The table of stalls: how long a transfer over several paths stands still when one of them is cut, by what the sender
//! does about it.
//!
//! Each seed has its cut at another moment, and packets are late by up to 0.1 ms: otherwise all twenty seeds would give
//! the same run.

use std::fmt::Write;

use anabranch_sim::RunResult;

use crate::grid::{self, GridError, GridPoint};
use crate::scale::StudyScale;

/// The links that are cut, by their numbers from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CutLinks {
    name: &'static str,
    /// Rates in Mbit/s; 25 ms each way.
    rates: &'static [u32],
    links: &'static [usize],
    direction: &'static str,
    /// When, and when it is healed, in milliseconds.
    at: u64,
    until: u64,
}

/// The sender's settings for failover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FailoverSetting {
    name: &'static str,
    /// Lines of `[flow.sctp]`.
    settings: &'static str,
}

const TWO: &[u32] = &[10, 20];
const THREE: &[u32] = &[10, 20, 5];

const CUTS: [CutLinks; 12] = [
    CutLinks {
        name: "2 paths, the primary",
        rates: TWO,
        links: &[1],
        direction: "both",
        at: 4_000,
        until: 7_000,
    },
    CutLinks {
        name: "2 paths, the fast one",
        rates: TWO,
        links: &[2],
        direction: "both",
        at: 4_000,
        until: 7_000,
    },
    CutLinks {
        name: "2 paths, the fast one, there only",
        rates: TWO,
        links: &[2],
        direction: "forward",
        at: 4_000,
        until: 7_000,
    },
    CutLinks {
        name: "2 paths, the fast one, back only",
        rates: TWO,
        links: &[2],
        direction: "reverse",
        at: 4_000,
        until: 7_000,
    },
    CutLinks {
        name: "3 paths, the primary",
        rates: THREE,
        links: &[1],
        direction: "both",
        at: 4_000,
        until: 7_000,
    },
    CutLinks {
        name: "3 paths, the fast one",
        rates: THREE,
        links: &[2],
        direction: "both",
        at: 4_000,
        until: 7_000,
    },
    CutLinks {
        name: "3 paths, the fast one, there only",
        rates: THREE,
        links: &[2],
        direction: "forward",
        at: 4_000,
        until: 7_000,
    },
    CutLinks {
        name: "3 paths, two of them",
        rates: THREE,
        links: &[1, 2],
        direction: "both",
        at: 4_000,
        until: 7_000,
    },
    CutLinks {
        name: "2 paths, the primary in the handshake",
        rates: TWO,
        links: &[1],
        direction: "both",
        at: 10,
        until: 7_000,
    },
    CutLinks {
        name: "2 paths, the fast one in the handshake",
        rates: TWO,
        links: &[2],
        direction: "both",
        at: 10,
        until: 7_000,
    },
    CutLinks {
        name: "2 paths, both for 1 s",
        rates: TWO,
        links: &[1, 2],
        direction: "both",
        at: 4_000,
        until: 5_000,
    },
    CutLinks {
        name: "2 paths, both for 5 s",
        rates: TWO,
        links: &[1, 2],
        direction: "both",
        at: 1_000,
        until: 6_000,
    },
];

/// The tools' time-outs and buffers.
const MANNERS: [FailoverSetting; 4] = [
    FailoverSetting { name: "RFC 9260", settings: "" },
    FailoverSetting { name: "short time-outs", settings: "" },
    FailoverSetting { name: "RFC 7829", settings: "potentially_failed = 1" },
    FailoverSetting { name: "quick", settings: "potentially_failed = 1, quick = true" },
];

/// Runs all points: the table as Markdown. Twenty seeds at full scale, otherwise five.
///
/// # Errors
/// A scenario that cannot be run.
pub fn table(scale: StudyScale) -> Result<String, GridError> {
    let seeds = scale.seeds(20);
    let mut points = Vec::new();
    for cut in CUTS {
        for manner in MANNERS {
            points.extend(
                (0..seeds).map(|seed| GridPoint {
                    scenario: scenario(cut, manner, seed),
                    seeds: seed + 1..seed + 2,
                }),
            );
        }
    }
    let runs: Vec<RunResult> = grid::run(&points)?.into_iter().flatten().collect();
    let names = MANNERS.map(|manner| manner.name).join(" | ");
    let mut page = format!(
        "Longest time without a delivery in ms, median and worst of {seeds} seeds; links of 25 ms each way with queues of 50 \
         packets, the cut up to 0.2 s later from seed to seed.\n\n| what is cut | {names} |\n|---|{}\n",
        "---:|".repeat(MANNERS.len())
    );
    let mut stalls = runs.chunks(usize::try_from(seeds).unwrap_or(1)).map(shown);
    for cut in CUTS {
        let cells: Vec<String> = stalls.by_ref().take(MANNERS.len()).collect();
        let _ = writeln!(page, "| {} | {} |", cut.name, cells.join(" | "));
    }
    Ok(page)
}

fn scenario(cut: CutLinks, manner: FailoverSetting, seed: u64) -> String {
    let mut text = "[run]\ntime = \"9 s\"\n".to_owned();
    for (number, rate) in (1..).zip(cut.rates) {
        let _ = writeln!(
            text,
            "[[link]]\nname = \"{number}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"25 ms\"\njitter = \"0.1 ms\"\n\
             queue = \"50 packets\""
        );
    }
    let later = 11 * (seed % 19);
    for link in cut.links {
        for (at, state) in [(cut.at + later, "down"), (cut.until + later, "up")] {
            let _ = writeln!(
                text,
                "[[event]]\nat = \"{at} ms\"\nlink = \"{link}\"\nstate = \"{state}\"\ndirection = \"{}\"",
                cut.direction
            );
        }
    }
    text.push_str("[flow.sctp]\nreceive_buffer = \"4 MiB\"\nsend_buffer = \"8 MiB\"\n");
    if manner.name != "RFC 9260" {
        text.push_str("rto = { initial = \"500 ms\", min = \"200 ms\" }\n");
        let _ = writeln!(text, "failover = {{ path_max = 2, heartbeat = \"1 s\", {} }}", manner.settings);
    }
    text
}

fn shown(runs: &[RunResult]) -> String {
    let mut stalls: Vec<u64> =
        runs.iter().filter_map(|run| Some(run.flows.first()?.longest_stall.as_millis())).collect();
    stalls.sort_unstable();
    match (stalls.get(stalls.len() / 2), stalls.last()) {
        (Some(median), Some(worst)) => format!("{median}, {worst}"),
        _ => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_is_healed_and_each_manner_is_another() {
        for cut in CUTS {
            let texts = MANNERS.map(|manner| scenario(cut, manner, 3));
            assert!((1..texts.len()).all(|at| texts[at] != texts[at - 1]), "{}", cut.name);
            assert_eq!(texts[0].matches("\"up\"").count(), cut.links.len());
        }
    }
}
