//! Standard timing while an association has one path, CMT's timing while it has several.

use anabranch_base::Duration;

use super::timing::{AckTiming, PacketNews, When};
use super::{Dac, DacWire, DelayedAck};

/// For an end that does not know in advance how many paths its peers have. On one path a gap is a loss, and delaying
/// its report costs up to the whole delay (M-CMT-4); on several paths gaps are normal.
#[derive(Clone, Debug)]
pub struct DacOnSeveralPaths {
    one: DelayedAck,
    several: Dac,
    /// The number of packets a SACK answers in the standard timing.
    every: u32,
    has_several: bool,
}

impl DacOnSeveralPaths {
    /// Takes the parameters of [`DelayedAck::new`] and [`Dac::new`].
    pub fn new(every: u32, delay: Duration, wire: DacWire) -> DacOnSeveralPaths {
        DacOnSeveralPaths {
            one: DelayedAck::new(every, delay),
            several: Dac::new(every, delay, wire),
            every,
            has_several: false,
        }
    }
}

impl AckTiming for DacOnSeveralPaths {
    fn on_packet(&mut self, news: &PacketNews) -> When {
        self.has_several = news.paths > 1;
        let (one, several) = (self.one.on_packet(news), self.several.on_packet(news));
        if self.has_several { several } else { one }
    }

    fn on_sack_sent(&mut self) {
        self.one.on_sack_sent();
        self.several.on_sack_sent();
    }

    fn packets_since_sack(&self) -> u32 {
        self.several.packets_since_sack()
    }

    fn flags(&self) -> u8 {
        // On one path, a SACK carries its number of packets only if that is more than the standard's: a driver that
        // has read many packets at once sends one SACK for all of them, which then counts as up to three missing
        // reports.
        let has_count = self.has_several || self.packets_since_sack() > self.every;
        if has_count { self.several.flags() } else { self.one.flags() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_one_path_a_sack_for_a_batch_says_so() {
        let mut timing = DacOnSeveralPaths::new(2, Duration::ZERO, DacWire::Bits76);
        let flags = [(); 4].map(|()| {
            timing.on_packet(&PacketNews { paths: 1, ..PacketNews::default() });
            timing.flags()
        });
        assert_eq!(flags, [0, 0, 0xc0, 0xc0], "three or more");
    }

    #[test]
    fn a_gap_is_urgent_on_one_path_and_not_on_two() {
        let delay = Duration::from_millis(200);
        let mut timing = DacOnSeveralPaths::new(2, delay, DacWire::Bits76);
        let on = |paths| PacketNews { has_gap: true, paths, ..PacketNews::default() };
        assert_eq!((timing.on_packet(&on(1)), timing.flags()), (When::Now, 0));
        timing.on_sack_sent();
        assert_eq!((timing.on_packet(&on(2)), timing.flags()), (When::After(delay), 0x40));
        assert_eq!((timing.on_packet(&on(2)), timing.flags()), (When::Now, 0x80));
    }
}
