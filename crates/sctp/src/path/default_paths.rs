//! The path for data when only one path is used, and the one when none is active.

use std::cmp::Reverse;

use super::health::Health;
use crate::policy::{PathId, PathSample, PathState};

/// The paths for data where policies do not choose.
#[derive(Clone, Copy, Debug)]
pub(super) struct DefaultPaths {
    primary: PathId,
    last_resort: PathId,
    has_failed_path: bool,
}

impl DefaultPaths {
    /// The first path is the primary path.
    pub(super) fn new() -> DefaultPaths {
        DefaultPaths { primary: PathId::FIRST, last_resort: PathId::FIRST, has_failed_path: false }
    }

    /// Makes path `id` the primary path.
    pub(super) fn set_primary(&mut self, id: PathId) {
        self.primary = id;
    }

    /// Path `id` is removed. If it was the primary path, it is replaced by the first active path, else by the first verified
    /// one, else by any.
    pub(crate) fn on_removed(&mut self, id: PathId, samples: &[PathSample]) {
        if self.primary != id {
            return;
        }
        let living = samples.iter().filter(|sample| sample.state != PathState::Removed);
        self.primary = living.min_by_key(|sample| sample.state.rank()).map_or(id, |sample| sample.id);
    }

    /// Chooses the last resort again, from the state and the health of each path.
    pub(super) fn update<'a>(
        &mut self,
        paths: impl DoubleEndedIterator<Item = (&'a PathSample, &'a Health)> + Clone,
    ) {
        self.has_failed_path = paths.clone().any(|(sample, _)| sample.state.has_failed());
        let may_live = |(sample, _): &(&PathSample, &Health)| sample.state == PathState::PotentiallyFailed;
        let rank = |(_, health): &(&PathSample, &Health)| (Reverse(health.errors()), health.alive_at());
        // `max_by_key` takes the last of equals, so the search goes from the back to find the first.
        let best = paths.rev().filter(may_live).max_by_key(rank);
        self.last_resort = best.map_or(self.primary, |(sample, _)| sample.id);
    }

    /// The path for data when only one path is used.
    pub(super) fn primary(&self) -> PathId {
        self.primary
    }

    /// The path for data when no path is active.
    pub(super) fn last_resort(&self) -> PathId {
        self.last_resort
    }

    /// Returns true if one of the paths has failed or potentially failed.
    pub(crate) fn has_failed_path(&self) -> bool {
        self.has_failed_path
    }

    /// The path that replaces `wanted` when no path is active: `wanted` itself, unless it is removed, or another path
    /// has potentially failed and `wanted` has not.
    pub(crate) fn substitute_for(&self, wanted: PathId, samples: &[PathSample]) -> PathId {
        let state = |id: PathId| samples[id.index()].state;
        let may_live = |id: PathId| state(id) == PathState::PotentiallyFailed;
        let is_better = may_live(self.last_resort) && !may_live(wanted);
        if is_better || state(wanted) == PathState::Removed { self.last_resort } else { wanted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::sample;

    fn samples(states: &[PathState]) -> Vec<PathSample> {
        let numbered = states.iter().enumerate();
        numbered.map(|(index, &state)| PathSample { state, ..sample(index) }).collect()
    }

    #[test]
    fn the_primary_path_is_replaced_by_the_first_that_works_best() {
        use PathState::{Active, Inactive, Removed, Standby, Unconfirmed};
        let replaced = |states: &[PathState]| {
            let mut default_paths = DefaultPaths::new();
            default_paths.on_removed(PathId::FIRST, &samples(states));
            default_paths.primary().index()
        };
        assert_eq!(replaced(&[Removed, Standby, Active, Active]), 2);
        assert_eq!(replaced(&[Removed, Unconfirmed, Inactive, Standby]), 3);
        assert_eq!(replaced(&[Removed, Removed]), 0, "there is none");
        let mut default_paths = DefaultPaths::new();
        default_paths.on_removed(PathId::from_index(1), &samples(&[Inactive, Removed, Active]));
        assert_eq!(default_paths.primary(), PathId::FIRST, "it was not removed");
    }
}
