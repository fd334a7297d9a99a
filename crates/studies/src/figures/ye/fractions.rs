//! YE-F26: goodput by the fraction of the window that a mark leaves.

use super::super::claim::{PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::{EcnChoice, EcnRun, claim, everywhere, panel, params, seeds, steps, value};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F26",
    aliases: &[],
    about: "Smaller fractions of the window after a mark",
    panels: &[PanelEntry {
        id: "YE-F26",
        title: "goodput by the fraction of the window that a mark leaves",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, EcnChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([EcnChoice::PLAIN_RETRANSMISSIONS].map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

/// k of cwnd/k, and as a scenario has it.
const FRACTIONS: [(f64, &str); 4] = [(2.0, "cwnd/2"), (4.0, "cwnd/4"), (6.0, "cwnd/6"), (8.0, "cwnd/8")];

const FRACTION: &str = "cwnd/k";
const GOODPUT: (&str, Metric) = ("goodput", Metric::GoodputPackets);

/// The record.
fn record(scale: StudyScale, choice: EcnChoice) -> Figure {
    let point = |(k, window): &(f64, &'static str)| (*k, EcnRun { window: Some(window), ..choice.run() });
    let curve = vec![(FRACTION, FRACTIONS.iter().map(point).collect())];
    let title = "packets received in the last two minutes";
    let x = FRACTIONS.map(|(k, _)| k);
    Figure {
        id: "YE-F26",
        title: "goodput by the fraction of the window that a mark leaves",
        params: params(choice, seeds(scale)),
        panels: vec![panel("goodput", title, "k of cwnd/k", GOODPUT.1, curve, scale)],
        claims: vec![
            claim(
                "C1",
                Weight::Core,
                "the smaller the fraction, the lower the goodput (0.2 %)",
                everywhere(PointTest::Down(FRACTION, 0.002), GOODPUT, steps(&x)),
            ),
            claim(
                "C2",
                Weight::Core,
                "19 984 packets with cwnd/2 (0.7 %)",
                value(GOODPUT, FRACTION, 2.0, 19_984.0, 0.007),
            ),
            claim(
                "C3",
                Weight::Side,
                "19 615 packets with cwnd/8 (1.5 %)",
                value(GOODPUT, FRACTION, 8.0, 19_615.0, 0.015),
            ),
        ],
    }
}
