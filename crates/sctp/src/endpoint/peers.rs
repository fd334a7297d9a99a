//! Finds associations by their peers' addresses, for packets without our tag: INIT, and ABORT with the T bit.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use super::by_id::ById;
use super::{AssociationId, Channel};
use crate::association::Association;
use crate::wire::VerificationTag;

/// The source of a peer's packets, and their channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PeerRoute {
    /// The channel.
    pub channel: Channel,
    /// The peer's SCTP port.
    pub port: u16,
    /// The address from which it sends.
    pub remote: SocketAddr,
}

/// The routes of all associations that are not closed. Finding one costs the logarithm of their number.
#[derive(Debug, Default)]
pub(super) struct Peers {
    /// Each route with the peer's tag, if it is known.
    routes: BTreeSet<(PeerRoute, Option<VerificationTag>, AssociationId)>,
    of: ById<Entered>,
    examined: u64,
}

/// The entries of an association.
#[derive(Debug)]
struct Entered {
    version: EntryVersion,
    routes: Vec<PeerRoute>,
}

/// The values that determine the entries of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryVersion {
    channel: Channel,
    /// `None` if the association is closed.
    port: Option<u16>,
    tag: Option<VerificationTag>,
    addresses: u64,
}

impl EntryVersion {
    /// The version that the entries of `association` should have now.
    #[inline]
    pub(super) fn of(channel: Channel, association: &Association) -> EntryVersion {
        let (port, tag, addresses) = association.peer_identity();
        EntryVersion { channel, port, tag, addresses }
    }
}

impl Peers {
    /// Updates the routes of association `id` if they changed.
    #[inline]
    pub(super) fn update(&mut self, id: AssociationId, channel: Channel, association: &Association) {
        let version = EntryVersion::of(channel, association);
        if self.of.value(id).is_none_or(|entered| entered.version != version) {
            self.replace(id, version, association);
        }
    }

    fn replace(&mut self, id: AssociationId, version: EntryVersion, association: &Association) {
        let EntryVersion { channel, port, tag, .. } = version;
        self.remove(id);
        let Some(port) = port else { return };
        let remotes = association.paths().iter().map(|path| association.path_addresses(path.id).remote);
        let routes: Vec<PeerRoute> = remotes.map(|remote| PeerRoute { channel, port, remote }).collect();
        self.routes.extend(routes.iter().map(|&addresses| (addresses, tag, id)));
        self.of.insert(id, Entered { version, routes });
    }

    /// Association `id` was removed.
    pub(super) fn remove(&mut self, id: AssociationId) {
        let Some(Entered { version, routes }) = self.of.remove(id) else { return };
        for addresses in routes {
            self.routes.remove(&(addresses, version.tag, id));
        }
    }

    /// An association whose peer's packets come on the route `addresses`.
    pub(super) fn find(
        &mut self,
        addresses: PeerRoute,
        is_wanted: impl Fn(AssociationId) -> bool,
    ) -> Option<AssociationId> {
        let routes = self.routes.range((addresses, None, AssociationId::FIRST)..);
        let mut found = routes.take_while(|known| known.0 == addresses).map(|known| known.2);
        found.find(|id| {
            self.examined += 1;
            is_wanted(*id)
        })
    }

    /// Like [`find`](Peers::find), with the peer's tag.
    pub(crate) fn find_tagged(
        &mut self,
        addresses: PeerRoute,
        tag: VerificationTag,
    ) -> Option<AssociationId> {
        let mut routes = self.routes.range((addresses, Some(tag), AssociationId::FIRST)..);
        self.examined += 1;
        routes.next().filter(|known| (known.0, known.1) == (addresses, Some(tag))).map(|known| known.2)
    }

    /// Returns true if another association than `id` has its peer at the address `ip`, with any UDP port.
    pub(crate) fn has_other(&mut self, id: AssociationId, channel: Channel, port: u16, ip: IpAddr) -> bool {
        let addresses = PeerRoute { channel, port, remote: SocketAddr::new(ip, 0) };
        let routes = self.routes.range((addresses, None, AssociationId::FIRST)..);
        let is_there =
            |known: &PeerRoute| (known.channel, known.port, known.remote.ip()) == (channel, port, ip);
        let mut there = routes.take_while(|known| is_there(&known.0)).map(|known| known.2);
        there.any(|other| {
            self.examined += 1;
            other != id
        })
    }

    /// The number of entries that have been examined so far.
    pub(super) fn examined(&self) -> u64 {
        self.examined
    }
}
