//! Detects other senders at the bottleneck of a path.
//!
//! A cut is an experiment. If the queue holds only the sender's own packets, a smaller window shortens it by as much
//! (Little's law). If others fill the queue too, it becomes shorter by less, or not at all. A flow that joins a queue
//! which others keep full has no other evidence: it has never seen the queue empty. (Nimbus and Copa also detect
//! competitors by the response of the queue: Goyal and others, SIGCOMM 2022; Arun and Balakrishnan, NSDI 2018.)

use anabranch_base::{ByteCount, Duration, Time};

/// The evidence for other senders at the bottleneck of one path.
#[derive(Clone, Debug, Default)]
pub(super) struct Competition {
    state: State,
    /// The part of the expected fall of the delay that followed the cuts, smoothed; 1 for all.
    followed: Option<f64>,
    trial: Option<Trial>,
    /// The window that was last cut.
    cut_from: ByteCount,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    /// No evidence from a cut so far, or not recently.
    #[default]
    Unknown,
    /// The queue followed the cuts.
    Alone,
    /// The queue did not follow them; since when.
    Shared(Time),
}

/// A cut whose effect is awaited; delays are in seconds.
#[derive(Clone, Copy, Debug)]
struct Trial {
    begun: Time,
    back: f64,
    /// The greatest delay of what left before the cut.
    before: f64,
    /// The delay that is left if no other sender is there.
    predicted: f64,
    /// The error of the prediction by chance.
    scatter: f64,
    /// The least delay of what left after it.
    after: f64,
}

impl Competition {
    /// Returns true if other senders are known to fill the queue.
    pub(crate) fn has_competitors(&self) -> bool {
        matches!(self.state, State::Shared(_))
    }

    /// A window of `from` is cut.
    pub(super) fn on_cut(&mut self, from: ByteCount) {
        self.cut_from = from;
    }

    /// The window is `cwnd`, and nothing waits. At twice the window that was last cut, the other senders are gone.
    pub(crate) fn on_grown(&mut self, cwnd: ByteCount) {
        if self.has_competitors() && cwnd > self.cut_from * 2 {
            *self = Competition::default();
        }
    }

    /// Awaits the effect of a cut at `now`. The one-way delay is `delay` and should fall to `predicted`, with an error
    /// of `scatter`, all in seconds; the SACKs take `back`.
    pub(crate) fn await_fall(&mut self, delay: f64, predicted: f64, scatter: f64, back: Duration, now: Time) {
        if self.trial.is_none() {
            let back = back.as_secs_f64();
            let (before, after) = (delay, f64::INFINITY);
            self.trial = Some(Trial { begun: now, back, before, predicted, scatter, after });
        }
    }

    /// Cancels the experiment, because the window was restored.
    pub(super) fn cancel(&mut self) {
        self.trial = None;
    }

    /// More is lost than by chance, and no queue is seen: the queue is always full, or there is none, as at a policer.
    pub(crate) fn on_unseen_congestion(&mut self, now: Time) {
        if self.state == State::Unknown && self.trial.is_none() {
            self.state = State::Shared(now);
        }
    }

    /// The recent delay of the path is `delay` seconds.
    pub(super) fn on_delay(&mut self, delay: f64, now: Time) {
        if matches!(self.state, State::Shared(since) if now.since(since) > MEMORY) {
            self.state = State::Unknown;
        }
        let Some(trial) = &mut self.trial else { return };
        let elapsed = now.since(trial.begun).as_secs_f64();
        let round_trip = trial.before + trial.back;
        if elapsed < FIRST_AFTER * round_trip {
            trial.before = trial.before.max(delay);
            return;
        }
        trial.after = trial.after.min(delay);
        if elapsed >= LAST_AFTER * round_trip {
            let fall = trial.before - trial.after + trial.scatter;
            let part = fall / (trial.before - trial.predicted);
            self.trial = None;
            self.on_answer(part.clamp(0.0, 1.0), now);
        }
    }

    fn on_answer(&mut self, part: f64, now: Time) {
        let followed = self.followed.map_or(part, |before| before + (part - before) * GAIN);
        self.followed = Some(followed);
        self.state = if followed > ENOUGH { State::Alone } else { State::Shared(now) };
    }
}

/// The time for which other senders are remembered.
const MEMORY: Duration = Duration::from_secs(10);
/// The weight of a new cut.
const GAIN: f64 = 0.25;
/// A smaller part of the expected fall shows that others fill the queue.
const ENOUGH: f64 = 0.7;
/// The round trips after the cut from which on acknowledged packets left with the smaller window.
const FIRST_AFTER: f64 = 1.5;
/// The round trips after the cut at which the experiment ends.
const LAST_AFTER: f64 = 2.5;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// A cut at `begun` ms of a delay of 60 ms that should become 20, and becomes `after`; SACKs take 20 ms.
    fn cut(competition: &mut Competition, begun: u64, after: f64) {
        competition.await_fall(0.060, 0.020, 0.001, Duration::from_millis(20), at(begun));
        for millis in (0..300).step_by(10) {
            competition.on_delay(if millis < 100 { 0.060 } else { after }, at(begun + millis));
        }
    }

    #[test]
    fn a_queue_that_follows_the_cut_is_the_senders_own() {
        let mut competition = Competition::default();
        cut(&mut competition, 0, 0.021);
        assert_eq!(competition.state, State::Alone);
        competition.on_unseen_congestion(at(400));
        assert_eq!(competition.state, State::Alone, "a cut told");
    }

    #[test]
    fn a_queue_that_stays_is_that_of_others_for_ten_seconds() {
        let mut competition = Competition::default();
        cut(&mut competition, 0, 0.055);
        assert!(competition.has_competitors());
        competition.on_delay(0.055, at(9_000));
        assert!(competition.has_competitors());
        competition.on_delay(0.055, at(11_000));
        assert_eq!(competition.state, State::Unknown);
    }

    #[test]
    fn a_window_that_doubles_where_nothing_waits_has_the_queue_for_itself() {
        let mut competition = Competition::default();
        competition.on_cut(ByteCount::new(10_000));
        cut(&mut competition, 0, 0.055);
        competition.on_grown(ByteCount::new(20_000));
        assert!(competition.has_competitors());
        competition.on_grown(ByteCount::new(20_001));
        assert!(!competition.has_competitors());
        cut(&mut competition, 1_000, 0.021);
        assert_eq!(competition.state, State::Alone, "and what cuts told before is forgotten");
    }

    #[test]
    fn one_answer_of_a_link_that_became_slower_changes_nothing() {
        let mut competition = Competition::default();
        (0..8).for_each(|number| cut(&mut competition, number * 1_000, 0.020));
        cut(&mut competition, 8_000, 0.060);
        assert_eq!(competition.state, State::Alone);
        cut(&mut competition, 9_000, 0.060);
        assert!(competition.has_competitors(), "two do");
    }

    #[test]
    fn a_cut_that_is_taken_back_tells_nothing() {
        let mut competition = Competition::default();
        competition.await_fall(0.060, 0.020, 0.001, Duration::from_millis(20), at(0));
        competition.cancel();
        (1..30).for_each(|step| competition.on_delay(0.060, at(10 * step)));
        assert_eq!(competition.state, State::Unknown);
    }

    #[test]
    fn what_left_before_the_cut_still_meets_a_growing_queue() {
        let mut competition = Competition::default();
        competition.await_fall(0.030, 0.020, 0.001, Duration::from_millis(20), at(0));
        (1..=5).for_each(|step| competition.on_delay(0.030 + 0.010 * step as f64, at(10 * step)));
        (6..40).for_each(|step| competition.on_delay(0.045, at(10 * step)));
        assert!(competition.has_competitors(), "35 of 60 ms are less than what should have gone");
    }
}
