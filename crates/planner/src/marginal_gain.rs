//! The gain by a larger receive buffer: by the next packet, and the size beyond which there is no gain, from a few
//! exact optima.

use anabranch_models::{PathParameters, WindowModel};

use crate::candidates::Candidates;
use crate::exact::best;
use crate::{PlanError, Problem};

/// The gain by a larger receive buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginalGain {
    /// The best throughput with the buffer, in packets/s.
    pub throughput: f64,
    /// The gain by one more packet, in packets/s.
    pub next_packet: f64,
    /// The best throughput with any buffer, in packets/s: every path at its best limit.
    pub most: f64,
    /// The smallest buffer, in packets, whose throughput is within a part of `NEGLIGIBLE_GAIN` of
    /// [`most`](Self::most).
    pub enough: u32,
}

/// A smaller gain, as a part of [`MarginalGain::most`], is neglected.
pub(crate) const NEGLIGIBLE_GAIN: f64 = 1e-9;

/// The gain of `paths` by a buffer of more than `buffer` packets, by `model`: about twenty exact optima.
///
/// # Errors
/// As [`Problem::new`] and [`crate::exact`], for the buffer that fills all paths.
pub fn marginal_gain(
    paths: &[PathParameters],
    buffer: u32,
    model: &dyn WindowModel,
) -> Result<MarginalGain, PlanError> {
    let least = u32::try_from(paths.len()).unwrap_or(u32::MAX);
    if buffer < least {
        return Err(PlanError::BufferTooSmall { buffer, paths: paths.len() });
    }
    let filling = paths.iter().fold(0, |sum: u32, path| sum.saturating_add(path.cap())).max(least);
    let problem = Problem::new(paths, filling, model)?;
    let candidates = Candidates::all(&problem);
    let throughput = |buffer: u32| {
        let (limits, _) = best(&candidates, buffer.min(filling), problem.preference())?;
        Ok::<f64, PlanError>(problem.throughput(&limits).unwrap_or_default())
    };
    let most = throughput(filling)?;
    let (mut too_small, mut enough) = (least - 1, filling);
    while enough - too_small > 1 {
        let middle = too_small + (enough - too_small) / 2;
        if throughput(middle)? >= most * (1.0 - NEGLIGIBLE_GAIN) {
            enough = middle;
        } else {
            too_small = middle;
        }
    }
    let (now, next) = (throughput(buffer)?, throughput(buffer.saturating_add(1))?);
    Ok(MarginalGain { throughput: now, next_packet: (next - now).max(0.0), most, enough })
}
