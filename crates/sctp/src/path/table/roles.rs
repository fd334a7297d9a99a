//! The roles of paths: secondary paths carry new data only while the ordinary ones are full, backups only while no other
//! path does.

use std::net::SocketAddr;

use anabranch_base::Time;

use super::PathTable;
use crate::path::load::Load;
use crate::policy::{PathId, PathSample};
use crate::wire::PathRole;

impl PathTable {
    /// Gives `role` to the paths from `local`, including those that are added later. Returns the paths whose statement
    /// changes.
    pub(crate) fn set_role(&mut self, local: SocketAddr, role: PathRole) -> Vec<PathId> {
        self.roles.set(local, role);
        let mut changed: Vec<PathId> = self.living().collect();
        changed.retain(|&id| self.update_role(id));
        self.update_failures();
        changed
    }

    /// Sets the role that the peer gives path `id`.
    pub(crate) fn set_peers_role(&mut self, id: PathId, role: PathRole) {
        if self.path_mut(id).role.set_peers(role) {
            self.update_failures();
        }
    }

    /// This end is about to give path `id` up: until then it is a backup, so that nothing is sent by it.
    pub(crate) fn retire(&mut self, id: PathId) {
        self.path_mut(id).role.retire();
        self.update_failures();
    }

    /// Puts the statement on path `id` into a HEARTBEAT that leaves. Returns the role.
    pub(crate) fn announce_role(&mut self, id: PathId) -> PathRole {
        self.path_mut(id).role.announce()
    }

    /// The peer acknowledged the last HEARTBEAT on path `id`.
    pub(crate) fn on_role_acknowledged(&mut self, id: PathId) {
        self.path_mut(id).role.on_acknowledged();
    }

    /// Sending begins: opens the secondary paths if the ordinary ones have been full for long enough.
    #[cold]
    pub(crate) fn open_secondaries(&mut self, now: Time) {
        if self.roles.open_due(now) {
            self.update_failures();
        }
    }

    /// Nothing more is to be sent: records the load of the ordinary paths.
    pub(crate) fn on_load(&mut self, load: Load, now: Time) {
        if self.roles.on_load(load, now) {
            self.update_failures();
        }
    }

    /// Returns true if a secondary path works beside an ordinary one.
    #[inline]
    pub(crate) fn has_secondaries(&self) -> bool {
        self.roles.has_secondaries()
    }

    /// The ordinary paths that work.
    pub(crate) fn ordinary(&self) -> impl Iterator<Item = &PathSample> {
        let each = self.samples.iter().zip(&self.paths);
        let ordinary = each.filter(|(_, path)| path.role.agreed() == PathRole::Ordinary);
        ordinary.map(|(sample, _)| sample).filter(|sample| sample.state.carries_data())
    }

    /// Returns true if this end is about to give path `id` up.
    pub(crate) fn is_retired(&self, id: PathId) -> bool {
        self.path(id).role.is_retired()
    }

    /// Returns true if the peer keeps path `id` as a backup.
    pub(crate) fn is_peers_backup(&self, id: PathId) -> bool {
        self.path(id).role.peers() == PathRole::Backup
    }

    /// The role that this end gives path `id`.
    pub(crate) fn own_role(&self, id: PathId) -> PathRole {
        self.path(id).role.own()
    }

    /// Returns true if the peer has not acknowledged the role of path `id`.
    pub(crate) fn owes_role_announcement(&self, id: PathId) -> bool {
        self.path(id).role.owes_announcement()
    }

    /// Updates the statement of this end on path `id`. Returns true if it changes.
    pub(super) fn update_role(&mut self, id: PathId) -> bool {
        let local = self.addresses(id).local;
        self.paths[id.index()].role.update(&self.roles, local)
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration, Time};

    use super::super::tests::table;
    use super::*;
    use crate::config::Config;
    use crate::path::load::FullPaths;
    use crate::policy::PathState;

    fn states(table: &PathTable) -> Vec<PathState> {
        table.samples().iter().map(|sample| sample.state).collect()
    }

    #[test]
    fn a_backup_rests_while_another_path_works() {
        let (mut table, limits) = (table(), Config::tuned_2().failover);
        let (first, second) = (PathId::FIRST, PathId::from_index(1));
        assert_eq!(table.set_role(table.addresses(second).local, PathRole::Backup), [second]);
        assert!(
            table.set_role(table.addresses(second).local, PathRole::Backup).is_empty(),
            "nothing changes"
        );
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
        table.set_peers_role(first, PathRole::Backup);
        assert_eq!(states(&table), [PathState::Standby, PathState::Active]);
        table.set_role(table.addresses(second).local, PathRole::Backup);
        assert_eq!(states(&table), [PathState::Active; 2], "there is no other path");
        table.set_peers_role(first, PathRole::Ordinary);
        assert_eq!(states(&table), [PathState::Active, PathState::Standby]);
        table.set_role(table.addresses(second).local, PathRole::Ordinary);
        assert_eq!(states(&table), [PathState::Active; 2]);
    }

    #[test]
    fn a_path_that_joins_later_is_a_backup_by_its_address() {
        let mut table = table();
        let joins = table.addresses(PathId::from_index(1));
        table.set_role(joins.local, PathRole::Backup);
        let third = table.add(joins, PathState::Active, &Config::rfc9260());
        assert_eq!(table.sample(third).state, PathState::Standby);
        assert!(table.owes_role_announcement(third));
        table.on_role_acknowledged(third);
        assert!(table.owes_role_announcement(third), "the answer is to an earlier HEARTBEAT");
        assert_eq!(table.announce_role(third), PathRole::Backup);
        table.on_role_acknowledged(third);
        assert!(!table.owes_role_announcement(third));
    }

    #[test]
    fn a_secondary_path_is_spare_until_the_others_are_full_or_fail_and_a_backup_waits_for_both() {
        let mut table = super::super::tests::table_between(&[
            ("10.0.0.1:1", "10.0.0.2:1"),
            ("10.0.1.1:1", "10.0.1.2:1"),
            ("10.0.2.1:1", "10.0.2.2:1"),
        ]);
        let [first, second, third] = [0, 1, 2].map(PathId::from_index);
        assert!(!table.has_secondaries());
        table.set_role(table.addresses(second).local, PathRole::Secondary);
        table.set_peers_role(third, PathRole::Secondary);
        table.set_role(table.addresses(third).local, PathRole::Backup);
        let [active, spare, standby] = [PathState::Active, PathState::Spare, PathState::Standby];
        assert_eq!(states(&table), [active, spare, standby], "the stricter role counts");
        assert!(table.has_secondaries());
        assert_eq!(table.ordinary().map(|path| path.id).collect::<Vec<_>>(), [first]);
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let full = FullPaths { starting: ByteCount::ZERO, round_trip: Duration::ZERO };
        table.on_load(Load::Full(full), at(0));
        table.open_secondaries(at(99));
        assert_eq!(states(&table), [active, spare, standby]);
        table.open_secondaries(at(100));
        assert_eq!(states(&table), [active, active, standby]);
        table.on_load(Load::Light, at(101));
        assert_eq!(states(&table), [active, spare, standby]);
        table.suspect(first);
        assert_eq!(states(&table), [PathState::PotentiallyFailed, active, standby]);
        assert!(!table.has_secondaries(), "it is the best one");
        table.suspect(second);
        assert_eq!(states(&table), [PathState::PotentiallyFailed, PathState::PotentiallyFailed, active]);
        table.on_alive(first, at(200));
        table.on_alive(second, at(200));
        assert_eq!(states(&table), [active, spare, standby]);
    }
}
