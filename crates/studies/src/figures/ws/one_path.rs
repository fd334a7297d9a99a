//! WS-F5 to F8: the throughput of one path by loss, rate, delay and receive buffer: the simulator, the models and ns-2.

mod claims;
mod cost;
mod curves;

use anabranch_comparisons::ns2::{self, Ns2Losses, OnePathPoint};

use super::super::FigureError;
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Axis, Figure, Spacing};
use super::super::verdict::Verdict;
use super::{LeastTimeout, Sacks, WsPath};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "WS-F5-F8",
    aliases: &["WS-F5", "WS-F6", "WS-F7", "WS-F8"],
    about: "One path's models beside the simulator, by each of its parameters",
    panels: &[
        PanelEntry {
            id: "WS-F5",
            title: "models and simulation of one path by losses",
            decided_by: DecidedBy::Panel("F5"),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "WS-F6",
            title: "the same by bandwidth",
            decided_by: DecidedBy::Panel("F6"),
            verdict: Verdict::Inconclusive,
        },
        PanelEntry {
            id: "WS-F7",
            title: "the same by delay",
            decided_by: DecidedBy::Panel("F7"),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "WS-F8",
            title: "the same by receive buffer",
            decided_by: DecidedBy::Panel("F8"),
            verdict: Verdict::Inconclusive,
        },
    ],
    build: |scale| record(scale, Sacks::EachPacket, LeastTimeout::OfProfile),
    sensitivity: |scale| {
        Ok(vec![
            ("delayed SACKs", record(scale, Sacks::Delayed, LeastTimeout::OfProfile)?),
            ("RTO.Min = 3 (d + 1/b)", record(scale, Sacks::EachPacket, LeastTimeout::OfModel)?),
        ])
    },
    ns2: None,
};

/// A point of the figures: a path and a receive buffer in KiB.
#[derive(Clone, Copy, Debug)]
struct SweepPoint {
    path: WsPath,
    buffer: f64,
}

/// The values that the sweeps leave alone.
const CENTRE: SweepPoint = SweepPoint { path: WsPath { rate: 21.0, delay: 40.0, loss: 1e-3 }, buffer: 128.0 };

/// One figure: what it sweeps, and the places that are judged.
struct Sweep {
    name: &'static str,
    errors: &'static str,
    ns2: &'static str,
    axis: Axis,
    at: &'static [f64],
    place: fn(f64) -> SweepPoint,
    of_ns2: fn(&OnePathPoint) -> f64,
    falls: Falls,
}

/// The direction of throughput along the axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Falls {
    Down,
    Up,
}

const SWEEPS: [Sweep; 4] = [
    Sweep {
        name: "F5",
        errors: "F5 differences",
        ns2: "fig5",
        axis: Axis { label: "p", spacing: Spacing::Logarithmic },
        at: &[1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1],
        place: |loss| SweepPoint { path: WsPath { loss, ..CENTRE.path }, ..CENTRE },
        of_ns2: |point| point.loss,
        falls: Falls::Down,
    },
    Sweep {
        name: "F6",
        errors: "F6 differences",
        ns2: "fig6",
        axis: Axis { label: "b in Mbit/s", spacing: Spacing::Even },
        at: &[1.0, 2.0, 5.0, 10.0, 15.0, 21.0, 30.0, 42.0],
        place: |rate| SweepPoint { path: WsPath { rate, ..CENTRE.path }, ..CENTRE },
        of_ns2: |point| point.rate,
        falls: Falls::Up,
    },
    Sweep {
        name: "F7",
        errors: "F7 differences",
        ns2: "fig7",
        axis: Axis { label: "d in ms", spacing: Spacing::Even },
        at: &[5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 60.0, 100.0],
        place: |delay| SweepPoint { path: WsPath { delay, ..CENTRE.path }, ..CENTRE },
        of_ns2: |point| point.delay,
        falls: Falls::Down,
    },
    Sweep {
        name: "F8",
        errors: "F8 differences",
        ns2: "fig8",
        axis: Axis { label: "receive buffer in KiB", spacing: Spacing::Even },
        at: &[16.0, 32.0, 48.0, 64.0, 96.0, 128.0, 176.0],
        place: |buffer| SweepPoint { buffer, ..CENTRE },
        of_ns2: |point| point.buffer,
        falls: Falls::Up,
    },
];

/// The series' names.
const RUNS: &str = "simulation";
const RUNS_INDEPENDENT: &str = "simulation, independent losses";
const MARKOV: &str = "Markov";
const MARKOV_WAITS: &str = "Markov, RTO ≥ 1 s";
const MARKOV_INDEPENDENT: &str = "Markov, independent losses";
const RENEWAL: &str = "renewal";
const NS2: &str = "ns-2, bursts";
const NS2_INDEPENDENT: &str = "ns-2, independent losses";

/// The record.
///
/// # Errors
/// A model without an answer, or ns-2's table cannot be read.
fn record(scale: StudyScale, sacks: Sacks, timeout: LeastTimeout) -> Result<Figure, FigureError> {
    let ns2 = [ns2::one_path(Ns2Losses::Bursts)?, ns2::one_path(Ns2Losses::Independent)?];
    let mut panels = Vec::new();
    for sweep in &SWEEPS {
        panels.extend(sweep.panels(scale, (sacks, timeout), &ns2)?);
    }
    let mut claims = claims::claims(scale);
    // What the models cost does not depend on how the simulation acknowledges or times out.
    if (sacks, timeout) == (Sacks::EachPacket, LeastTimeout::OfProfile) {
        panels.extend(cost::panels(scale)?);
        claims.extend(cost::claims(scale));
    }
    Ok(Figure {
        id: "WS-F5–F8",
        title: "one path: the models beside the simulator",
        params: params(scale, sacks, timeout),
        panels,
        claims,
    })
}

fn params(scale: StudyScale, sacks: Sacks, timeout: LeastTimeout) -> Vec<(&'static str, String)> {
    let least = match timeout {
        LeastTimeout::OfProfile => "1 s",
        LeastTimeout::OfModel => "3 (d + 1/b), as in the models,",
    };
    let sacks = match sacks {
        Sacks::EachPacket => "one for each packet",
        Sacks::Delayed => "one for every second packet, or after 200 ms",
    };
    let own = |text: &str| text.to_owned();
    vec![
        ("path", own("one; where nothing else is said 21 Mbit/s, 40 ms there and back, p = 0.001, 128 KiB")),
        (
            "losses",
            own(
                "the first of a sender's round takes the rest of it (M-NET-4), on data alone; beside it each for itself",
            ),
        ),
        ("profile", format!("rfc4960, 4 missing reports, RTO {least} to 60 s, bursts of 4 packets at most")),
        ("SACKs", own(sacks)),
        (
            "window limit",
            own(
                "the receive buffer: windows and buffers count packets of 1,500 bytes (`charge = \"packet\"`), so that \
                 128 KiB let 87 be outstanding; nothing else limits a window",
            ),
        ),
        ("queue", own("drop-tail, 1000 packets: nothing is lost there")),
        ("time", own("600 s, of which 30 are left out; a tenth of that at quick scale")),
        ("seeds", format!("{} a point, the same for both kinds of loss", scale.seeds(10))),
        (
            "models",
            own(
                "time-outs of 0 s at least, as WS have them, and of 1 s, as the profile has them, as a curve of its own; \
                 renewal: half of the window lost, mean round",
            ),
        ),
        (
            "ns-2",
            own(
                "tests/oracle/ns2, set b: 8 seeds, 200 s or 65,000 chunks, a SACK for each packet; its bursts last \
                      U(0, 1) of a round and are not those of the simulation",
            ),
        ),
    ]
}
