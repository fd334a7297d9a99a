//! The two chunks of a path that the window update of ns-2's CMT module waits for; a mark does not change them. The
//! send buffer finds them, by their positions in it.

use crate::policy::PathId;

/// The chunks that the window update waits for on each path.
#[derive(Debug, Default)]
pub(crate) struct PseudoCumacks {
    paths: Vec<PseudoCumack>,
}

/// Both trackers of a path, as positions.
#[derive(Clone, Copy, Debug, Default)]
struct PseudoCumack {
    /// The lowest chunk that was sent once; `None` if it has to be searched.
    once: Option<u64>,
    /// The lowest chunk that was sent again; `None` if it has to be searched.
    again: Option<u64>,
    /// The positions of both before the current SACK.
    last: [u64; 2],
}

impl PseudoCumacks {
    /// Makes room for `path`.
    pub(crate) fn add_path(&mut self, path: PathId) {
        self.paths.resize(self.paths.len().max(path.index() + 1), PseudoCumack::default());
    }

    /// Begins a SACK: a tracker of `path` whose chunk no longer `stands` takes the lowest chunk that was sent once, or
    /// the lowest that was sent again. Returns the chunk sent once.
    pub(crate) fn begin(
        &mut self,
        path: PathId,
        stands: impl Fn(u64) -> bool,
        lowest_once: impl FnOnce() -> Option<u64>,
        lowest_again: impl FnOnce() -> Option<u64>,
    ) -> Option<u64> {
        let standing = &mut self.paths[path.index()];
        let before = *standing;
        let [once, again] = [before.once, before.again].map(|tracked| tracked.filter(|&at| stands(at)));
        *standing = PseudoCumack {
            once: once.or_else(lowest_once),
            again: again.or_else(lowest_again),
            last: before.places(),
        };
        standing.once
    }

    /// Both trackers of `path` search at the next SACK.
    pub(crate) fn search_anew(&mut self, path: PathId) {
        let standing = &mut self.paths[path.index()];
        *standing = PseudoCumack { once: None, again: None, last: standing.places() };
    }

    /// Returns true if `position` is not below both chunks of `path`, as they were before this SACK.
    pub(crate) fn is_reached(&self, path: PathId, position: u64) -> bool {
        self.paths[path.index()].last.iter().any(|&last| last <= position)
    }
}

impl PseudoCumack {
    /// The present positions of both, or their last ones.
    fn places(&self) -> [u64; 2] {
        [self.once.unwrap_or(self.last[0]), self.again.unwrap_or(self.last[1])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: PathId = PathId::FIRST;

    #[test]
    fn a_tracker_searches_when_its_chunk_is_gone_and_knows_where_it_was() {
        let mut standing = PseudoCumacks::default();
        standing.add_path(ONE);
        assert_eq!(standing.begin(ONE, |_| true, || Some(7), || None), Some(7));
        assert_eq!(standing.begin(ONE, |_| true, || None, || None), Some(7), "it stands");
        assert!(standing.is_reached(ONE, 0), "none was ever sent again");
        assert_eq!(standing.begin(ONE, |_| false, || Some(9), || Some(9)), Some(9));
        standing.search_anew(ONE);
        assert_eq!(standing.begin(ONE, |_| true, || Some(11), || Some(11)), Some(11));
        assert!(!standing.is_reached(ONE, 8) && standing.is_reached(ONE, 9));
    }
}
