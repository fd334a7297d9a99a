//! State cookies that opened an association: each is good once, although the acceptor kept nothing of it before
//! (RFC 9260 §5.1.3). It knows no key and no association.

use std::collections::BTreeSet;

use anabranch_base::{Duration, Time};

use crate::association::cookie::StateCookie;
use crate::wire::VerificationTag;

/// The cookies that were used and are not stale yet, each by when it will be and the acceptor's tag in it.
///
/// Their number is bounded. Of those that are forgotten for that, and of all that go stale no later, nobody knows whether
/// they were used: they count as stale already, and an honest peer asks for another (RFC 9260 §5.2.6).
#[derive(Debug, Default)]
pub struct SpentCookies {
    latest: BTreeSet<(Time, VerificationTag)>,
    /// Whatever goes stale until then is.
    stale_until: Option<Time>,
}

impl SpentCookies {
    /// The cookie was used.
    pub fn keep(&mut self, now: Time, cookie: &StateCookie) {
        while self.latest.first().is_some_and(|(stale_at, _)| *stale_at < now) {
            self.latest.pop_first();
        }
        self.latest.insert(key_of(cookie));
        if self.latest.len() > MOST {
            self.stale_until = self.latest.pop_first().map(|(stale_at, _)| stale_at);
        }
    }

    /// Whether the cookie was used.
    pub fn contains(&self, cookie: &StateCookie) -> bool {
        self.latest.contains(&key_of(cookie))
    }

    /// By how much the cookie is too old; `None` while it is good.
    pub fn staleness(&self, now: Time, cookie: &StateCookie) -> Option<Duration> {
        let is_forgotten = self.stale_until.is_some_and(|until| key_of(cookie).0 <= until);
        cookie.staleness(now).or(is_forgotten.then_some(Duration::ZERO))
    }
}

fn key_of(cookie: &StateCookie) -> (Time, VerificationTag) {
    (cookie.created + cookie.lifetime, cookie.local_tag)
}

/// So many are remembered, in some 100 KB: who opens more associations within a cookie's life makes others' cookies stale.
const MOST: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::association::cookie::tests::cookie;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn made_at(milliseconds: u64) -> StateCookie {
        let local_tag = VerificationTag::new(milliseconds as u32);
        StateCookie { created: at(milliseconds), local_tag, ..cookie() }
    }

    #[test]
    fn a_cookie_is_good_once_and_forgotten_when_it_is_stale() {
        let mut spent = SpentCookies::default();
        spent.keep(at(10), &made_at(0));
        assert!(spent.contains(&made_at(0)) && !spent.contains(&made_at(1)));
        assert_eq!(spent.staleness(at(60_000), &made_at(0)), None);
        spent.keep(at(60_001), &made_at(60_000));
        assert!(!spent.contains(&made_at(0)));
        assert_eq!(spent.staleness(at(60_001), &made_at(0)), Some(Duration::from_millis(1)));
    }

    #[test]
    fn of_very_many_the_latest_are_remembered_and_the_others_count_as_stale() {
        let mut spent = SpentCookies::default();
        (0..10_000).for_each(|number| spent.keep(at(number), &made_at(number)));
        assert_eq!(spent.latest.len(), MOST);
        let first = 10_000 - MOST as u64;
        for number in 0..10_001 {
            let cookie = made_at(number);
            assert_eq!(spent.staleness(at(10_000), &cookie).is_some(), number < first, "{number}");
            assert_eq!(spent.contains(&cookie), (first..10_000).contains(&number), "{number}");
        }
    }
}
