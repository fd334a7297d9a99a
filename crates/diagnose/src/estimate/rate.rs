//! The rate of arrivals that follow one another without a pause of the link, and whether it varies.

use super::interval::{half_of_mean, quantile, sorted};
use super::sample::Arrival;
use crate::estimated::Estimated;

/// Arrivals within a part of the time in which the link was never idle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Window {
    /// The time of the arrival before the first, in seconds.
    at: f64,
    seconds: f64,
    bytes: f64,
}

/// The capacity that a busy link showed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Capacity {
    /// The rate in bits a second.
    pub(super) rate: Estimated,
    /// The rate over time, if it varies by more than noise.
    pub(super) steps: Option<Vec<(f64, f64)>>,
    /// The rate while the link was busy, in bits a second: that of a link whose rate does not vary.
    steady: Estimated,
}

impl Capacity {
    /// A capacity that does not vary.
    pub(super) fn steady(rate: Estimated) -> Capacity {
        Capacity { rate, steps: None, steady: rate }
    }

    /// The same if what varies is noise.
    pub(super) fn without_steps(self) -> Capacity {
        Capacity::steady(self.steady)
    }
}

/// The fewest arrivals at different times from which a rate is told.
const FEWEST: usize = 8;

/// The most windows.
const WINDOWS: usize = 40;

/// The share by which a clock may be fast or slow against another time: two of 100 ppm.
const CLOCKS: f64 = 2e-4;

/// The longest time, in seconds, for which a rate holds without arrivals behind a queue.
const HOLD: f64 = 1.0;

/// The uncertainty of a time of arrival, in seconds: times are told in microseconds.
const TIME: f64 = 1e-6;

/// The capacity from `segments` of arrivals in order, each from a time in which the link was busy. The interval comes from
/// the rates of windows, and never leaves out an error of the clock; `None` if there are too few arrivals.
pub(super) fn capacity(segments: &[Vec<Arrival>]) -> Option<Capacity> {
    let events: usize = segments.iter().map(|segment| segment.len().saturating_sub(1)).sum();
    let total: f64 = segments.iter().map(|segment| span(segment)).sum();
    if events < FEWEST || total <= 0.0 {
        return None;
    }
    let length = total / (events / 4).clamp(2, WINDOWS) as f64;
    let windows: Vec<Window> = segments.iter().flat_map(|segment| windows(segment, length)).collect();
    let bytes: f64 = windows.iter().map(|window| window.bytes).sum();
    let seconds: f64 = windows.iter().map(|window| window.seconds).sum();
    let rate = bytes * 8.0 / seconds;
    let rates: Vec<f64> = windows.iter().map(|window| window.bytes * 8.0 / window.seconds).collect();
    let times = 2.0 * TIME * segments.len() as f64 / seconds;
    let noise = half_of_mean(&rates).unwrap_or(rate * 2.0 / events as f64);
    let estimated = |rate: f64| Estimated::around(rate, noise + rate * (CLOCKS + times), events);
    let steady = estimated(rate)?;
    if !varies(&rates) {
        return Some(Capacity::steady(steady));
    }
    let first = windows.first().map_or(0.0, |window| window.at);
    let steps = windows.iter().zip(&rates).map(|(window, rate)| (window.at - first, *rate)).collect();
    Some(Capacity { rate: estimated(over_time(&windows))?, steps: Some(steps), steady })
}

fn span(segment: &[Arrival]) -> f64 {
    match segment {
        [first, .., last] => last.at - first.at,
        _ => 0.0,
    }
}

/// Cuts a segment into windows of about `length` seconds. The bytes of an arrival count from the one before it on.
fn windows(segment: &[Arrival], length: f64) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let Some(first) = segment.first() else { return windows };
    let mut open = Window { at: first.at, seconds: 0.0, bytes: 0.0 };
    for arrival in &segment[1..] {
        open.bytes += arrival.bytes;
        open.seconds = arrival.at - open.at;
        if open.seconds >= length {
            windows.push(open);
            open = Window { at: arrival.at, seconds: 0.0, bytes: 0.0 };
        }
    }
    match windows.last_mut() {
        // A short rest would be a noisy rate of its own.
        Some(last) if open.seconds < length / 2.0 => {
            last.bytes += open.bytes;
            last.seconds += open.seconds;
        }
        _ if open.seconds > 0.0 => windows.push(open),
        _ => {}
    }
    windows
}

/// The mean over time of a rate that varies: it drains its queue while it is high, so that windows are missing then, and a
/// window's rate holds until the next.
fn over_time(windows: &[Window]) -> f64 {
    let nexts = windows.iter().skip(1).map(|next| next.at).chain([f64::NEG_INFINITY]);
    let (bits, seconds) = windows.iter().zip(nexts).fold((0.0, 0.0), |(bits, seconds), (window, next)| {
        let held = (next - window.at).clamp(window.seconds, window.seconds + HOLD);
        (bits + window.bytes * 8.0 / window.seconds * held, seconds + held)
    });
    bits / seconds
}

/// Returns true if `rates` differ by more than noise, and eight of ten by at least 10 %.
///
/// A late arrival lengthens one window and shortens the next, so that noise correlates neighbours by -1/2, and von
/// Neumann's ratio (1941) is 3. A rate that varies brings it to 2 or less. Of 8 to 40 windows with such noise, 0.5 % have a
/// ratio below 3 - 5.5 / √n, by simulation: the rate of false alarms.
fn varies(rates: &[f64]) -> bool {
    let count = rates.len() as f64;
    if rates.len() < 8 {
        return false;
    }
    let mean = rates.iter().sum::<f64>() / count;
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    let steps: f64 = rates.windows(2).map(|two| (two[1] - two[0]).powi(2)).sum();
    let ordered = sorted(rates.iter().copied());
    let at = |place| quantile(&ordered, place).map_or(mean, |quantile| quantile.value);
    squares > 0.0 && steps / squares < 3.0 - 5.5 / count.sqrt() && at(0.9) - at(0.1) > 0.1 * mean
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of 1,500 bytes that arrive with these distances in seconds.
    fn segment(gaps: impl IntoIterator<Item = f64>) -> Vec<Arrival> {
        let mut at = 3.0;
        let mut step = |gap| {
            at += gap;
            Arrival { at, bytes: 1_500.0 }
        };
        gaps.into_iter().map(&mut step).collect()
    }

    #[test]
    fn equal_distances_are_the_rate_with_the_error_of_clocks_alone() {
        let found = capacity(&[segment([0.001; 501])]).expect("enough");
        assert!((found.rate.value / 12e6 - 1.0).abs() < 1e-9);
        assert!(found.rate.high / found.rate.low < 1.001 && found.steps.is_none(), "{found:?}");
    }

    #[test]
    fn packets_that_were_read_at_once_do_not_raise_the_rate() {
        let joined = (1..=60).map(|n| Arrival { at: f64::from(n) * 0.01, bytes: 15_000.0 }).collect();
        let found = capacity(&[joined]).expect("enough");
        assert!((found.rate.value / 12e6 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_interval_covers_the_rate_of_noisy_distances() {
        let noisy = segment((0..800).map(|n| 0.001 * (1.0 + 0.9 * f64::from(n * 7_919 % 101 - 50) / 50.0)));
        let found = capacity(&[noisy]).expect("enough").rate;
        assert!(found.low < 12e6 && 12e6 < found.high && found.high / found.low < 1.1, "{found:?}");
    }

    #[test]
    fn a_rate_that_halves_and_returns_is_a_varying_rate() {
        let gaps = (0..1_200).map(|n| if (400..800).contains(&n) { 0.002 } else { 0.001 });
        let steps = capacity(&[segment(gaps)]).expect("enough").steps.expect("it varies");
        let slow = steps.iter().filter(|step| step.1 < 7e6).count();
        assert!((17..=22).contains(&slow), "{steps:?}");
    }

    #[test]
    fn a_high_rate_that_drains_its_queue_counts_until_the_next() {
        let slow = segment([0.004; 101]);
        let fast = segment([0.000_5; 81]);
        let shifted = |segment: &[Arrival], by: f64| {
            segment.iter().map(|arrival| Arrival { at: arrival.at + by, ..*arrival }).collect::<Vec<_>>()
        };
        // 0.4 s at 3 Mbit/s, then 0.04 s at 24 Mbit/s, after which nothing waits until 0.8 s.
        let cycle = |by: f64| [shifted(&slow, by), shifted(&fast, by + 0.402)];
        let segments: Vec<_> = (0..4).flat_map(|n| cycle(0.8 * f64::from(n))).collect();
        let found = capacity(&segments).expect("enough");
        assert!(found.steps.is_some() && (found.rate.value / 13.5e6 - 1.0).abs() < 0.1, "{:?}", found.rate);
    }

    /// The alarms in 2,000 cases of 40 windows, whose rates come from two draws each: at the start and at the end.
    fn alarms(rate: impl Fn(f64, f64) -> f64) -> usize {
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let mut case = || {
            let draws: Vec<f64> = (0..41).map(|_| draw()).collect();
            varies(&draws.windows(2).map(|two| rate(two[0], two[1])).collect::<Vec<_>>())
        };
        (0..2_000).filter(|_| case()).count()
    }

    #[test]
    fn late_arrivals_are_a_varying_rate_in_one_of_hundred_cases() {
        let found = alarms(|begin, end| 1.0 / (1.0 + 0.4 * (end - begin)));
        assert!(found <= 20, "{found} of 2,000");
    }

    #[test]
    fn a_rate_that_changes_with_each_window_is_a_varying_rate() {
        let found = alarms(|_, end| 1.0 + end);
        assert!(found >= 1_200, "{found} of 2,000");
    }

    #[test]
    fn few_arrivals_are_no_rate() {
        assert_eq!(capacity(&[segment([0.001; 8])]), None);
        assert_eq!(capacity(&[]), None);
    }
}
