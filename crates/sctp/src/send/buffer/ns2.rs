//! What ns-2's CMT module does otherwise: which chunks its window update waits for, and what follows when a chunk is
//! acknowledged cumulatively.

use super::super::chunk::Sends;
use super::SendBuffer;
use crate::policy::PathId;
use crate::policy::loss_detection::SackNews;
use crate::policy::ns2::Ns2Rule;

impl SendBuffer {
    /// Both trackers of `path` search at the next SACK.
    pub fn search_lowest_anew(&mut self, path: PathId) {
        self.standing.search_anew(path);
    }

    /// A SACK that claims nothing from position `end` on arrived. The trackers that have to search do so, among the chunks
    /// below `end`; and the chunk that was sent once takes the place of the lowest one in what the SACK is compared with.
    pub(super) fn stand(&mut self, end: u64) {
        if !self.ns2.has(Ns2Rule::LowestStays) {
            return;
        }
        for index in 0..self.in_flight.paths() {
            let path = PathId::from_index(index);
            let (chunks, marked, in_flight) = (&self.chunks, &self.marked, &self.in_flight);
            let is_unacked = |position: u64| {
                chunks.held(position).is_some_and(|chunk| chunk.path() == path && !chunk.was_acked())
            };
            // The lowest chunk last sent on the path that was never acknowledged, in flight or marked.
            let lowest = |sends: Sends| {
                let is_wanted = |position: &u64| {
                    let was_sent_once = chunks.at(*position).sends() == Sends::Once;
                    is_unacked(*position) && was_sent_once == (sends == Sends::Once)
                };
                let marked = marked.positions().find(is_wanted);
                let in_flight = in_flight.listed(path, sends).find(is_wanted);
                marked.into_iter().chain(in_flight).min().filter(|&position| position < end)
            };
            let once = self.standing.begin(path, is_unacked, lowest);
            self.in_flight.compare_with(path, once);
        }
    }

    /// The chunk at `position` is to be acknowledged cumulatively: what follows by ns-2's rules.
    pub(super) fn pass(&mut self, position: u64, news: &mut SackNews) {
        let chunk = self.chunks.at(position);
        let (path, is_new) = (chunk.path(), !chunk.was_acked());
        let of_path = &mut news.paths[path.index()];
        of_path.lowest |= self.ns2.has(Ns2Rule::Accounts) && self.standing.restarts_timer(path, position);
        if is_new && self.ns2.has(Ns2Rule::LowestStays) {
            of_path.marked = true;
            self.standing.search_anew(path);
        }
    }
}
