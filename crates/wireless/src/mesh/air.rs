//! Frames on air: who hears them, which overlap, and what each station makes of one that ends.

use std::sync::Arc;

use anabranch_base::Time;
use anabranch_link::Payload;
use anabranch_link::fabric::Station as Number;

use super::{Mesh, Wake};
use crate::datagram::{Content, Datagram};
use crate::frame::{Frame, FrameKind};
use crate::neighbourhood::Neighbour;
use crate::seen::{FrameSeen, MeshEvent};
use crate::station::{Arrival, Awaited, Body};

/// A frame on air.
#[derive(Clone, Debug)]
pub struct Transmission {
    frame: Frame,
    start: Time,
    /// Who hears it.
    around: Arc<[Neighbour]>,
    /// Its sender vanished before its end.
    is_cut: bool,
}

impl<L: Payload + Clone + 'static> Mesh<L> {
    /// A station begins to send a frame.
    pub(super) fn transmit(&mut self, now: Time, frame: Frame) {
        let span = match (frame.kind, frame.to) {
            (FrameKind::Rts, _) => self.times.rts,
            (FrameKind::Cts, _) => self.times.cts,
            (FrameKind::Ack, _) => self.times.ack,
            (_, Some(_)) => self.times.unicast(frame.size),
            (_, None) => self.times.broadcast(frame.size),
        };
        let around = self.neighbourhood.around(now, frame.from);
        let transmission = Transmission { frame, start: now, around: around.clone(), is_cut: false };
        let place = self.air.iter().position(Option::is_none).unwrap_or(self.air.len());
        match self.air.get_mut(place) {
            Some(free) => *free = Some(transmission),
            None => self.air.push(Some(transmission)),
        }
        let sender = &mut self.stations[frame.from.index()];
        sender.contention.freeze(now);
        sender.sending = Some(place);
        sender.counters.on_sent(frame.kind, span);
        // A station cannot receive while it sends.
        sender.arrivals.iter_mut().for_each(|arrival| arrival.is_intact = false);
        for neighbour in around.iter() {
            self.reach(now, place, neighbour);
        }
        self.wakes.add(now + span, Wake::End(place));
    }

    /// A frame reaches a station that hears it.
    fn reach(&mut self, now: Time, place: usize, neighbour: &Neighbour) {
        self.receptions += 1;
        let capture = self.capture;
        let survives = |difference: f64| capture.is_some_and(|needed| difference >= needed);
        let station = &mut self.stations[neighbour.station.index()];
        if !station.is_present {
            return;
        }
        station.contention.freeze(now);
        station.last_start = now;
        let mut is_intact = station.sending.is_none();
        for other in &mut station.arrivals {
            is_intact &= survives(neighbour.power - other.power);
            other.is_intact &= survives(other.power - neighbour.power);
        }
        let Neighbour { power, receives, .. } = *neighbour;
        station.arrivals.push(Arrival { transmission: place, power, receives, is_intact });
    }

    /// A frame ends.
    pub(super) fn finish(&mut self, now: Time, place: usize) {
        let Some(ended) = self.air.get_mut(place).and_then(Option::take) else { return };
        let frame = ended.frame;
        let sender = &mut self.stations[frame.from.index()];
        let is_cut = ended.is_cut;
        if !is_cut {
            sender.sending = None;
            if sender.arrivals.is_empty() {
                sender.idle_from = now;
            }
        }
        let (mut received, mut destroyed) = (Vec::new(), Vec::new());
        for neighbour in ended.around.iter() {
            match self.leave(now, place, neighbour.station, is_cut) {
                Some(true) => received.push(neighbour.station),
                Some(false) if neighbour.receives => destroyed.push(neighbour.station),
                _ => {}
            }
        }
        self.see_frame(now, &ended, &received, destroyed);
        for number in &received {
            self.receive(now, *number, frame);
        }
        if !is_cut {
            self.after_own(now, frame);
        }
        for neighbour in ended.around.iter() {
            self.resume(now, neighbour.station);
        }
        self.resume(now, frame.from);
    }

    /// A frame ends at a station that hears it. Returns whether it was received; `None` if it never reached the station.
    fn leave(&mut self, now: Time, place: usize, number: Number, is_cut: bool) -> Option<bool> {
        let eifs = self.times.eifs;
        let station = &mut self.stations[number.index()];
        let at = station.arrivals.iter().position(|arrival| arrival.transmission == place)?;
        let arrival = station.arrivals.swap_remove(at);
        if !station.is_busy() {
            station.idle_from = now;
        }
        let is_received = arrival.receives && arrival.is_intact && !is_cut;
        if is_received {
            // A frame without errors ends the extended space.
            station.held_until = station.held_until.min(now);
        } else {
            station.held_until = now + eifs;
            station.counters.collisions += u64::from(arrival.receives);
        }
        Some(is_received)
    }

    /// A station has received a frame.
    fn receive(&mut self, now: Time, number: Number, frame: Frame) {
        match frame.to {
            Some(to) if to == number => self.receive_own(now, number, frame),
            Some(_) => self.overhear(now, number, frame),
            None => {
                let outgoing = self.stations[frame.from.index()].current.as_ref();
                if let Some(Body::Request(request)) = outgoing.map(|outgoing| &outgoing.body) {
                    let request = request.clone();
                    self.on_request(now, number, request);
                }
            }
        }
    }

    /// A frame for others reserves the medium (M-MAC-3).
    fn overhear(&mut self, now: Time, number: Number, frame: Frame) {
        let until = now + frame.duration;
        let station = &mut self.stations[number.index()];
        if until <= station.nav {
            return;
        }
        station.nav = until;
        station.rts_nav = None;
        if frame.kind == FrameKind::Rts {
            station.rts_nav = Some((now, until));
            self.wakes.add(now + self.times.data_must_begin(), Wake::Nav(number, now));
        }
    }

    /// Nothing has followed an RTS: its NAV ends.
    pub(super) fn on_nav_check(&mut self, now: Time, number: Number, heard: Time) {
        let station = &mut self.stations[number.index()];
        let is_set = station.rts_nav.is_some_and(|(at, until)| at == heard && until == station.nav);
        if is_set && station.last_start <= heard && station.nav > now {
            station.nav = now;
            station.rts_nav = None;
            self.resume(now, number);
        }
    }

    fn receive_own(&mut self, now: Time, number: Number, frame: Frame) {
        let Some(from) = Some(frame.from).filter(|from| from.index() < self.stations.len()) else { return };
        let is_answer = |station: &crate::station::Station<L>, awaited| {
            station.awaited == Some(awaited)
                && station.current.as_ref().is_some_and(|current| current.to == Some(from))
        };
        let station = &self.stations[number.index()];
        match frame.kind {
            FrameKind::Rts if station.nav <= now && !station.is_busy() && station.awaited.is_none() => {
                self.answer(now, number, self.cts(number, frame));
            }
            FrameKind::Rts => {}
            FrameKind::Cts if is_answer(station, Awaited::Cts) => self.on_cts(now, number),
            FrameKind::Ack if is_answer(station, Awaited::Ack) => self.on_ack(now, number),
            FrameKind::Cts | FrameKind::Ack => {}
            FrameKind::Data | FrameKind::Routing => {
                self.answer(now, number, self.ack(number, from));
                if let Some(datagram) = self.take_body(from) {
                    self.on_datagram(now, number, datagram);
                }
            }
        }
    }

    /// Takes what the frame of a station carries, for the station that received it. What is left at the sender is a frame
    /// whose content has passed: when it is sent again, because its ACK was lost, it is a duplicate, and `None`.
    fn take_body(&mut self, from: Number) -> Option<Datagram<L>> {
        let outgoing = self.stations[from.index()].current.as_mut()?;
        let Body::Datagram(datagram) = &mut outgoing.body else { return None };
        let passed = Content::Passed(outgoing.size);
        let content = std::mem::replace(&mut datagram.content, passed);
        if matches!(content, Content::Passed(_)) {
            return None;
        }
        let (route, at, has_header) = (datagram.route.clone(), datagram.at, datagram.has_header);
        Some(Datagram { content, route, at, has_header })
    }

    /// Ends a station's own transmission before its time.
    pub(super) fn cut_off(&mut self, number: Number) {
        let sending = self.stations[number.index()].sending.take();
        if let Some(Some(transmission)) = sending.map(|place| &mut self.air[place]) {
            transmission.is_cut = true;
        }
    }

    fn see_frame(&mut self, end: Time, ended: &Transmission, received: &[Number], destroyed: Vec<Number>) {
        if self.seen.is_none() {
            return;
        }
        let frame = ended.frame;
        let outgoing = self.stations[frame.from.index()].current.as_ref().filter(|_| frame.has_packet());
        let packet = outgoing.and_then(|outgoing| match &outgoing.body {
            Body::Datagram(Datagram { content: Content::Flow(packet), route, has_header, .. }) => {
                let route = if *has_header { route.to_vec() } else { Vec::new() };
                Some((packet.load.clone(), route))
            }
            _ => None,
        });
        let (start, received) = (ended.start, received.to_vec());
        self.see(|| MeshEvent::Frame(FrameSeen { frame, start, end, received, destroyed, packet }));
    }
}
