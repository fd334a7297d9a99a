//! WS-F9 to F12: two paths in one receive buffer, windows managed by planned limits and by rank.

mod claims;
mod setting;

pub(crate) use setting::{PlannedLimits, RankCap, WindowsSetting};

use anabranch_models::{Halving, Markov, RoundLoss};
use anabranch_planner::{Problem, exact};

use super::super::FigureError;
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Axis, Figure, FigureCurve, Origin, Panel, SideColumn, Spacing, ValueSource};
use super::super::iy::Recovery;
use super::super::results::{CurvePoints, Metric};
use super::super::verdict::Verdict;
use super::{LeastTimeout, Sacks, WsPath, packets, sctp};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "WS-F9-F12",
    aliases: &["WS-F9", "WS-F10", "WS-F11", "WS-F12"],
    about: "Windows in a shared receive buffer: planned limits beside ranks",
    panels: &[
        PanelEntry {
            id: "WS-F9",
            title: "gain of static over dynamic window management by the second path's bandwidth",
            decided_by: DecidedBy::Panel("F9"),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "WS-F10",
            title: "the same by receive buffer",
            decided_by: DecidedBy::Panel("F10"),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "WS-F11",
            title: "the same by the second path's losses",
            decided_by: DecidedBy::Panel("F11"),
            verdict: Verdict::Reproduced,
        },
        PanelEntry {
            id: "WS-F12",
            title: "the same by the second path's delay",
            decided_by: DecidedBy::Panel("F12"),
            verdict: Verdict::Reproduced,
        },
    ],
    build: |scale| record(scale, WindowsSetting::DEFAULT),
    sensitivity: |scale| {
        let members = WindowsSetting::SENSITIVITY.into_iter();
        members.map(|(name, setting)| Ok((name, record(scale, setting)?))).collect()
    },
    ns2: None,
};

/// The parameters of a point beside p₁: the second path, and the receive buffer in KiB.
#[derive(Clone, Copy, Debug)]
struct PointParameters {
    rate: f64,
    delay: f64,
    loss: f64,
    buffer: f64,
}

const CENTRE: PointParameters = PointParameters { rate: 20.0, delay: 40.0, loss: 1e-4, buffer: 128.0 };

/// One figure: the names of its panels, and its series.
struct Family {
    gain: &'static str,
    fixed: &'static str,
    ranked: &'static str,
    limits: &'static str,
    varies: &'static str,
    members: &'static [(&'static str, PointParameters)],
}

const FAMILIES: [Family; 4] = [
    Family {
        gain: "F9",
        fixed: "F9 static",
        ranked: "F9 dynamic",
        limits: "F9 limits",
        varies: "the second path's rate",
        members: &[
            ("b₂ = 5 Mbit/s", PointParameters { rate: 5.0, ..CENTRE }),
            ("b₂ = 10 Mbit/s", PointParameters { rate: 10.0, ..CENTRE }),
            ("b₂ = 15 Mbit/s", PointParameters { rate: 15.0, ..CENTRE }),
            ("b₂ = 20 Mbit/s", CENTRE),
        ],
    },
    Family {
        gain: "F10",
        fixed: "F10 static",
        ranked: "F10 dynamic",
        limits: "F10 limits",
        varies: "the receive buffer",
        members: &[
            ("r = 64 KiB", PointParameters { buffer: 64.0, ..CENTRE }),
            ("r = 96 KiB", PointParameters { buffer: 96.0, ..CENTRE }),
            ("r = 128 KiB", CENTRE),
            ("r = 192 KiB", PointParameters { buffer: 192.0, ..CENTRE }),
            ("r = 256 KiB", PointParameters { buffer: 256.0, ..CENTRE }),
        ],
    },
    Family {
        gain: "F11",
        fixed: "F11 static",
        ranked: "F11 dynamic",
        limits: "F11 limits",
        varies: "the second path's losses",
        members: &[
            ("p₂ = 0.0001", CENTRE),
            ("p₂ = 0.001", PointParameters { loss: 1e-3, ..CENTRE }),
            ("p₂ = 0.01", PointParameters { loss: 1e-2, ..CENTRE }),
            ("p₂ = 0.1", PointParameters { loss: 1e-1, ..CENTRE }),
        ],
    },
    Family {
        gain: "F12",
        fixed: "F12 static",
        ranked: "F12 dynamic",
        limits: "F12 limits",
        varies: "the second path's delay",
        members: &[
            ("d₂ = 20 ms", PointParameters { delay: 20.0, ..CENTRE }),
            ("d₂ = 40 ms", CENTRE),
            ("d₂ = 80 ms", PointParameters { delay: 80.0, ..CENTRE }),
            ("d₂ = 160 ms", PointParameters { delay: 160.0, ..CENTRE }),
        ],
    },
];

/// p₁: thirteen places, evenly spaced in logarithms.
const LOSSES: [f64; 13] =
    [1e-4, 1.78e-4, 3.16e-4, 5.62e-4, 1e-3, 1.78e-3, 3.16e-3, 5.62e-3, 1e-2, 1.78e-2, 3.16e-2, 5.62e-2, 1e-1];

/// The missing reports of the scenarios.
const MISSING_REPORTS: u32 = 4;

const AXIS: Axis = Axis { label: "p₁", spacing: Spacing::Logarithmic };

/// The record.
///
/// # Errors
/// A plan that cannot be made.
fn record(scale: StudyScale, setting: WindowsSetting) -> Result<Figure, FigureError> {
    let mut panels = Vec::new();
    for family in &FAMILIES {
        panels.extend(family.panels(scale, setting)?);
    }
    Ok(Figure {
        id: "WS-F9–F12",
        title: "a shared receive buffer: planned limits beside ranks",
        params: params(scale, setting),
        panels,
        claims: claims::claims(scale),
    })
}

impl Family {
    fn panels(&self, scale: StudyScale, setting: WindowsSetting) -> Result<[Panel; 4], FigureError> {
        let (mut fixed, mut ranked, mut limits, mut gains) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &(name, world) in self.members {
            let planned = LOSSES.map(|loss| world.limits(loss, setting.planned));
            let planned = planned.into_iter().collect::<Result<Vec<Vec<u32>>, FigureError>>()?;
            let at = || LOSSES.into_iter();
            let run = |loss, rule: &str| (loss, ValueSource::Run(world.scenario(loss, scale, setting, rule)));
            let of_plan = at().zip(&planned).map(|(loss, plan)| run(loss, &format!("{plan:?}")));
            fixed.push(FigureCurve { name, points: of_plan.collect() });
            ranked.push(FigureCurve {
                name,
                points: at().map(|loss| run(loss, setting.rank.rule())).collect(),
            });
            let first = at()
                .zip(&planned)
                .map(|(loss, plan)| (loss, ValueSource::Given(Origin::Model, vec![f64::from(plan[0])])));
            limits.push(FigureCurve { name, points: first.collect() });
            let gain = ValueSource::Gain { of: (self.fixed, name), over: (self.ranked, name) };
            gains.push(FigureCurve { name, points: at().map(|loss| (loss, gain.clone())).collect() });
        }
        let panel = |name, title: &str, metric, series, beside| Panel {
            name,
            title: format!("{title}, by {}", self.varies),
            axis: AXIS,
            metric,
            series,
            seeds: scale.seeds(20),
            beside,
        };
        let timeouts: &[SideColumn] = &[SideColumn::Timeouts];
        Ok([
            panel(self.fixed, "throughput with planned limits", Metric::Throughput, fixed, timeouts),
            panel(self.ranked, "throughput by rank", Metric::Throughput, ranked, timeouts),
            panel(self.limits, "the first path's planned limit", Metric::Limit, limits, &[]),
            panel(self.gain, "how much more limits carry than ranks", Metric::Gain, gains, &[]),
        ])
    }

    /// The curves of gain of these members, at these places.
    fn gains(&self, is_wanted: impl Fn(&str) -> bool, x: &[f64]) -> Vec<CurvePoints> {
        let members = self.members.iter().map(|(name, _)| *name).filter(|name| is_wanted(name));
        members
            .map(|series| CurvePoints { panel: self.gain, series, metric: Metric::Gain, x: x.to_vec() })
            .collect()
    }

    fn all_gains(&self) -> Vec<CurvePoints> {
        self.gains(|_| true, &LOSSES)
    }
}

impl PointParameters {
    fn paths(self, loss: f64) -> [WsPath; 2] {
        let PointParameters { rate, delay, .. } = self;
        [WsPath { rate: 21.0, delay: 40.0, loss }, WsPath { rate, delay, loss: self.loss }]
    }

    /// The planner's limits for the Markov model with independent losses.
    fn limits(self, loss: f64, planned: PlannedLimits) -> Result<Vec<u32>, FigureError> {
        let model = Markov { loss: RoundLoss::Independent, halving: Halving::Ceil };
        let (least, reports) = match planned {
            PlannedLimits::OfPaper => (0.0, 0),
            PlannedLimits::WithStandardTimeout => (1.0, 0),
            PlannedLimits::WithoutShortWindows => (0.0, MISSING_REPORTS),
        };
        let paths = self.paths(loss).map(|path| path.parameters(least));
        let problem = Problem::new(&paths, packets(self.buffer), &model)?;
        Ok(exact(&problem.without_short_windows(reports))?.limits)
    }

    fn scenario(self, loss: f64, scale: StudyScale, setting: WindowsSetting, rule: &str) -> String {
        let (time, warmup) = match scale {
            StudyScale::Full => (300, 20),
            StudyScale::Quick => (30, 2),
        };
        let recovery = match setting.recovery {
            Recovery::State => "",
            Recovery::Ns2 => "cmt = { recovery = \"ns2\" }\n",
        };
        let links = ["one", "two"].into_iter().zip(self.paths(loss));
        let links: String = links.map(|(name, path)| path.link(name, "bernoulli")).collect();
        format!(
            "[run]\ntime = \"{time} s\"\nwarmup = \"{warmup} s\"\n{links}[[flow]]\n{}multipath = \"cmt\"\n\
             window_management = {rule}\n{recovery}",
            sctp(&self.paths(loss), self.buffer, Sacks::Delayed, setting.timeout),
        )
    }
}

fn params(scale: StudyScale, setting: WindowsSetting) -> Vec<(&'static str, String)> {
    let own = |text: &str| text.to_owned();
    let planned = match setting.planned {
        PlannedLimits::OfPaper => "no least time-out",
        PlannedLimits::WithStandardTimeout => "time-outs of 1 s at least, as the simulation has them",
        PlannedLimits::WithoutShortWindows => {
            "no least time-out, and no limit of 2 to 4 packets, which has no fast retransmit (4 reports need 5 packets)"
        }
    };
    vec![
        (
            "paths",
            own(
                "two; the first 21 Mbit/s and 40 ms there and back, the second 20 Mbit/s, 40 ms, p₂ = 0.0001 where nothing else is said",
            ),
        ),
        (
            "receive buffer",
            own(
                "128 KiB where nothing else is said: windows and buffers count packets of 1,500 bytes, 87 of them",
            ),
        ),
        ("losses", own("independent, on data alone")),
        (
            "profile",
            own(
                "rfc4960, 4 missing reports; CMT_scd: split fast retransmit, window update, delayed SACKs with DAC",
            ),
        ),
        (
            "RTO.Min",
            own(match setting.timeout {
                LeastTimeout::OfProfile => "1 s, the profile's; the planner's model has none",
                LeastTimeout::OfModel => {
                    "3 (d + 1/b) as the model has it for each path; an association has one for all its paths, the longer of \
                     the two, so that none is below its model's"
                }
            }),
        ),
        ("scheduler, retransmission", own("round robin; over the same path")),
        (
            "recovery of a path",
            own(match setting.recovery {
                Recovery::State => "a state in which its window does not grow",
                Recovery::Ns2 => "by a recover point, as in ns-2's module",
            }),
        ),
        (
            "static",
            format!(
                "limits by the exact method for the Markov model with independent losses, {planned}, 60 s at most; what one \
                 path does not use is lent to the other (M-CWM-3)"
            ),
        ),
        (
            "dynamic",
            own(match setting.rank {
                RankCap::Capped => {
                    "by rank: rate, then delay; no window beyond what fills its path (M-CWM-2)"
                }
                RankCap::Uncapped => {
                    "by rank: rate, then delay; windows may be larger than what fills their path"
                }
            }),
        ),
        ("queue", own("drop-tail, 1000 packets: nothing is lost there")),
        ("time", own("300 s, of which 20 are left out; 30 s and 2 s at quick scale")),
        ("gain", own("100 (static − dynamic) / dynamic, of goodput, seed by seed (M-MET-6)")),
        ("seeds", format!("{} a point, the same for both", scale.seeds(20))),
        ("F12's verdict", own("C7, the only claim about F12 alone: C1 is about F9 to F12 together")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_planner_takes_into_account_decides_about_small_limits() {
        let world = PointParameters { buffer: 64.0, ..CENTRE };
        let limits = |planned| world.limits(1e-2, planned).expect("there is a plan");
        assert_eq!(limits(PlannedLimits::OfPaper), [2, 41]);
        assert_eq!(limits(PlannedLimits::WithStandardTimeout), [1, 42]);
        assert_eq!(limits(PlannedLimits::WithoutShortWindows), [1, 42]);
    }

    #[test]
    fn a_member_changes_what_it_names_and_nothing_else() {
        let full = |setting| record(StudyScale::Full, setting).expect("there are plans");
        let of_series = |figure: &Figure, ending: &str| -> Vec<String> {
            let panels = figure.panels.iter().filter(|panel| panel.name.ends_with(ending));
            let points = panels.flat_map(|panel| &panel.series).flat_map(|series| &series.points);
            points.map(|(_, source)| format!("{source:?}")).collect()
        };
        let default = full(WindowsSetting::DEFAULT);
        for (name, setting) in WindowsSetting::SENSITIVITY {
            let member = full(setting);
            let is_same = [" static", " dynamic"]
                .map(|ending| of_series(&member, ending) == of_series(&default, ending));
            let of_ranks = setting.rank != RankCap::Capped;
            let of_both = setting.timeout != LeastTimeout::OfProfile || setting.recovery != Recovery::State;
            assert_eq!(is_same, [of_ranks, !of_ranks && !of_both], "{name}");
        }
    }

    #[test]
    fn a_buffer_for_both_paths_gives_each_what_fills_it() {
        let limits = PointParameters { buffer: 256.0, ..CENTRE }
            .limits(1e-4, PlannedLimits::OfPaper)
            .expect("there is a plan");
        assert_eq!(limits, [71, 68]);
    }

    #[test]
    fn the_limits_of_a_small_buffer_fill_it_and_leave_the_lossy_path_little() {
        let limits = |loss| CENTRE.limits(loss, PlannedLimits::OfPaper).expect("there is a plan");
        assert!(limits(1e-4).iter().sum::<u32>() <= 87);
        assert!(limits(1e-2)[0] < limits(1e-4)[0], "{:?} and {:?}", limits(1e-2), limits(1e-4));
    }
}
