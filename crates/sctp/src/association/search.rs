//! Finds which of the peer's addresses work with which of this end's, if the requested pairs do not answer.

use anabranch_base::Time;

use super::pairs::Pairs;
use super::session::Session;
use crate::path::PathAddresses;
use crate::policy::{PathId, PathState};

impl Session {
    /// Sets the pairs that may be tried if paths do not answer, and whether some were tried before.
    pub(super) fn search_on(&mut self, untried: Vec<PathAddresses>, were_tried: bool) {
        self.pairs = Pairs { untried, were_tried };
    }

    /// `path` does not answer. If it never did, its addresses may work with others. Of the untried pairs, those join
    /// that use the most addresses without a working path; then they are verified.
    pub(super) fn try_other_pairs(&mut self, path: PathId, now: Time) {
        let is_stranger = self.paths.is_candidate(path) && self.paths.has_heard(path);
        let has_worked = self.paths.health(path).alive_at().is_some();
        if self.pairs.untried.is_empty() || is_stranger || has_worked {
            return;
        }
        let most = self.pairs.untried.iter().map(|pair| self.unused_ends(*pair)).max().unwrap_or(0);
        if most == 0 {
            return;
        }
        let untried = std::mem::take(&mut self.pairs.untried);
        let (tried, untried): (Vec<_>, Vec<_>) =
            untried.into_iter().partition(|pair| self.unused_ends(*pair) == most);
        self.pairs = Pairs { untried, were_tried: true };
        for addresses in tried {
            self.open_candidate(addresses);
        }
        self.verify_paths(now);
    }

    /// A path was verified, or did not answer a HEARTBEAT. Pairs that never worked are removed if other paths use
    /// both of their addresses: they were wrong guesses. Packets may still arrive on them, if the peer's routes
    /// cross.
    pub(super) fn drop_wrong_guesses(&mut self) {
        if !self.pairs.were_tried {
            return;
        }
        let is_wrong = |id: &PathId| {
            let (state, health) = (self.paths.sample(*id).state, self.paths.health(*id));
            let is_unanswered = health.errors() > 0 || !self.paths.has_heard(*id);
            let may_be_wrong = match state {
                PathState::Unconfirmed => is_unanswered,
                state => state.has_failed() && health.alive_at().is_none(),
            };
            may_be_wrong && self.unused_ends(self.paths.addresses(*id)) == 0
        };
        let wrong: Vec<PathId> = self.paths.living().filter(is_wrong).collect();
        wrong.into_iter().for_each(|id| self.remove_path(id));
    }

    /// How many addresses of a pair have no working path.
    fn unused_ends(&self, pair: PathAddresses) -> usize {
        let works = |id: &PathId| self.paths.sample(*id).state.works() && self.paths.has_heard(*id);
        let used: Vec<PathAddresses> =
            self.paths.living().filter(works).map(|id| self.paths.addresses(id)).collect();
        let is_local_used = used.iter().any(|one| one.local == pair.local);
        let is_remote_used = used.iter().any(|one| one.remote == pair.remote);
        usize::from(!is_local_used) + usize::from(!is_remote_used)
    }
}
