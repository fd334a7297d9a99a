//! YE-F33: the congestion window over time where all losses are the radio's.

use super::super::claim::{Expression, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::window_trace::{AWARE, Quantity, SECONDS, STANDARD, Trace, mean, panel};
use super::{RadioChoice, claim, radio_params, seeds, within};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F33",
    aliases: &[],
    about: "The window of a wireless-aware sender without congestion",
    panels: &[PanelEntry {
        id: "YE-F33",
        title: "the window where all losses are the radio's",
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

const CUTS: (&str, Metric) = ("cuts", Metric::Cuts);
const LEAST: (&str, Metric) = ("least window", Metric::Packets);

/// The record.
fn record(scale: StudyScale, choice: RadioChoice) -> Figure {
    let both = [AWARE, STANDARD];
    Figure {
        id: "YE-F33",
        title: "the congestion window where all losses are the radio's",
        params: radio_params(
            choice,
            "random losses 1 %, each link bad for 0.1 s in 10 s; 200 s",
            seeds(scale),
        ),
        panels: vec![
            panel(CUTS, "cuts in 200 s", &both, (choice, false), scale, |_| Trace::of(Quantity::Cuts)),
            panel(LEAST, "least window after it reached 33 packets", &both, (choice, false), scale, |_| {
                Trace::of(Quantity::Least)
            }),
        ],
        claims: vec![
            claim(
                "C1",
                Weight::Core,
                "the wireless-aware window stays at 33 packets",
                Expression::All(vec![
                    within(mean(CUTS, AWARE), 0.0, 0.0),
                    within(mean(LEAST, AWARE), 33.0, 33.0),
                ]),
            ),
            claim(
                "C2",
                Weight::Core,
                "the standard's is cut at least once in 20 s",
                within(mean(CUTS, STANDARD), f64::from(SECONDS) / 20.0, f64::INFINITY),
            ),
        ],
    }
}
