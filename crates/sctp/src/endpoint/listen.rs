//! Accepts associations without state for half-open ones: INIT is answered with a signed cookie, and only the
//! returned cookie creates an association (RFC 9260 §5.1, §5.2).

use std::net::{IpAddr, SocketAddr};

use anabranch_base::{Duration, Time};

use super::{Arrival, AssociationId, Channel, Endpoint, PeerRoute, pairing};
use crate::association::cookie::StateCookie;
use crate::association::{
    Association, AssociationState, Extensions, Features, InitBody, OfferedExtensions, PathAddresses,
    PeerExtensions, RandomNumber, acceptable, address_parameter, address_parameters, announced_socket,
    check_init,
};
use crate::config::EcnUse;
use crate::seq::Tsn;
use crate::wire::{
    Abort, Cause, ChunkError, ChunkFault, CommonHeader, ErrorChunk, Init, InitAck, Packet, Parameter,
    VerificationTag,
};
use rand_core::Rng;

/// An INIT that can be answered.
struct InitRequest<'a> {
    arrival: &'a Arrival,
    /// The header of the answer.
    back: CommonHeader,
    init: &'a Init,
    body: InitBody,
    offer: PeerExtensions,
}

/// This end's values for the association that an INIT requests.
struct InitIdentity {
    tag: VerificationTag,
    tsn: Tsn,
    /// This end's part of the key that authenticates chunks.
    random: RandomNumber,
    /// The tags of the existing association, or zero.
    tie_tags: (VerificationTag, VerificationTag),
}

impl Endpoint {
    /// Handles an INIT that is alone in its packet, with tag zero.
    pub(super) fn on_init(&mut self, now: Time, arrival: &Arrival, header: CommonHeader, init: &Init) {
        if !self.may_answer_init(now, arrival) {
            return;
        }
        let back = reply_header(header, init.initiate_tag);
        let checked = check_init(init, &self.settings.config).and_then(|body| {
            let offer = PeerExtensions::read(&self.settings.config, &init.parameters);
            Ok((body, offer.map_err(|wrong| wrong.refusal(init.initiate_tag))?))
        });
        let request = match checked {
            Ok((body, offer)) => InitRequest { arrival, back, init, body, offer },
            // A peer with tag zero cannot be answered (RFC 9260 §3.3.2).
            Err(_) if init.initiate_tag == VerificationTag::ZERO => return,
            Err(refusal) => return self.abort(arrival, back, refusal.cause.into_iter().collect()),
        };
        if header.destination_port != self.config.port {
            return self.abort(arrival, back, Vec::new());
        }
        let existing = self.known_peer(arrival.peer_route(header));
        match existing.and_then(|id| self.associations.get(id).map(|known| (id, known.state()))) {
            Some((id, AssociationState::ShutdownAckSent)) => {
                // RFC 9260 §9.2: our SHUTDOWN-ACK was lost.
                if let Some(known) = self.associations.touch(id) {
                    known.repeat_shutdown_ack(now);
                }
            }
            Some((id, _)) => self.answer_known(now, &request, id),
            // RFC 9260 §5.1: "lack of local resources, it SHOULD respond with an ABORT chunk".
            None if !self.config.accepts => self.abort(arrival, back, Vec::new()),
            None if self.check_count().is_err() => self.abort(arrival, back, vec![Cause::OutOfResource]),
            None => {
                let name = self.fresh_name((VerificationTag::ZERO, VerificationTag::ZERO));
                self.answer_init(now, &request, &name);
            }
        }
    }

    /// Handles a COOKIE-ECHO that is the first chunk of its packet.
    pub(super) fn on_cookie_echo(&mut self, now: Time, arrival: &Arrival, packet: &Packet<'_>, bytes: &[u8]) {
        let header = packet.header();
        // RFC 9260 §5.1.5: a cookie that is not ours, or not for these ports and this tag, is dropped.
        let Ok(cookie) = self.cookie_keys.open(bytes) else { return };
        let is_same_route = cookie.local_port == header.destination_port
            && cookie.peer_port == header.source_port
            && cookie.local_tag == header.verification_tag;
        if !is_same_route {
            return;
        }
        // The association that the cookie names, otherwise the one with the same peer.
        let known = self
            .named(cookie.local_tag)
            .or_else(|| self.named(cookie.tie_tags.0))
            .or_else(|| self.known_peer(PeerRoute { remote: cookie.remote, ..arrival.peer_route(header) }));
        // A cookie is valid for the channel in which it was requested.
        if known.is_some_and(|id| self.channels.of(id) != arrival.channel) {
            return;
        }
        let known = known.and_then(|id| self.associations.get(id).map(|known| (id, known)));
        let known = known.map(|(id, association)| (id, association.tags(), association.state()));
        let is_current = known.is_some_and(|(_, tags, _)| tags == (cookie.local_tag, Some(cookie.peer_tag)));
        if let Some(staleness) = self.used_tags.staleness(now, &cookie).filter(|_| !is_current) {
            let back = reply_header(header, cookie.peer_tag);
            if self.may_answer_other(now, arrival) {
                self.answer(arrival, back, &ErrorChunk { causes: vec![Cause::StaleCookie(staleness)] });
            }
            return;
        }
        let opened = match known {
            // The cookie was used before, and its association is closed.
            None if self.is_used(cookie.local_tag) => {
                return self.answer_out_of_the_blue(now, arrival, packet);
            }
            None => self.open(now, arrival, &cookie),
            Some((id, tags, state)) => self.reopen(now, &cookie, id, tags, state),
        };
        if let Some(id) = opened {
            self.deliver(now, id, arrival, packet);
        }
    }

    /// Creates the association that the cookie describes, which then reads the packet.
    fn open(&mut self, now: Time, arrival: &Arrival, cookie: &StateCookie) -> Option<AssociationId> {
        if self.check_count().is_err() {
            let back = CommonHeader {
                source_port: cookie.local_port,
                destination_port: cookie.peer_port,
                verification_tag: cookie.peer_tag,
            };
            if self.may_answer_other(now, arrival) {
                self.abort(arrival, back, vec![Cause::OutOfResource]);
            }
            return None;
        }
        let addresses = PathAddresses { local: arrival.local, remote: arrival.remote };
        let announced = acceptable(&cookie.announced, cookie.remote.ip());
        let mut remotes: Vec<SocketAddr> = announced.map(|&ip| announced_socket(cookie.remote, ip)).collect();
        if !remotes.contains(&cookie.remote) {
            remotes.insert(0, cookie.remote);
        }
        let paths = pairing::accepted_pairs(&self.config.local, addresses, &remotes);
        let seed = self.next_seed();
        let mut association = Association::accept(now, self.settings.clone(), cookie, &paths, &seed);
        self.keep_roles(now, &mut association);
        self.memory.restore(&mut association);
        Some(self.insert(cookie.local_tag, association, arrival.channel))
    }

    /// Handles a cookie for an existing association (RFC 9260 §5.2.4, Table 12). Returns the association if it must
    /// read the packet.
    fn reopen(
        &mut self,
        now: Time,
        cookie: &StateCookie,
        id: AssociationId,
        (local, peer): (VerificationTag, Option<VerificationTag>),
        state: AssociationState,
    ) -> Option<AssociationId> {
        let is_same_local = cookie.local_tag == local;
        let is_same_peer = Some(cookie.peer_tag) == peer;
        let is_tied = cookie.tie_tags == (local, peer.unwrap_or(VerificationTag::ZERO));
        let seed = self.next_seed().child("restart");
        let association = self.associations.untouched(id)?;
        match (is_same_local, is_same_peer, is_tied) {
            // A) The peer restarted.
            (false, false, true) if state == AssociationState::ShutdownAckSent => {
                association.refuse_restart(now);
                self.associations.touch(id);
                return None;
            }
            (false, false, true) if !association.may_restart() => return None,
            (false, false, true) => {
                association.on_restart(now, cookie, &seed);
                self.give_up_tag(now, local);
                self.by_tag.insert(cookie.local_tag, id);
            }
            // B) Both ends sent INIT, and the peer's cookie arrived first. D) It is the cookie of this association;
            // if our COOKIE-ECHO is not answered yet, this answers it.
            (true, false, _) => association.on_collision(now, cookie),
            (true, true, _) => {
                if matches!(state, AssociationState::CookieWait | AssociationState::CookieEchoed) {
                    association.on_collision(now, cookie);
                }
            }
            // C) A cookie that arrives late, and "any case not shown": "silently discarded".
            _ => return None,
        }
        Some(id)
    }

    /// Answers an INIT from a peer with which this end has, or is opening, an association (RFC 9260 §5.2.1, §5.2.2).
    fn answer_known(&mut self, now: Time, request: &InitRequest<'_>, id: AssociationId) {
        let Some(known) = self.associations.get(id) else { return };
        // §5.2.1, §5.2.2: an INIT must not add addresses to an association that already exists.
        let new = self.new_addresses(known, request);
        if !new.is_empty() && known.state() != AssociationState::CookieWait {
            let parameters = new.iter().flat_map(|&ip| address_parameter(ip).to_bytes()).collect();
            let causes = vec![Cause::RestartWithNewAddresses(parameters)];
            return self.abort(request.arrival, request.back, causes);
        }
        let (local, peer) = known.tags();
        let tie_tags = peer.map_or((VerificationTag::ZERO, VerificationTag::ZERO), |peer| (local, peer));
        let name = match known.identity() {
            // §5.2.1: "the endpoint MUST respond with an INIT ACK chunk using the same parameters it sent in
            // its original INIT chunk".
            Some(identity) => {
                InitIdentity { tag: identity.tag, tsn: identity.tsn, random: identity.random, tie_tags }
            }
            None => self.fresh_name(tie_tags),
        };
        self.answer_init(now, request, &name);
    }

    /// The addresses in an INIT that have no path, except those that this end could not reach anyway.
    fn new_addresses(&self, known: &Association, request: &InitRequest<'_>) -> Vec<IpAddr> {
        let is_known = |ip: &IpAddr| {
            known.paths().iter().any(|sample| known.path_addresses(sample.id).remote.ip() == *ip)
        };
        let is_reachable =
            |ip: &IpAddr| self.config.local.iter().any(|local| local.is_ipv4() == ip.is_ipv4());
        let announced = acceptable(&request.body.addresses, request.arrival.remote.ip());
        announced.copied().filter(|ip| is_reachable(ip) && !is_known(ip)).collect()
    }

    /// Sends the INIT-ACK with its cookie. It lists every extension about user data that this end supports (RFC 5061
    /// §4.2.7), or those that the peer offered too, or leaves those of addresses out, so that it is not much longer than the
    /// INIT.
    fn answer_init(&mut self, now: Time, request: &InitRequest<'_>, name: &InitIdentity) {
        let (all, agreed) = (Features::of(&self.settings.config), request.body.features);
        let none = PeerExtensions::default();
        let most = match request.arrival.channel {
            Channel::PLAIN => amplification_limit(request.arrival.bytes.len()) - INIT_LEN,
            _ => usize::MAX,
        };
        let mut parameters = Vec::new();
        for (offer, listed) in [(&request.offer, all), (&request.offer, agreed), (&none, agreed)] {
            parameters = self.answer_parameters(now, request, name, (offer, listed));
            shorten(&mut parameters, most);
            if encoded_len(&parameters) <= most {
                break;
            }
        }
        let InitRequest { arrival, back, init, .. } = request;
        let config = &self.settings.config;
        let ack = InitAck {
            initiate_tag: name.tag,
            a_rwnd: u32::try_from(config.receive_buffer.get()).unwrap_or(u32::MAX),
            outbound_streams: config.outbound_streams.min(init.inbound_streams),
            inbound_streams: config.inbound_streams,
            initial_tsn: name.tsn,
            parameters,
        };
        self.answer(arrival, *back, &ack);
    }

    /// The parameters of an INIT-ACK that lists `listed`, for a peer with the extensions `offer`, the cookie first.
    fn answer_parameters(
        &mut self,
        now: Time,
        request: &InitRequest<'_>,
        name: &InitIdentity,
        (offer, listed): (&PeerExtensions, Features),
    ) -> Vec<Parameter> {
        let InitRequest { arrival, back, init, body, .. } = request;
        let config = &self.settings.config;
        let extra = body.preservative.unwrap_or(Duration::ZERO).min(config.cookie_lifetime);
        let cookie = StateCookie {
            created: now,
            lifetime: config.cookie_lifetime + extra,
            local_tag: name.tag,
            peer_tag: init.initiate_tag,
            tie_tags: name.tie_tags,
            local_tsn: name.tsn,
            peer_tsn: init.initial_tsn,
            peer_window: init.a_rwnd,
            outbound_streams: config.outbound_streams.min(init.inbound_streams),
            inbound_streams: config.inbound_streams.min(init.outbound_streams),
            local_port: back.source_port,
            peer_port: back.destination_port,
            local: arrival.local,
            remote: arrival.remote,
            announced: body.addresses.clone(),
            ecn: config.ecn != EcnUse::Off && body.ecn,
            features: body.features,
            receiver: self.settings.receiver.and(body.receiver),
            extensions: (*offer != PeerExtensions::default())
                .then(|| OfferedExtensions { random: name.random, offer: offer.clone() }),
        };
        let mut parameters = vec![Parameter::StateCookie(self.cookie_keys.seal(&cookie, now))];
        let announced = pairing::announced(&self.config.local, arrival.remote.ip());
        parameters.extend(address_parameters(&announced));
        if cookie.ecn {
            parameters.push(Parameter::EcnCapable);
        }
        if listed.forward_tsn {
            parameters.push(Parameter::ForwardTsnSupported);
        }
        parameters.extend(cookie.receiver.parameter());
        parameters.extend(Extensions::answered(config, &name.random, offer, listed));
        parameters.extend(body.unrecognized.iter().cloned());
        parameters
    }

    /// Answers an INIT with a broken parameter. RFC 9260 §5.1: an endpoint that "decides not to establish the new
    /// association due to […] invalid parameter values […] SHOULD respond with an ABORT chunk".
    pub(super) fn on_broken_init(
        &mut self,
        now: Time,
        arrival: &Arrival,
        header: CommonHeader,
        error: &ChunkError,
    ) {
        let ChunkFault::Parameter { initiate_tag: Some(tag), .. } = error.fault else { return };
        if error.kind == Init::KIND && tag != VerificationTag::ZERO && self.may_answer_init(now, arrival) {
            // Without a text the answer is no longer than the INIT, whose source may be forged.
            self.abort(arrival, reply_header(header, tag), vec![Cause::ProtocolViolation(Vec::new())]);
        }
    }

    fn abort(&mut self, arrival: &Arrival, back: CommonHeader, causes: Vec<Cause>) {
        self.answer(arrival, back, &Abort { tag_reflected: false, causes });
    }

    fn fresh_name(&mut self, tie_tags: (VerificationTag, VerificationTag)) -> InitIdentity {
        let (tag, tsn) = (self.fresh_tag(), Tsn::new(self.rng.next_u32()));
        InitIdentity { tag, tsn, random: self.fresh_random(), tie_tags }
    }

    /// The association with the peer that sends from this address, on this channel and with these ports.
    pub(super) fn known_peer(&mut self, addresses: PeerRoute) -> Option<AssociationId> {
        let is_alive = |id| {
            let known = self.associations.get(id);
            known.is_some_and(|association| association.state() != AssociationState::Closed)
        };
        self.peers.find(addresses, is_alive)
    }
}

fn reply_header(header: CommonHeader, tag: VerificationTag) -> CommonHeader {
    CommonHeader {
        source_port: header.destination_port,
        destination_port: header.source_port,
        verification_tag: tag,
    }
}

/// Leaves out own addresses until the parameters have at most `most` bytes, because the source of the INIT may be
/// forged. A later packet can still show such an address to the peer.
fn shorten(parameters: &mut Vec<Parameter>, most: usize) {
    let is_address = |one: &Parameter| matches!(one, Parameter::Ipv4Address(_) | Parameter::Ipv6Address(_));
    while encoded_len(parameters) > most
        && let Some(last) = parameters.iter().rposition(is_address)
    {
        parameters.remove(last);
    }
}

fn encoded_len(parameters: &[Parameter]) -> usize {
    parameters.iter().map(|one| one.to_bytes().len().next_multiple_of(4)).sum()
}

/// The maximum length of the answer to an INIT of `len` bytes: with UDP and IPv4 headers, three and a half times the
/// length of the INIT. An answer with only the cookie has 3.1 times the length of an INIT without parameters.
fn amplification_limit(len: usize) -> usize {
    (len + OUTER_HEADERS) * 7 / 2 - OUTER_HEADERS
}

/// The UDP and IPv4 headers.
const OUTER_HEADERS: usize = 28;
/// The common header, and the fixed part of an INIT or INIT-ACK (RFC 9260 §3.1, §3.3.2).
const INIT_LEN: usize = CommonHeader::LEN + 20;
