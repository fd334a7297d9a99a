//! The agreement of both ends on backup paths, which carry data only while no other path does.

use std::net::SocketAddr;

use crate::policy::PathState;

/// The statements of the two ends about one path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backup {
    /// True if this end keeps it as a backup.
    own: bool,
    /// True if the peer keeps it as a backup.
    peers: bool,
    /// The statement in the last HEARTBEAT.
    announced: bool,
    /// The last statement that the peer acknowledged.
    acknowledged: bool,
    /// True if this end is about to give the path up: other paths use its addresses.
    is_retired: bool,
}

/// The local ends of backups, and whether backups rest.
#[derive(Clone, Debug, Default)]
pub(super) struct Backups {
    locals: Vec<SocketAddr>,
    /// True if a path works that is not a backup.
    may_rest: bool,
}

impl Backup {
    /// Updates the statement of this end: `local` is the local end of the path. Returns true if it changes.
    pub(super) fn update(&mut self, backups: &Backups, local: SocketAddr) -> bool {
        let is_kept = self.is_retired || backups.has(local);
        std::mem::replace(&mut self.own, is_kept) != is_kept
    }

    /// Sets whether the peer keeps the path as a backup. Returns true if it changes.
    pub(crate) fn set_peers(&mut self, is_backup: bool) -> bool {
        std::mem::replace(&mut self.peers, is_backup) != is_backup
    }

    /// This end is about to give the path up: until then it is a backup.
    pub(crate) fn retire(&mut self) {
        self.is_retired = true;
        self.own = true;
    }

    /// Puts the statement into a HEARTBEAT that leaves. Returns true if the path is a backup.
    pub(crate) fn announce(&mut self) -> bool {
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

    /// Returns true if the peer keeps the path as a backup.
    pub(crate) fn is_peers(&self) -> bool {
        self.peers
    }

    /// Returns true if this end keeps the path as a backup.
    pub(crate) fn is_own(&self) -> bool {
        self.own
    }

    /// Returns true if either end keeps the path as a backup.
    pub(super) fn is_backup(&self) -> bool {
        self.own || self.peers
    }

    /// Returns true if the peer has not acknowledged the present statement.
    pub(crate) fn owes_announcement(&self) -> bool {
        self.own != self.acknowledged
    }
}

impl Backups {
    /// Paths from `local` are backups from now on.
    pub(super) fn keep(&mut self, local: SocketAddr) {
        if !self.has(local) {
            self.locals.push(local);
        }
    }

    /// Paths from `local` are no longer backups.
    pub(super) fn release(&mut self, local: SocketAddr) {
        self.locals.retain(|known| *known != local);
    }

    /// Sets whether backups rest: one of `paths`, each with its state, works and is not a backup.
    pub(super) fn update<'a>(&mut self, mut paths: impl Iterator<Item = (PathState, &'a Backup)>) {
        self.may_rest = paths.any(|(state, backup)| state == PathState::Active && !backup.is_backup());
    }

    /// The state of a path as policies see it: a backup that works rests while another path works.
    pub(crate) fn shown_state(&self, state: PathState, backup: &Backup) -> PathState {
        match state {
            PathState::Active if self.may_rest && backup.is_backup() => PathState::Standby,
            state => state,
        }
    }

    fn has(&self, local: SocketAddr) -> bool {
        self.locals.contains(&local)
    }
}
