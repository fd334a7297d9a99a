//! Tells the peer about this end's addresses (RFC 5061 §5.1, §5.3): when an ASCONF leaves, on which path, and what
//! follows from its answer.

use std::net::IpAddr;

use anabranch_base::Time;

use super::outbox::Control;
use super::reconfiguration::{AddressChange, AsconfOutcome};
use super::session::{PeerGone, Session};
use super::timers::Timer;
use crate::policy::{PathId, PathState};
use crate::wire::{Asconf, AsconfAck, Cause};

/// An ASCONF-ACK for an ASCONF that was never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalAck;

impl Session {
    /// Notes a change of address, and reports it to the peer if possible.
    pub(super) fn announce_change(&mut self, now: Time, change: AddressChange) {
        if let Some(state) = &mut self.reconfiguration {
            state.note(change);
        }
        self.ask_for_changes(now);
    }

    /// Sends an ASCONF with the changes that wait, if none is under way and there is a path.
    pub(super) fn ask_for_changes(&mut self, now: Time) {
        let Some(path) = self.asking_path(None) else { return };
        let lookup = self.lookup_address(path);
        let knows_another = self.paths.living().any(|id| Some(id) != self.departed && self.is_announced(id));
        let Some(state) = &mut self.reconfiguration else { return };
        if let Some(asconf) = state.ask(path, lookup, knows_another) {
            self.send_asconf(path, asconf, now);
        }
    }

    /// The peer answered an ASCONF.
    pub(super) fn on_asconf_ack(&mut self, now: Time, ack: &AsconfAck) -> Result<(), IllegalAck> {
        let Some(state) = &mut self.reconfiguration else { return Ok(()) };
        let changes = match state.on_answer(ack) {
            AsconfOutcome::Changes(changes) => changes,
            AsconfOutcome::Old => return Ok(()),
            AsconfOutcome::Illegal => return Err(IllegalAck),
        };
        self.timers.stop(Timer::Reconfiguration);
        self.errors = 0;
        for (change, is_done) in changes {
            if let (AddressChange::Add(address), false) = (change, is_done) {
                // F10: "it must consider the add attempt failed and NOT use this address".
                self.release_local(address);
            }
        }
        self.verify_paths(now);
        self.ask_for_changes(now);
        Ok(())
    }

    /// The peer reports errors. One of them may say that it does not support ASCONF (A9).
    pub(super) fn on_error_report(&mut self, now: Time, causes: &[Cause]) {
        let names_asconf = |cause: &Cause| match cause {
            Cause::UnrecognizedChunkType(chunk) => chunk.first() == Some(&Asconf::KIND),
            _ => false,
        };
        if let Some(state) = self.reconfiguration.as_mut().filter(|_| causes.iter().any(names_asconf)) {
            state.refuse();
            self.timers.stop(Timer::Reconfiguration);
            self.verify_paths(now);
        }
    }

    /// T4-rto expired (B1 to B5): counts an error of the path and of the association, and sends the ASCONF again on
    /// another path.
    pub(super) fn on_asconf_unanswered(&mut self, now: Time) -> Result<(), PeerGone> {
        let Some(state) = &self.reconfiguration else { return Ok(()) };
        let Some(asked_on) = state.asked_on() else { return Ok(()) };
        self.paths.back_off(asked_on);
        self.count_path_error(asked_on, true, now)?;
        let path = self.asking_path(Some(asked_on)).unwrap_or(asked_on);
        let again = self.reconfiguration.as_mut().and_then(|state| state.ask_again(path));
        if let Some(asconf) = again {
            self.send_asconf(path, asconf, now);
        }
        Ok(())
    }

    /// Sends no ASCONF any more: the association is shutting down (C4).
    pub(super) fn stop_asking(&mut self) {
        self.timers.stop(Timer::Reconfiguration);
        if let Some(state) = &mut self.reconfiguration {
            state.refuse();
        }
    }

    /// Whether the peer knows the local address of path `id`, or need not know it.
    pub(super) fn is_announced(&self, id: PathId) -> bool {
        let local = self.paths.addresses(id).local;
        self.reconfiguration.as_ref().is_none_or(|state| !state.is_unannounced(local))
    }

    fn send_asconf(&mut self, path: PathId, asconf: Asconf, now: Time) {
        self.outbox.retain(|control| control.chunk.kind() != Asconf::KIND);
        // The ASCONF leaves on this path only, verified or not: "except on carrying an ASCONF Chunk" (F1).
        self.outbox.push_back(Control { path, is_probe: true, chunk: Box::new(asconf) });
        self.timers.set(Timer::Reconfiguration, now + self.paths.sample(path).rto);
    }

    /// The path for an ASCONF: the best path, or the next best one after `last`. A path whose address is lost is not
    /// used.
    fn asking_path(&self, last: Option<PathId>) -> Option<PathId> {
        let mut paths: Vec<PathId> = self.paths.living().filter(|&id| Some(id) != self.departed).collect();
        paths.sort_by_key(|&id| match self.paths.sample(id).state {
            PathState::Active => 0,
            PathState::Standby => 1,
            PathState::PotentiallyFailed => 2,
            PathState::Inactive => 3,
            PathState::Unconfirmed | PathState::Removed => 4,
        });
        let next = last.and_then(|last| paths.iter().position(|&id| id == last)).map_or(0, |at| at + 1);
        paths.get(next).or(paths.first()).copied()
    }

    /// "The address MUST be considered part of the association by the peer endpoint" (§4.1.1): the address of `path`,
    /// or of another path, if necessary of a removed one (§5.3.2).
    fn lookup_address(&self, path: PathId) -> IpAddr {
        let ids = std::iter::once(path).chain(self.paths.living()).chain(self.paths.ids());
        let mut known = ids.filter(|&id| self.is_announced(id)).map(|id| self.paths.addresses(id).local.ip());
        known.next().unwrap_or(self.paths.addresses(path).local.ip())
    }
}
