//! The network allocation vector: until when other stations have reserved the medium (M-MAC-3).

use anabranch_base::Time;

/// The reservations that a station has heard. It needs no timer: whether an RTS's reservation was released is known
/// when somebody asks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nav {
    until: Time,
    /// The last reservation was an RTS's, and so far no frame has followed it.
    claim: Option<Claim>,
}

/// An RTS's reservation, which ends at `release` if no frame begins until then. An earlier reservation stays.
#[derive(Clone, Copy, Debug)]
struct Claim {
    release: Time,
    before: Time,
}

impl Nav {
    /// A frame reserved the medium until `until`.
    pub(crate) fn reserve(&mut self, until: Time) {
        if until > self.until {
            *self = Nav { until, claim: None };
        }
    }

    /// An RTS reserved the medium until `until`, or until `release` if no frame begins before.
    pub(crate) fn claim(&mut self, until: Time, release: Time) {
        let before = self.end();
        if until > before {
            *self = Nav { until, claim: Some(Claim { release, before }) };
        }
    }

    /// A transmission began at `now`.
    pub(crate) fn on_busy(&mut self, now: Time) {
        if let Some(claim) = self.claim.take()
            && claim.release < now
        {
            self.until = claim.release.max(claim.before);
        }
    }

    /// When the reservation ends, as far as is known now.
    pub(crate) fn end(&self) -> Time {
        match self.claim {
            Some(claim) => self.until.min(claim.release.max(claim.before)),
            None => self.until,
        }
    }

    /// Returns true if the medium is reserved at `now`.
    pub(crate) fn is_set(&self, now: Time) -> bool {
        self.end() > now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: u64) -> Time {
        Time::from_nanos(time)
    }

    #[test]
    fn the_longest_reservation_counts() {
        let mut nav = Nav::default();
        nav.reserve(at(50));
        nav.reserve(at(40));
        assert_eq!(nav.end(), at(50));
        assert!(nav.is_set(at(49)) && !nav.is_set(at(50)));
    }

    #[test]
    fn an_rts_that_nothing_follows_is_released() {
        let mut nav = Nav::default();
        nav.claim(at(100), at(30));
        assert!(nav.is_set(at(29)) && !nav.is_set(at(30)));
        nav.on_busy(at(31));
        assert_eq!(nav.end(), at(30));
    }

    #[test]
    fn a_frame_that_follows_an_rts_in_time_keeps_its_reservation() {
        let mut nav = Nav::default();
        nav.claim(at(100), at(30));
        nav.on_busy(at(30));
        assert_eq!(nav.end(), at(100));
    }

    #[test]
    fn the_release_of_an_rts_leaves_earlier_reservations() {
        let mut nav = Nav::default();
        nav.reserve(at(60));
        nav.claim(at(100), at(30));
        assert_eq!(nav.end(), at(60));
    }
}
