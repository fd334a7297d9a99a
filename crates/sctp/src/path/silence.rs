//! Measures how long a path has been silent: the time with data in flight and without an acknowledgement.

use anabranch_base::{Duration, Time};

/// The silence of one path.
#[derive(Clone, Copy, Debug)]
pub struct Silence {
    /// When it last gave a sign of life, or something left with nothing in flight.
    since: Time,
    /// How much longer than usual it may be silent, after it was suspected wrongly.
    patience: u64,
    verdict: Suspicion,
}

/// Where a path stands that was suspected because of its silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suspicion {
    /// It was not.
    None,
    /// What was in flight still is, and its window is as it was.
    Open,
    /// Part of it was sent elsewhere: whether it was lost cannot be found out, and the window is unchanged.
    Owing,
    /// Its window was cut.
    Paid,
}

impl Silence {
    /// Nothing was ever sent.
    pub fn new() -> Silence {
        Silence { since: Time::ZERO, patience: 1, verdict: Suspicion::None }
    }

    /// The path gave a sign of life, or something left with nothing in flight: silence starts again.
    pub fn begin(&mut self, now: Time) {
        self.since = now;
    }

    /// The path is suspected.
    pub fn on_suspected(&mut self) {
        self.verdict = Suspicion::Open;
    }

    /// Something that was in flight is sent elsewhere.
    pub fn on_taken_back(&mut self) {
        if self.verdict == Suspicion::Open {
            self.verdict = Suspicion::Owing;
        }
    }

    /// What was in flight is lost, by a time-out: the window is to be cut, unless it was; whether that is due.
    pub fn take_debt(&mut self) -> bool {
        let is_due = matches!(self.verdict, Suspicion::Open | Suspicion::Owing);
        if is_due {
            self.verdict = Suspicion::Paid;
        }
        is_due
    }

    /// What was in flight when it was suspected arrived, so that nothing is owed.
    pub fn on_acquitted(&mut self) {
        self.on_answered();
    }

    /// A HEARTBEAT was answered; whether the window is still to be cut for what may have been lost. An answer within the
    /// time-out says that the path had not failed: it is suspected less easily from now on.
    pub fn on_answered(&mut self) -> bool {
        let verdict = std::mem::replace(&mut self.verdict, Suspicion::None);
        self.patience = match verdict {
            Suspicion::None => self.patience,
            Suspicion::Open | Suspicion::Owing => (self.patience * 2).min(MOST_PATIENCE),
            Suspicion::Paid => 1,
        };
        verdict == Suspicion::Owing
    }

    /// The moment from which silence is suspicious, on a path with this smoothed round-trip time, if an answer that took
    /// `back` at most says nothing of what was sent here: then that has had its round trip as well.
    pub fn suspicious_from(&self, srtt: Duration, back: Duration) -> Time {
        let usual = (srtt * 3) / 2 + ALLOWANCE;
        self.since + (usual * self.patience).max(srtt + back)
    }
}

/// For what delays an acknowledgement at the other end.
const ALLOWANCE: Duration = Duration::from_millis(25);

/// The largest factor by which wrong suspicions lengthen the silence that a path may keep.
const MOST_PATIENCE: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn limit(silence: &Silence) -> u64 {
        silence.suspicious_from(ms(50), ms(25)).since(Time::ZERO).as_millis()
    }

    #[test]
    fn one_and_a_half_round_trips_and_25_ms_are_suspicious() {
        let mut silence = Silence::new();
        assert_eq!(limit(&silence), 100);
        silence.begin(Time::ZERO + ms(70));
        assert_eq!(limit(&silence), 170);
        let slow_answers = silence.suspicious_from(ms(50), ms(200));
        assert_eq!(slow_answers, Time::ZERO + ms(320), "the answer may have left before the packet arrived");
    }

    #[test]
    fn wrong_suspicion_makes_patient_and_a_true_one_ends_that() {
        let mut silence = Silence::new();
        let limits = [(); 4].map(|()| {
            silence.on_suspected();
            silence.on_acquitted();
            limit(&silence)
        });
        assert_eq!(limits, [200, 400, 400, 400]);
        silence.on_suspected();
        assert!(silence.take_debt(), "a HEARTBEAT was not answered");
        assert!(!silence.on_answered());
        assert_eq!(limit(&silence), 100);
    }

    #[test]
    fn what_is_owed_is_paid_once() {
        let mut silence = Silence::new();
        assert!(!silence.take_debt(), "nothing was suspected");
        silence.on_suspected();
        assert_eq!([silence.take_debt(), silence.take_debt()], [true, false]);
        assert!(!silence.on_answered());
        silence.on_suspected();
        assert!(!silence.on_answered(), "what was in flight still is");
        silence.on_suspected();
        silence.on_taken_back();
        assert!(silence.on_answered(), "it is unknown whether it had arrived");
        silence.on_suspected();
        silence.on_acquitted();
        assert!(!silence.take_debt(), "nothing was lost");
    }
}
