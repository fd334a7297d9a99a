//! The keys that sign state cookies. They are replaced regularly; the previous key stays valid (RFC 9260 §5.1.3).

use anabranch_base::{Duration, Seed, Time};
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

use crate::association::cookie::{CookieKey, ForgedCookie, StateCookie};

/// The current key and the one before it.
#[derive(Debug)]
pub(super) struct CookieKeys {
    rng: ChaCha12Rng,
    present: CookieKey,
    past: CookieKey,
    since: Time,
}

impl CookieKeys {
    /// Keys derived from `seed`.
    pub(super) fn new(seed: &Seed) -> CookieKeys {
        let mut rng = ChaCha12Rng::from_seed(seed.bytes());
        let (present, past) = (fresh(&mut rng), fresh(&mut rng));
        CookieKeys { rng, present, past, since: Time::ZERO }
    }

    /// Signs a cookie, with a new key if the current one is old enough.
    pub(super) fn seal(&mut self, cookie: &StateCookie, now: Time) -> Vec<u8> {
        if now.since(self.since) > KEY_LIFETIME {
            self.past = std::mem::replace(&mut self.present, fresh(&mut self.rng));
            self.since = now;
        }
        cookie.seal(&self.present)
    }

    /// Opens a cookie that was signed with the current key or the one before.
    ///
    /// # Errors
    /// It was signed with neither.
    pub(super) fn open(&self, bytes: &[u8]) -> Result<StateCookie, ForgedCookie> {
        StateCookie::open(bytes, &self.present).or_else(|_| StateCookie::open(bytes, &self.past))
    }
}

fn fresh(rng: &mut ChaCha12Rng) -> CookieKey {
    let mut key = CookieKey::default();
    rng.fill_bytes(&mut key);
    key
}

/// Longer than the lifetime of any cookie, so that one previous key is enough.
const KEY_LIFETIME: Duration = Duration::from_secs(3_600);
