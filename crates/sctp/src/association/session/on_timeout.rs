//! How each timer is handled (RFC 9260 §6.3.3, §8).

use anabranch_base::Time;

use super::session::{PeerGone, Session};
use super::timers::Timer;
use crate::policy::PathId;
use crate::policy::response::Signal;
use crate::policy::retransmission::LostBy;
use crate::record::Happening;
use crate::seq::Tsn;

impl Session {
    /// A timer of the open association expired. The association handles the timers of a shutdown.
    pub(super) fn on_timer(&mut self, timer: Timer, now: Time) -> Result<(), PeerGone> {
        match timer {
            Timer::Sack => self.on_sack_delay_over(),
            Timer::WindowProbe => self.peer_window.may_probe = true,
            Timer::Verification => self.verify_paths(now),
            Timer::Reconfiguration => return self.on_asconf_unanswered(now),
            Timer::Retransmission(path) => return self.on_retransmission_timeout(path, now),
            Timer::Heartbeat(path) => self.on_heartbeat_due(path, now),
            Timer::HeartbeatAnswer(path) => return self.on_heartbeat_unanswered(path, now),
            Timer::MtuProbe(path) => self.on_mtu_probe_due(path, now),
            Timer::Overtaken(_) => self.on_overtaken_due(now),
            Timer::TailProbe(path) => self.on_tail_probe_due(path),
            // These only start sending.
            Timer::Pacing(_)
            | Timer::Resend(_)
            | Timer::Handshake
            | Timer::Shutdown
            | Timer::ShutdownGuard => {}
        }
        Ok(())
    }

    fn on_sack_delay_over(&mut self) {
        let is_new = !std::mem::replace(&mut self.is_sack_due, true);
        self.paths.sacks_mut().sent_by_timer += u64::from(is_new);
    }

    /// T3-rtx expired on `path` (RFC 9260 §6.3.3, §7.2.3; M-SCTP-9).
    fn on_retransmission_timeout(&mut self, path: PathId, now: Time) -> Result<(), PeerGone> {
        let lost = self.send.in_flight_on(path);
        if lost.is_empty() {
            return Ok(());
        }
        let is_probe = self.peer_window.probe.is_some_and(|probe| lost == [probe]);
        let again = self.paths.has_timed_out(path);
        self.paths.on_timeout(path);
        self.paths.trial_mut(path).on_timeout(now);
        let is_heard = self.paths.is_heard(path);
        let signal = match is_probe && is_heard && self.peer_window.has_answered {
            true => Signal::WindowProbeUnanswered,
            false => Signal::Timeout { again },
        };
        let is_refused = self.is_refused(lost[0]);
        if !is_refused {
            self.doubt_mtu_after(&lost, path, now);
        }
        self.peer_window.has_answered = false;
        let response = self.respond(signal, path, now);
        if response.counts_rto {
            self.paths.count_timeout(path);
        }
        if response.is_error && self.settings.config.failover.quick {
            self.paths.doubt_before(path, now);
        }
        if response.cut.is_some() {
            self.paths.silence_mut(path).take_debt();
            let sample = self.paths.sample(path);
            if sample.cwnd <= sample.unit {
                self.paths.try_one_packet(path);
            }
        }
        let resend = response.resend.count(lost.len());
        for &tsn in lost.iter().take(resend) {
            match response.cut {
                Some(_) => self.lose(tsn, path, LostBy::Timeout, now),
                None => _ = self.mark_lost(tsn, path, LostBy::Timeout),
            }
        }
        if resend >= lost.len() {
            self.paths.on_all_lost(path);
        } else {
            self.restart_retransmission_timer(path, now);
        }
        self.policies.detection.on_timeout(path);
        self.paths.change_after_loss(path, |state| state.tail_probe = None);
        self.record(now, path, Happening::Timeout);
        match (response.is_error, is_refused) {
            (true, false) => self.count_path_error(path, true, now),
            // The peer is alive, and answers on another path: a chunk that it has no room for may wait for the chunk
            // that is lost on this path.
            (true, true) if !is_heard => self.count_path_error(path, false, now),
            (true, true) | (false, _) => Ok(()),
        }
    }

    /// Whether the peer is alive and has no room for a chunk. Such a chunk acts as a window probe even if it was not
    /// sent as one: it was sent again beside newer data that took its room, or the window shrank. RFC 9260 §6.1 A:
    /// probes that only SACKs answer do not count as errors, "because the receiver MAY keep its window closed for an
    /// indefinite time".
    pub(super) fn is_refused(&self, tsn: Tsn) -> bool {
        self.peer_window.has_answered && self.send.rwnd_weight(tsn) > self.peer_window.advertised
    }
}
