//! Packets that the operating system refuses because they are too large.

use anabranch_base::{ByteCount, Time};

use super::{AssociationId, Endpoint};
use crate::association::PathAddresses;

impl Endpoint {
    /// Reports that the operating system refused an IP packet on `path`, because it sends at most `largest` bytes there
    /// now. Paths with MTU discovery apply this at once; others do not change. Returns true if a path uses it.
    pub fn on_too_large(&mut self, now: Time, path: PathAddresses, largest: ByteCount) -> bool {
        let mut is_of_use = false;
        let concerned: Vec<AssociationId> = self.associations.ids().collect();
        for id in concerned {
            if let Some(association) = self.associations.touch(id) {
                is_of_use |= association.on_too_large(now, path, largest);
            }
        }
        is_of_use
    }
}
