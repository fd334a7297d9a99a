//! Tags of associations that were removed. A state cookie with such a tag was used, or was created beside a used one,
//! and must not open an association again (RFC 9260 §5.1.3 keeps no state before a cookie returns, and §5.2.4 keeps
//! none afterwards).

use std::collections::{BTreeSet, VecDeque};

use anabranch_base::{Duration, Time};

use crate::association::cookie::StateCookie;
use crate::wire::VerificationTag;

/// The tags that this endpoint's associations had, until every cookie with them is stale.
///
/// Their number is limited. When a tag is dropped because of the limit, every cookie created before its association
/// ended counts as stale, and an honest peer requests a new one (RFC 9260 §5.2.6).
#[derive(Debug, Default)]
pub(super) struct UsedTags {
    /// The tags with the times at which they were added, oldest first.
    latest: VecDeque<(Time, VerificationTag)>,
    known: BTreeSet<VerificationTag>,
    /// Every cookie created up to this time is stale.
    stale_until: Option<Time>,
}

impl UsedTags {
    /// Keeps `tag` of an association that ended at `now`; no cookie lives longer than `lifetime`.
    pub(super) fn keep(&mut self, now: Time, lifetime: Duration, tag: VerificationTag) {
        while self.latest.front().is_some_and(|(since, _)| *since + lifetime < now) {
            self.forget_first();
        }
        self.latest.push_back((now, tag));
        self.known.insert(tag);
        if self.latest.len() > MOST {
            self.stale_until = self.forget_first();
        }
    }

    /// Returns true if an association had `tag`.
    pub(super) fn contains(&self, tag: VerificationTag) -> bool {
        self.known.contains(&tag)
    }

    /// The time since `cookie` expired; `None` while it is valid.
    pub(crate) fn staleness(&self, now: Time, cookie: &StateCookie) -> Option<Duration> {
        let is_forgotten = self.stale_until.is_some_and(|until| cookie.created <= until);
        cookie.staleness(now).or(is_forgotten.then_some(Duration::ZERO))
    }

    fn forget_first(&mut self) -> Option<Time> {
        let (since, tag) = self.latest.pop_front()?;
        self.known.remove(&tag);
        Some(since)
    }
}

/// The maximum number of tags, in about 150 KB: if more associations end within a cookie's lifetime, cookies become
/// stale earlier.
const MOST: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::association::cookie::tests::cookie;

    const LIFETIME: Duration = Duration::from_secs(60);

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn tag(number: u64) -> VerificationTag {
        VerificationTag::new(number as u32)
    }

    #[test]
    fn a_tag_is_remembered_until_all_cookies_with_it_are_stale() {
        let mut used_tags = UsedTags::default();
        used_tags.keep(at(10), LIFETIME, tag(7));
        used_tags.keep(at(60_010), LIFETIME, tag(8));
        assert!(used_tags.contains(tag(7)) && used_tags.contains(tag(8)) && !used_tags.contains(tag(9)));
        used_tags.keep(at(60_011), LIFETIME, tag(9));
        assert!(!used_tags.contains(tag(7)) && used_tags.contains(tag(8)));
        assert_eq!(used_tags.staleness(at(60_000), &StateCookie { created: at(0), ..cookie() }), None);
    }

    #[test]
    fn of_very_many_the_latest_are_remembered_and_what_is_older_counts_as_stale() {
        let mut used_tags = UsedTags::default();
        (0..10_000).for_each(|number| used_tags.keep(at(number), LIFETIME, tag(number)));
        assert_eq!((used_tags.latest.len(), used_tags.known.len()), (MOST, MOST));
        let first = 10_000 - MOST as u64;
        for number in 0..10_000 {
            let cookie = StateCookie { created: at(number), ..cookie() };
            assert_eq!(used_tags.staleness(at(10_000), &cookie).is_some(), number < first, "{number}");
            assert_eq!(used_tags.contains(tag(number)), number >= first, "{number}");
        }
    }
}
