//! Handles the largest packet of each path: probes it (RFC 8899 §6.2), and handles chunks that were made for larger
//! packets (RFC 9260 §6.9).

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
    /// The operating system reports that no packet larger than `largest` can leave on `path` now: the MTU of its
    /// interface shrank, or the packet was a probe above it. Returns whether the report is used: it is if the path's
    /// size is searched for.
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
    /// The path carries packets, for the first time or again: starts the search for its MTU.
    pub(super) fn search_mtu(&mut self, path: PathId, now: Time) {
        self.paths.mtu_mut(path).on_connected(now);
        self.schedule_mtu_probe(path);
    }

    /// The chunks `lost` timed out on the path, perhaps because of their size.
    pub(super) fn doubt_mtu_after(&mut self, lost: &[Tsn], path: PathId, now: Time) {
        let limit = self.paths.sample(path).packet_limit;
        let fits = |&tsn: &Tsn| self.send.packet_with(tsn) <= limit;
        let mtu = self.paths.mtu_mut(path);
        if lost.iter().any(fits) {
            mtu.on_timeout(now);
        } else {
            mtu.excuse();
        }
        self.schedule_mtu_probe(path);
    }

    /// Packets were lost on the path, perhaps because of their size (RFC 8899 §4.3).
    pub(super) fn doubt_mtu(&mut self, path: PathId, now: Time) {
        self.paths.mtu_mut(path).doubt(now);
        self.schedule_mtu_probe(path);
    }

    /// The next probe of a path's size is due, or the last one timed out. A failed path is probed only with the size
    /// that it carried; when the path works again, the search restarts.
    pub(super) fn on_mtu_probe_due(&mut self, path: PathId, now: Time) {
        let state = self.paths.sample(path).state;
        let is_of_use = state.works() || (state.has_failed() && self.paths.mtu(path).is_checking());
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

    /// A HEARTBEAT-ACK that does not answer a HEARTBEAT for the path's health: it may answer a probe of the path's
    /// size.
    pub(super) fn on_mtu_answer(&mut self, path: PathId, nonce: u64, now: Time) {
        let before = self.paths.mtu(path).current();
        if self.paths.mtu_mut(path).on_answered(nonce, now) {
            self.on_mtu_changed(path, now);
            if self.paths.mtu(path).current() < before {
                self.events.push_back(Event::PathNarrowed(path, before));
            }
        }
        self.schedule_mtu_probe(path);
    }

    /// The association ends: stops all searches.
    pub(super) fn stop_mtu_probes(&mut self) {
        self.mtu_probes.clear();
        for path in self.paths.ids() {
            self.paths.mtu_mut(path).stop();
            self.timers.stop(Timer::MtuProbe(path));
        }
    }

    /// Appends the next probe to `buf`: a HEARTBEAT, and padding up to the wanted packet size (RFC 8899 §6.2). It
    /// leaves alone, independent of the windows: its loss is neither a sign of congestion (§3 item 7) nor an error of
    /// the path.
    pub(super) fn transmit_mtu_probe(&mut self, buf: &mut Vec<u8>) -> Option<Transmit> {
        if self.mtu_probes.is_empty() {
            return None;
        }
        self.mtu_probes.retain(|waiting| !self.paths.is_removed(waiting.probe.path));
        let MtuProbe { probe, size } = self.mtu_probes.pop_front()?;
        let overhead = self.settings.config.overhead(self.paths.addresses(probe.path).ip_version());
        let limit = size.saturating_sub(overhead).as_len();
        let mut builder = PacketBuilder::new(buf, self.header(), limit);
        // A HEARTBEAT or PAD that does not fit is left out; an empty packet is not sent.
        let _ = builder
            .push(&Heartbeat { info: probe.encode(), is_backup: self.paths.is_own_backup(probe.path) });
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

    /// The path's packets have another size now. Chunks that were not sent yet are cut to it. Chunks in flight that
    /// are too large were lost in a black hole; this is not a sign of congestion.
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
            _ = self.mark_lost(tsn, path, LostBy::Timeout);
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
