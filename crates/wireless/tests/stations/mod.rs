//! Stations for tests: where they are, what they send, and how a mesh is driven.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::BTreeMap;

use anabranch_base::{ByteCount, Distance, Duration, Machine, Seed, Time};
use anabranch_link::fabric::{Crossing, Station};
use anabranch_link::{Fate, LossCause, Packet};
use anabranch_wireless::config::{Movement, Position, RadioConfig, StationConfig};
use anabranch_wireless::{Mesh, MeshEvent, MeshSeed};

/// A mesh with its clock, and what became of its packets.
pub struct Air {
    pub mesh: Mesh<u64>,
    pub now: Time,
    /// What arrived where and when.
    pub arrived: Vec<(Time, u64)>,
    pub lost: Vec<(Time, u64, LossCause)>,
    next: u64,
}

impl Air {
    /// Stations with these radios.
    pub fn new(config: &RadioConfig, stations: &[StationConfig], seed: u64) -> Air {
        let seed = MeshSeed::of(&Seed::from_number(seed), "radio");
        let (arrived, lost) = (Vec::new(), Vec::new());
        Air { mesh: Mesh::new(config, stations, &seed), now: Time::ZERO, arrived, lost, next: 0 }
    }

    /// A packet of `size` begins its way; returns its number.
    pub fn send(&mut self, from: u16, to: u16, size: u64) -> u64 {
        self.next += 1;
        let packet = Packet::new(ByteCount::new(size), self.next);
        let (from, to) = (Station::new(from), Station::new(to));
        self.mesh.handle(self.now, Crossing { from, to, packet });
        self.collect();
        self.next
    }

    /// Lets time pass until `until`.
    pub fn run_until(&mut self, until: Time) {
        while let Some(at) = self.mesh.poll_timeout().filter(|at| *at <= until) {
            self.now = at;
            self.mesh.handle_timeout(at);
            self.collect();
        }
        self.now = until;
    }

    /// Keeps `deep` packets of each flow on its way until `until`; returns how many of each arrived after `from`.
    pub fn saturate(&mut self, flows: &[(u16, u16)], size: u64, from: Time, until: Time) -> Vec<u64> {
        const DEEP: usize = 5;
        let mut owner = BTreeMap::new();
        let mut counts = vec![0; flows.len()];
        let mut seen = [0, 0];
        for (flow, (source, sink)) in flows.iter().enumerate() {
            for _ in 0..DEEP {
                owner.insert(self.send(*source, *sink, size), flow);
            }
        }
        while let Some(at) = self.mesh.poll_timeout().filter(|at| *at <= until) {
            self.now = at;
            self.mesh.handle_timeout(at);
            self.collect();
            let arrived = self.arrived[seen[0]..].iter().map(|(_, number)| (*number, true));
            let lost = self.lost[seen[1]..].iter().map(|(_, number, _)| (*number, false));
            let ended: Vec<(u64, bool)> = arrived.chain(lost).collect();
            seen = [self.arrived.len(), self.lost.len()];
            for (number, has_arrived) in ended {
                let Some(flow) = owner.remove(&number) else { continue };
                counts[flow] += u64::from(has_arrived && at > from);
                let (source, sink) = flows[flow];
                owner.insert(self.send(source, sink, size), flow);
            }
        }
        counts
    }

    fn collect(&mut self) {
        while let Some(fate) = self.mesh.poll(self.now) {
            match fate {
                Fate::Arrived { packet, .. } => self.arrived.push((self.now, packet.load)),
                Fate::Lost { at, packet, cause } => self.lost.push((at, packet.load, cause)),
            }
        }
    }
}

/// Stations in a line, 250 m apart.
pub fn string(stations: u64) -> Vec<StationConfig> {
    (0..stations).map(|index| at(250 * index, 0)).collect()
}

/// A station that stays where it is.
pub fn at(x: u64, y: u64) -> StationConfig {
    let position = Position { x: Distance::from_metres(x), y: Distance::from_metres(y) };
    StationConfig { position, movement: Movement::Still }
}

/// The radio of oracle/ns3: a MAC header of 24 bytes and an FCS of 4.
pub fn ns3_radio(rts_threshold: u64) -> RadioConfig {
    RadioConfig {
        mac_header: ByteCount::new(28),
        rts_threshold: Some(ByteCount::new(rts_threshold)),
        ..RadioConfig::default()
    }
}

pub fn seconds(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

/// The frames of a log, with all other events left out.
pub fn frames(seen: Vec<MeshEvent<u64>>) -> Vec<anabranch_wireless::FrameSeen<u64>> {
    let frame = |event| match event {
        MeshEvent::Frame(frame) => Some(frame),
        _ => None,
    };
    seen.into_iter().filter_map(frame).collect()
}
