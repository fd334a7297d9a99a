//! YE-A2, ours: the string with queues of stations that mark packets, beside larger windows without marks and a small one.

use super::super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::super::entry::FigureEntry;
use super::super::super::figure::{Figure, Panel, ValueSource};
use super::super::super::results::Metric;
use super::super::{at, claim, everywhere, within};
use super::course::{self, Quantity};
use super::{StringChoice, StringFlows, StringRun, delay, observed_panel, params, seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-A2",
    aliases: &[],
    about: "The string with queues that mark; no figure of the thesis",
    panels: &[],
    build: |scale| Ok(record(scale, StringChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([StringChoice::STANDARD_COUNTERS].map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

/// The large windows, in packets.
const WINDOWS: [f64; 3] = [8.0, 16.0, 32.0];
/// The small one, without marks.
const SMALL: f64 = 2.0;
/// The windows beside a second association.
const UNFAIR_WINDOWS: [f64; 2] = [4.0, 16.0];

/// Hops, and from how many waiting packets on stations mark.
const CURVES: [(usize, Option<u32>, &str); 9] = [
    (1, None, "1 hop, none"),
    (1, Some(2), "1 hop, 2"),
    (1, Some(4), "1 hop, 4"),
    (2, None, "2 hops, none"),
    (2, Some(2), "2 hops, 2"),
    (2, Some(4), "2 hops, 4"),
    (3, None, "3 hops, none"),
    (3, Some(2), "3 hops, 2"),
    (3, Some(4), "3 hops, 4"),
];
const UNFAIR: [(Option<u32>, &str); 3] = [(None, "none"), (Some(2), "2"), (Some(4), "4")];

const MEAN: (&str, Metric) = ("mean", Metric::Kilobits);
const DELAY: (&str, Metric) = ("delay", Metric::Delay);
const FAILURES: (&str, Metric) = ("link failures", Metric::Packets);
const ZERO: (&str, Metric) = ("zero bins", Metric::Seconds);
const F11: [(&str, Metric); 2] = [("F11 first", Metric::Kilobits), ("F11 second", Metric::Kilobits)];
const F13: [(&str, Metric); 2] = [("F13 first", Metric::Kilobits), ("F13 second", Metric::Kilobits)];

/// The function that reads a value from a run.
type Read = fn(StringRun) -> ValueSource;

/// The record.
fn record(scale: StudyScale, choice: StringChoice) -> Figure {
    let lone: [(_, _, Read); 4] = [
        (MEAN, "mean throughput without the first second, kbit/s", |run| course::of(run, Quantity::MEAN)),
        (DELAY, "way of data packets to the receiver, with queues of stations, ms", delay::of_data),
        (FAILURES, "link failures for 1,000 data frames", |run| course::of(run, Quantity::LinkFailures)),
        (ZERO, "seconds of 59 below 5 % of the median", |run| course::of(run, Quantity::ZeroBins)),
    ];
    let [hidden, exposed] = [StringFlows::SecondFromHidden, StringFlows::SecondFromExposed];
    let [first, second]: [Read; 2] =
        [|run| course::of(run, Quantity::FROM_TEN), |run| course::of(run, Quantity::SECOND)];
    let beside = [
        (F11[0], "the first association of YE-F11 from 10 s on, kbit/s", hidden, first),
        (F11[1], "the second of YE-F11 from 6 s on, kbit/s", hidden, second),
        (F13[0], "the first of YE-F13 from 10 s on, kbit/s", exposed, first),
        (F13[1], "the second of YE-F13 from 6 s on, kbit/s", exposed, second),
    ];
    let mut params = params(choice, "60 s, bins of a second; RTS threshold 256", seeds(scale));
    params.push(("marks", "a packet that finds 2, or 4, waiting at a station is marked".to_owned()));
    params.push(("without ECT", "SACKs that find as many are dropped (RFC 3168)".to_owned()));
    params.push(("marks are answered", "`ecn = \"echo\"`: cwnd/2, two packets at least".to_owned()));
    Figure {
        id: "YE-A2",
        title: "the string with queues of stations that mark (ours)",
        params,
        panels: lone
            .into_iter()
            .map(|(of, title, read)| lone_panel(of, title, read, scale, choice))
            .chain(
                beside.map(|(of, title, flows, read)| unfair_panel((of, title), flows, read, scale, choice)),
            )
            .collect(),
        claims: claims(),
    }
}

/// The small window is a point of the curves without marks.
fn lone_panel(
    of: (&'static str, Metric),
    title: &str,
    read: Read,
    scale: StudyScale,
    choice: StringChoice,
) -> Panel {
    let curve = |(hops, marks_from, name): (usize, Option<u32>, &'static str)| {
        let run =
            |window: f64| (window, StringRun { hops, marks_from, window: window as u32, ..choice.run() });
        let small = marks_from.is_none().then_some(SMALL);
        (name, small.into_iter().chain(WINDOWS).map(run).collect())
    };
    observed_panel(of, title, "receive window in packets", &read, CURVES.map(curve).to_vec(), scale)
}

fn unfair_panel(
    (of, title): ((&'static str, Metric), &str),
    flows: StringFlows,
    read: Read,
    scale: StudyScale,
    choice: StringChoice,
) -> Panel {
    let curve = |(marks_from, name): (Option<u32>, &'static str)| {
        let run =
            |window: f64| (window, StringRun { flows, marks_from, window: window as u32, ..choice.run() });
        (name, UNFAIR_WINDOWS.map(run).to_vec())
    };
    observed_panel(of, title, "receive window in packets", &read, UNFAIR.map(curve).to_vec(), scale)
}

fn claims() -> Vec<Claim> {
    let lt = |one, two, of| everywhere(PointTest::Lt(one, two), of, &WINDOWS);
    let halved = Number::Ratio(at(DELAY, "1 hop, 2", 32.0), at(DELAY, "1 hop, none", 32.0));
    let to_small = |x| Number::Ratio(at(MEAN, "3 hops, 2", x), at(MEAN, "3 hops, none", SMALL));
    let starved = |series| {
        UNFAIR_WINDOWS.map(|x| within(Number::Ratio(at(F11[0], series, x), at(F11[1], series, x)), 0.0, 0.05))
    };
    let no_more = |series| everywhere(PointTest::Le(series, "none", 0.1), F13[1], &UNFAIR_WINDOWS);
    let seconds = WINDOWS.map(|x| {
        let difference = Number::Difference(at(ZERO, "3 hops, 2", x), at(ZERO, "3 hops, none", x));
        Expression::Less(difference, 0.0)
    });
    vec![
        claim(
            "C1",
            Weight::Core,
            "(ours) over three hops marks from 2 packets on raise the throughput of large windows",
            lt("3 hops, none", "3 hops, 2", MEAN),
        ),
        claim(
            "C2",
            Weight::Core,
            "(ours) over one hop they cost at most 5 % and halve the delay of a window of 32",
            Expression::All(vec![
                everywhere(PointTest::Le("1 hop, none", "1 hop, 2", 0.05), MEAN, &WINDOWS),
                within(halved, 0.0, 0.5),
            ]),
        ),
        claim(
            "C3",
            Weight::Core,
            "(ours) over three hops there are fewer link failures with them",
            lt("3 hops, 2", "3 hops, none", FAILURES),
        ),
        claim(
            "C4",
            Weight::Side,
            "(ours) the delay is less with them, over two hops and three",
            Expression::All(vec![
                lt("2 hops, 2", "2 hops, none", DELAY),
                lt("3 hops, 2", "3 hops, none", DELAY),
            ]),
        ),
        claim(
            "C5",
            Weight::Side,
            "(ours) over three hops a window of 2 without marks carries more than any larger one with them",
            Expression::All(WINDOWS.map(|x| Expression::Less(to_small(x), 1.0)).to_vec()),
        ),
        claim(
            "C6",
            Weight::Core,
            "(ours) they do not help the starved of YE-F11: at most 5 % of what the other has",
            Expression::All([starved("2"), starved("4")].concat()),
        ),
        claim(
            "C7",
            Weight::Side,
            "(ours) nor the second of YE-F13: no more than without them",
            Expression::All(vec![no_more("2"), no_more("4")]),
        ),
        claim(
            "C8",
            Weight::Side,
            "(ours) over three hops there are fewer seconds without data with them",
            Expression::All(seconds.to_vec()),
        ),
    ]
}
