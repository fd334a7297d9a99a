//! The paths that are alive, those that have failed, and the one that takes the data when none is active.

use anabranch_base::Time;

use super::PathTable;
use crate::config::Failover;
use crate::path::health::{Health, HealthChange};
use crate::path::liveness::Liveness;
use crate::path::silence::Silence;
use crate::policy::PathId;

impl PathTable {
    /// Makes path `id` the primary path.
    pub(crate) fn set_primary(&mut self, id: PathId) {
        self.default_paths.set_primary(id);
        self.update_failures();
    }

    /// Counts an error against path `id`.
    pub(crate) fn on_error(&mut self, id: PathId, limits: &Failover) -> Option<HealthChange> {
        let change = self.path_mut(id).liveness.on_error(limits);
        self.update_failures();
        change
    }

    /// Path `id` has potentially failed, because of its silence.
    pub(crate) fn suspect(&mut self, id: PathId) -> Option<HealthChange> {
        self.change_health(id, Liveness::suspect)
    }

    /// Path `id` delivered a chunk that was sent only on it, and only once.
    #[inline]
    pub(crate) fn on_alive(&mut self, id: PathId, now: Time) -> Option<HealthChange> {
        self.change_health(id, |liveness| liveness.on_alive(now))
    }

    /// The HEARTBEAT of path `id` was answered: the path is alive. The answer gives no round-trip time.
    pub(crate) fn on_probe_answered(&mut self, id: PathId, now: Time) {
        self.path_mut(id).liveness.on_answer(now);
    }

    /// The path is verified.
    pub(crate) fn confirm(&mut self, id: PathId) -> Option<HealthChange> {
        self.path_mut(id).ends.end_candidacy();
        self.change_health(id, Liveness::confirm)
    }

    /// The path's new address must be verified before it carries data.
    pub(crate) fn doubt(&mut self, id: PathId) {
        self.path_mut(id).liveness.doubt();
        self.update_failures();
    }

    /// Removes path `id`, one of whose addresses is lost. It keeps its place and its counters; its flight was taken
    /// out before. If it was the primary path, it is replaced by the first active path, else by the first verified
    /// one, else by any.
    pub(crate) fn remove(&mut self, id: PathId) {
        let (path, sample) = self.at(id);
        debug_assert!(sample.flight.is_zero(), "what is in flight is taken back first");
        path.liveness.remove();
        sample.state = path.liveness.health().state();
        self.default_paths.on_removed(id, &self.samples);
        self.update_failures();
    }

    /// The time-out of path `id` expired at `now`: acknowledgements of earlier departures no longer count as signs of
    /// life. The acknowledgement may have been lost with the path.
    pub(crate) fn doubt_before(&mut self, id: PathId, now: Time) {
        self.path_mut(id).liveness.doubt_before(now);
    }

    /// The health of path `id`, for its HEARTBEATs. Changes of its state go through the table.
    pub(crate) fn heartbeat(&mut self, id: PathId) -> &mut Health {
        self.path_mut(id).liveness.health_mut()
    }

    /// The silence of path `id`, mutable.
    pub(crate) fn silence_mut(&mut self, id: PathId) -> &mut Silence {
        self.path_mut(id).liveness.silence_mut()
    }

    /// The silence of a path.
    pub(crate) fn silence(&self, id: PathId) -> &Silence {
        self.path(id).liveness.silence()
    }

    /// The health of a path.
    pub(crate) fn health(&self, id: PathId) -> &Health {
        self.path(id).liveness.health()
    }

    /// Returns true if a packet arrived on path `id` since data last left on it.
    pub(crate) fn has_arrival_since_data(&self, id: PathId) -> bool {
        self.path(id).liveness.has_arrival_since_data()
    }

    /// The time at which a packet last arrived on path `id`.
    pub(crate) fn last_arrival(&self, id: PathId) -> Option<Time> {
        self.path(id).liveness.last_arrival()
    }

    /// Returns true if a packet ever arrived on path `id`.
    pub(crate) fn has_arrivals(&self, id: PathId) -> bool {
        self.last_arrival(id).is_some()
    }

    /// Returns true if no data has left path `id` for a round trip: all that is in flight should be acknowledged.
    pub(crate) fn is_resting(&self, id: PathId, now: Time) -> bool {
        self.sample(id).srtt.is_some_and(|srtt| self.path(id).liveness.is_resting(srtt, now))
    }

    /// Returns true if the acknowledgement of a chunk that left path `id` at `sent_at` shows that the path works now.
    pub(crate) fn shows_life(&self, id: PathId, sent_at: Time) -> bool {
        self.path(id).liveness.shows_life(sent_at)
    }

    /// Returns true if time-outs were counted since a chunk was last acknowledged.
    pub(crate) fn has_timed_out(&self, id: PathId) -> bool {
        self.path(id).liveness.has_timed_out()
    }

    /// The path for data when only one path is used.
    pub(crate) fn primary(&self) -> PathId {
        self.default_paths.primary()
    }

    /// The path for data when no path is active (RFC 7829 §3.2): of the potentially failed ones, the one with the
    /// fewest errors; among equals, the one that was alive last. If there are none, the primary path.
    pub(crate) fn last_resort(&self) -> PathId {
        self.default_paths.last_resort()
    }

    /// Returns true if one of the paths has failed or potentially failed.
    pub(crate) fn has_failed_path(&self) -> bool {
        self.default_paths.has_failed_path()
    }

    /// The path that replaces `wanted` when no path is active: `wanted` itself, unless it is removed, or another path
    /// has potentially failed and `wanted` has not.
    pub(crate) fn substitute_for(&self, wanted: PathId) -> PathId {
        self.default_paths.substitute_for(wanted, &self.samples)
    }

    fn change_health(
        &mut self,
        id: PathId,
        change: impl FnOnce(&mut Liveness) -> Option<HealthChange>,
    ) -> Option<HealthChange> {
        let changed = change(&mut self.path_mut(id).liveness);
        if changed.is_some() {
            self.update_failures();
        }
        changed
    }

    /// Writes the state of each path into its sample, and chooses the last resort: after each change of a path's
    /// health, of a statement about roles, or of the load of ordinary paths.
    pub(super) fn update_failures(&mut self) {
        let states = self.paths.iter().map(|path| (path.liveness.health().state(), path.role.agreed()));
        self.roles.update(states.clone());
        for (sample, (state, role)) in self.samples.iter_mut().zip(states) {
            sample.state = self.roles.shown_state(state, role);
        }
        let healths = self.paths.iter().map(|path| path.liveness.health());
        self.default_paths.update(self.samples.iter().zip(healths));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{table, table_between};
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
        assert_eq!(table.substitute_for(second), second);
    }

    #[test]
    fn when_the_primary_path_is_removed_one_that_works_takes_its_place() {
        let mut table = table_between(&[
            ("10.0.0.1:1", "10.0.0.2:1"),
            ("10.0.1.1:1", "10.0.1.2:1"),
            ("10.0.2.1:1", "10.0.2.2:1"),
        ]);
        let [first, second, third] = [0, 1, 2].map(PathId::from_index);
        table.doubt(second);
        table.remove(first);
        assert_eq!((table.primary(), table.last_resort()), (third, third));
        assert_eq!(table.substitute_for(first), third, "nothing goes where there is nothing");
        table.remove(third);
        assert_eq!(table.primary(), second, "better than none");
        assert_eq!(table.living().collect::<Vec<_>>(), [second]);
        assert_eq!(table.len(), 3, "no id is used twice");
    }
}
