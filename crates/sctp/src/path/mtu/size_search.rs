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
pub(super) struct SizeSearch {
    mode: SearchMode,
    bounds: MtuBounds,
    /// The largest size to try.
    top: ByteCount,
    /// The largest size that was answered.
    proven: Option<ByteCount>,
    attempt: u32,
    /// The number of the first sizes that were tried in this attempt.
    tried_first: usize,
    /// The last of the usual sizes that was tried in this attempt.
    last: Option<ByteCount>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchMode {
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
    Continues,
    /// The search continues in a smaller interval.
    Narrowed(SizeSearch),
    /// No larger size is left to try.
    Finished,
}

impl SizeSearch {
    /// A search up to the largest size; `proven` is known to arrive.
    pub(super) fn search(bounds: MtuBounds, proven: Option<ByteCount>) -> SizeSearch {
        SizeSearch {
            mode: SearchMode::Search,
            bounds,
            top: bounds.largest,
            proven,
            attempt: 0,
            tried_first: 0,
            last: None,
        }
    }

    /// A check of the size `current`.
    pub(super) fn check(bounds: MtuBounds, current: ByteCount) -> SizeSearch {
        SizeSearch { mode: SearchMode::Check, top: current, ..SizeSearch::search(bounds, None) }
    }

    /// The next size to probe in this attempt.
    pub(crate) fn next_size(&mut self) -> Option<ByteCount> {
        if let SearchMode::Halve { refused } = self.mode {
            self.tried_first += 1;
            return between(self.proven?, refused).filter(|_| self.tried_first == 1);
        }
        let MtuBounds { base, least, .. } = self.bounds;
        let top = self.top;
        let first: &[ByteCount] = match self.mode {
            SearchMode::Check => &[top, top, base, least],
            _ => &[top, base, least],
        };
        while let Some(&size) = first.get(self.tried_first) {
            self.tried_first += 1;
            if self.proven.is_none_or(|proven| size > proven) {
                return Some(size);
            }
        }
        let proven = self.proven?;
        self.last = usual_below(self.last.unwrap_or(top)).filter(|size| *size > proven);
        self.last
    }

    /// A probe of `size` was answered.
    pub(crate) fn on_answered(&mut self, size: ByteCount) -> ProbeOutcome {
        self.proven = self.proven.max(Some(size));
        match (self.mode, self.proven) {
            (SearchMode::Halve { refused }, Some(proven)) => {
                self.narrowed(proven, refused).map_or(ProbeOutcome::Finished, ProbeOutcome::Narrowed)
            }
            _ if size >= self.top => ProbeOutcome::Finished,
            _ => ProbeOutcome::Continues,
        }
    }

    /// No more answers are awaited. Returns the search that follows, if there is one: another attempt, or a smaller
    /// interval.
    pub(crate) fn on_unanswered(self) -> Option<SizeSearch> {
        let again = SizeSearch { attempt: self.attempt + 1, tried_first: 0, last: None, ..self };
        if again.attempt < MAX_PROBES {
            return Some(again);
        }
        let proven = self.proven?;
        let refused = match self.mode {
            // The size in the middle was not answered either.
            SearchMode::Halve { refused } => between(proven, refused)?,
            _ => self.least_above(proven),
        };
        self.narrowed(proven, refused)
    }

    /// The largest size that was answered.
    pub(crate) fn proven(&self) -> Option<ByteCount> {
        self.proven
    }

    /// Returns true if it checks the current size.
    pub(crate) fn is_check(&self) -> bool {
        self.mode == SearchMode::Check
    }

    fn narrowed(self, proven: ByteCount, refused: ByteCount) -> Option<SizeSearch> {
        between(proven, refused)?;
        Some(SizeSearch {
            mode: SearchMode::Halve { refused },
            ..SizeSearch::search(self.bounds, Some(proven))
        })
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
