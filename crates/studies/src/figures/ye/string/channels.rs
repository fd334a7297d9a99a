//! YE-A1, ours: the string of F7 to F9 with two radios on two channels at each station, and CMT over both.

use super::super::super::claim::{Claim, Expression, Number, Weight};
use super::super::super::entry::FigureEntry;
use super::super::super::figure::{Axis, Figure, FigureCurve, Panel, Spacing, ValueSource};
use super::super::super::results::Metric;
use super::super::{at, claim, within};
use super::course::Quantity;
use super::throughput::{CURVES, WINDOWS};
use super::{StringChoice, StringRun, panel, params, seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-A1",
    aliases: &[],
    about: "The string with two channels; no figure of the thesis",
    panels: &[],
    build: |scale| Ok(record(scale, StringChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([StringChoice::STANDARD_COUNTERS].map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

/// The use of channels: their number, the factor of the window on the axis, and `multipath`.
type Use = (usize, u32, &'static str);

const ONE: Use = (1, 1, "cmt");
const SAME: Use = (2, 1, "cmt");
const TWICE: Use = (2, 2, "cmt");

/// A panel's name, its title, and the use of the channels.
type Measured = (&'static str, &'static str, Use);

const MEANS: [Measured; 3] = [
    ("one channel", "mean throughput without the first second, kbit/s, one channel", ONE),
    ("same window", "the same over two channels with the same window", SAME),
    ("twice the window", "the same over two channels with twice the window", TWICE),
];
const FAILURES: [Measured; 3] = [
    ("link failures of one channel", "link failures for 1,000 data frames, one channel", ONE),
    ("link failures with the same window", "the same over two channels with the same window", SAME),
    ("link failures with twice the window", "the same over two channels with twice the window", TWICE),
];
const ZERO: [Measured; 3] = [
    ("zero bins of one channel", "seconds of 59 below 5 % of the median, one channel", ONE),
    ("zero bins with the same window", "the same over two channels with the same window", SAME),
    ("zero bins with twice the window", "the same over two channels with twice the window", TWICE),
];
/// An association on each channel, with a window of its own. Chosen after the others were seen, to find the cause of C2.
const OWN: Measured = (
    "own windows",
    "the same with an association on each of two channels, each with the window",
    (2, 1, "appstripe"),
);
/// A panel of gains, its title, and the panel that it compares with one channel.
const GAINS: [(&str, &str, &str); 2] = [
    ("gain with the same window", "how much more two channels carry with the same window, %", "same window"),
    (
        "gain with twice the window",
        "how much more two channels carry with twice the window, %",
        "twice the window",
    ),
];

const LABEL: &str = "receive window in packets, of the one channel";

/// The record.
fn record(scale: StudyScale, choice: StringChoice) -> Figure {
    let of = |measured: [Measured; 3], metric, quantity| {
        measured.map(|measured| observed(measured, metric, quantity, scale, choice))
    };
    let mut params = params(choice, "60 s, bins of a second", seeds(scale));
    params.push(("channels", "one, or two that do not disturb each other, with DSR on each".to_owned()));
    params.push(("over two", "`multipath = \"cmt\"`, one receive window for both".to_owned()));
    params.push(("own windows", "`multipath = \"appstripe\"`: chosen after all else was seen".to_owned()));
    Figure {
        id: "YE-A1",
        title: "the string with one channel and with two (ours)",
        params,
        panels: of(MEANS, Metric::Kilobits, Quantity::MEAN)
            .into_iter()
            .chain([observed(OWN, Metric::Kilobits, Quantity::MEAN, scale, choice)])
            .chain(GAINS.map(|(name, title, of)| gains(name, title, of, scale)))
            .chain(of(FAILURES, Metric::Packets, Quantity::LinkFailures))
            .chain(of(ZERO, Metric::Seconds, Quantity::ZeroBins))
            .collect(),
        claims: claims(),
    }
}

fn observed(
    (name, title, (channels, factor, multipath)): Measured,
    metric: Metric,
    quantity: Quantity,
    scale: StudyScale,
    choice: StringChoice,
) -> Panel {
    let curve = |(hops, threshold, name): (usize, u32, &'static str)| {
        let run = |window: f64| {
            let window_packets = factor * window as u32;
            let run = StringRun { hops, threshold, window: window_packets, ..choice.run() };
            (window, StringRun { channels, multipath, ..run })
        };
        (name, WINDOWS.map(run).to_vec())
    };
    panel((name, metric), title, LABEL, quantity, CURVES.map(curve).to_vec(), scale)
}

fn gains(name: &'static str, title: &str, of: &'static str, scale: StudyScale) -> Panel {
    let curve = |(_, _, name): (usize, u32, &'static str)| {
        let gain = |window| (window, ValueSource::Gain { of: (of, name), over: (MEANS[0].0, name) });
        FigureCurve { name, points: WINDOWS.map(gain).to_vec() }
    };
    Panel {
        name,
        title: title.to_owned(),
        axis: Axis { label: LABEL, spacing: Spacing::Even },
        metric: Metric::Gain,
        series: CURVES.map(curve).to_vec(),
        seeds: seeds(scale),
        beside: &[],
    }
}

fn claims() -> Vec<Claim> {
    let [_, same, twice] = [0, 1, 2].map(|index: usize| {
        move |series, window| ratio([&MEANS[index], &MEANS[0]], Metric::Kilobits, series, window)
    });
    let failures = |series, window| ratio([&FAILURES[1], &FAILURES[0]], Metric::Packets, series, window);
    let fewer_seconds = |series| {
        let seconds = |of: &Measured| at((of.0, Metric::Seconds), series, 4.0);
        Expression::Less(Number::Difference(seconds(&ZERO[2]), seconds(&ZERO[0])), 0.0)
    };
    vec![
        claim(
            "C1",
            Weight::Core,
            "(ours) over one hop two channels with twice the window carry 1.8 to 2.1 times as much, at 4 and 8",
            everywhere(&[1], &[4.0, 8.0], &|name, x| within(twice(name, x), 1.8, 2.1)),
        ),
        claim(
            "C2",
            Weight::Core,
            "(ours) over two hops and three 1.6 to 2.4 times as much: each channel has the troubles of one",
            everywhere(&[2, 3], &WINDOWS, &|name, x| within(twice(name, x), 1.6, 2.4)),
        ),
        claim(
            "C3",
            Weight::Core,
            "(ours) over three hops the same window of 4 or 8, spread over two channels, carries more than 2 times as much",
            everywhere(&[3], &[4.0, 8.0], &|name, x| Expression::More(same(name, x), 2.0)),
        ),
        claim(
            "C4",
            Weight::Core,
            "(ours) and there are fewer link failures for 1,000 data frames",
            everywhere(&[3], &[4.0, 8.0], &|name, x| Expression::Less(failures(name, x), 1.0)),
        ),
        claim(
            "C5",
            Weight::Side,
            "(ours) the same window of 2 carries 1.2 to 1.9 times as much over one hop",
            everywhere(&[1], &[2.0], &|name, x| within(same(name, x), 1.2, 1.9)),
        ),
        claim(
            "C6",
            Weight::Side,
            "(ours) over three hops, twice a window of 4 has fewer seconds without data than one channel",
            everywhere(&[3], &[4.0], &|name, _| fewer_seconds(name)),
        ),
    ]
}

/// A claim on all curves with so many hops, at these windows.
fn everywhere(hops: &[usize], windows: &[f64], make: &dyn Fn(&'static str, f64) -> Expression) -> Expression {
    let curves = CURVES.iter().filter(|(of, ..)| hops.contains(of));
    Expression::All(curves.flat_map(|(_, _, name)| windows.iter().map(|x| make(name, *x))).collect())
}

/// Of the first panel to the second.
fn ratio([of, over]: [&Measured; 2], metric: Metric, series: &'static str, window: f64) -> Number {
    Number::Ratio(at((of.0, metric), series, window), at((over.0, metric), series, window))
}
