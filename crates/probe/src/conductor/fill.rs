//! Decides when a fill has shown enough: the queue was full for a while, or is too deep, or the time is up.

use std::collections::VecDeque;

use anabranch_base::{Duration, Time};

/// The control of one fill.
#[derive(Clone, Debug)]
pub(super) struct FillControl {
    began: Time,
    /// The counts of the last [`WINDOW`], oldest first.
    recent: VecDeque<Seen>,
    /// The counts when losses by the queue began.
    plateau: Option<Seen>,
    peak: Duration,
}

/// The receiver's counts.
#[derive(Clone, Copy, Debug)]
struct Seen {
    at: Time,
    /// The highest number that arrived, and one.
    passed: u32,
    received: u32,
}

/// The reason for which a fill ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FillEnd {
    /// The queue was full for long enough.
    Full,
    /// The queue is deeper than is measured.
    Deep,
    /// The time is up.
    TimeUp,
}

impl FillControl {
    /// The control of a fill that begins at `now`.
    pub(super) fn new(now: Time) -> FillControl {
        FillControl { began: now, recent: VecDeque::new(), plateau: None, peak: Duration::ZERO }
    }

    /// Handles the counts of the receiver: `received` of the first `passed` packets arrived, the latest with a delay that
    /// is `growth` above the least. Returns the reason if the fill ends.
    pub(super) fn on_seen(
        &mut self,
        now: Time,
        passed: u32,
        received: u32,
        growth: Duration,
    ) -> Option<FillEnd> {
        self.peak = self.peak.max(growth);
        if growth > DEEP {
            return Some(FillEnd::Deep);
        }
        let seen = Seen { at: now, passed, received };
        if let Some(plateau) = self.plateau {
            if now.since(plateau.at) < PLATEAU || passed.saturating_sub(plateau.passed) < ENOUGH {
                return None;
            }
            if loss(plateau, seen) >= QUEUE_LOSS {
                return Some(FillEnd::Full);
            }
            // A run of losses by chance.
            self.plateau = None;
            self.recent.clear();
        }
        self.note(seen);
        if let Some(oldest) = self.recent.front()
            && passed.saturating_sub(oldest.passed) >= ENOUGH
            && loss(*oldest, seen) >= QUEUE_LOSS
        {
            self.plateau = Some(seen);
        }
        None
    }

    /// The reason if the fill ends by the time alone. A queue that grows gets more time.
    pub(super) fn on_timeout(&self, now: Time) -> Option<FillEnd> {
        (now >= self.deadline()).then_some(FillEnd::TimeUp)
    }

    /// The time at which it ends at the latest, as far as is known now.
    pub(super) fn deadline(&self) -> Time {
        let has_queue = self.plateau.is_some() || self.peak > A_QUEUE;
        self.began + if has_queue { LONGEST } else { WITHOUT_QUEUE }
    }

    /// The largest growth so far.
    pub(super) fn peak(&self) -> Duration {
        self.peak
    }

    fn note(&mut self, seen: Seen) {
        while self.recent.get(1).is_some_and(|second| seen.at.since(second.at) >= WINDOW) {
            self.recent.pop_front();
        }
        if self.recent.back().is_none_or(|last| seen.at.since(last.at) >= STEP) {
            self.recent.push_back(seen);
        }
    }
}

/// The share of packets that were lost from `from` to `to`.
fn loss(from: Seen, to: Seen) -> f64 {
    let passed = f64::from(to.passed.saturating_sub(from.passed));
    let received = f64::from(to.received.saturating_sub(from.received));
    if passed > 0.0 { 1.0 - received / passed } else { 0.0 }
}

/// The time over which losses are counted.
const WINDOW: Duration = Duration::from_millis(300);
/// The distance of the counts that are kept.
const STEP: Duration = Duration::from_millis(5);
/// The share of losses that a queue causes at 1.25 times its rate is 0.2, and is more if the rate was underestimated.
const QUEUE_LOSS: f64 = 0.08;
/// The fewest packets of which a share is believed.
const ENOUGH: u32 = 20;
/// The time for which a full queue is watched.
const PLATEAU: Duration = Duration::from_millis(600);
/// The delay of a queue that is not filled further.
const DEEP: Duration = Duration::from_millis(2_500);
/// The growth above which a queue is surely there.
const A_QUEUE: Duration = Duration::from_millis(100);
/// The time of a fill that finds no queue.
const WITHOUT_QUEUE: Duration = Duration::from_millis(2_200);
/// The longest fill.
pub(super) const LONGEST: Duration = Duration::from_millis(6_000);

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// Feeds a packet a millisecond: the growth is that of a queue of `depth` milliseconds at 1.25 times its rate.
    fn run(depth: f64, is_lost: impl Fn(u32) -> bool) -> (u64, FillEnd, Duration) {
        let mut fill = FillControl::new(at(0));
        let (mut received, mut queue) = (0, 0.0_f64);
        for number in 0..10_000_u32 {
            let millis = u64::from(number);
            queue = (queue - 1.0).max(0.0);
            if queue + 1.25 <= depth.max(1.25) && !is_lost(number) {
                queue += 1.25;
                received += 1;
            }
            let growth = Duration::from_micros((queue * 1_000.0) as u64);
            let end = fill.on_seen(at(millis), number + 1, received, growth).or(fill.on_timeout(at(millis)));
            if let Some(end) = end {
                return (millis, end, fill.peak());
            }
        }
        panic!("the fill does not end");
    }

    #[test]
    fn a_fill_ends_when_the_queue_was_full_for_a_while() {
        let (millis, end, peak) = run(100.0, |_| false);
        assert_eq!(end, FillEnd::Full);
        // 400 ms until it is full, then 600 ms.
        assert!((1_000..1_400).contains(&millis), "{millis}");
        assert!(peak >= Duration::from_millis(98), "{peak}");
    }

    #[test]
    fn losses_by_chance_end_no_fill() {
        let (millis, end, _) = run(400.0, |number| number % 50 == 0);
        assert_eq!(end, FillEnd::Full);
        assert!(millis > 2_100, "{millis}");
        let (millis, end, _) = run(400.0, |number| (300..350).contains(&number));
        assert_eq!(end, FillEnd::Full);
        assert!(millis > 2_100, "a run of losses: {millis}");
    }

    #[test]
    fn a_queue_that_is_too_deep_or_absent_ends_the_fill_too() {
        assert_eq!(run(100_000.0, |_| false).1, FillEnd::TimeUp);
        let mut fill = FillControl::new(at(0));
        assert_eq!(fill.on_seen(at(1), 1, 1, DEEP + Duration::from_nanos(1)), Some(FillEnd::Deep));
        let fill = FillControl::new(at(0));
        assert_eq!((fill.on_timeout(at(2_199)), fill.on_timeout(at(2_200))), (None, Some(FillEnd::TimeUp)));
    }

    #[test]
    fn counts_of_a_liar_are_harmless() {
        let mut fill = FillControl::new(at(0));
        for millis in 0..100_000 {
            fill.on_seen(at(millis), (millis as u32).wrapping_mul(7_919), u32::MAX, Duration::ZERO);
            assert!(fill.recent.len() < 200);
        }
    }
}
