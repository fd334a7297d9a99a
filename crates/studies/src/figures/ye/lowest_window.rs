//! YE-F23: goodput by the window after a mark.

use super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::{EcnChoice, EcnRun, at, claim, everywhere, panel, params, seeds, steps, within};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F23",
    aliases: &[],
    about: "The window after a mark",
    panels: &[PanelEntry {
        id: "YE-F23",
        title: "goodput by the window after a mark",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, EcnChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([EcnChoice::PLAIN_RETRANSMISSIONS].map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

/// Windows in packets of 1,500 bytes, and as a scenario has them. 8 packets and 21,400 bytes are stated, the others ours.
const WINDOWS: [(f64, &str); 10] = [
    (6.0, "9000 B"),
    (8.0, "12000 B"),
    (10.0, "15000 B"),
    (12.0, "18000 B"),
    (14.0, "21000 B"),
    (OPTIMUM, "21400 B"),
    (16.0, "24000 B"),
    (18.0, "27000 B"),
    (20.0, "30000 B"),
    (24.0, "36000 B"),
];

/// 21,400 bytes in packets.
const OPTIMUM: f64 = 21_400.0 / 1_500.0;

const SERIES: &str = "without CWR";
const GOODPUT: (&str, Metric) = ("goodput", Metric::GoodputPackets);
const QUEUE: (&str, Metric) = ("queue", Metric::MeanQueue);

/// The record.
fn record(scale: StudyScale, choice: EcnChoice) -> Figure {
    let point = |(x, window): &(f64, &'static str)| {
        (*x, EcnRun { least: 10, rule: "plain", window: Some(window), ..choice.run() })
    };
    let curve = || vec![(SERIES, WINDOWS.iter().map(point).collect())];
    let label = "window after a mark, packets";
    Figure {
        id: "YE-F23",
        title: "goodput by the window after a mark",
        params: params(choice, seeds(scale)),
        panels: vec![
            panel("goodput", "packets received in the last two minutes", label, GOODPUT.1, curve(), scale),
            panel("queue", "packets that wait at R4, on average", label, QUEUE.1, curve(), scale),
        ],
        claims: claims(),
    }
}

fn claims() -> Vec<Claim> {
    let x: Vec<f64> = WINDOWS.iter().map(|(x, _)| *x).collect();
    let (below, from): (Vec<f64>, Vec<f64>) = x.iter().partition(|x| **x < OPTIMUM);
    let goodput = |x| Number::Mean(vec![at(GOODPUT, SERIES, x)]);
    vec![
        claim(
            "C1",
            Weight::Core,
            "with 21 400 bytes the link is full: 19 900 packets at least",
            within(goodput(OPTIMUM), 19_900.0, f64::INFINITY),
        ),
        claim(
            "C2",
            Weight::Core,
            "with 8 packets 19 403 arrive (18 800 to 19 800)",
            within(goodput(8.0), 18_800.0, 19_800.0),
        ),
        claim(
            "C3",
            Weight::Side,
            "goodput does not fall up to 21 400 bytes, and then stays at its greatest (0.3 %)",
            Expression::All(vec![
                everywhere(PointTest::Up(SERIES, 0.003), GOODPUT, &below),
                everywhere(PointTest::NearGreatest(SERIES, 0.003), GOODPUT, &from),
            ]),
        ),
        claim(
            "C4",
            Weight::Side,
            "beyond 21 400 bytes the queue grows with the window",
            everywhere(PointTest::Up(SERIES, 0.0), QUEUE, steps(&from)),
        ),
    ]
}
