//! The standard timing of SACKs: after every second packet, after 200 ms, or at once for duplicates, gaps and dropped
//! chunks.

use anabranch_base::Duration;

use super::timing::{AckTiming, PacketNews, When};

/// Delayed SACKs according to RFC 9260 §6.2 and §6.7.
#[derive(Clone, Debug)]
pub struct DelayedAck {
    every: u32,
    delay: Duration,
    packets: u32,
}

impl DelayedAck {
    /// A SACK "for at least every second packet (not every second DATA chunk) received", and "within 200 ms
    /// of the arrival of any unacknowledged DATA chunk": `every` is 2 and `delay` 200 ms in the standard.
    /// With `every` at 1 no SACK is delayed.
    pub fn new(every: u32, delay: Duration) -> DelayedAck {
        DelayedAck { every, delay, packets: 0 }
    }
}

impl AckTiming for DelayedAck {
    fn on_packet(&mut self, news: &PacketNews) -> When {
        self.packets = self.packets.saturating_add(1);
        if self.packets >= self.every || is_urgent(news) { When::Now } else { When::After(self.delay) }
    }

    fn on_sack_sent(&mut self) {
        self.packets = 0;
    }

    fn packets_since_sack(&self) -> u32 {
        self.packets
    }
}

fn is_urgent(news: &PacketNews) -> bool {
    // RFC 9260 §6.2: "When a packet arrives with duplicate DATA chunk(s) and with no new DATA chunk(s), the
    // endpoint MUST immediately send a SACK chunk with no delay."
    news.duplicates_only
        // §6.7: "it SHOULD send a SACK chunk with Gap Ack Blocks immediately", for each packet while the gap
        // persists.
        || news.has_gap
        // Not in the RFC: the sender can leave fast recovery early (M-SCTP-11 c).
        || news.closed_gap
        // §6.2: "if such a DATA chunk is dropped, the receiver MUST immediately send back a SACK chunk".
        || news.dropped
        // §6.2: the I bit, "SHOULD NOT delay".
        || news.immediate
        || news.shutting_down
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Duration = Duration::from_millis(200);
    const PLAIN: PacketNews = PacketNews {
        duplicates_only: false,
        has_gap: false,
        closed_gap: false,
        dropped: false,
        immediate: false,
        shutting_down: false,
        paths: 1,
    };

    #[test]
    fn every_second_packet_is_answered_at_once_and_the_first_within_200_ms() {
        let mut timing = DelayedAck::new(2, DELAY);
        for _ in 0..3 {
            assert_eq!(timing.on_packet(&PLAIN), When::After(DELAY));
            assert_eq!(timing.on_packet(&PLAIN), When::Now);
            timing.on_sack_sent();
        }
    }

    #[test]
    fn a_sack_sent_by_the_timer_starts_the_count_anew() {
        let mut timing = DelayedAck::new(2, DELAY);
        timing.on_packet(&PLAIN);
        assert_eq!(timing.packets_since_sack(), 1);
        timing.on_sack_sent();
        assert_eq!(timing.packets_since_sack(), 0);
        assert_eq!(timing.on_packet(&PLAIN), When::After(DELAY));
    }

    #[test]
    fn a_due_sack_that_did_not_leave_stays_due() {
        let mut timing = DelayedAck::new(2, DELAY);
        let answers = [(); 4].map(|()| timing.on_packet(&PLAIN));
        assert_eq!(answers, [When::After(DELAY), When::Now, When::Now, When::Now]);
    }

    #[test]
    fn every_packet_is_answered_at_once_when_delayed_sacks_are_off() {
        let mut timing = DelayedAck::new(1, DELAY);
        assert_eq!(timing.on_packet(&PLAIN), When::Now);
    }

    #[test]
    fn what_is_urgent_is_answered_at_once() {
        let urgent = [
            PacketNews { duplicates_only: true, ..PLAIN },
            PacketNews { has_gap: true, ..PLAIN },
            PacketNews { closed_gap: true, ..PLAIN },
            PacketNews { dropped: true, ..PLAIN },
            PacketNews { immediate: true, ..PLAIN },
            PacketNews { shutting_down: true, ..PLAIN },
        ];
        for news in urgent {
            assert_eq!(DelayedAck::new(2, DELAY).on_packet(&news), When::Now, "{news:?}");
        }
    }

    #[test]
    fn the_standard_sets_no_flag() {
        let mut timing = DelayedAck::new(2, DELAY);
        timing.on_packet(&PLAIN);
        assert_eq!(timing.flags(), 0);
    }
}
