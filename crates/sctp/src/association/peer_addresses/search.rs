//! Finds which of the peer's addresses work with which of this end's, if the requested pairs do not answer, and gives up
//! the pairs that others make superfluous.

use anabranch_base::Time;

use super::session::Session;
use crate::path::PathAddresses;
use crate::policy::{PathId, PathState};

impl Session {
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
        self.pairs.untried = untried;
        self.pairs.were_tried = true;
        for addresses in tried {
            self.open_candidate(addresses);
        }
        self.verify_paths(now);
    }

    /// A path was verified, or did not answer a HEARTBEAT. Gives up pairs whose addresses both have other working paths:
    /// wrong guesses that never worked, and at the end that chose the pairs also those that work, because two windows
    /// would share a link. Those that were not asked for go first.
    pub(super) fn drop_superfluous_pairs(&mut self, now: Time) {
        if !self.pairs.were_tried {
            return;
        }
        let mut living: Vec<PathId> = self.paths.living().collect();
        living.sort_by_key(|&id| (self.is_asked(id), self.works(id)));
        for id in living {
            if self.is_wrong_guess(id) {
                self.give_up_pair(id);
            } else if self.is_spare(id) {
                // The peer is told first, so that it does not go on to send there.
                self.paths.retire(id);
                self.tell_backup(id, now);
                let is_told = !self.paths.owes_backup_news(id);
                if is_told && self.paths.sample(id).flight.is_zero() {
                    self.give_up_pair(id);
                }
            }
        }
    }

    /// Removes a path. The end that chose the pairs remembers it: a packet that still comes by it opens it no more.
    fn give_up_pair(&mut self, id: PathId) {
        if !self.pairs.asked.is_empty() {
            self.paths.keep_place(id);
        }
        self.remove_path(id);
    }

    /// `path` was verified: pairs that were asked for and share an address with it are probed at once, because its link
    /// works now. Their own next probe may be seconds away.
    pub(super) fn probe_asked_pairs(&mut self, path: PathId, now: Time) {
        let verified = self.paths.addresses(path);
        let shares = |id: &PathId| {
            let pair = self.paths.addresses(*id);
            let is_pending = self.is_asked(*id) && self.paths.health(*id).state() == PathState::Unconfirmed;
            is_pending
                && self.paths.health(*id).errors() > 0
                && (pair.local == verified.local || pair.remote == verified.remote)
        };
        let pending: Vec<PathId> = self.paths.living().filter(shares).collect();
        pending.into_iter().for_each(|id| self.send_heartbeat(id, now));
    }

    /// Whether a packet between these addresses opens no path: this end chose the pairs, and both have working paths.
    pub(super) fn is_given_up(&self, pair: PathAddresses) -> bool {
        self.pairs.were_tried && !self.pairs.asked.is_empty() && self.unused_ends(pair) == 0
    }

    /// Whether the application asked for path `id`.
    pub(super) fn is_asked(&self, id: PathId) -> bool {
        self.pairs.asked.contains(&self.paths.addresses(id))
    }

    /// Whether a path does not work, and its addresses do with others. Packets may still arrive on it, if the peer's
    /// routes cross. A pair that was asked for has time to answer: its link may only just have begun to work.
    fn is_wrong_guess(&self, id: PathId) -> bool {
        let (state, health) = (self.paths.sample(id).state, self.paths.health(id));
        let is_unanswered = health.errors() > 0 || !self.paths.has_heard(id);
        let may_be_wrong = match state {
            PathState::Unconfirmed => is_unanswered,
            state => state.has_failed() && (health.alive_at().is_none() || self.paths.is_peers_backup(id)),
        };
        may_be_wrong
            && match self.is_pending(id) {
                true => self.is_covered(id, |other| self.works(other) && self.is_asked(other)),
                false => self.is_covered(id, |other| self.works(other)),
            }
    }

    /// Whether this end chose the pairs and needs path `id` no more: it was not asked for, or those that were have had
    /// their time to answer.
    fn is_spare(&self, id: PathId) -> bool {
        let may_leave = self.works(id) || self.paths.is_retired(id);
        if self.pairs.asked.is_empty() || !may_leave || !self.is_covered(id, |other| self.works(other)) {
            return false;
        }
        !self.is_asked(id) || !self.paths.living().any(|other| self.is_pending(other))
    }

    /// Whether path `id` was asked for, and may still answer.
    fn is_pending(&self, id: PathId) -> bool {
        let health = self.paths.health(id);
        let has_time = health.errors() <= self.settings.config.failover.path_max;
        self.is_asked(id) && health.state() == PathState::Unconfirmed && has_time
    }

    /// Whether path `id` works, and is to be used.
    fn works(&self, id: PathId) -> bool {
        let is_given_up = self.paths.is_retired(id) || self.paths.is_peers_backup(id);
        self.paths.sample(id).state.works() && self.paths.has_heard(id) && !is_given_up
    }

    /// Whether other paths that `counts` selects use both addresses of path `id`.
    fn is_covered(&self, id: PathId, counts: impl Fn(PathId) -> bool) -> bool {
        let others = self.paths.living().filter(|&other| other != id && counts(other));
        self.unused_beside(self.paths.addresses(id), others) == 0
    }

    /// How many addresses of a pair have no working path.
    fn unused_ends(&self, pair: PathAddresses) -> usize {
        self.unused_beside(pair, self.paths.living().filter(|&id| self.works(id)))
    }

    /// How many addresses of a pair these paths do not use.
    fn unused_beside(&self, pair: PathAddresses, paths: impl Iterator<Item = PathId>) -> usize {
        let alike = &self.pairs.alternatives;
        let (mut is_local_used, mut is_remote_used) = (false, false);
        for used in paths.map(|id| self.paths.addresses(id)) {
            is_local_used |= alike.is_same_link(used.local, pair.local);
            is_remote_used |= alike.is_same_host(used.remote, pair.remote);
        }
        usize::from(!is_local_used) + usize::from(!is_remote_used)
    }
}
