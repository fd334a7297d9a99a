//! Chunks bound to paths before they are sent: what [`bas`](super::bas::bas) and
//! [`reception_index`](super::reception_index::reception_index) share.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Duration};

use anabranch_sctp::policy::schedule::lowest_rtt::quickest_with_room;
use anabranch_sctp::policy::schedule::{
    Index, QueueView, Scheduler, WaitingChunk, is_idle, leaves_room_for_older,
};
use anabranch_sctp::policy::{Blocker, PathId, PathSample, View};
use anabranch_sctp::seq::Tsn;

/// One virtual queue a path. A chunk joins one of them when fewer chunks wait before it than the peer's receive buffer
/// holds: with a source that never ends, an earlier assignment would bind the whole send buffer at once. It stays there
/// until it is sent, unless its path fails.
#[derive(Debug)]
pub(super) struct VirtualQueues {
    /// In the order of the paths.
    queues: Vec<VirtualQueue>,
    /// The youngest chunk that has joined a queue: all older ones that wait have too.
    youngest: Option<Tsn>,
    /// The delay that is added to the time that a path needs for its queue.
    delay: fn(&PathSample) -> Duration,
}

/// The chunks that wait for one path, from the oldest on.
#[derive(Debug, Default)]
struct VirtualQueue {
    chunks: VecDeque<WaitingChunk>,
    bytes: ByteCount,
}

impl VirtualQueues {
    /// No chunk is assigned. `delay` is the delay of a path in the estimate of when it delivers.
    pub(super) fn new(delay: fn(&PathSample) -> Duration) -> VirtualQueues {
        VirtualQueues { queues: Vec::new(), youngest: None, delay }
    }

    /// Forgets chunks that were sent, assigns those of failed paths anew, and the next ones of the queue.
    fn update(&mut self, queue: &QueueView<'_>, view: &View<'_>) {
        self.queues.resize_with(view.paths.len(), VirtualQueue::default);
        for waiting in &mut self.queues {
            waiting.drop_sent(queue);
            waiting.measure_head(queue);
        }
        for sample in view.paths {
            self.leave_failed(sample, view);
            self.leave_narrow(sample, queue, view);
        }
        self.assign_next(queue, view);
        self.assign_oldest(queue, view);
    }

    /// Assigns chunks until as many wait in the queues as the peer's buffer holds.
    fn assign_next(&mut self, queue: &QueueView<'_>, view: &View<'_>) {
        let buffered = view.receive_buffer.get().div_ceil(queue.oldest.get().max(1));
        let horizon = queue.chunks.min(MOST_ASSIGNED).min(usize::try_from(buffered).unwrap_or(MOST_ASSIGNED));
        if self.queues.iter().map(|waiting| waiting.chunks.len()).sum::<usize>() >= horizon {
            return;
        }
        for index in self.first_unassigned(queue)..horizon {
            let Some(chunk) = queue.chunk(Index(index)) else { return };
            if !self.assign(chunk, view) {
                return;
            }
            self.youngest = Some(chunk.tsn);
        }
    }

    /// Assigns the oldest chunk if no queue has it: its path failed, and no other could take it then.
    fn assign_oldest(&mut self, queue: &QueueView<'_>, view: &View<'_>) {
        let is_oldest =
            |waiting: &VirtualQueue| waiting.head().is_some_and(|head| head.tsn == queue.first_tsn);
        let was_assigned = self.youngest.is_some_and(|youngest| !queue.first_tsn.is_after(youngest));
        if was_assigned && !self.queues.iter().any(is_oldest) {
            self.assign(WaitingChunk { tsn: queue.first_tsn, packet: queue.oldest }, view);
        }
    }

    /// Lets `chunk` join the queue of the path that is estimated to deliver it first; `false` if no path can take it.
    fn assign(&mut self, chunk: WaitingChunk, view: &View<'_>) -> bool {
        let able =
            view.paths.iter().filter(|sample| !has_failed(sample) && chunk.packet <= sample.packet_limit);
        let estimates = able.filter_map(|sample| Some((self.delivery(sample, chunk.packet)?, sample.id)));
        let best = estimates.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let Some((_, path)) = best else { return false };
        self.queues[path.index()].insert(chunk);
        true
    }

    /// When `sample` delivers a chunk of `size` that joins its queue now, in seconds. A path whose rate is unknown is
    /// preferred as far as its window goes, so that it is measured; `None` beyond.
    fn delivery(&self, sample: &PathSample, size: ByteCount) -> Option<f64> {
        let before = self.queues[sample.id.index()].bytes + sample.flight;
        let by_window = || sample.cwnd.rate_over(sample.srtt?);
        let known = sample.bandwidth.or(sample.hints.rate).or_else(by_window);
        let Some(rate) = known.filter(|rate| rate.bits_per_second() > 0) else {
            return (before < sample.cwnd).then_some(0.0);
        };
        let drained = (before + size).get() as f64 * 8.0 / rate.bits_per_second() as f64;
        Some(drained + (self.delay)(sample).as_secs_f64())
    }

    /// Assigns the chunks of `sample` anew if it has failed and another path has not.
    fn leave_failed(&mut self, sample: &PathSample, view: &View<'_>) {
        let has_none = self.queues[sample.id.index()].chunks.is_empty();
        if has_none || !has_failed(sample) || view.paths.iter().all(has_failed) {
            return;
        }
        for chunk in std::mem::take(&mut self.queues[sample.id.index()]).chunks {
            self.assign(chunk, view);
        }
    }

    /// Assigns the oldest chunks of `sample` anew that are too large for it now, and fit another path.
    fn leave_narrow(&mut self, sample: &PathSample, queue: &QueueView<'_>, view: &View<'_>) {
        let own = sample.id.index();
        while let Some(chunk) =
            self.queues[own].head().copied().filter(|chunk| chunk.packet > sample.packet_limit)
        {
            self.queues[own].drop_head();
            if !self.assign(chunk, view) {
                self.queues[own].insert(chunk);
                return;
            }
            self.queues[own].measure_head(queue);
        }
    }

    /// The position of the oldest chunk that waits for `sample`, if it may leave now.
    fn oldest_of(&self, sample: &PathSample, queue: &QueueView<'_>, view: &View<'_>) -> Option<Index> {
        let head = self.queues[sample.id.index()].head()?;
        let index = queue.index_of(head.tsn)?;
        (head.packet <= sample.packet_limit && leaves_room_for_older(index, queue, view)).then_some(index)
    }

    /// The position of the oldest chunk that never joined a queue.
    fn first_unassigned(&self, queue: &QueueView<'_>) -> usize {
        let Some(youngest) = self.youngest else { return 0 };
        let (mut first, mut end) = (0, queue.chunks);
        while first < end {
            let middle = first.midpoint(end);
            if queue.chunk(Index(middle)).is_some_and(|chunk| !chunk.tsn.is_after(youngest)) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        first
    }

    /// The TSNs that wait in each queue.
    #[cfg(test)]
    pub(super) fn assigned(&self) -> Vec<Vec<u32>> {
        let tsns = |waiting: &VirtualQueue| waiting.chunks.iter().map(|chunk| chunk.tsn.get()).collect();
        self.queues.iter().map(tsns).collect()
    }
}

impl Scheduler for VirtualQueues {
    fn on_queued(&mut self, queue: &QueueView<'_>, view: &View<'_>) {
        self.update(queue, view);
    }

    /// The path whose oldest chunk is the oldest among the paths with room. If nothing is in flight and none has both,
    /// the oldest chunk leaves on the quickest path with room.
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        self.update(queue, view);
        let able = view.paths.iter().filter(|sample| sample.may_send());
        let oldest = able.filter_map(|sample| Some((self.oldest_of(sample, queue, view)?, sample.id))).min();
        match oldest {
            Some((index, path)) => Some((path, index)),
            None if is_idle(view) => Some((quickest_with_room(queue, view)?.id, Index::OLDEST)),
            None => None,
        }
    }

    /// The oldest chunk that is assigned to `path`.
    fn pick_more(&mut self, path: PathId, queue: &QueueView<'_>, view: &View<'_>) -> Option<Index> {
        self.update(queue, view);
        self.oldest_of(view.path(path), queue, view)
    }
}

impl VirtualQueue {
    fn head(&self) -> Option<&WaitingChunk> {
        self.chunks.front()
    }

    /// Drops the oldest chunks as far as they no longer wait.
    fn drop_sent(&mut self, queue: &QueueView<'_>) {
        while self.head().is_some_and(|head| queue.index_of(head.tsn).is_none()) {
            self.drop_head();
        }
    }

    fn drop_head(&mut self) {
        self.bytes -= self.chunks.pop_front().map_or(ByteCount::ZERO, |head| head.packet);
    }

    /// The oldest chunk may have been cut to another size since it joined.
    fn measure_head(&mut self, queue: &QueueView<'_>) {
        let Some(head) = self.chunks.front_mut() else { return };
        let found = queue.index_of(head.tsn).and_then(|index| queue.chunk(index));
        let Some(chunk) = found else { return };
        self.bytes = self.bytes - head.packet + chunk.packet;
        *head = chunk;
    }

    /// Puts `chunk` before all younger ones: mostly last.
    fn insert(&mut self, chunk: WaitingChunk) {
        let at = self.chunks.partition_point(|other| other.tsn.is_before(chunk.tsn));
        self.chunks.insert(at, chunk);
        self.bytes += chunk.packet;
    }
}

/// Returns true if chunks that wait for the path are assigned anew: it is not active, or it may be dead, because a time-out on
/// it is not answered yet.
fn has_failed(sample: &PathSample) -> bool {
    let is_held = matches!(sample.blocked_by, Some(Blocker::TimeOut | Blocker::LossResponse));
    !sample.state.carries_data() || is_held
}

/// The most chunks that are assigned, whatever the peer's buffer holds: it bounds the memory.
const MOST_ASSIGNED: usize = 4096;

#[cfg(test)]
mod tests {
    use anabranch_base::BitRate;

    use super::*;
    use anabranch_sctp::policy::PathState;
    use anabranch_sctp::policy::testing::{QUEUE, sample, view};

    /// Equal paths, with windows of ten packets.
    fn paths() -> [PathSample; 2] {
        let mut paths = [sample(0), sample(1)];
        for path in &mut paths {
            path.bandwidth = Some(BitRate::from_mbps(10));
            path.cwnd = path.unit * 10;
        }
        paths
    }

    fn queues() -> VirtualQueues {
        VirtualQueues::new(|_| Duration::ZERO)
    }

    #[test]
    fn a_path_takes_what_was_assigned_to_it_and_nothing_else() {
        let mut paths = paths();
        let mut queues = queues();
        assert_eq!(queues.pick(&QUEUE, &view(&paths)), Some((PathId::FIRST, Index(0))));
        assert_eq!(queues.assigned(), [vec![1, 3, 5, 7, 9], vec![2, 4, 6, 8]]);
        paths[0].flight = paths[0].cwnd;
        let second = PathId::from_index(1);
        assert_eq!(queues.pick(&QUEUE, &view(&paths)), Some((second, Index(1))));
        assert_eq!(queues.pick_more(second, &QUEUE, &view(&paths)), Some(Index(1)));
        assert_eq!(
            queues.assigned(),
            [vec![1, 3, 5, 7, 9], vec![2, 4, 6, 8]],
            "a full path keeps its chunks"
        );
    }

    #[test]
    fn no_more_is_assigned_than_the_peer_buffers() {
        let paths = paths();
        let mut queues = queues();
        let small = View { receive_buffer: ByteCount::new(3 * 1480 + 1), ..view(&paths) };
        queues.update(&QUEUE, &small);
        assert_eq!(queues.assigned(), [vec![1, 3], vec![2, 4]]);
        queues.update(&QUEUE, &view(&paths));
        assert_eq!(queues.assigned(), [vec![1, 3, 5, 7, 9], vec![2, 4, 6, 8]], "the rest follows");
    }

    #[test]
    fn the_chunks_of_a_path_that_fails_go_to_the_others_in_their_order() {
        for fail in [
            |path: &mut PathSample| path.state = PathState::PotentiallyFailed,
            |path: &mut PathSample| path.blocked_by = Some(Blocker::TimeOut),
        ] {
            let mut paths = paths();
            let mut queues = queues();
            queues.update(&QUEUE, &view(&paths));
            fail(&mut paths[0]);
            queues.update(&QUEUE, &view(&paths));
            assert_eq!(queues.assigned(), [vec![], (1..=9).collect::<Vec<u32>>()]);
            fail(&mut paths[1]);
            queues.update(&QUEUE, &view(&paths));
            assert_eq!(queues.assigned()[1].len(), 9, "there is nowhere to go");
        }
    }

    #[test]
    fn what_became_too_large_for_its_path_goes_to_another() {
        let mut paths = paths();
        let mut queues = queues();
        queues.update(&QUEUE, &view(&paths));
        paths[0].packet_limit = ByteCount::new(1_479);
        queues.update(&QUEUE, &view(&paths));
        assert_eq!(queues.assigned(), [vec![], (1..=9).collect::<Vec<u32>>()]);
        paths[1].packet_limit = ByteCount::new(1_479);
        queues.update(&QUEUE, &view(&paths));
        assert_eq!(queues.assigned()[1].len(), 9, "there is nowhere to go");
    }

    /// Chunks that were not sent yet are cut to the size of the narrowest path.
    #[test]
    fn a_chunk_that_was_cut_meanwhile_leaves_on_its_path() {
        #[derive(Debug)]
        struct Cut;
        impl anabranch_sctp::policy::schedule::WaitingChunks for Cut {
            fn chunk(&self, Index(index): Index) -> Option<WaitingChunk> {
                let tsn = Tsn::new(1 + u32::try_from(index).ok().filter(|index| *index < 9)?);
                Some(WaitingChunk { tsn, packet: ByteCount::new(1_180) })
            }
            fn index_of(&self, tsn: Tsn) -> Option<Index> {
                Some(Index(tsn.distance_from(Tsn::new(1)) as usize))
            }
        }
        let mut paths = paths();
        let mut queues = queues();
        queues.update(&QUEUE, &view(&paths));
        for path in &mut paths {
            path.packet_limit = ByteCount::new(1_180);
        }
        let cut = QueueView { oldest: ByteCount::new(1_180), waiting: &Cut, ..QUEUE };
        assert_eq!(queues.pick(&cut, &view(&paths)), Some((PathId::FIRST, Index(0))));
        assert_eq!(queues.assigned()[0].len(), 5, "it keeps what was assigned to it");
    }

    #[test]
    fn a_path_of_unknown_rate_is_preferred_up_to_its_window() {
        let mut paths = paths();
        paths[1].bandwidth = None;
        paths[1].cwnd = paths[1].unit * 2;
        let mut queues = queues();
        queues.update(&QUEUE, &view(&paths));
        assert_eq!(queues.assigned(), [(4..=9).collect::<Vec<u32>>(), vec![1, 2, 3]]);
    }

    #[test]
    fn an_older_chunk_of_another_path_keeps_its_room_at_the_peer() {
        let mut paths = paths();
        paths[0].flight = paths[0].cwnd;
        let mut queues = queues();
        queues.update(&QUEUE, &view(&self::paths()));
        let second = PathId::from_index(1);
        let pick = |queues: &mut VirtualQueues, room| {
            queues.pick(&QUEUE, &View { peer_window: ByteCount::new(room), ..view(&paths) })
        };
        assert_eq!(pick(&mut queues, 2 * 1500), Some((second, Index(1))));
        assert_eq!(pick(&mut queues, 2 * 1500 - 1), None);
    }
}
