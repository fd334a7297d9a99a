//! Packets between the ends: they leave, are lost, delayed or spoilt, and arrive.

use std::cmp::Reverse;
use std::net::SocketAddr;

use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::Ecn;
use anabranch_sctp::endpoint::{Arrival, Channel, Departure};
use bytes::Bytes;

use super::addresses::pipe_of;
use super::{End, Line, Middlebox, PacketCost, PacketInFlight, Pair, Pipe, Reading, chunk_names};

impl Pair {
    pub(super) fn step(&mut self) {
        if let Some(Reverse(packet)) = self.packets_in_flight.peek()
            && packet.at <= self.now
        {
            let Reverse(packet) = self.packets_in_flight.pop().expect("it was just there");
            let is_missing = self.side(packet.to).missing.contains(&packet.local);
            if !self.pipes[packet.pipe].is_cut && !is_missing {
                self.arrive(packet);
            }
            return;
        }
        for end in [End::A, End::Z] {
            let now = self.now;
            if self.side(end).endpoint.poll_timeout().is_some_and(|due| due <= now) {
                self.within(end, |side, now| side.endpoint.handle_timeout(now));
                self.settle(end);
            }
        }
    }

    pub(super) fn arrive(&mut self, packet: PacketInFlight) {
        let PacketInFlight { to, local, remote, marking, bytes, .. } = packet;
        let (left, is_metered) = (self.log.len(), self.meter.is_some());
        self.cost = Reading::default();
        self.within(to, |side, now| {
            // What an end keeps of a packet counts as its own memory.
            let bytes = if is_metered { Bytes::copy_from_slice(&bytes) } else { bytes.clone() };
            let memory = ByteCount::of_len(bytes.len());
            let (channel, ecn) = (Channel::PLAIN, Ecn::from_bits(marking));
            side.endpoint.handle(now, &Arrival { local, remote, channel, ecn, bytes, memory });
        });
        self.settle(to);
        let (cost, answers) = (self.cost, left..self.log.len());
        if let Some(meter) = &mut self.meter {
            meter.packet_costs.push(PacketCost { to, bytes, cost, answers });
        }
    }

    /// Sends what an end wants to send and collects what it tells.
    pub(crate) fn settle(&mut self, end: End) {
        self.read_at_once(end);
        let mut bytes = std::mem::take(&mut self.scratch);
        // It must not grow while memory is counted.
        bytes.reserve(if self.meter.is_some() { 4 * usize::from(u16::MAX) } else { 0 });
        for departures in 0.. {
            assert!(departures < 10_000, "poll_transmit does not end");
            bytes.clear();
            let departure = self.within(end, |side, now| side.endpoint.poll_transmit(now, &mut bytes, 4));
            let Some(departure) = departure else { break };
            for segment in bytes.chunks(departure.transmit.segment_size) {
                self.leave(end, &departure, &Bytes::copy_from_slice(segment));
            }
        }
        self.scratch = bytes;
        while let Some((id, event)) = self.within(end, |side, _| side.endpoint.poll_event()) {
            let side = self.side(end);
            if side.adopts {
                side.id.get_or_insert(id);
            }
            if side.id == Some(id) { side.events.push(event) } else { side.strays.push((id, event)) }
        }
    }

    pub(super) fn read_at_once(&mut self, end: End) {
        let side = self.side(end);
        if let Some(id) = side.id.filter(|_| side.reads_at_once)
            && let Some(association) = side.endpoint.association_mut(id)
        {
            side.read.extend(std::iter::from_fn(|| association.receive()));
        }
    }

    pub(super) fn leave(&mut self, from: End, departure: &Departure, bytes: &Bytes) {
        let Departure { local, remote, ref transmit, .. } = *departure;
        let to = from.other();
        let names = chunk_names(bytes);
        let Some(pipe) = (0..self.pipes.len()).find(|&pipe| self.address(to, pipe).ip() == remote.ip())
        else {
            return self.note((from, 0), departure, &names, &remote.to_string(), bytes);
        };
        let source = pipe_of(local);
        let link = if from == End::A { source } else { pipe };
        let crosses = source != pipe && self.loses_crossing.contains(&from);
        if crosses || self.cut_links.contains(&link) {
            return self.note((from, pipe), departure, &names, "lost", bytes);
        }
        assert!(source == pipe || self.may_cross, "paths lead through their own pipe");
        // A translator without this port, or the pipe, does not let it through.
        let is_missing = self.side(from).missing.contains(&local);
        let is_too_large = self.pipes[pipe].is_exceeded(from, bytes.len(), transmit.may_fragment);
        let is_blocked = self.pipes[pipe].middlebox == Middlebox::Drop && transmit.ecn != Ecn::NotEct;
        let is_gone = is_missing || is_too_large || is_blocked || self.seen(to, pipe) != remote;
        if is_gone || self.is_lost(from, pipe, &names) {
            return self.note((from, pipe), departure, &names, "lost", bytes);
        }
        self.note((from, pipe), departure, &names, &format!("{to:?}"), bytes);
        let (here, there) = (self.address(to, pipe), self.seen(from, source));
        let ecn = self.marked(from, pipe, transmit.ecn);
        let copies = 1 + usize::from(self.happens(self.faults.duplication));
        for _ in 0..copies {
            let mut bytes = bytes.clone();
            if self.happens(self.faults.corruption) {
                let mut spoilt = bytes.to_vec();
                let at = (self.random() % spoilt.len() as u64) as usize;
                spoilt[at] ^= 1 << (self.random() % 8);
                bytes = Bytes::from(spoilt);
            }
            let late = Duration::from_nanos(self.random() % (self.faults.jitter.as_nanos() + 1));
            self.fly((to, pipe), (here, there), ecn, bytes, self.pipes[pipe].delay + late);
        }
    }

    /// Returns true if a packet meets a loss, planned or by chance.
    pub(super) fn is_lost(&mut self, from: End, pipe: usize, names: &str) -> bool {
        let mut is_planned = false;
        self.losses.retain_mut(|loss| {
            if loss.from != from || names.split(" + ").all(|name| name != loss.chunk) {
                return true;
            }
            let is_due = loss.skipped == 0;
            loss.skipped = loss.skipped.saturating_sub(1);
            is_planned |= is_due;
            !is_due
        });
        let planned = &mut self.pipes[pipe].drop_next[from as usize];
        if *planned > 0 {
            *planned -= 1;
            is_planned = true;
        }
        is_planned || self.pipes[pipe].is_cut || self.happens(self.faults.loss)
    }

    pub(super) fn note(
        &mut self,
        (from, pipe): (End, usize),
        departure: &Departure,
        names: &str,
        to: &str,
        bytes: &Bytes,
    ) {
        let arrow = if self.pipes.len() > 1 { format!("-{}>", pipe + 1) } else { "->".to_owned() };
        let text = format!("{from:?} {arrow} {names} {arrow} {to}");
        let len = bytes.len();
        let bytes = if self.keeps_packets { bytes.clone() } else { Bytes::new() };
        let Departure { local, remote, association: by, ref transmit, .. } = *departure;
        let ecn = transmit.ecn;
        self.log.push(Line { at: self.now, from, pipe, local, remote, by, text, ecn, bytes, len });
    }

    /// The codepoint with which a packet arrives that left `from` with `ecn`.
    pub(super) fn marked(&mut self, from: End, pipe: usize, ecn: Ecn) -> Ecn {
        if !ecn.is_capable() {
            return ecn;
        }
        let by_chance = self.happens(self.faults.marking);
        let Pipe { mark_next, middlebox, .. } = &mut self.pipes[pipe];
        let planned = &mut mark_next[from as usize];
        let is_planned = *planned > 0;
        *planned = planned.saturating_sub(1);
        match middlebox {
            Middlebox::Bleach => Ecn::NotEct,
            _ if is_planned || by_chance => Ecn::Ce,
            _ => ecn,
        }
    }

    pub(super) fn fly(
        &mut self,
        (to, pipe): (End, usize),
        (local, remote): (SocketAddr, SocketAddr),
        ecn: Ecn,
        bytes: Bytes,
        delay: Duration,
    ) {
        self.sent += 1;
        let (at, order) = (self.now + delay, self.sent);
        let marking = ecn.bits();
        self.packets_in_flight.push(Reverse(PacketInFlight {
            at,
            order,
            to,
            local,
            remote,
            pipe,
            marking,
            bytes,
        }));
    }

    pub(super) fn happens(&mut self, thousandths: u32) -> bool {
        self.random() % 1000 < u64::from(thousandths)
    }

    /// Xorshift: the test's own random numbers, independent of the endpoints'.
    pub(crate) fn random(&mut self) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        self.chance
    }
}
