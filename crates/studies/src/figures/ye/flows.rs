//! YE-F27: with many associations the window after a mark hardly matters.

use super::super::claim::{Expression, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::{EcnChoice, EcnRun, claim, everywhere, panel, params, seeds, steps, value};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F27",
    aliases: &[],
    about: "Many associations whose window after a mark is an eighth",
    panels: &[PanelEntry {
        id: "YE-F27",
        title: "total goodput by the number of associations",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, EcnChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([EcnChoice::PLAIN_RETRANSMISSIONS, EcnChoice::DIRECT, EcnChoice::OPEN]
            .map(|choice| (choice.name, record(scale, choice)))
            .into())
    },
    ns2: None,
};

/// The number of associations that run.
const NUMBERS: [usize; 9] = [1, 2, 3, 4, 5, 6, 8, 10, 15];

const EIGHTH: &str = "cwnd/8";
const OTHERS: [&str; 2] = ["cwnd/4", "cwnd/6"];
const GOODPUT: (&str, Metric) = ("goodput", Metric::GoodputPackets);

/// The record.
fn record(scale: StudyScale, choice: EcnChoice) -> Figure {
    let points = |window| {
        let point =
            |n: &usize| (*n as f64, EcnRun { associations: *n, window: Some(window), ..choice.run() });
        NUMBERS.iter().map(point).collect()
    };
    let curves = [EIGHTH].into_iter().chain(OTHERS).map(|window| (window, points(window))).collect();
    let title = "packets that all received in the last two minutes";
    let x = NUMBERS.map(|n| n as f64);
    let many: Vec<f64> = x.iter().copied().filter(|n| *n >= 5.0).collect();
    let full = |series| everywhere(PointTest::Within(series, 19_900.0, f64::INFINITY), GOODPUT, &many);
    Figure {
        id: "YE-F27",
        title: "total goodput by the number of associations",
        params: params(choice, seeds(scale)),
        panels: vec![panel("goodput", title, "associations", GOODPUT.1, curves, scale)],
        claims: vec![
            claim(
                "C1",
                Weight::Core,
                "with cwnd/8 and five associations or more the link is full: 19 900 packets at least",
                full(EIGHTH),
            ),
            claim(
                "C2",
                Weight::Side,
                "19 615 packets with one association (1.5 %)",
                value(GOODPUT, EIGHTH, 1.0, 19_615.0, 0.015),
            ),
            claim(
                "C3",
                Weight::Side,
                "goodput does not fall with more associations (0.3 %)",
                everywhere(PointTest::Up(EIGHTH, 0.003), GOODPUT, steps(&x)),
            ),
            claim(
                "C4",
                Weight::Side,
                "so it is with cwnd/4 and cwnd/6",
                Expression::All(OTHERS.map(full).into()),
            ),
        ],
    }
}
