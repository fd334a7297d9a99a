//! What is known of both ends' addresses: which the peer was told of, which pairs of them are worth a path, and how an
//! address is verified.

mod announce;
mod pairs;
mod reconfiguration;
mod search;
mod trust;
mod verify;

pub use announce::IllegalAck;
pub use pairs::{Alternatives, InitPace, Pairs, Routes};
pub use reconfiguration::{AddressChange, AsconfAction};

use super::agreement::Agreement;
use super::authentication::AuthKeys;
use super::extensions::Extensions;
use crate::policy::PathId;
use crate::seq::Tsn;
use crate::wire::AsconfAck;
use reconfiguration::Reconfiguration;

/// The addresses of an association.
#[derive(Debug, Default)]
pub struct PeerAddresses {
    /// The keys that authenticate chunks, if both ends support that.
    keys: Option<AuthKeys>,
    /// The state of address reconfiguration, if both ends support it.
    reconfiguration: Option<Reconfiguration>,
    /// The pairs of addresses to try if paths do not answer.
    pairs: Pairs,
    /// The last verified path, if its address was lost: it stays until another path is verified.
    departed: Option<PathId>,
}

impl PeerAddresses {
    /// Enables the extensions that both ends support.
    pub fn enable_extensions(&mut self, extensions: Extensions, agreement: &Agreement) {
        self.keys = extensions.keys;
        let Agreement { local_tsn, peer_tsn, .. } = *agreement;
        self.reconfiguration =
            extensions.changes_addresses.then(|| Reconfiguration::new(local_tsn, peer_tsn));
    }

    /// The keys that authenticate chunks, if both ends support that.
    pub fn keys(&self) -> Option<&AuthKeys> {
        self.keys.as_ref()
    }

    /// Replaces the pairs of addresses to try.
    pub fn set_pairs(&mut self, pairs: Pairs) {
        self.pairs = pairs;
    }

    /// The pairs of addresses to try, for another attempt.
    pub fn into_pairs(self) -> Pairs {
        self.pairs
    }

    /// The last verified path, if its address was lost.
    pub fn departed(&self) -> Option<PathId> {
        self.departed
    }

    /// Replaces the path that stays although its address was lost.
    pub fn set_departed(&mut self, path: Option<PathId>) {
        self.departed = path;
    }

    /// What to do with the peer's ASCONF of this serial number; `None` if both ends do not support it.
    pub fn action_for(&self, serial: Tsn) -> Option<AsconfAction> {
        Some(self.reconfiguration.as_ref()?.action_for(serial))
    }

    /// The peer's ASCONF was answered.
    pub fn on_answered(&mut self, answer: AsconfAck) {
        if let Some(state) = &mut self.reconfiguration {
            state.on_answered(answer);
        }
    }
}
