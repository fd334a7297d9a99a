//! What an endpoint remembers of a path when an association that used it has ended.

use anabranch_base::{ByteCount, Duration, Time};

/// What a path carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// When that was.
    pub at: Time,
    /// The amount of in flight filled it: its best recent rate times its least round trip.
    pub filling: ByteCount,
    /// The least round trip.
    pub round_trip: Duration,
}

impl Remembered {
    /// With how large a window another association may go on at `now`, when it has measured `round_trip`: half of what filled
    /// the path, as in Careful Resume (draft-ietf-tsvwg-careful-resume). `None` if that is too old, or the round trip says that
    /// this is another path by now.
    pub fn window(&self, round_trip: Duration, now: Time) -> Option<ByteCount> {
        let is_alike = round_trip <= self.round_trip + self.round_trip / 4 + TOLERANCE
            && self.round_trip <= round_trip + round_trip / 4 + TOLERANCE;
        (is_alike && now.since(self.at) <= AGE).then(|| self.filling / 2)
    }
}

/// For so long it is remembered: a phone's networks change.
const AGE: Duration = Duration::from_secs(600);
/// Round trips differ by the host's own delays.
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
