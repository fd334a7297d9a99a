//! A lost chunk goes to another active path (RFC 9260 §6.4: "to an active destination transport address that is
//! different from the last destination").

use super::{Destination, LostChunk, RetransmissionPolicy};
use crate::policy::{PathId, View};

/// The next active path after the one that lost the chunk.
#[derive(Debug, Default)]
pub struct Alternate;

impl RetransmissionPolicy for Alternate {
    fn destination(&mut self, lost: &LostChunk, view: &View<'_>) -> Destination {
        Destination::Now(another(lost.path, view))
    }
}

/// The next active path after `path`, in a circle; `path` itself if it is the only one. If no path is active, the
/// last resort: then retransmissions continue until the error count closes the association.
pub fn another(path: PathId, view: &View<'_>) -> PathId {
    view.next_after(path, |sample| sample.state.carries_data()).unwrap_or(view.last_resort)
}

#[cfg(test)]
mod tests {
    use super::super::LostBy;
    use super::*;
    use crate::policy::PathState;
    use crate::policy::retransmission::same::Same;
    use crate::policy::testing::{sample, view};
    use crate::seq::Tsn;

    fn lost_on(index: usize) -> LostChunk {
        LostChunk { tsn: Tsn::new(1), path: PathId::from_index(index), by: LostBy::Timeout }
    }

    #[test]
    fn alternate_takes_the_next_active_path() {
        let mut paths = [sample(0), sample(1), sample(2)];
        paths[1].state = PathState::Inactive;
        assert_eq!(
            Alternate.destination(&lost_on(0), &view(&paths)),
            Destination::Now(PathId::from_index(2))
        );
        paths[2].state = PathState::Unconfirmed;
        assert_eq!(Alternate.destination(&lost_on(0), &view(&paths)), Destination::Now(PathId::FIRST));
    }

    #[test]
    fn same_leaves_a_failed_path() {
        let mut paths = [sample(0), sample(1)];
        assert_eq!(Same.destination(&lost_on(1), &view(&paths)), Destination::Now(PathId::from_index(1)));
        paths[1].state = PathState::Inactive;
        assert_eq!(Same.destination(&lost_on(1), &view(&paths)), Destination::Now(PathId::FIRST));
    }
}
