//! The cost of small messages: one link, messages of one size, from one byte to a full packet, by profile and loss.

use std::fmt::Write;

use anabranch_sim::{RunResult, Summary};

use crate::grid::{self, GridError, GridPoint};
use crate::scale::StudyScale;

/// User data of each message, in bytes. The others are compared with the last.
const SIZES: [u32; 9] = [1, 4, 10, 17, 64, 256, 700, 1_000, 1_400];

const PROFILES: [&str; 4] = ["rfc2960", "rfc4960", "rfc9260", "tuned-1"];

/// Share of packets that are lost.
const LOSSES: [&str; 3] = ["0", "0.0005", "0.01"];

/// The link in bits a second, and the bytes of an IP packet on it.
const RATE: f64 = 200e6;
const MTU: u32 = 1_500;
/// IP and SCTP's common header; the header of a DATA chunk.
const HEADERS: u32 = 20 + 12;
const CHUNK_HEADER: u32 = 16;

/// One size at one loss.
#[derive(Clone, Copy, Debug)]
struct SizeCell {
    /// Full packets that were delivered, a second.
    packets: f64,
    /// The longest time without a delivery, in milliseconds, of all seeds.
    stall: f64,
}

/// Runs all points: a table for each profile as Markdown. At full scale 10 s with five seeds, otherwise 3 s with one.
///
/// # Errors
/// A scenario that cannot be run.
pub fn table(scale: StudyScale) -> Result<String, GridError> {
    let (seconds, seeds) = match scale {
        StudyScale::Quick => (3, 1),
        StudyScale::Full => (10, 5),
    };
    let mut points = Vec::new();
    for profile in PROFILES {
        for size in SIZES {
            points.extend(LOSSES.map(|loss| GridPoint {
                scenario: scenario(seconds, profile, size, loss),
                seeds: 1..if loss == "0" { 2 } else { seeds + 1 },
            }));
        }
    }
    let runs = grid::run(&points)?;
    let mut page = format!(
        "{seconds} s, the first second left out, {seeds} seeds (one without loss), each loss the same for all sizes; one link of 200 \
         Mbit/s, 10 ms each way, queue of 400 packets. Packets: full ones delivered a second, beside those at 1,400 B. \
         Of the link: goodput beside what headers leave. Stall: the longest time without a delivery, in ms.\n\n"
    );
    let per_profile = SIZES.len() * LOSSES.len();
    for (profile, runs) in PROFILES.iter().zip(runs.chunks(per_profile)) {
        let cells: Vec<SizeCell> =
            runs.iter().zip(0..).map(|(runs, at)| cell(runs, SIZES[at / LOSSES.len()])).collect();
        page.push_str(&of_profile(profile, &cells));
    }
    Ok(page)
}

fn scenario(seconds: u32, profile: &str, size: u32, loss: &str) -> String {
    format!(
        "[run]\ntime = \"{seconds} s\"\nwarmup = \"1 s\"\n[[link]]\nname = \"link\"\nrate = \"200 Mbit/s\"\n\
         delay = \"10 ms\"\nqueue = \"400 packets\"\nloss = {loss}\n\
         [flow.sctp]\nprofile = \"{profile}\"\npayload = \"{size} B\"\n"
    )
}

fn cell(runs: &[RunResult], size: u32) -> SizeCell {
    let flows = || runs.iter().filter_map(|run| run.flows.first());
    let packets: Summary =
        flows().map(|flow| flow.goodput_bps / 8.0 / f64::from(chunks_of(size) * size)).collect();
    let stalls = flows().map(|flow| flow.longest_stall.as_secs_f64() * 1e3);
    SizeCell {
        packets: packets.estimate().map_or(0.0, |found| found.mean),
        stall: stalls.fold(0.0, f64::max),
    }
}

/// The number of messages of this size fill a packet.
fn chunks_of(size: u32) -> u32 {
    (MTU - HEADERS) / chunk(size)
}

fn chunk(size: u32) -> u32 {
    CHUNK_HEADER + size.next_multiple_of(4)
}

/// Packets a second that the link carries where each is full of messages of this size.
fn most_packets(size: u32) -> f64 {
    RATE / 8.0 / f64::from(HEADERS + chunks_of(size) * chunk(size))
}

fn of_profile(profile: &str, cells: &[SizeCell]) -> String {
    let mut page = format!("## {profile}\n\n|");
    let _ = writeln!(
        page,
        " message | no loss: of the link | stall | 0.05 %: packets | stall | 1 %: packets | stall |\n|---:|---:|---:|---:|---:|---:|---:|"
    );
    let rows: Vec<&[SizeCell]> = cells.chunks(LOSSES.len()).collect();
    let Some(&largest) = rows.last() else { return page };
    for (&size, row) in SIZES.iter().zip(&rows) {
        let _ = write!(
            page,
            "| {size} B | {:.0} % | {:.0} |",
            100.0 * row[0].packets / most_packets(size),
            row[0].stall
        );
        for (cell, beside) in row.iter().zip(largest).skip(1) {
            let _ = write!(page, " {:.0} % | {:.0} |", 100.0 * cell.packets / beside.packets, cell.stall);
        }
        page.push('\n');
    }
    page.push('\n');
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_filled_as_headers_allow() {
        assert_eq!([1, 10, 64, 1_400].map(chunks_of), [73, 52, 18, 1]);
        assert!((most_packets(1_400) - 25e6 / 1_448.0).abs() < 1e-6);
    }
}
