//! Announces this end's address changes to the peer (RFC 5061 §5.1, §5.3): sends ASCONFs and handles their answers.

use std::net::{IpAddr, SocketAddr};

use anabranch_base::Time;

use super::PeerAddresses;
use super::reconfiguration::{AddressChange, AsconfOutcome};
use crate::association::ground::{Ground, Timer};
use crate::policy::PathId;
use crate::wire::{Asconf, AsconfAck, Cause};

/// An ASCONF-ACK for an ASCONF that was never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IllegalAck;

impl PeerAddresses {
    /// Notes a change of address, and reports it to the peer if possible.
    pub(crate) fn announce_change(&mut self, ground: &mut Ground, now: Time, change: AddressChange) {
        if let Some(state) = &mut self.reconfiguration {
            state.note(change);
        }
        self.request_changes(ground, now);
    }

    /// Sends an ASCONF with the queued changes, if none is outstanding and a path is available.
    pub(crate) fn request_changes(&mut self, ground: &mut Ground, now: Time) {
        let Some(path) = self.request_path(ground, None) else { return };
        let lookup = self.lookup_address(ground, path);
        let knows_another =
            ground.paths.living().any(|id| Some(id) != self.departed && self.is_announced(ground, id));
        let Some(state) = &mut self.reconfiguration else { return };
        if let Some(asconf) = state.request(path, lookup, knows_another) {
            send_asconf(ground, path, asconf, now);
        }
    }

    /// Handles an ASCONF-ACK. Returns the addresses that the peer refused; `None` if the answer is an old one.
    pub(crate) fn on_asconf_ack(
        &mut self,
        ground: &mut Ground,
        ack: &AsconfAck,
    ) -> Result<Option<Vec<SocketAddr>>, IllegalAck> {
        let Some(state) = &mut self.reconfiguration else { return Ok(None) };
        let changes = match state.on_answer(ack) {
            AsconfOutcome::Changes(changes) => changes,
            AsconfOutcome::Old => return Ok(None),
            AsconfOutcome::Illegal => return Err(IllegalAck),
        };
        ground.timers.stop(Timer::Reconfiguration);
        ground.paths.clear_errors_in_row();
        let refused = changes.into_iter().filter_map(|change| match change {
            // F10: "it must consider the add attempt failed and NOT use this address".
            (AddressChange::Add(address), false) => Some(address),
            _ => None,
        });
        Ok(Some(refused.collect()))
    }

    /// Handles an ERROR chunk, which may report that the peer does not support ASCONF (A9).
    pub(crate) fn on_error_report(&mut self, ground: &mut Ground, now: Time, causes: &[Cause]) {
        let names_asconf = |cause: &Cause| match cause {
            Cause::UnrecognizedChunkType(chunk) => chunk.first() == Some(&Asconf::KIND),
            _ => false,
        };
        if let Some(state) = self.reconfiguration.as_mut().filter(|_| causes.iter().any(names_asconf)) {
            state.refuse();
            ground.timers.stop(Timer::Reconfiguration);
            self.verify_paths(ground, now);
        }
    }

    /// The path of the outstanding ASCONF.
    pub(crate) fn requested_on(&self) -> Option<PathId> {
        self.reconfiguration.as_ref()?.requested_on()
    }

    /// Retransmits the ASCONF that was not answered on `requested_on`, on another path (B1 to B5).
    pub(crate) fn repeat_request(&mut self, ground: &mut Ground, requested_on: PathId, now: Time) {
        let path = self.request_path(ground, Some(requested_on)).unwrap_or(requested_on);
        let again = self.reconfiguration.as_mut().and_then(|state| state.repeat_request(path));
        if let Some(asconf) = again {
            send_asconf(ground, path, asconf, now);
        }
    }

    /// Stops sending ASCONFs, because the association is shutting down (C4).
    pub(crate) fn stop_requests(&mut self, ground: &mut Ground) {
        ground.timers.stop(Timer::Reconfiguration);
        if let Some(state) = &mut self.reconfiguration {
            state.refuse();
        }
    }

    /// Returns true if the peer knows the local address of path `id`, or need not know it.
    pub(super) fn is_announced(&self, ground: &Ground, id: PathId) -> bool {
        let local = ground.paths.addresses(id).local;
        self.reconfiguration.as_ref().is_none_or(|state| !state.is_unannounced(local))
    }

    /// The path for an ASCONF: the best path, or the next best one after `last`. Paths with a removed address are not
    /// used.
    fn request_path(&self, ground: &Ground, last: Option<PathId>) -> Option<PathId> {
        let mut paths: Vec<PathId> = ground.paths.living().filter(|&id| Some(id) != self.departed).collect();
        paths.sort_by_key(|&id| ground.paths.sample(id).state.rank());
        let next = last.and_then(|last| paths.iter().position(|&id| id == last)).map_or(0, |at| at + 1);
        paths.get(next).or(paths.first()).copied()
    }

    /// "The address MUST be considered part of the association by the peer endpoint" (§4.1.1): the address of `path`,
    /// or of another path, if necessary of a removed one (§5.3.2).
    fn lookup_address(&self, ground: &Ground, path: PathId) -> IpAddr {
        let ids = std::iter::once(path).chain(ground.paths.living()).chain(ground.paths.ids());
        let mut known =
            ids.filter(|&id| self.is_announced(ground, id)).map(|id| ground.paths.addresses(id).local.ip());
        known.next().unwrap_or(ground.paths.addresses(path).local.ip())
    }
}

fn send_asconf(ground: &mut Ground, path: PathId, asconf: Asconf, now: Time) {
    ground.outbox.withdraw(Asconf::KIND);
    // The ASCONF is sent on this path only, verified or not: "except on carrying an ASCONF Chunk" (F1).
    ground.outbox.push(path, true, asconf);
    ground.timers.set(Timer::Reconfiguration, now + ground.paths.sample(path).rto);
}
