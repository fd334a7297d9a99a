//! The addresses of both ends: their announcement to the peer (ASCONF), the choice of pairs that become paths, and path
//! verification.

mod announce;
mod pairs;
mod reconfiguration;
mod search;
mod trust;
mod verify;

pub(super) use announce::IllegalAck;
pub(super) use pairs::Pairs;
pub use pairs::{Alternatives, InitPace, Routes};
pub(super) use reconfiguration::{AddressChange, AsconfAction};

use super::agreement::Agreement;
use super::authentication::AuthKeys;
use super::extensions::Extensions;
use crate::policy::PathId;
use crate::seq::Tsn;
use crate::wire::AsconfAck;
use reconfiguration::Reconfiguration;

/// The addresses of an association.
#[derive(Debug, Default)]
pub(super) struct PeerAddresses {
    /// The keys that authenticate chunks, if both ends support that.
    keys: Option<AuthKeys>,
    /// The state of address reconfiguration, if both ends support it.
    reconfiguration: Option<Reconfiguration>,
    /// The pairs of addresses to try if paths do not answer.
    pairs: Pairs,
    /// The last verified path, if its address was removed: it stays until another path is verified.
    departed: Option<PathId>,
}

impl PeerAddresses {
    /// Enables the extensions that both ends support.
    pub(crate) fn enable_extensions(&mut self, extensions: Extensions, agreement: &Agreement) {
        self.keys = extensions.keys;
        let Agreement { local_tsn, peer_tsn, .. } = *agreement;
        self.reconfiguration =
            extensions.changes_addresses.then(|| Reconfiguration::new(local_tsn, peer_tsn));
    }

    /// The keys that authenticate chunks, if both ends support that.
    pub(super) fn keys(&self) -> Option<&AuthKeys> {
        self.keys.as_ref()
    }

    /// Replaces the pairs of addresses to try.
    pub(crate) fn set_pairs(&mut self, pairs: Pairs) {
        self.pairs = pairs;
    }

    /// The pairs of addresses to try, for another attempt.
    pub(crate) fn into_pairs(self) -> Pairs {
        self.pairs
    }

    /// The last verified path, if its address was removed.
    pub(super) fn departed(&self) -> Option<PathId> {
        self.departed
    }

    /// Sets the path that stays although its address was removed.
    pub(crate) fn set_departed(&mut self, path: Option<PathId>) {
        self.departed = path;
    }

    /// The action for the peer's ASCONF with this serial number; `None` if the extension is not in use.
    pub(crate) fn action_for(&self, serial: Tsn) -> Option<AsconfAction> {
        Some(self.reconfiguration.as_ref()?.action_for(serial))
    }

    /// Stores the answer to the peer's ASCONF.
    pub(crate) fn on_answered(&mut self, answer: AsconfAck) {
        if let Some(state) = &mut self.reconfiguration {
            state.on_answered(answer);
        }
    }
}
