//! The papers' figures: the scenarios that are run for them, and the verdicts on the papers' claims.

pub mod batch;
pub mod berp;
mod beside_ns2;
pub mod by_seed;
pub mod catalogue;
pub mod claim;
mod curve_statistics;
pub mod curve_table;
pub mod document;
pub mod figure;
pub mod iy;
pub mod liu;
mod measure;
pub mod observed;
mod reduced;
pub mod report;
pub mod results;
pub mod run_values;
pub mod running_times;
pub mod session;
pub mod stated;
pub mod svg;
pub mod verdict;
pub mod wanted;
pub mod ws;
pub mod ye;

use anabranch_models::ModelError;
use anabranch_planner::PlanError;
use clap::ValueEnum;

use self::claim::{Claim, Finding, Weight};
use self::figure::Figure;
use self::results::Results;
use self::run_values::RunValues;
use self::verdict::Standing;
use self::wanted::Wanted;
use crate::grid::GridError;
use crate::kept_runs::{KeepError, KeptRuns};
use crate::ns2::TableError;
use crate::scale::StudyScale;

/// The figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FigureName {
    /// CMT and AppStripe without losses.
    #[value(name = "IY-F4")]
    IyF4,
    /// CMT and AppStripe under losses.
    #[value(name = "IY-F5")]
    IyF5,
    /// The same with a SACK for each packet.
    #[value(name = "IY-F6")]
    IyF6,
    /// Retransmissions over the other path.
    #[value(name = "IY-X1")]
    IyX1,
    /// CMT without one of its rules; no figure of the paper.
    #[value(name = "IY-A1")]
    IyA1,
    /// One path's models beside the simulator, by each of its parameters.
    #[value(name = "WS-F5-F8", aliases = ["WS-F5", "WS-F6", "WS-F7", "WS-F8"])]
    WsF5ToF8,
    /// Windows in a shared receive buffer: planned limits beside ranks.
    #[value(name = "WS-F9-F12", aliases = ["WS-F9", "WS-F10", "WS-F11", "WS-F12"])]
    WsF9ToF12,
    /// Limits by a thinned search, and what that costs.
    #[value(name = "WS-F13-F14", aliases = ["WS-F13", "WS-F14"])]
    WsF13ToF14,
    /// Multipath TCP beside its model.
    #[value(name = "LIU-F4-F6", aliases = ["LIU-F4", "LIU-F5", "LIU-F6"])]
    LiuF4ToF6,
    /// A transfer's time by losses: BERP beside the standard, over disjoint paths.
    #[value(name = "BERP-F2")]
    BerpF2,
    /// The windows of both.
    #[value(name = "BERP-F3")]
    BerpF3,
    /// The same time where the paths share the narrow link.
    #[value(name = "BERP-F5")]
    BerpF5,
    /// The windows there.
    #[value(name = "BERP-F6")]
    BerpF6,
    /// Throughput beside datagrams.
    #[value(name = "BERP-F8")]
    BerpF8,
    /// The windows there.
    #[value(name = "BERP-F9")]
    BerpF9,
    /// The share of two paths beside one TCP, by congestion control.
    #[value(name = "BERP-T1")]
    BerpT1,
    /// Throughput over a string of 802.11 stations.
    #[value(name = "YE-F7-F9", aliases = ["YE-F7", "YE-F8", "YE-F9"])]
    YeF7ToF9,
    /// Two associations on the string, of which the first starves.
    #[value(name = "YE-F11")]
    YeF11,
    /// Two associations on the string, of which the second starves.
    #[value(name = "YE-F13")]
    YeF13,
    /// What the early retransmission in the idle period gains there.
    #[value(name = "YE-F15")]
    YeF15,
    /// A round trip over ten hops of links and of 802.11 stations.
    #[value(name = "YE-X3")]
    YeX3,
    /// The string with two channels; no figure of the thesis.
    #[value(name = "YE-A1")]
    YeA1,
    /// The string with queues that mark; no figure of the thesis.
    #[value(name = "YE-A2")]
    YeA2,
    /// What lost CWRs do to goodput.
    #[value(name = "YE-F22")]
    YeF22,
    /// The window after a mark.
    #[value(name = "YE-F23")]
    YeF23,
    /// Cuts for the marks of one congestion epoch.
    #[value(name = "YE-F24")]
    YeF24,
    /// Half of the window after a mark beside the least one that keeps the link full, with table 1.
    #[value(name = "YE-F25", aliases = ["YE-T1"])]
    YeF25,
    /// Smaller fractions of the window after a mark.
    #[value(name = "YE-F26")]
    YeF26,
    /// Many associations whose window after a mark is an eighth.
    #[value(name = "YE-F27")]
    YeF27,
    /// Time-outs around a bad state.
    #[value(name = "YE-F29")]
    YeF29,
    /// The probability that a window loses more than four packets.
    #[value(name = "YE-F30")]
    YeF30,
    /// The window of a wireless-aware sender without congestion.
    #[value(name = "YE-F33")]
    YeF33,
    /// The same with congestion now and then.
    #[value(name = "YE-F34")]
    YeF34,
    /// Goodput by the least time-out.
    #[value(name = "YE-F35")]
    YeF35,
    /// Goodput by what is resent at once and by the back-off.
    #[value(name = "YE-T2")]
    YeT2,
    /// Goodput and T-R ratio of a probe and of a blind resend after time-outs.
    #[value(name = "YE-F36", aliases = ["YE-F37"])]
    YeF36,
    /// Retransmissions on a second path, by its losses.
    #[value(name = "YE-F42")]
    YeF42,
    /// Load sharing beside the sum of the paths, without losses.
    #[value(name = "YE-F43")]
    YeF43,
    /// The same with losses on both paths.
    #[value(name = "YE-F44")]
    YeF44,
}

/// How figures are run.
#[derive(Debug)]
pub struct Conduct {
    /// How much of them.
    pub scale: StudyScale,
    /// The most seeds that a point has; `None` for those of the record.
    pub at_most: Option<u64>,
    /// The runs that need not be made again.
    pub kept: KeptRuns<RunValues>,
}

/// A figure with its results and verdicts.
#[derive(Clone, Debug)]
pub struct FigureResult {
    /// The setting that it was run with, in words.
    pub setting: &'static str,
    /// The record.
    pub figure: Figure,
    /// What was measured.
    pub results: Results,
    /// The claims' verdicts, in their order.
    pub findings: Vec<Finding>,
}

/// Why a figure has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// A scenario of the record cannot be run.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A model has no answer for the record's parameters.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The planner has none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A table of another program's numbers.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The values of a run cannot be kept.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// A transfer did not end.
    #[error(
        "{figure}: seed {seed} of {series} at {x} moved {delivered} bytes in {seconds} s and was not done"
    )]
    Incomplete {
        /// Its record.
        figure: &'static str,
        /// Its curve.
        series: &'static str,
        /// Its place on the axis.
        x: f64,
        /// The run.
        seed: u64,
        /// What was delivered.
        delivered: u64,
        /// How long it ran.
        seconds: f64,
    },
}

/// A figure, or a part of it, with the default setting: its verdict is the headline.
///
/// # Errors
/// A record that cannot be computed, a scenario that cannot be run, a run that cannot be kept, or a transfer that does
/// not end.
pub fn judge_default(wanted: impl Into<Wanted>, conduct: &mut Conduct) -> Result<FigureResult, FigureError> {
    judge(wanted.into().record(conduct.scale)?, "default", conduct)
}

/// The figure with each member of its sensitivity set whose name `is_wanted`.
///
/// # Errors
/// As [`judge_default`].
pub fn judge_sensitivity(
    wanted: &Wanted,
    conduct: &mut Conduct,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<FigureResult>, FigureError> {
    let members = wanted.figure().sensitivity(conduct.scale)?.into_iter();
    let members = members.filter(|(setting, _)| is_wanted(setting));
    members.map(|(setting, figure)| judge(wanted.part_of(figure), setting, conduct)).collect()
}

/// Runs a record and judges its claims.
///
/// # Errors
/// As [`judge_default`].
pub fn judge(
    mut figure: Figure,
    setting: &'static str,
    conduct: &mut Conduct,
) -> Result<FigureResult, FigureError> {
    let all_seeds: Vec<u64> = figure.panels.iter().map(|panel| panel.seeds).collect();
    conduct.cap(&mut figure);
    let results = measure::measure(&figure, &mut conduct.kept)?;
    let finding = |claim: &Claim| {
        let provisional = provisional(&figure, claim, conduct.scale, &all_seeds);
        Finding { provisional, ..claim.judge(&results) }
    };
    let findings = figure.claims.iter().map(finding).collect();
    Ok(FigureResult { setting, figure, results, findings })
}

/// The fewest seeds of the runs that decide about a claim, where these are fewer or smaller than those of the full scale,
/// at which a panel has `all_seeds`. Models have no seeds.
fn provisional(figure: &Figure, claim: &Claim, scale: StudyScale, all_seeds: &[u64]) -> Option<u64> {
    let named = claim.expression.panels();
    let panels = figure.panels.iter().zip(all_seeds);
    let simulated = panels.filter(|(panel, _)| named.contains(&panel.name) && panel.is_simulated());
    let fewer = simulated.filter(|(panel, all)| scale == StudyScale::Quick || panel.seeds < **all);
    fewer.map(|(panel, _)| panel.seeds).min()
}

impl Conduct {
    /// All seeds at this scale, and nothing kept beyond the program's end.
    pub fn of_scale(scale: StudyScale) -> Conduct {
        Conduct { scale, at_most: None, kept: KeptRuns::in_memory() }
    }
}

impl Conduct {
    /// Leaves each panel the seeds that are run.
    pub(crate) fn cap(&self, figure: &mut Figure) {
        let at_most = self.at_most.unwrap_or(u64::MAX);
        figure.panels.iter_mut().for_each(|panel| panel.seeds = panel.seeds.min(at_most));
    }
}

impl FigureName {
    /// Its record; at full scale with ns-2's curves beside ours, where there are some.
    ///
    /// # Errors
    /// A model without an answer, or a table that cannot be read.
    pub fn record(self, scale: StudyScale) -> Result<Figure, FigureError> {
        let own = self.own_record(scale)?;
        match scale {
            StudyScale::Full => Ok(beside_ns2::add(self, own)?),
            StudyScale::Quick => Ok(own),
        }
    }

    fn own_record(self, scale: StudyScale) -> Result<Figure, FigureError> {
        match self {
            FigureName::IyF4 | FigureName::IyF5 | FigureName::IyF6 | FigureName::IyX1 | FigureName::IyA1 => {
                Ok(self.iy(scale, iy::DEFAULT))
            }
            FigureName::WsF5ToF8 => ws::one_path(scale, ws::Sacks::EachPacket, ws::LeastTimeout::OfProfile),
            FigureName::WsF9ToF12 => ws::windows(scale, ws::WindowsSetting::DEFAULT),
            FigureName::WsF13ToF14 => ws::heuristic(1e-4),
            FigureName::LiuF4ToF6 => liu::record(scale, liu::LiuChoice::DEFAULT),
            FigureName::BerpF2
            | FigureName::BerpF3
            | FigureName::BerpF5
            | FigureName::BerpF6
            | FigureName::BerpF8
            | FigureName::BerpF9 => Ok(self.berp(scale, berp::ChainChoice::DEFAULT)),
            FigureName::YeF22
            | FigureName::YeF23
            | FigureName::YeF24
            | FigureName::YeF25
            | FigureName::YeF26
            | FigureName::YeF27 => Ok(self.ye(scale, ye::EcnChoice::DEFAULT)),
            FigureName::BerpT1 => Ok(berp::friendliness(scale)),
            FigureName::YeF7ToF9
            | FigureName::YeF11
            | FigureName::YeF13
            | FigureName::YeF15
            | FigureName::YeA1
            | FigureName::YeA2 => Ok(self.ye_string(scale, ye::StringChoice::DEFAULT)),
            FigureName::YeX3 => Ok(ye::ten_hops(scale)),
            FigureName::YeF30 => ye::lossy_windows(),
            FigureName::YeF29
            | FigureName::YeF33
            | FigureName::YeF34
            | FigureName::YeF35
            | FigureName::YeT2
            | FigureName::YeF36 => Ok(self.ye_radio(scale, ye::RadioChoice::DEFAULT)),
            FigureName::YeF42 | FigureName::YeF43 | FigureName::YeF44 => {
                Ok(self.ye_two_paths(scale, ye::IpccChoice::DEFAULT))
            }
        }
    }

    /// The records beside the default one, each with the name of what is different. Where nothing is lost, the
    /// direction of losses does not matter; some records only report.
    fn sensitivity(self, scale: StudyScale) -> Result<Vec<(&'static str, Figure)>, FigureError> {
        let of_iy = |setting: &iy::OpenChoice| (setting.name, self.iy(scale, *setting));
        let of_radio = |choices: &[ye::RadioChoice]| {
            choices.iter().map(|choice| (choice.name, self.ye_radio(scale, *choice))).collect()
        };
        let of_two_paths = |choices: &[ye::IpccChoice]| {
            choices.iter().map(|choice| (choice.name, self.ye_two_paths(scale, *choice))).collect()
        };
        let of_ye = |choices: &[ye::EcnChoice]| {
            choices.iter().map(|choice| (choice.name, self.ye(scale, *choice))).collect()
        };
        match self {
            FigureName::IyF4 => {
                let forward = iy::SENSITIVITY.iter().filter(|setting| setting.lossy == iy::Lossy::Forward);
                Ok(forward.map(of_iy).collect())
            }
            FigureName::IyF5 | FigureName::IyF6 => Ok(iy::SENSITIVITY.iter().map(of_iy).collect()),
            FigureName::IyX1 => Ok(iy::RULES_OF_PEERS.iter().map(of_iy).collect()),
            FigureName::IyA1 | FigureName::YeF30 | FigureName::YeX3 | FigureName::BerpT1 => Ok(Vec::new()),
            FigureName::YeA1 | FigureName::YeA2 => {
                let choice = ye::StringChoice::STANDARD_COUNTERS;
                Ok(vec![(choice.name, self.ye_string(scale, choice))])
            }
            FigureName::YeF42 => Ok(of_two_paths(&[ye::IpccChoice::PROBED])),
            FigureName::YeF43 | FigureName::YeF44 => {
                Ok(of_two_paths(&[ye::IpccChoice::SHORT_QUEUES, ye::IpccChoice::EACH_PACKET]))
            }
            FigureName::YeF29 | FigureName::YeF33 | FigureName::YeF34 | FigureName::YeF35 => {
                Ok(of_radio(&[ye::RadioChoice::EACH_PACKET, ye::RadioChoice::CAUTIOUS]))
            }
            FigureName::BerpF2
            | FigureName::BerpF3
            | FigureName::BerpF5
            | FigureName::BerpF6
            | FigureName::BerpF8
            | FigureName::BerpF9 => {
                let members = berp::ChainChoice::SENSITIVITY.into_iter();
                Ok(members.map(|choice| (choice.name, self.berp(scale, choice))).collect())
            }
            FigureName::YeT2 => {
                use ye::RadioChoice;
                Ok(of_radio(&[RadioChoice::EACH_PACKET, RadioChoice::QUICK, RadioChoice::BLIND]))
            }
            FigureName::YeF36 => Ok(of_radio(&[ye::RadioChoice::EACH_PACKET, ye::RadioChoice::SLOW])),
            FigureName::YeF7ToF9 | FigureName::YeF11 | FigureName::YeF13 | FigureName::YeF15 => {
                let members = ye::StringChoice::SENSITIVITY.into_iter();
                let fits = |choice: &ye::StringChoice| self != FigureName::YeF15 || !choice.has_recovery;
                Ok(members.filter(fits).map(|choice| (choice.name, self.ye_string(scale, choice))).collect())
            }
            FigureName::YeF22 => Ok(of_ye(&ye::CWR_SENSITIVITY)),
            FigureName::YeF23 | FigureName::YeF24 | FigureName::YeF25 | FigureName::YeF26 => {
                Ok(of_ye(&[ye::EcnChoice::PLAIN_RETRANSMISSIONS]))
            }
            FigureName::YeF27 => {
                Ok(of_ye(&[ye::EcnChoice::PLAIN_RETRANSMISSIONS, ye::EcnChoice::DIRECT, ye::EcnChoice::OPEN]))
            }
            FigureName::WsF5ToF8 => {
                let member = |sacks, timeout| ws::one_path(scale, sacks, timeout);
                Ok(vec![
                    ("delayed SACKs", member(ws::Sacks::Delayed, ws::LeastTimeout::OfProfile)?),
                    ("RTO.Min = 3 (d + 1/b)", member(ws::Sacks::EachPacket, ws::LeastTimeout::OfModel)?),
                ])
            }
            FigureName::WsF9ToF12 => {
                let members = ws::WindowsSetting::SENSITIVITY.into_iter();
                members.map(|(name, setting)| Ok((name, ws::windows(scale, setting)?))).collect()
            }
            FigureName::WsF13ToF14 => Ok(vec![("p = 0.001", ws::heuristic(1e-3)?)]),
            FigureName::LiuF4ToF6 => {
                let members = liu::LiuChoice::SENSITIVITY.into_iter();
                members.map(|choice| Ok((choice.name, liu::record(scale, choice)?))).collect()
            }
        }
    }

    /// A record of IY; for a name of another paper, that of the first figure.
    fn iy(self, scale: StudyScale, setting: iy::OpenChoice) -> Figure {
        match self {
            FigureName::IyF5 => iy::delayed(scale, setting),
            FigureName::IyF6 => iy::immediate(scale, setting),
            FigureName::IyX1 => iy::alternate(scale, setting),
            FigureName::IyA1 => iy::ablation(scale, setting),
            _ => iy::zero_loss(scale, setting),
        }
    }
}

impl FigureName {
    /// A record of BERP; for a name of another paper, that of the first figure.
    fn berp(self, scale: StudyScale, choice: berp::ChainChoice) -> Figure {
        match self {
            FigureName::BerpF3 => berp::over_disjoint(scale, choice),
            FigureName::BerpF5 => berp::shared(scale, choice),
            FigureName::BerpF6 => berp::over_shared(scale, choice),
            FigureName::BerpF8 => berp::beside_datagrams(scale, choice),
            FigureName::BerpF9 => berp::over_loaded(scale, choice),
            _ => berp::disjoint(scale, choice),
        }
    }

    /// A record of YE chapter 5; for a name of another figure, that of the first.
    fn ye_radio(self, scale: StudyScale, choice: ye::RadioChoice) -> Figure {
        match self {
            FigureName::YeF33 => ye::without_congestion(scale, choice),
            FigureName::YeF34 => ye::with_congestion(scale, choice),
            FigureName::YeF35 => ye::least_timeouts(scale, choice),
            FigureName::YeT2 => ye::resend_and_backoff(scale, choice),
            FigureName::YeF36 => ye::after_timeouts(scale, choice),
            _ => ye::unsampled_state(choice),
        }
    }

    /// A record of YE chapter 3; for a name of another figure, that of the first.
    fn ye_string(self, scale: StudyScale, choice: ye::StringChoice) -> Figure {
        match self {
            FigureName::YeF11 => ye::scenario_one(scale, choice),
            FigureName::YeF13 => ye::scenario_two(scale, choice),
            FigureName::YeF15 => ye::small_window(scale, choice),
            FigureName::YeA1 => ye::two_channels(scale, choice),
            FigureName::YeA2 => ye::marking_stations(scale, choice),
            _ => ye::throughput(scale, choice),
        }
    }

    /// A record of YE chapter 6; for a name of another figure, that of the first.
    fn ye_two_paths(self, scale: StudyScale, choice: ye::IpccChoice) -> Figure {
        match self {
            FigureName::YeF43 => ye::load_sharing(scale, choice),
            FigureName::YeF44 => ye::lossy_load_sharing(scale, choice),
            _ => ye::retransmission_path(scale, choice),
        }
    }

    /// A record of YE chapter 4; for a name of another figure, that of the first.
    fn ye(self, scale: StudyScale, choice: ye::EcnChoice) -> Figure {
        match self {
            FigureName::YeF23 => ye::fixed_windows(scale, choice),
            FigureName::YeF24 => ye::epochs(scale, choice),
            FigureName::YeF25 => ye::two_policies(scale, choice),
            FigureName::YeF26 => ye::fractions(scale, choice),
            FigureName::YeF27 => ye::associations(scale, choice),
            _ => ye::lost_answers(scale, choice),
        }
    }
}

impl FigureError {
    /// Whether it is not an error, but the wish of who watched.
    pub fn is_interruption(&self) -> bool {
        matches!(self, FigureError::Grid(GridError::Interrupted))
    }
}

impl FigureResult {
    /// The worst verdict of the core claims about a panel; of all of them for an empty name. It is provisional if one of
    /// theirs is. `None` without one.
    pub fn standing(&self, panel: &str) -> Option<Standing> {
        let claims = self.figure.claims.iter().zip(&self.findings);
        let core = claims.filter(|(claim, _)| claim.weight == Weight::Core);
        let core = core.filter(|(claim, _)| panel.is_empty() || claim.panel == panel);
        let standings: Vec<Standing> = core.map(|(_, finding)| finding.standing()).collect();
        Standing::worst(&standings)
    }
}
