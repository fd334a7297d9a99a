//! YE-F35: goodput over lossy radio links by the least time-out.

use super::super::claim::{Expression, Number, PointTest, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::verdict::Verdict;
use super::radio::RadioRun;
use super::radio_goodput::{GOODPUT, seconds};
use super::{RadioChoice, at, claim, everywhere, panel, radio_params, seeds, steps};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F35",
    aliases: &[],
    about: "Goodput by the least time-out",
    panels: &[PanelEntry {
        id: "YE-F35",
        title: "goodput by losses and the least time-out",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, RadioChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([RadioChoice::EACH_PACKET, RadioChoice::CAUTIOUS]
            .map(|choice| (choice.name, record(scale, choice)))
            .into())
    },
    ns2: None,
};

/// Least time-outs.
const LEAST_TIMEOUTS: [&str; 3] = ["0.2 s", "0.5 s", "1 s"];

/// The record.
fn record(scale: StudyScale, choice: RadioChoice) -> Figure {
    let percents: Vec<f64> = (1..=10).map(f64::from).collect();
    let curve = |least_timeout: &'static str| {
        let point = |percent: &f64| {
            let states = Some((9.9, 0.1));
            let seconds = seconds(scale, 600);
            (*percent, RadioRun { loss: percent / 100.0, states, least_timeout, seconds, ..choice.run() })
        };
        (least_timeout, percents.iter().map(point).collect())
    };
    let [small, middle, large] = LEAST_TIMEOUTS;
    let less = |one, other| everywhere(PointTest::Le(one, other, 0.01), GOODPUT, &percents);
    let mean = |series| super::CurvePoints { x: percents.clone(), ..at(GOODPUT, series, 0.0) };
    let lower = |one, other| Expression::Less(Number::Ratio(mean(one), mean(other)), 1.0);
    let falls = |series| everywhere(PointTest::Down(series, 0.0), GOODPUT, steps(&percents));
    Figure {
        id: "YE-F35",
        title: "goodput by random losses and the least time-out",
        params: radio_params(choice, "each link bad for 0.1 s in 10 s; no datagrams; 600 s", seeds(scale)),
        panels: vec![panel(
            GOODPUT.0,
            "goodput of whole packets",
            "random losses, %",
            GOODPUT.1,
            LEAST_TIMEOUTS.map(curve).into(),
            scale,
        )],
        claims: vec![
            claim(
                "C1",
                Weight::Core,
                "the larger the least time-out, the lower the goodput (1 %), and lower on average",
                Expression::All(vec![
                    less(middle, small),
                    less(large, middle),
                    lower(middle, small),
                    lower(large, middle),
                ]),
            ),
            claim(
                "C2",
                Weight::Side,
                "goodput falls with the losses",
                Expression::All(LEAST_TIMEOUTS.map(falls).into()),
            ),
        ],
    }
}
