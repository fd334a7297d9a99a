//! Schedulers: the path for the next new chunk, and the choice of that chunk (M-SCH-0 to M-SCH-4, M-IPCC-6, M-CMT-1).

pub mod arrival;
mod blocking;
mod copy_allowance;
pub mod fill;
mod in_flight;
pub(crate) mod in_order_arrival;
pub mod lowest_rtt;
pub mod primary;
mod queue;
pub mod round_robin;
pub(crate) mod window_regulated;
pub(crate) mod xlink;

use std::fmt::Debug;

use anabranch_base::ByteCount;
use copy_allowance::CopyAllowance;
use in_flight::uncopied;
pub use in_flight::{ChunkInFlight, ChunksInFlight};
pub use queue::{Index, QueueView, WaitingChunk, WaitingChunks};

use super::{PathId, PathSample, View};
use crate::seq::Tsn;

/// A rule that distributes new data over the paths.
pub trait Scheduler: Debug + Send {
    /// Chunks were queued.
    fn on_queued(&mut self, _queue: &QueueView<'_>, _view: &View<'_>) {}

    /// An opportunity to send begins after an event: a packet, a time-out or a call of the application.
    fn on_opportunity(&mut self) {}

    /// The first chunk of the next packet, and its path; `None` to wait for room. It is called only while chunks
    /// wait, and must give a path that [`may_carry`] the chunk.
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)>;

    /// Returns true if the result `path` and the oldest chunk, which [`pick`](Scheduler::pick) has just given, holds
    /// for a run of chunks: until something other than these chunks happens, and as long as `path` [`may_carry`] the
    /// oldest chunk, it would return the same without a change in itself. Then it is not called.
    fn holds(&self, _path: PathId, _view: &View<'_>) -> bool {
        false
    }

    /// The next chunk for a packet to `path` with room for more: the packet already has data, or a SACK or a control
    /// chunk that had to leave. It is called for each further chunk, while the window of `path` has room. `None`
    /// closes the packet.
    fn pick_more(&mut self, _path: PathId, _queue: &QueueView<'_>, _view: &View<'_>) -> Option<Index> {
        Some(Index::OLDEST)
    }

    /// A chunk in flight of which a copy is to leave now, and the path for the copy. It is called repeatedly when
    /// neither a lost nor a new chunk can leave: because [`pick`](Scheduler::pick) waits, because the peer's window is
    /// closed, or because no chunk is left. The path must carry data and have room in its window, and neither the chunk
    /// nor a copy of it may be in flight on it: otherwise the result is ignored.
    fn copy(&mut self, _in_flight: &dyn ChunksInFlight, _view: &View<'_>) -> Option<(Tsn, PathId)> {
        None
    }

    /// The amount of waiting data among which the rule last chose. Messages are cut into chunks as late as possible,
    /// because the paths' packet sizes may grow; but this much is always cut.
    fn look_ahead(&self) -> ByteCount {
        ByteCount::ZERO
    }

    /// Returns true if new data may go to `path` now, if its window had room: for reports of the limits of the path.
    fn may_use(&self, _path: PathId, _view: &View<'_>) -> bool {
        true
    }
}

/// Returns true if `path` has room and is wide enough for the oldest waiting chunk.
pub fn may_carry(path: &PathSample, queue: &QueueView<'_>) -> bool {
    path.may_send() && queue.oldest <= path.packet_limit
}

/// Returns true if the peer's window holds the chunk at `index` and all older ones that wait. A chunk that leaves ahead of
/// others must leave room for them: without it they could not be sent, and what arrived ahead of them would fill the
/// window until they are.
pub fn leaves_room_for_older(Index(index): Index, queue: &QueueView<'_>, view: &View<'_>) -> bool {
    // The IP packet with the oldest chunk: no chunk is charged more.
    let headers = view.path(view.primary);
    let packet = queue.oldest + headers.mtu.saturating_sub(headers.packet_limit);
    index == 0 || packet * (index as u64 + 1) <= view.peer_window
}

/// Returns true if nothing is in flight on any path: then no acknowledgement comes, and a scheduler that waits for one waits
/// forever.
pub fn is_idle(view: &View<'_>) -> bool {
    view.paths.iter().all(|sample| sample.flight.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::{QUEUE, sample, view};

    /// Chunks leave, and nothing else happens: the scheduler must act as `holds` promises.
    #[test]
    fn an_answer_that_holds_is_given_again_as_long_as_its_path_has_room() {
        let schedulers: [(Box<dyn Scheduler>, usize); 4] = [
            (Box::new(fill::Fill::default()), 2),
            (Box::new(primary::Primary), 2),
            (Box::new(lowest_rtt::LowestRtt), 2),
            (Box::new(in_order_arrival::InOrderArrival::default()), 1),
        ];
        for (mut scheduler, paths) in schedulers {
            let mut paths: Vec<PathSample> = (0..paths).map(sample).collect();
            scheduler.on_opportunity();
            let mut runs = 0;
            while let Some((path, index)) = scheduler.pick(&QUEUE, &view(&paths)) {
                assert!(index == Index::OLDEST && scheduler.holds(path, &view(&paths)), "{scheduler:?}");
                runs += 1;
                while may_carry(&paths[path.index()], &QUEUE) {
                    assert_eq!(scheduler.pick(&QUEUE, &view(&paths)), Some((path, Index::OLDEST)));
                    let sample = &mut paths[path.index()];
                    sample.flight += sample.unit;
                }
            }
            assert!(runs >= 1, "{scheduler:?}");
        }
        let two = [sample(0), sample(1)];
        assert!(!in_order_arrival::InOrderArrival::default().holds(PathId::FIRST, &view(&two)));
    }
}
