//! Addresses that this host gains and loses while an endpoint lives. It knows which there are, and nothing of paths.

use std::net::SocketAddr;

use anabranch_base::Time;

use super::{AssociationId, Endpoint};

impl Endpoint {
    /// This host has another address, with a socket of its own: every association may use it, by one path more that is
    /// verified before it carries data, and new ones begin with it. One that is known already changes nothing.
    pub fn add_local(&mut self, now: Time, address: SocketAddr) {
        if !self.config.local.contains(&address) {
            self.config.local.push(address);
        }
        for id in self.ids() {
            if let Some(association) = self.associations.get_mut(&id) {
                association.add_local(now, address);
                self.touch(id);
            }
        }
    }

    /// This host has lost an address: what its paths carried goes to others at once, and nothing leaves by it any more.
    /// An association that has no other path waits for one, until its errors are too many; what it sends meanwhile has
    /// this address as its [`local`](super::Departure::local) and is lost.
    pub fn remove_local(&mut self, now: Time, address: SocketAddr) {
        self.config.local.retain(|known| *known != address);
        for id in self.ids() {
            if let Some(association) = self.associations.get_mut(&id) {
                association.remove_local(now, address);
                self.touch(id);
            }
        }
    }

    /// The addresses that new associations begin with.
    pub fn locals(&self) -> &[SocketAddr] {
        &self.config.local
    }

    fn ids(&self) -> Vec<AssociationId> {
        self.associations.keys().copied().collect()
    }
}
