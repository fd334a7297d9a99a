//! Passes a datagram to its association. `train.rs` handles datagrams that arrive together.

use std::net::{IpAddr, SocketAddr};

use anabranch_base::{ByteCount, Ecn, Time};
use bytes::Bytes;

use super::peers::{EntryVersion, PeerRoute};
use super::{AssociationId, Channel, Endpoint};
use crate::association::{Association, AssociationState, Verified};
use crate::wire::{Chunk, CommonHeader, Data, Packet, Sack, VerificationTag};

/// A datagram that arrived at a socket.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The address to which it was sent, with the socket's port.
    pub local: SocketAddr,
    /// The address from which it came.
    pub remote: SocketAddr,
    /// The channel on which it arrived.
    pub channel: Channel,
    /// The ECN codepoint.
    pub ecn: Ecn,
    /// The SCTP packet.
    pub bytes: Bytes,
    /// The amount of memory `bytes` keeps allocated: its length, unless it is a slice of a larger buffer, for example
    /// of datagrams that the system received at once. The endpoint stores data so that it keeps at most twice its own
    /// length allocated.
    pub memory: ByteCount,
}

impl Arrival {
    /// The route of a packet with the header `header`.
    pub(super) fn peer_route(&self, header: CommonHeader) -> PeerRoute {
        PeerRoute { channel: self.channel, port: header.source_port, remote: self.remote }
    }
}

impl Endpoint {
    /// Handles a datagram that arrived. An invalid one is dropped.
    pub fn handle(&mut self, now: Time, arrival: &Arrival) {
        let Ok(packet) = Packet::decode(&arrival.bytes, self.settings.config.checksum) else { return };
        if is_unicast_route(arrival.local, arrival.remote) {
            self.handle_decoded(now, arrival, &packet);
        }
    }

    /// Handles a packet between unicast addresses.
    #[inline]
    pub(super) fn handle_decoded(&mut self, now: Time, arrival: &Arrival, packet: &Packet<'_>) {
        let header = packet.header();
        // The tag is ours, and the association reads the chunks.
        if has_usual_start(packet)
            && let Some(id) = self.living(arrival.channel, header)
        {
            return self.deliver(now, id, arrival, packet);
        }
        let mut chunks = packet.chunks();
        match chunks.next() {
            // RFC 9260 §3.3.2: the INIT "MUST be the only chunk in the SCTP packet", and its tag is zero.
            Some(Ok(Chunk::Init(init)))
                if chunks.next().is_none() && header.verification_tag == VerificationTag::ZERO =>
            {
                self.on_init(now, arrival, header, &init);
            }
            Some(Err(error))
                if header.verification_tag == VerificationTag::ZERO && chunks.next().is_none() =>
            {
                self.on_broken_init(now, arrival, header, &error);
            }
            // RFC 9260 §8.5.1 A: a packet with tag zero and any other chunk MUST be discarded.
            _ if header.verification_tag == VerificationTag::ZERO => {}
            Some(Ok(Chunk::CookieEcho(echo))) => self.on_cookie_echo(now, arrival, packet, echo.cookie),
            Some(Ok(first)) => match self.addressee(arrival, header, &first) {
                Some(id) if self.is_early(id, &first) => self.answer_out_of_the_blue(now, arrival, packet),
                Some(id) => self.deliver(now, id, arrival, packet),
                None if self.is_mistaken(arrival, header, &first) => {}
                None => self.answer_out_of_the_blue(now, arrival, packet),
            },
            Some(Err(_)) => {
                if let Some(id) = self.living(arrival.channel, header) {
                    self.deliver(now, id, arrival, packet);
                }
            }
            None => {}
        }
    }

    /// RFC 9260 §8.5.1 E: a SHUTDOWN-ACK for an association that is not open yet is out of the blue.
    fn is_early(&self, id: AssociationId, first: &Chunk<'_>) -> bool {
        let state = || self.associations.get(id).map(Association::state);
        matches!(first, Chunk::ShutdownAck)
            && matches!(state(), Some(AssociationState::CookieWait | AssociationState::CookieEchoed))
    }

    /// RFC 9260 §8.5: a SHUTDOWN-ACK of a peer whose association is open, with another tag, is discarded.
    fn is_mistaken(&mut self, arrival: &Arrival, header: CommonHeader, first: &Chunk<'_>) -> bool {
        let is_known =
            matches!(first, Chunk::ShutdownAck).then(|| self.known_peer(arrival.peer_route(header)));
        is_known.flatten().is_some_and(|id| !self.is_early(id, first))
    }

    /// The association to which a packet belongs: the one with its tag. For a packet that may carry the peer's tag,
    /// the one with the peer's address and port (RFC 9260 §8.5.1).
    fn addressee(
        &mut self,
        arrival: &Arrival,
        header: CommonHeader,
        first: &Chunk<'_>,
    ) -> Option<AssociationId> {
        let is_reflected = match first {
            Chunk::Abort(abort) => abort.tag_reflected,
            Chunk::ShutdownComplete(complete) => complete.tag_reflected,
            _ => false,
        };
        if !is_reflected {
            return self.living(arrival.channel, header);
        }
        self.peers.find_tagged(arrival.peer_route(header), header.verification_tag)
    }

    /// The association with the tag of a packet to our port, unless it is closed or uses another channel: then the
    /// packet is out of the blue.
    pub(super) fn living(&self, channel: Channel, header: CommonHeader) -> Option<AssociationId> {
        let named =
            (header.destination_port == self.config.port).then(|| self.named(header.verification_tag));
        named?.filter(|id| self.channels.of(*id) == channel)
    }

    /// Passes a datagram to an association, with the path on which it arrived.
    pub(super) fn deliver(&mut self, now: Time, id: AssociationId, arrival: &Arrival, packet: &Packet<'_>) {
        let taken = self.addresses_beside(id, arrival.channel, arrival.remote, packet);
        let Some(association) = self.associations.touch(id) else { return };
        let before = EntryVersion::of(arrival.channel, association);
        if let Some(path) = association.path_of(now, arrival.local, arrival.remote) {
            let Arrival { ecn, ref bytes, memory, .. } = *arrival;
            let memory = memory.max(ByteCount::of_len(bytes.len()));
            association.handle_verified(now, &Verified { path, ecn, bytes, memory, packet, taken: &taken });
        }
        if EntryVersion::of(arrival.channel, association) != before {
            self.update_routes(id);
        }
    }
}

/// Returns true if it begins with DATA or a SACK, as almost every packet does.
#[inline]
pub(super) fn has_usual_start(packet: &Packet<'_>) -> bool {
    matches!(packet.first_kind(), Some(Data::KIND | Sack::KIND))
}

/// RFC 9260 §8.4 rule 1: a packet "to or from a non-unicast address" is discarded.
#[inline]
pub(super) fn is_unicast_route(local: SocketAddr, remote: SocketAddr) -> bool {
    is_unicast(local.ip()) && is_unicast(remote.ip()) && !remote.ip().is_unspecified()
}

/// Returns true if `ip` is a unicast address. A local address may be unspecified: some systems do not report it.
fn is_unicast(ip: IpAddr) -> bool {
    !ip.is_multicast() && !matches!(ip, IpAddr::V4(ip) if ip.is_broadcast())
}
