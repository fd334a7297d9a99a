//! Datagrams that arrive together: their association and their path are looked up once for all of them.

use std::net::SocketAddr;
use std::ops::Range;

use anabranch_base::{ByteCount, Ecn, Time};
use bytes::Bytes;

use super::arrival::{Arrival, has_usual_start, is_unicast_route};
use super::peers::EntryVersion;
use super::{AssociationId, Channel, Endpoint};
use crate::association::{AssociationState, Verified};
use crate::config::SackBatch;
use crate::policy::PathId;
use crate::wire::{CommonHeader, Packet};

/// Datagrams of one sender that a driver received at once, in the order in which they came.
#[derive(Clone, Copy, Debug)]
pub struct Train<'a> {
    /// The address to which they were sent, with the socket's port.
    pub local: SocketAddr,
    /// The address from which they came.
    pub remote: SocketAddr,
    /// The channel on which they arrived.
    pub channel: Channel,
    /// Their ECN codepoint.
    pub ecn: Ecn,
    /// The memory in which the packets lie.
    pub bytes: &'a Bytes,
    /// The amount of memory `bytes` keeps allocated; see [`Arrival::memory`]. If at least half of that is new user data
    /// that the association has room for, the data stays where it is; else stored data is copied.
    pub memory: ByteCount,
    /// The position of each SCTP packet in `bytes`.
    pub packets: &'a [Range<usize>],
}

/// The association and path of the packets of a train.
#[derive(Clone, Copy)]
struct Addressee {
    header: CommonHeader,
    id: AssociationId,
    path: PathId,
    version: EntryVersion,
    /// The memory that a packet counts as keeping allocated, if a part of it is kept.
    memory: ByteCount,
}

impl Endpoint {
    /// Handles datagrams that arrived together, as [`handle`](Endpoint::handle) would one after the other. Calls `answer`,
    /// which polls for packets, after each of them, unless one SACK may answer all of them
    /// ([`SackBatch::Whole`]).
    pub fn handle_train(&mut self, now: Time, train: &Train<'_>, mut answer: impl FnMut(&mut Endpoint)) {
        if !is_unicast_route(train.local, train.remote) {
            return;
        }
        for packets in train.packets.chunks(MOST_AT_ONCE) {
            let mut verified = [None; MOST_AT_ONCE];
            for (slot, place) in verified.iter_mut().zip(packets) {
                let bytes = train.bytes.get(place.clone()).unwrap_or_default();
                *slot = Packet::decode(bytes, self.settings.config.checksum).ok();
            }
            self.handle_packets(now, train, packets, &verified, &mut answer);
        }
    }

    /// Handles the packets of a train, except undecodable ones.
    fn handle_packets(
        &mut self,
        now: Time,
        train: &Train<'_>,
        places: &[Range<usize>],
        packets: &[Option<Packet<'_>>],
        answer: &mut impl FnMut(&mut Endpoint),
    ) {
        let answers_each = self.settings.config.sack.batch == SackBatch::Each;
        let mut addressee = None;
        for (place, packet) in places.iter().zip(packets) {
            let Some(packet) = packet else { continue };
            addressee = addressee
                .filter(|known| self.is_still_of(known, train, packet))
                .or_else(|| self.addressee_of(now, train, packet, packets));
            match &addressee {
                Some(known) => self.deliver_to(now, train, known, packet),
                None => {
                    let bytes = train.bytes.slice(place.clone());
                    self.handle_decoded(now, &train.arrival(bytes), packet);
                }
            }
            if answers_each {
                answer(self);
            }
        }
    }

    /// Returns true if a packet has the same addressee as the one before: nothing that identifies it has changed since.
    fn is_still_of(&self, known: &Addressee, train: &Train<'_>, packet: &Packet<'_>) -> bool {
        known.header == packet.header()
            && has_usual_start(packet)
            && self.associations.get(known.id).is_some_and(|association| {
                EntryVersion::of(train.channel, association) == known.version
                    && association.state() != AssociationState::Closed
            })
    }

    /// The association of a packet with the usual start, and its path.
    fn addressee_of(
        &mut self,
        now: Time,
        train: &Train<'_>,
        packet: &Packet<'_>,
        packets: &[Option<Packet<'_>>],
    ) -> Option<Addressee> {
        let header = packet.header();
        let id = has_usual_start(packet).then(|| self.living(train.channel, header)).flatten()?;
        let association = self.associations.touch(id)?;
        let version = EntryVersion::of(train.channel, association);
        let path = association.path_of(now, train.local, train.remote)?;
        let memory = train.memory.max(ByteCount::of_len(train.bytes.len()));
        let of_it = packets.iter().flatten().filter(|other| other.header() == header);
        // If less than half is kept, each packet counts the whole memory, so that its data is copied.
        let memory = if association.data_to_keep(of_it) * 2 >= memory { ByteCount::ZERO } else { memory };
        Some(Addressee { header, id, path, version, memory })
    }

    /// Passes a packet to its association.
    fn deliver_to(&mut self, now: Time, train: &Train<'_>, to: &Addressee, packet: &Packet<'_>) {
        let taken = self.addresses_beside(to.id, train.channel, train.remote, packet);
        let Some(association) = self.associations.touch(to.id) else { return };
        let (Addressee { path, memory, .. }, Train { ecn, bytes, .. }) = (*to, *train);
        association.handle_verified(now, &Verified { path, ecn, bytes, memory, packet, taken: &taken });
        if EntryVersion::of(train.channel, association) != to.version {
            self.update_routes(to.id);
        }
    }
}

impl Train<'_> {
    /// One of its packets by itself.
    fn arrival(&self, bytes: Bytes) -> Arrival {
        let Train { local, remote, channel, ecn, memory, .. } = *self;
        Arrival { local, remote, channel, ecn, bytes, memory }
    }
}

/// The maximum number of packets that the system coalesces (GRO).
const MOST_AT_ONCE: usize = 64;
