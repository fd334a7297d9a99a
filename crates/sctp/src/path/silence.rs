//! Measures how long a path has been silent: the time with data in flight and without an acknowledgement.

use anabranch_base::{Duration, Time};

/// The silence of one path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence {
    /// The time at which the path last gave a sign of life, or at which a chunk left with nothing in flight.
    since: Time,
    /// The factor by which it may be silent longer than usual, after a wrong suspicion.
    tolerance: u64,
    verdict: Suspicion,
}

/// The state of a path that was suspected because of its silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suspicion {
    /// It was not suspected.
    None,
    /// The flight and its window are as they were.
    Unresolved,
    /// A part of its flight was sent on other paths: it is unknown whether that part was lost. The window is unchanged.
    CutPending,
    /// The window was cut.
    Cut,
}

impl Silence {
    /// A path on which nothing was sent yet.
    pub(crate) fn new() -> Silence {
        Silence { since: Time::ZERO, tolerance: 1, verdict: Suspicion::None }
    }

    /// The path gave a sign of life, or a chunk left with nothing in flight: silence starts at `now`.
    pub(crate) fn begin(&mut self, now: Time) {
        self.since = now;
    }

    /// The path is suspected.
    pub(crate) fn on_suspected(&mut self) {
        self.verdict = Suspicion::Unresolved;
    }

    /// A chunk in flight is sent on another path.
    pub(crate) fn on_flight_moved(&mut self) {
        if self.verdict == Suspicion::Unresolved {
            self.verdict = Suspicion::CutPending;
        }
    }

    /// A time-out declares the flight lost, so the window is to be cut once. Returns true if it was not cut yet.
    pub(crate) fn take_pending_cut(&mut self) -> bool {
        let is_due = matches!(self.verdict, Suspicion::Unresolved | Suspicion::CutPending);
        if is_due {
            self.verdict = Suspicion::Cut;
        }
        is_due
    }

    /// The flight at the suspicion arrived, so the window is not cut.
    pub(crate) fn on_flight_arrived(&mut self) {
        self.on_answered();
    }

    /// A HEARTBEAT was answered. Returns true if the window must still be cut for chunks that may be lost. An answer
    /// within the time-out shows that the path had not failed: it is suspected later from now on.
    pub(crate) fn on_answered(&mut self) -> bool {
        let verdict = std::mem::replace(&mut self.verdict, Suspicion::None);
        self.tolerance = match verdict {
            Suspicion::None => self.tolerance,
            Suspicion::Unresolved | Suspicion::CutPending => (self.tolerance * 2).min(MOST_TOLERANCE),
            Suspicion::Cut => 1,
        };
        verdict == Suspicion::CutPending
    }

    /// The time from which silence is suspicious. `left_at` is the departure of the lowest chunk in flight: the
    /// acknowledgement of a chunk while a copy of it is in flight elsewhere proves nothing about the path, and a later
    /// departure cannot have been silent for longer than it is in flight. `srtt` is the path's smoothed round-trip
    /// time, and `back` the longest time that a SACK takes: before that time, a SACK need not acknowledge data of this
    /// path.
    pub(crate) fn suspicious_from(&self, left_at: Time, srtt: Duration, back: Duration) -> Time {
        let usual = (srtt * 3) / 2 + ALLOWANCE;
        self.since.max(left_at) + (usual * self.tolerance).max(srtt + back)
    }
}

/// Covers delays of an acknowledgement at the other end.
const ALLOWANCE: Duration = Duration::from_millis(25);

/// The largest factor by which wrong suspicions extend the allowed silence.
const MOST_TOLERANCE: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn limit(silence: &Silence) -> u64 {
        silence.suspicious_from(Time::ZERO, ms(50), ms(25)).since(Time::ZERO).as_millis()
    }

    #[test]
    fn one_and_a_half_round_trips_and_25_ms_are_suspicious() {
        let mut silence = Silence::new();
        assert_eq!(limit(&silence), 100);
        silence.begin(Time::ZERO + ms(70));
        assert_eq!(limit(&silence), 170);
        let slow_answers = silence.suspicious_from(Time::ZERO, ms(50), ms(200));
        assert_eq!(slow_answers, Time::ZERO + ms(320), "the answer may have left before the packet arrived");
        let late = silence.suspicious_from(Time::ZERO + ms(90), ms(50), ms(25));
        assert_eq!(late, Time::ZERO + ms(190), "what was in flight before was copied, or acknowledged");
    }

    #[test]
    fn wrong_suspicion_makes_patient_and_a_true_one_ends_that() {
        let mut silence = Silence::new();
        let limits = [(); 4].map(|()| {
            silence.on_suspected();
            silence.on_flight_arrived();
            limit(&silence)
        });
        assert_eq!(limits, [200, 400, 400, 400]);
        silence.on_suspected();
        assert!(silence.take_pending_cut(), "a HEARTBEAT was not answered");
        assert!(!silence.on_answered());
        assert_eq!(limit(&silence), 100);
    }

    #[test]
    fn what_is_owed_is_paid_once() {
        let mut silence = Silence::new();
        assert!(!silence.take_pending_cut(), "nothing was suspected");
        silence.on_suspected();
        assert_eq!([silence.take_pending_cut(), silence.take_pending_cut()], [true, false]);
        assert!(!silence.on_answered());
        silence.on_suspected();
        assert!(!silence.on_answered(), "what was in flight still is");
        silence.on_suspected();
        silence.on_flight_moved();
        assert!(silence.on_answered(), "it is unknown whether it had arrived");
        silence.on_suspected();
        silence.on_flight_arrived();
        assert!(!silence.take_pending_cut(), "nothing was lost");
    }
}
