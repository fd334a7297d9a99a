//! YE-F22: what lost CWRs do to goodput, and the proposal that needs none.

use super::super::claim::{Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::{EcnChoice, EcnRun, at, claim, everywhere, panel, params, seeds, steps, within};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F22",
    aliases: &[],
    about: "What lost CWRs do to goodput",
    panels: &[PanelEntry {
        id: "YE-F22",
        title: "ECN: goodput by the share of lost CWRs",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, EcnChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([EcnChoice::PLAIN_RETRANSMISSIONS, EcnChoice::BUNDLED_CWR, EcnChoice::REPEATED_CWR]
            .map(|choice| (choice.name, record(scale, choice)))
            .into())
    },
    ns2: None,
};

/// Percent of the packets with CWR that R4 drops; the grid is ours.
const RATES: [u32; 6] = [0, 10, 20, 30, 40, 50];

const CWR: &str = "CWR";
const PROPOSAL: &str = "without CWR";
const GOODPUT: (&str, Metric) = ("goodput", Metric::GoodputPackets);
const REPORTS: (&str, Metric) = ("reports", Metric::EcnEchoes);

/// The record.
fn record(scale: StudyScale, choice: EcnChoice) -> Figure {
    let run = |ecn| {
        move |rate: &u32| (f64::from(*rate), EcnRun { rule: "plain", ecn, cwr_loss: *rate, ..choice.run() })
    };
    let curves = || {
        let points = |ecn| RATES.iter().map(run(ecn)).collect();
        vec![(CWR, points("cwr")), (PROPOSAL, points("echo"))]
    };
    let label = "CWRs lost, %";
    Figure {
        id: "YE-F22",
        title: "goodput by the share of lost CWRs",
        params: params(choice, seeds(scale)),
        panels: vec![
            panel("goodput", "packets received in the last two minutes", label, GOODPUT.1, curves(), scale),
            panel("reports", "reports of marks in all three minutes", label, REPORTS.1, curves(), scale),
        ],
        claims: claims(),
    }
}

fn claims() -> Vec<super::Claim> {
    let x: Vec<f64> = RATES.iter().map(|rate| f64::from(*rate)).collect();
    let [sent, sent_with_cwr] = [PROPOSAL, CWR].map(|series| at(REPORTS, series, 0.0));
    vec![
        claim(
            "C1",
            Weight::Core,
            "with CWR goodput is no higher (0.5 %), and from 10 % on it is lower",
            Expression::All(vec![
                everywhere(PointTest::Le(CWR, PROPOSAL, 0.005), GOODPUT, &x),
                everywhere(PointTest::Lt(CWR, PROPOSAL), GOODPUT, &x[1..]),
            ]),
        ),
        claim(
            "C2",
            Weight::Core,
            "with CWR goodput falls with the losses (1 %)",
            everywhere(PointTest::Down(CWR, 0.01), GOODPUT, steps(&x)),
        ),
        claim(
            "C3",
            Weight::Side,
            "without CWR nothing changes",
            Expression::All(vec![
                everywhere(PointTest::Down(PROPOSAL, 0.0), GOODPUT, steps(&x)),
                everywhere(PointTest::Up(PROPOSAL, 0.0), GOODPUT, steps(&x)),
            ]),
        ),
        claim(
            "C4",
            Weight::Side,
            "without losses 224 reports (± 50 %), with CWR 1521: 4 to 10 times as many",
            Expression::All(vec![
                within(Number::Mean(vec![sent.clone()]), 112.0, 336.0),
                within(Number::Ratio(sent_with_cwr, sent), 4.0, 10.0),
            ]),
        ),
    ]
}
