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

const AFTER: (&str, Metric) = ("first after over before", Metric::Share);
const SECOND: (&str, Metric) = ("second", Metric::Kilobits);
const LONE: (&str, Metric) = ("lone association", Metric::Kilobits);
const OVER: (&str, Metric) = ("second over first", Metric::Share);
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
    let kept = THRESHOLDS.map(|x| within(Number::Mean(vec![at(AFTER, BOTH, x)]), 0.0, 0.05));
    let gained = THRESHOLDS
        .map(|x| within(Number::Ratio(at(SECOND, BOTH, x), at(LONE, ALONE, x)), 0.8, f64::INFINITY));
    Figure {
        id: "YE-F11",
        title: "an association from 0 to 1 beside one from 2 to 3 that begins at 5 s",
        params: params(choice, "60 s, window 4", seeds(scale)),
        panels: vec![
            of(
                (
                    AFTER,
                    "the first association from 10 s on, over 1 s to 5 s",
                    Quantity::FirstAfterOverBefore,
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
                "the first association falls to at most 5 % of what it had",
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
    let each = |of, most| THRESHOLDS.map(|x| within(Number::Mean(vec![at(of, BOTH, x)]), 0.0, most)).to_vec();
    Figure {
        id: "YE-F13",
        title: "an association from 1 to 0 beside one from 2 to 3 that begins at 5 s",
        params: params(choice, "60 s, window 4", seeds(scale)),
        panels: vec![
            of(
                (OVER, "what the second received over what the first did", Quantity::SecondOverFirst),
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
                "the second association receives at most 2 % of what the first does",
                Expression::All(each(OVER, 0.02)),
            ),
            claim(
                "C2",
                Weight::Side,
                "because no route reply arrives at station 2",
                Expression::All(each(REPLIES, 0.0)),
            ),
        ],
    }
}
