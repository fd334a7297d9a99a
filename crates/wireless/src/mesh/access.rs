//! The next transmission of a station: its queue, the exchange of the frame in service, and its end.

use anabranch_base::{Duration, Time};
use anabranch_link::queue::Taken;
use anabranch_link::{LossCause, Packet, Payload};

use super::Mesh;
use crate::dsr::{Control, header};
use crate::frame::{ACK, CTS, FrameKind, RTS};
use crate::station::{Answer, Attempts, Content, Exchange, OnAir, Service, Unanswered, User};

impl<L: Payload + Clone + 'static> Mesh<L> {
    pub(super) fn on_mac_timer(&mut self, now: Time, number: u16) {
        let station = self.at(number);
        if let Some((_, answer)) = station.answer.take_if(|(at, _)| *at <= now) {
            if station.on_air.is_none() {
                self.send_answer(now, number, answer);
            }
        } else {
            let is_free = station.on_air.is_none() && station.wants();
            let is_over = station.dcf.access().is_some_and(|at| at <= now);
            match station.exchange {
                Exchange::AwaitingCts(until) if until <= now => self.on_silence(now, number, Unanswered::Rts),
                Exchange::AwaitingAck(until) if until <= now => {
                    self.on_silence(now, number, Unanswered::Data);
                }
                Exchange::Contending if is_free && is_over => self.send_frame(now, number),
                _ => {}
            }
        }
        self.arm_mac(number);
    }

    /// A message of DSR is to be sent, before all packets.
    pub(super) fn send_control(&mut self, now: Time, number: u16, message: Control) {
        let station = self.at(number);
        if station.control.len() == CONTROL_LIMIT {
            station.counters.queue_drops += 1;
            return;
        }
        station.control.push_back(message);
        self.serve(now, number);
    }

    /// A packet that knows its next hop joins the queue. [`serve`](Mesh::serve) is to follow.
    pub(super) fn enqueue(&mut self, now: Time, number: u16, mut packet: Packet<User<L>>) {
        let line = self.line;
        let station = self.at(number);
        packet.load.failures_before = station.link_failures;
        let is_free = station.service.is_none() && station.control.is_empty();
        if is_free && station.queue.backlog().packets == 0 {
            if station.queue.passes(line, &mut packet) {
                self.start(now, number, Content::User(packet));
            } else {
                self.refuse(now, number, packet);
            }
            return;
        }
        if let Err(packet) = station.queue.offer(line, packet) {
            self.refuse(now, number, packet);
        }
        while let Some(packet) = self.at(number).queue.shed() {
            self.refuse(now, number, packet);
        }
    }

    /// Takes the next frame into service, if none is there.
    pub(super) fn serve(&mut self, now: Time, number: u16) {
        while self.at(number).service.is_none() {
            let line = self.line;
            let station = self.at(number);
            if let Some(message) = station.control.pop_front() {
                self.start(now, number, Content::Control(message));
                break;
            }
            match station.queue.take(line) {
                None => break,
                Some(Taken::Refused(packet)) => self.refuse(now, number, packet),
                Some(Taken::Next(packet)) => {
                    match packet.load.next().filter(|next| station.lost(&packet, *next)) {
                        Some(next) => self.take_back(now, number, next, packet, LossCause::NoRoute),
                        None => self.start(now, number, Content::User(packet)),
                    }
                }
            }
        }
        self.arm_mac(number);
    }

    fn refuse(&mut self, now: Time, number: u16, packet: Packet<User<L>>) {
        self.at(number).counters.queue_drops += 1;
        self.lose(now, packet, LossCause::Queue);
    }

    fn start(&mut self, now: Time, number: u16, content: Content<L>) {
        let (kind, next, size) = match &content {
            Content::User(packet) => (FrameKind::Data, packet.load.next(), packet.size),
            Content::Control(message) => (kind_of(message), message.next(), message.size()),
        };
        let mpdu = self.air.mpdu(size);
        let uses_rts = next.is_some() && mpdu > self.rts_threshold;
        let station = self.at(number);
        station.sequence = (station.sequence + 1) % SEQUENCES;
        let (sequence, attempts) = (station.sequence, Attempts::default());
        let service = Service { content, next, kind, mpdu, uses_rts, sequence, attempts, is_retry: false };
        station.service = Some(service);
        station.exchange = Exchange::Contending;
        station.dcf.ask(now);
        self.arm_mac(number);
    }

    /// The back-off is over: the frame in service, or the RTS for it, goes on air.
    fn send_frame(&mut self, now: Time, number: u16) {
        let air = self.air;
        let station = self.at(number);
        let Some(service) = &station.service else { return };
        let (next, mpdu) = (service.next, service.mpdu);
        station.exchange = Exchange::Sending;
        station.dcf.on_send(now, true);
        if service.uses_rts {
            let duration = air.rts_duration(mpdu);
            self.begin(now, number, FrameKind::Rts, next, duration, air.rts);
        } else {
            self.send_data(now, number);
        }
    }

    fn send_data(&mut self, now: Time, number: u16) {
        let air = self.air;
        let Some(service) = &self.at(number).service else { return };
        let (kind, next, mpdu) = (service.kind, service.next, service.mpdu);
        let (duration, span) = match next {
            Some(_) => (air.data_duration(), air.data(mpdu)),
            None => (Duration::ZERO, air.broadcast(mpdu)),
        };
        self.begin(now, number, kind, next, duration, span);
    }

    fn send_answer(&mut self, now: Time, number: u16, answer: Answer) {
        self.at(number).dcf.on_send(now, false);
        match answer {
            Answer::Cts { to, duration } => {
                self.begin(now, number, FrameKind::Cts, Some(to), duration, self.air.cts);
            }
            Answer::Ack { to } => {
                self.begin(now, number, FrameKind::Ack, Some(to), Duration::ZERO, self.air.ack);
            }
            Answer::Data => self.send_data(now, number),
        }
    }

    /// The station's own transmission has ended.
    pub(super) fn on_sent(&mut self, now: Time, number: u16, sent: OnAir) {
        let air = self.air;
        let station = self.at(number);
        match (sent.kind, sent.to) {
            (FrameKind::Rts, _) => station.exchange = Exchange::AwaitingCts(now + air.cts_wait()),
            (FrameKind::Cts | FrameKind::Ack, _) => {}
            (_, Some(_)) => {
                station.exchange = Exchange::AwaitingAck(now + air.ack_wait());
                if let Some(service) = &mut station.service {
                    service.is_retry = true;
                }
            }
            // The end of a broadcast is told when all have received it.
            (_, None) => {}
        }
    }

    /// An ACK arrived, or the frame needs none.
    pub(super) fn on_success(&mut self, now: Time, number: u16) {
        let station = self.at(number);
        station.exchange = Exchange::Contending;
        station.dcf.finish(now);
        if let Some(Service { content: Content::User(packet), .. }) = station.service.take() {
            self.lose(now, packet, LossCause::Retries);
        }
        self.serve(now, number);
    }

    /// No answer came.
    fn on_silence(&mut self, now: Time, number: u16, what: Unanswered) {
        let (limits, threshold) = (self.limits, self.rts_threshold);
        let station = self.at(number);
        station.exchange = Exchange::Contending;
        match what {
            Unanswered::Rts => station.counters.rts_failures += 1,
            Unanswered::Data => station.counters.data_failures += 1,
        }
        let Some(service) = &mut station.service else { return };
        if !service.attempts.fail(limits, what, service.mpdu > threshold) {
            return station.dcf.retry(now);
        }
        station.dcf.finish(now);
        station.counters.retry_drops += 1;
        if let Some(service) = station.service.take() {
            self.give_up(now, number, service);
        }
        self.serve(now, number);
    }

    fn give_up(&mut self, now: Time, number: u16, service: Service<L>) {
        let Some(next) = service.next else { return };
        self.on_link_failure(now, number, next);
        if let Content::User(packet) = service.content {
            self.take_back(now, number, next, packet, LossCause::Retries);
        }
    }
}

impl<L> crate::station::StationState<L> {
    /// Returns true if the link to `next` has failed since the packet joined the queue.
    fn lost(&self, packet: &Packet<User<L>>, next: u16) -> bool {
        packet.load.is_dsr
            && self.broken.get(&next).is_some_and(|broken| packet.load.failures_before < broken.failures)
    }
}

/// The kind of the frame for a message.
fn kind_of(message: &Control) -> FrameKind {
    match message {
        Control::Request(_) => FrameKind::RouteRequest,
        Control::Reply(_) => FrameKind::RouteReply,
        Control::Error(_) => FrameKind::RouteError,
    }
}

/// Messages of DSR that wait at a station.
const CONTROL_LIMIT: usize = 64;
/// Sequence numbers have 12 bits.
const SEQUENCES: u16 = 1 << 12;

/// The size of a frame without data.
pub(super) fn control_size(kind: FrameKind) -> anabranch_base::ByteCount {
    match kind {
        FrameKind::Rts => RTS,
        FrameKind::Cts => CTS,
        _ => ACK,
    }
}

/// The packet on `route` with the headers of DSR.
pub(super) fn with_route<L>(mut packet: Packet<User<L>>, route: crate::dsr::Route) -> Packet<User<L>> {
    packet.size = packet.load.size;
    if packet.load.is_dsr {
        packet.size += header::route_size(route.len());
    }
    packet.load.route = route;
    packet.load.at = 0;
    packet
}
