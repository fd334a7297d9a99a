//! The first path up to its window, then the second, and so on (M-IPCC-6, YE 6.5.2).

use super::{Index, QueueView, Scheduler, may_carry};
use crate::policy::{PathId, View};

/// Picks the path with the lowest id among those with room. Unlike [`Fill`](super::fill::Fill), every opportunity
/// begins with the first path again.
#[derive(Debug, Default)]
pub(crate) struct WindowRegulated;

impl Scheduler for WindowRegulated {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let first = view.paths.iter().find(|sample| may_carry(sample, queue))?;
        Some((first.id, Index::OLDEST))
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::policy::testing::{QUEUE, sample, view};

    #[test]
    fn the_first_path_is_filled_again_as_soon_as_it_has_room() {
        let mut paths = [sample(0), sample(1)];
        let mut order = Vec::new();
        while let Some((path, _)) = WindowRegulated.pick(&QUEUE, &view(&paths)) {
            order.push(path.index());
            paths[path.index()].flight += ByteCount::new(3000);
            if order.len() == 3 {
                paths[0].flight = ByteCount::ZERO;
            }
        }
        assert_eq!(order, [0, 0, 1, 0, 0, 1]);
    }
}
