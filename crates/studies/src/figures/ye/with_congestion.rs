//! YE-F34: the congestion window over time where datagrams flood R2 now and then.

use super::super::claim::{Claim, Expression, Number, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::Figure;
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::window_trace::{AWARE, Quantity, STANDARD, Trace, X, mean, panel};
use super::{RadioChoice, at, claim, radio_params, seeds, within};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F34",
    aliases: &[],
    about: "The window of a wireless-aware sender with congestion now and then",
    panels: &[PanelEntry {
        id: "YE-F34",
        title: "the window with the radio's losses and congestion",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Inconclusive,
    }],
    build: |scale| Ok(record(scale, RadioChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([RadioChoice::EACH_PACKET, RadioChoice::CAUTIOUS]
            .map(|choice| (choice.name, record(scale, choice)))
            .into())
    },
    ns2: None,
};

const SHARE: (&str, Metric) = ("cuts at floods", Metric::Share);
const SINGLE: (&str, Metric) = ("floods that cut once", Metric::Share);
const EACH: (&str, Metric) = ("cuts of a flood", Metric::Cuts);
const SPREAD: (&str, Metric) = ("spread", Metric::Packets);

/// The record.
fn record(scale: StudyScale, choice: RadioChoice) -> Figure {
    let both = [AWARE, STANDARD];
    Figure {
        id: "YE-F34",
        title: "the congestion window with the radio's losses and congestion",
        params: radio_params(
            choice,
            "random losses 1 %, each link bad for 0.1 s in 10 s; 2 Mbit/s of datagrams of 1500 bytes from R2 to R3, 0.2 s \
             in 5 s from 10 s on; 200 s",
            seeds(scale),
        ),
        panels: vec![
            panel(
                SHARE,
                "share of the cuts within 1 s of a flood's begin",
                &both,
                (choice, true),
                scale,
                |_| Trace::of(Quantity::CutsAtFloods),
            ),
            panel(SINGLE, "share of the floods that cut once", &both, (choice, true), scale, |_| {
                Trace::of(Quantity::FloodsThatCutOnce)
            }),
            panel(EACH, "cuts from one flood to the next, on average", &both, (choice, true), scale, |_| {
                Trace::of(Quantity::CutsOfFlood)
            }),
            panel(
                SPREAD,
                "standard deviation of the window, in packets",
                &both,
                (choice, true),
                scale,
                |_| Trace::of(Quantity::Spread),
            ),
        ],
        claims: claims(),
    }
}

fn claims() -> Vec<Claim> {
    vec![
        claim(
            "C1",
            Weight::Core,
            "the wireless-aware window is cut by floods alone: 90 % of its cuts follow one within 1 s",
            within(mean(SHARE, AWARE), 0.9, 1.0),
        ),
        claim(
            "C2",
            Weight::Side,
            "80 % of the floods cut it exactly once",
            within(mean(SINGLE, AWARE), 0.8, 1.0),
        ),
        claim(
            "C3",
            Weight::Side,
            "it varies less than the standard's",
            Expression::Less(Number::Ratio(at(SPREAD, AWARE, X), at(SPREAD, STANDARD, X)), 1.0),
        ),
    ]
}
