//! Each path up to its window before the next one is used (M-CMT-1, `turn = window`, as ns-2 and FreeBSD
//! do). It knows nothing of rates and delays.

use super::{Index, QueueView, Scheduler, may_carry};
use crate::policy::{PathId, View};

/// Stays on a path while that has room, then goes on to the next.
#[derive(Debug, Default)]
pub struct Fill {
    current: Option<PathId>,
}

impl Scheduler for Fill {
    fn pick(&mut self, queue: &QueueView, view: &View<'_>) -> Option<(PathId, Index)> {
        let current = self.current.unwrap_or(PathId::FIRST);
        let path = match may_carry(view.path(current), queue) {
            true => current,
            false => view.next_after(current, |sample| may_carry(sample, queue))?,
        };
        self.current = Some(path);
        Some((path, Index::OLDEST))
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::policy::view::tests::{sample, view};

    #[test]
    fn a_path_is_filled_before_the_next_is_used() {
        let queue = QueueView { chunks: 9, oldest: ByteCount::new(1480) };
        let mut paths = [sample(0), sample(1)];
        let mut scheduler = Fill::default();
        let mut order = Vec::new();
        while let Some((path, _)) = scheduler.pick(&queue, &view(&paths)) {
            order.push(path.index());
            paths[path.index()].flight += ByteCount::new(3000);
        }
        assert_eq!(order, [0, 0, 1, 1]);
    }
}
