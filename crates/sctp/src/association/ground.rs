//! The state shared by an association's parts, which each of them may read and change. A part is one of the
//! [sender](super::sender), the [receiver](super::receiver) and the [peer's addresses](super::peer_addresses); no part
//! accesses another.

mod challenge;
mod control;
mod heartbeats;
mod log;
mod mtu_search;
mod outbox;
mod probe;
mod queued_test;
mod test_packets;
mod timers;

use std::sync::Arc;

use anabranch_base::{Ecn, Seed, Time};

pub(super) use log::Log;
pub(super) use outbox::Outbox;
pub(super) use probe::ProbeAnswer;
pub(super) use timers::{Timer, Timers};

use super::agreement::{Agreement, Settings};
use crate::config::EcnUse;
use crate::event::Event;
use crate::path::{HealthChange, PacketChunks, PathTable};
use crate::policy::PathId;
use crate::policy::congestion::CutCause;
use crate::record::Happening;
use crate::wire::CommonHeader;

/// The state that the parts of an open association share.
#[derive(Debug)]
pub(super) struct Ground {
    /// The settings of the endpoint.
    pub settings: Arc<Settings>,
    /// The result of the handshake.
    pub agreement: Agreement,
    /// The state of each path.
    pub paths: PathTable,
    /// The timers.
    pub timers: Timers,
    /// The queued control chunks.
    pub outbox: Outbox,
    /// Events for the application and records for observers.
    pub log: Log,
}

/// Too many consecutive errors: the peer does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PeerGone {
    /// The number of errors.
    pub errors: u32,
}

impl Ground {
    /// The shared state of a new association. Nonces and jitter are drawn from children of `seed`.
    pub(super) fn new(
        settings: Arc<Settings>,
        agreement: Agreement,
        paths: PathTable,
        seed: &Seed,
    ) -> Ground {
        let (timers, outbox, log) = (Timers::default(), Outbox::new(seed), Log::default());
        Ground { settings, agreement, paths, timers, outbox, log }
    }

    /// Records the window of path `id`, which was cut or changed otherwise.
    #[inline]
    pub(crate) fn record_window(&mut self, at: Time, id: PathId, cut: Option<CutCause>) {
        if self.log.is_recording() {
            let sample = self.paths.sample(id);
            let (cwnd, ssthresh) = (sample.cwnd, sample.ssthresh);
            self.log.record(at, id, Happening::Window { cwnd, ssthresh, cut });
        }
    }

    /// The use of ECN on which both ends agreed.
    pub(super) fn ecn(&self) -> EcnUse {
        if self.agreement.ecn { self.settings.config.ecn } else { EcnUse::Off }
    }

    /// The ECN codepoint of a packet with these chunks on `path`.
    #[inline]
    pub(super) fn codepoint(&mut self, path: PathId, chunks: PacketChunks, is_new: bool) -> Ecn {
        let is_off = self.ecn() == EcnUse::Off;
        if is_off || !is_new && !self.settings.config.ect_retransmissions {
            return Ecn::NotEct;
        }
        let is_tested = self.settings.config.ecn_test;
        self.paths.trial_mut(path).codepoint(chunks, is_new, is_tested)
    }

    /// Counts an error against path `id`, and against the association if it `is_serious`. `Err` if the limit is
    /// exceeded.
    pub(crate) fn count_error(&mut self, id: PathId, is_serious: bool, now: Time) -> Result<(), PeerGone> {
        let failover = self.settings.config.failover;
        let change = self.paths.on_error(id, &failover);
        self.announce(id, change, now);
        match self.paths.count_errors_in_row(is_serious) {
            errors if errors > failover.association_max => Err(PeerGone { errors }),
            _ => Ok(()),
        }
    }

    /// Reports a path's change to the application, and starts or checks the search for the path's MTU.
    pub(crate) fn announce(&mut self, id: PathId, change: Option<HealthChange>, now: Time) {
        let event = match change {
            None => return,
            Some(HealthChange::Confirmed) => Event::PathConfirmed(id),
            Some(HealthChange::Suspected) => Event::PathSuspected(id),
            Some(HealthChange::Down) => Event::PathDown(id),
            Some(HealthChange::Up) => Event::PathUp(id),
        };
        self.log.event(event);
        match change {
            Some(HealthChange::Confirmed | HealthChange::Up) => self.search_mtu(id, now),
            Some(HealthChange::Suspected) => self.doubt_mtu(id, now),
            Some(HealthChange::Down) | None => {}
        }
    }

    /// Restarts the T3-rtx timer of path `id`.
    #[inline]
    pub(crate) fn restart_retransmission_timer(&mut self, id: PathId, now: Time) {
        let wait = self.paths.take_timer(id);
        self.timers.set(Timer::Retransmission(id), now + wait);
    }

    /// The header of packets to the peer.
    #[inline]
    pub(super) fn header(&self) -> CommonHeader {
        CommonHeader {
            source_port: self.agreement.local_port,
            destination_port: self.agreement.peer_port,
            verification_tag: self.agreement.peer_tag,
        }
    }
}
