//! The problem that every method solves: maximise Σ ηᵢ(cᵢ) with Σ cᵢ ≤ r and 1 ≤ cᵢ ≤ capᵢ (WS (56) to (60)).

use anabranch_models::{ModelError, PathParameters, WindowModel};

use crate::PlanError;

/// Curves of throughput by limit, and the buffer shared by the limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    curves: Vec<Vec<f64>>,
    search_limits: Vec<u32>,
    buffer: u32,
    /// The paths' indices in order of preference at a tie.
    preference: Vec<usize>,
    /// Limits of more than one packet up to this one are not chosen.
    missing_reports: u32,
}

/// The most points of all curves of a problem: 128 MiB of them, and several times that while one is solved.
pub const MOST_POINTS: u64 = 1 << 24;

/// The largest throughput accepted, in packets/s: sums of such values are finite.
const MOST_THROUGHPUT: f64 = 1e100;

/// An answer: a limit for each path.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    /// The limits in packets, in the order of the paths.
    pub limits: Vec<u32>,
    /// The throughput of all paths together, in packets/s.
    pub throughput: f64,
    /// The number of candidates compared: a measure of the work that does not depend on the machine.
    pub evaluations: u64,
}

impl Problem {
    /// The problem of `paths` that share a receive buffer of `buffer` packets, with curves by `model`. A path's limit
    /// is at most the one that fills it (WS (58)), and leaves each other path a packet.
    ///
    /// # Errors
    /// No path, a buffer of fewer packets than paths, a parameter outside the model's domain, or too many points.
    pub fn new(paths: &[PathParameters], buffer: u32, model: &dyn WindowModel) -> Result<Problem, PlanError> {
        let most = largest_limit(paths.len(), buffer)?;
        paths.iter().try_for_each(PathParameters::check)?;
        check_points(paths.iter().map(|path| u64::from(path.cap().min(most))).sum())?;
        let curve = |path: &PathParameters| Ok(model.curve(path, path.cap().min(most))?);
        let curves = paths.iter().map(curve).collect::<Result<_, PlanError>>()?;
        let search_limits = paths.iter().map(|path| path.cap().min(buffer)).collect();
        let preference = ranked(paths);
        Problem { curves, search_limits, buffer, preference, missing_reports: 0 }.checked()
    }

    /// The problem with given curves: the value for limit `c` at `c − 1` of each; every curve has a value. Values beyond the
    /// largest limit that leaves each other path a packet are cut off.
    ///
    /// # Errors
    /// No path, an empty curve, a value that cannot be a throughput, too small a buffer, or more than [`MOST_POINTS`].
    pub fn from_curves(mut curves: Vec<Vec<f64>>, buffer: u32) -> Result<Problem, PlanError> {
        let most = largest_limit(curves.len(), buffer)?;
        let search_limits = curves.iter().map(|curve| curve.len().min(buffer as usize) as u32).collect();
        curves.iter_mut().for_each(|curve| curve.truncate(most as usize));
        let preference = (0..curves.len()).collect();
        Problem { curves, search_limits, buffer, preference, missing_reports: 0 }.checked()
    }

    /// The same problem without the limits of 2 to `missing_reports` packets; 0, the default, allows all. A chunk is
    /// marked lost after this many reports of later ones, so that a window of no more packets has no fast retransmit:
    /// each loss waits for a time-out, and data delivered by other paths behind it waits in the shared buffer. A model
    /// of independent paths does not include that. A limit of one packet stays: every path needs one.
    ///
    /// Here such limits carry as much as one packet, so that no method gains by them; the greedy method, which looks
    /// one packet ahead, leaves every such path at one.
    #[must_use]
    pub fn without_short_windows(mut self, missing_reports: u32) -> Problem {
        self.missing_reports = missing_reports;
        self.curves.iter_mut().for_each(|curve| flatten(curve, missing_reports));
        self
    }

    /// Returns true if a limit of this many packets may be chosen.
    pub(crate) fn allows(&self, limit: u32) -> bool {
        limit <= 1 || limit > self.missing_reports
    }

    /// The largest limit excluded by [`without_short_windows`](Self::without_short_windows); 0 if there is none.
    pub(crate) fn missing_reports(&self) -> u32 {
        self.missing_reports
    }

    /// The receive buffer, in packets.
    pub fn buffer(&self) -> u32 {
        self.buffer
    }

    /// The throughput of each path by limit, in packets/s.
    pub fn curves(&self) -> &[Vec<f64>] {
        &self.curves
    }

    /// aᵢ = min(r, capᵢ) of each path, in packets (WS (61)): the largest limit that an exhaustive search tries, even if
    /// it leaves another path no packet.
    pub(crate) fn search_limits(&self) -> &[u32] {
        &self.search_limits
    }

    /// The paths' indices in order of preference at a tie: the higher rate, then the shorter delay, then the lower
    /// index (M-CWM-2's rank, M-CWM-4); the order of the curves where only those are known.
    pub fn preference(&self) -> &[usize] {
        &self.preference
    }

    /// The throughput of all paths with these limits, one for each path; `None` where one is outside its curve.
    pub fn throughput(&self, limits: &[u32]) -> Option<f64> {
        let value = |(curve, limit): (&Vec<f64>, &u32)| curve.get((*limit as usize).checked_sub(1)?).copied();
        self.curves.iter().zip(limits).map(value).sum()
    }

    /// The allocation of `limits`, found with `evaluations` comparisons. A limit outside its curve carries nothing.
    pub(crate) fn allocation(&self, limits: Vec<u32>, evaluations: u64) -> Allocation {
        let throughput = self.throughput(&limits).unwrap_or_default();
        Allocation { limits, throughput, evaluations }
    }

    /// The largest limit that leaves each other path a packet.
    pub(crate) fn largest_limit(&self) -> u32 {
        self.buffer - self.curves.len() as u32 + 1
    }

    /// The same problem with another curve for one path.
    pub(crate) fn with_curve(&self, path: usize, curve: Vec<f64>) -> Result<Problem, PlanError> {
        let (mut other, mut curve) = (self.clone(), curve);
        flatten(&mut curve, self.missing_reports);
        other.search_limits[path] = (curve.len() as u32).min(self.buffer);
        other.curves[path] = curve;
        other.checked()
    }

    fn checked(self) -> Result<Problem, PlanError> {
        check_points(self.curves.iter().map(|curve| curve.len() as u64).sum())?;
        for (path, curve) in self.curves.iter().enumerate() {
            if curve.is_empty() {
                return Err(PlanError::Model(ModelError::NoWindow));
            }
            if let Some(place) = curve.iter().position(|value| !(0.0..=MOST_THROUGHPUT).contains(value)) {
                return Err(PlanError::Curve { path, limit: place + 1, value: curve[place] });
            }
        }
        Ok(self)
    }
}

/// Sets the value of limits up to `most` packets to that of the first one.
fn flatten(curve: &mut [f64], most: u32) {
    let short = curve.len().min(most as usize);
    if let [one, more @ ..] = &mut curve[..short] {
        more.fill(*one);
    }
}

fn check_points(points: u64) -> Result<(), PlanError> {
    if points > MOST_POINTS { Err(PlanError::TooLong { points, most: MOST_POINTS }) } else { Ok(()) }
}

/// The largest limit that leaves each other path a packet.
fn largest_limit(paths: usize, buffer: u32) -> Result<u32, PlanError> {
    if paths == 0 {
        return Err(PlanError::NoPath);
    }
    match u32::try_from(paths).ok().and_then(|paths| buffer.checked_sub(paths)) {
        Some(left) => Ok(left + 1),
        None => Err(PlanError::BufferTooSmall { buffer, paths }),
    }
}

/// The paths' indices by rank (M-CWM-2): the higher rate, then the shorter delay, then the lower index.
pub(crate) fn ranked(paths: &[PathParameters]) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..paths.len()).collect();
    ranked.sort_by(|&one, &other| {
        let (one, other) = (&paths[one], &paths[other]);
        other.rate.total_cmp(&one.rate).then(one.delay.total_cmp(&other.delay))
    });
    ranked
}
