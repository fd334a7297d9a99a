//! Traffic patterns: when an application has how much to send. Each pattern has its own file.

mod cbr;
mod on_off;
mod poisson;

use std::fmt::Debug;

use anabranch_base::{ByteCount, Duration, Seed, Time};
use anabranch_link::Random;
use anabranch_scenario::model::{Messages, Traffic};

/// A pattern of messages in time.
pub(crate) trait TrafficSource: Debug + Send {
    /// The next message: its time, which is not before `now`, and its length.
    fn next(&mut self, now: Time) -> Option<(Time, ByteCount)>;
}

/// The source of a pattern that begins at `start`; `None` for bulk data, which has no times.
pub(crate) fn build(traffic: &Traffic, start: Time, seed: &Seed) -> Option<Box<dyn TrafficSource>> {
    match traffic {
        Traffic::Bulk => None,
        Traffic::Cbr(messages) => Some(Box::new(cbr::Cbr::new(*messages, start))),
        Traffic::OnOff { messages, on, off } => {
            Some(Box::new(on_off::OnOff::new(*messages, *on, *off, start)))
        }
        Traffic::Poisson(messages) => {
            Some(Box::new(poisson::Poisson::new(*messages, start, Random::new(seed))))
        }
    }
}

/// When message number `index` is due at a constant rate, computed from the first message, so that rounding does not
/// add up.
fn evenly(messages: Messages, index: u64) -> Duration {
    let bits = u128::from(messages.size.get()) * 8 * u128::from(index) * 1_000_000_000;
    let nanos = bits / u128::from(messages.rate.bits_per_second().max(1));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use anabranch_base::BitRate;

    /// 1 Mbit/s in messages of 125 bytes: one each millisecond.
    pub(crate) const A_MILLISECOND_EACH: Messages =
        Messages { rate: BitRate::from_mbps(1), size: ByteCount::new(125) };

    /// The times of the first `count` messages in milliseconds.
    pub(crate) fn moments(source: &mut dyn TrafficSource, count: usize) -> Vec<f64> {
        let mut now = Time::ZERO;
        let mut next = || {
            let (at, _) = source.next(now).expect("it never ends");
            now = at;
            at.since(Time::ZERO).as_secs_f64() * 1e3
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn even_messages_do_not_drift() {
        let third = Messages { rate: BitRate::from_bits_per_second(3), size: ByteCount::new(1) };
        assert_eq!(evenly(third, 3), Duration::from_secs(8));
        assert_eq!(evenly(third, 3_000_000), Duration::from_secs(8_000_000));
    }
}
