//! First capacities, with which the next step is planned. The estimates of the result are made from the recording.

use anabranch_base::{BitRate, Duration, Time};

/// An arrival: the number of the packet, its size in bytes, and the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SizedArrival {
    pub(super) number: u32,
    pub(super) bytes: u64,
    pub(super) at: Time,
}

/// The median of the rates at which trains of `length` packets arrived. The first third of a train is left out: a token
/// bucket may let it pass.
pub(super) fn of_trains(arrivals: &[SizedArrival], length: u32) -> Option<BitRate> {
    let train_of = |arrival: &SizedArrival| arrival.number / length.max(1);
    let trains = arrivals.chunk_by(|a, b| train_of(a) == train_of(b));
    let rate = |train: &[SizedArrival]| dispersion(&train[train.len() / 3..], FEWEST);
    let mut rates: Vec<BitRate> = trains.filter_map(rate).collect();
    rates.sort_unstable();
    rates.get(rates.len() / 2).copied()
}

/// The rate of the last `span` of arrivals.
pub(super) fn of_tail(arrivals: &[SizedArrival], span: Duration) -> Option<BitRate> {
    let last = arrivals.last()?.at;
    let from = arrivals.iter().position(|arrival| last.since(arrival.at) <= span)?;
    dispersion(&arrivals[from..], FEWEST_OF_TAIL)
}

/// The bytes after the first arrival, over the time from it to the last.
fn dispersion(arrivals: &[SizedArrival], fewest: usize) -> Option<BitRate> {
    let (first, last) = (arrivals.first()?, arrivals.last()?);
    let span = last.at.since(first.at);
    if arrivals.len() < fewest || span.is_zero() {
        return None;
    }
    let later = arrivals.iter().filter(|arrival| arrival.at > first.at);
    let bits = later.map(|arrival| u128::from(arrival.bytes)).sum::<u128>() * 8 * 1_000_000_000;
    let rate = bits / u128::from(span.as_nanos());
    Some(BitRate::from_bits_per_second(u64::try_from(rate).unwrap_or(u64::MAX)))
}

/// The fewest arrivals of two thirds of a train.
const FEWEST: usize = 4;
/// The fewest arrivals of a fill.
const FEWEST_OF_TAIL: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(gaps: impl IntoIterator<Item = u64>) -> Vec<SizedArrival> {
        let mut micros = 0;
        let step = |(number, gap)| {
            micros += gap;
            SizedArrival { number, bytes: 1_500, at: Time::ZERO + Duration::from_micros(micros) }
        };
        (0..).zip(gaps).map(step).collect()
    }

    #[test]
    fn the_median_of_trains_is_the_rate_though_one_met_other_traffic() {
        let gaps = (0..60).map(|n| {
            if n % 20 == 0 {
                300_000
            } else if n < 20 {
                3_000
            } else {
                1_000
            }
        });
        assert_eq!(of_trains(&arrivals(gaps), 20), Some(BitRate::from_mbps(12)));
    }

    #[test]
    fn a_burst_that_passes_a_token_bucket_is_left_out() {
        let gaps = (0..40).map(|n| {
            if n % 20 == 0 {
                300_000
            } else if n % 20 < 6 {
                10
            } else {
                1_000
            }
        });
        assert_eq!(of_trains(&arrivals(gaps), 20), Some(BitRate::from_mbps(12)));
    }

    #[test]
    fn packets_at_one_instant_show_no_rate_and_the_tail_shows_the_latest() {
        assert_eq!(of_trains(&arrivals([0; 40]), 20), None);
        assert_eq!(of_trains(&[], 0), None);
        let gaps = (0..2_000).map(|n| if n < 1_000 { 100 } else { 2_000 });
        assert_eq!(of_tail(&arrivals(gaps), Duration::from_millis(600)), Some(BitRate::from_mbps(6)));
    }
}
