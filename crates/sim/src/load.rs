//! What simulated links carry, and the links it takes. It knows no protocol.

use std::ops::Range;

use anabranch_base::Time;
use anabranch_link::Damage;
use anabranch_scenario::Scenario;
use anabranch_sctp::policy::PathSample;
use bytes::Bytes;

use crate::host::Outbound;
use crate::observe::{Host, PathSeen};
use crate::pairs::pairs_of;

/// What a link hands on. In a box, because a packet changes its place many times on its way through a link.
pub type Carried = Box<Load>;

/// A packet's bytes, and what the network must know of it.
#[derive(Clone, Debug)]
pub struct Load {
    /// The pair of ends that it goes between.
    pub pair: u32,
    /// Which of the pair's paths it takes.
    pub path: u16,
    /// How many links it has crossed.
    pub hop: u16,
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

/// Which pairs of ends a flow has, and which links their packets take. Pairs are numbered through the network, in the
/// order of the flows.
#[derive(Debug)]
pub struct Routes {
    /// The links of each pair's paths, by the number of the link's direction: there, and back.
    hops: Vec<Vec<[Vec<u32>; 2]>>,
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
            hop: 0,
            from,
            retransmission: outbound.retransmission,
            is_damaged: false,
            is_duplicate: false,
            sent: now,
            bytes: outbound.bytes,
        }
    }

    /// A bit is turned over, in this copy alone.
    pub fn suffer(&mut self, damage: Damage) {
        let mut bytes = self.bytes.to_vec();
        damage.apply(&mut bytes);
        self.bytes = bytes.into();
        self.is_damaged = true;
    }
}

impl Boxes {
    /// Puts a load into a box.
    pub fn pack(&mut self, load: Load) -> Carried {
        match self.empty.pop() {
            Some(mut carried) => {
                *carried = load;
                carried
            }
            None => Box::new(load),
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
    /// The routes of a scenario's flows.
    pub fn of(scenario: &Scenario) -> Routes {
        let link = |index: &usize| u32::try_from(2 * index).unwrap_or(u32::MAX);
        let hops = |path: &usize| {
            let links = &scenario.paths[*path].links;
            [links.iter().map(link).collect(), links.iter().rev().map(|index| link(index) + 1).collect()]
        };
        let mut routes = Routes { hops: Vec::new(), paths: Vec::new(), flows: Vec::new(), pairs: Vec::new() };
        for (index, flow) in scenario.flows.iter().enumerate() {
            let pairs = pairs_of(flow);
            let first = routes.paths.len();
            routes.pairs.push(first..first + pairs.len());
            routes.flows.extend(pairs.iter().map(|_| index));
            routes.hops.extend(pairs.iter().map(|paths| paths.iter().map(hops).collect::<Vec<_>>()));
            routes.paths.extend(pairs);
        }
        routes
    }

    /// The direction of a link that a packet comes to next; `None` when it is there.
    pub fn next_hop(&self, load: &Load) -> Option<usize> {
        let [there, back] = &self.hops[load.pair as usize][usize::from(load.path)];
        let hops = match load.from {
            Host::First => there,
            Host::Second => back,
        };
        hops.get(usize::from(load.hop)).map(|hop| *hop as usize)
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

    /// A path's sample as those who watch see it.
    pub fn path_seen(&self, pair: usize, host: Host, (path, sample): (usize, PathSample)) -> PathSeen {
        PathSeen {
            flow: self.flow(pair),
            path: self.paths(pair)[path],
            host,
            state: sample.state,
            cwnd: sample.cwnd,
            ssthresh: sample.ssthresh,
            flight: sample.flight,
            srtt: sample.srtt,
            rto: sample.rto,
        }
    }
}
