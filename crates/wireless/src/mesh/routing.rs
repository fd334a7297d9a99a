//! Which way packets take: fixed routes, and DSR's dialogues between stations.

use std::collections::VecDeque;
use std::sync::Arc;

use anabranch_base::{Duration, Time};
use anabranch_link::fabric::Station;
use anabranch_link::{LossCause, Packet, Payload};

use super::Mesh;
use super::access::with_route;
use crate::dsr::{Control, Due, PATIENCE, Reply, Report, Request, Route};
use crate::seen::RoutingEvent;
use crate::station::User;

impl<L: Payload + Clone + 'static> Mesh<L> {
    /// Fixes the route between two stations in both directions: the one with the fewest hops when the run starts, of several
    /// the one over the lowest station numbers. Returns whether there is one. The other pairs use DSR.
    pub fn route_statically(&mut self, from: Station, to: Station) -> bool {
        let (Some(from), Some(to)) = (self.number(from), self.number(to)) else { return false };
        let Some(route) = self.fewest_hops(from, to) else { return false };
        self.fixed.insert([to, from], route.iter().rev().copied().collect());
        self.fixed.insert([from, to], route);
        true
    }

    /// A breadth-first search, which meets stations in the order of their numbers.
    fn fewest_hops(&mut self, from: u16, to: u16) -> Option<Route> {
        let mut before: Vec<Option<u16>> = vec![None; self.stations.len()];
        before[usize::from(from)] = Some(from);
        let mut waiting = VecDeque::from([from]);
        let mut found = Vec::new();
        while let Some(station) = waiting.pop_front().filter(|_| before[usize::from(to)].is_none()) {
            self.places.neighbours(Time::ZERO, station, &mut found);
            for neighbour in found.iter().filter(|neighbour| neighbour.receives) {
                let place = &mut before[usize::from(neighbour.station)];
                if place.is_none() {
                    *place = Some(station);
                    waiting.push_back(neighbour.station);
                }
            }
        }
        let mut route = vec![to];
        while let Some(station) = route.last().copied().filter(|station| *station != from) {
            route.push(before[usize::from(station)]?);
        }
        route.reverse();
        Some(route.into())
    }

    /// A packet enters at its source.
    pub(super) fn enter(&mut self, now: Time, number: u16, mut packet: Packet<User<L>>) {
        if let Some(route) = self.fixed.get(&[number, packet.load.target]).cloned() {
            packet.load.is_dsr = false;
            self.enqueue(now, number, with_route(packet, route));
        } else {
            self.route(now, number, packet);
        }
        self.serve(now, number);
    }

    /// A packet needs a route at its source: it takes a known one, or waits.
    fn route(&mut self, now: Time, number: u16, packet: Packet<User<L>>) {
        let User { target, entered, .. } = packet.load;
        if let Some(route) = self.at(number).cache.find(target) {
            return self.enqueue(now, number, with_route(packet, route));
        }
        if entered + PATIENCE <= now {
            return self.lose(now, packet, LossCause::NoRoute);
        }
        if let Some(oldest) = self.at(number).buffer.add(target, entered, packet) {
            self.lose(now, oldest, LossCause::NoRoute);
        }
        if let Some(request) = self.at(number).discoveries.begin(now, number, target) {
            self.at(number).counters.discoveries += 1;
            let [station, target] = [number, target].map(Station::new);
            self.tell(|| RoutingEvent::DiscoveryStarted { at: now, station, target });
            let jitter = self.at(number).jitter.up_to(JITTER);
            self.at(number).discoveries.forward(now + jitter, request);
        }
        self.arm_routing(number);
    }

    pub(super) fn on_routing_timer(&mut self, now: Time, number: u16) {
        while let Some(packet) = self.at(number).buffer.take_expired(now) {
            self.lose(now, packet, LossCause::NoRoute);
        }
        while let Some(due) = self.at(number).discoveries.take_due(now) {
            let station = self.at(number);
            match due {
                Due::Forward(request) => self.send_control(now, number, Control::Request(request)),
                Due::Search(target) if station.buffer.waits_for(target) => {
                    let jitter = station.jitter.up_to(JITTER);
                    let request = station.discoveries.again(now, number, target);
                    station.discoveries.forward(now + jitter, request);
                }
                Due::Search(target) => {
                    station.discoveries.end(target);
                }
            }
        }
        self.arm_routing(number);
    }

    /// A frame to `next` was given up.
    pub(super) fn on_link_failure(&mut self, now: Time, number: u16, next: u16) {
        let station = self.at(number);
        station.counters.link_failures += 1;
        station.link_failures += 1;
        let broken = station.broken.entry(next).or_default();
        broken.failures = station.link_failures;
        broken.told.clear();
        station.cache.forget([number, next]);
        let [station, next] = [number, next].map(Station::new);
        self.tell(|| RoutingEvent::LinkFailure { at: now, station, next });
    }

    /// A packet cannot go on to `next`. The source routes it again; others drop it because of `cause`, and tell its source.
    pub(super) fn take_back(
        &mut self,
        now: Time,
        number: u16,
        next: u16,
        packet: Packet<User<L>>,
        cause: LossCause,
    ) {
        let User { at, is_dsr, .. } = packet.load;
        if is_dsr && at == 0 {
            return self.route(now, number, packet);
        }
        if is_dsr {
            let route: Route = packet.load.route[..=at].iter().rev().copied().collect();
            let source = packet.load.route[0];
            let station = self.at(number);
            let told = &mut station.broken.entry(next).or_default().told;
            if !told.contains(&source) {
                told.push(source);
                station.control.push_back(Control::Error(Report { broken: [number, next], route, at: 0 }));
            }
        }
        self.lose(now, packet, cause);
    }

    /// The station takes part in a route at place `here`.
    pub(super) fn learn(&mut self, now: Time, number: u16, route: &Route, here: usize) {
        self.at(number).cache.learn(route, here);
        self.release(now, number);
    }

    /// Packets whose target can be reached now leave the buffer.
    fn release(&mut self, now: Time, number: u16) {
        for target in self.at(number).buffer.targets() {
            let Some(route) = self.at(number).cache.find(target) else { continue };
            if self.at(number).discoveries.end(target) {
                let station = Station::new(number);
                let stations = || route.iter().copied().map(Station::new).collect();
                self.tell(|| RoutingEvent::RouteFound { at: now, station, route: stations() });
            }
            while let Some(packet) = self.at(number).buffer.take_for(target) {
                self.enqueue(now, number, with_route(packet, route.clone()));
            }
        }
        self.serve(now, number);
    }

    /// A message of DSR arrives.
    pub(super) fn on_control(&mut self, now: Time, number: u16, message: Control) {
        match message {
            Control::Request(request) => self.on_request(now, number, request),
            Control::Reply(reply) => self.on_reply(now, number, reply),
            Control::Error(report) => self.on_report(now, number, &report),
        }
    }

    fn on_request(&mut self, now: Time, number: u16, mut request: Request) {
        self.at(number).counters.requests_received += 1;
        let origin = request.path[0];
        if request.path.contains(&number) {
            return;
        }
        let is_target = request.target == number;
        if !is_target && !self.at(number).discoveries.is_new(origin, request.id) {
            return;
        }
        request.path.push(number);
        let here = request.path.len() - 1;
        let route: Route = request.path.as_slice().into();
        self.learn(now, number, &route, here);
        if is_target {
            return self.send_control(now, number, Control::Reply(Reply { route, at: here }));
        }
        let jitter = self.at(number).jitter.up_to(JITTER);
        self.at(number).discoveries.forward(now + jitter, request);
        self.arm_routing(number);
    }

    fn on_reply(&mut self, now: Time, number: u16, reply: Reply) {
        self.at(number).counters.replies_received += 1;
        let here = reply.at - 1;
        self.learn(now, number, &reply.route, here);
        if here > 0 {
            self.send_control(now, number, Control::Reply(Reply { at: here, ..reply }));
        }
    }

    fn on_report(&mut self, now: Time, number: u16, report: &Report) {
        self.at(number).counters.errors_received += 1;
        self.at(number).cache.forget(report.broken);
        let here = report.at + 1;
        if here + 1 < report.route.len() {
            let route = Arc::clone(&report.route);
            return self.send_control(now, number, Control::Error(Report { route, at: here, ..*report }));
        }
        let (station, broken) = (Station::new(number), report.broken.map(Station::new));
        self.tell(|| RoutingEvent::RouteError { at: now, station, broken });
    }
}

/// A station passes a request on, or repeats its own, after a random time up to this.
const JITTER: Duration = Duration::from_millis(10);
