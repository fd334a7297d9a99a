//! The variants of a scenario that are compared: each path alone, and all together.

use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Flow, Protocol, Sctp, Traffic};
use anabranch_sctp::config::{Config, Encapsulation};

/// The selection of variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariantChoice {
    /// Each path alone, then all of them.
    AloneAndTogether,
    /// Every path together.
    Together,
}

/// A scenario whose only flow takes some of the paths.
#[derive(Clone, Debug)]
pub(super) struct PathVariant {
    /// The name: `wifi alone`, or `wifi + lte`.
    pub name: String,
    /// The scenario.
    pub scenario: Scenario,
}

impl PathVariant {
    /// The flow.
    pub(super) fn flow(&self) -> &Flow {
        &self.scenario.flows[0]
    }

    /// The flow's association.
    pub(super) fn sctp(&self) -> &Sctp {
        match &self.flow().protocol {
            Protocol::Sctp(sctp) => sctp,
            Protocol::Udp | Protocol::Tcp(_) => unreachable!("only scenarios of SCTP flows have variants"),
        }
    }

    /// The names of its paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.flow().paths.iter().map(|path| self.scenario.paths[*path].name.as_str())
    }
}

/// The variants of a scenario. Simulated and real packets have the same encapsulation.
///
/// # Errors
/// The reason why the scenario cannot be transferred really.
pub(super) fn variants(
    scenario: &Scenario,
    scope: VariantChoice,
    encapsulation: Encapsulation,
) -> Result<Vec<PathVariant>, String> {
    let flow = match scenario.flows.as_slice() {
        [flow] => flow,
        flows => return Err(format!("only one flow can be compared, and the scenario has {}", flows.len())),
    };
    let Protocol::Sctp(sctp) = &flow.protocol else {
        let name = if flow.protocol == Protocol::Udp { "UDP" } else { "TCP" };
        return Err(format!("only SCTP can be compared, and flow {:?} is {name}", flow.name));
    };
    if flow.protocol.is_appstripe() {
        return Err(format!(
            "flow {:?} is AppStripe, which is only simulated: no application really gives each path's association \
             the whole transfer",
            flow.name
        ));
    }
    if flow.traffic != Traffic::Bulk || flow.direction != Direction::Forward {
        return Err(format!("only bulk traffic there can be compared, and flow {:?} has another", flow.name));
    }
    let config = Config { encapsulation, ..sctp.config.clone() };
    let sctp = Sctp { config, ..(**sctp).clone() };
    let with = |paths: Vec<usize>, name: String| {
        let sctp = if paths.len() == flow.paths.len() { sctp.clone() } else { alone_in_its_buffer(&sctp) };
        let flow = Flow { paths, protocol: Protocol::Sctp(Box::new(sctp)), ..flow.clone() };
        PathVariant { name, scenario: Scenario { flows: vec![flow], ..scenario.clone() } }
    };
    let name = |path: &usize| scenario.paths[*path].name.clone();
    let alone = flow.paths.iter().map(|path| with(vec![*path], format!("{} alone", name(path))));
    let together = with(flow.paths.clone(), flow.paths.iter().map(name).collect::<Vec<_>>().join(" + "));
    Ok(match scope {
        VariantChoice::AloneAndTogether if flow.paths.len() > 1 => alone.chain([together]).collect(),
        _ => vec![together],
    })
}

/// The settings for one path of several. It does not share the receive buffer, so that a list of window limits does not
/// apply.
fn alone_in_its_buffer(sctp: &Sctp) -> Sctp {
    let mut alone = sctp.clone();
    if !alone.config.window_limits.is_empty() {
        alone.config.window_limits.clear();
        "none".clone_into(&mut alone.config.window_management);
    }
    alone
}
