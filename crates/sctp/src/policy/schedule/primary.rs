//! Standard SCTP: new data goes to the primary path, and to another active one only while the primary is inactive
//! (RFC 9260 §6.4, §6.4.1).

use super::{Index, QueueView, Scheduler, may_carry};
use crate::policy::retransmission::alternate::another;
use crate::policy::{PathId, View};

/// The primary path, or the path that replaces it.
#[derive(Debug, Default)]
pub struct Primary;

impl Scheduler for Primary {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let path = view.path(in_use(view));
        may_carry(path, queue).then_some((path.id, Index::OLDEST))
    }

    fn holds(&self, path: PathId, view: &View<'_>) -> bool {
        path == view.primary
    }

    fn may_use(&self, path: PathId, view: &View<'_>) -> bool {
        path == in_use(view)
    }
}

fn in_use(view: &View<'_>) -> PathId {
    if view.path(view.primary).state.carries_data() { view.primary } else { another(view.primary, view) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::{QUEUE, sample, view};
    use crate::policy::{PathSample, PathState};

    #[test]
    fn data_leaves_the_primary_only_when_it_fails() {
        let mut paths = [sample(0), sample(1)];
        assert_eq!(Primary.pick(&QUEUE, &view(&paths)).map(|(path, _)| path.index()), Some(0));
        paths[0].flight = paths[0].cwnd;
        assert_eq!(Primary.pick(&QUEUE, &view(&paths)), None, "a full window is not a failure");
        let used = |paths: &[PathSample]| [0, 1].map(|index| Primary.may_use(paths[index].id, &view(paths)));
        assert_eq!(used(&paths), [true, false]);
        paths[0].state = PathState::Inactive;
        assert_eq!(Primary.pick(&QUEUE, &view(&paths)).map(|(path, _)| path.index()), Some(1));
        assert_eq!(used(&paths), [false, true]);
    }
}
