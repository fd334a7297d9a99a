//! A mesh with its driver: traffic sources, a clock, and the fates of all packets.

// Each test uses its part.
#![allow(dead_code, reason = "each test program uses its own share")]

use anabranch_base::{ByteCount, Distance, Duration, Machine, Seed, Time};
use anabranch_link::fabric::{Crossing, Station};
use anabranch_link::{Fate, LossCause, Packet};
use anabranch_wireless::Mesh;
use anabranch_wireless::config::{Movement, Position, RadioConfig, StationConfig};

/// A mesh, a clock, and what became of the packets.
pub(crate) struct Field {
    pub(crate) mesh: Mesh<u64>,
    pub(crate) now: Time,
    pub(crate) fates: Vec<(Time, Fate<u64>)>,
    pub(crate) sent: u64,
    /// Wake-ups of the mesh.
    pub(crate) steps: u64,
    /// Sources that send again and again: from, to, size, spacing, next time.
    sources: Vec<(Station, Station, u64, Duration, Time)>,
}

impl Field {
    pub(crate) fn new(radio: &RadioConfig, places: &[(u64, u64)], seed: u64) -> Field {
        let stations: Vec<StationConfig> = places.iter().map(|place| still(*place)).collect();
        Field::of(Mesh::new(radio, &stations, &Seed::from_number(seed)))
    }

    pub(crate) fn of(mesh: Mesh<u64>) -> Field {
        Field { mesh, now: Time::ZERO, fates: Vec::new(), sent: 0, steps: 0, sources: Vec::new() }
    }

    /// A string of stations, 250 m apart.
    pub(crate) fn string(radio: &RadioConfig, stations: u64, seed: u64) -> Field {
        let places: Vec<(u64, u64)> = (0..stations).map(|station| (250 * station, 0)).collect();
        Field::new(radio, &places, seed)
    }

    /// Packets of `size` bytes from one station to another, one each `spacing` from the time `start`.
    pub(crate) fn source(&mut self, from: u16, to: u16, size: u64, spacing: Duration, start: Time) {
        self.sources.push((Station::new(from), Station::new(to), size, spacing, start));
    }

    /// Sends a packet now; its load is its number.
    pub(crate) fn send(&mut self, from: u16, to: u16, size: u64) -> u64 {
        self.enter(Station::new(from), Station::new(to), size)
    }

    fn enter(&mut self, from: Station, to: Station, size: u64) -> u64 {
        let number = self.sent;
        self.sent += 1;
        let packet = Packet::new(ByteCount::new(size), number);
        self.mesh.handle(self.now, Crossing { from, to, packet });
        self.collect();
        number
    }

    /// Lets time pass until `end`.
    pub(crate) fn run_until(&mut self, end: Time) {
        loop {
            let source = self.sources.iter().map(|source| source.4).min();
            let Some(next) = [source, self.mesh.poll_timeout()].into_iter().flatten().min() else { break };
            if next > end {
                break;
            }
            assert!(next >= self.now, "a timer in the past: {next}, now {}", self.now);
            self.now = next;
            if source == Some(next) {
                let first = self.sources.iter().position(|source| source.4 == next).expect("the earliest");
                let (from, to, size, spacing, at) = self.sources[first];
                self.sources[first].4 = at + spacing;
                self.enter(from, to, size);
            } else {
                self.steps += 1;
                self.mesh.handle_timeout(next);
                self.collect();
            }
        }
        self.now = end;
    }

    pub(crate) fn collect(&mut self) {
        while let Some(fate) = self.mesh.poll(self.now) {
            self.fates.push((self.now, fate));
        }
    }

    /// Packets that arrived in a span, without duplicates.
    pub(crate) fn arrived(&self, from: Time, to: Time) -> u64 {
        let is_first = |fate: &Fate<u64>| matches!(fate, Fate::Arrived { is_duplicate: false, .. });
        self.fates.iter().filter(|(at, fate)| (from..to).contains(at) && is_first(fate)).count() as u64
    }

    /// Packets lost for this reason.
    pub(crate) fn lost(&self, why: LossCause) -> usize {
        let is_it = |fate: &Fate<u64>| matches!(fate, Fate::Lost { cause, .. } if *cause == why);
        self.fates.iter().filter(|(_, fate)| is_it(fate)).count()
    }
}

pub(crate) fn still(place: (u64, u64)) -> StationConfig {
    let position = Position { x: Distance::from_metres(place.0), y: Distance::from_metres(place.1) };
    StationConfig { position, movement: Movement::Still }
}

pub(crate) fn seconds(count: u64) -> Time {
    Time::ZERO + Duration::from_secs(count)
}

pub(crate) fn micros(count: u64) -> Time {
    Time::ZERO + Duration::from_micros(count)
}
