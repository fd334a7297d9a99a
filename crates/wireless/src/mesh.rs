//! The mesh as one machine: the stations, the air between them, and the order of their timers.

mod access;
mod air;
mod routing;

use std::collections::{BTreeMap, VecDeque};

use anabranch_base::{ByteCount, Machine, Seed, Time};
use anabranch_link::fabric::{Crossing, Station};
use anabranch_link::queue::{self, LineView};
use anabranch_link::{Agenda, Fate, LossCause, Packet, Payload, Random};

use crate::config::{RadioConfig, StationConfig};
use crate::counters::StationCounters;
use crate::dsr::{Discoveries, Route, RouteCache, SendBuffer};
use crate::frame::AirTimes;
use crate::ledger::Ledger;
use crate::medium::{Neighbour, Places};
use crate::reception::{Arrivals, Capture};
use crate::seen::{FrameSeen, Log, RoutingEvent};
use crate::station::{Content, Dcf, Exchange, RetryLimits, StationState, User};

/// A mesh of radio stations on one channel.
///
/// A packet enters at a station and arrives at another, or is lost. A packet to its own station arrives at once; one
/// from or to an unknown station is lost without a route.
#[derive(Debug)]
pub struct Mesh<L> {
    air: AirTimes,
    limits: RetryLimits,
    capture: Capture,
    rts_threshold: ByteCount,
    line: LineView,
    places: Places,
    stations: Vec<StationState<L>>,
    /// The ends of transmissions, by station. They come before other timers of the same time.
    ends: Agenda,
    /// Station `s` has the MAC's timers at `2 s`, and DSR's at `2 s + 1`.
    timers: Agenda,
    ledger: Ledger,
    /// Fixed routes, by source and destination.
    fixed: BTreeMap<[u16; 2], Route>,
    fates: VecDeque<Fate<L>>,
    log: Option<Log<L>>,
    found: Vec<Neighbour>,
}

impl<L: Payload + Clone + 'static> Mesh<L> {
    /// A mesh on which nothing is sent yet. `config` and `stations` have passed their checks.
    ///
    /// Station `n` moves by the child `movement`, `n` of `seed`. The back-offs, jitter and queue have other children.
    pub fn new(config: &RadioConfig, stations: &[StationConfig], seed: &Seed) -> Mesh<L> {
        Mesh::with_movement(config, stations, seed, &seed.child("movement"))
    }

    /// A mesh whose station `n` moves by the child `n` of `movement`: with the same `movement`, stations take the
    /// same ways on several channels, which draw all else from their own `seed`.
    pub fn with_movement(
        config: &RadioConfig,
        stations: &[StationConfig],
        seed: &Seed,
        movement: &Seed,
    ) -> Mesh<L> {
        let stations = &stations[..stations.len().min(MOST_STATIONS)];
        let air = AirTimes::new(config);
        let station =
            |number: usize| new_station(config, air, &seed.child("station").child(&number.to_string()));
        Mesh {
            air,
            limits: RetryLimits::new(config),
            capture: Capture::new(config.capture),
            rts_threshold: config.rts_threshold.unwrap_or(ByteCount::MAX),
            line: LineView { now: Time::ZERO, rate: Some(config.rate) },
            places: Places::new(config, stations, movement),
            stations: (0..stations.len()).map(station).collect(),
            ends: Agenda::new(stations.len()),
            timers: Agenda::new(2 * stations.len()),
            ledger: Ledger::default(),
            fixed: BTreeMap::new(),
            fates: VecDeque::new(),
            log: None,
            found: Vec::new(),
        }
    }

    /// A station disappears: it neither sends nor hears, and what it held is lost.
    pub fn vanish(&mut self, now: Time, station: Station) {
        let Some(number) = self.number(station).filter(|number| self.at(*number).is_present) else { return };
        self.run_before(now);
        if self.at(number).on_air.is_some() {
            self.finish(now, number, true);
        }
        let lost = self.at(number).empty(now);
        for packet in lost {
            self.lose(now, packet, LossCause::Down);
        }
    }

    /// A station that had disappeared is there again.
    pub fn come_back(&mut self, now: Time, station: Station) {
        let Some(number) = self.number(station).filter(|number| !self.at(*number).is_present) else { return };
        self.run_before(now);
        let station = self.at(number);
        station.is_present = true;
        station.dcf.reset(now);
        self.sense_again(now, number);
    }

    /// From now on, keeps what an observer sees.
    pub fn watch(&mut self) {
        self.log.get_or_insert_default();
    }

    /// The frames that were on air since the last call, in the order of their ends. Empty without
    /// [`watch`](Mesh::watch).
    pub fn take_seen(&mut self) -> Vec<FrameSeen> {
        self.take_captured().into_iter().map(|(frame, _)| frame).collect()
    }

    /// The same, with the driver's packet in each data frame that has one.
    pub fn take_captured(&mut self) -> Vec<(FrameSeen, Option<Packet<L>>)> {
        self.log.as_mut().map(|log| std::mem::take(&mut log.frames)).unwrap_or_default()
    }

    /// Takes the events of routes since the last call, in order. Empty without [`watch`](Mesh::watch).
    pub fn take_routing(&mut self) -> Vec<RoutingEvent> {
        self.log.as_mut().map(|log| std::mem::take(&mut log.routing)).unwrap_or_default()
    }

    /// The counters of a station; all zero for an unknown one.
    pub fn counters(&self, station: Station) -> StationCounters {
        let Some(station) = self.stations.get(station.index()) else { return StationCounters::default() };
        StationCounters { marked: station.queue.marked(), ..station.counters }
    }

    /// Packets that have entered and have no fate yet.
    pub fn held(&self) -> u64 {
        self.ledger.held()
    }

    /// Where a station is at any time, in metres to the east and to the north; the origin for an unknown one.
    pub fn position(&self, at: Time, station: Station) -> (f64, f64) {
        self.number(station).map_or((0.0, 0.0), |number| self.places.at(at, number))
    }

    /// Pairs of stations whose distance was compared so far: the work of finding who hears whom.
    pub fn comparisons(&self) -> u64 {
        self.places.compared()
    }

    fn number(&self, station: Station) -> Option<u16> {
        (station.index() < self.stations.len()).then_some(station.index() as u16)
    }

    fn at(&mut self, number: u16) -> &mut StationState<L> {
        &mut self.stations[usize::from(number)]
    }

    /// Runs all that is due before `now`, for drivers that come late.
    fn run_before(&mut self, now: Time) {
        while let Some(at) = self.due().filter(|at| *at < now) {
            self.step(at);
        }
    }

    fn due(&self) -> Option<Time> {
        [self.ends.next(), self.timers.next()].into_iter().flatten().min()
    }

    /// Runs the next timer, which is due at `at`.
    fn step(&mut self, at: Time) {
        self.line.now = at;
        if self.ends.next().is_some_and(|end| end <= at) {
            let Some((_, number)) = self.ends.take() else { return };
            return self.on_end(at, number as u16);
        }
        let Some((_, timer)) = self.timers.take() else { return };
        let number = (timer / 2) as u16;
        if timer % 2 == 0 {
            self.on_mac_timer(at, number);
        } else {
            self.on_routing_timer(at, number);
        }
    }

    fn arm_mac(&mut self, number: u16) {
        if let Some(at) = self.at(number).mac_due() {
            self.timers.arm(2 * u32::from(number), at);
        }
    }

    fn arm_routing(&mut self, number: u16) {
        if let Some(at) = self.at(number).routing_due() {
            self.timers.arm(2 * u32::from(number) + 1, at);
        }
    }

    /// A copy of a packet is gone.
    fn lose(&mut self, at: Time, packet: Packet<User<L>>, cause: LossCause) {
        if self.ledger.drop_copy(packet.load.entry) {
            self.fates.push_back(Fate::Lost { at, packet: unwrapped(packet), cause });
        }
    }

    fn tell(&mut self, event: impl FnOnce() -> RoutingEvent) {
        if let Some(log) = &mut self.log {
            log.routing.push(event());
        }
    }
}

impl<L: Payload + Clone + 'static> Machine for Mesh<L> {
    type Input = Crossing<L>;
    type Output = Fate<L>;

    fn handle(&mut self, now: Time, crossing: Crossing<L>) {
        self.run_before(now);
        self.line.now = now;
        let Crossing { from, to, packet } = crossing;
        let (Some(source), Some(target)) = (self.number(from), self.number(to)) else {
            return self.fates.push_back(Fate::Lost { at: now, packet, cause: LossCause::NoRoute });
        };
        if !self.at(source).is_present {
            return self.fates.push_back(Fate::Lost { at: now, packet, cause: LossCause::Down });
        }
        if source == target {
            return self.fates.push_back(Fate::Arrived { packet, is_duplicate: false, damage: None });
        }
        let entry = self.ledger.enter();
        let user = User {
            size: packet.size,
            entry,
            entered: now,
            target,
            route: Route::default(),
            at: 0,
            is_dsr: true,
            failures_before: 0,
            load: (),
        };
        self.enter(now, source, wrapped(packet, user));
    }

    fn handle_timeout(&mut self, now: Time) {
        while let Some(at) = self.due().filter(|at| *at <= now) {
            self.step(at);
        }
    }

    fn poll(&mut self, _: Time) -> Option<Fate<L>> {
        self.fates.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.due()
    }
}

fn new_station<L: Payload + 'static>(config: &RadioConfig, air: AirTimes, seed: &Seed) -> StationState<L> {
    StationState {
        is_present: true,
        dcf: Dcf::new(air, config.cw_min, config.cw_max, &seed.child("back-off")),
        control: VecDeque::new(),
        queue: queue::build(&config.queue, &seed.child("queue")),
        service: None,
        exchange: Exchange::Contending,
        answer: None,
        on_air: None,
        hearers: Vec::new(),
        arrivals: Arrivals::default(),
        heard: BTreeMap::new(),
        sequence: 0,
        cache: RouteCache::default(),
        discoveries: Discoveries::default(),
        buffer: SendBuffer::default(),
        jitter: Random::new(&seed.child("jitter")),
        link_failures: 0,
        broken: BTreeMap::new(),
        counters: StationCounters::default(),
    }
}

impl<L> StationState<L> {
    /// Switches the station off. Returns the packets that it held.
    fn empty(&mut self, now: Time) -> Vec<Packet<User<L>>> {
        self.is_present = false;
        self.dcf.reset(now);
        self.exchange = Exchange::Contending;
        self.answer = None;
        self.arrivals.clear();
        self.heard.clear();
        self.control.clear();
        self.discoveries.clear();
        let served = self.service.take().and_then(|service| match service.content {
            Content::User(packet) => Some(packet),
            Content::Control(_) => None,
        });
        let mut held: Vec<Packet<User<L>>> = served.into_iter().collect();
        held.extend(std::iter::from_fn(|| self.queue.discard()));
        held.extend(std::iter::from_fn(|| self.buffer.take_any()));
        held
    }
}

fn wrapped<L>(packet: Packet<L>, user: User<()>) -> Packet<User<L>> {
    let Packet { size, ecn, may_fragment, passed, route, load } = packet;
    let User { size: bare, entry, entered, target, route: stations, at, is_dsr, failures_before, load: () } =
        user;
    let load =
        User { load, size: bare, entry, entered, target, route: stations, at, is_dsr, failures_before };
    Packet { size, ecn, may_fragment, passed, route, load }
}

fn unwrapped<L>(packet: Packet<User<L>>) -> Packet<L> {
    let Packet { ecn, may_fragment, passed, route, load, .. } = packet;
    Packet { size: load.size, ecn, may_fragment, passed, route, load: load.load }
}

/// Stations have 16-bit numbers.
const MOST_STATIONS: usize = 1 << 16;
