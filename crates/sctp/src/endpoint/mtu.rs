//! What the operating system says of packets that are too large for it. It knows no search.

use anabranch_base::{ByteCount, Time};

use super::{AssociationId, Endpoint};
use crate::association::PathAddresses;

impl Endpoint {
    /// The operating system refused an IP packet on `path`, because no more than `largest` bytes leave there just now: the
    /// interface carries less than was thought. Paths whose MTU is searched go by that at once; others are as they were.
    /// Whether there is one of the former.
    pub fn on_too_large(&mut self, now: Time, path: PathAddresses, largest: ByteCount) -> bool {
        let mut is_of_use = false;
        let concerned: Vec<AssociationId> = self.associations.keys().copied().collect();
        for id in concerned {
            if let Some(association) = self.associations.get_mut(&id) {
                is_of_use |= association.on_too_large(now, path, largest);
                self.touch(id);
            }
        }
        is_of_use
    }
}
