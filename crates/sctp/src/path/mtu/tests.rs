//! The search on a path that carries packets up to some size, without a network.

use super::*;
use crate::config::IpVersion;

/// A path that answers probes up to a size after a round trip.
struct TestPath {
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

const PACE: ProbePace = ProbePace { gap: Duration::from_millis(100), answer_timeout: Duration::from_secs(1) };
const ROUND_TRIP: Duration = Duration::from_millis(50);

impl TestPath {
    fn new(carried: u64) -> TestPath {
        let bounds = MtuBounds::of(IpVersion::V4, ByteCount::new(1_500));
        let mut search = MtuSearch::within(bounds);
        search.on_connected(Time::ZERO);
        TestPath {
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
    let mut path = TestPath::new(1_500);
    assert_eq!((path.current(), path.search.state()), (1_200, MtuState::Base));
    path.run(2_000);
    assert_eq!(path.probed, [1_500]);
    assert_eq!(path.changes, [(50, 1_500)]);
    assert_eq!((path.search.state(), path.search.due()), (MtuState::SearchComplete, None));
}

#[test]
fn a_usual_size_is_found_within_a_second_and_the_next_search_begins_after_ten_minutes() {
    let mut path = TestPath::new(1_400);
    path.run(30);
    assert_eq!(path.changes, [(750, 1_400)]);
    assert_eq!(path.probed[..8], [1_500, 1_200, 1_492, 1_480, 1_476, 1_460, 1_420, 1_400]);
    assert_eq!(path.search.state(), MtuState::SearchComplete);
    let probes = path.probed.len();
    assert!(probes <= 30, "{probes}: {:?}", path.probed);
    path.carried = 1_500;
    path.run(595);
    assert_eq!((path.current(), path.probed.len()), (1_400, probes));
    path.run(620);
    assert_eq!((path.current(), path.search.due()), (1_500, None));
}

#[test]
fn an_unusual_size_is_found_to_a_few_bytes() {
    for carried in (576..=1_500).step_by(12) {
        let mut path = TestPath::new(carried);
        path.run(100);
        let found = path.current();
        assert!(found <= carried && found + 24 > carried, "{carried}: {found}");
        let state = if carried < 1_200 { MtuState::Error } else { MtuState::SearchComplete };
        assert_eq!(path.search.state(), state, "{carried}");
        assert!(path.probed.len() < 80, "{carried}: {} probes", path.probed.len());
    }
}

/// Two probes that are lost by chance cost one round trip or one second, and nothing else.
#[test]
fn probes_that_are_lost_by_chance_are_repeated() {
    for lost in [vec![1], vec![1, 2], vec![1, 2, 3], vec![1, 3, 4, 5, 6]] {
        let mut path = TestPath::new(1_500);
        path.lost = lost.clone();
        path.run(60);
        assert_eq!(path.current(), 1_500, "{lost:?}: {:?}", path.changes);
        assert!(path.changes.last().is_some_and(|(at, _)| *at < 4_000), "{lost:?}: {:?}", path.changes);
    }
}

#[test]
fn a_black_hole_is_left_as_soon_as_something_smaller_is_answered() {
    let mut path = TestPath::new(1_500);
    path.run(10);
    path.carried = 1_300;
    path.doubt();
    path.doubt();
    path.run(60);
    assert_eq!(path.probed[1..4], [1_500, 1_500, 1_200]);
    let sizes: Vec<u64> = path.changes.iter().map(|(_, size)| *size).collect();
    assert_eq!(sizes[..3], [1_500, 1_200, 1_280]);
    assert_eq!(path.changes[1].0, 10_250, "two gaps and a round trip");
    assert!((1_284..=1_300).contains(&path.current()), "{:?}", path.changes);
}

#[test]
fn a_doubt_that_is_unfounded_changes_nothing() {
    let mut path = TestPath::new(1_500);
    path.run(10);
    path.doubt();
    path.run(20);
    assert_eq!((path.probed.len(), path.changes.len(), path.search.due()), (2, 1, None));
    // Also if the first probe is lost by chance.
    path.lost = vec![3];
    path.doubt();
    path.run(30);
    assert_eq!((path.probed.len(), path.changes.len(), path.search.due()), (4, 1, None));
}

/// Time-outs of packets that were made for a larger size do not interrupt the search for the present one.
#[test]
fn a_loss_of_larger_packets_is_no_reason_to_doubt_the_size() {
    let mut path = TestPath::new(1_500);
    path.run(10);
    path.carried = 1_080;
    path.doubt();
    for second in 11..40 {
        path.run(second);
        path.search.excuse();
        path.doubt();
        path.search.on_connected(path.now);
    }
    assert!((1_056..=1_080).contains(&path.current()), "{:?}", path.changes);
    path.carried = 600;
    path.search.on_timeout(path.now);
    path.run(45);
    assert_eq!(path.current(), 576, "{:?}", path.changes);
}

/// No packet arrives, whatever its size: this concerns the path's health, and proves nothing about its MTU.
#[test]
fn silence_does_not_reduce_the_packet_size() {
    let mut path = TestPath::new(1_500);
    path.run(10);
    path.carried = 0;
    path.doubt();
    path.run(300);
    assert_eq!(path.current(), 1_500);
    assert_eq!(path.probed.len(), 1 + 3 * 4, "{:?}", path.probed);
    path.carried = 1_400;
    path.search.on_connected(path.now);
    path.run(400);
    assert_eq!(path.current(), 1_400);
}

/// The first probes of a check left while nothing arrived, and the base after that: the size is as before.
#[test]
fn probes_that_left_in_a_silence_do_not_reduce_the_packet_size_after_it() {
    for is_told in [true, false] {
        let mut path = TestPath::new(1_500);
        path.run(10);
        path.carried = 0;
        path.doubt();
        while path.probed.len() < 3 {
            let due = path.search.due().expect("a check is under way");
            path.now = due;
            let size = path.search.take_due(due, PACE).expect("it is due");
            path.send(size);
        }
        if is_told {
            path.search.on_silence();
        }
        path.carried = 1_500;
        path.search.on_connected(path.now);
        path.run(40);
        let has_shrunk = path.changes.iter().any(|(_, size)| *size == 1_200);
        assert_eq!((path.current(), has_shrunk), (1_500, !is_told), "{:?}", path.changes);
    }
}

#[test]
fn a_path_that_answers_nothing_at_first_is_tried_again() {
    let mut path = TestPath::new(0);
    path.run(10);
    assert_eq!((path.current(), path.search.state()), (1_200, MtuState::Base));
    path.carried = 1_500;
    path.run(30);
    assert_eq!(path.current(), 1_500);
}

#[test]
fn an_answer_counts_once_and_only_with_its_nonce() {
    let mut path = TestPath::new(0);
    path.run(1);
    let changed = |path: &mut TestPath, nonce| path.search.on_answered(nonce, path.now);
    assert!(!changed(&mut path, 77), "no probe had that size");
    assert!(changed(&mut path, 1), "1,500 got through after all");
    assert!(!changed(&mut path, 1), "a copy");
    assert!(!changed(&mut path, 2), "what is smaller says nothing");
    assert_eq!(path.current(), 1_500);
}

/// The base was answered late, after a probe of the least size: the answer to the least size proves nothing.
#[test]
fn a_late_answer_of_a_smaller_probe_does_not_lower_the_size() {
    let mut path = TestPath::new(0);
    path.run(2);
    assert_eq!(path.probed[..3], [1_500, 1_200, 576]);
    let now = path.now;
    assert!(!path.search.on_answered(2, now));
    assert!(!path.search.on_answered(3, now));
    assert_eq!(path.current(), 1_200);
}

#[test]
fn an_interface_that_carries_less_bounds_the_size_at_once_and_is_asked_again_later() {
    let mut path = TestPath::new(1_500);
    path.run(1);
    let changed = path.search.on_too_large(ByteCount::new(1_430), path.now);
    path.note(changed);
    assert_eq!(path.current(), 1_428);
    assert!(!path.search.on_too_large(ByteCount::new(9_000), path.now), "nothing new");
    path.run(500);
    assert_eq!(path.current(), 1_428);
    path.run(700);
    assert_eq!(path.current(), 1_500);
}

/// RFC 8899 §3 item 7. Time-outs and reports of the operating system may come at any time after a probe.
#[test]
fn a_search_that_begins_anew_sends_no_second_probe_within_a_round_trip() {
    let ms = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
    let begun = |last_is_answered| {
        let mut path = TestPath::new(0);
        assert_eq!(path.search.take_due(ms(0), PACE).map(ByteCount::get), Some(1_500));
        path.search.on_sent(1, ByteCount::new(1_500));
        if last_is_answered {
            assert!(path.search.on_answered(1, ms(50)));
        }
        assert_eq!(path.search.on_too_large(ByteCount::new(1_400), ms(60)), last_is_answered);
        path.search.doubt(ms(60));
        path.search
    };
    let mut answered = begun(true);
    assert_eq!(answered.take_due(ms(60), PACE).map(ByteCount::get), Some(1_400));
    let mut unanswered = begun(false);
    assert_eq!((unanswered.take_due(ms(60), PACE), unanswered.due()), (None, Some(ms(100))));
    assert_eq!(unanswered.take_due(ms(100), PACE).map(ByteCount::get), Some(1_200), "the size in use");
}

#[test]
fn a_size_that_is_given_is_never_probed() {
    let mut search = MtuSearch::off(ByteCount::new(1_500));
    search.on_connected(Time::ZERO);
    search.doubt(Time::ZERO);
    assert_eq!((search.current().get(), search.state(), search.due()), (1_500, MtuState::Disabled, None));
}
