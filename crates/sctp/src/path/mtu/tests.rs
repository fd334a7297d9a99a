//! The search on a path that carries packets up to some size, without a network.

use super::*;
use crate::config::IpVersion;

/// A path that answers probes up to a size after a round trip.
struct Road {
    search: MtuSearch,
    now: Time,
    carried: u64,
    next_nonce: u64,
    /// Answers in flight.
    answers: Vec<(Time, u64)>,
    probed: Vec<u64>,
    /// Each change of the current size, and its time.
    changes: Vec<(u64, u64)>,
    /// The numbers of the probes that are lost whatever their size.
    lost: Vec<u64>,
}

const PACE: ProbePace = ProbePace { gap: Duration::from_millis(100), patience: Duration::from_secs(1) };
const ROUND_TRIP: Duration = Duration::from_millis(50);

impl Road {
    fn new(carried: u64) -> Road {
        let bounds = MtuBounds::of(IpVersion::V4, ByteCount::new(1_500));
        let mut search = MtuSearch::within(bounds);
        search.on_connected(Time::ZERO);
        Road {
            search,
            now: Time::ZERO,
            carried,
            next_nonce: 1,
            answers: Vec::new(),
            probed: Vec::new(),
            changes: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Lets time pass until `seconds` after the start.
    fn run(&mut self, seconds: u64) {
        let end = Time::ZERO + Duration::from_secs(seconds);
        loop {
            let answer = self.answers.iter().copied().min();
            let next = self.search.due().into_iter().chain(answer.map(|(at, _)| at)).min();
            let Some(next) = next.filter(|at| *at <= end) else { break };
            self.now = self.now.max(next);
            if let Some((at, nonce)) = answer.filter(|(at, _)| *at <= self.now) {
                self.answers.retain(|other| *other != (at, nonce));
                let changed = self.search.on_answered(nonce, self.now);
                self.note(changed);
            } else if let Some(size) = self.search.take_due(self.now, PACE) {
                self.send(size);
            }
        }
        self.now = end;
    }

    fn send(&mut self, size: ByteCount) {
        let nonce = self.next_nonce;
        self.next_nonce += 1;
        self.probed.push(size.get());
        self.search.on_sent(nonce, size);
        if size.get() <= self.carried && !self.lost.contains(&nonce) {
            self.answers.push((self.now + ROUND_TRIP, nonce));
        }
    }

    fn note(&mut self, changed: bool) {
        if changed {
            let milliseconds = self.now.since(Time::ZERO).as_nanos() / 1_000_000;
            self.changes.push((milliseconds, self.current()));
        }
    }

    fn doubt(&mut self) {
        self.search.doubt(self.now);
    }

    fn current(&self) -> u64 {
        self.search.current().get()
    }
}

#[test]
fn the_common_case_costs_one_round_trip_and_one_probe() {
    let mut road = Road::new(1_500);
    assert_eq!((road.current(), road.search.state()), (1_200, MtuState::Base));
    road.run(2_000);
    assert_eq!(road.probed, [1_500]);
    assert_eq!(road.changes, [(50, 1_500)]);
    assert_eq!((road.search.state(), road.search.due()), (MtuState::SearchComplete, None));
}

#[test]
fn a_usual_size_is_found_within_a_second_and_the_next_search_begins_after_ten_minutes() {
    let mut road = Road::new(1_400);
    road.run(30);
    assert_eq!(road.changes, [(750, 1_400)]);
    assert_eq!(road.probed[..8], [1_500, 1_200, 1_492, 1_480, 1_476, 1_460, 1_420, 1_400]);
    assert_eq!(road.search.state(), MtuState::SearchComplete);
    let probes = road.probed.len();
    assert!(probes <= 30, "{probes}: {:?}", road.probed);
    road.carried = 1_500;
    road.run(595);
    assert_eq!((road.current(), road.probed.len()), (1_400, probes));
    road.run(620);
    assert_eq!((road.current(), road.search.due()), (1_500, None));
}

#[test]
fn an_unusual_size_is_found_to_a_few_bytes() {
    for carried in (576..=1_500).step_by(12) {
        let mut road = Road::new(carried);
        road.run(100);
        let found = road.current();
        assert!(found <= carried && found + 24 > carried, "{carried}: {found}");
        let state = if carried < 1_200 { MtuState::Error } else { MtuState::SearchComplete };
        assert_eq!(road.search.state(), state, "{carried}");
        assert!(road.probed.len() < 80, "{carried}: {} probes", road.probed.len());
    }
}

/// Two probes that are lost by chance cost one round trip or one second, and nothing else.
#[test]
fn probes_that_are_lost_by_chance_are_repeated() {
    for lost in [vec![1], vec![1, 2], vec![1, 2, 3], vec![1, 3, 4, 5, 6]] {
        let mut road = Road::new(1_500);
        road.lost = lost.clone();
        road.run(60);
        assert_eq!(road.current(), 1_500, "{lost:?}: {:?}", road.changes);
        assert!(road.changes.last().is_some_and(|(at, _)| *at < 4_000), "{lost:?}: {:?}", road.changes);
    }
}

#[test]
fn a_black_hole_is_left_as_soon_as_something_smaller_is_answered() {
    let mut road = Road::new(1_500);
    road.run(10);
    road.carried = 1_300;
    road.doubt();
    road.doubt();
    road.run(60);
    assert_eq!(road.probed[1..4], [1_500, 1_500, 1_200]);
    let sizes: Vec<u64> = road.changes.iter().map(|(_, size)| *size).collect();
    assert_eq!(sizes[..3], [1_500, 1_200, 1_280]);
    assert_eq!(road.changes[1].0, 10_250, "two gaps and a round trip");
    assert!((1_284..=1_300).contains(&road.current()), "{:?}", road.changes);
}

#[test]
fn a_doubt_that_is_unfounded_changes_nothing() {
    let mut road = Road::new(1_500);
    road.run(10);
    road.doubt();
    road.run(20);
    assert_eq!((road.probed.len(), road.changes.len(), road.search.due()), (2, 1, None));
    // Also if the first probe is lost by chance.
    road.lost = vec![3];
    road.doubt();
    road.run(30);
    assert_eq!((road.probed.len(), road.changes.len(), road.search.due()), (4, 1, None));
}

/// Time-outs of packets that were made for a larger size do not interrupt the search for the present one.
#[test]
fn a_loss_of_larger_packets_is_no_reason_to_doubt_the_size() {
    let mut road = Road::new(1_500);
    road.run(10);
    road.carried = 1_080;
    road.doubt();
    for second in 11..40 {
        road.run(second);
        road.search.excuse();
        road.doubt();
        road.search.on_connected(road.now);
    }
    assert!((1_056..=1_080).contains(&road.current()), "{:?}", road.changes);
    road.carried = 600;
    road.search.on_timeout(road.now);
    road.run(45);
    assert_eq!(road.current(), 576, "{:?}", road.changes);
}

/// No packet arrives, whatever its size: this concerns the path's health, and proves nothing about its MTU.
#[test]
fn silence_does_not_reduce_the_packet_size() {
    let mut road = Road::new(1_500);
    road.run(10);
    road.carried = 0;
    road.doubt();
    road.run(300);
    assert_eq!(road.current(), 1_500);
    assert_eq!(road.probed.len(), 1 + 3 * 4, "{:?}", road.probed);
    road.carried = 1_400;
    road.search.on_connected(road.now);
    road.run(400);
    assert_eq!(road.current(), 1_400);
}

/// The first probes of a check left while nothing arrived, and the base after that: the size is as before.
#[test]
fn probes_that_left_in_a_silence_do_not_reduce_the_packet_size_after_it() {
    for is_told in [true, false] {
        let mut road = Road::new(1_500);
        road.run(10);
        road.carried = 0;
        road.doubt();
        while road.probed.len() < 3 {
            let due = road.search.due().expect("a check is under way");
            road.now = due;
            let size = road.search.take_due(due, PACE).expect("it is due");
            road.send(size);
        }
        if is_told {
            road.search.on_silence();
        }
        road.carried = 1_500;
        road.search.on_connected(road.now);
        road.run(40);
        let has_shrunk = road.changes.iter().any(|(_, size)| *size == 1_200);
        assert_eq!((road.current(), has_shrunk), (1_500, !is_told), "{:?}", road.changes);
    }
}

#[test]
fn a_path_that_answers_nothing_at_first_is_tried_again() {
    let mut road = Road::new(0);
    road.run(10);
    assert_eq!((road.current(), road.search.state()), (1_200, MtuState::Base));
    road.carried = 1_500;
    road.run(30);
    assert_eq!(road.current(), 1_500);
}

#[test]
fn an_answer_counts_once_and_only_with_its_nonce() {
    let mut road = Road::new(0);
    road.run(1);
    let changed = |road: &mut Road, nonce| road.search.on_answered(nonce, road.now);
    assert!(!changed(&mut road, 77), "no probe had that size");
    assert!(changed(&mut road, 1), "1,500 got through after all");
    assert!(!changed(&mut road, 1), "a copy");
    assert!(!changed(&mut road, 2), "what is smaller says nothing");
    assert_eq!(road.current(), 1_500);
}

/// The base was answered late, after a probe of the least size: the answer to the least size proves nothing.
#[test]
fn a_late_answer_of_a_smaller_probe_does_not_lower_the_size() {
    let mut road = Road::new(0);
    road.run(2);
    assert_eq!(road.probed[..3], [1_500, 1_200, 576]);
    let now = road.now;
    assert!(!road.search.on_answered(2, now));
    assert!(!road.search.on_answered(3, now));
    assert_eq!(road.current(), 1_200);
}

#[test]
fn an_interface_that_carries_less_bounds_the_size_at_once_and_is_asked_again_later() {
    let mut road = Road::new(1_500);
    road.run(1);
    let changed = road.search.on_too_large(ByteCount::new(1_430), road.now);
    road.note(changed);
    assert_eq!(road.current(), 1_428);
    assert!(!road.search.on_too_large(ByteCount::new(9_000), road.now), "nothing new");
    road.run(500);
    assert_eq!(road.current(), 1_428);
    road.run(700);
    assert_eq!(road.current(), 1_500);
}

#[test]
fn a_size_that_is_given_is_never_probed() {
    let mut search = MtuSearch::off(ByteCount::new(1_500));
    search.on_connected(Time::ZERO);
    search.doubt(Time::ZERO);
    assert_eq!((search.current().get(), search.state(), search.due()), (1_500, MtuState::Disabled, None));
}
