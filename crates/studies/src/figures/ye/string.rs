//! YE chapter 3: SCTP over a string of 802.11 stations with source routes.

pub(in super::super) mod channels;
mod course;
mod delay;
pub(in super::super) mod first_starves;
pub(in super::super) mod marks;
mod run;
pub(in super::super) mod second_starves;
pub(in super::super) mod small_window;
pub(in super::super) mod ten_hops;
pub(in super::super) mod throughput;
mod unfair;

pub(crate) use run::{StringFlows, StringRun};

use super::super::figure::{Panel, ValueSource};
use super::super::results::Metric;
use crate::scale::StudyScale;
use course::Quantity;

/// A choice for what chapter 3 leaves open: the default, or a member of the sensitivity set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StringChoice {
    /// The name in reports.
    pub name: &'static str,
    /// `retry_count`.
    pub retry_count: &'static str,
    /// `small_window_recovery`, where a figure does not vary it.
    pub has_recovery: bool,
    /// Further settings of the radios.
    pub radio: &'static str,
}

impl StringChoice {
    /// The headline's: each failed attempt counts against a frame's one limit.
    pub(crate) const DEFAULT: StringChoice =
        StringChoice { name: "default", retry_count: "every", has_recovery: false, radio: "" };
    /// The counters of IEEE 802.11.
    pub(crate) const STANDARD_COUNTERS: StringChoice =
        StringChoice { name: "IEEE's retry counters", retry_count: "standard", ..StringChoice::DEFAULT };
    /// With the early retransmission in the idle period.
    pub(crate) const RECOVERY: StringChoice =
        StringChoice { name: "small-window recovery", has_recovery: true, ..StringChoice::DEFAULT };
    /// The timing of FHSS at 1 Mbit/s (Bianchi's constants).
    pub(crate) const FHSS: StringChoice = StringChoice {
        name: "FHSS timing",
        radio: "slot = \"50 us\"\nsifs = \"28 us\"\ndifs = \"128 us\"\ncw_min = 15\nplcp = \"128 us\"\n",
        ..StringChoice::DEFAULT
    };

    /// The sensitivity set.
    pub(crate) const SENSITIVITY: [StringChoice; 3] =
        [StringChoice::STANDARD_COUNTERS, StringChoice::RECOVERY, StringChoice::FHSS];

    fn run(self) -> StringRun {
        StringRun {
            retry_count: self.retry_count,
            has_recovery: self.has_recovery,
            radio: self.radio,
            ..StringRun::DEFAULT
        }
    }
}

/// The parameters that all figures of chapter 3 share, for the report.
fn params(choice: StringChoice, run: &str, seeds: u64) -> Vec<(&'static str, String)> {
    let mut params = vec![
        ("topology", "four stations in a line, 250 m apart; range and carrier sense 300 m".to_owned()),
        (
            "radio",
            "802.11, 1 Mbit/s, DSSS with the long preamble, no capture, queues of 50 frames".to_owned(),
        ),
        ("retries", format!("4 above the RTS threshold, 7 up to it; counted by `{}`", choice.retry_count)),
        ("routing", "DSR without replies from caches and without salvaging".to_owned()),
        ("profile", "rfc2960, packets of 544 bytes, 4 missing reports, delayed SACKs".to_owned()),
        ("window", "in packets of 544 bytes; throughput counts 512 of them".to_owned()),
        ("run", run.to_owned()),
        ("seeds", format!("{seeds}, the same for all schemes")),
    ];
    if choice.has_recovery {
        params.push(("differs", "`small_window_recovery = true`".to_owned()));
    }
    if !choice.radio.is_empty() {
        params.push(("differs", format!("`{}`", choice.radio.trim().replace('\n', ", "))));
    }
    params
}

/// A panel of one quantity. Each curve has points (x, run).
fn panel(
    (name, metric): (&'static str, Metric),
    title: &str,
    label: &'static str,
    quantity: Quantity,
    series: Vec<(&'static str, Vec<(f64, StringRun)>)>,
    scale: StudyScale,
) -> Panel {
    observed_panel((name, metric), title, label, &|run| course::of(run, quantity), series, scale)
}

/// A panel of what `read` makes of runs, likewise.
fn observed_panel(
    (name, metric): (&'static str, Metric),
    title: &str,
    label: &'static str,
    read: &dyn Fn(StringRun) -> ValueSource,
    series: Vec<(&'static str, Vec<(f64, StringRun)>)>,
    scale: StudyScale,
) -> Panel {
    let observed =
        |points: Vec<(f64, StringRun)>| points.into_iter().map(|(x, run)| (x, read(run))).collect::<Vec<_>>();
    let series = series.into_iter().map(|(name, points)| (name, observed(points))).collect();
    Panel { seeds: seeds(scale), ..super::panel(name, title, label, metric, series, scale) }
}

/// The seeds of a point.
fn seeds(scale: StudyScale) -> u64 {
    scale.seeds(20)
}
