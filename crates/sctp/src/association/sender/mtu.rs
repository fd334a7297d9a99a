//! Handles changes of a path's MTU: fragments unsent data anew, and marks chunks in flight that are too large as lost
//! (RFC 9260 §6.9).

use anabranch_base::{ByteCount, Time};

use super::Sender;
use super::cutting::largest_payload;
use crate::association::ground::{Ground, Timer};
use crate::event::Event;
use crate::policy::PathId;
use crate::policy::retransmission::LostBy;
use crate::seq::Tsn;

impl Sender {
    /// Handles a report of the operating system that it sends no packet larger than `largest` on `path`.
    pub(crate) fn on_too_large(&mut self, ground: &mut Ground, path: PathId, largest: ByteCount, now: Time) {
        if ground.paths.mtu_mut(path).on_too_large(largest, now) {
            self.on_mtu_changed(ground, path, now);
        }
        ground.schedule_mtu_probe(path);
    }

    /// Checks the path's MTU again after the chunks `lost` timed out, perhaps because of their size.
    pub(super) fn doubt_mtu_after(&self, ground: &mut Ground, lost: &[Tsn], path: PathId, now: Time) {
        let limit = ground.paths.sample(path).packet_limit;
        let fits = |&tsn: &Tsn| self.buffer.packet_with(tsn) <= limit;
        let mtu = ground.paths.mtu_mut(path);
        if lost.iter().any(fits) {
            mtu.on_timeout(now);
        } else {
            mtu.excuse();
        }
        ground.schedule_mtu_probe(path);
    }

    /// Handles a HEARTBEAT-ACK that does not answer a HEARTBEAT for the path's health: it may answer an MTU probe.
    pub(crate) fn on_mtu_answer(&mut self, ground: &mut Ground, path: PathId, nonce: u64, now: Time) {
        let before = ground.paths.mtu(path).current();
        if ground.paths.mtu_mut(path).on_answered(nonce, now) {
            self.on_mtu_changed(ground, path, now);
            if ground.paths.mtu(path).current() < before {
                ground.log.event(Event::PathNarrowed(path, before));
            }
        }
        ground.schedule_mtu_probe(path);
    }

    /// Applies the path's new MTU. Unsent chunks are fragmented to it. Chunks in flight that are too large were lost in
    /// a black hole; this is not a sign of congestion.
    fn on_mtu_changed(&mut self, ground: &mut Ground, path: PathId, now: Time) {
        ground.paths.show_mtu(path, &ground.settings.config);
        ground.log.event(Event::PathMtu(path, ground.paths.sample(path).mtu));
        self.picked = None;
        self.buffer.refit(largest_payload(ground));
        let limit = ground.paths.sample(path).packet_limit;
        let in_flight = self.buffer.in_flight_on(path);
        let is_too_large = |tsn| self.buffer.packet_with(tsn) > limit;
        let too_large: Vec<Tsn> = in_flight.into_iter().filter(|&tsn| is_too_large(tsn)).collect();
        for &tsn in &too_large {
            _ = self.mark_lost(ground, tsn, path, LostBy::Timeout);
        }
        if ground.paths.sample(path).flight.is_zero() {
            ground.timers.stop(Timer::Retransmission(path));
        } else if !too_large.is_empty() {
            ground.restart_retransmission_timer(path, now);
        }
    }
}
