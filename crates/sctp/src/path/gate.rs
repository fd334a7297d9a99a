//! Holds back packets for which the window of a path has room: at the end of a burst, between trains, and after the
//! single packet that tests a path whose time-out expired.

use anabranch_base::{BitRate, ByteCount, Time};

use super::burst::BurstAllowance;
use super::pacer::Pacer;
use crate::config::MaxBurst;
use crate::policy::{Blocker, PathSample};

/// The gate of one path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    burst: BurstAllowance,
    pacer: Pacer,
    /// True if only one packet may be in flight until a chunk is acknowledged, after a time-out (RFC 9260 §7.2.3).
    is_limited_to_one: bool,
}

impl Gate {
    /// The gate of a new path: nothing leaves before the first event.
    pub(super) fn new() -> Gate {
        Gate { burst: BurstAllowance::new(), pacer: Pacer::new(), is_limited_to_one: false }
    }

    /// The path begins anew; the burst of this event goes on.
    pub(super) fn restart(&mut self) {
        *self = Gate { burst: self.burst, ..Gate::new() };
    }

    /// An event happened: the path may send another burst.
    pub(super) fn on_event(&mut self, limit: MaxBurst) {
        self.burst.on_event(limit);
    }

    /// The event acknowledged a retransmitted chunk.
    pub(crate) fn on_acked_retransmission(&mut self, limit: MaxBurst) {
        self.burst.on_acked_retransmission(limit);
    }

    /// The event allows `packets` more.
    pub(crate) fn widen(&mut self, packets: u32) {
        self.burst.widen(packets);
    }

    /// Nothing more is to be sent: the burst of the event ends.
    pub(crate) fn end_event(&mut self) {
        self.burst.end();
    }

    /// Sending begins: packets leave at `rate`, in trains of at least `packets` packets.
    pub(crate) fn begin_pacing(
        &mut self,
        now: Time,
        rate: Option<BitRate>,
        packets: u32,
        sample: &PathSample,
    ) {
        self.pacer.begin(now, rate, sample.unit, packets, sample.is_paced);
    }

    /// One packet may leave even if a train has just left.
    pub(crate) fn allow_one_packet(&mut self) {
        self.pacer.allow_one_packet();
    }

    /// A packet with data of weight `weight` left.
    pub(super) fn on_packet(&mut self, weight: ByteCount, now: Time) {
        self.burst.take_one();
        self.pacer.on_packet(now, weight);
    }

    /// Only one packet may be in flight until a chunk is acknowledged.
    pub(crate) fn limit_to_one_packet(&mut self) {
        self.is_limited_to_one = true;
    }

    /// A chunk was acknowledged that shows that the path works.
    pub(crate) fn end_trial(&mut self) {
        self.is_limited_to_one = false;
    }

    /// The time at which the pacer opens again; `None` if it is open.
    pub(crate) fn opens_at(&self) -> Option<Time> {
        self.pacer.opens_at()
    }

    /// The cause that holds packets back with this `flight`.
    pub(super) fn blocker(&self, flight: ByteCount) -> Option<Blocker> {
        if self.is_limited_to_one && !flight.is_zero() {
            Some(Blocker::TimeOut)
        } else if self.burst.is_used_up() {
            Some(Blocker::Burst)
        } else {
            self.pacer.opens_at().map(|_| Blocker::Pacer)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::BurstRule;

    #[test]
    fn the_first_reason_to_wait_is_named() {
        let (some, none) = (ByteCount::new(1), ByteCount::ZERO);
        let limit = MaxBurst { packets: 1, rule: BurstRule::Event };
        let mut gate = Gate::new();
        assert_eq!(gate.blocker(none), Some(Blocker::Burst), "nothing happened yet");
        gate.on_event(limit);
        assert_eq!(gate.blocker(some), None);
        gate.limit_to_one_packet();
        assert_eq!((gate.blocker(none), gate.blocker(some)), (None, Some(Blocker::TimeOut)));
        gate.on_packet(some, Time::ZERO);
        assert_eq!(gate.blocker(some), Some(Blocker::TimeOut), "before the burst");
        gate.end_trial();
        assert_eq!(gate.blocker(some), Some(Blocker::Burst));
    }
}
