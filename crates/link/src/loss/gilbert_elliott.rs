//! A channel with a good and a bad state (M-NET-5).

use std::ops::Range;

use anabranch_base::{Duration, Time};

use super::{LossModel, PacketInfo};
use crate::random::Random;

/// Two states with exponential periods, independent of traffic: with the same seed, all directions that share the
/// channel have the same periods.
#[derive(Debug)]
pub(super) struct TwoStates {
    good: Duration,
    bad: Duration,
    is_bad: bool,
    until: Time,
    random: Random,
}

/// Loses packets according to the channel's state during their transmission.
#[derive(Debug)]
pub(super) struct GilbertElliott {
    channel: TwoStates,
    loss_good: f64,
    loss_bad: f64,
    random: Random,
}

impl TwoStates {
    /// A channel with the mean periods `good` and `bad`. It begins bad with probability bad / (good + bad).
    pub(super) fn new(good: Duration, bad: Duration, mut random: Random) -> TwoStates {
        let share = bad.as_nanos() as f64 / (good.as_nanos() as f64 + bad.as_nanos() as f64);
        let is_bad = random.happens(share);
        let first = random.exponential(if is_bad { bad } else { good });
        TwoStates { good, bad, is_bad, until: Time::ZERO + first, random }
    }

    /// The bad periods that begin before `end`, at most `most`.
    pub(super) fn bad_periods(mut self, end: Time, most: usize) -> Vec<(Time, Time)> {
        let (mut periods, mut at) = (Vec::new(), Time::ZERO);
        while at < end && periods.len() < most {
            let is_bad = self.is_bad_during(&(at..at));
            if is_bad {
                periods.push((at, self.until.min(end)));
            }
            at = self.until;
        }
        periods
    }

    /// Returns true if it is bad at any time of `span`. A span may not begin before an earlier one.
    pub(crate) fn is_bad_during(&mut self, span: &Range<Time>) -> bool {
        while self.until <= span.start && self.until < Time::from_nanos(u64::MAX) {
            self.is_bad = !self.is_bad;
            let mean = if self.is_bad { self.bad } else { self.good };
            // A period of zero length would make this loop endless.
            self.until += self.random.exponential(mean).max(Duration::from_nanos(1));
        }
        self.is_bad || self.until < span.end
    }
}

impl GilbertElliott {
    /// Losses with these probabilities in the two states of `channel`.
    pub(super) fn new(channel: TwoStates, loss_good: f64, loss_bad: f64, random: Random) -> GilbertElliott {
        GilbertElliott { channel, loss_good, loss_bad, random }
    }
}

impl LossModel for GilbertElliott {
    fn loses(&mut self, sent: Range<Time>, _: &PacketInfo<'_>) -> bool {
        let is_bad = self.channel.is_bad_during(&sent);
        self.random.happens(if is_bad { self.loss_bad } else { self.loss_good })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;

    const GOOD: Duration = Duration::from_millis(900);
    const BAD: Duration = Duration::from_millis(100);

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_bad_periods_are_those_that_a_packet_meets() {
        let new =
            || TwoStates::new(at_ms(300), at_ms(100), Random::new(&anabranch_base::Seed::from_number(5)));
        let (end, mut channel) = (Time::ZERO + at_ms(20_000), new());
        let periods = new().bad_periods(end, 1_000);
        assert!(periods.len() > 20);
        for millisecond in 0..20_000 {
            let at = Time::ZERO + at_ms(millisecond);
            let is_within = periods.iter().any(|(from, to)| *from <= at && at < *to);
            assert_eq!(channel.is_bad_during(&(at..at)), is_within, "{at:?}");
        }
        assert_eq!(new().bad_periods(end, 3), periods[..3]);
    }

    fn at_ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_channel_is_bad_for_its_share_of_time_and_in_spells_of_the_mean_length() {
        let mut channel = TwoStates::new(GOOD, BAD, random());
        let states: Vec<bool> = (0..4_000_000).map(|ms| channel.is_bad_during(&(at(ms)..at(ms)))).collect();
        let bad = states.iter().filter(|bad| **bad).count() as f64;
        let spells = states.windows(2).filter(|pair| pair == &[false, true]).count() as f64;
        // About 4,000 periods: the standard error of the mean is 1.6 %, and five of them are allowed. A period
        // shorter than the millisecond between samples may be missed, which makes the others 0.5 % longer.
        assert!((bad / 4_000_000.0 / 0.1 - 1.0).abs() < 0.08, "bad for {bad} ms");
        assert!((bad / spells / 100.0 - 1.0).abs() < 0.085, "{} ms a spell", bad / spells);
    }

    #[test]
    fn a_transmission_that_ends_in_a_bad_spell_counts_as_bad() {
        let mut channel = TwoStates::new(GOOD, BAD, random());
        let first_bad = (0..).find(|ms| channel.is_bad_during(&(at(*ms)..at(*ms)))).expect("it turns bad");
        let mut again = TwoStates::new(GOOD, BAD, random());
        assert!(!again.is_bad_during(&(at(first_bad - 3)..at(first_bad - 2))));
        assert!(again.is_bad_during(&(at(first_bad - 2)..at(first_bad))));
    }
}
