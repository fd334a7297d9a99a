//! The number of packets one event may send on a path (RFC 9260 §6.1 D; M-SCTP-10).

use crate::config::{BurstRule, MaxBurst};

/// The allowance of one path.
#[derive(Clone, Copy, Debug)]
pub(super) struct BurstAllowance {
    left: u32,
}

impl BurstAllowance {
    /// Before the first event no packet may leave.
    pub(super) fn new() -> BurstAllowance {
        BurstAllowance { left: 0 }
    }

    /// An event happened. Allowances of events that are handled before anything is sent add up: a driver that passes
    /// in a batch of packets and then sends gets the same as a driver that sends after each packet.
    pub(super) fn on_event(&mut self, limit: MaxBurst) {
        let allowance = match limit.rule {
            BurstRule::AfterRetransmission | BurstRule::Paced => u32::MAX,
            BurstRule::Event | BurstRule::Rfc => limit.packets,
        };
        self.left = self.left.saturating_add(allowance);
    }

    /// The event acknowledged a retransmitted chunk.
    pub(crate) fn on_acked_retransmission(&mut self, limit: MaxBurst) {
        if limit.rule == BurstRule::AfterRetransmission {
            self.left = limit.packets;
        }
    }

    /// The event allows `packets` more, whatever the limit is.
    pub(crate) fn widen(&mut self, packets: u32) {
        self.left = self.left.saturating_add(packets);
    }

    /// A packet with data left.
    pub(crate) fn take_one(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Nothing more is to be sent: the rest of the allowance ends with the event.
    pub(super) fn end(&mut self) {
        self.left = 0;
    }

    /// Returns true if the allowance is used up.
    pub(super) fn is_used_up(self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_adds_up_over_events_and_ends_with_the_sending() {
        let limit = MaxBurst { packets: 4, rule: BurstRule::Event };
        let mut burst = BurstAllowance::new();
        burst.on_event(limit);
        burst.on_event(limit);
        (0..7).for_each(|_| burst.take_one());
        assert!(!burst.is_used_up());
        burst.take_one();
        assert!(burst.is_used_up());
        burst.on_event(limit);
        burst.end();
        assert!(burst.is_used_up());
    }

    #[test]
    fn after_retransmission_only_events_that_ack_one_are_bounded() {
        let limit = MaxBurst { packets: 4, rule: BurstRule::AfterRetransmission };
        let mut burst = BurstAllowance::new();
        burst.on_event(limit);
        burst.on_acked_retransmission(limit);
        (0..4).for_each(|_| burst.take_one());
        assert!(burst.is_used_up());
        burst.on_event(limit);
        (0..100).for_each(|_| burst.take_one());
        assert!(!burst.is_used_up());
    }
}
