//! Which paths are alive, which have failed, and which takes the data when none is active.

use std::cmp::Reverse;

use anabranch_base::Time;

use super::PathTable;
use crate::config::Failover;
use crate::path::health::{Health, HealthChange};
use crate::path::silence::Silence;
use crate::policy::{PathId, PathState};

impl PathTable {
    /// Data goes to path `id` when only one path is used.
    pub fn set_primary(&mut self, id: PathId) {
        self.primary = id;
        self.weigh_failures();
    }

    /// Counts an error against path `id`.
    pub fn on_error(&mut self, id: PathId, limits: &Failover) -> Option<HealthChange> {
        let change = self.change_health(id, |health| health.on_error(limits));
        self.weigh_failures();
        change
    }

    /// Path `id` has potentially failed, because of its silence.
    pub fn suspect(&mut self, id: PathId) -> Option<HealthChange> {
        self.paths[id.index()].silence.on_suspected();
        self.change_health(id, Health::suspect)
    }

    /// Path `id` delivered a chunk that was sent only on it, and only once.
    pub fn on_alive(&mut self, id: PathId, now: Time) -> Option<HealthChange> {
        self.paths[id.index()].health.on_sign(now);
        let change = self.change_health(id, Health::on_alive);
        if change.is_some() {
            self.paths[id.index()].silence.on_acquitted();
        }
        change
    }

    /// The HEARTBEAT of path `id` was answered: the path is alive. The answer gives no round-trip time.
    pub fn on_probe_answered(&mut self, id: PathId, now: Time) {
        let path = &mut self.paths[id.index()];
        path.silence.begin(now);
        path.health.on_sign(now);
    }

    /// The path is verified.
    pub fn confirm(&mut self, id: PathId) -> Option<HealthChange> {
        self.paths[id.index()].is_candidate = false;
        self.change_health(id, Health::confirm)
    }

    /// The path's new address must be verified before it carries data.
    pub fn doubt(&mut self, id: PathId) {
        self.paths[id.index()].health.doubt();
        self.show_health(id);
        self.weigh_failures();
    }

    /// The health of path `id`, for its HEARTBEATs. Changes of its state go through the table.
    pub fn heartbeat(&mut self, id: PathId) -> &mut Health {
        &mut self.paths[id.index()].health
    }

    /// The silence of path `id`, mutable.
    pub fn silence_mut(&mut self, id: PathId) -> &mut Silence {
        &mut self.paths[id.index()].silence
    }

    /// The silence of a path.
    pub fn silence(&self, id: PathId) -> &Silence {
        &self.paths[id.index()].silence
    }

    /// Whether a packet arrived on path `id` since data last left on it.
    pub fn is_heard(&self, id: PathId) -> bool {
        let path = &self.paths[id.index()];
        path.last_arrival > path.last_data
    }

    /// The health of a path.
    pub fn health(&self, id: PathId) -> &Health {
        &self.paths[id.index()].health
    }

    /// The path for data when only one path is used.
    pub fn primary(&self) -> PathId {
        self.primary
    }

    /// The path for data when no path is active (RFC 7829 §3.2): of the potentially failed ones, the one with the
    /// fewest errors; among equals, the one that was alive last. If there are none, the primary path.
    pub fn last_resort(&self) -> PathId {
        self.last_resort
    }

    /// Whether one of the paths has failed or potentially failed.
    pub fn has_failed_path(&self) -> bool {
        self.has_failed_path
    }

    /// The path that replaces `wanted` when no path is active: `wanted` itself, unless it is removed, or another path
    /// has potentially failed and `wanted` has not.
    pub fn resort_of(&self, wanted: PathId) -> PathId {
        let may_live = |id: PathId| self.sample(id).state == PathState::PotentiallyFailed;
        let is_better = may_live(self.last_resort) && !may_live(wanted);
        if is_better || self.is_removed(wanted) { self.last_resort } else { wanted }
    }

    fn change_health(
        &mut self,
        id: PathId,
        change: impl FnOnce(&mut Health) -> Option<HealthChange>,
    ) -> Option<HealthChange> {
        let changed = change(&mut self.paths[id.index()].health);
        if changed.is_some() {
            self.show_health(id);
            self.weigh_failures();
        }
        changed
    }

    pub(super) fn weigh_failures(&mut self) {
        self.weigh_backups();
        self.has_failed_path = self.samples.iter().any(|sample| sample.state.has_failed());
        let may_live = |id: &PathId| self.sample(*id).state == PathState::PotentiallyFailed;
        let rank = |id: &PathId| {
            let health = self.health(*id);
            (Reverse(health.errors()), health.alive_at())
        };
        // `max_by_key` takes the last of equals, so the search goes from the back to find the first.
        self.last_resort = self.ids().rev().filter(may_live).max_by_key(rank).unwrap_or(self.primary);
    }

    pub(super) fn show_health(&mut self, id: PathId) {
        self.samples[id.index()].state = self.shown_state(id);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_last_resort_may_live_has_the_fewest_errors_and_lived_last() {
        let mut table = table();
        let limits = Failover { potentially_failed: 1, path_max: 2, ..Config::rfc9260().failover };
        let [first, second] = [0, 1].map(PathId::from_index);
        table.on_alive(first, Time::from_nanos(1));
        table.on_alive(second, Time::from_nanos(2));
        assert_eq!(table.last_resort(), first, "the primary, while nothing has failed");
        let resorts = [first, second, second, second, first, first].map(|id| {
            table.on_error(id, &limits);
            (table.last_resort().index(), table.has_failed_path())
        });
        // The second was alive last; it has more errors; it is inactive; the first is inactive too.
        assert_eq!(resorts.map(|(index, _)| index), [0, 1, 0, 0, 0, 0]);
        assert!(resorts.iter().all(|(_, has_failed)| *has_failed));
        table.set_primary(second);
        assert_eq!(table.last_resort(), second, "the primary, when all have failed for certain");
        table.on_alive(second, Time::from_nanos(3));
        table.suspect(first);
        assert_eq!(table.resort_of(second), second);
    }
}
