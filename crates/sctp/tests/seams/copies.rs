//! Copies of chunks in flight leave on other paths, as a retransmission policy or a scheduler wants it, and every account
//! of such a chunk is right.

use anabranch_sctp::association::Message;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::policy::retransmission::{Destination, LostChunk, RetransmissionPolicy};
use anabranch_sctp::policy::schedule::round_robin::RoundRobin;
use anabranch_sctp::policy::schedule::{ChunksInFlight, Index, QueueView, Scheduler};
use anabranch_sctp::policy::{PathId, PathSample, Registry, View};
use anabranch_sctp::seq::Tsn;

use crate::pair::{End, Pair, path};
use crate::{FULL, counted, ms};

/// A lost chunk goes to the path that lost it, and a copy to the other one.
#[derive(Debug)]
struct Both;

impl RetransmissionPolicy for Both {
    fn destination(&mut self, lost: &LostChunk, view: &View<'_>) -> Destination {
        let other = view.next_after(lost.path, |sample| sample.state.carries_data());
        Destination::Both(lost.path, other.unwrap_or(lost.path))
    }
}

/// Round robin, and a copy on another path of the chunk that others wait for, once.
#[derive(Debug, Default)]
struct CopyLowest {
    rest: RoundRobin,
}

impl Scheduler for CopyLowest {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        self.rest.pick(queue, view)
    }

    fn copy(&mut self, in_flight: &dyn ChunksInFlight, view: &View<'_>) -> Option<(Tsn, PathId)> {
        let lowest = in_flight.lowest().filter(|chunk| !chunk.was_copied)?;
        let other = view.next_after(lowest.path, PathSample::has_window)?;
        Some((lowest.tsn, other))
    }
}

fn registry() -> Registry {
    let mut registry = Registry::standard();
    registry.retransmission_policies.add("both", |_| Box::new(Both));
    registry.schedulers.add("copy-lowest", |_| Box::<CopyLowest>::default());
    registry
}

/// The payload of each message that Z read, in order.
fn read(pair: &Pair) -> Vec<usize> {
    pair.z.read.iter().map(Message::len).collect()
}

fn flights(pair: &mut Pair) -> [u64; 2] {
    [0, 1].map(|index| pair.path(End::A, index).flight.get())
}

#[test]
fn what_a_time_out_finds_lost_leaves_on_both_paths_and_is_accounted_on_both() {
    let config = Config { scheduler: "primary".into(), retransmission: "both".into(), ..counted() };
    let mut pair = Pair::open_with(&registry(), &config, 2);
    pair.z.reads_at_once = true;
    pair.send_at_once(End::A, 1, FULL);
    pair.run_for(ms(500));
    let measured =
        |pair: &mut Pair| [0, 1].map(|index| pair.at(End::A).path_counters(path(index)).round_trips);
    let before = measured(&mut pair);
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 3, FULL);
    assert_eq!(flights(&mut pair), [4_500, 0]);
    pair.run_for(ms(1_010));
    // After the time-out path 1 may have one packet in flight. All three left on path 2, and nothing is acknowledged yet.
    assert_eq!(flights(&mut pair), [1_500, 4_500]);
    pair.run_for(ms(100));
    assert_eq!(flights(&mut pair), [0, 0], "the copy that was lost is not waited for");
    assert_eq!(read(&pair), [FULL; 4], "each arrives once");
    let [one, two] = [0, 1].map(|index| pair.at(End::A).path_counters(path(index)));
    assert_eq!((one.retransmitted_chunks, two.retransmitted_chunks), (1, 3));
    assert_eq!((one.copied_chunks, two.copied_chunks), (0, 1), "the other two left on path 2 first");
    assert_eq!(measured(&mut pair), before, "Karn: neither copy is timed");
    assert_eq!(pair.at(End::A).unacknowledged().get(), 0);
    pair.run_for(ms(10_000));
    assert_eq!(
        pair.at(End::A).path_counters(path(0)).timeouts,
        1,
        "no timer waits for a copy that needs no answer"
    );
}

#[test]
fn a_scheduler_has_the_chunk_that_others_wait_for_sent_on_a_quicker_path_as_well() {
    let delivered_after = |scheduler: &str| {
        let mut config = Config { scheduler: scheduler.into(), ..counted() };
        config.set_cmt(CmtRules::ALL);
        let mut pair = Pair::open_with(&registry(), &config, 2);
        pair.pipes[1].delay = ms(300);
        pair.z.reads_at_once = true;
        pair.send_at_once(End::A, 8, FULL);
        let start = pair.now;
        while read(&pair).len() < 8 {
            pair.run_for(ms(5));
        }
        let waited = pair.now.since(start);
        pair.run_for(ms(3_000));
        assert_eq!((read(&pair), flights(&mut pair)), (vec![FULL; 8], [0, 0]));
        let counters = [0, 1].map(|index| pair.at(End::A).path_counters(path(index)));
        assert!(counters.iter().all(|path| path.fast_retransmits == 0 && path.timeouts == 0));
        (waited, counters[0].copied_chunks)
    };
    let (alone, none) = delivered_after("round-robin");
    let (copied, copies) = delivered_after("copy-lowest");
    assert_eq!((none, alone >= ms(300)), (0, true), "{alone}");
    assert!(copies >= 4 && copied < ms(150), "{copies} copies, {copied}");
}
