//! One search for the largest packet: chooses the size of the next probe.

use anabranch_base::ByteCount;

use super::sizes::{between, usual_below};
use super::{MAX_PROBES, MtuBounds};

/// How far a search has come.
///
/// The largest size is tried first, because it is right on most paths: then the search is over within a round trip.
/// The base follows, which says whether the path carries anything of use, and the least where even that is not
/// answered. Then come the usual sizes between the largest that was answered and those that were not, and all again, up to
/// [`MAX_PROBES`] times, because a probe may be lost for other reasons; at last halves of what is left between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    aim: Aim,
    bounds: MtuBounds,
    /// The largest size to be tried.
    top: ByteCount,
    /// The largest that was answered.
    proven: Option<ByteCount>,
    attempt: u32,
    /// How many of the sizes that come first in each attempt have had their turn.
    opened: usize,
    /// The last of the usual sizes that was tried in this attempt.
    last: Option<ByteCount>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// From nothing, or from what is in use, to the largest.
    Search,
    /// Whether what is in use still gets through: tried twice, because data stops where the answer is no.
    Check,
    /// Between a size that was answered and one that was not.
    Halve {
        /// The one that was not.
        refused: ByteCount,
    },
}

/// What follows from an answer for the search.
#[derive(Clone, Copy, Debug)]
pub(super) enum ProbeOutcome {
    /// It goes on.
    GoesOn,
    /// It looks closer.
    Closer(Course),
    /// Nothing larger is left to be tried.
    Over,
}

impl Course {
    /// A search up to the largest size; `proven` is known to get through.
    pub fn search(bounds: MtuBounds, proven: Option<ByteCount>) -> Course {
        Course { aim: Aim::Search, bounds, top: bounds.largest, proven, attempt: 0, opened: 0, last: None }
    }

    /// A check of `current`.
    pub fn check(bounds: MtuBounds, current: ByteCount) -> Course {
        Course { aim: Aim::Check, top: current, ..Course::search(bounds, None) }
    }

    /// The next size to be probed in this attempt.
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

    /// No more answers are waited for. The search that follows, if there is one: another attempt or a closer look.
    pub fn on_unanswered(self) -> Option<Course> {
        let again = Course { attempt: self.attempt + 1, opened: 0, last: None, ..self };
        if again.attempt < MAX_PROBES {
            return Some(again);
        }
        let proven = self.proven?;
        let refused = match self.aim {
            // The half was not answered either.
            Aim::Halve { refused } => between(proven, refused)?,
            _ => self.least_above(proven),
        };
        self.closer(proven, refused)
    }

    /// The largest size that was answered.
    pub fn proven(&self) -> Option<ByteCount> {
        self.proven
    }

    /// Whether it asks for what is in use.
    pub fn is_check(&self) -> bool {
        self.aim == Aim::Check
    }

    fn closer(self, proven: ByteCount, refused: ByteCount) -> Option<Course> {
        between(proven, refused)?;
        Some(Course { aim: Aim::Halve { refused }, ..Course::search(self.bounds, Some(proven)) })
    }

    /// The least size above `proven` that was tried.
    fn least_above(&self, proven: ByteCount) -> ByteCount {
        let mut least = self.top;
        while let Some(size) = usual_below(least).filter(|size| *size > proven) {
            least = size;
        }
        least
    }
}
