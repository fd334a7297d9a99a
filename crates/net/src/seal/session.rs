//! The session with one peer: the current keys, the previous ones, those under negotiation, and the addresses of its
//! paths.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use anabranch_sctp::association::PathAddresses;

use super::cipher::Cipher;
use super::clients::Client;
use super::datagram::{Datagram, MESSAGE_LEN, PacketNumber, Route, SessionId};
use super::keys::{Keys, Limits, Order};
use super::noise::{Initiator, Noise, Responder};
use super::probe::Probe;

/// A session between two ends.
#[derive(Debug)]
pub(super) struct Session {
    limits: Limits,
    role: Role,
    /// The client at the other end, at a server that knows several. Until a packet was opened the peer only claims to
    /// be it.
    client: Option<Arc<Client>>,
    /// The keys for sealing; `None` until the handshake has completed.
    current: Option<Keys>,
    /// The keys of packets still in flight.
    previous: Option<Keys>,
    /// Keys negotiated by the peer's initiation and not yet used by it.
    next: Option<NextKeys>,
    /// The handshake begun by this end, without a response yet.
    initiation: Option<Initiation>,
    /// The packet that waits for the first keys. It is sent on the addresses on which the response arrived, whatever
    /// its path.
    waiting: Option<Vec<u8>>,
    /// The source of the latest packet of each of the peer's paths to each local address.
    remotes: BTreeMap<(Route, SocketAddr), SocketAddr>,
    /// The entry recorded last: almost every packet has the same addresses as the previous one.
    latest: Option<(Route, PathAddresses)>,
    /// The probe without a reply yet.
    pub probe: Option<Probe>,
    /// The number of associations that use the session.
    pub uses: u32,
    /// Ids that are no longer in use.
    pub dropped: Vec<SessionId>,
}

/// The role of an end: the initiator of the first handshake begins all later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Initiator,
    Responder,
}

#[derive(Debug)]
struct Initiation {
    initiator: Initiator,
    local: SessionId,
    datagram: Vec<u8>,
    /// The count of sealed packets at which the initiation is retransmitted.
    repeat_at: u64,
}

#[derive(Debug)]
struct NextKeys {
    keys: Keys,
    initiation: Vec<u8>,
    response: Vec<u8>,
}

impl Session {
    /// A session that this end initiates.
    pub(super) fn initiate(limits: Limits, local: SessionId, initiation: (Initiator, Vec<u8>)) -> Session {
        let mut session = Session::new(limits, Role::Initiator);
        session.set_initiation(local, initiation);
        session
    }

    /// A session that a peer initiated. `None` if the operating system provides no random numbers.
    pub(super) fn accept(
        limits: Limits,
        noise: &Noise,
        local: SessionId,
        responder: Responder,
        initiation: &[u8],
    ) -> Option<Session> {
        let mut session = Session::new(limits, Role::Responder);
        session.client.clone_from(&responder.client);
        session.respond(noise, local, responder, initiation)?;
        Some(session)
    }

    fn new(limits: Limits, role: Role) -> Session {
        Session {
            limits,
            role,
            client: None,
            current: None,
            previous: None,
            next: None,
            initiation: None,
            waiting: None,
            remotes: BTreeMap::new(),
            latest: None,
            probe: None,
            uses: 0,
            dropped: Vec::new(),
        }
    }

    /// Seals packets and appends them to `out`. Returns the number appended: zero without keys, fewer when the
    /// numbers are used up.
    pub(super) fn seal<'a>(
        &mut self,
        route: Route,
        packets: impl Iterator<Item = &'a [u8]>,
        out: &mut Vec<u8>,
    ) -> usize {
        self.current.as_mut().map_or(0, |keys| keys.seal(route, packets, out))
    }

    /// Keeps a packet until there are keys, in place of an earlier one, which its sender retransmits. Appends the
    /// initiation to send meanwhile; `None` without an initiation.
    pub(super) fn hold(&mut self, packet: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let initiation = self.initiation.as_ref().filter(|_| self.current.is_none())?;
        out.extend_from_slice(&initiation.datagram);
        let kept = self.waiting.get_or_insert_default();
        kept.clear();
        kept.extend_from_slice(packet);
        Some(())
    }

    /// Opens a packet in place, and switches to the next keys at the first packet sealed with them.
    pub(super) fn open<'a>(
        &mut self,
        to: SessionId,
        number: PacketNumber,
        sealed: &'a mut [u8],
    ) -> Option<(Order, &'a mut [u8])> {
        if let Some(next) = self.next.as_mut().filter(|next| next.keys.local == to) {
            let opened = next.keys.open(number, sealed)?;
            self.adopt_next();
            return Some(opened);
        }
        if let Some(keys) = self.current.as_mut().filter(|keys| keys.local == to) {
            let opened = keys.open(number, sealed)?;
            if keys.opened() >= OVERLAP {
                self.drop_previous();
            }
            return Some(opened);
        }
        let keys = self.previous.as_mut().filter(|keys| keys.local == to)?;
        keys.open(number, sealed).map(|(_, plain)| (Order::Late, plain))
    }

    /// Reads the response to the initiation, from any address. Returns true if it provides fresh keys.
    pub(crate) fn on_response(&mut self, message: &[u8; MESSAGE_LEN]) -> bool {
        let agreement =
            self.initiation.as_mut().and_then(|initiation| initiation.initiator.read_response(message));
        let Some(agreement) = agreement else { return false };
        let Some(Initiation { initiator, local, .. }) = self.initiation.take() else { return false };
        let Some(keys) = initiator.finish(agreement.cipher) else { return false };
        self.adopt(Keys::new(keys, self.limits, local, agreement.peer));
        true
    }

    /// Seals the packet that waited for the keys and appends it to `out`.
    pub(crate) fn release_waiting(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let packet = self.waiting.take()?;
        (self.seal(Route::NO_PATH, [&packet[..]].into_iter(), out) > 0).then_some(())
    }

    /// Records the addresses of the latest packet of one of the peer's paths. Returns the previous source if it
    /// differs.
    pub(crate) fn on_latest(&mut self, route: Route, addresses: PathAddresses) -> Option<SocketAddr> {
        if self.latest.replace((route, addresses)) == Some((route, addresses)) {
            return None;
        }
        let before = self.remotes.insert((route, addresses.local), addresses.remote)?;
        (before != addresses.remote).then_some(before)
    }

    /// The source to assume for a reordered packet that arrived on `addresses`: that of the path's latest packet to
    /// the same local address, else to any other. A delayed packet thus cannot move a path.
    pub(crate) fn remote_of(&self, route: Route, addresses: PathAddresses) -> SocketAddr {
        let here = self.remotes.get(&(route, addresses.local));
        let elsewhere =
            || self.remotes.iter().find(|((known, _), _)| *known == route).map(|(_, remote)| remote);
        here.or_else(elsewhere).copied().unwrap_or(addresses.remote)
    }

    /// Returns true if this end has to initiate a handshake for fresh keys.
    pub(crate) fn needs_keys(&self) -> bool {
        let is_worn = self.current.as_ref().is_some_and(Keys::is_worn);
        self.role == Role::Initiator && self.initiation.is_none() && is_worn
    }

    /// Keeps an initiation until its response arrives.
    pub(crate) fn set_initiation(&mut self, local: SessionId, (initiator, message): (Initiator, Vec<u8>)) {
        let datagram = Datagram::Initiation(&message).to_vec();
        self.initiation = Some(Initiation { initiator, local, datagram, repeat_at: 0 });
    }

    /// Seals the initiation for fresh keys with the current ones and appends it to `out`, if it is due.
    pub(crate) fn repeat_initiation(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let (initiation, keys) = (self.initiation.as_mut()?, self.current.as_mut()?);
        if keys.sealed() < initiation.repeat_at {
            return None;
        }
        if keys.seal(Route::CONTROL, [&initiation.datagram[..]].into_iter(), out) == 0 {
            return None;
        }
        initiation.repeat_at = keys.sealed() + REPEATED_AFTER;
        Some(())
    }

    /// Returns true if an initiation for fresh keys in a packet to `to` must be answered.
    pub(crate) fn may_renew(&self, to: SessionId) -> bool {
        let is_responder = self.role == Role::Responder && !self.is_removed();
        is_responder && self.current.as_ref().is_some_and(|keys| keys.local == to)
    }

    /// Responds to an initiation of the peer. `None`, without a change of state, if the operating system provides no
    /// random numbers.
    pub(super) fn respond(
        &mut self,
        noise: &Noise,
        local: SessionId,
        responder: Responder,
        initiation: &[u8],
    ) -> Option<()> {
        let peer = responder.peer;
        let (keys, message) = noise.respond(responder, local)?;
        let response = Datagram::Response { to: peer, message: &message }.to_vec();
        let keys = Keys::new(keys, self.limits, local, peer);
        if let Some(unused) = self.next.replace(NextKeys { keys, initiation: initiation.to_vec(), response })
        {
            self.dropped.push(unused.keys.local);
        }
        Some(())
    }

    /// The response already sent to this initiation, if any.
    pub(crate) fn response_to(&self, initiation: &[u8]) -> Option<&[u8]> {
        self.next.as_ref().filter(|next| next.initiation == *initiation).map(|next| next.response.as_slice())
    }

    /// The initiation of a peer that has not yet confirmed the response.
    pub(super) fn unconfirmed(&self) -> Option<&[u8]> {
        self.next.as_ref().filter(|_| self.current.is_none()).map(|next| next.initiation.as_slice())
    }

    /// The client at the other end, at a server that knows several.
    pub(super) fn client(&self) -> Option<&Arc<Client>> {
        self.client.as_ref()
    }

    /// Returns true if this client is the one of the session. With a single key there are none.
    pub(super) fn is_of(&self, client: Option<&Arc<Client>>) -> bool {
        match (&self.client, client) {
            (None, None) => true,
            (Some(ours), Some(other)) => Arc::ptr_eq(ours, other),
            _ => false,
        }
    }

    /// Returns true if the client was removed: its session opens nothing new.
    #[inline]
    pub(super) fn is_removed(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.is_removed())
    }

    /// The ids of the keys for sealing: this end's and the peer's. `None` before the handshake has completed.
    pub(crate) fn key_ids(&self) -> Option<(SessionId, SessionId)> {
        self.current.as_ref().map(|keys| (keys.local, keys.peer))
    }

    /// The cipher of the packets. `None` before the handshake has completed.
    pub(super) fn cipher(&self) -> Option<Cipher> {
        self.current.as_ref().map(Keys::cipher)
    }

    /// The ids that the peer may use.
    pub(super) fn ids(&self) -> impl Iterator<Item = SessionId> {
        let keys = [&self.current, &self.previous].into_iter().flatten().map(|keys| keys.local);
        let next = self.next.iter().map(|next| next.keys.local);
        keys.chain(next).chain(self.initiation.iter().map(|initiation| initiation.local))
    }

    fn adopt_next(&mut self) {
        if let Some(next) = self.next.take() {
            self.adopt(next.keys);
        }
    }

    fn adopt(&mut self, keys: Keys) {
        self.drop_previous();
        self.previous = self.current.replace(keys);
    }

    fn drop_previous(&mut self) {
        self.dropped.extend(self.previous.take().map(|keys| keys.local));
    }
}

/// The packets with fresh keys after which the previous ones are dropped: no packet is delayed by more.
const OVERLAP: u64 = 4_096;
/// The packets after which an initiation for fresh keys is retransmitted.
const REPEATED_AFTER: u64 = 64;
