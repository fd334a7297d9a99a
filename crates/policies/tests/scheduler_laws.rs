//! The laws of every scheduler of the registry (M-SCH), whatever its rule: on random views, and in a small model of
//! paths with a peer that delivers in order.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use anabranch_base::{BitRate, ByteCount, Duration, Seed, Time};
use proptest::prelude::*;

use anabranch_policies::registry;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::schedule::{Index, QueueView, Scheduler, WaitingChunk, WaitingChunks, may_carry};
use anabranch_sctp::policy::testing::{sample, view};
use anabranch_sctp::policy::{Blocker, PathId, PathSample, PathState, View};
use anabranch_sctp::seq::Tsn;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A path is picked only if it may carry the chunk. While nothing is in flight, something leaves if a path has
    /// room that the scheduler uses at all.
    #[test]
    fn a_path_that_is_picked_may_carry_the_chunk_and_an_idle_association_sends(
        paths in proptest::collection::vec(any_path(), 1..5),
        is_idle in any::<bool>(),
        room in 1_u64..100,
    ) {
        for name in registry().schedulers.names() {
            let mut paths = numbered(&paths);
            if is_idle {
                paths.iter_mut().for_each(|path| path.flight = ByteCount::ZERO);
            }
            let (mut scheduler, mut queue) = (built(name), Queue((1..=40).collect()));
            // A packet that carries a lost chunk takes more before anything was picked.
            let last = PathId::from_index(paths.len() - 1);
            let more = scheduler.pick_more(last, &queue.seen(), &view(&paths));
            prop_assert!(more.is_none_or(|index| index.0 < 40), "{}", name);
            for step in 0..20 {
                let view = View { peer_window: PACKET * room, ..view(&paths) };
                let seen = queue.seen();
                let Some((path, index)) = scheduler.pick(&seen, &view) else {
                    let is_idle = paths.iter().all(|path| path.flight.is_zero());
                    let is_of_use = |path: &&PathSample| may_carry(path, &seen) && scheduler.may_use(path.id, &view);
                    prop_assert!(!is_idle || !paths.iter().any(|path| is_of_use(&path)), "{}: nothing leaves", name);
                    break;
                };
                let chunk = seen.chunk(index);
                let sample = &mut paths[path.index()];
                prop_assert!(sample.may_send(), "{}: {} has no room", name, path);
                prop_assert!(
                    chunk.is_some_and(|chunk| chunk.packet <= sample.packet_limit),
                    "{}: step {}, {:?} does not fit {}", name, step, chunk, path
                );
                sample.flight += PACKET;
                queue.0.remove(index.0);
            }
        }
    }

    /// Chunks leave in order if there is one path, none waits longer than (n + 1) RTO after it became the oldest, all
    /// leave, and the same network gives the same order again. One path always works.
    #[test]
    fn no_chunk_waits_forever_and_one_path_keeps_the_order(
        mut links in proptest::collection::vec(any_link(), 1..5),
        working in any::<proptest::sample::Index>(),
        buffer in 4_u64..100,
    ) {
        working.get_mut(&mut links).outage = None;
        for name in registry().schedulers.names() {
            let first = Model::run(name, &links, PACKET * buffer);
            prop_assert!(links.len() > 1 || first.windows(2).all(|pair| pair[0].1 < pair[1].1), "{}", name);
            prop_assert_eq!(first, Model::run(name, &links, PACKET * buffer), "{}", name);
        }
    }
}

/// The chunks that a pick examines grow at most with the logarithm of the queue: a hundred thousand chunks are read no
/// more often than 64 times, once those that the peer's buffer holds were seen.
#[test]
fn a_pick_reads_few_chunks_however_many_wait() {
    for name in registry().schedulers.names() {
        let mut paths: Vec<PathSample> = (0..3).map(sample).collect();
        for (path, milliseconds) in paths.iter_mut().zip([20, 40, 200]) {
            path.cwnd = PACKET * 100;
            path.srtt = Some(Duration::from_millis(milliseconds));
            (path.min_rtt, path.bandwidth) = (path.srtt, Some(BitRate::from_mbps(10)));
        }
        let (mut scheduler, mut queue) = (built(name), Counted(Queue((1..=100_000).collect()), Cell::new(0)));
        for step in 0..50 {
            queue.1.set(0);
            let seen = QueueView { waiting: &queue, ..queue.0.seen() };
            let (path, index) = scheduler.pick(&seen, &view(&paths)).expect("windows of 100 packets");
            assert!(step == 0 || queue.1.get() <= 64, "{name}: {} reads", queue.1.get());
            paths[path.index()].flight += PACKET;
            queue.0.0.remove(index.0);
        }
    }
}

/// A link of the model. `outage` is when it begins to lose everything, and when it stops to do so.
#[derive(Clone, Debug)]
struct Link {
    round_trip: Duration,
    rate: BitRate,
    window: u64,
    outage: Option<(Time, Time)>,
}

/// Paths with fixed windows, whose chunks are acknowledged after a round trip and what waits before them. Data lost in
/// an outage is taken for lost after an RTO, and has then arrived by another path; the path carries no data until the
/// outage ends.
struct Model<'l> {
    name: &'l str,
    links: &'l [Link],
    scheduler: Box<dyn Scheduler>,
    paths: Vec<PathSample>,
    /// When each line is free again.
    busy: Vec<Time>,
    waiting: Queue,
    /// Since when the oldest of them is the oldest.
    oldest_since: Time,
    /// The first chunk that has not arrived.
    missing: u32,
    /// The later ones that have.
    ahead: BTreeSet<u32>,
    in_flight: BTreeMap<u32, (usize, Time)>,
    buffer: ByteCount,
    events: BTreeSet<(Time, Event)>,
    sent: Vec<(Time, u32, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Acknowledged(u32),
    TimeOut(usize),
    Returns(usize),
}

impl<'l> Model<'l> {
    /// When each chunk left, its TSN and its path.
    fn run(name: &'l str, links: &'l [Link], buffer: ByteCount) -> Vec<(Time, u32, usize)> {
        let mut model = Model {
            name,
            links,
            scheduler: built(name),
            paths: (0..links.len())
                .map(|index| PathSample { cwnd: PACKET * links[index].window, ..sample(index) })
                .collect(),
            busy: vec![Time::ZERO; links.len()],
            waiting: Queue((1..=CHUNKS).collect()),
            oldest_since: Time::ZERO,
            missing: 1,
            ahead: BTreeSet::new(),
            in_flight: BTreeMap::new(),
            buffer,
            events: BTreeSet::new(),
            sent: Vec::new(),
        };
        model.send(Time::ZERO);
        while let Some((now, event)) = model.events.pop_first() {
            model.handle(now, event);
            model.send(now);
        }
        assert!(model.waiting.0.is_empty(), "{name}: {} chunks never leave", model.waiting.0.len());
        model.sent
    }

    fn handle(&mut self, now: Time, event: Event) {
        match event {
            Event::Acknowledged(tsn) => {
                let (path, since) = self.arrive(tsn);
                let sample = &mut self.paths[path];
                let measured = now.since(since);
                sample.srtt = Some(measured);
                sample.min_rtt = Some(sample.min_rtt.map_or(measured, |least| least.min(measured)));
                sample.bandwidth = Some(self.links[path].rate);
            }
            Event::TimeOut(path) => {
                let lost: Vec<u32> =
                    self.in_flight.iter().filter(|(_, (on, _))| *on == path).map(|(tsn, _)| *tsn).collect();
                for tsn in lost {
                    self.arrive(tsn);
                    self.events.retain(|(_, event)| *event != Event::Acknowledged(tsn));
                }
                self.paths[path].state = PathState::PotentiallyFailed;
                let end = self.links[path].outage.map_or(now, |(_, end)| end);
                self.events.insert((end.max(now), Event::Returns(path)));
            }
            Event::Returns(path) => self.paths[path].state = PathState::Active,
        }
    }

    /// The chunk `tsn` is no longer in flight: the path that it was on, and since when.
    fn arrive(&mut self, tsn: u32) -> (usize, Time) {
        let (path, since) = self.in_flight.remove(&tsn).expect("it was in flight");
        self.ahead.insert(tsn);
        while self.ahead.remove(&self.missing) {
            self.missing += 1;
        }
        self.paths[path].flight -= PACKET;
        (path, since)
    }

    /// An opportunity to send.
    fn send(&mut self, now: Time) {
        self.scheduler.on_opportunity();
        while self.peer_window() >= PACKET && !self.waiting.0.is_empty() {
            let queue = self.waiting.seen();
            let view = View {
                now,
                peer_window: self.peer_window(),
                receive_buffer: self.buffer,
                queued: PACKET * self.waiting.0.len() as u64,
                ..view(&self.paths)
            };
            let Some((path, index)) = self.scheduler.pick(&queue, &view) else { return };
            let sample = &self.paths[path.index()];
            assert!(sample.may_send() && index.0 < queue.chunks, "{}: {path} {index:?}", self.name);
            self.commit(path, index, now);
        }
    }

    fn commit(&mut self, path: PathId, index: Index, now: Time) {
        let (at, tsn) = (path.index(), self.waiting.0.remove(index.0));
        if index == Index::OLDEST {
            let limit = RTO * (self.links.len() as u64 + 1);
            let waited = now.since(self.oldest_since);
            assert!(waited <= limit, "{}: {tsn} was the oldest for {waited}", self.name);
            self.oldest_since = now;
        }
        self.paths[at].flight += PACKET;
        self.in_flight.insert(tsn, (at, now));
        self.sent.push((now, tsn, at));
        let link = &self.links[at];
        if link.outage.is_some_and(|(start, end)| start <= now && now < end) {
            if !self.events.iter().any(|(_, event)| *event == Event::TimeOut(at)) {
                self.events.insert((now + RTO, Event::TimeOut(at)));
            }
            return;
        }
        self.busy[at] = self.busy[at].max(now) + link.rate.time_for(PACKET).expect("a rate");
        self.events.insert((self.busy[at] + link.round_trip, Event::Acknowledged(tsn)));
    }

    /// The room of the peer: chunks in flight and those that arrived out of order take room.
    fn peer_window(&self) -> ByteCount {
        let held = self.ahead.len() + self.in_flight.len();
        self.buffer.saturating_sub(PACKET * held as u64)
    }
}

/// The TSNs of chunks that wait, ascending. Each fills a packet of 1,480 bytes.
#[derive(Debug)]
struct Queue(Vec<u32>);

impl Queue {
    fn seen(&self) -> QueueView<'_> {
        let size = ByteCount::new(1480);
        let first_tsn = Tsn::new(self.0.first().copied().unwrap_or_default());
        QueueView { chunks: self.0.len(), first_tsn, oldest: size, widest: size, waiting: self }
    }
}

impl WaitingChunks for Queue {
    fn chunk(&self, Index(index): Index) -> Option<WaitingChunk> {
        self.0.get(index).map(|tsn| WaitingChunk { tsn: Tsn::new(*tsn), packet: ByteCount::new(1480) })
    }

    fn index_of(&self, tsn: Tsn) -> Option<Index> {
        self.0.binary_search(&tsn.get()).ok().map(Index)
    }
}

/// A queue that counts how often it is read.
#[derive(Debug)]
struct Counted(Queue, Cell<usize>);

impl WaitingChunks for Counted {
    fn chunk(&self, index: Index) -> Option<WaitingChunk> {
        self.1.set(self.1.get() + 1);
        self.0.chunk(index)
    }

    fn index_of(&self, tsn: Tsn) -> Option<Index> {
        self.1.set(self.1.get() + 1);
        self.0.index_of(tsn)
    }
}

fn built(name: &str) -> Box<dyn Scheduler> {
    let rules = Config::rfc9260().rules(Seed::from_number(1));
    registry().schedulers.build(name, &rules).expect("it is registered")
}

fn numbered(paths: &[PathSample]) -> Vec<PathSample> {
    let path =
        |(index, path): (usize, &PathSample)| PathSample { id: PathId::from_index(index), ..path.clone() };
    paths.iter().enumerate().map(path).collect()
}

fn any_path() -> impl Strategy<Value = PathSample> {
    let span = || proptest::option::of((1_u64..500).prop_map(Duration::from_millis));
    let state = prop_oneof![5 => Just(PathState::Active), 1 => Just(PathState::PotentiallyFailed)];
    let held =
        prop_oneof![5 => Just(None), 1 => Just(Some(Blocker::Pacer)), 1 => Just(Some(Blocker::TimeOut))];
    let rate = proptest::option::of((1_u64..100).prop_map(BitRate::from_mbps));
    (span(), span(), rate, state, held, (1_u64..40, 0_u64..40), (any::<bool>(), 0_u8..8)).prop_map(
        |(srtt, hint, bandwidth, state, blocked_by, (window, flight), (has_used_share, narrow))| {
            let mut path = sample(0);
            (path.srtt, path.min_rtt, path.bandwidth) = (srtt, srtt, bandwidth);
            path.hints.round_trip = hint;
            (path.state, path.blocked_by) = (state, blocked_by);
            (path.cwnd, path.flight) = (PACKET * window, PACKET * flight);
            path.has_used_share = has_used_share && narrow > 3;
            if narrow == 0 {
                path.packet_limit = ByteCount::new(1252);
            }
            path
        },
    )
}

/// A round trip and a full window take less than an RTO. Outages begin after something was acknowledged or before.
fn any_link() -> impl Strategy<Value = Link> {
    let outage = (0_u64..600, 1_u64..4000).prop_map(|(start, length)| {
        let start = Time::ZERO + Duration::from_millis(start);
        (start, start + Duration::from_millis(length))
    });
    (10_u64..300, 1_u64..50, 1_u64..40, proptest::option::weighted(0.3, outage)).prop_map(
        |(milliseconds, mbps, window, outage)| Link {
            round_trip: Duration::from_millis(milliseconds),
            rate: BitRate::from_mbps(mbps),
            window,
            outage,
        },
    )
}

/// The size of a chunk.
const PACKET: ByteCount = ByteCount::new(1500);
const CHUNKS: u32 = 300;
const RTO: Duration = Duration::from_secs(1);
