//! Transmissions: who senses them, who receives them, and what the receivers do.

use anabranch_base::{Duration, Time};
use anabranch_link::fabric::Station;
use anabranch_link::{Fate, Packet, Payload};

use super::access::control_size;
use super::{Mesh, unwrapped};
use crate::dsr::Control;
use crate::frame::FrameKind;
use crate::reception::Reception;
use crate::seen::{FrameSeen, RoutingHeader};
use crate::station::{Answer, Content, Exchange, OnAir, Service, User};

impl<L: Payload + Clone + 'static> Mesh<L> {
    /// A frame goes on air for `span`.
    pub(super) fn begin(
        &mut self,
        now: Time,
        number: u16,
        kind: FrameKind,
        to: Option<u16>,
        duration: Duration,
        span: Duration,
    ) {
        let end = now + span;
        let station = self.at(number);
        let is_retry = kind.is_data() && station.service.as_ref().is_some_and(|service| service.is_retry);
        station.on_air = Some(OnAir { kind, to, start: now, end, duration, is_retry });
        station.arrivals.spoil();
        station.counters.frames[kind as usize] += 1;
        let mut hearers = std::mem::take(&mut station.hearers);
        self.ends.arm(u32::from(number), end);

        let mut found = std::mem::take(&mut self.found);
        self.places.neighbours(now, number, &mut found);
        hearers.clear();
        for neighbour in found.drain(..) {
            let capture = self.capture;
            let hearer = self.at(neighbour.station);
            if !hearer.is_present {
                continue;
            }
            hearers.push(neighbour.station);
            let is_deaf = hearer.on_air.is_some();
            hearer.arrivals.begin(
                crate::medium::Neighbour { station: number, ..neighbour },
                is_deaf,
                capture,
            );
            let wants = hearer.wants();
            hearer.dcf.on_busy(now, wants);
        }
        self.found = found;
        self.at(number).hearers = hearers;
    }

    pub(super) fn on_end(&mut self, now: Time, number: u16) {
        match self.at(number).on_air {
            Some(on_air) if on_air.end <= now => self.finish(now, number, false),
            Some(on_air) => self.ends.arm(u32::from(number), on_air.end),
            None => {}
        }
    }

    /// A transmission ends; `is_cut` if its sender disappears.
    pub(super) fn finish(&mut self, now: Time, number: u16, is_cut: bool) {
        let station = self.at(number);
        let Some(sent) = station.on_air.take() else { return };
        station.counters.airtime += now.since(sent.start);
        let hearers = std::mem::take(&mut station.hearers);
        if station.arrivals.is_empty() {
            station.dcf.on_idle(now);
        }
        let mut seen = self.describe(now, number, sent);
        if !is_cut {
            self.on_sent(now, number, sent);
        }
        for hearer in &hearers {
            let Some(reception) = self.hear(now, *hearer, number, sent, is_cut) else { continue };
            match (reception, &mut seen) {
                (Reception::Intact, Some((frame, _))) => frame.received.push(Station::new(*hearer)),
                (Reception::Spoilt, Some((frame, _))) => frame.collided.push(Station::new(*hearer)),
                _ => {}
            }
            if reception == Reception::Intact && sent.to.is_none_or(|to| to == *hearer) {
                self.receive(now, *hearer, number, sent);
            }
            self.arm_mac(*hearer);
        }
        // A broadcast was in service until all had received it.
        if !is_cut && sent.kind.is_data() && sent.to.is_none() {
            self.on_success(now, number);
        }
        self.at(number).hearers = hearers;
        if let (Some(log), Some(seen)) = (&mut self.log, seen) {
            log.frames.push(seen);
        }
        self.arm_mac(number);
    }

    /// A transmission of `from` ends at the station `number`. `None` if it was not there when it began.
    fn hear(&mut self, now: Time, number: u16, from: u16, sent: OnAir, is_cut: bool) -> Option<Reception> {
        let reservation = now + self.air.reservation();
        let station = self.at(number);
        let reception = station.arrivals.end(from, is_cut)?;
        let is_intact = reception == Reception::Intact;
        station.dcf.on_frame(is_intact);
        station.counters.collisions += u64::from(reception == Reception::Spoilt);
        if is_intact && sent.to.is_some_and(|to| to != number) {
            let until = now + sent.duration;
            match sent.kind {
                FrameKind::Rts => station.dcf.nav.claim(until, reservation),
                _ => station.dcf.nav.reserve(until),
            }
        }
        if station.arrivals.is_empty() && station.on_air.is_none() {
            station.dcf.on_idle(now);
        }
        Some(reception)
    }

    /// A frame for the station arrives without error.
    fn receive(&mut self, now: Time, number: u16, from: u16, sent: OnAir) {
        match sent.kind {
            FrameKind::Rts => self.on_rts(now, number, from, sent.duration),
            FrameKind::Cts => self.on_cts(now, number, from),
            FrameKind::Ack => self.on_ack(now, number, from),
            _ if sent.to.is_none() => self.accept(now, number, from),
            _ => self.on_data(now, number, from, sent.is_retry),
        }
    }

    /// An exposed station stays silent (M-MAC-3).
    fn on_rts(&mut self, now: Time, number: u16, from: u16, asked: Duration) {
        let (at, duration) = (now + self.air.sifs, self.air.cts_duration(asked));
        let station = self.at(number);
        if station.answer.is_none() && station.dcf.may_answer(now) {
            station.answer = Some((at, Answer::Cts { to: from, duration }));
        }
    }

    fn on_cts(&mut self, now: Time, number: u16, from: u16) {
        let (at, limits) = (now + self.air.sifs, self.limits);
        let station = self.at(number);
        let is_awaited = matches!(station.exchange, Exchange::AwaitingCts(_)) && station.answer.is_none();
        let Some(service) =
            station.service.as_mut().filter(|service| is_awaited && service.next == Some(from))
        else {
            return;
        };
        service.attempts.on_cts(limits);
        station.exchange = Exchange::Sending;
        station.answer = Some((at, Answer::Data));
    }

    fn on_ack(&mut self, now: Time, number: u16, from: u16) {
        let station = self.at(number);
        let is_partner = station.service.as_ref().is_some_and(|service| service.next == Some(from));
        if matches!(station.exchange, Exchange::AwaitingAck(_)) && is_partner {
            self.on_success(now, number);
        }
    }

    /// A station that is about to answer another frame cannot acknowledge this one, and leaves it to the next attempt.
    fn on_data(&mut self, now: Time, number: u16, from: u16, is_retry: bool) {
        let at = now + self.air.sifs;
        let station = self.at(number);
        if station.answer.is_none() {
            station.answer = Some((at, Answer::Ack { to: from }));
            self.accept_once(now, number, from, is_retry);
        }
    }

    /// A data frame for this station alone: the second copy of a frame is acknowledged, and not used.
    fn accept_once(&mut self, now: Time, number: u16, from: u16, is_retry: bool) {
        let Some(Service { sequence, .. }) = self.at(from).service else { return };
        let last = self.at(number).heard.insert(from, sequence);
        if !is_retry || last != Some(sequence) {
            self.accept(now, number, from);
        }
    }

    fn accept(&mut self, now: Time, number: u16, from: u16) {
        let Some(Service { content, .. }) = &self.at(from).service else { return };
        match content.clone() {
            Content::User(packet) => {
                self.ledger.copy(packet.load.entry);
                self.pass(now, number, packet);
            }
            Content::Control(message) => self.on_control(now, number, message),
        }
    }

    /// A packet has come one hop further.
    fn pass(&mut self, now: Time, number: u16, mut packet: Packet<User<L>>) {
        packet.load.at += 1;
        let User { at, target, is_dsr, .. } = packet.load;
        if is_dsr {
            self.learn(now, number, &packet.load.route, at);
        }
        if number == target {
            let is_duplicate = self.ledger.arrive(packet.load.entry);
            self.fates.push_back(Fate::Arrived { packet: unwrapped(packet), is_duplicate, damage: None });
            return;
        }
        self.enqueue(now, number, packet);
        self.serve(now, number);
    }

    /// A station that comes back senses the frames on air, and does not receive them.
    pub(super) fn sense_again(&mut self, now: Time, number: u16) {
        let mut found = Vec::new();
        self.places.neighbours(now, number, &mut found);
        for neighbour in found {
            let capture = self.capture;
            let sender = self.at(neighbour.station);
            if sender.on_air.is_none() {
                continue;
            }
            if !sender.hearers.contains(&number) {
                sender.hearers.push(number);
            }
            let station = self.at(number);
            station.arrivals.begin(neighbour, true, capture);
            station.dcf.on_busy(now, false);
        }
    }

    fn describe(&self, now: Time, number: u16, sent: OnAir) -> Option<(FrameSeen, Option<Packet<L>>)> {
        self.log.as_ref()?;
        let service = self.stations[usize::from(number)].service.as_ref().filter(|_| sent.kind.is_data());
        let content = service.map(|service| &service.content);
        let frame = FrameSeen {
            from: Station::new(number),
            to: sent.to.map(Station::new),
            kind: sent.kind,
            start: sent.start,
            end: now,
            duration: sent.duration,
            is_retry: sent.is_retry,
            sequence: service.map_or(0, |service| service.sequence),
            size: service.map_or(control_size(sent.kind), |service| service.mpdu),
            received: Vec::new(),
            collided: Vec::new(),
            routing: content.and_then(routing_header),
        };
        let packet = match content {
            Some(Content::User(packet)) => Some(unwrapped(packet.clone())),
            _ => None,
        };
        Some((frame, packet))
    }
}

fn routing_header<L>(content: &Content<L>) -> Option<RoutingHeader> {
    let stations = |numbers: &[u16]| numbers.iter().copied().map(Station::new).collect();
    Some(match content {
        Content::User(packet) if !packet.load.is_dsr => return None,
        Content::User(packet) => {
            RoutingHeader::SourceRoute { route: stations(&packet.load.route), passed: packet.load.at }
        }
        Content::Control(Control::Request(request)) => RoutingHeader::Request {
            id: request.id,
            target: Station::new(request.target),
            path: stations(&request.path),
        },
        Content::Control(Control::Reply(reply)) => RoutingHeader::Reply {
            route: stations(&reply.route),
            passed: reply.route.len().saturating_sub(1 + reply.at),
        },
        Content::Control(Control::Error(report)) => RoutingHeader::Error {
            broken: report.broken.map(Station::new),
            route: stations(&report.route),
            passed: report.at,
        },
    })
}
