//! YE-F7 to F9: throughput over one, two and three hops, by the receive window and the RTS threshold.

use anabranch_comparisons::ns2::{self, TableError};

use super::super::super::beside_ns2::Ns2Curves;
use super::super::super::claim::{Claim, Expression, NOWHERE, Number, PointTest, Weight};
use super::super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::super::figure::Figure;
use super::super::super::results::Metric;
use super::super::super::verdict::Verdict;
use super::super::{at, claim, everywhere, within};
use super::course::Quantity;
use super::{StringChoice, StringRun, panel, params, seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F7-F9",
    aliases: &["YE-F7", "YE-F8", "YE-F9"],
    about: "Throughput over a string of 802.11 stations",
    panels: &[
        PanelEntry {
            id: "YE-F7a",
            title: "SCTP over 802.11: throughput over one hop, window 2",
            decided_by: DecidedBy::Claims(&["C1"]),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "YE-F7b",
            title: "the same, window 4",
            decided_by: DecidedBy::Claims(&["C7"]),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "YE-F7c",
            title: "the same, window 8",
            decided_by: DecidedBy::Claims(&["C8"]),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "YE-F8a",
            title: "over two hops, window 2",
            decided_by: DecidedBy::Claims(&["C2"]),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "YE-F8b",
            title: "the same, window 4",
            decided_by: DecidedBy::Claims(&["C4", "C5"]),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "YE-F8c",
            title: "the same, window 8",
            decided_by: DecidedBy::Claims(&["C4", "C5"]),
            verdict: Verdict::NotReproduced,
        },
        PanelEntry {
            id: "YE-F9a",
            title: "over three hops, window 2",
            decided_by: DecidedBy::Claims(&["C3"]),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "YE-F9b",
            title: "the same, window 4",
            decided_by: DecidedBy::Claims(&["C4", "C6"]),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "YE-F9c",
            title: "the same, window 8",
            decided_by: DecidedBy::Claims(&["C4", "C6"]),
            verdict: Verdict::Reproduced,
        },
    ],
    build: |scale| Ok(record(scale, StringChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok(StringChoice::SENSITIVITY.map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: Some(ns2),
};

/// The windows, in packets.
pub(crate) const WINDOWS: [f64; 3] = [2.0, 4.0, 8.0];
/// The curves: hops, threshold in bytes, and what they are called.
pub(crate) const CURVES: [(usize, u32, &str); 6] = [
    (1, 20, "1 hop, 20"),
    (1, 256, "1 hop, 256"),
    (2, 20, "2 hops, 20"),
    (2, 256, "2 hops, 256"),
    (3, 20, "3 hops, 20"),
    (3, 256, "3 hops, 256"),
];

/// ns-2's curves, likewise.
const NS2: [(usize, u32, &str); 6] = [
    (1, 20, "1 hop, 20, ns-2"),
    (1, 256, "1 hop, 256, ns-2"),
    (2, 20, "2 hops, 20, ns-2"),
    (2, 256, "2 hops, 256, ns-2"),
    (3, 20, "3 hops, 20, ns-2"),
    (3, 256, "3 hops, 256, ns-2"),
];

const MEAN: (&str, Metric) = ("mean", Metric::Kilobits);
const VARIATION: (&str, Metric) = ("variation", Metric::Share);
const ZERO: (&str, Metric) = ("runs with zero bins", Metric::Share);
const EXPLAINED: (&str, Metric) = ("zero bins explained", Metric::Share);
const OUTAGE: (&str, Metric) = ("longest outage", Metric::Moment);
const FAILURES: (&str, Metric) = ("link failures", Metric::Packets);

/// The record.
fn record(scale: StudyScale, choice: StringChoice) -> Figure {
    let quantities = [
        (MEAN, "mean throughput without the first second, kbit/s", Quantity::MEAN),
        (VARIATION, "standard deviation of the seconds over their mean", Quantity::Variation),
        (ZERO, "share of the runs with a second below 5 % of the median", Quantity::HasZeroBin),
        (
            EXPLAINED,
            "share of these seconds within 2 s of a time-out and a link failure",
            Quantity::ZeroBinsExplained,
        ),
        (OUTAGE, "longest row of such seconds, s", Quantity::LongestOutage),
        (FAILURES, "link failures for 1,000 data frames", Quantity::LinkFailures),
    ];
    let panel = |(of, title, quantity)| {
        let curve = |(hops, threshold, name): (usize, u32, &'static str)| {
            let run =
                |window: f64| (window, StringRun { hops, threshold, window: window as u32, ..choice.run() });
            (name, WINDOWS.map(run).to_vec())
        };
        panel(of, title, "receive window in packets", quantity, CURVES.map(curve).to_vec(), scale)
    };
    Figure {
        id: "YE-F7–F9",
        title: "throughput over a string of stations, by the receive window and the RTS threshold",
        params: params(choice, "60 s, bins of a second", seeds(scale)),
        panels: quantities.map(panel).to_vec(),
        claims: claims(),
    }
}

/// ns-2's curves of the mean throughput.
fn ns2(panel: &str) -> Result<Ns2Curves, TableError> {
    if panel != MEAN.0 {
        return Ok(Vec::new());
    }
    NS2.into_iter().map(|(hops, threshold, name)| Ok((name, ns2::string(hops, threshold)?))).collect()
}

fn claims() -> Vec<Claim> {
    let mean = |series, window| Number::Mean(vec![at(MEAN, series, window)]);
    let ratio = |series, other, window| Number::Ratio(at(MEAN, series, window), at(MEAN, other, window));
    let zero = |series, window| Number::Mean(vec![at(ZERO, series, window)]);
    let one_hop = ["1 hop, 20", "1 hop, 256"];
    let smooth = one_hop.into_iter().flat_map(|series| {
        let variation = Number::Mean(vec![at(VARIATION, series, 2.0)]);
        [within(mean(series, 2.0), 530.0, 730.0), within(variation, 0.0, 0.05)]
    });
    let both = within(ratio("1 hop, 20", "1 hop, 256", 2.0), 0.92, 1.08);
    let hops = ["20", "256"].into_iter().flat_map(|threshold| {
        let name = move |hops| CURVES.iter().find(|(of, at, _)| *of == hops && at.to_string() == threshold);
        [(1, 2), (2, 3)].into_iter().filter_map(move |(fewer, more)| {
            let test = PointTest::Lt(name(more)?.2, name(fewer)?.2);
            Some(everywhere(test, MEAN, &WINDOWS))
        })
    });
    let larger = CURVES.iter().filter(|(hops, ..)| *hops > 1).flat_map(|(_, _, name)| {
        [4.0, 8.0].map(|window| Expression::Number {
            number: Number::Ratio(at(MEAN, name, window), at(MEAN, name, 2.0)),
            range: (0.0, 1.05),
            direction: NOWHERE,
        })
    });
    let drops = [4.0, 8.0].into_iter().flat_map(|window| {
        let explained = Number::Mean(vec![at(EXPLAINED, "2 hops, 256", window)]);
        [within(zero("2 hops, 256", window), 0.5, 1.0), within(explained, 1.0, 1.0)]
    });
    let fewer = within(zero("2 hops, 20", 4.0), 0.0, 0.1);
    let alike = [4.0, 8.0].map(|window| within(ratio("3 hops, 20", "3 hops, 256", window), 0.75, 1.25));
    vec![
        claim(
            "C1",
            Weight::Core,
            "F7a: 530 to 730 kbit/s, smooth (variation ≤ 5 %), thresholds within 8 %",
            Expression::All(smooth.chain([both]).collect()),
        ),
        claim(
            "C2",
            Weight::Core,
            "F8a: 90 % of the runs without a zero bin, and threshold 20 below 256",
            Expression::All(vec![
                within(zero("2 hops, 20", 2.0), 0.0, 0.1),
                within(zero("2 hops, 256", 2.0), 0.0, 0.1),
                Expression::Less(ratio("2 hops, 20", "2 hops, 256", 2.0), 1.0),
            ]),
        ),
        claim("C3", Weight::Core, "throughput falls with hops, everywhere", Expression::All(hops.collect())),
        claim(
            "C4",
            Weight::Core,
            "windows of 4 and 8 give at most 1.05 times that of 2, over 2 and 3 hops",
            Expression::All(larger.collect()),
        ),
        claim(
            "C5",
            Weight::Core,
            "F8b, F8c: with threshold 256 half of the runs have zero bins, each near a time-out and a link failure; with 20 \
             at most 10 % (F8b)",
            Expression::All(drops.chain([fewer]).collect()),
        ),
        claim("C6", Weight::Side, "F9b, F9c: thresholds within 25 %", Expression::All(alike.to_vec())),
        claim(
            "C7",
            Weight::Side,
            "F7b: zero bins with threshold 256, none with 20",
            Expression::All(vec![
                within(zero("1 hop, 256", 4.0), 0.5, 1.0),
                within(zero("1 hop, 20", 4.0), 0.0, 0.0),
            ]),
        ),
        claim(
            "C8",
            Weight::Side,
            "F7c: an outage of 3 s or more in some run",
            within(Number::Greatest(vec![at(OUTAGE, "1 hop, 256", 8.0)]), 3.0, f64::INFINITY),
        ),
    ]
}
