//! The measurements of a path that an endpoint remembers after an association that used it has ended.

use anabranch_base::{ByteCount, Duration, Time};

/// The best recent flight of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Remembered {
    /// The time of the measurement.
    pub at: Time,
    /// The flight that filled it: its best recent rate times its least round trip.
    pub filling: ByteCount,
    /// The least round trip.
    pub round_trip: Duration,
}

impl Remembered {
    /// The window with which another association may continue at `now`, when it has measured `round_trip`: half of the
    /// flight that filled the path, as in Careful Resume (draft-ietf-tsvwg-careful-resume). `None` if that is too old,
    /// or if the round trip shows that the path is another one by now.
    pub(crate) fn window(&self, round_trip: Duration, now: Time) -> Option<ByteCount> {
        let is_alike = round_trip <= self.round_trip + self.round_trip / 4 + TOLERANCE
            && self.round_trip <= round_trip + round_trip / 4 + TOLERANCE;
        (is_alike && now.since(self.at) <= AGE).then(|| self.filling / 2)
    }
}

/// The time for which it is remembered: a phone changes networks.
const AGE: Duration = Duration::from_secs(600);
/// The hosts' own delays cause such differences between round trips.
const TOLERANCE: Duration = Duration::from_millis(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_what_filled_a_path_is_taken_if_it_is_the_same_path_and_not_too_long_ago() {
        let ms = Duration::from_millis;
        let remembered =
            Remembered { at: Time::ZERO + ms(1_000), filling: ByteCount::new(100_000), round_trip: ms(40) };
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let window = |round_trip, seconds| remembered.window(ms(round_trip), at(seconds));
        let half = Some(ByteCount::new(50_000));
        assert_eq!([window(40, 2), window(52, 601), window(31, 601)], [half; 3]);
        assert_eq!([window(40, 602), window(53, 2), window(30, 2)], [None; 3]);
    }
}
