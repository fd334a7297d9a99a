//! Which chunks of a packet are taken at all: those that must be authenticated only behind an AUTH chunk that proves them
//! (RFC 4895 §6.3), and no end of the association from where its peer may not be. It knows no chunk's meaning.

use super::authentication::{Keys, Verdict, is_required_here};
use super::session::Session;
use super::{Association, State};
use crate::policy::{PathId, PathSample, PathState};
use crate::wire::{Cause, Chunk};

/// What to do with a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is taken.
    Take,
    /// It has done what it is for.
    Done,
    /// Neither it nor what follows it in the packet is taken.
    Refuse,
}

impl Association {
    /// Whether `chunk` of a packet on `path` is taken; `rest` are the packet's bytes from it on, and `is_authentic` says
    /// whether an AUTH chunk before it proved them.
    pub(super) fn admit(
        &mut self,
        path: PathId,
        chunk: &Chunk<'_>,
        rest: &[u8],
        is_authentic: &mut bool,
    ) -> Admission {
        let keys = self.keys();
        let Chunk::Auth(auth) = chunk else {
            let is_proven = keys.is_none() || *is_authentic || !is_required_here(chunk.kind());
            return if is_proven { Admission::Take } else { Admission::Refuse };
        };
        // RFC 4895 §5.1: AUTH "MUST NOT appear more than once". Who does not know it drops what follows.
        let Some(keys) = keys.filter(|_| !*is_authentic) else { return Admission::Refuse };
        match keys.verify(auth, rest) {
            Verdict::Authentic => {
                *is_authentic = true;
                Admission::Done
            }
            Verdict::Forged => Admission::Refuse,
            Verdict::Unsupported => {
                let causes = vec![Cause::UnsupportedHmac(auth.algorithm)];
                if let Some(session) = self.session_mut() {
                    session.report(path, causes);
                }
                Admission::Refuse
            }
        }
    }

    /// What the peer's authenticated chunks are verified with, once that is known.
    pub(super) fn keys(&self) -> Option<&Keys> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.keys.as_ref(),
            State::Opening(handshake) => handshake.keys(),
            State::Closed(_) => None,
        }
    }
}

impl Session {
    /// Whether an ABORT from `path` may end the association. "ABORT Chunks arriving destined to the IP address being
    /// deleted MUST be ignored" (RFC 5061 §5.3 F4); and from where nobody was verified, whoever found our packet out of
    /// the blue is not known to be the peer.
    pub(super) fn may_end_by(&self, path: PathId, is_reflected: bool) -> bool {
        let is_believed = !is_reflected || !self.is_stranger(path);
        !self.paths.is_removed(path) && self.departed != Some(path) && is_believed
    }

    /// Whether nobody who answers by `path` was ever known to be the peer, or was, and others are known better. A path
    /// whose address went and came back has a round trip of before: where it is all there is, a peer that was started anew
    /// meanwhile can say so by no other.
    fn is_stranger(&self, path: PathId) -> bool {
        let PathSample { state, srtt, .. } = self.paths.sample(path);
        let is_only_word = srtt.is_some() && !self.paths.living().any(|id| self.is_verified(id));
        *state == PathState::Unconfirmed && !is_only_word
    }
}
