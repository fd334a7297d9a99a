//! The limits of the windows of a flow: as the scenario sets them, or as planned.

use anabranch_models::{Markov, WindowModel};
use anabranch_planner::{PlanError, Problem, exact, hull};
use anabranch_scenario::model::{Multipath, Sctp, WindowManagement};
use anabranch_scenario::{Registry, Scenario};
use anabranch_sctp::config::Config;

use super::{ModelFlow, ModelPath, buffer_packets, parameters};
use crate::observe::Host;
use crate::unfit::Unfit;

/// The limits of the windows of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Windows {
    /// The whole receive buffer: that of a single path, or of each path's own association.
    Whole,
    /// An equal part of the receive buffer for each path.
    EvenParts,
    /// The limits with the highest total throughput within the receive buffer, because the scenario gives none.
    Planned,
    /// The scenario's limits, in packets, one for each path.
    Given(Vec<u32>),
}

impl Windows {
    /// The limits of the windows of an association over `paths` paths.
    pub fn of(sctp: &Sctp, paths: usize, registry: &Registry) -> Windows {
        let is_split = sctp.config.buffer_split.splits_receive_buffer();
        match (sctp.window_management(registry), sctp.multipath) {
            // Limits of paths that wait for a failure do not count.
            (WindowManagement::Limits(limits), _) => {
                Windows::Given(limits.iter().copied().take(paths).collect())
            }
            _ if paths == 1 => Windows::Whole,
            (_, Multipath::AppStripe) => Windows::Whole,
            _ if is_split => Windows::EvenParts,
            _ => Windows::Planned,
        }
    }
}

impl ModelFlow {
    /// The limit of each path's window in packets. If the scenario does not give limits, they are planned with
    /// `model`: exactly, or with hulls if that would take too long.
    ///
    /// # Errors
    /// The receive buffer has fewer packets than paths, or a path is outside the model's domain.
    pub fn limits(&self, model: &dyn WindowModel) -> Result<Vec<u32>, PlanError> {
        let paths = self.paths.len();
        let each = |packets: u32| match packets {
            0 => Err(PlanError::BufferTooSmall { buffer: self.receive_buffer, paths }),
            packets => Ok(vec![packets; paths]),
        };
        match &self.windows {
            Windows::Whole => each(self.receive_buffer),
            Windows::EvenParts => each(self.receive_buffer / u32::try_from(paths).unwrap_or(u32::MAX)),
            Windows::Planned => planned(&self.problem(model)?),
            Windows::Given(limits) => Ok(limits.clone()),
        }
    }

    /// The input of the planner: how to share the receive buffer best.
    ///
    /// # Errors
    /// As [`ModelFlow::limits`].
    pub fn problem(&self, model: &dyn WindowModel) -> Result<Problem, PlanError> {
        Problem::new(&self.parameters(), self.receive_buffer, model)
    }

    /// A note if predicted windows follow planned limits and the scenario's windows do not.
    pub fn supposed(&self) -> Option<String> {
        match (&self.windows, &self.management) {
            (Windows::Planned, WindowManagement::None) => {
                Some("the models assume planned window limits, and the flow has none".to_owned())
            }
            (Windows::Planned, WindowManagement::Rule(rule)) => Some(format!(
                "the models assume planned window limits, and the flow's windows are managed by {rule:?}"
            )),
            _ => None,
        }
    }

    /// A note if a path's limited window is more than the path and its queue hold: the models do not include what the
    /// queue then drops.
    pub fn overfull(&self, limits: &[u32]) -> Option<String> {
        let is_over = |(path, limit): &(&ModelPath, &u32)| u64::from(**limit) > path.holds();
        let mut over = self.paths.iter().zip(limits).filter(is_over);
        let (path, limit) = over.next()?;
        let holds = path.holds();
        let others = match over.count() {
            0 => String::new(),
            others => format!(" (and likewise on {others} other paths)"),
        };
        Some(format!(
            "path {:?} and its queue hold {holds} packets, and its window may grow to {limit}: the models do \
             not include the packets that the queue drops{others}",
            path.name
        ))
    }
}

impl ModelPath {
    /// The number of packets the path and the queue of its narrowest link hold before the queue drops one.
    fn holds(&self) -> u64 {
        u64::from(self.parameters.cap()).saturating_add(self.queue)
    }
}

/// The settings of an association at `sender` over `paths`, with the limits of window management `static`. The limits
/// are planned by the Markov model with independent losses, from the links as they are at the start. Parts of a
/// scenario that no model expresses, such as events and other flows, do not change the limits.
///
/// # Errors
/// A path has no rate at the start, or the receive buffer has fewer packets than paths.
pub fn planned_config(
    scenario: &Scenario,
    paths: &[usize],
    sender: Host,
    sctp: &Sctp,
) -> Result<Config, Unfit> {
    let mut config = sctp.association();
    if sctp.window_management(&scenario.registry) == WindowManagement::Planned {
        config.window_limits = planned_limits(scenario, paths, sender, sctp)?;
    }
    Ok(config)
}

fn planned_limits(
    scenario: &Scenario,
    paths: &[usize],
    sender: Host,
    sctp: &Sctp,
) -> Result<Vec<u32>, Unfit> {
    let buffer = buffer_packets(sctp);
    if sctp.multipath == Multipath::Off {
        // One path at a time: it may use the whole buffer.
        return Ok(vec![buffer.max(1); paths.len()]);
    }
    let parameters = parameters(scenario, paths, sender, sctp);
    if let Some((path, _)) = paths.iter().zip(&parameters).find(|(_, parameters)| parameters.rate == 0.0) {
        return Err(Unfit::NoRate { path: scenario.paths[*path].name.clone() });
    }
    Ok(planned(&Problem::new(&parameters, buffer, &Markov::default())?)?)
}

fn planned(problem: &Problem) -> Result<Vec<u32>, PlanError> {
    match exact(problem) {
        Ok(best) => Ok(best.limits),
        Err(PlanError::TooMuch { .. }) => Ok(hull(problem).allocation.limits),
        Err(other) => Err(other),
    }
}
