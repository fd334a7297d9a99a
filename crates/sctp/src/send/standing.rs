//! The chunk that the window update of a path waits for, by a rule of ns-2's CMT module
//! ([`Ns2Rule::LowestStays`](crate::policy::ns2::Ns2Rule::LowestStays)).

use super::buffer::SendBuffer;
use crate::policy::PathId;

impl SendBuffer {
    /// The chunk that the window update of `path` waits for, of those below `end`:
    /// the lowest one that was sent once, until it is acknowledged or a chunk of the path leaves on another.
    pub(super) fn standing_on(&mut self, path: PathId, end: u64) -> Option<u64> {
        let is_here = |position: u64| {
            position >= self.first && {
                let chunk = self.chunk(position);
                chunk.path == path && !chunk.was_acked
            }
        };
        let standing = self.paths[path.index()].standing.filter(|&position| is_here(position));
        let standing = standing.or_else(|| {
            let is_once = |position: &u64| is_here(*position) && !self.chunk(*position).was_sent_again;
            let marked = self.marked.iter().copied().find(is_once);
            let in_flight = self.paths[path.index()].once.iter().find(is_once);
            marked.into_iter().chain(in_flight).min().filter(|&position| position < end)
        });
        self.paths[path.index()].standing = standing;
        standing
    }

    /// The next SACK looks for the lowest chunk of `path` again.
    pub fn search_lowest_anew(&mut self, path: PathId) {
        self.paths[path.index()].standing = None;
    }
}
