//! One packet on each path in turn, starting after the last used path (M-CMT-1, `turn = packet`).

use super::{Index, QueueView, Scheduler, may_carry};
use crate::policy::{PathId, View};

/// Goes round the paths that have room.
#[derive(Debug, Default)]
pub struct RoundRobin {
    last: Option<PathId>,
}

impl Scheduler for RoundRobin {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let last = self.last.unwrap_or_else(|| PathId::from_index(view.paths.len() - 1));
        let path = view.next_after(last, |sample| may_carry(sample, queue))?;
        self.last = Some(path);
        Some((path, Index::OLDEST))
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::policy::Blocker;
    use crate::policy::testing::{QUEUE, sample, view};

    #[test]
    fn paths_with_room_take_turns() {
        let mut paths = [sample(0), sample(1), sample(2)];
        paths[1].blocked_by = Some(Blocker::Pacer);
        let mut scheduler = RoundRobin::default();
        let order = [(); 4].map(|()| scheduler.pick(&QUEUE, &view(&paths)).map(|(path, _)| path.index()));
        assert_eq!(order, [Some(0), Some(2), Some(0), Some(2)]);
    }

    #[test]
    fn no_path_is_picked_when_all_windows_are_full() {
        let mut paths = [sample(0)];
        paths[0].flight = paths[0].cwnd;
        assert_eq!(RoundRobin::default().pick(&QUEUE, &view(&paths)), None);
    }

    #[test]
    fn a_path_that_is_too_narrow_is_passed_over() {
        let mut paths = [sample(0), sample(1)];
        paths[0].packet_limit = ByteCount::new(1252);
        let picked = RoundRobin::default().pick(&QUEUE, &view(&paths));
        assert_eq!(picked.map(|(path, _)| path.index()), Some(1));
    }
}
