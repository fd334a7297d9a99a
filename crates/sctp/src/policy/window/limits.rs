//! Window management by limits (M-CWM-3; WS §5.2): each path has a part of the buffer, and lends what it does not
//! use.

use anabranch_base::ByteCount;

use super::shared::{Room, cut, growth_within, is_filled, missing_for, sharing};
use super::{Grant, WindowBound, WindowLimit};
use crate::policy::rules::StandardRules;
use crate::policy::{ConfigError, PathId, PathSample, View};

/// Grants growth up to each path's limit, and beyond it while no other path needs the room.
#[derive(Debug, Default)]
pub struct PathLimits {
    /// The limits at the start, in packets, in the order of the paths.
    given: Vec<u32>,
    /// The limits of the latest plan, which replace those of the start.
    planned: Option<Vec<(PathId, ByteCount)>>,
}

impl PathLimits {
    /// Limits in full packets, in the order of the paths; further paths have none.
    pub fn new(packets: Vec<u32>) -> PathLimits {
        PathLimits { given: packets, planned: None }
    }

    /// Checks that limits are given.
    ///
    /// # Errors
    /// There are none.
    pub fn check(rules: &StandardRules) -> Result<(), ConfigError> {
        if rules.window_limits.is_empty() {
            let expected = "a list of limits in packets, one for each path".to_owned();
            Err(ConfigError::new("window_management", &"static", expected))
        } else {
            Ok(())
        }
    }

    /// The limit of `path`; without one, the largest byte count.
    pub(super) fn of(&self, path: &PathSample) -> ByteCount {
        let limit = match &self.planned {
            Some(plan) => plan.iter().find(|(id, _)| *id == path.id).map(|(_, limit)| *limit),
            None => self.given.get(path.id.index()).map(|packets| path.unit * u64::from(*packets)),
        };
        limit.unwrap_or(ByteCount::MAX)
    }

    fn excess(&self, path: &PathSample) -> ByteCount {
        path.cwnd.saturating_sub(self.of(path))
    }

    /// The path that exceeds its limit by most, the first of equals.
    fn largest_borrower<'a>(&self, view: &View<'a>) -> Option<&'a PathSample> {
        let borrowers = sharing(view).filter(|path| !self.excess(path).is_zero());
        borrowers.reduce(|most, next| if self.excess(next) > self.excess(most) { next } else { most })
    }
}

impl WindowLimit for PathLimits {
    fn grant(&mut self, path: PathId, wanted: ByteCount, view: &View<'_>) -> Grant {
        let (ours, room) = (view.path(path), Room::of(view));
        if !is_filled(ours) && missing_for(ours, wanted, room).is_zero() {
            return Grant::free(wanted);
        }
        // The growth to which the path is entitled.
        let wanted = wanted.min(self.of(ours).saturating_sub(ours.cwnd));
        let missing = missing_for(ours, wanted, room);
        if missing.is_zero() {
            return Grant::free(wanted);
        }
        // The limits fit the buffer: if this path is below its limit and the room is used up, another path exceeds its
        // limit.
        let Some(borrower) = self.largest_borrower(view) else {
            return Grant::free(growth_within(ours, wanted, room));
        };
        let cut = cut(borrower, missing, self.of(borrower));
        Grant { by: growth_within(ours, wanted, room.with(cut.frees)), taken: Some((borrower.id, cut.by)) }
    }

    fn room(&self, view: &View<'_>) -> ByteCount {
        view.receive_buffer
    }

    fn bound(&self) -> WindowBound {
        WindowBound::Limits
    }

    fn set_limits(&mut self, limits: &[(PathId, ByteCount)]) {
        self.planned = Some(limits.to_vec());
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, Duration};
    use proptest::prelude::*;

    use super::*;
    use crate::policy::testing::{sample, view};

    const UNIT: ByteCount = ByteCount::new(1500);

    fn paths(windows: &[u64]) -> Vec<PathSample> {
        let path = |(index, units): (usize, &u64)| {
            let mut path = sample(index);
            path.cwnd = UNIT * *units;
            path
        };
        windows.iter().enumerate().map(path).collect()
    }

    fn grant(limits: &mut PathLimits, paths: &[PathSample], asks: usize) -> Grant {
        let mut view = view(paths);
        view.receive_buffer = UNIT * 20;
        limits.grant(PathId::from_index(asks), UNIT, &view)
    }

    #[test]
    fn golden_g16_a_path_below_its_limit_gets_back_what_another_borrowed() {
        let mut limits = PathLimits::new(vec![10, 10]);
        let paths = paths(&[12, 8]);
        let returned = Grant { by: UNIT, taken: Some((PathId::FIRST, UNIT)) };
        assert_eq!(grant(&mut limits, &paths, 1), returned);
        assert_eq!(grant(&mut limits, &paths, 0), Grant::REFUSED);
    }

    #[test]
    fn unused_room_is_lent_until_the_path_is_filled() {
        let mut limits = PathLimits::new(vec![10, 10]);
        let mut paths = paths(&[12, 5]);
        assert_eq!(grant(&mut limits, &paths, 0), Grant::free(UNIT));
        paths[0].hints.rate = Some(BitRate::from_mbps(12));
        paths[0].hints.round_trip = Some(Duration::from_millis(11));
        assert_eq!(grant(&mut limits, &paths, 0), Grant::REFUSED, "twelve packets fill it");
    }

    #[test]
    fn a_plan_replaces_what_was_given() {
        let mut limits = PathLimits::new(vec![10, 10]);
        limits.set_limits(&[(PathId::FIRST, UNIT * 13), (PathId::from_index(1), UNIT * 7)]);
        let paths = paths(&[12, 8]);
        let returned = Grant { by: UNIT, taken: Some((PathId::from_index(1), UNIT)) };
        assert_eq!(grant(&mut limits, &paths, 0), returned);
    }

    proptest! {
        /// M-CWM-3: if the limits fit, growth below the limit is never refused, and the buffer is never overfilled.
        #[test]
        fn below_its_limit_a_path_always_grows(
            limits in proptest::collection::vec(1_u32..40, 1..6),
            wishes in proptest::collection::vec((0_usize..6, 1_u64..=1500), 1..200),
        ) {
            let buffer = UNIT * limits.iter().copied().map(u64::from).sum();
            let mut paths = paths(&vec![1; limits.len()]);
            let mut rule = PathLimits::new(limits.clone());
            for (asks, wanted) in wishes {
                let (asks, wanted) = (asks % paths.len(), ByteCount::new(wanted));
                let mut view = view(&paths);
                view.receive_buffer = buffer;
                let grant = rule.grant(PathId::from_index(asks), wanted, &view);
                let right = (UNIT * u64::from(limits[asks])).saturating_sub(paths[asks].cwnd);
                prop_assert!(grant.by >= wanted.min(right));
                prop_assert!(grant.by <= wanted);
                if let Some((borrower, taken)) = grant.taken {
                    prop_assert!(borrower.index() != asks && taken <= rule.excess(&paths[borrower.index()]));
                    paths[borrower.index()].cwnd -= taken;
                }
                paths[asks].cwnd += grant.by;
                let packets = |path: &PathSample| UNIT * path.cwnd.get().div_ceil(UNIT.get());
                prop_assert!(paths.iter().map(packets).sum::<ByteCount>() <= buffer);
            }
        }
    }
}
