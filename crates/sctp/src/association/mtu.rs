//! The recipes for the largest packet of each path: probing it (RFC 8899 §6.2), and what becomes of chunks that were
//! made for larger ones (RFC 9260 §6.9).

use anabranch_base::{ByteCount, Time};

use super::datagram::Transmit;
use super::probe::{MtuProbe, Probe};
use super::session::Session;
use super::timers::Timer;
use super::{Association, PathAddresses, State};
use crate::event::Event;
use crate::path::MtuState;
use crate::policy::PathId;
use crate::policy::retransmission::LostBy;
use crate::seq::Tsn;
use crate::wire::{Heartbeat, PacketBuilder, Pad};

impl Association {
    /// The operating system says that no packet larger than `largest` leaves on `path` just now: its interface carries
    /// less than it did, or less than what was tried. Whether that is of use: the path's size is searched.
    pub fn on_too_large(&mut self, now: Time, path: PathAddresses, largest: ByteCount) -> bool {
        let Some(id) = self.path_table().find(path.local, path.remote) else { return false };
        let (State::Open(session) | State::Closing(session, _)) = &mut self.state else { return false };
        session.begin_event();
        if session.paths.mtu_mut(id).on_too_large(largest, now) {
            session.on_mtu_changed(id, now);
        }
        session.schedule_mtu_probe(id);
        session.paths.mtu(id).state() != MtuState::Disabled
    }
}

impl Session {
    /// The path carries packets, for the first time or again: how large may they be?
    pub(super) fn search_mtu(&mut self, path: PathId, now: Time) {
        self.paths.mtu_mut(path).on_connected(now);
        self.schedule_mtu_probe(path);
    }

    /// Packets were lost on the path, perhaps for their size (RFC 8899 §4.3).
    pub(super) fn doubt_mtu(&mut self, path: PathId, now: Time) {
        self.paths.mtu_mut(path).doubt(now);
        self.schedule_mtu_probe(path);
    }

    /// The next probe of a path's size is due, or the last one timed out. A failed path is probed only with the size
    /// that it carried; when it is back, the search restarts.
    pub(super) fn on_mtu_probe_due(&mut self, path: PathId, now: Time) {
        let state = self.paths.sample(path).state;
        let is_of_use = state.carries_data() || (state.has_failed() && self.paths.mtu(path).is_checking());
        if !is_of_use {
            return;
        }
        let pace = self.paths.probe_pace(path);
        if let Some(size) = self.paths.mtu_mut(path).take_due(now, pace) {
            let probe = Probe { nonce: self.random(), path };
            self.paths.mtu_mut(path).on_sent(probe.nonce, size);
            self.mtu_probes.push_back(MtuProbe { probe, size });
        }
        self.schedule_mtu_probe(path);
    }

    /// An answer to no HEARTBEAT of the path's health: perhaps to one that asked for its size.
    pub(super) fn on_mtu_answer(&mut self, path: PathId, nonce: u64, now: Time) {
        if self.paths.mtu_mut(path).on_answered(nonce, now) {
            self.on_mtu_changed(path, now);
        }
        self.schedule_mtu_probe(path);
    }

    /// The association ends: no size is searched any longer.
    pub(super) fn stop_mtu_probes(&mut self) {
        self.mtu_probes.clear();
        for path in self.paths.ids() {
            self.paths.mtu_mut(path).stop();
            self.timers.stop(Timer::MtuProbe(path));
        }
    }

    /// Appends the next probe to `buf`: a HEARTBEAT and what makes the packet as large as wanted (RFC 8899 §6.2). It
    /// goes alone, whatever the windows: its loss is neither a sign of congestion (§3 item 7) nor an error of the path.
    pub(super) fn transmit_mtu_probe(&mut self, buf: &mut Vec<u8>) -> Option<Transmit> {
        if self.mtu_probes.is_empty() {
            return None;
        }
        self.mtu_probes.retain(|waiting| !self.paths.is_removed(waiting.probe.path));
        let MtuProbe { probe, size } = self.mtu_probes.pop_front()?;
        let overhead = self.settings.config.overhead(self.paths.addresses(probe.path).ip_version());
        let limit = size.saturating_sub(overhead).as_len();
        let mut builder = PacketBuilder::new(buf, self.header(), limit);
        // What does not fit into the smallest size is left out; an empty packet is not sent.
        let _ = builder.push(&Heartbeat { info: probe.encode() });
        if let Some(pad) = Pad::filling(builder.remaining()) {
            let _ = builder.push(&pad);
        }
        let len = builder.finish(self.settings.config.checksum);
        if len == 0 {
            return None;
        }
        self.paths.counters_mut(probe.path).sent_packets += 1;
        Some(Transmit::single(probe.path, len))
    }

    /// The path's packets have another size now. What was not sent yet is cut to it. What is under way and too large has
    /// gone into a black hole: it is lost, and no sign of congestion.
    fn on_mtu_changed(&mut self, path: PathId, now: Time) {
        self.paths.show_mtu(path, &self.settings.config);
        self.events.push_back(Event::PathMtu(path, self.paths.sample(path).mtu));
        self.picked = None;
        self.send.refit(self.largest_payload());
        let limit = self.paths.sample(path).packet_limit;
        let in_flight = self.send.in_flight_on(path);
        let is_too_large = |tsn| self.send.packet_with(tsn) > limit;
        let too_large: Vec<Tsn> = in_flight.into_iter().filter(|&tsn| is_too_large(tsn)).collect();
        for &tsn in &too_large {
            self.mark_lost(tsn, path, LostBy::Timeout);
        }
        if self.paths.sample(path).flight.is_zero() {
            self.timers.stop(Timer::Retransmission(path));
        } else if !too_large.is_empty() {
            self.restart_retransmission_timer(path, now);
        }
    }

    fn schedule_mtu_probe(&mut self, path: PathId) {
        match self.paths.mtu(path).due() {
            Some(due) => self.timers.set(Timer::MtuProbe(path), due),
            None => self.timers.stop(Timer::MtuProbe(path)),
        }
    }
}
