//! The mesh: all stations, the frames on air, and when what happens next. The files beside this one are the parts of the
//! work: the air, the access to it, and the routes.

mod access;
mod air;
mod routing;
mod wake;

use std::collections::{BTreeMap, VecDeque};

use anabranch_base::{BitRate, ByteCount, Machine, Seed, Time};
use anabranch_link::fabric::{Crossing, Station as Number};
use anabranch_link::queue::LineView;
use anabranch_link::{Fate, LossCause, Packet, Payload};

use crate::config::{RadioConfig, StationConfig};
use crate::datagram::{Content, Datagram, Route};
use crate::frame::AirTimes;
use crate::neighbourhood::Neighbourhood;
use crate::retry::RetryLimits;
use crate::seen::{MeshEvent, StationCounters};
use crate::station::{Body, Station};
use air::Transmission;
use wake::{Wake, Wakes};

/// A mesh of radio stations on one channel.
#[derive(Debug)]
pub struct Mesh<L> {
    times: AirTimes,
    limits: RetryLimits,
    /// The MAC header, the LLC header and the FCS of a data frame.
    overhead: ByteCount,
    threshold: Option<ByteCount>,
    rate: BitRate,
    capture: Option<f64>,
    neighbours_first: bool,
    neighbourhood: Neighbourhood,
    stations: Vec<Station<L>>,
    /// The frames on air, each at its place.
    air: Vec<Option<Transmission>>,
    wakes: Wakes,
    fixed: BTreeMap<(Number, Number), Route>,
    fates: VecDeque<Fate<L>>,
    held: u64,
    seen: Option<Vec<MeshEvent<L>>>,
    receptions: u64,
}

/// The seeds of a mesh.
#[derive(Clone, Debug)]
pub struct MeshSeed {
    /// That of back-offs and jitter, which no other channel has.
    pub radio: Seed,
    /// That of movements, which all channels have.
    pub movement: Seed,
}

impl MeshSeed {
    /// Those of the radio called `name` in a run.
    pub fn of(root: &Seed, name: &str) -> MeshSeed {
        MeshSeed { radio: root.child("radio").child(name), movement: root.child("movement") }
    }
}

impl<L: Payload + Clone + 'static> Mesh<L> {
    /// A mesh on which nothing is sent yet.
    pub fn new(config: &RadioConfig, stations: &[StationConfig], seed: &MeshSeed) -> Mesh<L> {
        let draws = |index: usize| seed.radio.child(&index.to_string());
        Mesh {
            times: AirTimes::of(config),
            limits: RetryLimits::of(config),
            overhead: config.mac_header + config.llc_header,
            threshold: config.rts_threshold,
            rate: config.rate,
            capture: config.capture,
            neighbours_first: config.neighbours_first,
            neighbourhood: Neighbourhood::new(config, stations, &seed.movement),
            stations: (0..stations.len()).map(|index| Station::new(config, &draws(index))).collect(),
            air: Vec::new(),
            wakes: Wakes::default(),
            fixed: BTreeMap::new(),
            fates: VecDeque::new(),
            held: 0,
            seen: None,
            receptions: 0,
        }
    }

    /// Fixes the route between two stations, both ways, to one with the fewest hops from where the stations are at the
    /// beginning; among several, that over the lowest numbers. Returns whether there is one. All other pairs use DSR.
    pub fn route_statically(&mut self, from: Number, to: Number) -> bool {
        let Some(route) = self.shortest(from, to) else { return false };
        self.fixed.insert((to, from), route.iter().rev().copied().collect());
        self.fixed.insert((from, to), route.into());
        true
    }

    /// A station goes: what it holds is lost, and it neither sends nor hears.
    pub fn vanish(&mut self, now: Time, number: Number) {
        if self.stations.get(number.index()).is_none_or(|station| !station.is_present) {
            return;
        }
        self.cut_off(number);
        let station = &mut self.stations[number.index()];
        station.is_present = false;
        station.arrivals.clear();
        station.awaited = None;
        station.answer = None;
        station.contention.end();
        station.contention.reset();
        let mut lost: Vec<Packet<L>> = Vec::new();
        let mut keep = |body: Body<L>| {
            if let Body::Datagram(Datagram { content: Content::Flow(packet), .. }) = body {
                lost.push(packet);
            }
        };
        station.current.take().map(|outgoing| outgoing.body).into_iter().for_each(&mut keep);
        station.urgent.drain(..).for_each(&mut keep);
        while let Some(packet) = station.queue.discard() {
            keep(Body::Datagram(packet.load));
        }
        while let Some(packet) = station.router.buffer.take_any() {
            lost.push(packet);
        }
        station.router = Default::default();
        lost.into_iter().for_each(|packet| self.lose(now, packet, LossCause::Down));
    }

    /// A station that went is back, where its movement has it now.
    pub fn come_back(&mut self, now: Time, number: Number) {
        let Some(station) = self.stations.get_mut(number.index()) else { return };
        station.is_present = true;
        (station.idle_from, station.nav, station.held_until) = (now, now, now);
    }

    /// From now on, events are kept for [`take_seen`](Mesh::take_seen).
    pub fn watch(&mut self) {
        self.seen.get_or_insert_default();
    }

    /// The events since the last call, in order.
    pub fn take_seen(&mut self) -> Vec<MeshEvent<L>> {
        self.seen.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// What a station has counted; nothing for a number without a station.
    pub fn counters(&self, number: Number) -> StationCounters {
        let station = self.stations.get(number.index());
        station.map_or_else(StationCounters::default, |station| StationCounters {
            marked: station.queue.marked(),
            ..station.counters
        })
    }

    /// Where a station is, in metres to the east and to the north; `None` for a number without a station. Times are asked for
    /// in order.
    pub fn position(&mut self, now: Time, number: Number) -> Option<(f64, f64)> {
        self.neighbourhood.place(now, number).map(|place| (place.x, place.y))
    }

    /// How many packets are in the mesh.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// How many times a frame reached a station that hears it: the work that frames cause.
    pub fn receptions(&self) -> u64 {
        self.receptions
    }

    fn shortest(&mut self, from: Number, to: Number) -> Option<Vec<Number>> {
        if from == to || from.index() >= self.stations.len() {
            return None;
        }
        let mut before: BTreeMap<Number, Number> = BTreeMap::from([(from, from)]);
        let mut open = VecDeque::from([from]);
        while let Some(at) = open.pop_front() {
            let around = self.neighbourhood.around(Time::ZERO, at);
            for next in around.iter().filter(|next| next.receives) {
                if let std::collections::btree_map::Entry::Vacant(entry) = before.entry(next.station) {
                    entry.insert(at);
                    open.push_back(next.station);
                }
            }
        }
        let mut route = vec![to];
        while let Some(last) = route.last().filter(|last| **last != from) {
            route.push(*before.get(last)?);
        }
        route.reverse();
        Some(route)
    }

    fn arrive(&mut self, packet: Packet<L>) {
        self.held -= 1;
        self.fates.push_back(Fate::Arrived { packet, is_duplicate: false, damage: None });
    }

    fn lose(&mut self, at: Time, packet: Packet<L>, cause: LossCause) {
        self.held -= 1;
        self.fates.push_back(Fate::Lost { at, packet, cause });
    }

    fn see(&mut self, event: impl FnOnce() -> MeshEvent<L>) {
        if let Some(seen) = &mut self.seen {
            seen.push(event());
        }
    }

    fn line(&self, now: Time) -> LineView {
        LineView { now, rate: Some(self.rate) }
    }

    fn on_wake(&mut self, now: Time, wake: Wake) {
        match wake {
            Wake::End(place) => self.finish(now, place),
            Wake::Timeout(number, count) => self.on_timeout(now, number, count),
            Wake::Nav(number, heard) => self.on_nav_check(now, number, heard),
            Wake::Relay(number, request) => self.relay(now, number, *request),
            Wake::Discovery(number, target) => self.on_discovery_timer(now, number, target),
            Wake::Expiry(number) => self.on_expiry(now, number),
            Wake::Answer(number) => self.send_answer(now, number),
            Wake::Access(number) => self.on_access(now, number),
        }
    }
}

impl<L: Payload + Clone + 'static> Machine for Mesh<L> {
    type Input = Crossing<L>;
    type Output = Fate<L>;

    fn handle(&mut self, now: Time, crossing: Crossing<L>) {
        let Crossing { from, to, packet } = crossing;
        self.held += 1;
        let known = [from, to].iter().all(|end| end.index() < self.stations.len());
        if !known {
            self.lose(now, packet, LossCause::NoRoute);
        } else if !self.stations[from.index()].is_present {
            self.lose(now, packet, LossCause::Down);
        } else if from == to {
            self.arrive(packet);
        } else {
            self.route(now, from, to, packet);
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        while let Some(wake) = self.wakes.take(now) {
            self.on_wake(now, wake);
        }
    }

    fn poll(&mut self, _: Time) -> Option<Fate<L>> {
        self.fates.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.wakes.next()
    }
}
