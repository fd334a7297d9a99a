//! The associations on one SCTP port: finds the association of each packet, and answers packets without an association.

mod addresses;
mod arrival;
mod by_id;
mod channel;
mod cookies;
mod due;
mod join;
mod listen;
mod members;
mod memory;
mod mtu;
mod out_of_the_blue;
mod pairing;
mod peers;
mod sent_aborts;
mod throttle;
mod train;
mod used_tags;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;

use anabranch_base::{ByteCount, Machine, Seed, Time};
use bytes::Bytes;
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

use crate::association::{
    Association, AssociationState, LocalIdentity, Message, PathAddresses, Routes, Settings, Transmit,
    build_policies,
};
use crate::config::{Config, ConfigError};
use crate::event::Event;
use crate::policy::{PathId, Registry, UnknownPolicy};
use crate::receive::Budget;
use crate::seq::Tsn;
use crate::wire::{PathRole, VerificationTag};
pub use arrival::Arrival;
use channel::Channels;
pub use channel::{Channel, ChannelUse};
use cookies::CookieKeys;
pub use join::join;
use members::Members;
use memory::Memory;
use peers::{PeerRoute, Peers};
use sent_aborts::SentAborts;
use throttle::Throttle;
pub use train::Train;
use used_tags::UsedTags;

/// The settings of an endpoint.
#[derive(Clone, Debug)]
pub struct EndpointConfig {
    /// The settings of its associations.
    pub association: Config,
    /// The policies that these settings name.
    pub registry: Registry,
    /// The SCTP port; UDP ports are in the addresses.
    pub port: u16,
    /// True if INITs are accepted.
    pub accepts: bool,
    /// The addresses of its sockets. The i-th is paired with the i-th of a peer; the shorter list is repeated.
    pub local: Vec<SocketAddr>,
    /// The maximum number of associations at a time.
    pub max_associations: usize,
}

/// The id of an association of an endpoint. Ids are never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssociationId(u64);

impl AssociationId {
    /// The first id.
    const FIRST: AssociationId = AssociationId(0);
}

/// Packets to send through a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The local address to send from; unspecified if the operating system chooses.
    pub local: SocketAddr,
    /// The address to send to.
    pub remote: SocketAddr,
    /// The channel to send on.
    pub channel: Channel,
    /// The association that sends them; `None` for an answer without an association, whose path has no meaning.
    pub association: Option<AssociationId>,
    /// The number and length of the packets.
    pub transmit: Transmit,
}

/// The reason for which an endpoint cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// A setting is outside its domain.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A setting names a policy that is not registered.
    #[error(transparent)]
    Policy(#[from] UnknownPolicy),
    /// The list of local addresses is empty.
    #[error("an endpoint needs at least one local address")]
    NoLocalAddress,
}

/// The reason for which an association cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The list of remote addresses is empty.
    #[error("no remote address was given")]
    NoRemoteAddress,
    /// No local address has the IP version of this remote address.
    #[error("no local address can reach {0}: the IP versions differ")]
    NoLocalAddressFor(SocketAddr),
    /// The largest number of associations is reached.
    #[error("the limit of {0} associations is reached")]
    TooMany(usize),
    /// RFC 9260 §2.3: two endpoints "MUST NOT have more than one SCTP association between them at any given time":
    /// the peer would take the second one for a restart of the first.
    #[error("an association with {0} exists already; open another one from another endpoint")]
    Exists(SocketAddr),
}

/// An SCTP endpoint without I/O.
#[derive(Debug)]
pub struct Endpoint {
    settings: Arc<Settings>,
    config: EndpointConfig,
    associations: Members,
    /// Measurements of paths from associations that ended.
    memory: Memory,
    /// The local addresses whose paths are not ordinary.
    roles: Vec<(SocketAddr, PathRole)>,
    /// The association by the tag of a packet.
    by_tag: BTreeMap<VerificationTag, AssociationId>,
    /// The association of a packet that does not carry our tag.
    peers: Peers,
    channels: Channels,
    replies: VecDeque<Reply>,
    /// Limits the answers to INITs from unknown addresses.
    inits: Throttle,
    /// Limits the answers to their other packets.
    others: Throttle,
    sent_aborts: SentAborts,
    cookie_keys: CookieKeys,
    used_tags: UsedTags,
    seed: Seed,
    rng: ChaCha12Rng,
    made: u64,
}

/// A packet to send that does not belong to an association.
#[derive(Debug)]
struct Reply {
    local: SocketAddr,
    remote: SocketAddr,
    channel: Channel,
    bytes: Vec<u8>,
}

/// The checked settings of associations.
fn settings_of(config: &EndpointConfig, seed: &Seed) -> Result<Settings, EndpointError> {
    let EndpointConfig { association, registry, .. } = config;
    association.check()?;
    let receiver = build_policies(registry, association, seed)?;
    association.check_policies(registry)?;
    let budget = association.receive_growth.map_or(ByteCount::ZERO, |growth| growth.endpoint);
    let (config, registry) = (association.clone(), registry.clone());
    Ok(Settings { config, registry, receiver, budget: Arc::new(Budget::new(budget)) })
}

impl Endpoint {
    /// An endpoint without associations. `seed` determines every tag, nonce and key that it draws.
    ///
    /// # Errors
    /// A setting is outside its domain or names an unknown policy, or the list of local addresses is empty.
    pub fn new(config: EndpointConfig, seed: Seed) -> Result<Endpoint, EndpointError> {
        if config.local.is_empty() {
            return Err(EndpointError::NoLocalAddress);
        }
        Ok(Endpoint {
            settings: Arc::new(settings_of(&config, &seed)?),
            config,
            associations: Members::default(),
            memory: Memory::default(),
            roles: Vec::new(),
            by_tag: BTreeMap::new(),
            peers: Peers::default(),
            channels: Channels::default(),
            replies: VecDeque::new(),
            inits: Throttle::new(&seed.child("inits")),
            others: Throttle::new(&seed.child("others")),
            sent_aborts: SentAborts::default(),
            cookie_keys: CookieKeys::new(&seed.child("cookies")),
            used_tags: UsedTags::default(),
            rng: ChaCha12Rng::from_seed(seed.child("endpoint").bytes()),
            seed,
            made: 0,
        })
    }

    /// Sets the settings of associations that are opened from now on.
    ///
    /// # Errors
    /// A setting is outside its domain or names an unknown policy: nothing changes.
    pub fn set_association(&mut self, association: Config) -> Result<(), EndpointError> {
        let config = EndpointConfig { association, ..self.config.clone() };
        self.settings = Arc::new(settings_of(&config, &self.seed)?);
        self.config = config;
        Ok(())
    }

    /// Sets whether INITs are accepted from now on. State cookies that were sent remain valid.
    pub fn set_accepts(&mut self, accepts: bool) {
        self.config.accepts = accepts;
    }

    /// Starts to open an association with the peer at `remote`, on paths from all local addresses.
    /// [`Event::Connected`] reports when messages may be sent.
    ///
    /// # Errors
    /// `remote` is empty or cannot be reached, there are too many associations, or one with this peer exists.
    pub fn connect(&mut self, remote: &[SocketAddr]) -> Result<AssociationId, ConnectError> {
        self.connect_by(Channel::PLAIN, remote)
    }

    /// Like [`connect`](Endpoint::connect), on a channel of the driver that no other association uses.
    ///
    /// # Errors
    /// As [`connect`](Endpoint::connect).
    pub fn connect_by(
        &mut self,
        channel: Channel,
        remote: &[SocketAddr],
    ) -> Result<AssociationId, ConnectError> {
        let paths = pairing::pairs(&self.config.local, remote);
        self.connect_over(channel, remote, Routes::one_by_one(&paths))
    }

    /// Like [`connect_by`](Endpoint::connect_by), over `routes` chosen by the driver. [`Routes::pace`] is the timing of
    /// INITs.
    ///
    /// # Errors
    /// As [`connect`](Endpoint::connect).
    pub fn connect_over(
        &mut self,
        channel: Channel,
        remote: &[SocketAddr],
        routes: Routes<'_>,
    ) -> Result<AssociationId, ConnectError> {
        if remote.is_empty() {
            return Err(ConnectError::NoRemoteAddress);
        }
        self.check_count()?;
        // Addresses that would need more than sixteen paths are left out, as in an INIT.
        let has_partner = |address: &&SocketAddr| {
            self.config.local.iter().any(|local| local.is_ipv4() == address.is_ipv4())
        };
        if let Some(unreached) = remote.iter().find(|address| !has_partner(address)) {
            return Err(ConnectError::NoLocalAddressFor(*unreached));
        }
        self.check_unconnected(remote)?;
        let identity = LocalIdentity {
            local_port: self.config.port,
            peer_port: self.config.port,
            tag: self.fresh_tag(),
            tsn: Tsn::new(self.rng.next_u32()),
            random: self.fresh_random(),
        };
        // The first INIT is sent on the first path: secondary paths and then backups are last.
        let mut paths = routes.paths.to_vec();
        paths.sort_by_key(|path| self.role_of(path.local));
        let routes = Routes { paths: &paths, ..routes };
        let locals = pairing::in_order_of(remote, &self.config.local, routes.paths);
        let announced = pairing::announced(&locals, remote[0].ip());
        let seed = self.next_seed();
        let mut association = Association::connect(self.settings.clone(), identity, announced, routes, seed);
        // This sends nothing before the association is open: the time has no meaning.
        self.keep_roles(Time::ZERO, &mut association);
        self.memory.restore(&mut association);
        Ok(self.insert(identity.tag, association, channel))
    }

    /// Reports that the peer's packets to `path.local` now come from `remote` instead of `path.remote`, after a NAT
    /// rebinding or a move of the peer. Only a driver that authenticates packets and their order may call this. The
    /// path continues with the new address, and is verified before it carries data again (RFC 9260 §5.4).
    pub fn follow(&mut self, now: Time, channel: Channel, path: PathAddresses, remote: SocketAddr) {
        for id in self.channels.associations(channel).collect::<Vec<_>>() {
            if let Some(association) = self.associations.touch(id) {
                association.follow(now, path, remote);
                self.update_routes(id);
            }
        }
    }

    /// Reports that the peer of a channel has lost its state: the channel's associations are closed. Only a driver
    /// that authenticates this report may call this.
    pub fn on_peer_restarted(&mut self, channel: Channel) {
        for id in self.channels.associations(channel).collect::<Vec<_>>() {
            if let Some(association) = self.associations.touch(id) {
                association.on_peer_restarted();
            }
        }
    }

    /// The next report for a driver with channels.
    pub fn poll_channel_use(&mut self) -> Option<ChannelUse> {
        self.channels.poll()
    }

    /// Handles every timer that is due.
    pub fn handle_timeout(&mut self, now: Time) {
        for id in self.associations.due(now) {
            if let Some(association) = self.associations.touch(id) {
                association.handle_timeout(now);
            }
        }
    }

    /// Appends up to `max_segments` packets for one path to `buf`; `None` when nothing is to be sent.
    pub fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max_segments: usize) -> Option<Departure> {
        if let Some(reply) = self.replies.pop_front() {
            let len = reply.bytes.len();
            buf.extend_from_slice(&reply.bytes);
            let transmit = Transmit::single(PathId::FIRST, len);
            let Reply { local, remote, channel, .. } = reply;
            return Some(Departure { local, remote, channel, association: None, transmit });
        }
        let Endpoint { associations, channels, peers, .. } = self;
        let settled = |id, association: &_| peers.update(id, channels.of(id), association);
        let (id, PathAddresses { local, remote }, transmit) =
            associations.poll_transmit(now, buf, max_segments, settled)?;
        Some(Departure { local, remote, channel: channels.of(id), association: Some(id), transmit })
    }

    /// The next event for the application. The first event of an association that the peer opened is
    /// [`Event::Connected`].
    #[inline]
    pub fn poll_event(&mut self) -> Option<(AssociationId, Event)> {
        self.associations.poll_event()
    }

    /// The time at which [`handle_timeout`](Endpoint::handle_timeout) is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        let next = self.associations.next_due();
        debug_assert_eq!(next, self.associations.iter().filter_map(Association::poll_timeout).min());
        next
    }

    /// An association, for reading.
    pub fn association(&self, id: AssociationId) -> Option<&Association> {
        self.associations.get(id)
    }

    /// An association, mutable: after its use it may have packets and events.
    pub fn association_mut(&mut self, id: AssociationId) -> Option<&mut Association> {
        self.associations.touch(id)
    }

    /// The next complete message in its order. The second value is true if reading made room that must be advertised to
    /// the peer: then there is something to send.
    pub fn receive(&mut self, id: AssociationId) -> Option<(Message, bool)> {
        let association = self.associations.untouched(id)?;
        let message = association.receive()?;
        let has_news = association.is_sack_due();
        if has_news {
            self.associations.touch(id);
        }
        Some((message, has_news))
    }

    /// Removes an association. An association that is not closed is aborted first.
    pub fn remove(&mut self, now: Time, id: AssociationId) {
        let Some(mut association) = self.associations.remove(id) else { return };
        if association.state() != AssociationState::Closed {
            association.abort("the application went away");
        }
        if self.settings.config.remember_paths {
            self.memory.learn(&association, now);
        }
        self.peers.remove(id);
        self.give_up_tag(now, association.tags().0);
        let channel = self.channels.of(id);
        self.channels.release(id);
        if let Some(packet) = association.take_sent_abort() {
            self.sent_aborts.keep(association.tags().0, channel, packet);
        }
        let mut bytes = Vec::new();
        while let Some(transmit) = association.poll_transmit(now, &mut bytes, 1) {
            let PathAddresses { local, remote } = association.path_addresses(transmit.path);
            self.replies.push_back(Reply { local, remote, channel, bytes: std::mem::take(&mut bytes) });
        }
    }

    /// The associations, for reading, in the order of their ids.
    pub fn associations(&self) -> impl Iterator<Item = &Association> {
        self.associations.iter()
    }

    /// The number of associations.
    pub fn len(&self) -> usize {
        self.associations.len()
    }

    /// Returns true if the endpoint has no association.
    pub fn is_empty(&self) -> bool {
        self.associations.len() == 0
    }

    /// The number of associations that were examined to find those of packets without our tag.
    pub fn examined(&self) -> u64 {
        self.peers.examined()
    }

    /// Records `tag` as used, because its association closed or was removed.
    fn give_up_tag(&mut self, now: Time, tag: VerificationTag) {
        self.by_tag.remove(&tag);
        // RFC 9260 §5.2.6: a cookie may be valid twice as long on request.
        self.used_tags.keep(now, self.settings.config.cookie_lifetime * 2, tag);
    }

    /// Returns true if an association that is closed or was removed had this tag.
    fn is_used(&self, tag: VerificationTag) -> bool {
        self.by_tag.contains_key(&tag) && self.named(tag).is_none() || self.used_tags.contains(tag)
    }

    /// The association with our tag `tag`, unless it is closed.
    fn named(&self, tag: VerificationTag) -> Option<AssociationId> {
        let id = *self.by_tag.get(&tag)?;
        let association = self.associations.get(id)?;
        (association.state() != AssociationState::Closed).then_some(id)
    }

    fn insert(&mut self, tag: VerificationTag, association: Association, channel: Channel) -> AssociationId {
        self.made += 1;
        let id = AssociationId(self.made);
        self.by_tag.insert(tag, id);
        self.channels.bind(id, channel);
        self.associations.insert(id, association);
        self.update_routes(id);
        id
    }

    /// Updates the peers' table: the peer may have moved, its values may be known now, or the association may be
    /// closed.
    fn update_routes(&mut self, id: AssociationId) {
        if let Some(association) = self.associations.get(id) {
            self.peers.update(id, self.channels.of(id), association);
        }
    }

    fn check_count(&self) -> Result<(), ConnectError> {
        if self.associations.len() < self.config.max_associations {
            Ok(())
        } else {
            Err(ConnectError::TooMany(self.associations.len()))
        }
    }

    /// Checks that no association exists with a peer at one of these addresses.
    fn check_unconnected(&self, remote: &[SocketAddr]) -> Result<(), ConnectError> {
        let is_known = |address: &&SocketAddr| {
            let mut others = self.associations.iter();
            others.any(|other| other.state() != AssociationState::Closed && leads_to(other, **address))
        };
        match remote.iter().find(is_known) {
            Some(known) => Err(ConnectError::Exists(*known)),
            None => Ok(()),
        }
    }

    /// A tag that is not zero and that no association has (RFC 9260 §5.3.1).
    fn fresh_tag(&mut self) -> VerificationTag {
        loop {
            let tag = VerificationTag::new(self.rng.next_u32());
            if tag != VerificationTag::ZERO && !self.by_tag.contains_key(&tag) {
                return tag;
            }
        }
    }

    fn next_seed(&self) -> Seed {
        self.seed.child(&format!("association/{}", self.made))
    }

    fn reply(&mut self, arrival: &Arrival, bytes: Vec<u8>) {
        if self.replies.len() < MAX_REPLIES {
            let Arrival { local, remote, channel, .. } = *arrival;
            self.replies.push_back(Reply { local, remote, channel, bytes });
        }
    }
}

impl Machine for Endpoint {
    type Input = Arrival;
    type Output = (Departure, Bytes);

    fn handle(&mut self, now: Time, arrival: Arrival) {
        Endpoint::handle(self, now, &arrival);
    }

    fn handle_timeout(&mut self, now: Time) {
        Endpoint::handle_timeout(self, now);
    }

    fn poll(&mut self, now: Time) -> Option<(Departure, Bytes)> {
        let mut bytes = Vec::new();
        let departure = self.poll_transmit(now, &mut bytes, 1)?;
        Some((departure, Bytes::from(bytes)))
    }

    fn poll_timeout(&self) -> Option<Time> {
        Endpoint::poll_timeout(self)
    }
}

/// Returns true if one of the association's paths leads to `remote`.
fn leads_to(association: &Association, remote: SocketAddr) -> bool {
    association.paths().iter().any(|sample| association.path_addresses(sample.id).remote == remote)
}

/// The largest number of queued answers to unknown peers; further answers are dropped.
const MAX_REPLIES: usize = 256;
