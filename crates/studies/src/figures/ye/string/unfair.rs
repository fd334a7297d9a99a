//! The part that YE-F11 and F13 share: panels of two associations on the string, by the RTS threshold.

use super::super::super::figure::Panel;
use super::super::super::results::Metric;
use super::course::Quantity;
use super::{StringRun, panel};
use crate::scale::StudyScale;

/// The RTS thresholds: none is stated.
pub(super) const THRESHOLDS: [f64; 2] = [20.0, 256.0];
/// The curve of runs with both associations.
pub(super) const BOTH: &str = "both";

/// A panel of one curve.
pub(super) fn panel_of(
    about: ((&'static str, Metric), &str, Quantity),
    (name, run): (&'static str, StringRun),
    scale: StudyScale,
) -> Panel {
    let (of, title, quantity) = about;
    let points = THRESHOLDS.map(|threshold| (threshold, StringRun { threshold: threshold as u32, ..run }));
    panel(of, title, "RTS threshold in bytes", quantity, vec![(name, points.to_vec())], scale)
}
