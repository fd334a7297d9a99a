//! IY-A1, ours: CMT over equal paths without one of its rules, beside AppStripe, by loss. It helps to explain the other
//! figures.

use super::super::entry::FigureEntry;
use super::super::figure::{Axis, Figure, FigureCurve, Panel, Spacing, ValueSource};
use super::super::results::Metric;
use super::{Acknowledge, BESIDE, DEFAULT, Experiment, OpenChoice, SendingScheme, params};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "IY-A1",
    aliases: &[],
    about: "CMT without one of its rules; no figure of the paper",
    panels: &[],
    build: |scale| Ok(record(scale, DEFAULT)),
    sensitivity: |_| Ok(Vec::new()),
    ns2: None,
};

/// Packets lost per thousand.
const LOSSES: [f64; 4] = [1.0, 20.0, 50.0, 100.0];

const SCHEMES: [SendingScheme; 6] = [
    SendingScheme::Cmt,
    SendingScheme::AppStripe,
    SendingScheme::WithoutDac,
    SendingScheme::WithoutSplit,
    SendingScheme::WithoutUpdate,
    SendingScheme::Plain,
];

/// The record: two panels, equal paths and one path alone.
fn record(scale: StudyScale, setting: OpenChoice) -> Figure {
    let panel = |name, title: &str, split| Panel {
        name,
        title: title.to_owned(),
        axis: Axis { label: "packets lost of 1000", spacing: Spacing::Even },
        metric: Metric::Time,
        series: SCHEMES.map(|scheme| series(scale, setting, scheme, split)).into(),
        seeds: scale.seeds(30),
        beside: BESIDE,
    };
    Figure {
        id: "IY-A1",
        title: "CMT without one of its rules (ours, report only)",
        params: params(setting, "30 a point (quick: 5), the same for all"),
        panels: vec![
            panel("equal", "two paths of 20 Mbit/s", 0.0),
            panel("one", "one path of 40 Mbit/s", super::SUM),
        ],
        claims: Vec::new(),
    }
}

fn series(scale: StudyScale, setting: OpenChoice, scheme: SendingScheme, split: f64) -> FigureCurve {
    let point = |of_thousand: f64| {
        let loss = of_thousand / 1_000.0;
        let experiment = Experiment::new(scale, setting, loss, Acknowledge::Delayed);
        (of_thousand, ValueSource::Run(Experiment { scheme, ..experiment }.scenario(split)))
    };
    FigureCurve { name: scheme.name(), points: LOSSES.map(point).into() }
}
