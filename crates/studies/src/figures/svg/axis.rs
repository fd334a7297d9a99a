//! The axes of a drawing: which part of the plane is drawn, and where ticks are.

use std::cmp::Ordering;
use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;

use super::IntervalPoints;
use crate::figures::by_seed::ConfidenceInterval;
use crate::figures::figure::Spacing;

/// The part of the plane that is drawn.
pub(super) struct PlotRange {
    pub across: Range<f64>,
    pub up: Range<f64>,
}

impl PlotRange {
    /// Around all means, and from zero where the axis has one. Intervals add at most half of the means' height above
    /// and below: with few seeds some are many times as long as the curves are high.
    pub(super) fn around(all: &[&IntervalPoints], spacing: Spacing) -> PlotRange {
        let values = |of: fn(&ConfidenceInterval) -> f64| {
            let found = all.iter().flat_map(|points| points.iter()).map(|(_, found)| of(found));
            found.fold((0.0, 0.0), extended)
        };
        let (bottom, top) = values(|found| found.mean);
        let more = if top > bottom { (top - bottom) / 2.0 } else { f64::INFINITY };
        // A quantity whose means are all positive has no negative values that an interval could reach.
        let bottom = if bottom < 0.0 { values(|found| found.low()).0.max(bottom - more) } else { 0.0 };
        let top = values(|found| found.high()).1.min(top + more);
        let nothing = match spacing {
            Spacing::Even => (0.0, 1.0),
            Spacing::Logarithmic => (f64::INFINITY, f64::NEG_INFINITY),
        };
        let places = all.iter().flat_map(|points| points.iter()).map(|(x, _)| spacing.along(*x));
        let (left, right) = with_width(places.fold(nothing, extended));
        let (bottom, top) = with_width((bottom, top));
        // Points at the ends keep off the frame.
        let margin = (right - left) * 0.02;
        PlotRange { across: left - margin..right + margin, up: bottom * 1.05..top * 1.05 }
    }
}

/// The range with this value in it.
fn extended((low, high): (f64, f64), value: f64) -> (f64, f64) {
    (low.min(value), high.max(value))
}

/// The range, or one of width 1 where there is a single value or none.
fn with_width((low, high): (f64, f64)) -> (f64, f64) {
    match low.partial_cmp(&high) {
        Some(Ordering::Less) => (low, high),
        Some(Ordering::Equal) => (low, low + 1.0),
        _ => (0.0, 1.0),
    }
}

impl Spacing {
    /// Where a value lies along the axis.
    pub fn along(self, x: f64) -> f64 {
        match self {
            Spacing::Even => x,
            Spacing::Logarithmic => x.log10(),
        }
    }
}

/// Ticks in their order: where each lies along the axis, and what is written there.
type Ticks = Vec<(f64, String)>;

/// An axis as the drawing library asks for one.
pub(super) struct TickedAxis {
    range: Range<f64>,
    ticks: Ticks,
}

impl TickedAxis {
    /// With the ticks within this range along it, at numbers that are short in decimal.
    pub(super) fn over(range: Range<f64>, spacing: Spacing) -> TickedAxis {
        let ticks = match spacing {
            Spacing::Even => even(&range),
            Spacing::Logarithmic => logarithmic(&range),
        };
        TickedAxis { range, ticks }
    }
}

impl Ranged for TickedAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.range.clone()).map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Light points are lines without a label; there are none.
        let bold = self.ticks.iter().filter(|_| !hint.weight().allow_light_points());
        bold.map(|(along, _)| *along).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for TickedAxis {
    fn format_ext(&self, along: &f64) -> String {
        let tick = self.ticks.iter().find(|(tick, _)| tick == along);
        tick.map_or_else(String::new, |(_, label)| label.clone())
    }
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn even(range: &Range<f64>) -> Ticks {
    let least = (range.end - range.start) / MOST_TICKS;
    let power = least.log10().floor();
    let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * 10_f64.powf(power));
    let step = step.into_iter().find(|step| *step >= least).unwrap_or(least);
    let decimals = decimals(step);
    let (first, last) = ((range.start / step).ceil() as i64, (range.end / step).floor() as i64);
    let tick = |count: i64| (count as f64 * step, written(count as f64 * step, decimals));
    (first..=last).map(tick).collect()
}

/// The powers of ten, with more digits between them as far as there is room.
fn logarithmic(range: &Range<f64>) -> Ticks {
    let of_digits = |digits: &[f64]| {
        let powers = range.start.floor() as i32..=range.end.floor() as i32;
        let values = powers.flat_map(|power| digits.iter().map(move |digit| (power, digit)));
        let tick = |(power, digit): (i32, &f64)| {
            let value = digit * 10_f64.powi(power);
            (value.log10(), written(value, decimals(10_f64.powi(power))))
        };
        values.map(tick).filter(|(along, _)| range.contains(along)).collect::<Ticks>()
    };
    let every = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    let sets = [&every[..], &[1.0, 2.0, 5.0], &[1.0, 3.0]].map(of_digits);
    let fits = sets.into_iter().find(|ticks| ticks.len() as f64 <= MOST_TICKS);
    fits.unwrap_or_else(|| of_digits(&[1.0]))
}

/// The number of decimals a multiple of this number has.
fn decimals(step: f64) -> usize {
    // A little more than the logarithm, which may come out below a whole number.
    (-(step.log10() + 1e-9).floor()).max(0.0) as usize
}

fn written(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}").replace('-', "−")
}

const MOST_TICKS: f64 = 10.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &TickedAxis) -> String {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_at_numbers_that_are_short_in_decimal() {
        let even = |range| labels(&TickedAxis::over(range, Spacing::Even));
        assert_eq!(even(-41.0..41.0), "−40 −30 −20 −10 0 10 20 30 40");
        assert_eq!(even(0.0..0.43), "0.00 0.05 0.10 0.15 0.20 0.25 0.30 0.35 0.40");
        assert_eq!(even(-2.5..1.5), "−2.5 −2.0 −1.5 −1.0 −0.5 0.0 0.5 1.0 1.5");
    }

    #[test]
    fn ticks_of_a_logarithmic_axis_are_values_and_become_fewer_over_many_powers() {
        let values = |least: f64, most: f64| {
            let range = least.log10() - 0.01..most.log10() + 0.01;
            labels(&TickedAxis::over(range, Spacing::Logarithmic))
        };
        assert_eq!(values(46.0, 320.0), "50 60 70 80 90 100 200 300");
        assert_eq!(values(1e-4, 0.1), "0.0001 0.0002 0.0005 0.001 0.002 0.005 0.01 0.02 0.05 0.1");
        assert_eq!(values(1e-4, 1.0), "0.0001 0.0003 0.001 0.003 0.01 0.03 0.1 0.3 1");
        assert_eq!(values(1e-6, 1.0), "0.000001 0.00001 0.0001 0.001 0.01 0.1 1");
    }

    #[test]
    fn an_interval_many_times_as_long_as_the_curve_is_high_leaves_the_curve_visible() {
        let found = |mean, half| ConfidenceInterval { mean, half };
        let short = vec![(1.0, found(8.0, 0.5)), (2.0, found(4.0, 0.0))];
        assert_eq!(PlotRange::around(&[&short], Spacing::Even).up, 0.0..8.5 * 1.05);
        let long = vec![(1.0, found(8.0, 900.0)), (2.0, found(4.0, 0.0))];
        assert_eq!(PlotRange::around(&[&long], Spacing::Even).up, 0.0..12.0 * 1.05);
        let below = vec![(1.0, found(8.0, 0.0)), (2.0, found(-4.0, 900.0))];
        assert_eq!(PlotRange::around(&[&below], Spacing::Even).up, -10.0 * 1.05..14.0 * 1.05);
    }

    #[test]
    fn a_panel_of_one_point_or_of_none_has_axes_too() {
        let zero = vec![(100.0, ConfidenceInterval { mean: 0.0, half: 0.0 })];
        for (all, ticks) in [(vec![&zero], "200 300 400 500 600 700 800 900"), (vec![], "2 3 4 5 6 7 8 9")] {
            let range = PlotRange::around(&all, Spacing::Logarithmic);
            assert_eq!(range.up, 0.0..1.05);
            let labels = labels(&TickedAxis::over(range.across, Spacing::Logarithmic));
            assert!(labels.contains(ticks), "{labels}");
        }
    }
}
