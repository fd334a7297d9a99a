//! The choices that WS leave open about windows in a shared receive buffer: the default, and the sensitivity set.

use super::super::super::iy::Recovery;
use super::super::LeastTimeout;

/// The cap on the room that a path takes by rank (M-CWM-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankCap {
    /// It may not: the default.
    Capped,
    /// It may.
    Uncapped,
}

/// Which limits the planner of the static rule chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlannedLimits {
    /// The limits of WS: by a model without a least time-out.
    OfPaper,
    /// Those by a model whose time-outs are at least RFC 4960's, 1 s.
    WithStandardTimeout,
    /// As WS, without limits of 2 to 4 packets, which have no fast retransmit.
    WithoutShortWindows,
}

/// A choice for what the paper leaves open: the default, or a member of its sensitivity set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WindowsSetting {
    /// The cap of ranks.
    pub rank: RankCap,
    /// The simulation's minimum retransmission time-out.
    pub timeout: LeastTimeout,
    /// The planner's rule.
    pub planned: PlannedLimits,
    /// The recovery of a path of CMT.
    pub recovery: Recovery,
}

impl WindowsSetting {
    /// The default: the figures' verdicts are those of its runs.
    pub(crate) const DEFAULT: WindowsSetting = WindowsSetting {
        rank: RankCap::Capped,
        timeout: LeastTimeout::OfProfile,
        planned: PlannedLimits::OfPaper,
        recovery: Recovery::State,
    };

    /// The sensitivity set, one thing changed at a time, each with its name in reports.
    pub(crate) const SENSITIVITY: [(&'static str, WindowsSetting); 5] = [
        ("recovery of ns-2", WindowsSetting { recovery: Recovery::Ns2, ..WindowsSetting::DEFAULT }),
        ("ranks without a cap", WindowsSetting { rank: RankCap::Uncapped, ..WindowsSetting::DEFAULT }),
        (
            "RTO.Min = 3 (d + 1/b)",
            WindowsSetting { timeout: LeastTimeout::OfModel, ..WindowsSetting::DEFAULT },
        ),
        (
            "planner with RTO ≥ 1 s",
            WindowsSetting { planned: PlannedLimits::WithStandardTimeout, ..WindowsSetting::DEFAULT },
        ),
        (
            "no limit of 2 to 4 packets",
            WindowsSetting { planned: PlannedLimits::WithoutShortWindows, ..WindowsSetting::DEFAULT },
        ),
    ];
}

impl RankCap {
    /// `window_management` of a scenario.
    pub(super) fn rule(self) -> &'static str {
        match self {
            RankCap::Capped => "\"dynamic\"",
            RankCap::Uncapped => "\"dynamic-unbounded\"",
        }
    }
}
