//! The part that IY-F5 and IY-F6 share: the same times are compared under losses, with and without delayed SACKs.

use super::super::claim::Number;
use super::super::results::{CurvePoints, Metric};

/// The ratio of two curves' times.
pub(super) fn ratio(panel: &'static str, one: &'static str, two: &'static str, x: Vec<f64>) -> Number {
    Number::Ratio(time(panel, one, x.clone()), time(panel, two, x))
}

/// A curve's times.
pub(super) fn time(panel: &'static str, series: &'static str, x: Vec<f64>) -> CurvePoints {
    CurvePoints { panel, series, metric: Metric::Time, x }
}

/// A panel's title.
pub(super) fn title(loss: f64) -> String {
    format!("{} % of the packets lost", loss * 100.0)
}
