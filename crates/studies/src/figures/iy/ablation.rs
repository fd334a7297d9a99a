//! IY-A1, ours: CMT over equal paths without one of its rules, beside AppStripe, by loss. It knows the record, and no
//! result; it is there to explain the others.

use super::super::figure::{Figure, Panel, Series};
use super::{Acknowledge, Experiment, Scheme, Setting, params};
use crate::scale::Scale;

/// Packets lost of a thousand.
const LOSSES: [i32; 4] = [1, 20, 50, 100];

const SCHEMES: [Scheme; 6] = [
    Scheme::Cmt,
    Scheme::AppStripe,
    Scheme::WithoutDac,
    Scheme::WithoutSplit,
    Scheme::WithoutUpdate,
    Scheme::Plain,
];

/// The record: two panels, equal paths and one path alone.
pub fn ablation(scale: Scale, setting: Setting) -> Figure {
    let panel = |name, title: &str, split| Panel {
        name,
        title: title.to_owned(),
        series: SCHEMES.map(|scheme| series(scale, setting, scheme, split)).into(),
        seeds: scale.seeds(30),
    };
    Figure {
        id: "IY-A1",
        title: "CMT without one of its rules (ours, report only)",
        params: params(setting, "30 a point (quick: 5), the same for all"),
        sweep: "packets lost of 1000",
        metric: "transfer time in s",
        panels: vec![
            panel("equal", "two paths of 20 Mbit/s", 0),
            panel("one", "one path of 40 Mbit/s", super::SUM),
        ],
        claims: Vec::new(),
    }
}

fn series(scale: Scale, setting: Setting, scheme: Scheme, split: i32) -> Series {
    let point = |of_thousand: i32| {
        let loss = f64::from(of_thousand) / 1_000.0;
        let experiment = Experiment::new(scale, setting, loss, Acknowledge::Delayed);
        (of_thousand, Experiment { scheme, ..experiment }.scenario(split))
    };
    Series { name: scheme.name(), points: LOSSES.map(point).into() }
}
