//! The packets of one direction of a lane as numbers: seconds from a common start, and delays above a reference.
//!
//! Differences are taken in whole nanoseconds, so that clocks that are years apart cost no digit.

use anabranch_base::Time;

use crate::recording::{Flight, Purpose};

/// A test packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    /// The seconds from the start of the measurement to its sending, by the sender's clock.
    pub(super) sent: f64,
    /// The delay above the reference of its direction, in seconds; `None` if it was lost.
    pub(super) delay: Option<f64>,
    /// The size of the IP packet.
    pub(super) bytes: f64,
}

/// The packets of a flight in the order in which they were sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    pub(super) purpose: Purpose,
    pub(super) samples: Vec<Sample>,
}

/// The largest size that is believed: that of an IPv4 packet.
const LARGEST: u64 = 65_535;

impl Sample {
    /// The seconds from the start of the measurement to its arrival, less the reference.
    pub(super) fn arrived(&self) -> Option<f64> {
        self.delay.map(|delay| self.sent + delay)
    }

    /// The same as a pair with the sample itself.
    pub(super) fn arrival(&self) -> Option<Arrival> {
        self.delay.map(|delay| Arrival { at: self.sent + delay, bytes: self.bytes })
    }
}

/// A packet that arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arrival {
    /// The time in seconds.
    pub(super) at: f64,
    /// The bytes that arrived at this time.
    pub(super) bytes: f64,
}

/// Arrivals in order; those that the receiver saw at one instant are one.
pub(super) fn arrivals(samples: &[Sample]) -> Vec<Arrival> {
    let mut sorted: Vec<Arrival> = samples.iter().filter_map(Sample::arrival).collect();
    sorted.sort_by(|a, b| a.at.total_cmp(&b.at));
    sorted.dedup_by(|later, earlier| {
        let is_same = later.at - earlier.at <= SAME_INSTANT;
        if is_same {
            earlier.bytes += later.bytes;
        }
        is_same
    });
    sorted
}

/// Arrivals at most this far apart, in seconds, were read at once: several packets that the system joined (GRO).
const SAME_INSTANT: f64 = 2e-6;

/// The start of a measurement by the clock of one sender.
pub(super) fn start<'a>(flights: impl Iterator<Item = &'a Flight>) -> Time {
    flights.flat_map(|flight| &flight.packets).map(|packet| packet.sent).min().unwrap_or(Time::ZERO)
}

/// The flights of one direction of a lane as numbers, and the reference of their delays: the least, in nanoseconds between
/// the two clocks.
pub(super) fn series(flights: &[Flight], start: Time) -> (Vec<Series>, i128) {
    let raw = |sent: Time, arrived: Time| i128::from(arrived.as_nanos()) - i128::from(sent.as_nanos());
    let packets = flights.iter().flat_map(|flight| &flight.packets);
    let reference =
        packets.filter_map(|packet| packet.arrived.map(|at| raw(packet.sent, at))).min().unwrap_or(0);
    let one = |flight: &Flight| {
        let mut samples: Vec<Sample> = flight
            .packets
            .iter()
            .map(|packet| Sample {
                sent: packet.sent.since(start).as_secs_f64(),
                delay: packet.arrived.map(|at| (raw(packet.sent, at) - reference) as f64 * 1e-9),
                bytes: packet.size.get().clamp(1, LARGEST) as f64,
            })
            .collect();
        samples.sort_by(|a, b| a.sent.total_cmp(&b.sent));
        Series { purpose: flight.purpose, samples }
    };
    (flights.iter().map(one).collect(), reference)
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::recording::TestPacket;

    fn packet(number: u32, sent: u64, arrived: Option<u64>) -> TestPacket {
        let arrived = arrived.map(Time::from_nanos);
        TestPacket { number, sent: Time::from_nanos(sent), size: ByteCount::new(100), arrived }
    }

    #[test]
    fn clocks_that_are_years_apart_cost_no_digit() {
        let year = 31_557_600_000_000_000;
        let packets = vec![
            packet(0, 20 * year, Some(7)),
            packet(1, 20 * year + 10, None),
            packet(2, 20 * year + 20, Some(28)),
        ];
        let flights = [Flight { purpose: Purpose::Rest, packets }];
        let (found, reference) = series(&flights, start(flights.iter()));
        assert_eq!(reference, 7 - 20 * i128::from(year));
        let delays: Vec<_> = found[0].samples.iter().map(|sample| sample.delay).collect();
        assert_eq!(delays, [Some(0.0), None, Some(1e-9)]);
    }

    #[test]
    fn packets_that_were_read_at_once_are_one_arrival() {
        let sample = |sent, delay| Sample { sent, delay: Some(delay), bytes: 100.0 };
        let found = arrivals(&[sample(0.0, 1.0), sample(0.5, 0.5), sample(0.6, 0.9)]);
        assert_eq!(found, [Arrival { at: 1.0, bytes: 200.0 }, Arrival { at: 1.5, bytes: 100.0 }]);
    }
}
