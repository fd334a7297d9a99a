//! A SACK for each k-th packet with data, whatever the order of arrival (M-IPCC-8, YE 6.6).

use anabranch_base::Duration;

use super::timing::{AckTiming, PacketNews, When};
use super::{Dac, DacWire};

/// The timing of [`Dac`] without its count: SACKs are in the standard format, so that any sender can read them. Missing
/// chunks are reported less often, so losses are found later.
#[derive(Clone, Debug)]
pub struct AnyOrder {
    timing: Dac,
}

impl AnyOrder {
    /// A SACK for every `every` packets, or `delay` after the first that is not reported.
    pub fn new(every: u32, delay: Duration) -> AnyOrder {
        AnyOrder { timing: Dac::new(every, delay, DacWire::Bits76) }
    }
}

impl AckTiming for AnyOrder {
    fn on_packet(&mut self, news: &PacketNews) -> When {
        self.timing.on_packet(news)
    }

    fn on_sack_sent(&mut self) {
        self.timing.on_sack_sent();
    }

    fn packets_since_sack(&self) -> u32 {
        self.timing.packets_since_sack()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_packet_is_answered_in_any_order_and_nothing_says_so() {
        let delay = Duration::from_millis(200);
        let mut timing = AnyOrder::new(3, delay);
        let gap = PacketNews { has_gap: true, paths: 2, ..PacketNews::default() };
        let answers = [gap, PacketNews::default(), gap].map(|news| timing.on_packet(&news));
        assert_eq!(answers, [When::After(delay), When::After(delay), When::Now]);
        assert_eq!((timing.flags(), timing.packets_since_sack()), (0, 3));
        timing.on_sack_sent();
        assert_eq!(timing.packets_since_sack(), 0);
    }

    #[test]
    fn duplicates_are_answered_at_once() {
        let mut timing = AnyOrder::new(3, Duration::ZERO);
        assert_eq!(
            timing.on_packet(&PacketNews { duplicates_only: true, ..PacketNews::default() }),
            When::Now
        );
    }
}
