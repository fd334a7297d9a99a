//! Delivery-rate samples: how much was acknowledged between the departure of a packet and its acknowledgement
//! (draft-ietf-ccwg-bbr, "Delivery Rate Samples"). It stands alone because it is a measurement, and BBR one of its users.

use std::collections::VecDeque;

use anabranch_base::{Duration, Time};

/// The delivery-rate sample of one SACK. If every chunk that it acknowledges was sent more than once, `rate`,
/// `delivered`, `in_flight_then` and `lost` are zero, and `prior_delivered` is negative: no packet is known to have
/// arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RateSample {
    /// `RS.delivery_rate`, in byte/s; zero if the interval has no length.
    pub rate: f64,
    /// `RS.rtt`: the round trip of the packet that left last.
    pub round_trip: Option<Duration>,
    /// `RS.delivered`: the bytes delivered since its departure.
    pub delivered: f64,
    /// `RS.prior_delivered`: the bytes delivered before its departure.
    pub prior_delivered: f64,
    /// `RS.tx_in_flight`: the bytes in flight after its departure, including it.
    pub in_flight_then: f64,
    /// `RS.lost`: the bytes lost since its departure.
    pub lost: f64,
    /// `RS.newly_acked`: the bytes that this SACK acknowledges.
    pub newly_acked: f64,
    /// `RS.is_app_limited`: true if it left while the window was not fully used.
    pub is_app_limited: bool,
}

/// A packet that left, and the path's state at its departure (P of the draft).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SentPacket {
    /// The bytes in flight, including it.
    pub in_flight: f64,
    /// The bytes lost before.
    pub lost: f64,
    /// True if the window was not fully used.
    pub is_app_limited: bool,
    /// The number among the packets of its path.
    pub serial: u64,
    /// The number among the packets of the association.
    departure: u64,
    sent_at: Time,
    first_sent_at: Time,
    delivered_at: Time,
    delivered: f64,
}

/// The delivery of one path (C of the draft).
#[derive(Clone, Debug)]
pub(super) struct DeliverySampler {
    /// The bytes acknowledged so far.
    pub delivered: f64,
    /// The bytes declared lost so far.
    pub lost: f64,
    delivered_at: Time,
    first_sent_at: Time,
    /// `C.app_limited`: packets count as limited by the application until this many bytes are delivered.
    limited_until: Option<f64>,
    serial: u64,
    sent: VecDeque<SentPacket>,
}

impl DeliverySampler {
    /// The sampler of a path before its first packet.
    pub(super) fn new() -> DeliverySampler {
        DeliverySampler {
            delivered: 0.0,
            lost: 0.0,
            delivered_at: Time::ZERO,
            first_sent_at: Time::ZERO,
            limited_until: None,
            serial: 0,
            sent: VecDeque::new(),
        }
    }

    /// `OnPacketSent`: the packet `departure` leaves. `in_flight` counts it; `was_idle` if nothing was in flight before.
    pub(super) fn on_sent(&mut self, departure: u64, in_flight: f64, was_idle: bool, now: Time) {
        if was_idle {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        if self.sent.len() >= MOST_KEPT {
            self.sent.pop_front();
        }
        self.serial += 1;
        self.sent.push_back(SentPacket {
            in_flight,
            lost: self.lost,
            is_app_limited: self.is_app_limited(),
            serial: self.serial,
            departure,
            sent_at: now,
            first_sent_at: self.first_sent_at,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
        });
    }

    /// `UpdateRateSample`, `GenerateRateSample`: a SACK acknowledges `bytes`. `newest` is the last packet to have left of
    /// those whose chunks were sent only once. Chunks that were sent again give no sample, because their acknowledgements are
    /// ambiguous ("Impact of packet loss and retransmissions", second approach). So no interval is shorter than a round
    /// trip, and the draft's filter for such intervals has nothing to do.
    pub(super) fn on_acked(&mut self, newest: Option<u64>, bytes: f64, now: Time) -> RateSample {
        self.delivered += bytes;
        self.delivered_at = now;
        if self.limited_until.is_some_and(|until| self.delivered > until) {
            self.limited_until = None;
        }
        let Some(packet) = newest.and_then(|departure| self.packet(departure)) else {
            return RateSample { newly_acked: bytes, ..RateSample::NONE };
        };
        self.first_sent_at = packet.sent_at;
        self.forget_before(packet.serial.saturating_sub(KEPT_BEHIND));
        let send_elapsed = packet.sent_at.since(packet.first_sent_at);
        let interval = send_elapsed.max(now.since(packet.delivered_at)).as_secs_f64();
        let delivered = self.delivered - packet.delivered;
        RateSample {
            rate: if interval > 0.0 { delivered / interval } else { 0.0 },
            round_trip: Some(now.since(packet.sent_at)),
            delivered,
            prior_delivered: packet.delivered,
            in_flight_then: packet.in_flight,
            lost: self.lost - packet.lost,
            newly_acked: bytes,
            is_app_limited: packet.is_app_limited,
        }
    }

    /// `size` bytes of the packet `departure` were declared lost. Returns the packet as it left, unless it left too
    /// long ago.
    pub(super) fn on_lost(&mut self, departure: u64, size: f64) -> Option<SentPacket> {
        self.lost += size;
        self.packet(departure)
    }

    /// `MarkConnectionAppLimited`: the window is not fully used; `in_flight` bytes are in flight.
    pub(crate) fn on_app_limited(&mut self, in_flight: f64) {
        self.limited_until = Some((self.delivered + in_flight).max(1.0));
    }

    /// Returns true if `C.app_limited` is set.
    pub(crate) fn is_app_limited(&self) -> bool {
        self.limited_until.is_some()
    }

    fn packet(&self, departure: u64) -> Option<SentPacket> {
        let index = self.sent.binary_search_by_key(&departure, |packet| packet.departure).ok()?;
        Some(self.sent[index])
    }

    fn forget_before(&mut self, serial: u64) {
        while self.sent.front().is_some_and(|packet| packet.serial < serial) {
            self.sent.pop_front();
        }
    }
}

impl RateSample {
    /// The sample of a SACK that acknowledges only retransmitted chunks.
    pub(super) const NONE: RateSample = RateSample {
        rate: 0.0,
        round_trip: None,
        delivered: 0.0,
        prior_delivered: -1.0,
        in_flight_then: 0.0,
        lost: 0.0,
        newly_acked: 0.0,
        is_app_limited: true,
    };
}

/// The number of packets below the newest acknowledged one that are kept, because they may wait for missing reports.
const KEPT_BEHIND: u64 = 4_096;
/// The most packets that are kept, even if nothing is acknowledged.
const MOST_KEPT: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// Ten packets of 1,000 bytes leave a millisecond apart from 0 ms on, packet `n` at `n` - 1 ms.
    fn ten() -> DeliverySampler {
        let mut sampler = DeliverySampler::new();
        for number in 1..=10 {
            sampler.on_sent(number, number as f64 * 1000.0, number == 1, ms(number - 1));
        }
        sampler
    }

    #[test]
    fn a_sample_is_what_was_delivered_since_the_packet_left_over_the_longer_of_both_intervals() {
        let mut sampler = ten();
        let first = sampler.on_acked(Some(1), 1000.0, ms(20));
        // 1,000 B in 20 ms.
        assert_eq!((first.rate, first.round_trip), (50_000.0, Some(Duration::from_millis(20))));
        assert_eq!((first.prior_delivered, first.delivered, first.in_flight_then), (0.0, 1000.0, 1000.0));
        // The eleventh leaves at 20 ms, after one was delivered; the SACK of 2 to 11 comes at 41 ms: 10,000 B since 20 ms.
        sampler.on_sent(11, 10_000.0, false, ms(20));
        let second = sampler.on_acked(Some(11), 10_000.0, ms(40));
        assert_eq!((second.rate, second.prior_delivered), (500_000.0, 1000.0));
    }

    /// Compression: SACKs that were held up arrive together, and the packets left over a longer time.
    #[test]
    fn a_burst_of_sacks_is_bounded_by_the_rate_at_which_packets_left() {
        let mut sampler = DeliverySampler::new();
        sampler.on_sent(1, 1000.0, true, ms(0));
        sampler.on_acked(Some(1), 1000.0, ms(10));
        sampler.on_sent(2, 1000.0, true, ms(10));
        sampler.on_sent(3, 2000.0, false, ms(110));
        // 2,000 B: left within 100 ms, acknowledged within 101 ms of the departure of the second packet.
        let sample = sampler.on_acked(Some(3), 2000.0, ms(111));
        assert_eq!(sample.rate, 2000.0 / 0.101);
    }

    #[test]
    fn chunks_that_were_sent_again_count_as_delivered_and_give_no_sample() {
        let mut sampler = ten();
        let sample = sampler.on_acked(None, 3000.0, ms(20));
        assert_eq!((sample.rate, sample.round_trip, sample.newly_acked), (0.0, None, 3000.0));
        assert!(sample.prior_delivered < 0.0 && sampler.delivered == 3000.0);
    }

    #[test]
    fn what_leaves_while_the_window_is_not_in_use_is_limited_until_it_is_acknowledged() {
        let mut sampler = ten();
        sampler.on_app_limited(10_000.0);
        sampler.on_sent(11, 11_000.0, false, ms(15));
        assert!(!sampler.on_acked(Some(1), 1000.0, ms(20)).is_app_limited);
        assert!(sampler.on_acked(Some(11), 10_000.0, ms(40)).is_app_limited);
        assert!(!sampler.is_app_limited(), "11,000 B are delivered, more than the 10,000 of the bubble");
        sampler.on_sent(12, 1000.0, true, ms(41));
        assert!(!sampler.on_acked(Some(12), 1000.0, ms(61)).is_app_limited);
    }

    #[test]
    fn losses_are_counted_from_the_departure_of_a_packet_on() {
        let mut sampler = ten();
        let lost = sampler.on_lost(2, 1000.0).expect("it left");
        assert_eq!((lost.in_flight, lost.lost, lost.serial), (2000.0, 0.0, 2));
        assert_eq!(sampler.on_acked(Some(3), 2000.0, ms(30)).lost, 1000.0);
        sampler.on_sent(11, 8000.0, false, ms(31));
        assert_eq!(sampler.on_acked(Some(11), 8000.0, ms(50)).lost, 0.0);
        assert_eq!(sampler.on_lost(99, 1000.0), None);
    }

    #[test]
    fn memory_is_bounded_with_and_without_acknowledgements() {
        let mut sampler = DeliverySampler::new();
        for number in 1..=100_000 {
            sampler.on_sent(number, 1000.0, false, ms(number));
        }
        assert_eq!(sampler.sent.len(), MOST_KEPT);
        sampler.on_acked(Some(100_000), 1000.0, ms(100_001));
        assert_eq!(sampler.sent.len() as u64, KEPT_BEHIND + 1);
    }
}
