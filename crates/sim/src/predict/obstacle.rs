//! The obstacles to a prediction: each part of a scenario that the equations of the models cannot express.

use anabranch_link::config::{Change, Delay, LinkConfig, LossKind, Rate};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Flow, Link, Traffic};

use super::users::LinkUsers;

/// A part of a scenario that no model expresses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// A flow without windows.
    #[error("UDP has no window")]
    Datagrams,
    /// A flow of TCP, whose settings are not those that the models take.
    #[error("it is TCP, and predictions are for SCTP")]
    Tcp,
    /// A path across a mesh of radio stations.
    #[error("path {path:?} crosses a mesh of radio stations, and the models are of links")]
    Mesh {
        /// The path.
        path: String,
    },
    /// An application that does not always have data to send.
    #[error("its application limits its rate, and the models assume that there are always data to send")]
    OwnPace,
    /// A rate or a delay that changes in steps or by a trace.
    #[error("link {link:?} has a changing {what}, and the models assume a constant one")]
    Changing {
        /// The link.
        link: String,
        /// The rate or its delay.
        what: &'static str,
    },
    /// An event.
    #[error("link {link:?} {what} during the run, and the models assume constant links")]
    Event {
        /// The link.
        link: String,
        /// The behaviour of the link.
        what: &'static str,
    },
    /// Losses without a probability.
    #[error("link {link:?} loses {which}, which the models cannot express as a probability")]
    Loss {
        /// The link.
        link: String,
        /// The lost packets.
        which: &'static str,
    },
    /// A link that another flow uses.
    #[error("link {link:?} also carries {}, and the models assume no competing traffic", flows(.other, *.others))]
    SharedByFlows {
        /// The link.
        link: String,
        /// One of the other flows.
        other: String,
        /// The number of other flows.
        others: usize,
    },
}

/// Why no model can predict a flow: the first obstacle of each kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct Inexpressible(pub Vec<Obstacle>);

impl Inexpressible {
    /// With only one obstacle.
    pub fn only(obstacle: Obstacle) -> Inexpressible {
        Inexpressible(vec![obstacle])
    }
}

/// Looks for obstacles to the prediction of an SCTP flow; its paths are those that carry data.
///
/// # Errors
/// The obstacles that were found.
pub(super) fn check(scenario: &Scenario, users: &LinkUsers, flow: &Flow) -> Result<(), Inexpressible> {
    let used: Vec<usize> =
        flow.paths.iter().flat_map(|path| scenario.paths[*path].links.iter().copied()).collect();
    let links = || used.iter().map(|link| &scenario.links[*link]);
    let found = [
        own_pace(flow),
        mesh(scenario, flow),
        links().find_map(changing),
        event(scenario, &used),
        links().find_map(|link| loss(link, flow.direction)),
        shared_by_flows(scenario, users, flow, &used),
    ];
    let obstacles: Vec<Obstacle> = found.into_iter().flatten().collect();
    if obstacles.is_empty() { Ok(()) } else { Err(Inexpressible(obstacles)) }
}

/// The direction of a link that a flow's data takes; the forward direction if the flow sends in both.
pub(crate) fn data_way(link: &Link, direction: Direction) -> &LinkConfig {
    match direction {
        Direction::Forward | Direction::Both => &link.forward,
        Direction::Reverse => &link.reverse,
    }
}

/// `flow "a"`, or `3 other flows`: of equal flows the same is said.
fn flows(first: &str, all: usize) -> String {
    if all > 1 { format!("{all} other flows") } else { format!("flow {first:?}") }
}

fn own_pace(flow: &Flow) -> Option<Obstacle> {
    (flow.traffic != Traffic::Bulk).then_some(Obstacle::OwnPace)
}

fn mesh(scenario: &Scenario, flow: &Flow) -> Option<Obstacle> {
    let mut paths = flow.paths.iter().map(|path| &scenario.paths[*path]);
    paths.find(|path| path.air.is_some()).map(|path| Obstacle::Mesh { path: path.name.clone() })
}

fn changing(link: &Link) -> Option<Obstacle> {
    let ways = [&link.forward, &link.reverse];
    let has_rates = |direction: &&LinkConfig| match &direction.rate {
        Rate::Fixed(_) => false,
        Rate::Steps(steps) => steps.len() > 1,
        Rate::Trace(_) => true,
    };
    let has_delays =
        |direction: &&LinkConfig| matches!(&direction.delay, Delay::Steps(steps) if steps.len() > 1);
    let what = if ways.iter().any(has_rates) {
        "rate"
    } else if ways.iter().any(has_delays) {
        "delay"
    } else {
        return None;
    };
    Some(Obstacle::Changing { link: link.name.clone(), what })
}

fn event(scenario: &Scenario, used: &[usize]) -> Option<Obstacle> {
    let event = scenario.events.iter().find(|event| used.contains(&event.link))?;
    let what = match event.change {
        Change::Up | Change::Down => "comes and goes",
        Change::Rate(_) => "changes its rate",
        Change::Delay(_) => "changes its delay",
        Change::Loss(_) => "changes its losses",
        Change::Mtu(_) => "changes its MTU",
    };
    Some(Obstacle::Event { link: scenario.links[event.link].name.clone(), what })
}

fn loss(link: &Link, direction: Direction) -> Option<Obstacle> {
    let which = match data_way(link, direction).loss.kind {
        LossKind::Outages(_) => "packets at given times",
        LossKind::Every(_) => "each n-th packet",
        LossKind::List(_) => "given packets",
        LossKind::Burst { .. } => "packets in bursts",
        LossKind::Chunk { .. } => "packets with a given chunk",
        LossKind::None
        | LossKind::Bernoulli { .. }
        | LossKind::Correlated { .. }
        | LossKind::GilbertElliott { .. } => return None,
    };
    Some(Obstacle::Loss { link: link.name.clone(), which })
}

fn shared_by_flows(scenario: &Scenario, users: &LinkUsers, flow: &Flow, used: &[usize]) -> Option<Obstacle> {
    used.iter().find_map(|link| {
        let (other, others) = users.other(scenario, *link, flow.direction, &flow.name)?;
        let link = scenario.links[*link].name.clone();
        Some(Obstacle::SharedByFlows { link, other: other.to_owned(), others })
    })
}
