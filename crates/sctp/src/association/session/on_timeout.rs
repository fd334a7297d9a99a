//! Handles the timers (RFC 9260 §6.3.3, §8).

use anabranch_base::Time;

use super::Session;
use crate::association::ground::{PeerGone, Timer};
use crate::policy::PathId;

impl Session {
    /// Handles the expiry of a timer of the open association. The association handles the timers of a shutdown.
    pub(crate) fn on_timer(&mut self, timer: Timer, now: Time) -> Result<(), PeerGone> {
        match timer {
            Timer::Sack => self.receiver.on_sack_delay_over(&mut self.ground),
            Timer::WindowProbe => self.sender.allow_window_probe(),
            Timer::Verification => self.peer.verify_paths(&mut self.ground, now),
            Timer::Reconfiguration => return self.on_asconf_unanswered(now),
            Timer::Retransmission(path) => {
                return match self.sender.on_retransmission_timeout(&mut self.ground, path, now) {
                    Some(error) => self.count_path_error(path, error.is_serious, now),
                    None => Ok(()),
                };
            }
            Timer::Heartbeat(path) => self.ground.on_heartbeat_due(path, now),
            Timer::HeartbeatAnswer(path) => return self.on_heartbeat_unanswered(path, now),
            Timer::MtuProbe(path) => self.ground.on_mtu_probe_due(path, now),
            Timer::Overtaken(_) => self.sender.on_overtaken_due(&mut self.ground, now),
            Timer::TailProbe(path) => self.sender.on_tail_probe_due(&mut self.ground, path),
            Timer::Request => return self.on_request_unanswered(now),
            Timer::GivingUp => return self.on_giving_up_due(now),
            // These only start sending.
            Timer::Pacing(_) | Timer::Resend(_) | Timer::Shutdown | Timer::ShutdownGuard => {}
        }
        Ok(())
    }

    /// Handles the expiry of a message, which is given up before more is sent, or a FORWARD-TSN that was not acknowledged:
    /// counts an error of the path and of the association, and sends it again on another path.
    fn on_giving_up_due(&mut self, now: Time) -> Result<(), PeerGone> {
        let Some(forwarded_on) = self.sender.unanswered_forward(now) else { return Ok(()) };
        self.count_path_error(forwarded_on, true, now)?;
        self.sender.repeat_forward(&mut self.ground, forwarded_on, now);
        Ok(())
    }

    /// Handles the expiry of T4-rto (RFC 5061 B1 to B5): counts an error of the path and of the association, and sends
    /// the ASCONF again on another path.
    fn on_asconf_unanswered(&mut self, now: Time) -> Result<(), PeerGone> {
        let Some(requested_on) = self.peer.requested_on() else { return Ok(()) };
        self.ground.paths.back_off(requested_on);
        self.count_path_error(requested_on, true, now)?;
        self.peer.repeat_request(&mut self.ground, requested_on, now);
        Ok(())
    }

    /// Counts an error against a path, and against the association if it `is_serious`, and probes the path if it fails.
    pub(super) fn count_path_error(
        &mut self,
        path: PathId,
        is_serious: bool,
        now: Time,
    ) -> Result<(), PeerGone> {
        let before = self.ground.paths.sample(path).state;
        self.ground.count_error(path, is_serious, now)?;
        if self.ground.paths.sample(path).state != before {
            self.ground.probe_failed(path, now);
            self.try_other_pairs(path, now);
        }
        Ok(())
    }
}
