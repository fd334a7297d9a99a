//! Policies that send chunks out of order and several times, for walks: whatever they do, the rest must hold.

use anabranch_sctp::policy::retransmission::{Destination, LostChunk, RetransmissionPolicy};
use anabranch_sctp::policy::schedule::{ChunksInFlight, Index, QueueView, Scheduler};
use anabranch_sctp::policy::{PathId, Registry, View};
use anabranch_sctp::seq::Tsn;

use super::Dice;

/// The policies of `registry`, a scheduler `copying` and a retransmission policy `both`.
pub(crate) fn added_to(mut registry: Registry) -> Registry {
    registry.schedulers.add("copying", |_| Box::new(Copying { dice: Dice::of(7) }));
    registry.retransmission_policies.add("both", |_| Box::new(Both));
    registry
}

/// Any of the first few chunks on any path with room; and copies of any chunk, to paths that may take none as well.
#[derive(Debug)]
struct Copying {
    dice: Dice,
}

impl Copying {
    fn any_path(&mut self, view: &View<'_>) -> PathId {
        PathId::from_index(self.dice.below(view.paths.len() as u64) as usize)
    }
}

impl Scheduler for Copying {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let path = view.next_after(self.any_path(view), |sample| {
            sample.may_send() && queue.oldest <= sample.packet_limit
        })?;
        Some((path, self.pick_more(path, queue, view)?))
    }

    fn pick_more(&mut self, path: PathId, queue: &QueueView<'_>, view: &View<'_>) -> Option<Index> {
        // A buffer that holds little more than what was left behind would wait for one time-out after the other.
        let most = (view.peer_window.get() / (4 * queue.oldest.get())).clamp(1, 4);
        let index = Index(self.dice.below(most.min(queue.chunks as u64)) as usize);
        let fits = queue.chunk(index)?.packet <= view.path(path).packet_limit;
        Some(if fits { index } else { Index::OLDEST })
    }

    fn copy(&mut self, in_flight: &dyn ChunksInFlight, view: &View<'_>) -> Option<(Tsn, PathId)> {
        let mut chunk = in_flight.lowest()?;
        for _ in 0..self.dice.below(4) {
            chunk = in_flight.next_above(chunk.tsn).unwrap_or(chunk);
        }
        let path = self.any_path(view);
        (self.dice.below(3) == 0).then_some((chunk.tsn, path))
    }
}

/// To the path that lost the chunk and the next one, whichever of them has room.
#[derive(Debug)]
struct Both;

impl RetransmissionPolicy for Both {
    fn destination(&mut self, lost: &LostChunk, view: &View<'_>) -> Destination {
        let next = view.next_after(lost.path, |sample| sample.state.carries_data());
        match next {
            Some(next) if next != lost.path && view.path(lost.path).state.carries_data() => {
                Destination::Both(lost.path, next)
            }
            next => Destination::Now(next.unwrap_or(view.last_resort)),
        }
    }
}
