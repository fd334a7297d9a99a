//! Joins two endpoints without a handshake, for studies of established associations.

use std::net::SocketAddr;

use anabranch_base::{ByteCount, Time};
use rand_core::Rng as _;

use super::{AssociationId, Channel, ConnectError, Endpoint, pairing};
use crate::association::{Agreement, Association, Features, PathAddresses, ReceiverRules};
use crate::config::EcnUse;
use crate::seq::Tsn;
use crate::wire::VerificationTag;

/// The values of one end.
struct JoinedEnd {
    tag: VerificationTag,
    tsn: Tsn,
    port: u16,
    buffer: ByteCount,
    outbound_streams: u16,
    inbound_streams: u16,
    ecn: bool,
    features: Features,
    receiver: ReceiverRules,
}

/// Opens an association between two endpoints at once: nothing is sent, every path is confirmed, and no round-trip
/// time is known. The i-th local addresses of both ends form a path.
///
/// The caller must own both endpoints: this is for simulations and tests.
///
/// # Errors
/// One endpoint cannot have another association, they already have one with each other, or no two addresses match.
pub fn join(
    now: Time,
    first: &mut Endpoint,
    second: &mut Endpoint,
) -> Result<(AssociationId, AssociationId), ConnectError> {
    first.check_count()?;
    second.check_count()?;
    first.check_unconnected(&second.config.local)?;
    second.check_unconnected(&first.config.local)?;
    let paths = pairing::pairs(&first.config.local, &second.config.local);
    let unreached = |address: &&SocketAddr| paths.iter().all(|path| path.remote != **address);
    if let Some(unreached) = second.config.local.iter().find(unreached) {
        return Err(ConnectError::NoLocalAddressFor(*unreached));
    }
    let back: Vec<PathAddresses> =
        paths.iter().map(|path| PathAddresses { local: path.remote, remote: path.local }).collect();
    let (near, far) = (first.side(), second.side());
    let ids = (first.open_joined(now, &near, &far, &paths), second.open_joined(now, &far, &near, &back));
    Ok(ids)
}

impl Endpoint {
    fn side(&mut self) -> JoinedEnd {
        let tag = self.fresh_tag();
        let config = &self.settings.config;
        JoinedEnd {
            tag,
            tsn: Tsn::new(self.rng.next_u32()),
            port: self.config.port,
            buffer: config.receive_buffer,
            outbound_streams: config.outbound_streams,
            inbound_streams: config.inbound_streams,
            ecn: config.ecn != EcnUse::Off,
            features: Features::of(config),
            receiver: self.settings.receiver,
        }
    }

    fn open_joined(
        &mut self,
        now: Time,
        own: &JoinedEnd,
        peer: &JoinedEnd,
        paths: &[PathAddresses],
    ) -> AssociationId {
        let agreement = Agreement {
            local_port: own.port,
            peer_port: peer.port,
            local_tag: own.tag,
            peer_tag: peer.tag,
            local_tsn: own.tsn,
            peer_tsn: peer.tsn,
            peer_window: peer.buffer,
            outbound_streams: own.outbound_streams.min(peer.inbound_streams),
            inbound_streams: own.inbound_streams.min(peer.outbound_streams),
            ecn: own.ecn && peer.ecn,
            features: own.features.and(peer.features),
            receiver: own.receiver.and(peer.receiver),
        };
        let seed = self.next_seed();
        let mut association = Association::joined(now, self.settings.clone(), agreement, paths, &seed);
        self.keep_roles(now, &mut association);
        self.insert(own.tag, association, Channel::PLAIN)
    }
}
