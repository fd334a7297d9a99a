//! A lost chunk goes to any path that has room at once (M-CMT-6 `asap`).

use anabranch_base::Seed;

use super::tie::Tie;
use super::{Destination, LostChunk, RetransmissionPolicy};
use crate::policy::{PathSample, View};

/// An active path whose window has room now; among several, a random one. If none has room, the chunk waits. The
/// association decides whether one packet may pass the window of the path that lost it.
#[derive(Debug)]
pub struct Asap {
    tie: Tie,
}

impl Asap {
    /// The rule, which draws from the stream of `seed`.
    pub fn new(seed: &Seed) -> Asap {
        Asap { tie: Tie::new(seed) }
    }
}

impl RetransmissionPolicy for Asap {
    fn destination(&mut self, lost: &LostChunk, view: &View<'_>) -> Destination {
        let has_room = |sample: &&PathSample| sample.has_window();
        let free = view.active().filter(has_room).map(|sample| sample.id);
        match self.tie.pick(free, lost, view.now) {
            Some(path) => Destination::Now(path),
            // No path is active: the last resort, so that retransmissions continue until the error count closes the
            // association.
            None if view.active().next().is_none() => Destination::Now(view.last_resort),
            None => Destination::Wait,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::retransmission::LostBy;
    use crate::policy::testing::{sample, view};
    use crate::policy::{Blocker, PathId, PathState};
    use crate::seq::Tsn;

    fn destination(paths: &[PathSample], tsn: u32) -> Destination {
        let lost = LostChunk { tsn: Tsn::new(tsn), path: PathId::FIRST, by: LostBy::MissingReports };
        Asap::new(&Seed::from_number(1)).destination(&lost, &view(paths))
    }

    #[test]
    fn asap_takes_only_an_active_path_with_room_and_else_waits() {
        let mut paths = [sample(0), sample(1), sample(2)];
        paths[0].flight = paths[0].cwnd;
        paths[2].state = PathState::Inactive;
        assert!((0..50).all(|tsn| destination(&paths, tsn) == Destination::Now(PathId::from_index(1))));
        paths[1].blocked_by = Some(Blocker::Pacer);
        assert_eq!(destination(&paths, 1), Destination::Wait);
    }

    #[test]
    fn asap_uses_every_path_with_room() {
        let paths = [sample(0), sample(1)];
        let on_first =
            (0..50).filter(|tsn| destination(&paths, *tsn) == Destination::Now(PathId::FIRST)).count();
        assert!((1..50).contains(&on_first), "{on_first} of 50");
    }

    #[test]
    fn asap_tries_the_primary_when_no_path_is_active() {
        let mut paths = [sample(0)];
        paths[0].state = PathState::Inactive;
        assert_eq!(destination(&paths, 1), Destination::Now(PathId::FIRST));
    }
}
