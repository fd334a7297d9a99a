//! The figures of IY, "Concurrent Multipath Transfer beside application striping": the scenarios of their topology, as
//! fixed before anything was run.

pub(super) mod ablation;
pub(super) mod alternate;
pub(super) mod delayed;
pub(super) mod immediate;
mod loss;
mod ns2;
pub(super) mod zero_loss;

use super::figure::{Axis, FigureCurve, Panel, SideColumn, Spacing, ValueSource};
use super::results::Metric;
use crate::scale::StudyScale;

/// A choice for what the paper leaves open: the default, or a member of its sensitivity set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenChoice {
    /// The name in reports.
    pub name: &'static str,
    /// Packets before each bottleneck.
    pub queue: u32,
    /// Which way packets are lost.
    pub lossy: Lossy,
    /// `initial_ssthresh` as a scenario has it.
    pub ssthresh: &'static str,
    /// The recovery of a path of CMT: `cmt.recovery`.
    pub recovery: Recovery,
    /// True if a cut raises a window below the floor: `cut_may_raise`.
    pub cut_may_raise: bool,
}

/// The recovery of a path of CMT (M-CMT-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// As a state in which its window does not grow.
    State,
    /// By a recover point, as in ns-2's module.
    Ns2,
}

/// Which way packets are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lossy {
    /// Data, and no SACK.
    Forward,
    /// Both, with the same probability.
    BothWays,
}

/// The default: the figures' verdicts are those of its runs.
pub(crate) const DEFAULT: OpenChoice = OpenChoice {
    name: "default",
    queue: 1_000,
    lossy: Lossy::Forward,
    ssthresh: "65536 B",
    recovery: Recovery::State,
    cut_may_raise: false,
};

/// The sensitivity set of IY-F4 to F6: one thing changed at a time.
pub(crate) const SENSITIVITY: [OpenChoice; 7] = [
    OpenChoice { name: "recovery of ns-2", recovery: Recovery::Ns2, ..DEFAULT },
    OpenChoice { name: "a cut may raise", cut_may_raise: true, ..DEFAULT },
    OpenChoice { name: "queue of 100 packets", queue: 100, ..DEFAULT },
    OpenChoice { name: "queue of 10 000 packets", queue: 10_000, ..DEFAULT },
    OpenChoice { name: "losses both ways", lossy: Lossy::BothWays, ..DEFAULT },
    OpenChoice { name: "ssthresh 350 kB", ssthresh: "350 kB", ..DEFAULT },
    OpenChoice {
        name: "ssthresh rwnd, queue of 10 000 packets",
        ssthresh: "receive-buffer",
        queue: 10_000,
        ..DEFAULT
    },
];

/// Of these, the members that replace a rule of ours by another implementation's.
pub(crate) const RULES_OF_PEERS: [OpenChoice; 2] = [SENSITIVITY[0], SENSITIVITY[1]];

/// The acknowledgement rule of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Acknowledge {
    /// Every second packet.
    Delayed,
    /// Every packet.
    Each,
}

/// Which scheme sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SendingScheme {
    /// CMT_scd with delayed SACKs, CMT_sc without.
    Cmt,
    /// One association on each path (M-CMT-8).
    AppStripe,
    /// CMT_sc with the standard's delayed SACKs.
    WithoutDac,
    /// CMT_cd: missing reports as on a single path.
    WithoutSplit,
    /// CMT_sd: windows grow when the association's cumulative TSN moves.
    WithoutUpdate,
    /// The paths by the standard's rules.
    Plain,
}

/// A point of a figure without its place on the axis.
#[derive(Clone, Copy, Debug)]
struct Experiment {
    scale: StudyScale,
    setting: OpenChoice,
    scheme: SendingScheme,
    acknowledge: Acknowledge,
    loss: f64,
    retransmission: &'static str,
}

impl Experiment {
    fn new(scale: StudyScale, setting: OpenChoice, loss: f64, acknowledge: Acknowledge) -> Experiment {
        Experiment { scale, setting, scheme: SendingScheme::Cmt, acknowledge, loss, retransmission: "same" }
    }

    /// The curve over all splits, for CMT or for AppStripe.
    fn series(self, scheme: SendingScheme) -> FigureCurve {
        FigureCurve { name: scheme.name(), points: self.points(scheme, &SPLITS) }
    }

    fn points(self, scheme: SendingScheme, splits: &[f64]) -> Vec<(f64, ValueSource)> {
        let of = Experiment { scheme, ..self };
        splits.iter().map(|split| (*split, ValueSource::Run(of.scenario(*split)))).collect()
    }

    /// The scenario with B₁ − B₂ = `split`, in Mbit/s. A path without bandwidth does not exist.
    fn scenario(self, split: f64) -> String {
        let rates = [("one", (SUM + split) / 2.0), ("two", (SUM - split) / 2.0)];
        let links: String =
            rates.iter().filter(|(_, rate)| *rate > 0.0).map(|(name, rate)| self.link(name, *rate)).collect();
        let Experiment { setting, retransmission, .. } = self;
        let raise = if setting.cut_may_raise { "cut_may_raise = true\n" } else { "" };
        let transfer = match self.scale {
            StudyScale::Full => FILE,
            StudyScale::Quick => FILE / 10,
        };
        format!(
            "title = \"{scheme} {split}\"\n{links}[[flow]]\ntransfer = \"{transfer} B\"\n[flow.sctp]\n\
             profile = \"rfc2960\"\ncharge = \"packet\"\nunit = \"mtu\"\n{rules}{sack}\
             retransmission = \"{retransmission}\"\nmissing_reports = 4\n\
             receive_buffer = \"16 MiB\"\nsend_buffer = \"16 MiB\"\ninitial_ssthresh = \"{ssthresh}\"\n\
             scheduler = \"round-robin\"\nmtu = \"1500 B\"\nfailover = \"off\"\n{raise}",
            scheme = self.scheme.name(),
            rules = self.rules(),
            sack = match self.acknowledge {
                Acknowledge::Delayed => "",
                Acknowledge::Each => "sack = { every = 1 }\n",
            },
            ssthresh = setting.ssthresh,
        )
    }

    fn link(self, name: &str, rate: f64) -> String {
        let Experiment { loss, setting, .. } = self;
        let reverse = match setting.lossy {
            Lossy::Forward => String::new(),
            Lossy::BothWays => format!("reverse = {{ loss = {loss:?} }}\n"),
        };
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"35 ms\"\nloss = {loss:?}\n\
             queue = \"{} packets\"\n{reverse}",
            setting.queue
        )
    }

    fn rules(self) -> String {
        let changed: &[&str] = match (self.scheme, self.acknowledge) {
            (SendingScheme::AppStripe, _) => return "multipath = \"appstripe\"\n".to_owned(),
            (SendingScheme::Cmt, Acknowledge::Delayed) => &[],
            (SendingScheme::Cmt, Acknowledge::Each) | (SendingScheme::WithoutDac, _) => {
                &["delayed_ack = false"]
            }
            (SendingScheme::WithoutSplit, _) => &["split_fast_retransmit = false"],
            (SendingScheme::WithoutUpdate, _) => &["window_update = false"],
            (SendingScheme::Plain, _) => {
                &["split_fast_retransmit = false", "window_update = false", "delayed_ack = false"]
            }
        };
        let recovery = match self.setting.recovery {
            Recovery::State => None,
            Recovery::Ns2 => Some("recovery = \"ns2\""),
        };
        let changed: Vec<&str> = changed.iter().copied().chain(recovery).collect();
        match &changed[..] {
            [] => "multipath = \"cmt\"\n".to_owned(),
            changed => format!("multipath = \"cmt\"\ncmt = {{ {} }}\n", changed.join(", ")),
        }
    }
}

impl SendingScheme {
    fn name(self) -> &'static str {
        match self {
            SendingScheme::Cmt => CMT,
            SendingScheme::AppStripe => APP,
            SendingScheme::WithoutDac => WITHOUT_DAC,
            SendingScheme::WithoutSplit => "CMT without SFR",
            SendingScheme::WithoutUpdate => "CMT without CUC",
            SendingScheme::Plain => "plain striping",
        }
    }
}

/// A panel of both schemes over all splits.
fn both(name: &'static str, title: String, experiment: Experiment, seeds: u64) -> Panel {
    let series = vec![experiment.series(SendingScheme::Cmt), experiment.series(SendingScheme::AppStripe)];
    Panel { name, title, axis: SPLIT, metric: Metric::Time, series, seeds, beside: BESIDE }
}

/// The parameters that all of IY's figures share, for the report.
fn params(setting: OpenChoice, seeds: &str) -> Vec<(&'static str, String)> {
    let lossy = match setting.lossy {
        Lossy::Forward => "independent, on data alone",
        Lossy::BothWays => "independent, on data and on SACKs",
    };
    vec![
        (
            "paths",
            "two, B₁ + B₂ = 40 Mbit/s, 35 ms one way each; one without bandwidth does not exist".to_owned(),
        ),
        ("transfer", "2²³ bytes; a tenth of that at quick scale".to_owned()),
        ("profile", "rfc2960: 2 MTU at first, window floor 2 MTU, RTO 3 s, then 1 s at least".to_owned()),
        ("counting", "packets of 1500 bytes (`charge = \"packet\"`, `unit = \"mtu\"`)".to_owned()),
        ("missing reports", "4".to_owned()),
        ("receive buffer", "16 MiB, never full".to_owned()),
        ("initial ssthresh", setting.ssthresh.to_owned()),
        ("queue", format!("drop-tail, {} packets", setting.queue)),
        ("losses", lossy.to_owned()),
        ("handshake", "on, inside the transfer's time and not spared by losses".to_owned()),
        ("seeds", seeds.to_owned()),
    ]
}

/// The series' names.
const CMT: &str = "CMT";
const APP: &str = "AppStripe";
const WITHOUT_DAC: &str = "CMT without DAC";

/// The axis of all splits.
const SPLIT: Axis = Axis { label: "B₁ − B₂ in Mbit/s", spacing: Spacing::Even };

/// The columns beside the curves: how CMT compares, and how it was acknowledged.
const BESIDE: &[SideColumn] =
    &[SideColumn::Ratio, SideColumn::Timeouts, SideColumn::SacksByTimer, SideColumn::SharedSacks];

/// B₁ + B₂ in Mbit/s.
const SUM: f64 = 40.0;

/// 8 MB, 2²³ bytes.
const FILE: u64 = 8 << 20;

/// B₁ − B₂ for B₁ = 0, 2, … 40 Mbit/s.
const SPLITS: [f64; 21] = [
    -40.0, -36.0, -32.0, -28.0, -24.0, -20.0, -16.0, -12.0, -8.0, -4.0, 0.0, 4.0, 8.0, 12.0, 16.0, 20.0,
    24.0, 28.0, 32.0, 36.0, 40.0,
];

/// Both paths exist.
fn interior() -> Vec<f64> {
    SPLITS[1..SPLITS.len() - 1].to_vec()
}

/// One path has all.
fn edges() -> Vec<f64> {
    vec![-SUM, SUM]
}

/// The splits next to the edges, 38/2 and 2/38.
fn beside_the_edges() -> Vec<f64> {
    vec![SPLITS[1], SPLITS[SPLITS.len() - 2]]
}

/// Equal paths.
fn centre() -> Vec<f64> {
    vec![0.0]
}
