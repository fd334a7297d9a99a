//! Decides which chunks are accepted from a path whose address may not be the peer's.

use super::PeerAddresses;
use crate::association::ground::Ground;
use crate::policy::{PathId, PathSample, PathState};

impl PeerAddresses {
    /// Returns true if an ABORT from `path` may end the association. "ABORT Chunks arriving destined to the IP address
    /// being deleted MUST be ignored" (RFC 5061 §5.3 F4). On an unverified path, an ABORT with the T bit may come from
    /// another host, to which our packet was out of the blue.
    pub(crate) fn may_end_by(&self, ground: &Ground, path: PathId, is_reflected: bool) -> bool {
        let is_believed = !is_reflected || !self.is_untrusted(ground, path);
        !ground.paths.is_removed(path) && self.departed != Some(path) && is_believed
    }

    /// Returns true if `path` was never verified, or is unverified now while another path is verified. A path whose
    /// address was removed and returned has an earlier round-trip time. If no other path is verified, a peer that
    /// restarted meanwhile can answer only on this path.
    fn is_untrusted(&self, ground: &Ground, path: PathId) -> bool {
        let PathSample { state, srtt, .. } = ground.paths.sample(path);
        let is_only_word = srtt.is_some() && !ground.paths.living().any(|id| self.is_verified(ground, id));
        *state == PathState::Unconfirmed && !is_only_word
    }

    /// Returns true if a path works or worked before; false for the path whose address was removed.
    pub(crate) fn is_verified(&self, ground: &Ground, id: PathId) -> bool {
        let state = ground.paths.sample(id).state;
        (state.works() || state.has_failed()) && self.departed != Some(id)
    }
}
