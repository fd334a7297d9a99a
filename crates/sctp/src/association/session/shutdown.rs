//! Closes an association gracefully (RFC 9260 §9.2).

use anabranch_base::{Duration, Time};

use super::Session;
use crate::association::ground::{PeerGone, Timer};
use crate::seq::Tsn;
use crate::wire::{Shutdown, ShutdownAck};

/// The stage of the shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShutdownState {
    /// SHUTDOWN-PENDING: the application closes, our data is in flight.
    Pending,
    /// SHUTDOWN-SENT: SHUTDOWN was sent; the peer may still have data in flight.
    Sent,
    /// SHUTDOWN-RECEIVED: the peer closes, our data is in flight.
    Received {
        /// The cumulative TSN ack point when the guard timer started.
        acked: Tsn,
    },
    /// SHUTDOWN-ACK-SENT: both ends have sent everything; SHUTDOWN-COMPLETE is missing.
    AckSent,
}

impl ShutdownState {
    /// Returns true if DATA that arrives is still accepted (RFC 9260 §6).
    pub(crate) fn takes_data(self) -> bool {
        matches!(self, ShutdownState::Pending | ShutdownState::Sent)
    }
}

impl Session {
    /// Advances the shutdown: when nothing is left to send, it enters the next stage.
    pub(crate) fn advance_shutdown(&mut self, stage: ShutdownState, now: Time) -> ShutdownState {
        if !self.sender.is_empty() || self.awaits_association_reset() {
            return stage;
        }
        match stage {
            ShutdownState::Pending => {
                self.send_shutdown(now);
                self.ground.timers.start(Timer::ShutdownGuard, now + self.guard_time());
                ShutdownState::Sent
            }
            ShutdownState::Received { .. } => {
                self.ground.timers.stop(Timer::ShutdownGuard);
                self.send_shutdown_ack(now);
                ShutdownState::AckSent
            }
            ShutdownState::Sent | ShutdownState::AckSent => stage,
        }
    }

    /// Handles a SHUTDOWN that arrived while our data is in flight. The guard timer runs here too: a forged SHUTDOWN
    /// can acknowledge data that never arrived, and then neither end would retransmit anything.
    pub(crate) fn on_shutdown_received(&mut self, now: Time) -> ShutdownState {
        self.refuse_association_reset(now);
        self.ground.timers.set(Timer::ShutdownGuard, now + self.guard_time());
        ShutdownState::Received { acked: self.sender.ack_point() }
    }

    /// Handles the expiry of T5-shutdown-guard: returns the next stage of the shutdown, or `None` if it took too long.
    /// While our data is in flight, the timer starts again after each acknowledgement.
    pub(crate) fn on_guard_expired(&mut self, stage: ShutdownState, now: Time) -> Option<ShutdownState> {
        match stage {
            ShutdownState::Received { acked } if acked != self.sender.ack_point() => {
                Some(self.on_shutdown_received(now))
            }
            _ => None,
        }
    }

    /// Handles the expiry of T2-shutdown: sends the same chunk again, on another path if possible.
    pub(crate) fn on_shutdown_timeout(&mut self, stage: ShutdownState, now: Time) -> Result<(), PeerGone> {
        let path = self.ground.paths.usable(self.ground.paths.primary());
        self.ground.paths.back_off(path);
        self.ground.count_error(path, true, now)?;
        match stage {
            ShutdownState::Sent => self.send_shutdown(now),
            ShutdownState::AckSent => self.send_shutdown_ack(now),
            ShutdownState::Pending | ShutdownState::Received { .. } => {}
        }
        Ok(())
    }

    /// Sends SHUTDOWN, which ends our data and acknowledges the peer's.
    pub(super) fn send_shutdown(&mut self, now: Time) {
        let chunk = Shutdown { cumulative_tsn_ack: self.receiver.cumulative() };
        self.stop_heartbeats();
        self.ground.post(self.ground.paths.primary(), chunk);
        self.ground.timers.set(Timer::Shutdown, now + self.shutdown_wait());
    }

    /// Sends SHUTDOWN-ACK, which ends our data in answer to a SHUTDOWN.
    pub(crate) fn send_shutdown_ack(&mut self, now: Time) {
        self.stop_heartbeats();
        self.ground.post(self.ground.paths.primary(), ShutdownAck);
        self.ground.timers.set(Timer::Shutdown, now + self.shutdown_wait());
    }

    /// Stops HEARTBEATs, ASCONFs and RE-CONFIGs. RFC 9260 §8.3: sending HEARTBEATs "is discontinued after sending either a SHUTDOWN
    /// chunk or SHUTDOWN ACK chunk".
    fn stop_heartbeats(&mut self) {
        self.peer.stop_requests(&mut self.ground);
        self.stop_reconfiguring();
        self.ground.stop_heartbeats();
    }

    /// RFC 9260 §9.2: T5-shutdown-guard, "5 times RTO.Max".
    fn guard_time(&self) -> Duration {
        self.ground.settings.config.rto.max * 5
    }

    fn shutdown_wait(&self) -> Duration {
        self.ground.paths.sample(self.ground.paths.usable(self.ground.paths.primary())).rto
    }
}
