//! An attacker on the path that writes nothing of its own: it repeats packets, late or elsewhere, and their chunks in
//! other packets of the same tag.

use anabranch_sctp::wire::{Checksum, CommonHeader, Packet};

use super::blind::invented;
use super::shot::Shot;
use super::witness::{Seen, Witness};
use crate::hostile::framed;
use crate::pair::{Pair, chunk_names};
use crate::walk::Dice;

/// The packets that it repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    /// Packets of the present association.
    Repeat,
    /// One of them, many times.
    Often,
    /// The last of them, the latest first.
    Backwards,
    /// Some of them between other addresses.
    Elsewhere,
    /// Packets of the handshake.
    Handshake,
    /// Packets of an association before.
    Earlier,
    /// Every remembered packet of one association, in order.
    AllOfEarlier,
    /// Chunks of several packets in one, in any order.
    Bundled,
    /// A COOKIE-ECHO behind another chunk, once or often.
    CookieBehind,
    /// The beginning of a packet.
    Cut,
}

impl Past {
    /// Every kind.
    pub(crate) const ALL: &[Past] = &[
        Past::Repeat,
        Past::Often,
        Past::Backwards,
        Past::Elsewhere,
        Past::Handshake,
        Past::Earlier,
        Past::AllOfEarlier,
        Past::Bundled,
        Past::CookieBehind,
        Past::Cut,
    ];

    /// Returns the packets to send.
    pub(crate) fn shots(self, pair: &Pair, witness: &Witness, dice: &mut Dice) -> Vec<Shot> {
        let present = &witness.present;
        let earlier = match witness.earlier.len() {
            0 => &[],
            many => witness.earlier[dice.below(many as u64) as usize].as_slice(),
        };
        match self {
            Past::Repeat => some(present, 8, dice).into_iter().map(Seen::again).collect(),
            Past::Often => {
                let times = dice.one_of(&[3, 50]);
                some(present, 1, dice).into_iter().flat_map(|seen| vec![seen.again(); times]).collect()
            }
            Past::Backwards => present.iter().rev().take(20).map(Seen::again).collect(),
            Past::Elsewhere => {
                some(present, 5, dice).into_iter().map(|seen| elsewhere(pair, seen, dice)).collect()
            }
            Past::Handshake => {
                let all = present.iter().chain(witness.earlier.iter().flatten());
                let shakes: Vec<&Seen> = all.filter(|seen| is_handshake(seen)).collect();
                (0..6).filter_map(|_| pick(&shakes, dice)).map(Seen::again).collect()
            }
            Past::Earlier => some(earlier, 10, dice).into_iter().map(Seen::again).collect(),
            Past::AllOfEarlier => earlier.iter().map(Seen::again).collect(),
            Past::Bundled => bundled(present, dice).into_iter().collect(),
            Past::CookieBehind => cookie_behind(present, dice).into_iter().collect(),
            Past::Cut => some(present, 3, dice).into_iter().map(|seen| cut(seen, dice)).collect(),
        }
    }
}

/// Up to `most` of the packets that were seen, in their order.
fn some<'a>(seen: &'a [Seen], most: u64, dice: &mut Dice) -> Vec<&'a Seen> {
    let first = dice.below(seen.len().max(1) as u64) as usize;
    let step = 1 + dice.below(3) as usize;
    seen.iter().skip(first).step_by(step).take(1 + dice.below(most) as usize).collect()
}

fn pick<T: Copy>(from: &[T], dice: &mut Dice) -> Option<T> {
    from.get(dice.below(from.len().max(1) as u64) as usize).copied()
}

fn is_handshake(seen: &Seen) -> bool {
    let names = chunk_names(&seen.bytes);
    names.contains("INIT") || names.contains("COOKIE")
}

fn elsewhere(pair: &Pair, seen: &Seen, dice: &mut Dice) -> Shot {
    let shot =
        Shot::between(pair, seen.to, dice.below(pair.pipes.len() as u64) as usize, seen.bytes.to_vec());
    if dice.is_one_in(2) { Shot { remote: invented(shot.local, dice), ..shot } } else { shot }
}

/// The chunks of several packets with one header, drawn with repetition.
fn bundled(seen: &[Seen], dice: &mut Dice) -> Option<Shot> {
    let first = pick(&seen.iter().collect::<Vec<_>>(), dice)?;
    let alike: Vec<&Seen> =
        seen.iter().filter(|other| other.to == first.to && header_of(other) == header_of(first)).collect();
    let mut chunks = Vec::new();
    for _ in 0..dice.one_of(&[2, 5, 40]) {
        let among = frames(&pick(&alike, dice)?.bytes);
        if let Some(chunk) = pick(&among, dice).filter(|chunk| chunks.len() + chunk.len() < LARGEST) {
            chunks.extend_from_slice(chunk);
        }
    }
    Some(Shot { bytes: framed(header_of(first)?, &chunks), ..first.again() })
}

fn cookie_behind(seen: &[Seen], dice: &mut Dice) -> Option<Shot> {
    let echo = seen.iter().find(|seen| chunk_names(&seen.bytes).starts_with("COOKIE-ECHO"))?;
    let header = header_of(echo)?;
    let others: Vec<&Seen> = seen
        .iter()
        .filter(|other| {
            let is_handshake = is_handshake(other);
            other.to == echo.to && header_of(other) == Some(header) && !is_handshake
        })
        .collect();
    let mut chunks = frames(&pick(&others, dice)?.bytes).first()?.to_vec();
    let cookie = *frames(&echo.bytes).first()?;
    for _ in 0..dice.one_of(&[1, 2, 100]) {
        if chunks.len() + cookie.len() < LARGEST {
            chunks.extend_from_slice(cookie);
        }
    }
    Some(Shot { bytes: framed(header, &chunks), ..echo.again() })
}

fn cut(seen: &Seen, dice: &mut Dice) -> Shot {
    let body = &seen.bytes[CommonHeader::LEN..];
    let kept = if dice.is_one_in(2) {
        // At the border of a chunk, or anywhere.
        frames(&seen.bytes).first().map_or(0, |first| first.len())
    } else {
        1 + dice.below(body.len().max(1) as u64) as usize
    };
    let bytes = header_of(seen)
        .map_or_else(|| seen.bytes.to_vec(), |header| framed(header, &body[..kept.min(body.len())]));
    Shot { bytes, ..seen.again() }
}

fn header_of(seen: &Seen) -> Option<CommonHeader> {
    Packet::decode(&seen.bytes, Checksum::Omitted).ok().map(|packet| packet.header())
}

/// A packet's chunks as they stand in it, with their padding.
fn frames(packet: &[u8]) -> Vec<&[u8]> {
    let mut rest = packet.get(CommonHeader::LEN..).unwrap_or_default();
    let mut frames = Vec::new();
    while let [_, _, high, low, ..] = *rest {
        let length = usize::from(u16::from_be_bytes([high, low])).max(4).next_multiple_of(4).min(rest.len());
        let (frame, behind) = rest.split_at(length);
        frames.push(frame);
        rest = behind;
    }
    frames
}

/// The largest UDP payload, less its headers.
const LARGEST: usize = 65_000;
