//! Tries other pairs of addresses if the requested ones do not answer, and removes the pairs that others make
//! superfluous.

use anabranch_base::Time;

use super::PeerAddresses;
use crate::association::ground::Ground;
use crate::path::PathAddresses;
use crate::policy::{PathId, PathState};

impl PeerAddresses {
    /// Takes pairs to try in place of `path`, which does not answer. If it never did, its addresses may work with
    /// others. Of the untried pairs, those with the most addresses without a working path are taken.
    pub(crate) fn take_other_pairs(&mut self, ground: &Ground, path: PathId) -> Vec<PathAddresses> {
        let is_from_peer = ground.paths.is_candidate(path) && ground.paths.has_arrivals(path);
        let has_worked = ground.paths.health(path).alive_at().is_some();
        if self.pairs.untried.is_empty() || is_from_peer || has_worked {
            return Vec::new();
        }
        let most = self.pairs.untried.iter().map(|pair| self.unused_ends(ground, *pair)).max().unwrap_or(0);
        if most == 0 {
            return Vec::new();
        }
        let untried = std::mem::take(&mut self.pairs.untried);
        let (tried, untried): (Vec<_>, Vec<_>) =
            untried.into_iter().partition(|pair| self.unused_ends(ground, *pair) == most);
        self.pairs.untried = untried;
        self.pairs.were_tried = true;
        tried
    }

    /// The paths to check for superfluous ones, in this order: unrequested ones first. Empty if this end tried no
    /// pairs.
    pub(crate) fn pairs_to_judge(&self, ground: &Ground) -> Vec<PathId> {
        if !self.pairs.were_tried {
            return Vec::new();
        }
        let mut living: Vec<PathId> = ground.paths.living().collect();
        living.sort_by_key(|&id| (self.is_asked(ground, id), works(ground, id)));
        living
    }

    /// Returns true if the pair of path `id` is given up, because both addresses have other working paths: a wrong guess that
    /// never worked, and at the end that chose the pairs also one that works, because two windows would share a link.
    pub(crate) fn gives_up(&self, ground: &mut Ground, id: PathId, now: Time) -> bool {
        if self.is_wrong_guess(ground, id) {
            return true;
        }
        if !self.is_spare(ground, id) {
            return false;
        }
        // Announce this to the peer first, so that it stops sending there.
        ground.paths.retire(id);
        self.announce_role(ground, id, now);
        !ground.paths.owes_role_announcement(id) && ground.paths.sample(id).flight.is_zero()
    }

    /// Returns true if this end chose the pairs: it keeps a record of those that it gives up.
    pub(crate) fn chose_pairs(&self) -> bool {
        !self.pairs.asked.is_empty()
    }

    /// After the verification of `path`, probes the requested pairs that share an address with it, because its link
    /// works now. Their own next probe may be seconds away.
    pub(crate) fn probe_asked_pairs(&self, ground: &mut Ground, path: PathId, now: Time) {
        let verified = ground.paths.addresses(path);
        let shares = |id: &PathId| {
            let pair = ground.paths.addresses(*id);
            let is_pending =
                self.is_asked(ground, *id) && ground.paths.health(*id).state() == PathState::Unconfirmed;
            is_pending
                && ground.paths.health(*id).errors() > 0
                && (pair.local == verified.local || pair.remote == verified.remote)
        };
        let pending: Vec<PathId> = ground.paths.living().filter(shares).collect();
        pending.into_iter().for_each(|id| ground.send_heartbeat(id, now));
    }

    /// Returns true if a packet between these addresses opens no path: this end chose the pairs, and both have working paths.
    pub(crate) fn is_given_up(&self, ground: &Ground, pair: PathAddresses) -> bool {
        self.pairs.were_tried && !self.pairs.asked.is_empty() && self.unused_ends(ground, pair) == 0
    }

    /// Returns true if the application requested path `id`.
    pub(crate) fn is_asked(&self, ground: &Ground, id: PathId) -> bool {
        self.pairs.asked.contains(&ground.paths.addresses(id))
    }

    /// Returns true if a path does not work, but its addresses work with others. Packets may still arrive on it, if the
    /// peer's routes cross. A requested pair gets time to answer: its link may just have come up.
    fn is_wrong_guess(&self, ground: &Ground, id: PathId) -> bool {
        let (state, health) = (ground.paths.sample(id).state, ground.paths.health(id));
        let is_unanswered = health.errors() > 0 || !ground.paths.has_arrivals(id);
        let may_be_wrong = match state {
            PathState::Unconfirmed => is_unanswered,
            state => state.has_failed() && (health.alive_at().is_none() || ground.paths.is_peers_backup(id)),
        };
        may_be_wrong
            && if self.is_pending(ground, id) {
                self.is_covered(ground, id, |other| works(ground, other) && self.is_asked(ground, other))
            } else {
                self.is_covered(ground, id, |other| works(ground, other))
            }
    }

    /// Returns true if this end chose the pairs and no longer needs path `id`: it was not requested, or the time of the
    /// requested ones to answer is over.
    fn is_spare(&self, ground: &Ground, id: PathId) -> bool {
        let may_leave = works(ground, id) || ground.paths.is_retired(id);
        if self.pairs.asked.is_empty()
            || !may_leave
            || !self.is_covered(ground, id, |other| works(ground, other))
        {
            return false;
        }
        !self.is_asked(ground, id) || !ground.paths.living().any(|other| self.is_pending(ground, other))
    }

    /// Returns true if path `id` was requested, and may still answer.
    fn is_pending(&self, ground: &Ground, id: PathId) -> bool {
        let health = ground.paths.health(id);
        let has_time = health.errors() <= ground.settings.config.failover.path_max;
        self.is_asked(ground, id) && health.state() == PathState::Unconfirmed && has_time
    }

    /// Returns true if other paths that `counts` selects use both addresses of path `id`.
    fn is_covered(&self, ground: &Ground, id: PathId, counts: impl Fn(PathId) -> bool) -> bool {
        let others = ground.paths.living().filter(|&other| other != id && counts(other));
        self.unused_beside(ground, ground.paths.addresses(id), others) == 0
    }

    /// The number of addresses of a pair without a working path.
    fn unused_ends(&self, ground: &Ground, pair: PathAddresses) -> usize {
        self.unused_beside(ground, pair, ground.paths.living().filter(|&id| works(ground, id)))
    }

    /// The number of addresses of a pair that these paths do not use.
    fn unused_beside(
        &self,
        ground: &Ground,
        pair: PathAddresses,
        paths: impl Iterator<Item = PathId>,
    ) -> usize {
        let alike = &self.pairs.alternatives;
        let (mut is_local_used, mut is_remote_used) = (false, false);
        for used in paths.map(|id| ground.paths.addresses(id)) {
            is_local_used |= alike.is_same_link(used.local, pair.local);
            is_remote_used |= alike.is_same_host(used.remote, pair.remote);
        }
        usize::from(!is_local_used) + usize::from(!is_remote_used)
    }
}

/// Returns true if path `id` works and is not being given up.
pub(super) fn works(ground: &Ground, id: PathId) -> bool {
    let is_given_up = ground.paths.is_retired(id) || ground.paths.is_peers_backup(id);
    ground.paths.sample(id).state.works() && ground.paths.has_arrivals(id) && !is_given_up
}
