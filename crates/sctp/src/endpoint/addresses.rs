//! Addresses that this host gains and loses while an endpoint lives. It knows which there are, and nothing of paths.

use std::net::{IpAddr, SocketAddr};

use anabranch_base::Time;
use rand_core::Rng;

use super::{Arrival, AssociationId, Endpoint};
use crate::association::{Association, RandomNumber};
use crate::wire::{Chunk, Packet, Parameter};

impl Endpoint {
    /// This host has another address, with a socket of its own: every association may use it, by one path more that is
    /// verified before it carries data, and new ones begin with it. One that is known already changes nothing.
    pub fn add_local(&mut self, now: Time, address: SocketAddr) {
        if !self.config.local.contains(&address) {
            self.config.local.push(address);
        }
        self.each(|association| association.add_local(now, address));
    }

    /// This host has lost an address: what its paths carried goes to others at once, and nothing leaves by it any more.
    /// An association that has no other path waits for one, until its errors are too many; what it sends meanwhile has
    /// this address as its [`local`](super::Departure::local) and is lost.
    pub fn remove_local(&mut self, now: Time, address: SocketAddr) {
        self.config.local.retain(|known| *known != address);
        self.each(|association| association.remove_local(now, address));
    }

    /// This host has an address again that it had lost, at a socket that has all its addresses: associations that used it
    /// use it again, and tell their peers. To others it means nothing, as to those that begin: they have the socket's.
    pub fn return_local(&mut self, now: Time, address: SocketAddr) {
        self.each(|association| association.return_local(now, address));
    }

    /// The addresses that new associations begin with.
    pub fn locals(&self) -> &[SocketAddr] {
        &self.config.local
    }

    /// What this end brings to the key of one association; nothing is drawn where nothing is authenticated.
    pub(super) fn fresh_random(&mut self) -> RandomNumber {
        let mut random = RandomNumber::default();
        if self.settings.config.dynamic_addresses {
            self.rng.fill_bytes(&mut random);
        }
        random
    }

    /// Of the addresses that a packet asks to add, and of its own: those that other associations with the same port of the
    /// peer have. An address cannot belong to two, for nobody could tell whose its next INIT is.
    pub(super) fn addresses_beside(
        &mut self,
        id: AssociationId,
        arrival: &Arrival,
        packet: &Packet<'_>,
    ) -> Vec<IpAddr> {
        if self.associations.len() < 2 || !self.settings.config.dynamic_addresses {
            return Vec::new();
        }
        let (channel, port) = (self.channels.of(id), packet.header().source_port);
        let mut addresses: Vec<IpAddr> = Vec::new();
        for chunk in packet.chunks() {
            let Ok(Chunk::Asconf(asconf)) = chunk else { continue };
            let added = asconf.requests().iter().filter_map(|request| match *request {
                Parameter::AddAddress { address, .. } => Some(address),
                _ => None,
            });
            addresses.extend(added.chain([arrival.remote.ip()]));
        }
        addresses.retain(|&ip| self.peers.has_other(id, channel, port, ip));
        addresses
    }

    fn each(&mut self, mut tell: impl FnMut(&mut Association)) {
        let ids: Vec<AssociationId> = self.associations.keys().copied().collect();
        for id in ids {
            if let Some(association) = self.associations.get_mut(&id) {
                tell(association);
                self.touch(id);
                self.update_ways(id);
            }
        }
    }
}
