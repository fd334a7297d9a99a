//! Adds and removes local addresses of an existing endpoint.

use std::net::{IpAddr, SocketAddr};

use anabranch_base::Time;
use rand_core::Rng;

use super::{AssociationId, Channel, Endpoint};
use crate::association::{Association, RandomNumber};
use crate::wire::{Chunk, Packet, Parameter, PathRole};

impl Endpoint {
    /// Adds a local address with its own socket. Every association may use it, on a new path that is verified before
    /// it carries data, and new associations use it from the start. An address that the endpoint already has changes
    /// nothing.
    pub fn add_local(&mut self, now: Time, address: SocketAddr) {
        if !self.config.local.contains(&address) {
            self.config.local.push(address);
        }
        self.each(|association| association.add_local(now, address));
    }

    /// Gives a [role](Association::set_role) to the paths from `local`, of every association.
    pub fn set_role(&mut self, now: Time, local: SocketAddr, role: PathRole) {
        if self.role_of(local) != role {
            self.roles.retain(|(known, _)| *known != local);
            self.roles.extend((role != PathRole::Ordinary).then_some((local, role)));
            self.each(|association| association.set_role(now, local, role));
        }
    }

    /// Gives their roles to the paths of a new association.
    pub(super) fn keep_roles(&self, now: Time, association: &mut Association) {
        self.roles.iter().for_each(|(local, role)| association.set_role(now, *local, *role));
    }

    /// The role of paths from `local`.
    pub(super) fn role_of(&self, local: SocketAddr) -> PathRole {
        let known = self.roles.iter().find(|(known, _)| *known == local);
        known.map_or(PathRole::Ordinary, |(_, role)| *role)
    }

    /// Removes a local address: the data of its paths moves to other paths at once, and no packet is sent from it any
    /// more. An association without another path waits for one until it has too many errors. Packets that it sends
    /// meanwhile have this address as their [`local`](super::Departure::local) and are lost.
    pub fn remove_local(&mut self, now: Time, address: SocketAddr) {
        self.config.local.retain(|known| *known != address);
        self.each(|association| association.remove_local(now, address));
    }

    /// Returns a lost address to a socket that covers all addresses of the host: associations that used it use it
    /// again, and announce this to their peers. Other associations, and new ones, are not affected: they use the
    /// socket's addresses.
    pub fn return_local(&mut self, now: Time, address: SocketAddr) {
        self.each(|association| association.return_local(now, address));
    }

    /// Replaces a lost address by another of its interface, at a socket that covers all addresses of the host:
    /// associations that used `lost` use `address`, and announce this to their peers.
    pub fn replace_local(&mut self, now: Time, lost: SocketAddr, address: SocketAddr) {
        self.each(|association| association.replace_local(now, lost, address));
    }

    /// The addresses that new associations use from the start.
    pub fn locals(&self) -> &[SocketAddr] {
        &self.config.local
    }

    /// This end's random number for the key of one association; zero without authentication.
    pub(super) fn fresh_random(&mut self) -> RandomNumber {
        let mut random = RandomNumber::default();
        if self.settings.config.dynamic_addresses {
            self.rng.fill_bytes(&mut random);
        }
        random
    }

    /// The addresses among a packet's source and its requested additions that another association with the same peer
    /// port uses. An address cannot belong to two associations, because an INIT from it would be ambiguous.
    pub(super) fn addresses_beside(
        &mut self,
        id: AssociationId,
        channel: Channel,
        remote: SocketAddr,
        packet: &Packet<'_>,
    ) -> Vec<IpAddr> {
        if self.associations.len() < 2 || !self.settings.config.dynamic_addresses {
            return Vec::new();
        }
        let port = packet.header().source_port;
        let mut addresses: Vec<IpAddr> = Vec::new();
        for chunk in packet.chunks() {
            let Ok(Chunk::Asconf(asconf)) = chunk else { continue };
            let added = asconf.requests().iter().filter_map(|request| match *request {
                Parameter::AddAddress { address, .. } => Some(address),
                _ => None,
            });
            addresses.extend(added.chain([remote.ip()]));
        }
        addresses.retain(|&ip| self.peers.has_other(id, channel, port, ip));
        addresses
    }

    fn each(&mut self, mut tell: impl FnMut(&mut Association)) {
        let ids: Vec<AssociationId> = self.associations.ids().collect();
        for id in ids {
            if let Some(association) = self.associations.touch(id) {
                tell(association);
                self.update_routes(id);
            }
        }
    }
}
