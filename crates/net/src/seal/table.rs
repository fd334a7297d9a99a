//! The sessions of an endpoint: finds the session of a datagram, opens sessions, and drops them.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;

use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::endpoint::{Channel, ChannelUse};
use anabranch_sctp::wire::{CommonHeader, CookieEcho, Init};

use super::cipher::{Cipher, Ciphers};
use super::client_key::ClientKey;
use super::clients::{Client, Clients};
use super::datagram::{Datagram, MESSAGE_LEN, PacketNumber, Route, SessionId};
use super::key::Key;
use super::keys::{Limits, Order};
use super::noise::Noise;
use super::probe::{Probe, ProbeReplies};
use super::session::Session;

/// The sealed layer of an endpoint.
///
/// The state that unauthenticated peers can create is bounded: an initiation without the key creates none, and only
/// the latest sessions without an association are kept.
#[derive(Debug)]
pub struct Sealing {
    noise: Noise,
    limits: Limits,
    sessions: BTreeMap<Channel, Session>,
    by_id: BTreeMap<SessionId, Channel>,
    /// Sessions whose peer was sent a response and has sent nothing since, by its initiation: a repeated initiation
    /// gets the same response.
    initiations: BTreeMap<Vec<u8>, Channel>,
    /// The same sessions, in the order of arrival.
    unconfirmed: VecDeque<Channel>,
    /// Sessions without an association, in the order in which they lost their last one.
    idle: VecDeque<Channel>,
    /// The number of sessions that peers have initiated.
    accepted: u64,
    probe_replies: ProbeReplies,
}

/// The result of sealing packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sealed {
    /// Every packet was appended, [`Datagram::OVERHEAD`] longer.
    Packets,
    /// An initiation was appended because the keys are missing; the last of the packets is sent after the response.
    Initiation,
    /// Not every packet was appended: the channel does not exist, or its numbers are used up.
    Nothing,
}

/// The result of opening a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// A packet was opened.
    Packet {
        /// The channel of the peer.
        channel: Channel,
        /// The length; the packet begins at [`Datagram::PACKET_AT`] in the datagram.
        len: usize,
        /// The source to assume: for a reordered packet the latest source of its path, so that an attacker that
        /// delays packets cannot open paths.
        remote: SocketAddr,
        /// The previous source of its path, if it moved.
        moved_from: Option<SocketAddr>,
    },
    /// A datagram was appended that must be sent back on the same addresses.
    Reply,
    /// Nothing was appended: the peer of this channel has lost the session and its associations.
    Forgotten(Channel),
    /// Nothing was appended.
    Nothing,
}

/// The channel of the `number`-th session that this end initiates.
pub const fn initiated(number: u64) -> Channel {
    Channel::new(number << 1 | 1)
}

/// The channel of the `number`-th session that a peer initiated, from 1.
const fn accepted(number: u64) -> Channel {
    Channel::new(number << 1)
}

impl Sealing {
    /// The layer for peers with this key. Packets are sealed by AES-256-GCM if the peer and `ciphers` have it.
    pub fn new(key: &Key, ciphers: Ciphers, limits: Limits) -> Sealing {
        Sealing::with(Noise::new(key, ciphers), limits)
    }

    /// The layer of a client of a server that has a key for each. It initiates sessions, and accepts none.
    pub fn of_client(key: &ClientKey, ciphers: Ciphers, limits: Limits) -> Sealing {
        Sealing::with(Noise::of_client(key, ciphers), limits)
    }

    /// The layer of a server that has a key for each client. It accepts sessions, and initiates none.
    pub fn of_clients(clients: Clients, ciphers: Ciphers, limits: Limits) -> Sealing {
        Sealing::with(Noise::of_clients(clients, ciphers), limits)
    }

    fn with(noise: Noise, limits: Limits) -> Sealing {
        Sealing {
            noise,
            limits,
            sessions: BTreeMap::new(),
            by_id: BTreeMap::new(),
            initiations: BTreeMap::new(),
            unconfirmed: VecDeque::new(),
            idle: VecDeque::new(),
            accepted: 0,
            probe_replies: ProbeReplies::default(),
        }
    }

    /// Records that an association began or ceased to use a channel.
    pub fn on_use(&mut self, news: ChannelUse) {
        match news {
            ChannelUse::Taken(channel) => {
                if channel.number() % 2 == 1 && !self.sessions.contains_key(&channel) {
                    self.initiate(channel);
                }
                if let Some(session) = self.sessions.get_mut(&channel) {
                    session.uses = session.uses.saturating_add(1);
                    self.idle.retain(|idle| *idle != channel);
                }
            }
            ChannelUse::Released(channel) => {
                let Some(session) = self.sessions.get_mut(&channel) else { return };
                session.uses = session.uses.saturating_sub(1);
                if session.uses == 0 {
                    self.set_idle(channel);
                }
            }
        }
    }

    /// Seals packets and appends them to `out`; without keys, appends the initiation instead.
    pub fn seal<'a>(
        &mut self,
        channel: Channel,
        route: Route,
        packets: impl ExactSizeIterator<Item = &'a [u8]> + Clone,
        out: &mut Vec<u8>,
    ) -> Sealed {
        let Some(session) = self.sessions.get_mut(&channel) else { return Sealed::Nothing };
        let appended = session.seal(route, packets.clone(), out);
        if appended == packets.len() {
            return Sealed::Packets;
        }
        match packets.last().and_then(|packet| session.hold(packet, out)) {
            Some(()) => Sealed::Initiation,
            None => Sealed::Nothing,
        }
    }

    /// Appends a datagram that the session itself has to send, if any: the initiation for fresh keys, on any path.
    pub fn take_control(&mut self, channel: Channel, out: &mut Vec<u8>) -> Option<()> {
        let session = self.sessions.get_mut(&channel)?;
        if session.needs_keys() {
            let local = fresh_id(&self.by_id)?;
            session.set_initiation(local, self.noise.initiate(local)?);
            self.by_id.insert(local, channel);
        }
        session.repeat_initiation(out)
    }

    /// Handles a datagram that arrived on `addresses`. Invalid datagrams are dropped. A packet is opened in place; a
    /// datagram to send back is appended to `out`.
    pub fn handle(&mut self, addresses: PathAddresses, datagram: &mut [u8], out: &mut Vec<u8>) -> Opened {
        let start = out.len();
        let opened = match Datagram::parse(datagram) {
            Some(Datagram::Initiation(message)) => self.on_initiation(message, out),
            Some(Datagram::Response { to, message }) => self.on_response(to, message, out),
            Some(Datagram::Probe { about, message }) => self.on_probe(about, message, out),
            Some(Datagram::ProbeReply { to, message }) => self.on_probe_reply(to, message),
            Some(Datagram::Packet { to, number, .. }) => {
                self.on_packet(addresses, to, number, &mut datagram[Datagram::PACKET_AT..], out)
            }
            None => None,
        };
        if opened.is_none() {
            out.truncate(start);
        }
        opened.unwrap_or(Opened::Nothing)
    }

    /// Appends a probe whether the peer of `channel` still has the session. `None` without a session.
    pub fn probe(&mut self, channel: Channel, out: &mut Vec<u8>) -> Option<()> {
        let session = self.sessions.get_mut(&channel)?;
        let (local, about) = session.key_ids()?;
        if session.probe.as_ref().is_none_or(|probe| probe.about() != about) {
            let client = session.client().map(Arc::as_ref);
            session.probe = Some(Probe::new(&self.noise, about, local, client)?);
        }
        out.extend_from_slice(session.probe.as_ref()?.datagram());
        Some(())
    }

    /// The cipher of a channel's packets. `None` before the handshake has completed.
    pub fn cipher(&self, channel: Channel) -> Option<Cipher> {
        self.sessions.get(&channel)?.cipher()
    }

    /// The name of the client at the other end of a channel. `None` without a session, and at an end that does not know
    /// several.
    pub fn client_name(&self, channel: Channel) -> Option<&str> {
        self.client(channel).map(|client| &**client.name())
    }

    /// The client at the other end of a channel. `None` without a session, and at an end that does not know several.
    pub(crate) fn client(&self, channel: Channel) -> Option<&Arc<Client>> {
        self.sessions.get(&channel)?.client()
    }

    /// The number of sessions.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    #[cfg(test)]
    pub(super) fn probe_replies_len(&self) -> usize {
        self.probe_replies.len()
    }

    #[cfg(test)]
    pub(super) fn by_id_len(&self) -> usize {
        self.by_id.len()
    }

    fn initiate(&mut self, channel: Channel) {
        let Some(local) = fresh_id(&self.by_id) else { return };
        let Some(initiation) = self.noise.initiate(local) else { return };
        self.by_id.insert(local, channel);
        self.sessions.insert(channel, Session::initiate(self.limits, local, initiation));
    }

    fn on_initiation(&mut self, message: &[u8], out: &mut Vec<u8>) -> Option<Opened> {
        if let Some(session) = self.initiations.get(message).and_then(|channel| self.sessions.get(channel)) {
            if session.is_removed() {
                return None;
            }
            out.extend_from_slice(session.response_to(message)?);
            return Some(Opened::Reply);
        }
        let responder = self.noise.read_initiation(message)?;
        let local = fresh_id(&self.by_id)?;
        let session = Session::accept(self.limits, &self.noise, local, responder, message)?;
        out.extend_from_slice(session.response_to(message)?);
        self.accepted += 1;
        let channel = accepted(self.accepted);
        self.by_id.insert(local, channel);
        self.initiations.insert(message.to_vec(), channel);
        self.sessions.insert(channel, session);
        self.unconfirmed.push_back(channel);
        if self.unconfirmed.len() > MOST_UNCONFIRMED
            && let Some(oldest) = self.unconfirmed.pop_front()
        {
            self.forget(oldest);
        }
        Some(Opened::Reply)
    }

    fn on_response(
        &mut self,
        to: SessionId,
        message: &[u8; MESSAGE_LEN],
        out: &mut Vec<u8>,
    ) -> Option<Opened> {
        let session = self.sessions.get_mut(self.by_id.get(&to)?)?;
        if !session.on_response(message) {
            return None;
        }
        session.release_waiting(out)?;
        Some(Opened::Reply)
    }

    fn on_probe(&mut self, about: SessionId, message: &[u8], out: &mut Vec<u8>) -> Option<Opened> {
        let session = self.by_id.get(&about).and_then(|channel| self.sessions.get(channel));
        // A client has no session of another one.
        let has_session = |client: Option<&Arc<Client>>| session.is_some_and(|session| session.is_of(client));
        out.extend_from_slice(self.probe_replies.reply(&self.noise, about, message, has_session)?);
        Some(Opened::Reply)
    }

    fn on_probe_reply(&mut self, to: SessionId, message: &[u8; MESSAGE_LEN]) -> Option<Opened> {
        let channel = *self.by_id.get(&to)?;
        let session = self.sessions.get_mut(&channel)?;
        let has_session = session.probe.as_mut()?.read_reply(message)?;
        let about = session.probe.take()?.about();
        // A peer may have dropped keys that are no longer in use.
        let is_current = session.key_ids().is_some_and(|(_, peer)| peer == about);
        (!has_session && is_current).then_some(Opened::Forgotten(channel))
    }

    fn on_packet(
        &mut self,
        addresses: PathAddresses,
        to: SessionId,
        number: PacketNumber,
        sealed: &mut [u8],
        out: &mut Vec<u8>,
    ) -> Option<Opened> {
        let channel = *self.by_id.get(&to)?;
        let session = self.sessions.get_mut(&channel)?;
        let initiation = session.unconfirmed().map(<[u8]>::to_vec);
        if initiation.is_some() && session.is_removed() {
            return None;
        }
        let (order, plain) = session.open(to, number, sealed)?;
        for dropped in session.dropped.drain(..) {
            self.by_id.remove(&dropped);
        }
        let (route, is_removed) = (number.route(), session.is_removed());
        let (remote, moved_from) = match order {
            Order::Late => (session.remote_of(route, addresses), None),
            Order::Latest if route.is_path() => (addresses.remote, session.on_latest(route, addresses)),
            Order::Latest => (addresses.remote, None),
        };
        if let Some(initiation) = initiation {
            self.confirm(channel, &initiation);
        }
        if route == Route::CONTROL {
            return self.on_control(channel, to, plain, out);
        }
        if is_removed && opens_association(plain) {
            return None;
        }
        Some(Opened::Packet { channel, len: plain.len(), remote, moved_from })
    }

    /// Handles an initiation or a response within a session.
    fn on_control(
        &mut self,
        channel: Channel,
        to: SessionId,
        datagram: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<Opened> {
        let session = self.sessions.get_mut(&channel)?;
        match Datagram::parse(datagram)? {
            Datagram::Initiation(message) if session.may_renew(to) => {
                if session.response_to(message).is_none() {
                    let responder = self.noise.read_initiation(message)?;
                    if !session.is_of(responder.client.as_ref()) {
                        return None;
                    }
                    let local = fresh_id(&self.by_id)?;
                    session.respond(&self.noise, local, responder, message)?;
                    self.by_id.insert(local, channel);
                }
                let response = session.response_to(message)?.to_vec();
                let sealed = session.seal(Route::CONTROL, [&response[..]].into_iter(), out);
                (sealed > 0).then_some(Opened::Reply)
            }
            Datagram::Response { message, .. } => {
                session.on_response(message);
                None
            }
            _ => None,
        }
    }

    /// Records that the peer of a session has received the response.
    fn confirm(&mut self, channel: Channel, initiation: &[u8]) {
        self.initiations.remove(initiation);
        self.unconfirmed.retain(|waiting| *waiting != channel);
        self.set_idle(channel);
    }

    /// Keeps a session that no association uses for late packets, among a bounded number.
    fn set_idle(&mut self, channel: Channel) {
        self.idle.push_back(channel);
        if self.idle.len() > MOST_IDLE
            && let Some(oldest) = self.idle.pop_front()
        {
            self.forget(oldest);
        }
    }

    fn forget(&mut self, channel: Channel) {
        let Some(session) = self.sessions.remove(&channel) else { return };
        for id in session.ids().chain(session.dropped.iter().copied()) {
            self.by_id.remove(&id);
        }
        if let Some(initiation) = session.unconfirmed() {
            self.initiations.remove(initiation);
        }
    }
}

/// Returns true if an association may be opened or restarted by this SCTP packet: only INIT and COOKIE-ECHO as a
/// packet's first chunk do that (RFC 9260 §5.1).
fn opens_association(packet: &[u8]) -> bool {
    matches!(packet.get(CommonHeader::LEN), Some(&(Init::KIND | CookieEcho::KIND)))
}

/// A fresh id that no session has. `None` if the operating system provides no random numbers.
fn fresh_id(taken: &BTreeMap<SessionId, Channel>) -> Option<SessionId> {
    loop {
        let mut bits = [0; 8];
        getrandom::fill(&mut bits).ok()?;
        let id = SessionId::new(u64::from_be_bytes(bits));
        if !taken.contains_key(&id) {
            return Some(id);
        }
    }
}

/// The most peers that were sent a response and have sent nothing since.
const MOST_UNCONFIRMED: usize = 256;
/// The most sessions kept without an association: a last packet may be retransmitted.
const MOST_IDLE: usize = 256;
