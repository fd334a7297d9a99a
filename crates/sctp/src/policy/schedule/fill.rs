//! Each path is used up to its window before the next one (M-SCH-0; M-CMT-1, `turn = window`, as in ns-2 and
//! FreeBSD).

use super::{Index, QueueView, Scheduler, may_carry};
use crate::policy::{PathId, View};

/// Goes round the paths at each opportunity to send, starting after the last used path, and stays on each while it
/// has room.
#[derive(Debug, Default)]
pub struct Fill {
    last: Option<PathId>,
    /// True if something was sent on the last path at this opportunity.
    is_filling: bool,
}

impl Scheduler for Fill {
    fn on_opportunity(&mut self) {
        self.is_filling = false;
    }

    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let last = self.last.unwrap_or_else(|| PathId::from_index(view.paths.len() - 1));
        let path = if self.is_filling && may_carry(view.path(last), queue) {
            last
        } else {
            view.next_after(last, |sample| may_carry(sample, queue))?
        };
        self.last = Some(path);
        self.is_filling = true;
        Some((path, Index::OLDEST))
    }

    fn holds(&self, _path: PathId, _view: &View<'_>) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::policy::testing::{QUEUE, sample, view};

    #[test]
    fn a_path_is_filled_before_the_next_is_used() {
        let mut paths = [sample(0), sample(1)];
        let mut scheduler = Fill::default();
        let mut order = Vec::new();
        while let Some((path, _)) = scheduler.pick(&QUEUE, &view(&paths)) {
            order.push(path.index());
            paths[path.index()].flight += ByteCount::new(3000);
        }
        assert_eq!(order, [0, 0, 1, 1]);
    }

    /// The second path must not stay idle when the peer's window allows only one packet at a time.
    #[test]
    fn each_opportunity_begins_after_the_path_sent_to_last() {
        let paths = [sample(0), sample(1)];
        let mut scheduler = Fill::default();
        let order = [(); 3].map(|()| {
            scheduler.on_opportunity();
            scheduler.pick(&QUEUE, &view(&paths)).map(|(path, _)| path.index())
        });
        assert_eq!(order, [Some(0), Some(1), Some(0)]);
    }
}
