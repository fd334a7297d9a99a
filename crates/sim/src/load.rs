//! What simulated links carry, and the links it takes. It knows no protocol.

use anabranch_base::Time;
use anabranch_link::Damage;
use anabranch_scenario::Scenario;
use anabranch_sctp::policy::PathSample;
use bytes::Bytes;

use crate::host::Outbound;
use crate::observe::{Host, PathSeen};

/// A packet's bytes, and what the network must know of it.
#[derive(Clone, Debug)]
pub struct Load {
    /// Whose it is.
    pub flow: u32,
    /// Which of the flow's paths it takes.
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

/// Which links the packets of a flow take.
#[derive(Debug)]
pub struct Routes {
    /// The links of each flow's paths, by the number of the link's direction: there, and back.
    hops: Vec<Vec<[Vec<u32>; 2]>>,
    /// The scenario's path behind each of a flow's.
    paths: Vec<Vec<usize>>,
}

impl Load {
    /// What leaves an end of a flow.
    pub fn new(now: Time, flow: usize, from: Host, outbound: Outbound) -> Load {
        Load {
            flow: u32::try_from(flow).unwrap_or(u32::MAX),
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

impl Routes {
    /// The routes of a scenario's flows.
    pub fn of(scenario: &Scenario) -> Routes {
        let link = |index: &usize| u32::try_from(2 * index).unwrap_or(u32::MAX);
        let hops = |path: &usize| {
            let links = &scenario.paths[*path].links;
            [links.iter().map(link).collect(), links.iter().rev().map(|index| link(index) + 1).collect()]
        };
        Routes {
            hops: scenario.flows.iter().map(|flow| flow.paths.iter().map(hops).collect()).collect(),
            paths: scenario.flows.iter().map(|flow| flow.paths.clone()).collect(),
        }
    }

    /// The direction of a link that a packet comes to next; `None` when it is there.
    pub fn next_hop(&self, load: &Load) -> Option<usize> {
        let [there, back] = &self.hops[load.flow as usize][usize::from(load.path)];
        let hops = match load.from {
            Host::First => there,
            Host::Second => back,
        };
        hops.get(usize::from(load.hop)).map(|hop| *hop as usize)
    }

    /// How many paths a flow has.
    pub fn paths_of(&self, flow: usize) -> usize {
        self.paths[flow].len()
    }

    /// The scenario's path behind a flow's.
    pub fn path(&self, flow: usize, path: usize) -> usize {
        self.paths[flow][path]
    }

    /// A path's sample as those who watch see it.
    pub fn path_seen(&self, flow: usize, host: Host, (path, sample): (usize, PathSample)) -> PathSeen {
        PathSeen {
            flow,
            path: self.path(flow, path),
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
