//! Which chunks of a packet are accepted at all: those that must be authenticated only after an AUTH chunk that proves
//! them (RFC 4895 §6.3), those of which one packet needs one only once, and no end of the association from an address
//! at which its peer may not be.

use super::authentication::{AuthKeys, Authenticity, is_required_here};
use super::session::Session;
use super::{Association, State};
use crate::policy::{PathId, PathSample, PathState};
use crate::wire::{Cause, Chunk};

/// What to do with a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is taken.
    Take,
    /// It has done what it is for, or is one too many: the next one is looked at.
    PassOver,
    /// Neither it nor what follows it in the packet is taken.
    Refuse,
}

/// What is known of a packet's chunks so far.
#[derive(Debug, Default)]
pub(super) struct ChunksBefore {
    /// There was one, whatever it was.
    has_any: bool,
    /// An AUTH chunk proved what follows it.
    is_authentic: bool,
    has_sack: bool,
    has_shutdown: bool,
}

impl ChunksBefore {
    /// Whether a chunk has its place behind those before it. Reading a SACK costs as much as there are holes, however short
    /// it is, and an honest peer has one for a packet. A SHUTDOWN acknowledges as well, and may stand beside a SACK. A
    /// COOKIE-ECHO "MUST be the first chunk in the packet" (RFC 9260 §5.1 C): only there the endpoint has read its cookie.
    fn take(&mut self, chunk: &Chunk<'_>) -> bool {
        let is_first = !std::mem::replace(&mut self.has_any, true);
        match chunk {
            Chunk::Sack(_) => !std::mem::replace(&mut self.has_sack, true),
            Chunk::Shutdown(_) => !std::mem::replace(&mut self.has_shutdown, true),
            Chunk::CookieEcho(_) => is_first,
            _ => true,
        }
    }
}

impl Association {
    /// Whether `chunk` of a packet on `path` is taken, after those `before` it; `rest` are the packet's bytes from it on.
    pub(super) fn admit(
        &mut self,
        path: PathId,
        chunk: &Chunk<'_>,
        rest: &[u8],
        before: &mut ChunksBefore,
    ) -> Admission {
        if !before.take(chunk) {
            return Admission::PassOver;
        }
        let keys = self.keys();
        let Chunk::Auth(auth) = chunk else {
            let is_proven = keys.is_none() || before.is_authentic || !is_required_here(chunk.kind());
            return if is_proven { Admission::Take } else { Admission::Refuse };
        };
        // RFC 4895 §5.1: AUTH "MUST NOT appear more than once". A receiver that does not know it drops what follows.
        let Some(keys) = keys.filter(|_| !before.is_authentic) else { return Admission::Refuse };
        match keys.verify(auth, rest) {
            Authenticity::Authentic => {
                before.is_authentic = true;
                Admission::PassOver
            }
            Authenticity::Forged => Admission::Refuse,
            Authenticity::Unsupported => {
                let causes = vec![Cause::UnsupportedHmac(auth.algorithm)];
                if let Some(session) = self.session_mut() {
                    session.report(path, causes);
                }
                Admission::Refuse
            }
        }
    }

    /// What the peer's authenticated chunks are verified with, once that is known.
    pub(super) fn keys(&self) -> Option<&AuthKeys> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.keys.as_ref(),
            State::Opening(handshake) => handshake.keys(),
            State::Closed(_) => None,
        }
    }
}

impl Session {
    /// Whether an ABORT from `path` may end the association. "ABORT Chunks arriving destined to the IP address being
    /// deleted MUST be ignored" (RFC 5061 §5.3 F4); and on an unverified path a host that found our packet out of the
    /// blue need not be the peer.
    pub(super) fn may_end_by(&self, path: PathId, is_reflected: bool) -> bool {
        let is_believed = !is_reflected || !self.is_stranger(path);
        !self.paths.is_removed(path) && self.departed != Some(path) && is_believed
    }

    /// Whether `path` was never verified, or other paths are verified now and it is not. A path whose address went and
    /// came back has an earlier round trip: if there is no other, a peer that restarted meanwhile can only use this one
    /// to say so.
    fn is_stranger(&self, path: PathId) -> bool {
        let PathSample { state, srtt, .. } = self.paths.sample(path);
        let is_only_word = srtt.is_some() && !self.paths.living().any(|id| self.is_verified(id));
        *state == PathState::Unconfirmed && !is_only_word
    }
}
