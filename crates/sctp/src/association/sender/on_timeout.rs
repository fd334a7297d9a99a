//! Handles the expiry of T3-rtx (RFC 9260 §6.3.3, §7.2.3; M-SCTP-9).

use anabranch_base::Time;

use super::Sender;
use crate::association::ground::Ground;
use crate::path::LossState;
use crate::policy::PathId;
use crate::policy::response::Signal;
use crate::policy::retransmission::LostBy;
use crate::record::Happening;
use crate::seq::Tsn;

/// An error that counts against a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathError {
    /// True if it counts against the association too.
    pub(crate) is_serious: bool,
}

impl Sender {
    /// Handles the expiry of T3-rtx on `path` (RFC 9260 §6.3.3, §7.2.3; M-SCTP-9). Returns the error to count.
    pub(crate) fn on_retransmission_timeout(
        &mut self,
        ground: &mut Ground,
        path: PathId,
        now: Time,
    ) -> Option<PathError> {
        let lost = self.buffer.in_flight_on(path);
        if lost.is_empty() {
            return None;
        }
        let is_probe = self.peer_window.probe().is_some_and(|probe| lost == [probe]);
        let again = ground.paths.has_timed_out(path);
        ground.paths.on_timeout(path);
        ground.paths.trial_mut(path).on_timeout(now);
        let has_arrival_since_data = ground.paths.has_arrival_since_data(path);
        let signal = if is_probe && has_arrival_since_data && self.peer_window.has_answered() {
            Signal::WindowProbeUnanswered
        } else {
            Signal::Timeout { again }
        };
        let is_refused = self.is_refused(lost[0]);
        if !is_refused {
            self.doubt_mtu_after(ground, &lost, path, now);
        }
        self.peer_window.on_timeout();
        let response = self.respond(ground, signal, path, now);
        if response.counts_rto {
            ground.paths.count_timeout(path);
        }
        if response.is_error && ground.settings.config.failover.quick {
            ground.paths.doubt_before(path, now);
        }
        if response.cut.is_some() {
            ground.paths.silence_mut(path).take_pending_cut();
            let sample = ground.paths.sample(path);
            if sample.cwnd <= sample.unit {
                ground.paths.limit_to_one_packet(path);
            }
        }
        let resend = response.resend.count(lost.len());
        for &tsn in lost.iter().take(resend) {
            match response.cut {
                Some(_) => self.lose(ground, tsn, path, LostBy::Timeout, now),
                None => _ = self.mark_lost(ground, tsn, path, LostBy::Timeout),
            }
        }
        if resend >= lost.len() {
            ground.paths.on_all_lost(path);
        } else {
            ground.restart_retransmission_timer(path, now);
        }
        self.rules.detection.on_timeout(path);
        ground.paths.change_after_loss(path, LossState::end_tail_probe);
        ground.log.record(now, path, Happening::Timeout);
        // If the chunk is refused and the peer answers on another path, this is not an error: the refused chunk may
        // wait for one that is lost on this path.
        let counts = response.is_error && !(is_refused && has_arrival_since_data);
        counts.then_some(PathError { is_serious: !is_refused })
    }

    /// Returns true if the peer is alive and has no room for a chunk. Such a chunk acts as a window probe even if it
    /// was not sent as one: it was sent again beside newer data that took its room, or the window shrank. RFC 9260 §6.1
    /// A: probes that SACKs answer without acknowledging them do not count as errors, "because the receiver MAY keep
    /// its window closed for an indefinite time".
    pub(super) fn is_refused(&self, tsn: Tsn) -> bool {
        self.peer_window.refuses(self.buffer.rwnd_weight(tsn))
    }
}
