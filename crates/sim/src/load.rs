//! The payload of packets on simulated links, and the routes that packets take.

use std::ops::{Deref, DerefMut, Range};

use anabranch_base::Time;
use anabranch_link::fabric::{self, RouteId};
use anabranch_link::{ChunkKind, Damage, Payload, Round};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Flow, Protocol};
use anabranch_sctp::config::Encapsulation;
use anabranch_sctp::wire::{Checksum, Packet};
use bytes::Bytes;

use crate::host::{Outbound, PathView, round_of};
use crate::observe::{Host, PathSeen};
use crate::pairs::pairs_of;

/// The payload that links pass on. It is boxed, because a packet moves many times on its way through a link.
#[derive(Clone, Debug)]
pub(crate) struct Carried(Box<Load>);

/// A packet's bytes, and the values that the network reads besides them.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    /// The pair of ends between which it travels.
    pub pair: u32,
    /// The pair's path that it takes.
    pub path: u16,
    /// The host that sent it.
    pub from: Host,
    /// True if it carries a chunk that was sent before.
    pub retransmission: bool,
    /// True if links can read its chunks: it carries SCTP, and not sealed.
    pub shows_chunks: bool,
    /// True if a bit changed.
    pub is_damaged: bool,
    /// True if it is a second copy.
    pub is_duplicate: bool,
    /// When it left its host.
    pub sent: Time,
    /// The round of its sender to which it belongs.
    pub round: Option<Round>,
    /// The bytes after the IP and UDP headers.
    pub bytes: Bytes,
}

/// Boxes of packets that no longer exist, for new packets.
#[derive(Debug, Default)]
pub(crate) struct Boxes {
    empty: Vec<Carried>,
}

/// Which pairs of ends a flow has, and which routes their packets take. Pairs are numbered across the network, in the
/// order of the flows.
#[derive(Debug)]
pub(crate) struct Routes {
    /// The routes of the scenario's paths: forward, and reverse.
    ways: Vec<[RouteId; 2]>,
    /// The scenario's path for each path of a pair.
    paths: Vec<Vec<usize>>,
    /// The flow of each pair.
    flows: Vec<usize>,
    /// The pairs of each flow.
    pairs: Vec<Range<usize>>,
    /// True if links can read the chunks in the packets of each flow.
    show_chunks: Vec<bool>,
}

impl Load {
    /// The load for a packet that leaves the end of `pair` at host `from`.
    pub(crate) fn new(now: Time, pair: usize, from: Host, outbound: Outbound, shows_chunks: bool) -> Load {
        Load {
            pair: u32::try_from(pair).unwrap_or(u32::MAX),
            path: u16::try_from(outbound.path).unwrap_or(u16::MAX),
            from,
            retransmission: outbound.retransmission,
            shows_chunks,
            is_damaged: false,
            is_duplicate: false,
            sent: now,
            round: round_of(2 * pair + from as usize, &outbound),
            bytes: outbound.bytes,
        }
    }
}

impl Payload for Carried {
    /// Each path of each pair of ends, in each direction: they have ports and addresses of their own.
    fn flow(&self) -> u64 {
        u64::from(self.pair) << 32 | u64::from(self.path) << 1 | self.from as u64
    }

    fn round(&self) -> Option<Round> {
        self.round
    }

    fn carries_chunk(&self, kind: ChunkKind) -> bool {
        // Simulated packets have no checksum.
        let packet = || Packet::decode(&self.bytes, Checksum::Omitted).ok();
        self.shows_chunks && packet().is_some_and(|packet| packet.carries(kind.number()))
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
    pub(crate) fn pack(&mut self, load: Load) -> Carried {
        match self.empty.pop() {
            Some(mut carried) => {
                *carried.0 = load;
                carried
            }
            None => Carried(Box::new(load)),
        }
    }

    /// Takes the bytes out of a box, and keeps the box.
    pub(crate) fn unpack(&mut self, mut carried: Carried) -> Bytes {
        let bytes = std::mem::take(&mut carried.bytes);
        self.empty.push(carried);
        bytes
    }
}

impl Routes {
    /// The routes of a scenario's flows. `ways` are the routes of its paths through the fabric: forward, and reverse.
    pub(crate) fn of(scenario: &Scenario, ways: Vec<[RouteId; 2]>) -> Routes {
        let show_chunks = scenario.flows.iter().map(shows_chunks).collect();
        let mut routes =
            Routes { ways, paths: Vec::new(), flows: Vec::new(), pairs: Vec::new(), show_chunks };
        for (index, flow) in scenario.flows.iter().enumerate() {
            let pairs = pairs_of(flow);
            let first = routes.paths.len();
            routes.pairs.push(first..first + pairs.len());
            routes.flows.extend(pairs.iter().map(|_| index));
            routes.paths.extend(pairs);
        }
        routes
    }

    /// The route of packets that the end of `pair` at host `from` sends on the pair's `path`.
    pub(crate) fn route(&self, pair: usize, from: Host, path: usize) -> RouteId {
        let [there, back] = self.ways[self.paths[pair][path]];
        match from {
            Host::First => there,
            Host::Second => back,
        }
    }

    /// The scenario's paths for those of a pair.
    pub(crate) fn paths(&self, pair: usize) -> &[usize] {
        &self.paths[pair]
    }

    /// The flow of a pair.
    pub(crate) fn flow(&self, pair: usize) -> usize {
        self.flows[pair]
    }

    /// Returns true if links can read the chunks in the packets of a pair.
    pub(crate) fn shows_chunks(&self, pair: usize) -> bool {
        self.show_chunks[self.flow(pair)]
    }

    /// The pairs of a flow.
    pub(crate) fn pairs(&self, flow: usize) -> Range<usize> {
        self.pairs[flow].clone()
    }

    /// The observation of a pair's path at a host.
    pub(crate) fn path_seen(&self, pair: usize, host: Host, path: usize, view: PathView) -> PathSeen {
        let PathView { state, cwnd, ssthresh, flight, srtt, rto, measured } = view;
        let (flow, path) = (self.flow(pair), self.paths(pair)[path]);
        PathSeen { flow, path, host, state, cwnd, ssthresh, flight, srtt, rto, measured }
    }
}

fn shows_chunks(flow: &Flow) -> bool {
    match &flow.protocol {
        Protocol::Sctp(sctp) => sctp.config.encapsulation != Encapsulation::Sealed,
        Protocol::Udp | Protocol::Tcp(_) => false,
    }
}
