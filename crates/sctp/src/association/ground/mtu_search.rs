//! Path MTU discovery: sends and schedules the probes of each path (RFC 8899 §6.2).

use anabranch_base::Time;

use super::Ground;
use super::outbox::Alone;
use super::probe::{MtuProbe, Probe};
use super::timers::Timer;
use crate::association::datagram::Transmit;
use crate::policy::PathId;
use crate::wire::{Heartbeat, PacketBuilder, Pad};

impl Ground {
    /// Starts the search for the MTU of a path that carries packets, for the first time or again.
    pub(crate) fn search_mtu(&mut self, path: PathId, now: Time) {
        self.paths.mtu_mut(path).on_connected(now);
        self.schedule_mtu_probe(path);
    }

    /// Checks the MTU again after losses on the path that may be due to packet size (RFC 8899 §4.3).
    pub(super) fn doubt_mtu(&mut self, path: PathId, now: Time) {
        self.paths.mtu_mut(path).doubt(now);
        self.schedule_mtu_probe(path);
    }

    /// Sends the next MTU probe, or handles the time-out of the last one. A failed path is probed only with the size
    /// that it carried; when the path works again, the search restarts.
    pub(crate) fn on_mtu_probe_due(&mut self, path: PathId, now: Time) {
        let state = self.paths.sample(path).state;
        let is_of_use = state.works() || (state.has_failed() && self.paths.mtu(path).is_checking());
        if !is_of_use {
            return;
        }
        let pace = self.paths.probe_pace(path);
        if let Some(size) = self.paths.mtu_mut(path).take_due(now, pace) {
            let probe = Probe { nonce: self.outbox.random(), path };
            self.paths.mtu_mut(path).on_sent(probe.nonce, size);
            self.outbox.push_alone(Alone::MtuProbe(MtuProbe { probe, size }));
        }
        self.schedule_mtu_probe(path);
    }

    /// Stops the searches on all paths.
    pub(super) fn stop_mtu_probes(&mut self) {
        self.outbox.clear_alone();
        for path in self.paths.ids() {
            self.paths.mtu_mut(path).stop();
            self.timers.stop(Timer::MtuProbe(path));
        }
    }

    /// Appends the next packet of its own to `buf`: an MTU probe, or a train of test packets.
    #[inline]
    pub(crate) fn transmit_alone(&mut self, buf: &mut Vec<u8>, max_segments: usize) -> Option<Transmit> {
        match self.outbox.take_alone(|path| !self.paths.is_removed(path))? {
            Alone::MtuProbe(probe) => self.transmit_mtu_probe(probe, buf),
            Alone::Test(test) => Some(self.transmit_tests(&test, buf, max_segments)),
        }
    }

    /// Appends an MTU probe to `buf`: a HEARTBEAT, and padding up to the wanted packet size (RFC 8899 §6.2). It is a
    /// packet of its own, independent of the windows: its loss is neither a sign of congestion (§3 item 7) nor an error
    /// of the path.
    fn transmit_mtu_probe(&mut self, waiting: MtuProbe, buf: &mut Vec<u8>) -> Option<Transmit> {
        let MtuProbe { probe, size } = waiting;
        let overhead = self.settings.config.overhead(self.paths.addresses(probe.path).ip_version());
        let limit = size.saturating_sub(overhead).as_len();
        let mut builder = PacketBuilder::new(buf, self.header(), limit);
        // A HEARTBEAT or PAD that does not fit is left out; an empty packet is not sent.
        let _ = builder.push(&Heartbeat { info: probe.encode(), role: self.paths.own_role(probe.path) });
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

    /// Sets the timer of the next probe on `path`.
    pub(crate) fn schedule_mtu_probe(&mut self, path: PathId) {
        match self.paths.mtu(path).due() {
            Some(due) => self.timers.set(Timer::MtuProbe(path), due),
            None => self.timers.stop(Timer::MtuProbe(path)),
        }
    }
}
