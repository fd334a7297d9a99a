//! The part that YE-F33 and F34 share: the congestion window over time, as numbers: its cuts, their times, and its
//! variation.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_scenario::Scenario;
use anabranch_sim::Watch;
use anabranch_sim::observe::{Host, Observation, PathSeen, Seen};

use super::super::claim::Number;
use super::super::figure::{Axis, FigureCurve, Panel, Spacing, ValueSource};
use super::super::observed::{ObservedRun, Reader};
use super::super::results::Metric;
use super::radio::{RadioResponse, RadioRun};
use super::{RadioChoice, at, seeds};
use crate::scale::StudyScale;

/// The curves.
pub(super) const AWARE: &str = "wireless-aware";
pub(super) const STANDARD: &str = "standard";

/// 1 % of all packets in the good states, and each link bad for 1 % of the time.
pub(super) const X: f64 = 1.0;
/// The length of a run.
pub(super) const SECONDS: u32 = 200;

/// A curve's mean.
pub(super) fn mean(of: (&'static str, Metric), series: &'static str) -> Number {
    Number::Mean(vec![at(of, series, X)])
}

/// A panel of one quantity; with datagrams, where it is flooded.
pub(super) fn panel(
    (name, metric): (&'static str, Metric),
    title: &str,
    series: &[&'static str],
    (choice, is_flooded): (RadioChoice, bool),
    scale: StudyScale,
    reader: fn(&Scenario) -> Box<dyn Reader>,
) -> Panel {
    let watch = Watch { paths: true, ..Watch::default() };
    let curve = |name: &'static str| {
        let response = if name == AWARE { RadioResponse::AWARE } else { RadioResponse::Standard };
        let states = Some((9.9, 0.1));
        let run = RadioRun { response, loss: 0.01, states, is_flooded, seconds: SECONDS, ..choice.run() };
        let observed = ObservedRun { scenario: run.scenario(), watch, reader };
        FigureCurve { name, points: vec![(X, ValueSource::Observed(observed))] }
    };
    Panel {
        name,
        title: title.to_owned(),
        axis: Axis { label: "random losses, %", spacing: Spacing::Even },
        metric,
        series: series.iter().copied().map(curve).collect(),
        seeds: seeds(scale),
        beside: &[],
    }
}

/// The quantity that is read from a window's course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// The number of cuts.
    Cuts,
    /// The least window after it reached [`FULL`], in packets; 0 if it never did.
    Least,
    /// The share of the cuts that follow the begin of a flood within a second.
    CutsAtFloods,
    /// The share of the floods with one cut until the next flood.
    FloodsThatCutOnce,
    /// The cuts from one flood to the next, on average.
    CutsOfFlood,
    /// The standard deviation over time, in packets.
    Spread,
}

/// The sender's window over time.
#[derive(Debug)]
pub(super) struct Trace {
    quantity: Quantity,
    /// The values and when each began, in order.
    windows: Vec<(Time, ByteCount)>,
}

impl Trace {
    /// Returns the reader of the quantity.
    pub(super) fn of(quantity: Quantity) -> Box<dyn Reader> {
        Box::new(Trace { quantity, windows: Vec::new() })
    }

    fn on_path(&mut self, at: Time, seen: &PathSeen) {
        let is_new = self.windows.last().is_none_or(|(_, window)| *window != seen.cwnd);
        if seen.flow == 0 && seen.host == Host::First && is_new {
            self.windows.push((at, seen.cwnd));
        }
    }

    /// When the window was cut.
    fn cuts(&self) -> impl Iterator<Item = Time> {
        self.windows.windows(2).filter(|pair| pair[1].1 < pair[0].1).map(|pair| pair[1].0)
    }

    fn least(&self) -> f64 {
        let full = self.windows.iter().position(|(_, window)| *window >= PACKET * FULL);
        let after = full.map_or(&[][..], |index| &self.windows[index..]);
        after.iter().map(|(_, window)| packets(*window)).reduce(f64::min).unwrap_or_default()
    }

    fn cuts_at_floods(&self) -> f64 {
        let (all, near) = self.cuts().fold((0_u32, 0_u32), |(all, near), cut| {
            let is_near = flood_before(cut).is_some_and(|flood| cut.since(flood) <= Duration::from_secs(1));
            (all + 1, near + u32::from(is_near))
        });
        f64::from(near) / f64::from(all)
    }

    /// The cuts from each flood to the next.
    fn by_flood(&self) -> Vec<u32> {
        let floods = (u64::from(SECONDS) - FIRST_FLOOD) / BETWEEN_FLOODS;
        let mut cuts = vec![0; floods as usize];
        for flood in self.cuts().filter_map(flood_before) {
            let index = (flood.since(Time::ZERO).as_nanos() / SECOND - FIRST_FLOOD) / BETWEEN_FLOODS;
            if let Some(count) = cuts.get_mut(index as usize) {
                *count += 1;
            }
        }
        cuts
    }

    fn floods_that_cut_once(&self) -> f64 {
        let cuts = self.by_flood();
        cuts.iter().filter(|count| **count == 1).count() as f64 / cuts.len() as f64
    }

    fn cuts_of_flood(&self) -> f64 {
        let cuts = self.by_flood();
        f64::from(cuts.iter().sum::<u32>()) / cuts.len() as f64
    }

    fn spread(&self) -> f64 {
        let end = Time::ZERO + Duration::from_secs(SECONDS.into());
        let ends = self.windows.iter().skip(1).map(|(at, _)| *at).chain([end]);
        let (mut time, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for ((begun, window), ended) in self.windows.iter().zip(ends) {
            let (span, window) = (ended.since(*begun).as_secs_f64(), packets(*window));
            time += span;
            sum += span * window;
            squares += span * window * window;
        }
        (squares / time - (sum / time) * (sum / time)).max(0.0).sqrt()
    }
}

impl Reader for Trace {
    fn take(&mut self, seen: &Observation) {
        if let Seen::Path(path) = &seen.what {
            self.on_path(seen.at, path);
        }
    }

    fn value(&self) -> f64 {
        match self.quantity {
            Quantity::Cuts => self.cuts().count() as f64,
            Quantity::Least => self.least(),
            Quantity::CutsAtFloods => self.cuts_at_floods(),
            Quantity::FloodsThatCutOnce => self.floods_that_cut_once(),
            Quantity::CutsOfFlood => self.cuts_of_flood(),
            Quantity::Spread => self.spread(),
        }
    }
}

/// The begin of the last flood at a time.
fn flood_before(at: Time) -> Option<Time> {
    let since = (at.since(Time::ZERO).as_nanos() / SECOND).checked_sub(FIRST_FLOOD)?;
    let begun = FIRST_FLOOD + since / BETWEEN_FLOODS * BETWEEN_FLOODS;
    Some(Time::ZERO + Duration::from_secs(begun))
}

fn packets(window: ByteCount) -> f64 {
    window.get() as f64 / PACKET.get() as f64
}

const PACKET: ByteCount = ByteCount::new(1_500);
/// The window that the receive window of 32 packets lets grow, in packets.
const FULL: u64 = 33;
/// In seconds.
const FIRST_FLOOD: u64 = 10;
const BETWEEN_FLOODS: u64 = 5;
const SECOND: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(windows: &[(u64, u64)]) -> Trace {
        let at = |(ms, packets): &(u64, u64)| (Time::ZERO + Duration::from_millis(*ms), PACKET * *packets);
        Trace { quantity: Quantity::Cuts, windows: windows.iter().map(at).collect() }
    }

    #[test]
    fn cuts_count_by_the_flood_before_them() {
        let trace = trace(&[(0, 2), (3_000, 33), (10_500, 16), (12_000, 15), (14_000, 33), (15_900, 10)]);
        assert_eq!(trace.cuts().count(), 3);
        assert_eq!(trace.least(), 10.0);
        // At 10.5 s and at 15.9 s, not at 12 s.
        assert!((trace.cuts_at_floods() - 2.0 / 3.0).abs() < 1e-12);
        // The first flood cut twice, the second once, the other 36 never.
        assert!((trace.floods_that_cut_once() - 1.0 / 38.0).abs() < 1e-12);
        assert!((trace.cuts_of_flood() - 3.0 / 38.0).abs() < 1e-12);
    }

    #[test]
    fn the_spread_weighs_windows_with_their_time() {
        // Half of 200 s each: the deviation is half of the difference.
        assert!((trace(&[(0, 10), (100_000, 20)]).spread() - 5.0).abs() < 1e-9);
        assert_eq!(trace(&[(0, 10)]).spread(), 0.0);
    }

    #[test]
    fn a_window_that_never_was_full_has_no_least() {
        assert_eq!(trace(&[(0, 2), (10, 32)]).least(), 0.0);
    }
}
