//! The access to the air (DCF, M-MAC-2 to M-MAC-4): when a station may send, what it sends, what it answers, and what it
//! does when nothing answers it.

use anabranch_base::{Duration, Time};
use anabranch_link::Payload;
use anabranch_link::fabric::Station as Number;

use super::{Mesh, Wake};
use crate::frame::{ACK, CTS, Frame, FrameKind, RTS};
use crate::retry::{Retries, Unanswered};
use crate::station::{Awaited, Body, Outgoing};

impl<L: Payload + Clone + 'static> Mesh<L> {
    /// A station has a packet to send to a neighbour, or to all.
    pub(super) fn enqueue(&mut self, now: Time, number: Number, body: Body<L>) {
        let line = self.line(now);
        let size = self.frame_size(&body);
        let station = &mut self.stations[number.index()];
        let is_urgent = match &body {
            Body::Request(_) => true,
            Body::Datagram(datagram) => !datagram.is_of_flow(),
        };
        if is_urgent {
            station.urgent.push_back(body);
        } else if let Body::Datagram(datagram) = body {
            let mut packet = crate::station::wrapped(datagram, size);
            let is_free = station.current.is_none() && station.queue.backlog().packets == 0;
            let refused = if is_free {
                if station.queue.passes(line, &mut packet) {
                    let body = Body::Datagram(crate::station::unwrapped(packet));
                    self.contend_for(now, number, body);
                    return;
                }
                Some(packet)
            } else {
                station.queue.offer(line, packet).err()
            };
            let mut dropped: Vec<_> = refused.into_iter().map(|packet| packet.load).collect();
            while let Some(shed) = station.queue.shed() {
                dropped.push(shed.load);
            }
            self.refuse(now, number, dropped);
        }
        self.next(now, number);
    }

    /// A station contends for its next packet, if it has one and is free for it.
    pub(super) fn next(&mut self, now: Time, number: Number) {
        let line = self.line(now);
        let station = &mut self.stations[number.index()];
        if station.current.is_some() || !station.is_present {
            return;
        }
        let mut refused = Vec::new();
        let body = station.take_next(line, &mut refused);
        self.refuse(now, number, refused);
        if let Some(body) = body {
            self.contend_for(now, number, body);
        }
    }

    fn contend_for(&mut self, now: Time, number: Number, body: Body<L>) {
        let size = self.frame_size(&body);
        let to = match &body {
            Body::Datagram(datagram) => datagram.next(),
            Body::Request(_) => None,
        };
        let is_long = to.is_some() && self.threshold.is_some_and(|threshold| size > threshold);
        let difs = self.times.difs;
        let station = &mut self.stations[number.index()];
        let sequence = station.next_sequence();
        let (retries, is_retry) = (Retries::default(), false);
        station.current = Some(Outgoing { body, to, size, is_long, retries, is_retry, sequence });
        if station.contention.is_pending(now) {
            self.resume(now, number);
        } else if !station.is_busy() && station.counts_from(difs) <= now && station.answer.is_none() {
            // The medium has been idle for DIFS and no back-off is pending.
            self.send_current(now, number);
        } else {
            station.contention.draw(&mut station.random);
            self.resume(now, number);
        }
    }

    /// Slots count again at a station that hears nothing.
    pub(super) fn resume(&mut self, now: Time, number: Number) {
        let difs = self.times.difs;
        let station = &mut self.stations[number.index()];
        if !station.is_present || station.is_busy() || station.awaited.is_some() {
            return;
        }
        station.contention.count_from(station.counts_from(difs));
        if station.current.is_some()
            && let Some(expiry) = station.contention.expiry()
        {
            self.wakes.add(expiry.max(now), Wake::Access(number));
        }
    }

    /// A back-off may have ended.
    pub(super) fn on_access(&mut self, now: Time, number: Number) {
        let station = &mut self.stations[number.index()];
        let is_due = station.contention.expiry().is_some_and(|expiry| expiry <= now);
        if is_due && station.current.is_some() && station.sending.is_none() && station.awaited.is_none() {
            self.send_current(now, number);
        }
    }

    /// A station sends its frame, or the RTS for it.
    fn send_current(&mut self, now: Time, number: Number) {
        self.stations[number.index()].contention.end();
        let Some(current) = &self.stations[number.index()].current else { return };
        let frame = if current.is_long { self.rts(number, current) } else { self.data(number, current) };
        self.transmit(now, frame);
    }

    /// A station's own frame has ended: it waits for the answer.
    pub(super) fn after_own(&mut self, now: Time, frame: Frame) {
        let (awaited, answer) = match (frame.kind, frame.to) {
            (FrameKind::Cts | FrameKind::Ack, _) => return,
            (_, None) => return self.complete(now, frame.from),
            (FrameKind::Rts, _) => (Awaited::Cts, self.times.cts),
            (FrameKind::Data | FrameKind::Routing, _) => (Awaited::Ack, self.times.ack),
        };
        let station = &mut self.stations[frame.from.index()];
        station.awaited = Some(awaited);
        station.timeout_number = station.timeout_number.wrapping_add(1);
        let wake = Wake::Timeout(frame.from, station.timeout_number);
        self.wakes.add(now + self.times.answer_timeout(answer), wake);
    }

    /// The CTS has come: the frame follows after SIFS.
    pub(super) fn on_cts(&mut self, now: Time, number: Number) {
        let limits = self.limits;
        let station = &mut self.stations[number.index()];
        station.awaited = None;
        station.timeout_number = station.timeout_number.wrapping_add(1);
        let Some(current) = &mut station.current else { return };
        limits.on_cts(&mut current.retries);
        if let Some(current) = &self.stations[number.index()].current {
            let frame = self.data(number, current);
            self.answer(now, number, frame);
        }
    }

    /// The ACK has come.
    pub(super) fn on_ack(&mut self, now: Time, number: Number) {
        let station = &mut self.stations[number.index()];
        station.awaited = None;
        station.timeout_number = station.timeout_number.wrapping_add(1);
        self.complete(now, number);
    }

    /// A frame is done: the window is the smallest again, and a back-off follows every attempt.
    fn complete(&mut self, now: Time, number: Number) {
        let station = &mut self.stations[number.index()];
        station.current = None;
        station.contention.reset();
        station.contention.draw(&mut station.random);
        self.next(now, number);
    }

    /// Nothing has answered.
    pub(super) fn on_timeout(&mut self, now: Time, number: Number, count: u32) {
        let (limits, times) = (self.limits, self.times);
        let station = &mut self.stations[number.index()];
        if station.timeout_number != count {
            return;
        }
        let Some(awaited) = station.awaited.take() else { return };
        let Some(current) = &mut station.current else { return };
        let what = match awaited {
            Awaited::Cts => Unanswered::Rts,
            Awaited::Ack => Unanswered::Frame,
        };
        match what {
            Unanswered::Rts => station.counters.rts_failed += 1,
            Unanswered::Frame => station.counters.data_failed += 1,
        }
        let is_last = limits.fail(&mut current.retries, current.is_long, what);
        current.is_retry = true;
        // As long as others wait after a frame that they could not read: SIFS, the answer and DIFS.
        let since = now.since(Time::ZERO).saturating_sub(times.slot);
        station.held_until = station.held_until.max(Time::ZERO + since + times.difs);
        if is_last {
            station.counters.retry_drops += 1;
            let given_up = station.current.take();
            station.contention.reset();
            station.contention.draw(&mut station.random);
            given_up.into_iter().for_each(|outgoing| self.give_up(now, number, outgoing));
            self.next(now, number);
        } else {
            station.contention.widen();
            station.contention.draw(&mut station.random);
        }
        self.resume(now, number);
    }

    /// A station answers a frame after SIFS, whatever the medium does.
    pub(super) fn answer(&mut self, now: Time, number: Number, frame: Frame) {
        self.stations[number.index()].answer = Some(frame);
        self.wakes.add(now + self.times.sifs, Wake::Answer(number));
    }

    pub(super) fn send_answer(&mut self, now: Time, number: Number) {
        let station = &mut self.stations[number.index()];
        if let Some(frame) = station.answer.take().filter(|_| station.sending.is_none()) {
            self.transmit(now, frame);
        }
    }

    fn rts(&self, from: Number, current: &Outgoing<L>) -> Frame {
        let times = &self.times;
        let duration =
            times.sifs + times.cts + times.sifs + times.unicast(current.size) + times.sifs + times.ack;
        let (kind, size, to) = (FrameKind::Rts, RTS, current.to);
        Frame { kind, from, to, size, duration, is_retry: current.is_retry, sequence: current.sequence }
    }

    /// The CTS that a station answers an RTS with.
    pub(super) fn cts(&self, from: Number, rts: Frame) -> Frame {
        let duration = rts.duration.saturating_sub(self.times.sifs).saturating_sub(self.times.cts);
        Frame { kind: FrameKind::Cts, size: CTS, from, to: Some(rts.from), duration, is_retry: false, ..rts }
    }

    /// The ACK that a station answers a frame with.
    pub(super) fn ack(&self, from: Number, to: Number) -> Frame {
        let (kind, duration) = (FrameKind::Ack, Duration::ZERO);
        Frame { kind, from, to: Some(to), size: ACK, duration, is_retry: false, sequence: 0 }
    }

    fn data(&self, from: Number, current: &Outgoing<L>) -> Frame {
        let kind = match &current.body {
            Body::Datagram(datagram) if datagram.is_of_flow() => FrameKind::Data,
            _ => FrameKind::Routing,
        };
        let duration = if current.to.is_some() { self.times.sifs + self.times.ack } else { Duration::ZERO };
        let Outgoing { to, size, is_retry, sequence, .. } = *current;
        Frame { kind, from, to, size, duration, is_retry, sequence }
    }

    fn frame_size(&self, body: &Body<L>) -> anabranch_base::ByteCount {
        self.overhead
            + match body {
                Body::Datagram(datagram) => datagram.size(),
                Body::Request(request) => request.size(),
            }
    }
}
