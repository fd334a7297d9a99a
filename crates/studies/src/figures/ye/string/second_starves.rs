//! YE-F13: two associations on the string, of which the second starves: the senders hear each other.

use super::super::super::claim::{Expression, Number, Weight};
use super::super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::super::figure::Figure;
use super::super::super::results::Metric;
use super::super::super::verdict::Verdict;
use super::super::{at, claim, within};
use super::course::Quantity;
use super::unfair::{BOTH, THRESHOLDS, panel_of};
use super::{StringChoice, StringFlows, StringRun, params, seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F13",
    aliases: &[],
    about: "Two associations on the string, of which the second starves",
    panels: &[PanelEntry {
        id: "YE-F13",
        title: "two associations on the string: the second starves",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::NotReproduced,
    }],
    build: |scale| Ok(record(scale, StringChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok(StringChoice::SENSITIVITY.map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

const OUTDONE: (&str, Metric) = ("runs in which the second starves", Metric::Share);
const REPLIES: (&str, Metric) = ("route replies at station 2", Metric::Packets);

/// The record.
fn record(scale: StudyScale, choice: StringChoice) -> Figure {
    let both = StringRun { window: 4, flows: StringFlows::SecondFromExposed, ..choice.run() };
    let each = |of, least, most| {
        Expression::All(THRESHOLDS.map(|x| within(Number::Mean(vec![at(of, BOTH, x)]), least, most)).to_vec())
    };
    Figure {
        id: "YE-F13",
        title: "an association from 1 to 0 beside one from 2 to 3 that begins at 5 s",
        params: params(choice, "60 s, window 4", seeds(scale)),
        panels: vec![
            panel_of(
                (
                    OUTDONE,
                    "share of the runs in which the second has at most 2 % of what the first has",
                    Quantity::SecondStarves,
                ),
                (BOTH, both),
                scale,
            ),
            panel_of(
                (REPLIES, "route replies that arrived at station 2", Quantity::RepliesAtTwo),
                (BOTH, both),
                scale,
            ),
        ],
        claims: vec![
            claim(
                "C1",
                Weight::Core,
                "in 80 % of the runs the second association receives at most 2 % of what the first does",
                each(OUTDONE, 0.8, f64::INFINITY),
            ),
            claim("C2", Weight::Side, "because no route reply arrives at station 2", each(REPLIES, 0.0, 0.0)),
        ],
    }
}
