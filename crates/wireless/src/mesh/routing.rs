//! The ways of packets: fixed routes, and DSR (M-DSR-1): how routes are asked for and answered, and what follows when a
//! station does not answer any more.

use std::collections::BTreeSet;

use anabranch_base::{Duration, Time};
use anabranch_link::fabric::Station as Number;
use anabranch_link::{LossCause, Packet, Payload};

use super::{Mesh, Wake};
use crate::datagram::{Content, Datagram, Route, RouteRequest};
use crate::seen::MeshEvent;
use crate::station::{Body, Outgoing};

impl<L: Payload + Clone + 'static> Mesh<L> {
    /// A packet begins its way at a station.
    pub(super) fn route(&mut self, now: Time, from: Number, to: Number, packet: Packet<L>) {
        if let Some(route) = self.fixed.get(&(from, to)) {
            let datagram = Datagram::new(Content::Flow(packet), route.clone(), false);
            return self.enqueue(now, from, Body::Datagram(datagram));
        }
        match self.stations[from.index()].router.cache.find(to).cloned() {
            Some(route) => {
                let datagram = Datagram::new(Content::Flow(packet), route, true);
                self.enqueue(now, from, Body::Datagram(datagram));
            }
            None => self.buffer(now, from, to, packet),
        }
    }

    /// A packet waits for a route, which is looked for.
    fn buffer(&mut self, now: Time, from: Number, to: Number, packet: Packet<L>) {
        let router = &mut self.stations[from.index()].router;
        let oldest = router.buffer.add(now, packet, to);
        let expires = router.buffer.expires();
        let request = router.discoveries.begin(now, to, self.neighbours_first);
        oldest.into_iter().for_each(|oldest| self.lose(now, oldest, LossCause::NoRoute));
        if let Some(expires) = expires {
            self.wakes.add(expires, Wake::Expiry(from));
        }
        if let Some(request) = request {
            self.ask(now, from, to, (request, self.neighbours_first));
        }
    }

    /// A station asks all stations for a route, after a jitter like those that pass the request on: two ends that look for
    /// each other at once would else collide at the station between them every time.
    fn ask(&mut self, now: Time, from: Number, target: Number, (number, is_local): (u32, bool)) {
        let station = &mut self.stations[from.index()];
        station.counters.discoveries += 1;
        let jitter = station.random.up_to(JITTER);
        if let Some(again) = station.router.discoveries.again(target) {
            self.wakes.add(again, Wake::Discovery(from, target));
        }
        self.see(|| MeshEvent::Discovery { at: now, station: from, target });
        let request = RouteRequest { number, target, is_local, path: vec![from] };
        self.wakes.add(now + jitter, Wake::Relay(from, Box::new(request)));
    }

    /// No reply has come so far.
    pub(super) fn on_discovery_timer(&mut self, now: Time, number: Number, target: Number) {
        let router = &mut self.stations[number.index()].router;
        if !router.buffer.has(target) {
            router.discoveries.end(target);
        } else if let Some(request) = router.discoveries.retry(now, target) {
            self.ask(now, number, target, (request, false));
        }
    }

    /// Packets that have waited too long for a route are lost.
    pub(super) fn on_expiry(&mut self, now: Time, number: Number) {
        while let Some(packet) = self.stations[number.index()].router.buffer.take_expired(now) {
            self.lose(now, packet, LossCause::NoRoute);
        }
    }

    /// A route request has reached a station.
    pub(super) fn on_request(&mut self, now: Time, number: Number, mut request: RouteRequest) {
        if request.path.contains(&number) {
            return;
        }
        let initiator = request.path[0];
        let station = &mut self.stations[number.index()];
        if request.target == number {
            request.path.push(number);
            let found: Route = request.path.into();
            station.router.cache.learn(number, &found);
            let back: Route = found.iter().rev().copied().collect();
            return self.enqueue(
                now,
                number,
                Body::Datagram(Datagram::new(Content::Reply(found), back, true)),
            );
        }
        if !request.is_local && station.router.discoveries.is_new(initiator, request.number) {
            request.path.push(number);
            let jitter = station.random.up_to(JITTER);
            self.wakes.add(now + jitter, Wake::Relay(number, Box::new(request)));
        }
    }

    /// A station passes a route request on, after its jitter.
    pub(super) fn relay(&mut self, now: Time, number: Number, request: RouteRequest) {
        if self.stations[number.index()].is_present {
            self.enqueue(now, number, Body::Request(request));
        }
    }

    /// A packet has reached the next station of its route.
    pub(super) fn on_datagram(&mut self, now: Time, number: Number, mut datagram: Datagram<L>) {
        datagram.at += 1;
        let cache = &mut self.stations[number.index()].router.cache;
        if datagram.has_header {
            cache.learn(number, &datagram.route);
        }
        match &datagram.content {
            Content::Error(from, to) => cache.remove_link(*from, *to),
            Content::Reply(found) => cache.learn(number, found),
            Content::Flow(_) | Content::Passed(_) => {}
        }
        if datagram.next().is_some() {
            return self.enqueue(now, number, Body::Datagram(datagram));
        }
        let station = &mut self.stations[number.index()];
        match datagram.content {
            Content::Flow(packet) => self.arrive(packet),
            Content::Reply(found) => {
                station.counters.replies_received += 1;
                let target = found[found.len() - 1];
                station.router.discoveries.end(target);
                self.see(|| MeshEvent::ReplyArrived { at: now, station: number, target });
            }
            Content::Error(from, to) => {
                station.counters.errors_received += 1;
                self.see(|| MeshEvent::ErrorArrived { at: now, station: number, link: (from, to) });
            }
            Content::Passed(_) => {}
        }
        self.release(now, number);
    }

    /// Packets leave the send buffer for which there is a route now.
    fn release(&mut self, now: Time, number: Number) {
        while let Some((to, packet)) = self.stations[number.index()].router.take_routable() {
            self.route(now, number, to, packet);
        }
    }

    /// A station has tried a frame for the last time. With a fixed route the packet is lost. With source routing the link
    /// is broken: this packet and those that wait for the same station go back to the send buffer at their source, and are
    /// lost elsewhere, with a route error.
    pub(super) fn give_up(&mut self, now: Time, number: Number, outgoing: Outgoing<L>) {
        let (Body::Datagram(failed), Some(next)) = (outgoing.body, outgoing.to) else { return };
        self.see(|| MeshEvent::LinkFailure { at: now, station: number, next });
        if !failed.has_header {
            if let Content::Flow(packet) = failed.content {
                self.lose(now, packet, LossCause::Retries);
            }
            return;
        }
        self.stations[number.index()].router.cache.remove_link(number, next);
        let (line, mut refused) = (self.line(now), Vec::new());
        let waiting = self.stations[number.index()].take_waiting_for(next, line, &mut refused);
        self.refuse(now, number, refused);
        let mut told = BTreeSet::from([number]);
        for datagram in std::iter::once(failed).chain(waiting) {
            let (source, way) = (datagram.source(), back(&datagram));
            let destination = datagram.route[datagram.route.len() - 1];
            if source != number && told.insert(source) {
                self.report(now, number, next, way);
            }
            match datagram.content {
                Content::Flow(packet) if source == number => self.route(now, number, destination, packet),
                Content::Flow(packet) => self.lose(now, packet, LossCause::Retries),
                Content::Passed(_) | Content::Reply(_) | Content::Error(..) => {}
            }
        }
    }

    /// A station tells a source that the link to `next` is broken.
    fn report(&mut self, now: Time, number: Number, next: Number, way: Route) {
        if way.len() > 1 {
            let error = Datagram::new(Content::Error(number, next), way, true);
            self.enqueue(now, number, Body::Datagram(error));
        }
    }

    /// Packets that a queue refused, or what is left of them.
    pub(super) fn refuse(&mut self, now: Time, number: Number, dropped: Vec<Datagram<L>>) {
        for datagram in dropped {
            self.stations[number.index()].counters.queue_drops += 1;
            if let Content::Flow(packet) = datagram.content {
                self.lose(now, packet, LossCause::Queue);
            }
        }
    }
}

/// The way from where a packet is back to its source.
fn back<L>(datagram: &Datagram<L>) -> Route {
    datagram.route[..=datagram.at].iter().rev().copied().collect()
}

/// The longest time after which a station sends a request, its own or that of another.
const JITTER: Duration = Duration::from_millis(10);
