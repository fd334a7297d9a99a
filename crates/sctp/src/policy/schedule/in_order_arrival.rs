//! Each path takes the chunk that will be due when it arrives there (OTIAS: Yang, Wang, Amer, "Out-of-order transmission
//! for in-order arrival scheduling for multipath TCP", 2014; DAPS: Kuhn et al., 2014).

use anabranch_base::{ByteCount, Time};

use super::arrival::{PathForecast, SMALL_QUEUE, after, bytes, forecasts};
use super::blocking::BlockingCopies;
use super::{ChunksInFlight, Index, QueueView, Scheduler};
use crate::policy::{PathId, PathSample, View};
use crate::seq::Tsn;

/// Sends so that chunks arrive in order, over paths of any delays.
///
/// The peer's window counts the bytes in flight and those that wait at the peer for others. If a slow path carries the
/// chunks that are due when it arrives, nothing waits, and the buffer holds for each path only its own rate times its
/// own delay.
#[derive(Debug, Default)]
pub(crate) struct InOrderArrival {
    /// For each path, the time until which its narrowest link is busy with earlier packets.
    busy_until: Vec<Time>,
    /// The active paths, in the order in which packets would arrive. Kept for its memory.
    candidates: Vec<Candidate>,
    /// The last pick: further chunks of the same packet are the next ones.
    picked: Option<(PathId, Index)>,
    /// For each path, the chunk after the last one that it took, and the time of that.
    next: Vec<Option<Tsn>>,
    picked_at: Vec<Time>,
    /// The distance, in bytes, at which the last pick searched for a chunk.
    look_ahead: f64,
    /// Copies of chunks that arrive later than predicted, because they were lost or delayed.
    copies: BlockingCopies,
}

/// A path with the time of arrival of a packet that would leave on it now.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    path: PathForecast,
    /// The predicted arrival, in seconds.
    arrival: f64,
    /// [The cost of a packet](PathForecast::cost) in the peer's buffer.
    cost: f64,
    /// The rank of the path: the arrival, and a part of the time that the flight takes.
    rank: f64,
    /// True if the room that quicker paths need stays free.
    is_allowed: bool,
    /// True if the oldest chunk fits into its packets. The others do not leave that chunk to a path that cannot carry
    /// it, for instance one that searches for its packet size again.
    is_wide: bool,
}

impl InOrderArrival {
    /// Fills in the candidates for a packet of `size` bytes.
    fn fill_candidates(&mut self, size: f64, queue: &QueueView<'_>, view: &View<'_>) {
        self.busy_until.resize(view.paths.len(), Time::ZERO);
        self.candidates.clear();
        for path in forecasts(view) {
            let busy = self.busy_until[path.id.index()].since(view.now).as_secs_f64();
            let peak = path.peak.map(|peak| peak * self.headroom(&path, view));
            let by_link = peak.map_or(0.0, |peak| path.by_link(size, peak, busy));
            let arrival = path.by_flow(size).max(by_link);
            let queueing = path.peak.map_or(0.0, |peak| (path.flight + size) / peak);
            let rank = arrival + 0.01 * queueing;
            let is_wide = queue.oldest <= view.path(path.id).packet_limit;
            self.candidates.push(Candidate { path, arrival, cost: 0.0, rank, is_allowed: true, is_wide });
        }
        let rate = self.candidates.iter().filter_map(|candidate| candidate.path.peak).sum();
        let buffer = bytes(view.receive_buffer);
        for candidate in &mut self.candidates {
            candidate.cost = candidate.path.cost(size, rate, buffer);
        }
        let room = bytes(view.peer_window);
        for index in 0..self.candidates.len() {
            let reserve = self.reserve(index);
            let has_room = reserve <= 0.0 || room >= size + reserve;
            self.candidates[index].is_allowed = has_room || self.is_to_be_tried(index, view);
        }
        self.candidates.sort_unstable_by(|one, other| one.rank.total_cmp(&other.rank));
    }

    /// The factor by which a link may carry more than was measured, tried while little waits and the peer has room.
    fn headroom(&self, path: &PathForecast, view: &View<'_>) -> f64 {
        let has_room = view.peer_window * 2 > view.receive_buffer;
        if !path.is_queueing && view.queued < SMALL_QUEUE && has_room { 2.0 } else { 1.0 }
    }

    /// The room in the peer's window that is kept for other paths: for the quicker ones, and for all once the path is full.
    fn reserve(&self, index: usize) -> f64 {
        let candidate = &self.candidates[index];
        let is_full = candidate.path.flight >= candidate.path.filling();
        let others = self.candidates.iter().enumerate().filter(|(other, _)| *other != index);
        let kept = others.filter(|(_, other)| is_full || is_clearly_quicker(other, candidate));
        kept.map(|(_, other)| other.path.need()).sum()
    }

    /// Returns true if a path whose losses alone keep it from sending has rested long enough to be tried with a packet:
    /// losses in an outage, or before others filled its queue, lose their significance.
    fn is_to_be_tried(&self, index: usize, view: &View<'_>) -> bool {
        let candidate = &self.candidates[index];
        let path = &candidate.path;
        let rested = view.now.since(self.picked_at.get(path.id.index()).copied().unwrap_or_default());
        let is_sooner = |other: &Candidate| other.cost + other.path.base() * MARGIN < path.least;
        let is_sound = path.loss > 0.0 && !self.candidates.iter().any(is_sooner);
        let rest = REST * (1.0 + 16.0 * path.loss) * path.round_trip;
        is_sound && path.flight == 0.0 && rested.as_secs_f64() >= rest
    }

    /// The number of bytes that will have arrived by other paths when a packet on this one arrives.
    fn ahead(&self, candidate: &Candidate) -> f64 {
        let others = self.candidates.iter().filter(|other| {
            let is_of_use = other.is_wide && (other.is_allowed || is_quicker(other, candidate));
            other.path.id != candidate.path.id && is_of_use
        });
        others.map(|other| other.path.carried_in((candidate.arrival - other.arrival).max(0.0))).sum()
    }

    /// The path and chunk for the next packet.
    fn choose(&mut self, size: f64, queue: &QueueView<'_>, view: &View<'_>) -> Option<(Candidate, Index)> {
        let has_room_ahead = bytes(view.peer_window) >= 3.0 * size;
        self.look_ahead = 0.0;
        for candidate in self.candidates.iter().filter(|candidate| candidate.is_allowed) {
            let sample = view.path(candidate.path.id);
            if !sample.may_send() || is_draining(sample) {
                continue;
            }
            let bytes_ahead = self.ahead(candidate);
            // And the bytes that it would send itself.
            self.look_ahead = self.look_ahead.max(bytes_ahead * (1.0 + RUN) + bytes(SMALL_QUEUE));
            let ahead = self.in_run(candidate.path.id, bytes_ahead / size, queue);
            if ahead > 0 && !(has_room_ahead && ahead < queue.chunks) {
                continue;
            }
            let fits =
                |index: &Index| queue.chunk(*index).is_some_and(|chunk| chunk.packet <= sample.packet_limit);
            let index = Some(Index(ahead)).filter(fits).or_else(|| Some(Index::OLDEST).filter(fits));
            if let Some(index) = index {
                return Some((*candidate, index));
            }
        }
        None
    }

    /// The position of the chunk that has `ahead` chunks before it, or of one a little later that follows the last chunk of
    /// `path`: a run of chunks is a single gap block of a SACK, which has room for a limited number.
    fn in_run(&self, path: PathId, ahead: f64, queue: &QueueView<'_>) -> usize {
        let due = ahead as usize;
        let latest = due + (RUN * (ahead - MANY).max(0.0)) as usize;
        let latest = latest.min(queue.chunks.saturating_sub(1)).max(due);
        if due == latest {
            return due;
        }
        let following = self.next.get(path.index()).copied().flatten().and_then(|tsn| queue.index_of(tsn));
        following.map(|index| index.0).filter(|index| (due..=latest).contains(index)).unwrap_or(latest)
    }

    /// The chunk at `index` leaves on `path`.
    fn on_picked(&mut self, path: PathId, index: Index, queue: &QueueView<'_>, now: Time) {
        self.next.resize(self.next.len().max(path.index() + 1), None);
        self.picked_at.resize(self.next.len(), Time::ZERO);
        self.picked_at[path.index()] = now;
        self.next[path.index()] = queue.chunk(index).map(|chunk| chunk.tsn.next());
    }

    /// The oldest chunk leaves on the only path there is: its delay need not be known.
    fn pick_for_only(&mut self, path: &PathSample, queue: &QueueView<'_>) -> Option<(PathId, Index)> {
        self.look_ahead = 0.0;
        self.picked = None;
        let is_able = path.may_send() && queue.oldest <= path.packet_limit;
        is_able.then_some((path.id, Index::OLDEST))
    }

    /// With nothing in flight on any path, the quickest path takes the oldest chunk: no acknowledgement would wake the
    /// sender.
    fn start(&self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(Candidate, Index)> {
        if view.paths.iter().any(|sample| !sample.flight.is_zero()) {
            return None;
        }
        let able = self.candidates.iter().filter(|candidate| {
            let sample = view.path(candidate.path.id);
            sample.may_send() && queue.oldest <= sample.packet_limit
        });
        let quickest = able.min_by(|one, other| one.cost.total_cmp(&other.cost))?;
        Some((*quickest, Index::OLDEST))
    }
}

/// The path that carries data, if there is only one.
fn only_path<'v>(view: &'v View<'_>) -> Option<&'v PathSample> {
    let mut able = view.active();
    able.next().filter(|_| able.next().is_none())
}

/// Returns true if the path waits until little is in flight, to measure its least delay again.
fn is_draining(path: &PathSample) -> bool {
    path.drain_to.is_some_and(|most| path.flight + path.unit > most)
}

/// Returns true if packets on `one` cost less than on `other`.
fn is_quicker(one: &Candidate, other: &Candidate) -> bool {
    (one.cost, one.path.id) < (other.cost, other.path.id)
}

/// Returns true if packets on `one` arrive so much sooner that room is kept for it. Paths that are nearly equal share.
fn is_clearly_quicker(one: &Candidate, other: &Candidate) -> bool {
    one.cost + other.path.base() * MARGIN < other.cost
}

impl Scheduler for InOrderArrival {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        if let Some(path) = only_path(view) {
            return self.pick_for_only(path, queue);
        }
        let size = bytes(queue.oldest).max(1.0);
        self.fill_candidates(size, queue, view);
        let (candidate, index) = self.choose(size, queue, view).or_else(|| self.start(queue, view))?;
        let path = candidate.path.id;
        self.busy_until[path.index()] = after(view.now, candidate.arrival);
        self.picked = Some((path, index));
        self.on_picked(path, index, queue, view.now);
        Some((path, index))
    }

    fn holds(&self, path: PathId, view: &View<'_>) -> bool {
        only_path(view).is_some_and(|only| only.id == path)
    }

    /// The chunks that follow the picked one: its position in the queue is now theirs.
    fn pick_more(&mut self, path: PathId, queue: &QueueView<'_>, view: &View<'_>) -> Option<Index> {
        let index =
            self.picked.filter(|(picked, _)| *picked == path).map_or(Index::OLDEST, |(_, index)| index);
        let index = Some(index).filter(|index| index.0 < queue.chunks)?;
        self.on_picked(path, index, queue, view.now);
        Some(index)
    }

    fn copy(&mut self, in_flight: &dyn ChunksInFlight, view: &View<'_>) -> Option<(Tsn, PathId)> {
        self.copies.next(in_flight, view)
    }

    fn look_ahead(&self) -> ByteCount {
        ByteCount::new(self.look_ahead as u64)
    }
}

/// Paths whose delays differ by less than this part of a round trip are nearly equal.
const MARGIN: f64 = 0.05;
/// The round trips for which a path that lost packets rests; more if it lost many.
const REST: f64 = 4.0;
/// A chunk may leave too early by this part of the chunks that arrive before it, beyond a fixed number.
const RUN: f64 = 0.125;
const MANY: f64 = 64.0;

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, ByteCount, Duration};

    use super::*;
    use crate::policy::schedule::{WaitingChunk, WaitingChunks};
    use crate::policy::testing::QUEUE;
    use crate::policy::testing::{sample, view};
    use crate::policy::{Delivery, OneWay, PathState};

    /// A path of `mbps` with `delay` ms each way and a window that fills it twice.
    fn path(index: usize, mbps: u64, delay: u64) -> PathSample {
        let mut path = sample(index);
        let delay = Duration::from_millis(delay);
        path.one_way = Some(OneWay { delay, least: delay, back: delay });
        path.delivery = Some(Delivery { rate: BitRate::from_mbps(mbps), peak: BitRate::from_mbps(mbps) });
        path.cwnd = (path.unit * 8).max(ByteCount::new(mbps * delay.as_millis() * 500));
        path.ssthresh = ByteCount::ZERO;
        path
    }

    /// The picks, each as path and place in the queue, until the scheduler waits or nothing is left of `QUEUE`.
    fn picks(paths: &mut [PathSample], window: u64) -> Vec<(usize, usize)> {
        let mut scheduler = InOrderArrival::default();
        let mut picks = Vec::new();
        let mut window = ByteCount::new(window);
        let mut queue = QUEUE;
        while queue.chunks > 0 && window >= ByteCount::new(1480) {
            let view = View { peer_window: window, ..view(paths) };
            let Some((id, index)) = scheduler.pick(&queue, &view) else { break };
            picks.push((id.index(), index.0));
            paths[id.index()].flight += ByteCount::new(1480);
            window = window.saturating_sub(ByteCount::new(1480));
            queue.chunks -= 1;
        }
        picks
    }

    #[test]
    fn a_slow_path_takes_the_chunk_that_is_due_when_it_arrives() {
        // 12 Mbit/s carry a packet in a millisecond; the second path takes 4 ms longer.
        let picked = picks(&mut [path(0, 12, 10), path(1, 12, 14)], 1 << 20);
        assert_eq!(picked[..4], [(0, 0), (0, 0), (0, 0), (0, 0)]);
        let first = picked.iter().find(|(path, _)| *path == 1).expect("the second path is used");
        assert!(first.1 <= 1, "{picked:?}");
        let early = picks(&mut [full(path(0, 12, 10)), path(1, 12, 14)], 1 << 20);
        assert!(early[0].0 == 1 && early[0].1 > 0, "the quick path's window is shut: {early:?}");
    }

    /// A path that carries nothing now, but will later.
    fn draining(mut path: PathSample) -> PathSample {
        (path.flight, path.drain_to) = (path.unit, Some(ByteCount::ZERO));
        path
    }

    fn full(mut path: PathSample) -> PathSample {
        path.cwnd = path.unit * 2;
        path.flight = path.cwnd;
        path
    }

    #[test]
    fn the_only_path_that_carries_data_takes_the_oldest_chunk_whatever_its_delay() {
        let mut paths = [path(0, 12, 10), path(1, 12, 14)];
        paths[1].state = PathState::Inactive;
        paths[0].drain_to = Some(ByteCount::ZERO);
        let mut scheduler = InOrderArrival::default();
        assert_eq!(scheduler.pick(&QUEUE, &view(&paths)), Some((PathId::FIRST, Index::OLDEST)));
        assert_eq!(scheduler.pick_more(PathId::FIRST, &QUEUE, &view(&paths)), Some(Index::OLDEST));
        let narrow = PathSample { packet_limit: ByteCount::new(1_479), ..paths[0] };
        assert_eq!(scheduler.pick(&QUEUE, &view(&[narrow])), None, "the chunk does not fit");
        assert_eq!(scheduler.pick(&QUEUE, &view(&[full(path(0, 12, 10))])), None, "the window is shut");
        paths[1].state = PathState::Active;
        let picked = scheduler.pick(&QUEUE, &view(&paths)).map(|(path, _)| path.index());
        assert_eq!(picked, Some(1), "beside another it drains, so that its delay is seen");
    }

    #[test]
    fn what_is_due_only_after_all_that_waits_is_not_sent_on_a_slow_path() {
        let picked = picks(&mut [full(path(0, 100, 5)), path(1, 10, 200)], 1 << 20);
        assert_eq!(picked, [], "195 ms of 100 Mbit/s are more than nine packets");
    }

    #[test]
    fn the_room_that_the_quick_path_needs_is_kept_for_it() {
        let mut paths = [path(0, 12, 10), path(1, 12, 100)];
        paths[0].cwnd = ByteCount::new(30_000);
        let blocked = [full(path(0, 12, 10)), path(1, 12, 100)];
        let picked = picks(&mut paths.clone(), 20_000);
        assert!(picked.iter().all(|(path, _)| *path == 0), "{picked:?}");
        assert_eq!(picks(&mut blocked.clone(), 4_000), [], "three packets do not fit");
    }

    /// 12 Mbit/s carry 135 kB in the 90 ms by which the second path takes longer.
    #[test]
    fn a_path_with_nothing_to_take_says_how_far_ahead_it_looked() {
        let mut scheduler = InOrderArrival::default();
        let draining = draining(path(0, 12, 10));
        let paths = [draining, path(1, 12, 100)];
        let view =
            View { queued: ByteCount::new(1 << 20), peer_window: ByteCount::new(1 << 20), ..view(&paths) };
        assert_eq!(scheduler.pick(&QUEUE, &view), None, "nine chunks wait");
        let ahead = scheduler.look_ahead().get() - SMALL_QUEUE.get();
        assert!((135_000..=170_000).contains(&ahead), "an eighth more for runs: {ahead}");
    }

    /// A path was quick, and now takes 800 ms with a window of two packets: the other relies on that window, and not on
    /// the link. Otherwise all that it sends would wait for chunks that no path carries.
    #[test]
    fn little_is_left_to_a_path_whose_window_is_shut() {
        let mut shut = path(0, 12, 10);
        shut.cwnd = shut.unit * 2;
        shut.one_way = shut.one_way.map(|delay| OneWay { delay: Duration::from_millis(800), ..delay });
        let ahead = |quick: PathSample| {
            let mut scheduler = InOrderArrival::default();
            let paths = [draining(quick), path(1, 12, 100)];
            scheduler.pick(&QUEUE, &view(&paths));
            scheduler.look_ahead().get() - SMALL_QUEUE.get()
        };
        assert!(ahead(path(0, 12, 10)) >= 135_000);
        assert!((1..=4 * 1_500).contains(&ahead(shut)));
    }

    /// Chunks 1 to 1,000.
    #[derive(Debug)]
    struct ThousandChunks;

    impl WaitingChunks for ThousandChunks {
        fn chunk(&self, Index(index): Index) -> Option<WaitingChunk> {
            let tsn = Tsn::new(1 + u32::try_from(index).ok().filter(|index| *index < 1_000)?);
            Some(WaitingChunk { tsn, packet: ByteCount::new(1480) })
        }

        fn index_of(&self, tsn: Tsn) -> Option<Index> {
            Some(Index(tsn.distance_from(Tsn::new(1)) as usize))
        }
    }

    #[test]
    fn far_ahead_a_path_takes_chunks_that_follow_each_other() {
        let queue = QueueView { chunks: 1_000, waiting: &ThousandChunks, ..QUEUE };
        let mut scheduler = InOrderArrival::default();
        let place = |scheduler: &InOrderArrival, ahead| scheduler.in_run(PathId::FIRST, ahead, &queue);
        assert_eq!([50.0, 200.0, 990.0].map(|ahead| place(&scheduler, ahead)), [50, 217, 999]);
        scheduler.on_picked(PathId::FIRST, Index(204), &queue, Time::ZERO);
        assert_eq!([200.0, 206.0, 100.0].map(|ahead| place(&scheduler, ahead)), [205, 223, 104]);
    }

    #[test]
    fn a_path_that_loses_costs_what_waits_for_its_repairs() {
        let lossy = PathForecast { loss: 0.02, ..PathForecast::of(&path(0, 12, 10)) };
        let cost = |buffer| (lossy.cost(1_500.0, 3e6, buffer) * 1e3).round();
        // A repair takes 50 ms, in which 150 kB arrive; half of them wait on average.
        assert_eq!([75_000.0, 15_000.0].map(cost), [60.0, 20.0]);
        let sound = PathForecast { loss: 0.0, ..lossy };
        assert_eq!(sound.cost(1_500.0, 3e6, 1e9), 0.01);
    }

    #[test]
    fn with_nothing_in_flight_the_quickest_path_starts() {
        let mut paths = [path(0, 12, 100), path(1, 12, 10)];
        let picked = picks(&mut paths, 1_480);
        assert_eq!(picked, [(1, 0)], "the peer has room for one packet");
    }

    #[test]
    fn a_path_that_was_never_measured_waits_until_it_is() {
        let mut paths = [path(0, 12, 10), sample(1)];
        let picked = picks(&mut paths, 1 << 20);
        assert!(picked.iter().all(|(path, _)| *path == 0), "{picked:?}");
    }

    #[test]
    fn the_oldest_chunk_is_not_left_to_a_quicker_path_that_cannot_carry_it() {
        let mut paths = [path(0, 12, 10), full(path(1, 12, 2))];
        assert!(picks(&mut paths.clone(), 1 << 20)[0].1 > 0, "it is due on the quicker path");
        paths[1].packet_limit = ByteCount::new(1_000);
        assert_eq!(picks(&mut paths, 1 << 20)[0], (0, 0));
    }

    #[test]
    fn a_path_that_is_to_be_drained_waits_while_much_is_in_flight() {
        let mut paths = [path(0, 12, 10), path(1, 12, 12)];
        paths[0].flight = ByteCount::new(6_000);
        paths[0].drain_to = Some(ByteCount::new(4_000));
        let picked = picks(&mut paths.clone(), 1 << 20);
        assert!(picked.iter().all(|(path, _)| *path == 1), "{picked:?}");
        paths[0].flight = ByteCount::new(2_000);
        assert_eq!(picks(&mut paths, 1 << 20)[0].0, 0);
    }

    #[test]
    fn further_chunks_of_a_packet_follow_the_picked_one() {
        let mut scheduler = InOrderArrival::default();
        let paths = [full(path(0, 12, 10)), path(1, 12, 14)];
        let view = view(&paths);
        let picked = scheduler.pick(&QUEUE, &view).expect("it has room");
        assert_eq!(scheduler.pick_more(picked.0, &QUEUE, &view), Some(picked.1));
        assert_eq!(scheduler.pick_more(PathId::FIRST, &QUEUE, &view), Some(Index::OLDEST));
        let few = QueueView { chunks: picked.1.0, ..QUEUE };
        assert_eq!(scheduler.pick_more(picked.0, &few, &view), None);
    }
}
