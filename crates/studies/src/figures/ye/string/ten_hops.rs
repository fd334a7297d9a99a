//! YE-X3: the thesis's example of a round trip, ten hops of 1 Mbit/s, on links and on 802.11 stations.

use std::fmt::Write;

use super::super::super::claim::{Expression, Number, PointTest, Weight};
use super::super::super::entry::FigureEntry;
use super::super::super::figure::{Axis, Figure, FigureCurve, Panel, Spacing};
use super::super::super::results::Metric;
use super::super::{at, claim, everywhere, within};
use super::{delay, seeds};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-X3",
    aliases: &[],
    about: "A round trip over ten hops of links and of 802.11 stations",
    panels: &[],
    build: |scale| Ok(record(scale)),
    sensitivity: |_| Ok(Vec::new()),
    ns2: None,
};

/// The answer: a SACK with its IP header, or a packet as large as the data.
const SACK: f64 = 48.0;
const ECHO: f64 = 1_500.0;

const HOPS: usize = 10;
const ROUND_TRIP: (&str, Metric) = ("round trip", Metric::Delay);
const LINKS: &str = "links";
/// The curves of 802.11, with their RTS thresholds.
const STATIONS: [(&str, &str); 2] = [("802.11 with RTS", "256 B"), ("802.11 without RTS", "never")];

/// The record.
fn record(scale: StudyScale) -> Figure {
    let curve = |name, network: &str, ends: &str| {
        let point = |answer| (answer, delay::of_round_trips(format!("{network}{}", traffic(answer, ends))));
        FigureCurve { name, points: [SACK, ECHO].map(point).to_vec() }
    };
    let over_links = curve(LINKS, &links(), "paths = [\"way\"]\n");
    let over_stations = STATIONS.map(|(name, threshold)| {
        curve(name, &stations(threshold), &format!("from = \"n0\"\nto = \"n{HOPS}\"\n"))
    });
    Figure {
        id: "YE-X3",
        title: "a round trip over ten hops of 1 Mbit/s",
        params: params(seeds(scale)),
        panels: vec![Panel {
            name: ROUND_TRIP.0,
            title: "there and back, ms".to_owned(),
            axis: Axis { label: "bytes of the answer", spacing: Spacing::Even },
            metric: ROUND_TRIP.1,
            series: std::iter::once(over_links).chain(over_stations).collect(),
            seeds: seeds(scale),
            beside: &[],
        }],
        claims: vec![
            claim(
                "C1",
                Weight::Core,
                "240 ms with full packets both ways (2 · 10 · 12 ms)",
                Expression::All(vec![
                    within(Number::Mean(vec![at(ROUND_TRIP, LINKS, ECHO)]), 239.5, 240.5),
                    Expression::Tested(
                        "ten_hops_of_1_mbit_take_240_ms_with_a_full_echo_and_124_ms_with_a_sack",
                    ),
                ]),
            ),
            claim(
                "C2",
                Weight::Core,
                "about 124 ms with a SACK of 48 bytes",
                within(Number::Mean(vec![at(ROUND_TRIP, LINKS, SACK)]), 123.5, 124.5),
            ),
            claim(
                "C3",
                Weight::Side,
                "(ours) stations of 802.11 take longer: each hop has headers, waits and acknowledgements",
                Expression::All(
                    STATIONS
                        .map(|(name, _)| everywhere(PointTest::Lt(LINKS, name), ROUND_TRIP, &[SACK, ECHO]))
                        .to_vec(),
                ),
            ),
        ],
    }
}

/// Ten links of 1 Mbit/s without delay in a row.
fn links() -> String {
    let mut text = String::new();
    let names: Vec<String> = (1..=HOPS).map(|hop| format!("l{hop}")).collect();
    for name in &names {
        let _ = write!(text, "[[link]]\nname = \"{name}\"\nrate = \"1 Mbit/s\"\ndelay = \"0 ms\"\n");
    }
    let _ = write!(text, "[[path]]\nname = \"way\"\nlinks = {names:?}\n");
    text
}

/// Eleven stations in a line.
fn stations(threshold: &str) -> String {
    let mut text = format!("[radio]\nrts_threshold = \"{threshold}\"\n");
    for station in 0..=HOPS {
        let _ = write!(text, "[[node]]\nname = \"n{station}\"\nx = \"{} m\"\n", 250 * station);
    }
    text
}

/// A packet of 1,500 bytes in two seconds and its SACK; or one each way, a second apart, which never meet.
fn traffic(answer: f64, ends: &str) -> String {
    let messages = |size: u32| {
        format!("traffic = {{ kind = \"cbr\", rate = \"{} bit/s\", message = \"{size} B\" }}\n", size * 4)
    };
    if answer == SACK {
        return format!(
            "[[flow]]\n{ends}{}[flow.sctp]\nprofile = \"rfc2960\"\nsack = {{ every = 1 }}\nfailover = \"off\"\n",
            messages(1_452)
        ) + RUN;
    }
    let datagrams = |name, direction, start| {
        format!(
            "[[flow]]\nname = \"{name}\"\nprotocol = \"udp\"\n{ends}direction = \"{direction}\"\nstart = \"{start} s\"\n{}",
            messages(1_472)
        )
    };
    datagrams("there", "forward", 0) + &datagrams("back", "reverse", 1) + RUN
}

fn params(seeds: u64) -> Vec<(&'static str, String)> {
    vec![
        ("links", "ten in a row, 1 Mbit/s, no propagation".to_owned()),
        ("stations", "eleven in a line, 250 m apart, 802.11 at 1 Mbit/s, DSR; as YE-F7".to_owned()),
        ("there", "a packet of 1,500 bytes in two seconds, alone on its way".to_owned()),
        ("back", "a SACK of 48 bytes, or a packet of 1,500 bytes that leaves a second later".to_owned()),
        ("round trip", "the mean way there and the mean way back together, from 5 s on".to_owned()),
        ("run", "60 s".to_owned()),
        ("seeds", seeds.to_string()),
    ]
}

const RUN: &str = "[run]\ntime = \"60 s\"\n";
