//! The agreement of both ends on the roles of paths: secondary paths carry new data only while the ordinary ones are
//! full, and backups carry data only while no other path does.

use std::net::SocketAddr;

use anabranch_base::Time;

use super::load::{Load, LoadClock};
use crate::policy::PathState;
use crate::wire::PathRole;

/// The statements of the two ends about one path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Statements {
    /// The role that this end gives it.
    own: PathRole,
    /// The role that the peer gives it.
    peers: PathRole,
    /// The statement in the last HEARTBEAT.
    announced: PathRole,
    /// The last statement that the peer acknowledged.
    acknowledged: PathRole,
    /// True if this end is about to give the path up: other paths use its addresses.
    is_retired: bool,
}

/// The roles of local ends, and their effect now.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    /// The local ends of paths that are not ordinary.
    locals: Box<[(SocketAddr, PathRole)]>,
    /// The first role that a working path has.
    best: Option<PathRole>,
    /// The load of the ordinary paths, while a secondary path works beside one.
    load: Option<Box<LoadClock>>,
}

impl Statements {
    /// Updates the statement of this end: `local` is the local end of the path. Returns true if it changes.
    pub(super) fn update(&mut self, roles: &Roles, local: SocketAddr) -> bool {
        let own = if self.is_retired { PathRole::Backup } else { roles.of(local) };
        std::mem::replace(&mut self.own, own) != own
    }

    /// Sets the role that the peer gives the path. Returns true if it changes.
    pub(crate) fn set_peers(&mut self, role: PathRole) -> bool {
        std::mem::replace(&mut self.peers, role) != role
    }

    /// This end is about to give the path up: until then it is a backup.
    pub(crate) fn retire(&mut self) {
        self.is_retired = true;
        self.own = PathRole::Backup;
    }

    /// Puts the statement into a HEARTBEAT that leaves. Returns the role.
    pub(crate) fn announce(&mut self) -> PathRole {
        self.announced = self.own;
        self.own
    }

    /// The peer acknowledged the last HEARTBEAT.
    pub(super) fn on_acknowledged(&mut self) {
        self.acknowledged = self.announced;
    }

    /// Returns true if this end is about to give the path up.
    pub(crate) fn is_retired(&self) -> bool {
        self.is_retired
    }

    /// The role that the peer gives the path.
    pub(crate) fn peers(&self) -> PathRole {
        self.peers
    }

    /// The role that this end gives the path.
    pub(crate) fn own(&self) -> PathRole {
        self.own
    }

    /// The role that counts: the stricter one.
    pub(super) fn agreed(&self) -> PathRole {
        self.own.max(self.peers)
    }

    /// Returns true if the peer has not acknowledged the present statement.
    pub(crate) fn owes_announcement(&self) -> bool {
        self.own != self.acknowledged
    }
}

impl Roles {
    /// Paths from `local` have `role` from now on.
    pub(super) fn set(&mut self, local: SocketAddr, role: PathRole) {
        let others = self.locals.iter().copied().filter(|(known, _)| *known != local);
        self.locals = others.chain((role != PathRole::Ordinary).then_some((local, role))).collect();
    }

    /// Notes the `paths`, each with its state and role: which roles have to rest.
    pub(super) fn update(&mut self, paths: impl Iterator<Item = (PathState, PathRole)> + Clone) {
        let mut working = paths.filter(|(state, _)| *state == PathState::Active).map(|(_, role)| role);
        self.best = working.clone().min();
        if self.best == Some(PathRole::Ordinary) && working.any(|role| role == PathRole::Secondary) {
            self.load.get_or_insert_default();
        } else {
            self.load = None;
        }
    }

    /// The state of a path as policies see it: a path that works may rest while one of another role works.
    pub(crate) fn shown_state(&self, state: PathState, role: PathRole) -> PathState {
        let is_alone = self.best.is_none_or(|best| best >= role);
        match role {
            PathRole::Secondary if state == PathState::Active && !is_alone && !self.is_open() => {
                PathState::Spare
            }
            PathRole::Backup if state == PathState::Active && !is_alone => PathState::Standby,
            _ => state,
        }
    }

    /// Returns true if a secondary path works beside an ordinary one.
    #[inline]
    pub(super) fn has_secondaries(&self) -> bool {
        self.load.is_some()
    }

    /// Opens secondary paths if the ordinary paths have been full for long enough. Returns true if this changes.
    pub(super) fn open_due(&mut self, now: Time) -> bool {
        self.load.as_mut().is_some_and(|clock| clock.open_due(now))
    }

    /// Records the load of the ordinary paths. Returns true if it closes the secondary paths.
    pub(super) fn on_load(&mut self, load: Load, now: Time) -> bool {
        self.load.as_mut().is_some_and(|clock| clock.on_load(load, now))
    }

    fn is_open(&self) -> bool {
        self.load.as_ref().is_some_and(|clock| clock.is_open())
    }

    fn of(&self, local: SocketAddr) -> PathRole {
        let known = self.locals.iter().find(|(known, _)| *known == local);
        known.map_or(PathRole::Ordinary, |(_, role)| *role)
    }
}
