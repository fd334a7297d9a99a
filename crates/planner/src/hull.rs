//! The concave hull of each curve, filled from its steepest segment on: a feasible answer, and an upper bound for every
//! answer.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::candidates::{Candidate, Candidates};
use crate::{Allocation, Problem};

/// An answer with an upper bound for all others.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The answer.
    pub allocation: Allocation,
    /// The upper bound for every allocation, in packets/s, rounding aside.
    pub upper_bound: f64,
    /// The largest possible gain by one more packet of buffer, in packets/s; 0 where the buffer is not used up.
    pub price: f64,
}

impl Certificate {
    /// The largest possible shortfall of the answer from the optimum, as a part of the bound; 0 means that it is
    /// optimal.
    pub fn gap(&self) -> f64 {
        if self.upper_bound > 0.0 {
            (1.0 - self.allocation.throughput / self.upper_bound).max(0.0)
        } else {
            0.0
        }
    }
}

/// Takes the segments of all hulls in order of slope until the buffer is used up; of the segment that does not fit, the
/// largest limit that fits. If every curve were its hull, that segment could be taken in part: this gives the bound.
/// The work grows with the number of points, for problems of any size.
pub fn hull(problem: &Problem) -> Certificate {
    let filled = FilledHulls::new(&Candidates::all(problem), problem.buffer());
    let allocation = problem.allocation(filled.limits, filled.segments);
    Certificate { allocation, upper_bound: filled.bound, price: filled.price }
}

/// The hulls of candidates, filled up to a buffer.
#[derive(Debug)]
pub(crate) struct FilledHulls {
    /// A feasible answer.
    pub limits: Vec<u32>,
    /// The value, summed segment by segment.
    pub value: f64,
    /// The upper bound for every choice of candidates.
    pub bound: f64,
    /// The slope of the first segment that did not fit whole; 0 if all did.
    pub price: f64,
    /// The number of segments.
    pub segments: u64,
}

impl FilledHulls {
    /// Fills `buffer` packets, at least the sum of the smallest limits.
    pub(crate) fn new(candidates: &Candidates, buffer: u32) -> FilledHulls {
        let lists = candidates.lists();
        let mut limits: Vec<u32> = lists.iter().map(|list| list[0].limit).collect();
        let mut value: f64 = lists.iter().map(|list| list[0].value).sum();
        let mut room = u64::from(buffer) - limits.iter().map(|limit| u64::from(*limit)).sum::<u64>();
        let hulls: Vec<Vec<Candidate>> = lists.iter().map(|list| hull_of(list)).collect();
        let segments = hulls.iter().map(|corners| corners.len() as u64 - 1).sum();
        let first = |path| Segment::of(&hulls, path, 0);
        let mut steepest: BinaryHeap<Segment> = (0..hulls.len()).filter_map(first).collect();
        while let Some(Segment { path, corner, slope }) = steepest.pop() {
            let (from, to) = (hulls[path][corner], hulls[path][corner + 1]);
            let length = u64::from(to.limit - from.limit);
            if length > room {
                let bound = value + slope * room as f64;
                let last = within(&lists[path], u64::from(from.limit) + room);
                limits[path] = last.limit;
                return FilledHulls {
                    limits,
                    value: value + last.value - from.value,
                    bound,
                    price: slope,
                    segments,
                };
            }
            room -= length;
            limits[path] = to.limit;
            value += to.value - from.value;
            steepest.extend(Segment::of(&hulls, path, corner + 1));
        }
        FilledHulls { limits, value, bound: value, price: 0.0, segments }
    }
}

/// A straight segment of a path's hull, from one corner to the next.
struct Segment {
    path: usize,
    corner: usize,
    slope: f64,
}

impl Segment {
    fn of(hulls: &[Vec<Candidate>], path: usize, corner: usize) -> Option<Segment> {
        let slope = slope(&hulls[path][corner], hulls[path].get(corner + 1)?);
        Some(Segment { path, corner, slope })
    }
}

impl Ord for Segment {
    /// By slope; of equal slopes the lower index is the greater.
    fn cmp(&self, other: &Segment) -> Ordering {
        self.slope.total_cmp(&other.slope).then(other.path.cmp(&self.path))
    }
}

impl PartialOrd for Segment {
    fn partial_cmp(&self, other: &Segment) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Segment {
    fn eq(&self, other: &Segment) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Segment {}

/// The corners of the smallest concave curve above a list.
fn hull_of(list: &[Candidate]) -> Vec<Candidate> {
    let mut corners: Vec<Candidate> = Vec::new();
    for &candidate in list {
        while let [.., before, last] = corners[..]
            && slope(&before, &last) <= slope(&last, &candidate)
        {
            corners.pop();
        }
        corners.push(candidate);
    }
    corners
}

fn slope(from: &Candidate, to: &Candidate) -> f64 {
    (to.value - from.value) / f64::from(to.limit - from.limit)
}

/// The largest candidate of at most `most` packets; the first if there is none.
fn within(list: &[Candidate], most: u64) -> Candidate {
    let beyond = list.partition_point(|candidate| u64::from(candidate.limit) <= most);
    list[beyond.saturating_sub(1)]
}
