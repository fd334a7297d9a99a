//! What simulated links carry, and the routes that it takes.

use std::ops::{Deref, DerefMut, Range};

use anabranch_base::Time;
use anabranch_link::Damage;
use anabranch_link::fabric::{self, RouteId};
use anabranch_scenario::Scenario;
use bytes::Bytes;

use crate::host::{Outbound, PathView};
use crate::observe::{Host, PathSeen};
use crate::pairs::pairs_of;

/// What a link hands on. In a box, because a packet changes its place many times on its way through a link.
#[derive(Clone, Debug)]
pub struct Carried(Box<Load>);

/// A packet's bytes, and what the network reads beside them.
#[derive(Clone, Debug)]
pub struct Load {
    /// The pair of ends that it goes between.
    pub pair: u32,
    /// Which of the pair's paths it takes.
    pub path: u16,
    /// Where it came from.
    pub from: Host,
    /// Whether it carries something that was sent before.
    pub retransmission: bool,
    /// Whether a bit was turned over.
    pub is_damaged: bool,
    /// Whether it is a second copy.
    pub is_duplicate: bool,
    /// When it left its host.
    pub sent: Time,
    /// What follows the headers of IP and UDP.
    pub bytes: Bytes,
}

/// Boxes of packets that are gone, for those to come.
#[derive(Debug, Default)]
pub struct Boxes {
    empty: Vec<Carried>,
}

/// Which pairs of ends a flow has, and which routes their packets take. Pairs are numbered through the network, in the
/// order of the flows.
#[derive(Debug)]
pub struct Routes {
    /// The routes of the scenario's paths: there, and back.
    ways: Vec<[RouteId; 2]>,
    /// The scenario's path behind each of a pair's.
    paths: Vec<Vec<usize>>,
    /// Whose each pair is.
    flows: Vec<usize>,
    /// The pairs of each flow.
    pairs: Vec<Range<usize>>,
}

impl Load {
    /// What leaves an end of a pair.
    pub fn new(now: Time, pair: usize, from: Host, outbound: Outbound) -> Load {
        Load {
            pair: u32::try_from(pair).unwrap_or(u32::MAX),
            path: u16::try_from(outbound.path).unwrap_or(u16::MAX),
            from,
            retransmission: outbound.retransmission,
            is_damaged: false,
            is_duplicate: false,
            sent: now,
            bytes: outbound.bytes,
        }
    }
}

impl fabric::Load for Carried {
    fn suffer(&mut self, damage: Damage) {
        let mut bytes = self.bytes.to_vec();
        damage.apply(&mut bytes);
        self.bytes = bytes.into();
        self.is_damaged = true;
    }

    fn on_duplicated(&mut self) {
        self.is_duplicate = true;
    }
}

impl Deref for Carried {
    type Target = Load;

    fn deref(&self) -> &Load {
        &self.0
    }
}

impl DerefMut for Carried {
    fn deref_mut(&mut self) -> &mut Load {
        &mut self.0
    }
}

impl Boxes {
    /// Puts a load into a box.
    pub fn pack(&mut self, load: Load) -> Carried {
        match self.empty.pop() {
            Some(mut carried) => {
                *carried.0 = load;
                carried
            }
            None => Carried(Box::new(load)),
        }
    }

    /// Takes the bytes out of a box, and the box back.
    pub fn unpack(&mut self, mut carried: Carried) -> Bytes {
        let bytes = std::mem::take(&mut carried.bytes);
        self.empty.push(carried);
        bytes
    }
}

impl Routes {
    /// The routes of a scenario's flows, where its paths have these `ways` through the fabric: there, and back.
    pub fn of(scenario: &Scenario, ways: Vec<[RouteId; 2]>) -> Routes {
        let mut routes = Routes { ways, paths: Vec::new(), flows: Vec::new(), pairs: Vec::new() };
        for (index, flow) in scenario.flows.iter().enumerate() {
            let pairs = pairs_of(flow);
            let first = routes.paths.len();
            routes.pairs.push(first..first + pairs.len());
            routes.flows.extend(pairs.iter().map(|_| index));
            routes.paths.extend(pairs);
        }
        routes
    }

    /// The route of what a pair's end at this host sends on one of the pair's paths.
    pub fn route(&self, pair: usize, from: Host, path: usize) -> RouteId {
        let [there, back] = self.ways[self.paths[pair][path]];
        match from {
            Host::First => there,
            Host::Second => back,
        }
    }

    /// The scenario's paths behind those of a pair.
    pub fn paths(&self, pair: usize) -> &[usize] {
        &self.paths[pair]
    }

    /// The flow that a pair is of.
    pub fn flow(&self, pair: usize) -> usize {
        self.flows[pair]
    }

    /// The pairs of a flow.
    pub fn pairs(&self, flow: usize) -> Range<usize> {
        self.pairs[flow].clone()
    }

    /// What an observer sees of a pair's path, by its number, at a host.
    pub fn path_seen(&self, pair: usize, host: Host, path: usize, view: PathView) -> PathSeen {
        let PathView { state, cwnd, ssthresh, flight, srtt, rto } = view;
        let (flow, path) = (self.flow(pair), self.paths(pair)[path]);
        PathSeen { flow, path, host, state, cwnd, ssthresh, flight, srtt, rto }
    }
}
