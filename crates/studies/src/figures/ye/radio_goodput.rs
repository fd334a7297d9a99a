//! The part that YE-F35, T2 and F36 share: the goodput and the length of runs over lossy radio links.

use super::super::results::Metric;
use crate::scale::StudyScale;

/// The panel of goodput.
pub(super) const GOODPUT: (&str, Metric) = ("goodput", Metric::Throughput);

/// So many seconds at full scale, a tenth at quick scale and 30 at least.
pub(super) fn seconds(scale: StudyScale, full: u32) -> u32 {
    match scale {
        StudyScale::Full => full,
        StudyScale::Quick => (full / 10).max(30),
    }
}
