//! A peer that has the tag and sends anything, to an end in any state.

use std::net::SocketAddr;

use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::{AssociationState, MAX_PATHS, PathAddresses};
use anabranch_sctp::config::{Config, Encapsulation, OutOfOrder};
use anabranch_sctp::policy::PathState;
use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Checksum, Chunk, CommonHeader, CookieEcho, Data, EncodeChunk, GapBlock, Heartbeat, Packet, PacketBuilder,
    Parameter, Ppid, StreamId, VerificationTag,
};
use bytes::Bytes;

use super::Input;
use super::content::{
    ASCONF, DATA, FORWARD_TSN, INIT, INIT_ACK, KINDS, NR_SACK, Parts, RE_CONFIG, SACK, SHUTDOWN,
};
use crate::pair::{End, PORT, Pair, packet_with};

/// An end under attack, its honest peer, and what was sent between them.
struct Attack {
    pair: Pair,
    victim: End,
    config: Config,
    /// The last packets to the victim, and from it.
    seen: [Vec<Bytes>; 2],
    /// The number of the next ASCONF that the victim takes.
    serial: Tsn,
}

/// For any packets of a peer with the right tag, in any state: nothing panics, memory stays bounded, and every stretch of
/// time ends.
pub(crate) fn association(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let state = STATES[input.below(STATES.len())];
    let setup = input.byte();
    let victim = if setup & 1 == 0 { End::A } else { End::Z };
    // With sealed packets ASCONF is accepted from every peer that gets so far; otherwise only with a valid AUTH.
    let config = match setup >> 2 & 3 {
        0 => Config::rfc9260(),
        1 => Config { dynamic_addresses: true, ..Config::rfc9260() },
        2 => Config { dynamic_addresses: true, encapsulation: Encapsulation::Sealed, ..Config::rfc9260() },
        _ if setup & 16 != 0 => Config {
            partial_reliability: true,
            nr_sack: true,
            partial_delivery: setup & 64 != 0,
            interleaving: setup & 32 != 0,
            stream_reconfiguration: true,
            ..Config::rfc9260()
        },
        _ => with_receiver_rules(),
    };
    let mut attack = Attack::begin(state, victim, 1 + usize::from(setup >> 1 & 1), config);
    for _ in 0..200 {
        // What comes after the end is for the inputs that begin with it.
        if input.is_empty() || attack.is_lost() && state != AssociationState::Closed {
            break;
        }
        attack.step(&mut input);
        attack.check();
    }
    attack.run(Duration::from_secs(30));
    attack.check();
    let packets = attack.pair.log.len();
    assert!(packets <= MOST_IN_SILENCE, "{packets} packets in 30 seconds in which neither end has data");
    attack.ask();
}

/// Ends with the rules of the receiver that other stacks do not have, and with test packets.
fn with_receiver_rules() -> Config {
    let out_of_order = OutOfOrder::AtMost(ByteCount::new(6_000));
    Config { out_of_order, sack_content: "new".into(), test_packets: true, ..Config::rfc9260() }
}

/// Returns true if an end comes into this state before it is attacked.
pub(crate) fn is_entered(state: AssociationState, victim: End, pipes: usize) -> bool {
    let mut attack = Attack::begin(state, victim, pipes, Config::rfc9260());
    let victim = attack.victim;
    attack.pair.at(victim).state() == state
}

impl Attack {
    fn begin(state: AssociationState, victim: End, pipes: usize, config: Config) -> Attack {
        let config =
            Config { receive_buffer: ByteCount::new(6_000), send_buffer: ByteCount::new(6_000), ..config };
        let mut pair = Pair::new(config.clone(), pipes);
        pair.keep_packets();
        pair.may_cross = true;
        // Only one end opens.
        let victim = match state {
            AssociationState::CookieWait | AssociationState::CookieEchoed => End::A,
            _ => victim,
        };
        enter(&mut pair, state, victim);
        let mut attack = Attack { pair, victim, config, seen: [Vec::new(), Vec::new()], serial: Tsn::new(0) };
        attack.serial =
            attack.pair.at(victim).ack_points().map_or(attack.serial, |(arrived, _)| arrived.next());
        if attack.config.test_packets {
            attack.pair.at(victim).receive_tests();
        }
        attack.remember();
        attack
    }

    /// One act of an application, of time or of the peer.
    fn step(&mut self, input: &mut Input<'_>) {
        let victim = self.victim;
        match input.below(16) {
            0 => self.run(Duration::from_millis(u64::from(input.byte()))),
            1 => self.run(Duration::from_millis(u64::from(input.u16()))),
            2 => self.send(input),
            3 => {
                self.pair.receive(victim);
            }
            4 if input.is_one_in(4) => self.pair.close(victim),
            4 => {
                let lost = if input.is_one_in(2) { victim } else { victim.other() };
                self.pair.drop_next(lost, 0);
            }
            5 | 6 => self.replay(input),
            7 => self.echo_own_cookie(),
            8 => self.init(input),
            9 => self.flood(input),
            10 if input.is_one_in(4) => self.roam(input),
            11 if input.is_one_in(4) => self.change_local(input),
            _ => self.attack(input),
        }
        self.remember();
    }

    fn is_lost(&mut self) -> bool {
        let victim = self.victim;
        self.pair.at(victim).state() == AssociationState::Closed
    }

    /// Lets time pass. Time goes on: no moment has events without end.
    fn run(&mut self, span: Duration) {
        let (mut moment, mut events) = (self.pair.now, 0);
        self.pair.run_until(span, |pair| {
            events = if pair.now == moment { events + 1 } else { 0 };
            moment = pair.now;
            assert!(events < MOST_EVENTS, "{events} events at {moment:?}");
            false
        });
    }

    fn arrive(&mut self, packet: Vec<u8>) {
        self.pair.inject(self.victim, 0, packet);
        self.arrives();
    }

    /// Delivers the injected packets; their effects are bounded.
    fn arrives(&mut self) {
        let before = self.pair.log.len();
        self.run(Duration::ZERO);
        let answers = self.pair.log.len() - before;
        assert!(answers <= MOST_ANSWERS, "{answers} packets at once after one came");
    }

    /// An application sends some messages at one moment, more than there is room for or not.
    fn send(&mut self, input: &mut Input<'_>) {
        let end = if input.is_one_in(2) { self.victim } else { self.victim.other() };
        let (stream, unordered) = (u16::from(input.byte() % 20), input.is_one_in(2));
        for _ in 0..1 + input.below(8) {
            if self.pair.side(end).id.is_some() {
                let _ = self.pair.try_send(end, stream, unordered, Bytes::from_static(filler(input)));
            }
        }
    }

    /// DATA chunk after DATA chunk, more than the buffer takes or not, with a gap before them or not.
    fn flood(&mut self, input: &mut Input<'_>) {
        let header = self.header(input);
        let Some((arrived, _)) = self.pair.at(self.victim).ack_points() else { return };
        let (gap, flags) = (u32::from(input.byte() % 3), input.byte());
        for next in 1..=1 + input.below(24) as u32 {
            let data = Data {
                tsn: Tsn::new(arrived.get().wrapping_add(gap + next)),
                stream: StreamId::new(u16::from(flags >> 4)),
                ssn: Ssn::new(next as u16),
                ppid: Ppid::new(0),
                unordered: flags & 1 != 0,
                beginning: flags & 2 == 0,
                ending: flags & 4 == 0,
                immediate: flags & 8 != 0,
                payload: filler(input),
            };
            self.arrive(packet_with(header, &[&data]));
        }
    }

    /// The peer shows one address after another.
    fn roam(&mut self, input: &mut Input<'_>) {
        let header = self.header(input);
        let network = input.byte();
        for host in 0..input.byte() % 32 {
            let elsewhere = SocketAddr::from(([10, 9, network, 10 + host], PORT));
            let probe = Heartbeat::new(vec![host; 4]);
            self.pair.inject_from(self.victim, elsewhere, packet_with(header, &[&probe]));
            self.arrives();
        }
    }

    /// The victim's host gains or loses an address.
    fn change_local(&mut self, input: &mut Input<'_>) {
        let pipe = input.below(self.pair.pipes.len());
        if input.is_one_in(2) {
            self.pair.remove_local(self.victim, pipe);
        } else {
            self.pair.add_local(self.victim, pipe);
        }
    }

    /// Returns true if there is still a path between the first addresses of both.
    fn has_first_path(&mut self) -> bool {
        let victim = self.victim;
        let (local, remote) = (self.pair.address(victim, 0), self.pair.seen(victim.other(), 0));
        let is_missing = self.pair.side(victim).missing.contains(&local);
        let association = self.pair.at(victim);
        let mut living = association.paths().iter().filter(|path| path.state != PathState::Removed);
        !is_missing
            && living.any(|path| association.path_addresses(path.id) == PathAddresses { local, remote })
    }

    /// An end with a session still answers, whatever came before. Before there is a session the answer waits for it.
    fn ask(&mut self) {
        if self.pair.at(self.victim).ack_points().is_none() || !self.has_first_path() {
            return;
        }
        self.remember();
        let tag = self.pair.at(self.victim).tags().0;
        let header = CommonHeader { source_port: PORT, destination_port: PORT, verification_tag: tag };
        self.arrive(packet_with(header, &[&Heartbeat::new(b"there?".to_vec())]));
        let victim = self.victim;
        let mut answers = self.pair.log.iter().filter(|line| line.from == victim);
        let is_answered = answers.any(|line| line.text.contains("HEARTBEAT-ACK"));
        let state = self.pair.at(victim).state();
        assert!(is_answered, "{victim:?} does not answer in {state:?}: {:?}", self.pair.log);
    }

    /// A packet with the victim's tag, or now and then another; from the peer, or now and then from elsewhere.
    fn attack(&mut self, input: &mut Input<'_>) {
        let header = self.header(input);
        let parts: Vec<Parts<'_>> = (0..1 + input.below(3)).map(|_| self.near(input)).collect();
        let mut packet = Vec::new();
        let mut builder = PacketBuilder::new(&mut packet, header, 8_000);
        for part in &parts {
            // Chunks that do not fit are left out.
            let _ = builder.push(&part.chunk());
        }
        builder.finish(Checksum::Crc32c);
        if input.is_one_in(16) {
            let elsewhere = self.elsewhere(input);
            self.pair.inject_from(self.victim, elsewhere, packet);
            self.arrives();
        } else {
            self.arrive(packet);
        }
    }

    /// The peer behind another port, as if a translator had forgotten it, or an address that was not announced.
    fn elsewhere(&self, input: &mut Input<'_>) -> SocketAddr {
        let [a, b] = [input.byte(), input.byte()];
        match a % 2 {
            0 => SocketAddr::new(self.pair.address(self.victim.other(), 0).ip(), PORT ^ u16::from(b)),
            _ => SocketAddr::from(([10, a, b, 1 + b % 3], PORT)),
        }
    }

    /// A packet that was sent before, damaged or not; its checksum is right, its tag the present one.
    fn replay(&mut self, input: &mut Input<'_>) {
        let seen = &self.seen[input.below(2)];
        let Some(packet) = seen.get(input.below(REMEMBERED) % seen.len().max(1)) else { return };
        let mut chunks = packet[CommonHeader::LEN..].to_vec();
        for _ in 0..input.below(4) {
            let at = usize::from(input.u16()) % chunks.len();
            chunks[at] = input.byte();
        }
        let header = self.header(input);
        self.arrive(framed(header, &chunks));
    }

    /// The cookie of the victim's last INIT-ACK comes back: an association opens, or restarts.
    fn echo_own_cookie(&mut self) {
        let Some((header, cookie)) = self.seen[1].iter().rev().find_map(|packet| own_cookie(packet)) else {
            return;
        };
        self.arrive(packet_with(header, &[&CookieEcho { cookie: &cookie }]));
    }

    /// An INIT alone with tag zero, as it must come; the cookie of the answer comes back or not.
    fn init(&mut self, input: &mut Input<'_>) {
        let mut parts = Parts::of_kind(INIT, input);
        parts.number |= 0x1000;
        let header = CommonHeader {
            source_port: PORT,
            destination_port: PORT,
            verification_tag: VerificationTag::ZERO,
        };
        self.arrive(packet_with(header, &[&parts.chunk()]));
        self.remember();
        if input.is_one_in(2) {
            self.echo_own_cookie();
        }
    }

    /// The parts of a chunk, its numbers near those in use, so that it is not simply too old or too new.
    fn near<'a>(&mut self, input: &mut Input<'a>) -> Parts<'a> {
        let kind = input.byte();
        // Half of what comes is what associations are made of.
        let kind = match kind % 8 {
            0 | 1 => DATA,
            2 => SACK,
            3 => 14,
            _ => kind >> 3,
        };
        let mut parts = Parts::of_kind(kind, input);
        if self.pair.side(self.victim).id.is_none() || input.is_one_in(8) {
            return parts;
        }
        let points = self.pair.at(self.victim).ack_points();
        let (arrived, sent) = points.unwrap_or((Tsn::new(0), Tsn::new(0)));
        // Three of four are such that they may be believed.
        let by = |point: Tsn, credible: u8, input: &mut Input<'_>| {
            let (most, less) = if input.is_one_in(4) { (16, 3) } else { (credible, 0) };
            Tsn::new(point.get().wrapping_add(u32::from(input.byte() % most)).wrapping_sub(less))
        };
        match KINDS[usize::from(kind) % KINDS.len()] {
            DATA | FORWARD_TSN => parts.tsn = by(arrived, 4, input),
            SACK | NR_SACK | SHUTDOWN => parts.tsn = by(sent, 2, input),
            INIT_ACK => parts.number |= 0x1000,
            ASCONF if !input.is_one_in(4) => {
                parts.tsn = self.serial;
                self.serial = self.serial.next();
            }
            RE_CONFIG if !input.is_one_in(4) => {
                parts.tsn = self.serial;
                self.serial = self.serial.next();
                parts.number = by(arrived, 4, input).get();
                parts.streams.iter_mut().for_each(|stream| *stream = StreamId::new(stream.get() % 20));
            }
            _ => {}
        }
        // Inputs are shorter than buffers: without this none would ever be full.
        if parts.chunk().kind() == DATA && input.is_one_in(2) {
            parts.bytes = filler(input);
        }
        parts.stream %= 5;
        parts.ssn %= 9;
        parts.gaps.iter_mut().for_each(|GapBlock { start, end }| (*start, *end) = (*start % 16, *end % 16));
        parts
    }

    fn header(&mut self, input: &mut Input<'_>) -> CommonHeader {
        let verification_tag = match self.pair.side(self.victim).id {
            Some(_) if !input.is_one_in(16) => self.pair.at(self.victim).tags().0,
            _ => VerificationTag::new(input.u32()),
        };
        CommonHeader { source_port: PORT, destination_port: PORT, verification_tag }
    }

    /// Keeps the last packets, and forgets the rest.
    fn remember(&mut self) {
        for line in std::mem::take(&mut self.pair.log) {
            let seen = &mut self.seen[usize::from(line.from == self.victim)];
            seen.push(line.bytes);
            if seen.len() > REMEMBERED {
                seen.remove(0);
            }
        }
    }

    /// Checks the invariants.
    fn check(&mut self) {
        for end in [End::A, End::Z] {
            let now = self.pair.now;
            let side = self.pair.side(end);
            assert!(side.endpoint.len() <= side.config.max_associations);
            if let Some(due) = side.endpoint.poll_timeout() {
                assert!(due > now || self.pair.next_event() <= Some(now), "a timer of the past is left");
            }
            let side = self.pair.side(end);
            let Some(association) = side.id.and_then(|id| side.endpoint.association(id)) else { continue };
            let held = association.received_bytes_held();
            let second = match self.config.out_of_order {
                OutOfOrder::AtMost(second) => second,
                OutOfOrder::InBuffer | OutOfOrder::Unlimited => ByteCount::ZERO,
            };
            let most = (self.config.receive_buffer + second) * 2 + self.config.mtu;
            assert!(held <= most, "{end:?} holds {held}");
            let waiting = association.unacknowledged();
            assert!(waiting <= self.config.send_buffer, "{end:?} keeps {waiting} to send");
            let living = association.paths().iter().filter(|path| path.state != PathState::Removed);
            assert!(living.count() <= MAX_PATHS);
            assert!(association.paths().len() <= 256, "a table that grows");
        }
    }
}

/// A payload that costs two bytes of input, whatever its length.
fn filler(input: &mut Input<'_>) -> &'static [u8] {
    &FILLER[..1 + usize::from(input.u16()) % FILLER.len()]
}

/// Brings an end into a state and keeps it there for a while, by losing what would lead on.
fn enter(pair: &mut Pair, state: AssociationState, victim: End) {
    let peer = victim.other();
    let soon = Duration::from_millis(100);
    match state {
        AssociationState::CookieWait => pair.lose(End::A, "INIT"),
        AssociationState::CookieEchoed => pair.lose(End::A, "COOKIE-ECHO"),
        _ => {}
    }
    pair.connect();
    pair.run_for(soon);
    match state {
        AssociationState::CookieWait | AssociationState::CookieEchoed | AssociationState::Established => {}
        AssociationState::ShutdownPending => {
            pair.lose(victim, "DATA");
            pair.send(victim, 100);
            pair.close(victim);
        }
        AssociationState::ShutdownSent => {
            pair.lose(victim, "SHUTDOWN");
            pair.close(victim);
        }
        AssociationState::ShutdownReceived => {
            pair.lose(victim, "DATA");
            pair.send(victim, 100);
            pair.close(peer);
        }
        AssociationState::ShutdownAckSent => {
            pair.lose(victim, "SHUTDOWN-ACK");
            pair.close(peer);
        }
        AssociationState::Closed => pair.abort(victim, "enough"),
    }
    pair.run_for(soon);
}

/// The cookie in an INIT-ACK and the header it comes back with.
fn own_cookie(packet: &[u8]) -> Option<(CommonHeader, Vec<u8>)> {
    let packet = Packet::decode(packet, Checksum::Crc32c).ok()?;
    let Some(Ok(Chunk::InitAck(ack))) = packet.chunks().next() else { return None };
    let cookie = ack.parameters.iter().find_map(|parameter| match parameter {
        Parameter::StateCookie(cookie) => Some(cookie.clone()),
        _ => None,
    })?;
    Some((CommonHeader { verification_tag: ack.initiate_tag, ..swapped(packet.header()) }, cookie))
}

fn swapped(header: CommonHeader) -> CommonHeader {
    CommonHeader { source_port: header.destination_port, destination_port: header.source_port, ..header }
}

/// Bytes that are written like a chunk.
struct Raw<'a>(&'a [u8]);

impl EncodeChunk for Raw<'_> {
    fn kind(&self) -> u8 {
        self.0.first().copied().unwrap_or(0)
    }

    fn value_len(&self) -> usize {
        self.0.len().saturating_sub(4)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0);
    }
}

/// A packet of these bytes, with a checksum that is right.
pub(crate) fn framed(header: CommonHeader, chunks: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let mut builder = PacketBuilder::new(&mut packet, header, usize::MAX);
    builder.push(&Raw(chunks)).expect("no limit");
    builder.finish(Checksum::Crc32c);
    packet
}

/// Every state.
pub(crate) const STATES: [AssociationState; 8] = [
    AssociationState::Established,
    AssociationState::CookieWait,
    AssociationState::CookieEchoed,
    AssociationState::ShutdownPending,
    AssociationState::ShutdownSent,
    AssociationState::ShutdownReceived,
    AssociationState::ShutdownAckSent,
    AssociationState::Closed,
];
/// The number of packets of each direction that can be replayed.
const REMEMBERED: usize = 32;
/// More events at one moment do not come of 200 messages and 200 packets.
const MOST_EVENTS: usize = 1_000;
/// Both ends' buffers of 6,000 bytes fill 10 packets, and 2 ends ask 16 paths by HEARTBEATs: 42, and some more.
const MOST_ANSWERS: usize = 100;
/// A few retransmissions, and HEARTBEATs with their answers. Two ends that answer each other for ever over a pipe of
/// 10 ms are at 3,000.
const MOST_IN_SILENCE: usize = 1_000;
/// The content of messages that need none.
static FILLER: [u8; 1_400] = [7; 1_400];
