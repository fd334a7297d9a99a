//! YE-F11: two associations on the string, of which the first starves: its receiver hears the second's sender.

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
    id: "YE-F11",
    aliases: &[],
    about: "Two associations on the string, of which the first starves",
    panels: &[PanelEntry {
        id: "YE-F11",
        title: "two associations on the string: the first starves",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, StringChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok(StringChoice::SENSITIVITY.map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

const ALONE: &str = "alone";

const STARVED: (&str, Metric) = ("runs in which the first starves", Metric::Share);
const SECOND: (&str, Metric) = ("second", Metric::Kilobits);
const LONE: (&str, Metric) = ("lone association", Metric::Kilobits);

/// The record.
fn record(scale: StudyScale, choice: StringChoice) -> Figure {
    let alone = StringRun { window: 4, ..choice.run() };
    let both = StringRun { flows: StringFlows::SecondFromHidden, ..alone };
    let kept = THRESHOLDS.map(|x| within(Number::Mean(vec![at(STARVED, BOTH, x)]), 0.9, f64::INFINITY));
    let gained = THRESHOLDS
        .map(|x| within(Number::Ratio(at(SECOND, BOTH, x), at(LONE, ALONE, x)), 0.8, f64::INFINITY));
    Figure {
        id: "YE-F11",
        title: "an association from 0 to 1 beside one from 2 to 3 that begins at 5 s",
        params: params(choice, "60 s, window 4", seeds(scale)),
        panels: vec![
            panel_of(
                (
                    STARVED,
                    "share of the runs in which the first has from 10 s on at most 5 % of what it had from 1 s to 5 s",
                    Quantity::FirstStarves,
                ),
                (BOTH, both),
                scale,
            ),
            panel_of((SECOND, "the second association, kbit/s", Quantity::SECOND), (BOTH, both), scale),
            panel_of(
                (LONE, "a lone association over one hop, kbit/s", Quantity::MEAN),
                (ALONE, alone),
                scale,
            ),
        ],
        claims: vec![
            claim(
                "C1",
                Weight::Core,
                "in 90 % of the runs the first association falls to at most 5 % of what it had",
                Expression::All(kept.to_vec()),
            ),
            claim(
                "C2",
                Weight::Side,
                "the second has at least 80 % of a lone association",
                Expression::All(gained.to_vec()),
            ),
        ],
    }
}
