//! Chunks that leave before others with lower TSNs: what a sender by the order of departures takes for lost.

use anabranch_base::Duration;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::policy::schedule::{Index, QueueView, Scheduler};
use anabranch_sctp::policy::{PathId, PathSample, Registry, View};

use crate::pair::{End, Pair, path};
use crate::script::{Script, sack, same, seeds};

/// Sends each chunk on any path with room, and of the first eight chunks any.
#[derive(Debug)]
struct Permuting {
    chance: u64,
}

impl Permuting {
    fn below(&mut self, most: usize) -> usize {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (self.chance % most as u64) as usize
    }
}

impl Scheduler for Permuting {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let start = PathId::from_index(self.below(view.paths.len()));
        let path = view.next_after(start, PathSample::may_send)?;
        Some((path, Index(self.below(queue.chunks.min(8)))))
    }
}

/// The number of chunks that were sent again in a transfer of 600 chunks over three paths without losses.
fn sent_again(rules: CmtRules, seed: u64) -> u64 {
    let mut registry = Registry::standard();
    registry.schedulers.add("permuting", move |_| Box::new(Permuting { chance: seed }));
    let mut config = Config { scheduler: "permuting".into(), ..Config::tuned_1() };
    config.set_cmt(rules);
    let mut pair = Pair::open_with(&registry, &config, 3);
    for (pipe, delay) in pair.pipes.iter_mut().zip([3, 11, 40]) {
        pipe.delay = Duration::from_millis(delay);
    }
    pair.send_at_once(End::A, 600, 1_000);
    pair.run_for(Duration::from_secs(20));
    let association = pair.at(End::A);
    assert!(association.unacknowledged().is_zero(), "everything arrived");
    (0..3).map(|index| association.path_counters(path(index)).retransmitted_chunks).sum()
}

#[test]
fn a_chunk_that_was_sent_early_is_never_taken_for_an_overtaken_one() {
    let seeds = 1..40;
    assert_eq!(seeds.clone().map(|seed| sent_again(CmtRules::BY_DEPARTURE, seed)).sum::<u64>(), 0);
    assert!(
        seeds.map(|seed| sent_again(CmtRules::ALL, seed)).sum::<u64>() > 0,
        "by the order of TSNs some are"
    );
}

/// Sends every second chunk, and what it left out only when nothing else waits.
#[derive(Debug, Default)]
struct EverySecond {
    sent: usize,
}

impl Scheduler for EverySecond {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let path = view.next_after(PathId::FIRST, PathSample::may_send)?;
        let next = Index(self.sent + 1);
        let is_there = next.0 < queue.chunks;
        self.sent += usize::from(is_there);
        Some((path, if is_there { next } else { Index::OLDEST }))
    }

    fn pick_more(&mut self, _path: PathId, _queue: &QueueView<'_>, _view: &View<'_>) -> Option<Index> {
        None
    }
}

/// No SACK of 1,500 bytes reports more than 370 chunks with gaps between them: those above it look as if they were in
/// flight, fill the windows, and are sent again after a time-out. The chunk that the peer waits for never left.
#[test]
fn what_never_left_goes_before_what_the_peer_has_and_cannot_report() {
    for rules in [CmtRules::BY_DEPARTURE, CmtRules::ALL] {
        let mut registry = Registry::standard();
        registry.schedulers.add("every-second", |_| Box::new(EverySecond::default()));
        let mut config = Config { scheduler: "every-second".into(), ..Config::tuned_1() };
        config.set_cmt(rules);
        let mut pair = Pair::open_with(&registry, &config, 2);
        pair.send_at_once(End::A, 4_000, 50);
        pair.run_for(Duration::from_secs(120));
        assert!(pair.at(End::A).unacknowledged().is_zero(), "{rules:?}");
    }
}

/// Sends the chunk after the oldest one, and the oldest one never, as long as another waits.
#[derive(Debug)]
struct SkipsTheOldest;

impl Scheduler for SkipsTheOldest {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let path = view.next_after(PathId::FIRST, PathSample::may_send)?;
        (queue.chunks > 1).then_some((path, Index(1)))
    }
}

/// A sender with `window` packets of cwnd whose scheduler skips the oldest chunk.
fn skipping(window: u64) -> Script {
    let mut registry = Registry::standard();
    registry.schedulers.add("skips-the-oldest", |_| Box::new(SkipsTheOldest));
    let config = same(seeds(CmtRules::BY_DEPARTURE, "skips-the-oldest", window));
    let mut script = Script::open_with(&registry, &config, 1);
    script.send(9);
    script
}

/// The receiver's data waits for chunk 1. The room is what a SACK says, less what is in flight.
#[test]
fn what_leaves_ahead_leaves_room_for_the_oldest_which_goes_when_nothing_else_can() {
    let mut script = skipping(3).numbered_from(2);
    assert_eq!(script.sent(), ["-1> 2 3 4"]);
    script.hear(&sack(0, &[2..=2]).with_room(3));
    assert_eq!(script.sent(), [""; 0], "there is room for one packet besides the two in flight, for chunk 1");
    script.hear(&sack(0, &[2..=3]).with_room(3));
    assert_eq!(script.sent(), ["-1> 5"]);
    script.hear(&sack(0, &[2..=5]).with_room(1));
    assert_eq!(script.sent(), ["-1> 1"], "nothing is in flight that would make room");
}

/// The first SACK starts the timer of the window probe, and gives an RTO of 1.5 s. T3-rtx starts anew with each.
#[test]
fn what_the_peer_waits_for_is_a_window_probe_though_other_chunks_are_in_flight() {
    let mut script = skipping(5).numbered_from(2);
    assert_eq!(script.sent(), ["-1> 2 3 4 5 6"]);
    for (at, highest) in [(500, 3), (900, 4), (1_300, 5)] {
        script.wait_until(at);
        script.hear(&sack(0, &[2..=highest]).with_room(1));
    }
    script.wait_until(2_500);
    assert_eq!(script.sent_when(), ["2000 -1> 1"]);
}

/// Each SACK shows one more packet that left after the first one.
#[test]
fn the_lost_chunk_is_sent_again_after_as_many_later_packets_as_are_wanted() {
    let mut script = Script::open(same(seeds(CmtRules::BY_DEPARTURE, "fill", 8)), 1);
    script.send(8);
    script.sent();
    let sent = [2, 3, 4, 5].map(|highest| {
        script.hear(&sack(0, &[2..=highest]));
        script.sent()
    });
    assert_eq!(sent, [vec![], vec![], vec![], vec!["-1> 1".to_owned()]]);
}

/// The retransmission is lost too. The chunks 9 to 12 left after it.
#[test]
fn a_retransmission_that_is_lost_is_found_without_a_time_out() {
    let mut script = Script::open(same(seeds(CmtRules::BY_DEPARTURE, "fill", 8)), 1);
    script.send(16);
    script.sent();
    script.hear(&sack(0, &[2..=8]));
    assert_eq!(script.sent(), ["-1> 1 9 10 11"]);
    script.hear(&sack(0, &[2..=10]));
    assert_eq!(script.sent(), ["-1> 12 13"]);
    script.hear(&sack(0, &[2..=12]));
    assert_eq!(script.sent(), ["-1> 1"]);
    assert_eq!(script.cuts().len(), 2, "it left after the first cut, and later packets ended the recovery");
}
