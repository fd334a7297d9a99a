//! BERP-T1, and the same for every control: how much of a bottleneck two paths of one association take beside one TCP.

use std::fmt::Write;

use super::super::claim::{Claim, Expression, PointTest, Weight};
use super::super::entry::FigureEntry;
use super::super::figure::{Axis, Figure, FigureCurve, Panel, Spacing, ValueSource};
use super::super::results::Metric;
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "BERP-T1",
    aliases: &[],
    about: "The share of two paths beside one TCP, by congestion control",
    panels: &[],
    build: |scale| Ok(record(scale)),
    sensitivity: |_| Ok(Vec::new()),
    ns2: None,
};

/// The bottleneck's rates in Mbit/s, and the packets that its queue holds: those of the paper, and what a round trip of
/// 40 ms fills.
const BOTTLENECKS: [(u32, u32); 3] = [(1, 50), (10, 50), (50, 167)];

/// Ours.
const CONTROLS: [&str; 6] = ["reno", "cubic", "lia", "olia", "balia", "berp"];
/// Those that are to take one share with all paths together.
const LINKED: [&str; 3] = ["lia", "olia", "balia"];
/// The TCP beside them, and the panels that have it.
const BESIDE: [(&str, &str); 2] = [("reno", "beside TCP Reno"), ("cubic", "beside TCP CUBIC")];

/// The record.
fn record(scale: StudyScale) -> Figure {
    let panel = |(tcp, name): (&'static str, &'static str)| {
        let curve = |control| {
            let point =
                |(rate, queue)| (f64::from(rate), ValueSource::Run(scenario(control, tcp, rate, queue)));
            FigureCurve { name: control, points: BOTTLENECKS.map(point).into() }
        };
        Panel {
            name,
            title: name.to_owned(),
            axis: Axis { label: "rate of the bottleneck in Mbit/s", spacing: Spacing::Logarithmic },
            metric: Metric::ShareOfFirst,
            series: CONTROLS.map(curve).into(),
            seeds: scale.seeds(10),
            beside: &[],
        }
    };
    Figure {
        id: "BERP-T1",
        title: "the share of two paths beside one TCP in the same drop-tail queue, by congestion control",
        params: params(scale),
        panels: BESIDE.map(panel).into(),
        claims: BESIDE
            .iter()
            .flat_map(|(_, panel)| LINKED.map(|control| one_share(panel, control)))
            .collect(),
    }
}

fn one_share(panel: &'static str, control: &'static str) -> Claim {
    let expression = Expression::Points {
        test: PointTest::Within(control, 0.4, 0.6),
        panel,
        metric: Metric::ShareOfFirst,
        x: BOTTLENECKS.iter().map(|(rate, _)| f64::from(*rate)).collect(),
        share: 1.0,
    };
    let stated = "(ours) 0.4 to 0.6 of what both carry";
    Claim { id: control, panel, weight: Weight::Side, stated, expression }
}

/// Each path has an access link of its own; the bottleneck is one link. Some datagrams make seeds differ.
fn scenario(control: &str, tcp: &str, rate: u32, queue: u32) -> String {
    let mut text = String::from("run = { time = \"300 s\", warmup = \"60 s\" }\n");
    for name in ["one", "two", "tcp", "noise"] {
        let _ = write!(
            text,
            "[[link]]\nname = \"{name}\"\nrate = \"200 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"1000 packets\"\n\
             [[path]]\nname = \"path-{name}\"\nlinks = [\"{name}\", \"bottleneck\"]\n"
        );
    }
    let _ = write!(
        text,
        "[[link]]\nname = \"bottleneck\"\nrate = \"{rate} Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"{queue} packets\"\n\
         [[flow]]\nname = \"main\"\npaths = [\"path-one\", \"path-two\"]\n[flow.sctp]\nprofile = \"rfc9260\"\n\
         multipath = \"cmt\"\ncongestion_control = \"{control}\"\nreceive_buffer = \"4 MiB\"\nsend_buffer = \"4 MiB\"\n\
         [[flow]]\nname = \"tcp\"\nprotocol = \"tcp\"\npaths = [\"path-tcp\"]\n[flow.tcp]\nvariant = \"sack\"\n\
         congestion_control = \"{tcp}\"\nreceive_buffer = \"4 MiB\"\n[[flow]]\nname = \"noise\"\nprotocol = \"udp\"\n\
         paths = [\"path-noise\"]\ntraffic = {{ kind = \"poisson\", rate = \"{} kbit/s\", message = \"200 B\" }}\n",
        rate * 10
    );
    text
}

fn params(scale: StudyScale) -> Vec<(&'static str, String)> {
    vec![
        (
            "paths",
            "access links of 200 Mbit/s, one bottleneck for all; a round trip of 40 ms without queues"
                .to_owned(),
        ),
        ("queue", "drop-tail, 50 packets at 1 and 10 Mbit/s, 167 at 50 Mbit/s".to_owned()),
        ("ours", "rfc9260, CMT over two paths, buffers of 4 MiB".to_owned()),
        ("TCP", "one path, SACK, a receive buffer of 4 MiB".to_owned()),
        ("noise", "datagrams of 200 bytes at random, 1 % of the bottleneck".to_owned()),
        ("run", "300 s, measured without the first 60".to_owned()),
        ("seeds", scale.seeds(10).to_string()),
    ]
}
