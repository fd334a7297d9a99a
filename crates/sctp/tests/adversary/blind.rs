//! An attacker that sees nothing: it has addresses and ports, and guesses tags.

use std::net::SocketAddr;

use anabranch_sctp::wire::{
    Abort, Chunk, CommonHeader, CookieEcho, EncodeChunk, PacketBuilder, ShutdownAck, ShutdownComplete,
    VerificationTag,
};

use super::shot::Shot;
use crate::hostile::{INIT, Input, KINDS, Parts, framed};
use crate::pair::{End, PORT, Pair, packet_with};
use crate::walk::Dice;

/// The guess of the attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// Chunks of any type with a tag that it drew.
    AnyTag,
    /// Chunks of any type with a tag that is wrong in one bit.
    NearTag,
    /// ABORT and SHUTDOWN-COMPLETE with the T bit and a tag that it drew.
    Reflected,
    /// An INIT in the name of the peer.
    Init,
    /// Many INITs from one address, or from many.
    InitFlood,
    /// A COOKIE-ECHO, alone or behind another chunk.
    Cookie,
    /// Chunks to or from a port that has no endpoint.
    WrongPort,
    /// Packets of no association, from an unused address.
    OutOfTheBlue,
    /// Bytes that are not chunks, with a right checksum.
    Garbage,
    /// Bytes with a wrong checksum.
    Damage,
}

impl Guess {
    /// Every guess.
    pub(crate) const ALL: &[Guess] = &[
        Guess::AnyTag,
        Guess::NearTag,
        Guess::Reflected,
        Guess::Init,
        Guess::InitFlood,
        Guess::Cookie,
        Guess::WrongPort,
        Guess::OutOfTheBlue,
        Guess::Garbage,
        Guess::Damage,
    ];

    /// Returns the packets to send.
    pub(crate) fn shots(self, pair: &mut Pair, dice: &mut Dice) -> Vec<Shot> {
        let count = dice.one_of(&[1, 3, 20]);
        let count = if self == Guess::InitFlood { dice.one_of(&[50, 300]) } else { count };
        (0..count).map(|_| self.shot(pair, dice)).collect()
    }

    fn shot(self, pair: &mut Pair, dice: &mut Dice) -> Shot {
        let to = dice.one_of(&[End::A, End::Z]);
        let bytes = self.packet(pair, to, dice);
        let pipe = dice.below(pair.pipes.len() as u64) as usize;
        let shot = Shot::between(pair, to, pipe, bytes);
        match self {
            Guess::Init if dice.is_one_in(2) => shot,
            Guess::Init | Guess::InitFlood | Guess::OutOfTheBlue => {
                let remote = invented(shot.local, dice);
                Shot { remote, ..shot }
            }
            _ => shot,
        }
    }

    fn packet(self, pair: &mut Pair, to: End, dice: &mut Dice) -> Vec<u8> {
        let guessed = header(VerificationTag::new(dice.roll() as u32));
        match self {
            Guess::AnyTag | Guess::OutOfTheBlue => any_chunks(guessed, dice),
            Guess::NearTag => {
                let side = pair.side(to);
                let known = side.id.and_then(|id| side.endpoint.association(id));
                let tag = known.map_or(0, |association| association.tags().0.get());
                any_chunks(header(VerificationTag::new(tag ^ 1 << dice.below(32))), dice)
            }
            Guess::Reflected => {
                let abort = Abort { tag_reflected: true, causes: Vec::new() };
                let complete = ShutdownComplete { tag_reflected: true };
                let chunk: &dyn EncodeChunk = if dice.is_one_in(2) { &abort } else { &complete };
                packet_with(guessed, &[chunk])
            }
            Guess::Init | Guess::InitFlood => {
                let bytes = dice.bytes(200);
                let mut parts = Parts::of_kind(INIT, &mut Input::new(&bytes));
                // An INIT that is not refused for its numbers alone.
                parts.number |= 0x1000;
                (parts.stream, parts.ssn) = (parts.stream | 1, parts.ssn | 1);
                packet_with(header(VerificationTag::ZERO), &[&parts.chunk()])
            }
            Guess::Cookie => {
                let cookie = dice.bytes(100);
                let echo = CookieEcho { cookie: &cookie };
                if dice.is_one_in(2) {
                    packet_with(guessed, &[&echo])
                } else {
                    packet_with(guessed, &[&ShutdownAck, &echo])
                }
            }
            Guess::WrongPort => {
                let wrong = PORT ^ (1 + dice.below(1000) as u16);
                let is_source = dice.is_one_in(2);
                let (source_port, destination_port) = if is_source { (wrong, PORT) } else { (PORT, wrong) };
                any_chunks(CommonHeader { source_port, destination_port, ..guessed }, dice)
            }
            Guess::Garbage => {
                let length = 1 + dice.below(300) as usize;
                framed(guessed, &dice.bytes(length))
            }
            Guess::Damage => {
                let length = 12 + dice.below(300) as usize;
                dice.bytes(length)
            }
        }
    }
}

/// One to three chunks of types that are drawn.
pub(crate) fn any_chunks(header: CommonHeader, dice: &mut Dice) -> Vec<u8> {
    let inputs: Vec<(u8, Vec<u8>)> =
        (0..1 + dice.below(3)).map(|_| (dice.below(KINDS.len() as u64) as u8, dice.bytes(120))).collect();
    let parts: Vec<Parts<'_>> =
        inputs.iter().map(|(kind, bytes)| Parts::of_kind(*kind, &mut Input::new(bytes))).collect();
    let chunks: Vec<Chunk<'_>> = parts.iter().map(Parts::chunk).collect();
    let mut packet = Vec::new();
    let mut builder = PacketBuilder::new(&mut packet, header, usize::from(u16::MAX));
    for chunk in &chunks {
        // Chunks that do not fit are left out.
        let _ = builder.push(chunk);
    }
    builder.finish(anabranch_sctp::wire::Checksum::Crc32c);
    packet
}

/// The header of a packet between the honest two.
pub(crate) fn header(tag: VerificationTag) -> CommonHeader {
    CommonHeader { source_port: PORT, destination_port: PORT, verification_tag: tag }
}

/// An unused address, of the same version as `beside`.
pub(crate) fn invented(beside: SocketAddr, dice: &mut Dice) -> SocketAddr {
    let (near, host) = (dice.one_of(&[77, 78, 79]), 1 + dice.below(250) as u8);
    match beside {
        SocketAddr::V4(_) => SocketAddr::from(([10, near, dice.below(4) as u8, host], PORT)),
        SocketAddr::V6(_) => {
            SocketAddr::from(([0x2001, 0xdb8, near.into(), 1, 0, 0, 0, u16::from(host)], PORT))
        }
    }
}
