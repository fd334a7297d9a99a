//! One search for the largest packet: chooses the size of the next probe.

use anabranch_base::ByteCount;

use super::sizes::{between, usual_below};
use super::{MAX_PROBES, MtuBounds};

/// The state of a search.
///
/// The largest size is tried first, because most paths carry it: then the search ends within a round trip. The base
/// is next; its answer tells whether the path carries any useful size. If the base is not answered, the least size
/// follows. Then the usual sizes between the largest answered and the unanswered ones are tried. The sizes are tried
/// again, up to [`MAX_PROBES`] times, because a probe may be lost for other reasons. Finally the remaining interval
/// is halved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    aim: Aim,
    bounds: MtuBounds,
    /// The largest size to try.
    top: ByteCount,
    /// The largest size that was answered.
    proven: Option<ByteCount>,
    attempt: u32,
    /// The number of the first sizes that were tried in this attempt.
    opened: usize,
    /// The last of the usual sizes that was tried in this attempt.
    last: Option<ByteCount>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// Searches up to the largest size, from the current size if there is one.
    Search,
    /// Checks whether the current size still arrives. It is probed twice, because data stops if it is not answered.
    Check,
    /// Halves the interval between an answered and an unanswered size.
    Halve {
        /// The unanswered size.
        refused: ByteCount,
    },
}

/// The effect of an answer on the search.
#[derive(Clone, Copy, Debug)]
pub(super) enum ProbeOutcome {
    /// The search continues.
    GoesOn,
    /// The search continues in a smaller interval.
    Closer(Course),
    /// No larger size is left to try.
    Over,
}

impl Course {
    /// A search up to the largest size; `proven` is known to arrive.
    pub fn search(bounds: MtuBounds, proven: Option<ByteCount>) -> Course {
        Course { aim: Aim::Search, bounds, top: bounds.largest, proven, attempt: 0, opened: 0, last: None }
    }

    /// A check of the size `current`.
    pub fn check(bounds: MtuBounds, current: ByteCount) -> Course {
        Course { aim: Aim::Check, top: current, ..Course::search(bounds, None) }
    }

    /// The next size to probe in this attempt.
    pub fn next_size(&mut self) -> Option<ByteCount> {
        if let Aim::Halve { refused } = self.aim {
            self.opened += 1;
            return between(self.proven?, refused).filter(|_| self.opened == 1);
        }
        let MtuBounds { base, least, .. } = self.bounds;
        let top = self.top;
        let first: &[ByteCount] = match self.aim {
            Aim::Check => &[top, top, base, least],
            _ => &[top, base, least],
        };
        while let Some(&size) = first.get(self.opened) {
            self.opened += 1;
            if self.proven.is_none_or(|proven| size > proven) {
                return Some(size);
            }
        }
        let proven = self.proven?;
        self.last = usual_below(self.last.unwrap_or(top)).filter(|size| *size > proven);
        self.last
    }

    /// A probe of `size` was answered.
    pub fn on_answered(&mut self, size: ByteCount) -> ProbeOutcome {
        self.proven = self.proven.max(Some(size));
        match (self.aim, self.proven) {
            (Aim::Halve { refused }, Some(proven)) => {
                self.closer(proven, refused).map_or(ProbeOutcome::Over, ProbeOutcome::Closer)
            }
            _ if size >= self.top => ProbeOutcome::Over,
            _ => ProbeOutcome::GoesOn,
        }
    }

    /// No more answers are awaited. Returns the search that follows, if there is one: another attempt, or a smaller
    /// interval.
    pub fn on_unanswered(self) -> Option<Course> {
        let again = Course { attempt: self.attempt + 1, opened: 0, last: None, ..self };
        if again.attempt < MAX_PROBES {
            return Some(again);
        }
        let proven = self.proven?;
        let refused = match self.aim {
            // The size in the middle was not answered either.
            Aim::Halve { refused } => between(proven, refused)?,
            _ => self.least_above(proven),
        };
        self.closer(proven, refused)
    }

    /// The largest size that was answered.
    pub fn proven(&self) -> Option<ByteCount> {
        self.proven
    }

    /// Returns true if it checks the current size.
    pub fn is_check(&self) -> bool {
        self.aim == Aim::Check
    }

    fn closer(self, proven: ByteCount, refused: ByteCount) -> Option<Course> {
        between(proven, refused)?;
        Some(Course { aim: Aim::Halve { refused }, ..Course::search(self.bounds, Some(proven)) })
    }

    /// The least usual size above `proven`, at most the top; it was tried.
    fn least_above(&self, proven: ByteCount) -> ByteCount {
        let mut least = self.top;
        while let Some(size) = usual_below(least).filter(|size| *size > proven) {
            least = size;
        }
        least
    }
}
