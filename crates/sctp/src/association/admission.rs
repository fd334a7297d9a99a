//! Decides which chunks of a packet are accepted: chunks that must be authenticated only after a valid AUTH chunk
//! (RFC 4895 §6.3), a second SACK or SHUTDOWN of a packet never, a COOKIE-ECHO only as the first chunk, and an ABORT
//! only from an address that the peer may use.

use super::authentication::{AuthKeys, Authenticity, is_required_here};
use super::{Association, State};
use crate::policy::PathId;
use crate::wire::{Cause, Chunk};

/// The decision about a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// The chunk is handled.
    Accept,
    /// The chunk has had its effect, or repeats an earlier one: it is skipped.
    Skip,
    /// The chunk and the rest of the packet are discarded.
    Refuse,
}

/// The chunks of the packet that precede the one examined.
#[derive(Debug, Default)]
pub(super) struct ChunksBefore {
    has_any: bool,
    /// True if an AUTH chunk authenticated the chunks after it.
    is_authentic: bool,
    has_sack: bool,
    has_shutdown: bool,
}

impl ChunksBefore {
    /// Returns true if a chunk is allowed after those before it. A packet has at most one SACK: the cost of reading one
    /// is the number of holes, even if the SACK is short, and an honest peer sends no second one. A SHUTDOWN also
    /// acknowledges, and may accompany a SACK. A COOKIE-ECHO "MUST be the first chunk in the packet" (RFC 9260 §5.1 C):
    /// the endpoint looks for a cookie only there.
    fn take(&mut self, chunk: &Chunk<'_>) -> bool {
        let is_first = !std::mem::replace(&mut self.has_any, true);
        match chunk {
            Chunk::Sack(_) | Chunk::NrSack(_) => !std::mem::replace(&mut self.has_sack, true),
            Chunk::Shutdown(_) => !std::mem::replace(&mut self.has_shutdown, true),
            Chunk::CookieEcho(_) => is_first,
            _ => true,
        }
    }
}

impl Association {
    /// Decides about `chunk` of a packet on `path`, after the chunks `before` it. `rest` are the packet's bytes from
    /// `chunk` on.
    pub(super) fn admit(
        &mut self,
        path: PathId,
        chunk: &Chunk<'_>,
        rest: &[u8],
        before: &mut ChunksBefore,
    ) -> Admission {
        let is_alone = !before.has_any && is_last(rest);
        if must_be_alone(chunk) && !is_alone {
            return Admission::Refuse;
        }
        if !before.take(chunk) {
            return Admission::Skip;
        }
        let keys = self.keys();
        let Chunk::Auth(auth) = chunk else {
            let is_proven = keys.is_none() || before.is_authentic || !is_required_here(chunk.kind());
            return if is_proven { Admission::Accept } else { Admission::Refuse };
        };
        // RFC 4895 §5.1: AUTH "MUST NOT appear more than once". A receiver that does not support AUTH drops what
        // follows it.
        let Some(keys) = keys.filter(|_| !before.is_authentic) else { return Admission::Refuse };
        match keys.verify(auth, rest) {
            Authenticity::Authentic => {
                before.is_authentic = true;
                Admission::Skip
            }
            Authenticity::Forged => Admission::Refuse,
            Authenticity::Unsupported => {
                let causes = vec![Cause::UnsupportedHmac(auth.algorithm)];
                if let Some(session) = self.session_mut() {
                    session.ground_mut().report(path, causes);
                }
                Admission::Refuse
            }
        }
    }

    /// The keys that verify the peer's authenticated chunks, once they are known.
    pub(super) fn keys(&self) -> Option<&AuthKeys> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.keys(),
            State::Opening(handshake) => handshake.keys(),
            State::Closed(_) => None,
        }
    }
}

/// RFC 9260 §6.10: INIT-ACK and SHUTDOWN-COMPLETE are never bundled with other chunks. INIT belongs to the endpoint.
fn must_be_alone(chunk: &Chunk<'_>) -> bool {
    matches!(chunk, Chunk::InitAck(_) | Chunk::ShutdownComplete(_))
}

/// Returns true if no chunk follows the one with which `rest` begins.
fn is_last(rest: &[u8]) -> bool {
    let length = rest.get(2..4).map_or(0, |bytes| usize::from(u16::from_be_bytes([bytes[0], bytes[1]])));
    rest.len() <= length.next_multiple_of(4)
}
