//! The figures of YE, a thesis on congestion control for SCTP in wireless ad-hoc networks.

pub(super) mod after_timeouts;
pub(super) mod cwr;
pub(super) mod epochs;
pub(super) mod flows;
pub(super) mod fractions;
pub(super) mod least_timeouts;
pub(super) mod load_sharing;
pub(super) mod lossy_load_sharing;
pub(super) mod lossy_windows;
pub(super) mod lowest_window;
pub(super) mod policies;
mod radio;
mod radio_goodput;
pub(super) mod resend_and_backoff;
pub(super) mod retransmission_path;
pub(super) mod string;
mod topology;
mod two_paths;
pub(super) mod unsampled;
mod window_trace;
pub(super) mod with_congestion;
pub(super) mod without_congestion;

pub(crate) use radio::RadioRun;
pub(crate) use topology::BOTTLENECK;
pub(crate) use topology::{EcnRun, Wiring};

use super::claim::{Claim, Expression, NOWHERE, Number, PointTest, Weight};
use super::figure::{Axis, FigureCurve, Panel, Spacing, ValueSource};
use super::results::{CurvePoints, Metric};
use crate::scale::StudyScale;

/// A choice for what the thesis leaves open: the default, or a member of the sensitivity set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EcnChoice {
    /// The name in reports.
    pub name: &'static str,
    /// The wiring of the routers.
    pub wiring: Wiring,
    /// Further settings of each association.
    pub extra: &'static str,
}

impl EcnChoice {
    /// The headline's.
    pub(crate) const DEFAULT: EcnChoice = EcnChoice { name: "default", wiring: Wiring::Ladder, extra: "" };
    /// Retransmissions without ECT (RFC 3168 §6.1.5).
    pub(crate) const PLAIN_RETRANSMISSIONS: EcnChoice = EcnChoice {
        name: "retransmissions without ECT",
        extra: "ect_retransmissions = false\n",
        ..EcnChoice::DEFAULT
    };
    /// CWR in the packet of the next new chunk: there is room, for every chunk is 8 bytes smaller.
    pub(crate) const BUNDLED_CWR: EcnChoice =
        EcnChoice { name: "CWR bundled", extra: "payload = \"1444 B\"\n", ..EcnChoice::DEFAULT };
    /// A CWR for every report, so that a lost one is repaired (M-ECN-5).
    pub(crate) const REPEATED_CWR: EcnChoice =
        EcnChoice { name: "a CWR for every ECNE", extra: "cwr_always = true\n", ..EcnChoice::DEFAULT };
    /// The default wiring.
    pub(crate) const DIRECT: EcnChoice =
        EcnChoice { name: "default wiring", wiring: Wiring::Direct, ..EcnChoice::DEFAULT };

    /// Associations that are open from the start: packets of a handshake cannot be marked, and a congested queue drops them.
    pub(crate) const OPEN: EcnChoice =
        EcnChoice { name: "without a handshake", extra: "handshake = \"off\"\n", ..EcnChoice::DEFAULT };

    /// Association 1 with this choice.
    fn run(self) -> EcnRun {
        EcnRun { wiring: self.wiring, extra: self.extra, ..EcnRun::DEFAULT }
    }
}

/// A choice for what chapter 5 leaves open: the default, or a member of the sensitivity set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RadioChoice {
    /// The name in reports.
    pub name: &'static str,
    /// `rto.min`, in place of what a figure has.
    pub least_timeout: Option<&'static str>,
    /// The response to a time-out, where a figure does not vary it: `wireless.after_timeout`.
    pub after_timeout: &'static str,
    /// `wireless.evidence`.
    pub evidence: &'static str,
    /// Further settings of the association.
    pub extra: &'static str,
}

impl RadioChoice {
    /// The headline's.
    pub(crate) const DEFAULT: RadioChoice = RadioChoice {
        name: "default",
        least_timeout: None,
        after_timeout: "probe",
        evidence: RadioRun::DEFAULT.evidence,
        extra: "",
    };
    /// Evidence is required that a path's losses are not caused by congestion (docs/losses.md).
    pub(crate) const CAUTIOUS: RadioChoice =
        RadioChoice { name: "evidence required", evidence: "required", ..RadioChoice::DEFAULT };
    /// A SACK for each packet.
    pub(crate) const EACH_PACKET: RadioChoice = RadioChoice {
        name: "a SACK for each packet",
        extra: "sack = { every = 1 }\n",
        ..RadioChoice::DEFAULT
    };
    /// A least time-out of 0.2 s.
    pub(crate) const QUICK: RadioChoice =
        RadioChoice { name: "RTO.Min 0.2 s", least_timeout: Some("0.2 s"), ..RadioChoice::DEFAULT };
    /// A least time-out of 1 s.
    pub(crate) const SLOW: RadioChoice =
        RadioChoice { name: "RTO.Min 1 s", least_timeout: Some("1 s"), ..RadioChoice::DEFAULT };
    /// A blind resend after a time-out.
    pub(crate) const BLIND: RadioChoice = RadioChoice {
        name: "a blind resend after time-outs",
        after_timeout: "blind",
        ..RadioChoice::DEFAULT
    };

    /// The recommended sender with this choice.
    fn run(self) -> RadioRun {
        let least_timeout = self.least_timeout.unwrap_or(RadioRun::DEFAULT.least_timeout);
        RadioRun { least_timeout, evidence: self.evidence, extra: self.extra, ..RadioRun::DEFAULT }
    }
}

/// The parameters that all figures of chapter 5 share, for the report.
fn radio_params(choice: RadioChoice, losses: &str, seeds: u64) -> Vec<(&'static str, String)> {
    let mut params = vec![
        (
            "topology",
            "YE-F32: five links of 2 Mbit/s without delay, the last four lossy after transmission".to_owned(),
        ),
        ("losses", losses.to_owned()),
        ("way back", "the same bad states, no random losses".to_owned()),
        ("queues", "100 packets; at R2 enhanced RED, min 3, max 10, w 0.002, max_p 0.5".to_owned()),
        ("profile", "rfc2960, packets of 1500 bytes, 4 missing reports, delayed SACKs".to_owned()),
        ("receive buffer", "48 000 bytes, initial ssthresh likewise".to_owned()),
        ("least time-out", format!("{} unless said", choice.run().least_timeout)),
        (
            "wireless-aware",
            format!(
                "ECN without CWR, x = cwnd/2; one per RTT, limited back-off, probe; evidence {}",
                choice.evidence
            ),
        ),
        ("standard", "no ECN: R2 drops".to_owned()),
        ("seeds", format!("{seeds}, the same for all schemes")),
    ];
    if !choice.extra.is_empty() {
        params.push(("differs", format!("`{}`", choice.extra.trim())));
    }
    params
}

/// A choice for what chapter 6 leaves open: the default, or a member of the sensitivity set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpccChoice {
    /// The name in reports.
    pub name: &'static str,
    /// The capacity of a bottleneck's queue in packets, in place of the figure's.
    pub queue: Option<u32>,
    /// `failover`.
    pub failover: &'static str,
    /// `sack.every`.
    pub sack_every: u32,
}

impl IpccChoice {
    /// The headline's.
    pub const DEFAULT: IpccChoice =
        IpccChoice { name: "default", queue: None, failover: "\"off\"", sack_every: 2 };
    /// The default queues.
    pub(crate) const SHORT_QUEUES: IpccChoice =
        IpccChoice { name: "queues of 50 packets", queue: Some(50), ..IpccChoice::DEFAULT };
    /// A SACK for each packet, on one path as on two.
    pub(crate) const EACH_PACKET: IpccChoice =
        IpccChoice { name: "a SACK for each packet", sack_every: 1, ..IpccChoice::DEFAULT };
    /// No path fails, as in the headline, but those that carry no new data are probed, as RFC 2960 says. Chosen after the
    /// headline was seen, to find its cause.
    pub(crate) const PROBED: IpccChoice = IpccChoice {
        name: "idle paths probed",
        failover: "{ path_max = 1000000, association_max = 1000000, heartbeat = \"30 s\" }",
        ..IpccChoice::DEFAULT
    };
}

/// The parameters that all figures of chapter 6 share, for the report.
fn two_path_params(queue: u32, choice: IpccChoice, seeds: u64) -> Vec<(&'static str, String)> {
    vec![
        (
            "topology",
            format!(
                "YE-F41: two paths of three links; L1, L3, L4, L6 100 Mbit/s without delay, L2 and L5 the bottlenecks, \
                 {queue} packets there"
            ),
        ),
        ("transfer", "50 000 chunks of 1452 bytes, timed from the first INIT".to_owned()),
        ("profile", "rfc2960, packets of 1500 bytes, 4 missing reports".to_owned()),
        ("SACKs", format!("for {} packets, and at once where there are gaps", choice.sack_every)),
        ("failover", format!("`{}`", choice.failover)),
        (
            "receive buffer",
            "in two levels: 64 KiB in order, the rest unlimited; initial ssthresh 65 536 bytes".to_owned(),
        ),
        ("seeds", format!("{seeds}, the same for all schemes")),
    ]
}

/// The seeds of a point of chapter 6.
fn two_path_seeds(scale: StudyScale) -> u64 {
    scale.seeds(10)
}

/// The parameters that all figures of chapter 4 share, for the report.
fn params(choice: EcnChoice, seeds: u64) -> Vec<(&'static str, String)> {
    let wiring = match choice.wiring {
        Wiring::Ladder => "R5 and R7 on the way of the slower groups, one after the other",
        Wiring::Direct => "R2 to R4 and R6 to R9 directly, R5 and R7 on the way of the third group",
    };
    let mut params = vec![
        ("topology", format!("YE-F21: R4–R6 2 Mbit/s, all else 10 Mbit/s; {wiring}")),
        (
            "round trips",
            "79.6 ms for associations 1 to 5, 120 ms to 10, 161 ms to 15, unless R4–R6 varies".to_owned(),
        ),
        ("queues", "RED at every router: w 0.002, max_p 0.5, limit 100 packets, max = 2 min".to_owned()),
        ("profile", "rfc2960, packets of 1500 bytes, 4 missing reports, a SACK for each packet".to_owned()),
        ("receive buffer", "128 KiB, initial ssthresh likewise".to_owned()),
        ("run", "three minutes, measured without the first; at most 20 000 packets".to_owned()),
        ("chance", "RED's draws alone".to_owned()),
        ("seeds", format!("{seeds}, the same for all schemes")),
    ];
    if !choice.extra.is_empty() {
        params.push(("differs", format!("`{}`", choice.extra.trim())));
    }
    params
}

/// The seeds of a point.
fn seeds(scale: StudyScale) -> u64 {
    scale.seeds(5)
}

/// A panel of simulated curves. Each has points (x, run).
fn panel<R: Into<ValueSource>>(
    name: &'static str,
    title: &str,
    label: &'static str,
    metric: Metric,
    series: Vec<(&'static str, Vec<(f64, R)>)>,
    scale: StudyScale,
) -> Panel {
    let curve = |(name, points): (&'static str, Vec<(f64, R)>)| FigureCurve {
        name,
        points: points.into_iter().map(|(x, run)| (x, run.into())).collect(),
    };
    Panel {
        name,
        title: title.to_owned(),
        axis: Axis { label, spacing: Spacing::Even },
        metric,
        series: series.into_iter().map(curve).collect(),
        seeds: seeds(scale),
        beside: &[],
    }
}

/// A claim about all of a figure.
fn claim(id: &'static str, weight: Weight, stated: &'static str, expression: Expression) -> Claim {
    Claim { id, panel: "", weight, stated, expression }
}

/// A test at all of the points `x` of a panel.
fn everywhere(test: PointTest, of: (&'static str, Metric), x: &[f64]) -> Expression {
    Expression::Points { test, panel: of.0, metric: of.1, x: x.to_vec(), share: 1.0 }
}

/// A number lies in a range.
fn within(number: Number, least: f64, most: f64) -> Expression {
    Expression::Number { number, range: (least, most), direction: NOWHERE }
}

/// The mean of a point of a curve.
fn at(of: (&'static str, Metric), series: &'static str, x: f64) -> CurvePoints {
    CurvePoints { panel: of.0, series, metric: of.1, x: vec![x] }
}

/// `val(series, x, value, tolerance)`.
fn value(of: (&'static str, Metric), series: &'static str, x: f64, value: f64, tolerance: f64) -> Expression {
    within(Number::Mean(vec![at(of, series, x)]), value * (1.0 - tolerance), value * (1.0 + tolerance))
}

/// The places but the last.
fn steps(x: &[f64]) -> &[f64] {
    x.split_last().map_or(&[], |(_, rest)| rest)
}
