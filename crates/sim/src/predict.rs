//! The part of a scenario that the analytic models use: a flow's paths as rates, delays and losses, and its receive buffer.

mod forecast;
mod limits;
mod notes;
mod obstacle;
mod plan;
mod users;

pub use forecast::{Basis, Forecast, Model, Prediction, forecast, forecasts, markov};
pub use limits::{Windows, planned_config};
pub use obstacle::{Inexpressible, Obstacle};
pub use plan::{LimitModel, PlanQuestion, PlanReport};

use anabranch_base::{ByteCount, Duration};
use anabranch_link::config::QueueLimit;
use anabranch_models::{LimitedPath, PathParameters, TimeoutBounds};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Flow, Link, Multipath, Protocol, Sctp, WindowManagement};
use anabranch_sctp::config::IpVersion;
use anabranch_sctp::policy::Hints;

use crate::hints::hints;
use crate::observe::Host;
use obstacle::data_way;
use users::LinkUsers;

/// A flow as the models see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFlow {
    /// The name.
    pub name: String,
    /// The paths that carry its data; at least one.
    pub paths: Vec<ModelPath>,
    /// The receive buffer, in whole packets; it may be 0.
    pub receive_buffer: u32,
    /// The limit of each path's window.
    pub windows: Windows,
    /// The window management of the scenario.
    pub management: WindowManagement,
    /// The size of a packet in the models: the MTU.
    pub packet: ByteCount,
    /// User data in it.
    pub payload: ByteCount,
    /// The number of packets an acknowledgement answers.
    pub packets_per_ack: u32,
    /// The omissions and assumptions of the models, one sentence each.
    pub notes: Vec<String>,
}

/// A path as the models see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPath {
    /// The name.
    pub name: String,
    /// b, d, p and the bounds of the time-out.
    pub parameters: PathParameters,
    /// The number of packets the queue of its narrowest link holds.
    pub queue: u64,
}

impl ModelFlow {
    /// Every flow of a scenario, in its order.
    pub fn all(scenario: &Scenario) -> Vec<Result<ModelFlow, Inexpressible>> {
        let users = LinkUsers::of(scenario);
        scenario.flows.iter().map(|flow| ModelFlow::with(scenario, &users, flow)).collect()
    }

    /// The flow that the commands report: the first SCTP flow, or the first flow if there is none.
    ///
    /// # Errors
    /// What the models cannot express.
    pub fn first(scenario: &Scenario) -> Result<ModelFlow, Inexpressible> {
        let index = ModelFlow::first_index(scenario);
        ModelFlow::with(scenario, &LinkUsers::of(scenario), &scenario.flows[index])
    }

    /// The index of the flow of [`ModelFlow::first`].
    pub fn first_index(scenario: &Scenario) -> usize {
        let is_sctp = |flow: &Flow| matches!(flow.protocol, Protocol::Sctp(_));
        scenario.flows.iter().position(is_sctp).unwrap_or(0)
    }

    /// The paths, each with its limit.
    pub fn limited(&self, limits: &[u32]) -> Vec<LimitedPath> {
        let limited =
            |(path, limit): (&ModelPath, &u32)| LimitedPath { path: path.parameters, limit: *limit };
        self.paths.iter().zip(limits).map(limited).collect()
    }

    /// The parameters of its paths.
    pub fn parameters(&self) -> Vec<PathParameters> {
        self.paths.iter().map(|path| path.parameters).collect()
    }

    /// `rate` packets/s as bits per second of whole packets.
    pub fn throughput_bps(&self, rate: f64) -> f64 {
        rate * 8.0 * self.packet.get() as f64
    }

    /// `rate` packets/s as bits per second of user data.
    pub fn goodput_bps(&self, rate: f64) -> f64 {
        rate * 8.0 * self.payload.get() as f64
    }

    fn with(scenario: &Scenario, users: &LinkUsers, flow: &Flow) -> Result<ModelFlow, Inexpressible> {
        let sctp = match &flow.protocol {
            Protocol::Sctp(sctp) => sctp,
            Protocol::Udp => return Err(Inexpressible::only(Obstacle::Datagrams)),
            Protocol::Tcp(_) => return Err(Inexpressible::only(Obstacle::Tcp)),
        };
        let flow = Flow { paths: carrying(flow, sctp), ..flow.clone() };
        obstacle::check(scenario, users, &flow)?;
        let config = sctp.association();
        let paths = paths(scenario, &flow, sctp);
        let windows = Windows::of(sctp, paths.len(), &scenario.registry);
        Ok(ModelFlow {
            name: flow.name.clone(),
            notes: notes::notes(scenario, &flow, sctp),
            paths,
            receive_buffer: buffer_packets(sctp),
            windows,
            management: sctp.window_management(&scenario.registry),
            packet: sctp.config.mtu,
            payload: config.full_payload(IpVersion::V4),
            packets_per_ack: sctp.config.sack.every,
        })
    }
}

/// The paths that carry data while no path fails.
fn carrying(flow: &Flow, sctp: &Sctp) -> Vec<usize> {
    let all = if sctp.multipath == Multipath::Off { 1 } else { flow.paths.len() };
    flow.paths.iter().copied().take(all).collect()
}

fn paths(scenario: &Scenario, flow: &Flow, sctp: &Sctp) -> Vec<ModelPath> {
    let sender = match flow.direction {
        Direction::Forward | Direction::Both => Host::First,
        Direction::Reverse => Host::Second,
    };
    let named = |(index, parameters): (&usize, PathParameters)| ModelPath {
        name: scenario.paths[*index].name.clone(),
        parameters,
        queue: queue(scenario, *index, flow.direction, sctp.config.mtu),
    };
    flow.paths.iter().zip(parameters(scenario, &flow.paths, sender, sctp)).map(named).collect()
}

/// Returns the parameters of `paths` for the models, for data that `sender` sends: the links as they are at the
/// start. If several paths share a link, each has an equal part of it, because the paths of the models share no
/// links.
fn parameters(scenario: &Scenario, paths: &[usize], sender: Host, sctp: &Sctp) -> Vec<PathParameters> {
    let timeout =
        TimeoutBounds { min: sctp.config.rto.min.as_secs_f64(), max: sctp.config.rto.max.as_secs_f64() };
    let sharing = paths_over_links(scenario, paths);
    let part_of_rate = |link: &usize| {
        let Link { forward, reverse, .. } = &scenario.links[*link];
        let direction = if sender == Host::First { forward } else { reverse };
        direction.rate.at_start().unwrap_or_default().bits_per_second() as f64 / sharing[*link] as f64
    };
    let of = |(path, direction): (&usize, Hints)| {
        let least = scenario.paths[*path].links.iter().map(part_of_rate).fold(f64::INFINITY, f64::min);
        PathParameters {
            rate: least / (8 * sctp.config.mtu.get()) as f64,
            delay: direction.round_trip.unwrap_or(Duration::ZERO).as_secs_f64(),
            loss: direction.loss.unwrap_or(0.0),
            timeout,
        }
    };
    paths.iter().zip(hints(scenario, paths, sender)).map(of).collect()
}

/// The number of `paths` use each link of the scenario.
fn paths_over_links(scenario: &Scenario, paths: &[usize]) -> Vec<usize> {
    let mut over = vec![0; scenario.links.len()];
    paths.iter().flat_map(|path| &scenario.paths[*path].links).for_each(|link| over[*link] += 1);
    over
}

/// The receive buffer, in whole packets.
fn buffer_packets(sctp: &Sctp) -> u32 {
    // A buffer that grows is as large as it must be, up to its limit.
    let buffer = sctp.config.receive_growth.map_or(sctp.config.receive_buffer, |growth| growth.limit);
    u32::try_from(buffer.get() / sctp.config.mtu.get()).unwrap_or(u32::MAX)
}

/// The number of packets that wait at the narrowest link of a path before one is dropped.
fn queue(scenario: &Scenario, path: usize, direction: Direction, packet: ByteCount) -> u64 {
    let ways = scenario.paths[path].links.iter().map(|link| data_way(&scenario.links[*link], direction));
    let narrowest = ways.min_by_key(|direction| direction.rate.at_start());
    match narrowest.map(|direction| &direction.queue) {
        Some(queue) => match queue.limit() {
            QueueLimit::Packets(packets) => packets,
            QueueLimit::Bytes(bytes) => bytes.get() / packet.get(),
        },
        None => 0,
    }
}
