//! The judgement whether bytes flow over an association, from samples of it.

use std::time::Duration;

use anabranch_base::{ByteCount, Duration as Elapsed};
use anabranch_net::{Association, PathState};

/// An association at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// True if user data waits at this end: it was not sent, or not acknowledged.
    pub has_data: bool,
    /// True if a path works.
    pub has_path: bool,
    /// The user data that was acknowledged, on all paths.
    pub acknowledged: ByteCount,
    /// The time in which the peer's receive window had no room, over all paths.
    pub without_room: Elapsed,
}

/// The time for which an association that should make progress has made none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Vitality {
    latest: Sample,
    silent: Duration,
}

impl Sample {
    /// The state of `association` now.
    pub(super) fn of(association: &Association) -> Sample {
        let paths = association.paths();
        let works = |state| matches!(state, PathState::Active | PathState::Spare | PathState::Standby);
        Sample {
            has_data: association.is_open() && !association.unacknowledged().is_zero(),
            has_path: paths.iter().any(|path| works(path.sample.state)),
            acknowledged: paths.iter().map(|path| path.counters.acked_bytes).sum(),
            without_room: paths.iter().fold(Elapsed::ZERO, |sum, path| sum + path.limits.receive_window),
        }
    }
}

impl Vitality {
    /// Judges a sample, so long after the one before. The time in which the program was stopped counts little: neither
    /// could it send.
    pub(super) fn on_sample(&mut self, elapsed: Duration, sample: Sample) {
        let before = std::mem::replace(&mut self.latest, sample);
        let is_stalled = before.has_data
            && sample.has_data
            && before.has_path
            && sample.has_path
            && before.acknowledged == sample.acknowledged
            // A reader at the other end that pauses is not a fault.
            && before.without_room == sample.without_room;
        self.silent = if is_stalled { self.silent + elapsed.min(MOST_ELAPSED) } else { Duration::ZERO };
    }

    /// Returns true unless data waits, a path works, and nothing was acknowledged for [`LONGEST`].
    pub(super) fn is_sound(&self) -> bool {
        self.silent < LONGEST
    }
}

/// The time without an acknowledgement after which an association is stuck.
pub(super) const LONGEST: Duration = Duration::from_secs(60);
/// The most that one sample adds.
const MOST_ELAPSED: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use super::*;

    const STUCK: Sample = Sample {
        has_data: true,
        has_path: true,
        acknowledged: ByteCount::new(1_000),
        without_room: Elapsed::ZERO,
    };

    /// The verdict after so many samples of `next`, five seconds apart, after the samples of a stall of 55 s.
    fn after_a_stall(next: impl Fn(u64) -> Sample, samples: u64) -> bool {
        let mut vitality = Vitality::default();
        let five = Duration::from_secs(5);
        for _ in 0..12 {
            vitality.on_sample(five, STUCK);
        }
        assert!(vitality.is_sound(), "55 s");
        for index in 0..samples {
            vitality.on_sample(five, next(index));
        }
        vitality.is_sound()
    }

    #[test]
    fn data_that_waits_a_minute_beside_a_path_that_works_is_a_fault() {
        assert!(!after_a_stall(|_| STUCK, 1));
    }

    #[test]
    fn one_acknowledged_byte_is_progress() {
        let moved = Sample { acknowledged: ByteCount::new(1_001), ..STUCK };
        assert!(after_a_stall(|_| moved, 12));
        assert!(!after_a_stall(|_| moved, 13));
    }

    #[test]
    fn an_end_with_nothing_to_send_or_no_path_waits_for_ever() {
        assert!(after_a_stall(|_| Sample { has_data: false, ..STUCK }, 1_000));
        assert!(after_a_stall(|_| Sample { has_path: false, ..STUCK }, 1_000));
    }

    #[test]
    fn a_reader_that_pauses_is_not_a_fault() {
        let paused = |index| Sample { without_room: Elapsed::from_secs(5 * (index + 1)), ..STUCK };
        assert!(after_a_stall(paused, 1_000));
    }

    #[test]
    fn a_program_that_was_stopped_has_time_to_go_on() {
        let mut vitality = Vitality::default();
        for _ in 0..3 {
            vitality.on_sample(Duration::from_secs(3_600), STUCK);
        }
        assert!(vitality.is_sound());
        vitality.on_sample(Duration::from_secs(3_600), STUCK);
        assert!(!vitality.is_sound());
    }
}
