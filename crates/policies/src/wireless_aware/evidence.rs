//! The evidence that a loss on a path is not a congestion loss.
//!
//! "No mark" proves nothing where no queue marks. A path has to show that losses without a mark are the link's: by a mark
//! that came back lately, or by the delay at its losses. Evidence by delay is uncertain, so this verdict expires: after a
//! number of losses one cuts the window, and the path's response then decides how many may pass next time.

use anabranch_base::{Duration, Time};

use anabranch_sctp::policy::{OneWay, PathSample};

/// The evidence of one path.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    delays: RecentDelays,
    mark: Option<Mark>,
    trial: Trial,
}

/// The last mark that came back.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: Time,
    /// The longest wait in queues, on the way there, when a mark came back; it is halved by each mark with a shorter one.
    wait: Duration,
}

/// The longest delays there of the last one to two spans of [`SPAN`].
#[derive(Clone, Copy, Debug, Default)]
struct RecentDelays {
    since: Option<Time>,
    before: Duration,
    now: Duration,
}

/// The losses since the last cut, and how many may pass.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// When the window was cut last, or when the path was first seen.
    since: Option<Time>,
    /// The time from then to the first loss, and the time of the last one.
    first: Option<Duration>,
    last: Time,
    /// The number of losses that passed.
    passed: u32,
    /// The number of losses that may pass.
    most: u32,
}

impl Evidence {
    /// A SACK was read on the path that `sample` shows.
    pub(super) fn on_progress(&mut self, sample: &PathSample, now: Time) {
        self.trial.since.get_or_insert(now);
        if let Some(one_way) = sample.one_way {
            self.delays.on_delay(one_way.delay, now);
        }
    }

    /// The peer reported a mark on the path, and the window is cut for it.
    pub(super) fn on_mark(&mut self, sample: &PathSample, now: Time) {
        let wait = sample.one_way.map_or(Duration::ZERO, waited);
        let before = self.mark.map_or(Duration::ZERO, |mark| mark.wait / 2);
        self.mark = Some(Mark { at: now, wait: wait.max(before) });
        self.trial.restart(now);
    }

    /// Returns true if the path marks: a mark came back while it could be expected, and no queue has been much longer since.
    ///
    /// A window that a mark halved needs cwnd/2 round trips to become as large again, and with delayed SACKs twice as
    /// many. A queue that marked once marks again within this time.
    pub(crate) fn shows_marks(&self, sample: &PathSample, now: Time) -> bool {
        let Some(mark) = self.mark else { return false };
        let rounds = sample.cwnd.get() / sample.unit.get().max(1);
        let awaited = (sample.srtt.unwrap_or(Duration::ZERO) * rounds).max(LEAST_AWAITED);
        let wait = sample.one_way.map_or(Duration::ZERO, waited);
        now.since(mark.at) <= awaited && wait <= mark.wait * 2 + NOISE
    }

    /// Returns true if a loss with no other evidence may pass without a cut: no queue stood, and not too many passed since the
    /// last cut. The answer is for one loss, which is counted; if it is no, the window is about to be cut.
    pub(crate) fn lets_pass(&mut self, sample: &PathSample, now: Time) -> bool {
        let is_standing = sample.one_way.is_none_or(|one_way| self.delays.is_standing(one_way));
        let passes = !is_standing && self.trial.passed < self.trial.most;
        if passes {
            self.trial.on_passed(now);
        } else if is_standing {
            self.trial.restart(now);
        } else {
            self.trial.conclude(now);
        }
        passes
    }

    /// The window was cut for another reason.
    pub(super) fn on_cut(&mut self, now: Time) {
        self.trial.restart(now);
    }
}

impl RecentDelays {
    fn on_delay(&mut self, delay: Duration, now: Time) {
        let since = *self.since.get_or_insert(now);
        if now.since(since) >= SPAN {
            *self = RecentDelays { since: Some(now), before: self.now, now: Duration::ZERO };
        }
        self.now = self.now.max(delay);
    }

    /// Returns true if a queue stood when the last packet passed: it waited for half as long as any packet did lately. A queue of
    /// a few packets is seen too, as far as it is longer than the noise of the clocks.
    fn is_standing(&self, one_way: OneWay) -> bool {
        let longest = self.before.max(self.now).saturating_sub(one_way.least);
        waited(one_way) > (longest / 2).max(NOISE)
    }
}

/// The time the last packet waited in queues.
fn waited(one_way: OneWay) -> Duration {
    one_way.delay.saturating_sub(one_way.least)
}

impl Default for Trial {
    fn default() -> Trial {
        Trial { since: None, first: None, last: Time::ZERO, passed: 0, most: LEAST_PASSED }
    }
}

impl Trial {
    fn on_passed(&mut self, now: Time) {
        if self.first.is_none() {
            self.first = self.since.map(|since| now.since(since));
        }
        self.passed += 1;
        self.last = now;
    }

    /// As many losses as may pass have passed. Losses of a link come as often after a cut as before the next one: then
    /// twice as many may pass. A queue loses nothing until the window has grown back, and then in every round trip.
    fn conclude(&mut self, now: Time) {
        let first = self.first.unwrap_or(Duration::ZERO);
        let others = self.since.map_or(Duration::ZERO, |since| now.since(since)).saturating_sub(first);
        let is_alike = first <= others / u64::from(self.passed.max(1)) * ALIKE;
        self.most = if is_alike { (self.most * 2).min(MOST_PASSED) } else { LEAST_PASSED };
        self.restart(now);
    }

    fn restart(&mut self, now: Time) {
        *self = Trial { since: Some(now), most: self.most, ..Trial::default() };
    }
}

/// The longest delays of one to two such spans are known.
const SPAN: Duration = Duration::from_secs(5);
/// The variation of delays by clocks and batches of packets.
const NOISE: Duration = Duration::from_millis(1);
/// A path that marked is trusted for at least so long.
const LEAST_AWAITED: Duration = Duration::from_secs(10);
/// So many losses pass between two cuts at first, and at most.
const LEAST_PASSED: u32 = 4;
const MOST_PASSED: u32 = 64;
/// The time to the first loss after a cut is like the times between the others if it is at most this multiple of them. Of
/// losses at random, one trial of twenty is taken for a queue's.
const ALIKE: u64 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_sctp::policy::testing::sample;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + ms(milliseconds)
    }

    /// A path whose last packet waited so long.
    fn waiting(milliseconds: u64) -> PathSample {
        let one_way = OneWay { delay: ms(20 + milliseconds), least: ms(20), back: ms(20) };
        PathSample { one_way: Some(one_way), srtt: Some(ms(40)), ..sample(0) }
    }

    /// Evidence of a path whose packets waited up to 6 ms.
    fn seen() -> Evidence {
        let mut evidence = Evidence::default();
        (0..=6).for_each(|wait| evidence.on_progress(&waiting(wait), at(wait)));
        evidence
    }

    #[test]
    fn a_loss_passes_while_no_queue_stands() {
        let mut evidence = seen();
        assert!(!evidence.lets_pass(&sample(0), at(10)), "no delay was measured");
        assert!(!evidence.lets_pass(&waiting(4), at(10)), "more than half of the longest wait");
        assert!(evidence.lets_pass(&waiting(3), at(10)));
        let mut clean = Evidence::default();
        clean.on_progress(&waiting(0), at(0));
        assert!(clean.lets_pass(&waiting(1), at(10)), "noise");
    }

    #[test]
    fn the_longest_wait_is_forgotten_after_two_spans() {
        let mut evidence = seen();
        evidence.on_progress(&waiting(2), at(5_100));
        assert!(evidence.lets_pass(&waiting(2), at(5_200)), "6 ms are known");
        evidence.on_progress(&waiting(2), at(10_200));
        assert!(!evidence.lets_pass(&waiting(2), at(10_300)), "2 ms are the most");
    }

    /// The verdict expires, and losses as frequent after a cut as later let twice as many pass.
    #[test]
    fn losses_of_a_link_pass_more_and_more_often() {
        let mut evidence = seen();
        let mut runs = vec![0];
        for number in 1..=300 {
            if evidence.lets_pass(&waiting(0), at(100 * number)) {
                *runs.last_mut().expect("one") += 1;
            } else {
                runs.push(0);
            }
        }
        assert_eq!(runs[..5], [4, 8, 16, 32, 64]);
        assert_eq!(runs[5], 64);
    }

    /// A window that needs two seconds to fill a queue again, and then loses in each round trip.
    #[test]
    fn losses_of_a_queue_too_short_to_be_seen_cut_every_fifth_time() {
        let mut evidence = seen();
        let (mut now, mut passed) = (0, 0);
        for _ in 0..10 {
            now += 2_000;
            while evidence.lets_pass(&waiting(0), at(now)) {
                (now, passed) = (now + 40, passed + 1);
            }
        }
        assert_eq!(passed, 40);
    }

    #[test]
    fn a_mark_is_evidence_until_the_next_is_overdue() {
        let (mut evidence, path) = (seen(), waiting(5));
        assert!(!evidence.shows_marks(&path, at(10)));
        evidence.on_mark(&path, at(10));
        assert!(evidence.shows_marks(&path, at(10_000)));
        assert!(!evidence.shows_marks(&path, at(10_011)));
        let wide = PathSample { cwnd: path.unit * 1_000, ..path };
        assert!(evidence.shows_marks(&wide, at(40_000)), "1,000 round trips of 40 ms");
    }

    #[test]
    fn a_queue_much_longer_than_at_any_mark_does_not_mark() {
        let mut evidence = seen();
        evidence.on_mark(&waiting(5), at(10));
        assert!(evidence.shows_marks(&waiting(11), at(20)));
        assert!(!evidence.shows_marks(&waiting(12), at(20)));
        evidence.on_mark(&waiting(1), at(30));
        assert!(!evidence.shows_marks(&waiting(7), at(40)));
    }
}
