//! The shipped scenarios by both profiles, each with the settings that it has itself.

use std::fmt::Write;

use anabranch_runs::grid::{self, GridError, GridPoint};

use super::tally::MeanOfRuns;

/// Those whose last flow is an SCTP flow and that need no other file.
const SCENARIOS: [(&str, &str); 10] = [
    ("both-ways", include_str!("../../data/scenarios/both-ways.toml")),
    ("dumbbell", include_str!("../../data/scenarios/dumbbell.toml")),
    ("fading", include_str!("../../data/scenarios/fading.toml")),
    ("failover", include_str!("../../data/scenarios/failover.toml")),
    ("outages", include_str!("../../data/scenarios/outages.toml")),
    ("satellite", include_str!("../../data/scenarios/satellite.toml")),
    ("shared-bottleneck", include_str!("../../data/scenarios/shared-bottleneck.toml")),
    ("stairs", include_str!("../../data/scenarios/stairs.toml")),
    ("two-paths", include_str!("../../data/scenarios/two-paths.toml")),
    ("wifi-lte", include_str!("../../data/scenarios/wifi-lte.toml")),
];

/// RFC 9260's settings, with the buffers of the other profile, so that buffers do not differ.
const RFC: &str = "profile = \"rfc9260\"\nreceive_buffer = \"4 MiB\"\nsend_buffer = \"8 MiB\"";

/// Goodput, time-outs and retransmissions of each.
pub(super) fn table(profile: &str, seeds: u64) -> Result<String, GridError> {
    let own = format!("profile = \"{profile}\"");
    let points: Vec<GridPoint> = SCENARIOS
        .iter()
        .flat_map(|(_, text)| {
            [RFC, &own].map(|settings| GridPoint { scenario: with(text, settings), seeds: 1..seeds + 1 })
        })
        .collect();
    let tallies: Vec<MeanOfRuns> = grid::run(&points)?.iter().map(|runs| MeanOfRuns::of(runs)).collect();
    let mut page = format!(
        "## Shipped scenarios\n\n{seeds} seeds; goodput of all flows in Mbit/s, time-outs and chunks sent again, each for \
         rfc9260 (with buffers of 4 and 8 MiB) and {profile}, and how often a silent path was left.\n\n\
         | scenario | rfc9260 | T3 | again | {profile} | T3 | again | left |\n|---|{}\n",
        "---:|".repeat(7)
    );
    for ((name, _), tallies) in SCENARIOS.iter().zip(tallies.chunks(2)) {
        let _ = writeln!(page, "| {name} | {} | {} | {:.1} |", tallies[0], tallies[1], tallies[1].suspicions);
    }
    Ok(page)
}

/// The scenario with these settings, except for keys that it sets itself.
fn with(text: &str, settings: &str) -> String {
    let (before, own) = text.split_once("[flow.sctp]").unwrap_or((text, "\n"));
    let has_buffer = own.contains("receive_buffer");
    let lines = settings.lines().filter(|line| !(has_buffer && line.starts_with("receive_buffer")));
    let lines: String = lines.map(|line| format!("{line}\n")).collect();
    let (rest_of_line, own) = own.split_once('\n').unwrap_or(("", own));
    format!("{before}\n[flow.sctp]{rest_of_line}\n{lines}{own}")
}
