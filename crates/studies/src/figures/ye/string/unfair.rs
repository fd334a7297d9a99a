//! YE-F11 and F13: two associations on the string, of which one starves.

use super::super::super::claim::{Expression, Number, Weight};
use super::super::super::figure::{Figure, Panel};
use super::super::super::results::Metric;
use super::super::{at, claim, within};
use super::course::Quantity;
use super::{StringChoice, StringFlows, StringRun, panel, params, seeds};
use crate::scale::StudyScale;

/// The RTS thresholds: none is stated.
const THRESHOLDS: [f64; 2] = [20.0, 256.0];
const BOTH: &str = "both";
const ALONE: &str = "alone";

const STARVED: (&str, Metric) = ("runs in which the first starves", Metric::Share);
const SECOND: (&str, Metric) = ("second", Metric::Kilobits);
const LONE: (&str, Metric) = ("lone association", Metric::Kilobits);
const OUTDONE: (&str, Metric) = ("runs in which the second starves", Metric::Share);
const REPLIES: (&str, Metric) = ("route replies at station 2", Metric::Packets);

fn of(
    about: ((&'static str, Metric), &str, Quantity),
    (name, run): (&'static str, StringRun),
    scale: StudyScale,
) -> Panel {
    let (of, title, quantity) = about;
    let points = THRESHOLDS.map(|threshold| (threshold, StringRun { threshold: threshold as u32, ..run }));
    panel(of, title, "RTS threshold in bytes", quantity, vec![(name, points.to_vec())], scale)
}

/// YE-F11: the first association's receiver hears the second's sender.
pub fn scenario_one(scale: StudyScale, choice: StringChoice) -> Figure {
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
            of(
                (
                    STARVED,
                    "share of the runs in which the first has from 10 s on at most 5 % of what it had from 1 s to 5 s",
                    Quantity::FirstStarves,
                ),
                (BOTH, both),
                scale,
            ),
            of((SECOND, "the second association, kbit/s", Quantity::SECOND), (BOTH, both), scale),
            of((LONE, "a lone association over one hop, kbit/s", Quantity::MEAN), (ALONE, alone), scale),
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

/// YE-F13: the senders hear each other.
pub fn scenario_two(scale: StudyScale, choice: StringChoice) -> Figure {
    let both = StringRun { window: 4, flows: StringFlows::SecondFromExposed, ..choice.run() };
    let each = |of, least, most| {
        Expression::All(THRESHOLDS.map(|x| within(Number::Mean(vec![at(of, BOTH, x)]), least, most)).to_vec())
    };
    Figure {
        id: "YE-F13",
        title: "an association from 1 to 0 beside one from 2 to 3 that begins at 5 s",
        params: params(choice, "60 s, window 4", seeds(scale)),
        panels: vec![
            of(
                (
                    OUTDONE,
                    "share of the runs in which the second has at most 2 % of what the first has",
                    Quantity::SecondStarves,
                ),
                (BOTH, both),
                scale,
            ),
            of(
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
