//! Backup paths, which carry data only while no other path does.

use std::net::SocketAddr;

use super::PathTable;
use crate::policy::PathId;

impl PathTable {
    /// Makes the paths from `local` backups, including those that are added later, or no longer. Returns the paths
    /// whose statement changes.
    pub(crate) fn set_backup(&mut self, local: SocketAddr, is_backup: bool) -> Vec<PathId> {
        if is_backup {
            self.backups.keep(local);
        } else {
            self.backups.release(local);
        }
        let mut changed: Vec<PathId> = self.living().collect();
        changed.retain(|&id| self.update_backup(id));
        self.update_failures();
        changed
    }

    /// Sets whether the peer keeps path `id` as a backup.
    pub(crate) fn set_peers_backup(&mut self, id: PathId, is_backup: bool) {
        if self.path_mut(id).backup.set_peers(is_backup) {
            self.update_failures();
        }
    }

    /// This end is about to give path `id` up: until then it is a backup, so that nothing is sent by it.
    pub(crate) fn retire(&mut self, id: PathId) {
        self.path_mut(id).backup.retire();
        self.update_failures();
    }

    /// Puts the statement on path `id` into a HEARTBEAT that leaves. Returns true if the path is a backup.
    pub(crate) fn announce_backup(&mut self, id: PathId) -> bool {
        self.path_mut(id).backup.announce()
    }

    /// The peer acknowledged the last HEARTBEAT on path `id`.
    pub(crate) fn on_backup_acknowledged(&mut self, id: PathId) {
        self.path_mut(id).backup.on_acknowledged();
    }

    /// Returns true if this end is about to give path `id` up.
    pub(crate) fn is_retired(&self, id: PathId) -> bool {
        self.path(id).backup.is_retired()
    }

    /// Returns true if the peer keeps path `id` as a backup.
    pub(crate) fn is_peers_backup(&self, id: PathId) -> bool {
        self.path(id).backup.is_peers()
    }

    /// Returns true if this end keeps path `id` as a backup.
    pub(crate) fn is_own_backup(&self, id: PathId) -> bool {
        self.path(id).backup.is_own()
    }

    /// Returns true if the peer has not acknowledged whether path `id` is a backup.
    pub(crate) fn owes_backup_announcement(&self, id: PathId) -> bool {
        self.path(id).backup.owes_announcement()
    }

    /// Updates the statement of this end on path `id`. Returns true if it changes.
    pub(super) fn update_backup(&mut self, id: PathId) -> bool {
        let local = self.addresses(id).local;
        self.paths[id.index()].backup.update(&self.backups, local)
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Time;

    use super::super::tests::table;
    use super::*;
    use crate::config::Config;
    use crate::policy::PathState;

    fn states(table: &PathTable) -> Vec<PathState> {
        table.samples().iter().map(|sample| sample.state).collect()
    }

    #[test]
    fn a_backup_rests_while_another_path_works() {
        let (mut table, limits) = (table(), Config::tuned_2().failover);
        let (first, second) = (PathId::FIRST, PathId::from_index(1));
        assert_eq!(table.set_backup(table.addresses(second).local, true), [second]);
        assert!(table.set_backup(table.addresses(second).local, true).is_empty(), "nothing changes");
        let [active, standby, failed] = [PathState::Active, PathState::Standby, PathState::PotentiallyFailed];
        assert_eq!(states(&table), [active, standby]);
        table.suspect(first);
        assert_eq!(states(&table), [failed, active]);
        table.on_alive(second, Time::ZERO);
        table.on_alive(first, Time::ZERO);
        assert_eq!(states(&table), [active, standby]);
        (0..=limits.path_max).for_each(|_| _ = table.on_error(second, &limits));
        assert_eq!(states(&table), [active, PathState::Inactive], "a backup may fail while it rests");
        table.on_alive(second, Time::ZERO);
        table.remove(first);
        assert_eq!(states(&table), [PathState::Removed, active]);
    }

    #[test]
    fn the_word_of_either_end_makes_a_backup_and_two_backups_share() {
        let mut table = table();
        let (first, second) = (PathId::FIRST, PathId::from_index(1));
        table.set_peers_backup(first, true);
        assert_eq!(states(&table), [PathState::Standby, PathState::Active]);
        table.set_backup(table.addresses(second).local, true);
        assert_eq!(states(&table), [PathState::Active; 2], "there is no other path");
        table.set_peers_backup(first, false);
        assert_eq!(states(&table), [PathState::Active, PathState::Standby]);
        table.set_backup(table.addresses(second).local, false);
        assert_eq!(states(&table), [PathState::Active; 2]);
    }

    #[test]
    fn a_path_that_joins_later_is_a_backup_by_its_address() {
        let mut table = table();
        let joins = table.addresses(PathId::from_index(1));
        table.set_backup(joins.local, true);
        let third = table.add(joins, PathState::Active, &Config::rfc9260());
        assert_eq!(table.sample(third).state, PathState::Standby);
        assert!(table.owes_backup_announcement(third));
        table.on_backup_acknowledged(third);
        assert!(table.owes_backup_announcement(third), "the answer is to an earlier HEARTBEAT");
        assert!(table.announce_backup(third));
        table.on_backup_acknowledged(third);
        assert!(!table.owes_backup_announcement(third));
    }
}
