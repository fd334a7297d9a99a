//! Strangers that shake hands with an end in any way, all at once, and see only what is sent to them, while the end has
//! an honest peer, too.

use std::net::SocketAddr;

use anabranch_base::{ByteCount, Duration, Seed, Time};
use anabranch_sctp::association::{Association, AssociationState, Ecn, Message, Outgoing, Reliability};
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::{Arrival, AssociationId, Channel, Endpoint, EndpointConfig};
use anabranch_sctp::policy::Registry;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{
    Abort, Checksum, Chunk, CommonHeader, CookieAck, CookieEcho, EncodeChunk, ErrorChunk, Heartbeat,
    HeartbeatAck, Init, InitAck, Packet, Parameter, Ppid, Shutdown, ShutdownAck, ShutdownComplete, StreamId,
    VerificationTag,
};
use bytes::Bytes;

use super::Input;
use super::content::{INIT, INIT_ACK, Parts};
use crate::pair::{PORT, packet_with};

/// A stranger, and what was sent to it.
#[derive(Default)]
struct UnknownPeer {
    /// The peer's own tag, and the end's tag for it.
    own_tag: u32,
    end_tag: Option<VerificationTag>,
    cookies: Vec<Vec<u8>>,
    info: Vec<u8>,
}

struct Walk {
    now: Time,
    end: Endpoint,
    honest: Endpoint,
    /// The honest association, at the end and at its peer.
    ids: [AssociationId; 2],
    unknown_peers: [UnknownPeer; UNKNOWN_PEERS],
    /// Cookies that came, and associations that the end opened itself: an upper bound for its associations.
    openings: usize,
}

/// For any packets of unknown peers that see only their own answers: the honest association lives and carries a message in
/// each direction, there are at most as many associations as cookies that were returned, no packet is answered by a flood,
/// and nothing panics.
pub(crate) fn handshake(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut walk = Walk::begin();
    for _ in 0..200 {
        if input.is_empty() {
            break;
        }
        walk.step(&mut input);
        walk.check();
    }
    walk.pass(Duration::from_secs(30));
    walk.check();
    walk.talk();
}

impl Walk {
    fn begin() -> Walk {
        let (end, mut honest) = (endpoint(END, 1), endpoint(HONEST, 2));
        let near = honest.connect(&[END]).expect("an address");
        let unknown_peers = std::array::from_fn(|_| UnknownPeer::default());
        let mut walk = Walk { now: Time::ZERO, end, honest, ids: [near; 2], unknown_peers, openings: 1 };
        walk.exchange();
        let (far, _) = walk.end.poll_event().expect("it accepted");
        walk.ids = [far, near];
        walk
    }

    fn step(&mut self, input: &mut Input<'_>) {
        match input.below(16) {
            0 => self.pass(Duration::from_millis(u64::from(input.byte()))),
            1 => self.pass(Duration::from_millis(u64::from(input.u16()))),
            2 if input.is_one_in(2) => {
                let to = unknown_peer(input.below(UNKNOWN_PEERS));
                self.openings += usize::from(self.end.connect(&[to]).is_ok());
            }
            2 => self.turn_away(input),
            _ => self.attack(input),
        }
        self.exchange();
    }

    /// The application ends what a stranger opened.
    fn turn_away(&mut self, input: &mut Input<'_>) {
        let Some((id, _)) = self.end.poll_event().filter(|(id, _)| *id != self.ids[0]) else { return };
        match input.below(3) {
            0 => self.end.remove(self.now, id),
            1 => self.end.association_mut(id).into_iter().for_each(|one| one.close(self.now)),
            _ => self.end.association_mut(id).into_iter().for_each(|one| one.abort("enough")),
        }
    }

    /// One packet of a stranger, from its address or as if from another.
    fn attack(&mut self, input: &mut Input<'_>) {
        let who = input.below(UNKNOWN_PEERS);
        let tag = match input.below(8) {
            0 => VerificationTag::ZERO,
            // None that the honest two have is guessed.
            1 => VerificationTag::new(input.u32() & 0xffff),
            2 => VerificationTag::new(self.unknown_peers[who].own_tag),
            _ => self.unknown_peers[who].end_tag.unwrap_or(VerificationTag::ZERO),
        };
        let mut from = unknown_peer(who);
        match input.below(16) {
            0 => from = HONEST,
            1 => from = unknown_peer(input.below(UNKNOWN_PEERS)),
            2 => from.set_port(u16::from(input.byte())),
            _ => {}
        }
        let Some(packet) = self.packet(who, tag, input) else { return };
        self.openings += usize::from(packet.get(CommonHeader::LEN) == Some(&COOKIE_ECHO));
        self.arrive(from, Bytes::from(packet));
    }

    fn packet(&mut self, who: usize, tag: VerificationTag, input: &mut Input<'_>) -> Option<Vec<u8>> {
        let reflected = input.is_one_in(4);
        let tsn = Tsn::new(u32::from(input.u16()));
        let framed = |tag: VerificationTag, chunk: &dyn EncodeChunk| {
            let header = CommonHeader { source_port: PORT, destination_port: PORT, verification_tag: tag };
            Some(packet_with(header, &[chunk]))
        };
        match input.below(12) {
            0 | 1 => {
                let mut parts = Parts::of_kind(INIT, input);
                self.believable(&mut parts, who);
                framed(VerificationTag::ZERO, &parts.chunk())
            }
            2 => {
                let mut parts = Parts::of_kind(INIT_ACK, input);
                self.believable(&mut parts, who);
                framed(tag, &parts.chunk())
            }
            3 | 4 => {
                // Its own cookie, an older one, or another's; sometimes damaged.
                let whose = if input.is_one_in(8) { input.below(UNKNOWN_PEERS) } else { who };
                let cookies = &self.unknown_peers[whose].cookies;
                let mut cookie = cookies.get(input.below(4) % cookies.len().max(1))?.clone();
                if input.is_one_in(8) {
                    let at = usize::from(input.byte()) % cookie.len();
                    cookie[at] ^= 1;
                }
                framed(tag, &CookieEcho { cookie: &cookie })
            }
            5 => framed(tag, &CookieAck),
            6 => framed(tag, &Shutdown { cumulative_tsn_ack: tsn }),
            7 => framed(tag, &ShutdownAck),
            8 => framed(tag, &ShutdownComplete { tag_reflected: reflected }),
            9 => framed(tag, &HeartbeatAck::new(self.unknown_peers[who].info.clone())),
            10 => framed(tag, &Heartbeat::new(input.slice(40).to_vec())),
            _ => match Parts::any(input).chunk() {
                Chunk::Abort(Abort { causes, .. }) => {
                    framed(tag, &Abort { tag_reflected: reflected, causes })
                }
                Chunk::Error(ErrorChunk { causes }) => framed(tag, &ErrorChunk { causes }),
                other => framed(tag, &other),
            },
        }
    }

    /// An INIT or INIT-ACK that is not refused for its numbers alone.
    fn believable(&mut self, parts: &mut Parts<'_>, who: usize) {
        parts.number = parts.number & 0xffff | 0x1000;
        (parts.stream, parts.ssn) = (parts.stream | 1, parts.ssn | 1);
        self.unknown_peers[who].own_tag = parts.number.rotate_left(8);
    }

    fn arrive(&mut self, remote: SocketAddr, bytes: Bytes) {
        let arrival = arrival(END, remote, bytes);
        let before = self.end.len();
        self.end.handle(self.now, &arrival);
        assert!(self.end.len() <= before + 1, "one packet opens one association");
    }

    /// Everything that is sent goes where it is sent to, until nothing is left.
    fn exchange(&mut self) {
        for sent in 0.. {
            assert!(sent < MOST_AT_ONCE, "{sent} packets at one moment");
            let mut bytes = Vec::new();
            if let Some(departure) = self.end.poll_transmit(self.now, &mut bytes, 1) {
                self.deliver(departure.remote, Bytes::from(bytes));
            } else if self.honest.poll_transmit(self.now, &mut bytes, 1).is_some() {
                self.arrive(HONEST, Bytes::from(bytes));
            } else {
                return;
            }
        }
    }

    fn deliver(&mut self, to: SocketAddr, bytes: Bytes) {
        if to == HONEST {
            return self.honest.handle(self.now, &arrival(HONEST, END, bytes));
        }
        let Some(who) = (0..UNKNOWN_PEERS).find(|who| unknown_peer(*who) == to) else { return };
        let Ok(packet) = Packet::decode(&bytes, Checksum::Crc32c) else { panic!("a broken packet left") };
        let him = &mut self.unknown_peers[who];
        for chunk in packet.chunks() {
            match chunk.expect("a sound chunk") {
                Chunk::Init(Init { initiate_tag, .. }) => him.end_tag = Some(initiate_tag),
                Chunk::InitAck(InitAck { initiate_tag, parameters, .. }) => {
                    him.end_tag = Some(initiate_tag);
                    let cookie = parameters.into_iter().find_map(|parameter| match parameter {
                        Parameter::StateCookie(cookie) => Some(cookie),
                        _ => None,
                    });
                    him.cookies.insert(0, cookie.expect("an INIT-ACK has a cookie"));
                    him.cookies.truncate(4);
                }
                Chunk::Heartbeat(Heartbeat { info, .. }) => him.info = info,
                _ => {}
            }
        }
    }

    /// Lets time pass at both ends.
    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            self.exchange();
            let next = self.end.poll_timeout().into_iter().chain(self.honest.poll_timeout()).min();
            let Some(due) = next.filter(|due| *due <= until) else { break };
            self.now = self.now.max(due);
            self.end.handle_timeout(self.now);
            self.honest.handle_timeout(self.now);
        }
        self.now = until;
    }

    fn check(&mut self) {
        assert!(self.end.len() <= self.openings.min(MOST_ASSOCIATIONS), "{} associations", self.end.len());
        for (endpoint, id) in [(&self.end, self.ids[0]), (&self.honest, self.ids[1])] {
            let state = endpoint.association(id).map(Association::state);
            assert_eq!(state, Some(AssociationState::Established), "the honest association");
        }
    }

    /// A message each way between the honest ends.
    fn talk(&mut self) {
        let message = |payload: &'static [u8]| Outgoing {
            stream: StreamId::new(0),
            ppid: Ppid::new(0),
            unordered: false,
            immediate: false,
            reliability: Reliability::Full,
            payload: Bytes::from_static(payload),
        };
        let (now, [far, near]) = (self.now, self.ids);
        let end = self.end.association_mut(far).expect("alive");
        end.send(now, message(b"still here")).expect("room");
        self.honest.association_mut(near).expect("alive").send(now, message(b"me too")).expect("room");
        self.pass(Duration::from_secs(60));
        let heard = [self.honest.association_mut(near), self.end.association_mut(far)]
            .map(|one| one.expect("alive").receive().map(Message::into_bytes));
        assert_eq!(heard, [Some(Bytes::from_static(b"still here")), Some(Bytes::from_static(b"me too"))]);
    }
}

fn endpoint(local: SocketAddr, seed: u64) -> Endpoint {
    let config = EndpointConfig {
        association: Config::rfc9260(),
        registry: Registry::standard(),
        port: PORT,
        accepts: true,
        local: vec![local],
        max_associations: MOST_ASSOCIATIONS,
    };
    Endpoint::new(config, Seed::from_number(seed)).expect("good settings")
}

fn arrival(local: SocketAddr, remote: SocketAddr, bytes: Bytes) -> Arrival {
    let memory = ByteCount::of_len(bytes.len());
    Arrival { local, remote, channel: Channel::PLAIN, ecn: Ecn::NotEct, bytes, memory }
}

fn unknown_peer(who: usize) -> SocketAddr {
    SocketAddr::from(([10, 66, who as u8, 1], 1_000 + who as u16))
}

const END: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1)), PORT);
const HONEST: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2)), PORT);
const UNKNOWN_PEERS: usize = 4;
const MOST_ASSOCIATIONS: usize = 6;
const COOKIE_ECHO: u8 = 10;
/// An association of 16 paths probes each, and each of six sends its last packet.
const MOST_AT_ONCE: usize = 200;
