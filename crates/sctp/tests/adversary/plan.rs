//! The play that a seed stands for: the network and its buffers, what each end and each attacker does, and in which
//! order.

use anabranch_base::ByteCount;
use anabranch_sctp::config::{Config, Growth, IpVersion, MessageLimit, StreamScheduler};

use super::{Guess, Lie, Past};
use crate::pair::{End, Variant};
use crate::walk::Dice;

/// The settings of a play.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) seed: u64,
    pub(crate) powers: Powers,
    pub(crate) profile: &'static str,
    pub(crate) variant: Variant,
    pub(crate) versions: Vec<IpVersion>,
    pub(crate) delays_ms: Vec<u64>,
    pub(crate) mtu: u64,
    pub(crate) receive_buffer: u64,
    /// The growth limit of the receive buffer; 0 for a fixed one.
    pub(crate) growth: u64,
    pub(crate) send_buffer: u64,
    pub(crate) inbound_streams: u16,
    pub(crate) dynamic_addresses: bool,
    /// Both ends offer FORWARD-TSN, and take one from a liar.
    pub(crate) partial_reliability: bool,
    pub(crate) interleaving: bool,
    pub(crate) stream_scheduler: StreamScheduler,
    /// Both ends send NR-SACKs, and take one from a liar.
    pub(crate) nr_sack: bool,
    /// Both ends receive messages in parts, and send any that fit into the send buffer.
    pub(crate) partial_delivery: bool,
    /// Both ends offer RE-CONFIG, and take one from a liar.
    pub(crate) stream_reconfiguration: bool,
    /// Both ends open.
    pub(crate) collides: bool,
    /// A may lose its memory; then every message is long enough to say which association it belongs to.
    pub(crate) crashes: bool,
}

/// The powers of the attacker. Guessing is always possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Powers {
    /// It sees every packet, and repeats, delays, cuts and bundles what it saw.
    pub(crate) sees: bool,
    /// It sees every packet, and writes others with the right tags.
    pub(crate) forges: bool,
    /// It has associations of its own with Z.
    pub(crate) lies: bool,
}

/// One event of a play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// An end sends `count` messages, or as many as there is room for.
    Send { end: End, stream: u16, unordered: bool, length: usize, count: usize },
    /// An end reads all that waits.
    Read(End),
    /// Time passes.
    Pass { milliseconds: u64 },
    /// The network's chances change.
    Fortune { loss: u32, duplication: u32, jitter_ms: u64 },
    /// An end's host loses its address on a pipe.
    Leave(End, usize),
    /// The host has the address again.
    Return(End, usize),
    /// An end closes.
    Close(End),
    /// An end aborts the association.
    CallOff(End),
    /// A loses its memory and opens another association.
    Crash,
    /// Everything is delivered, both close, and open another association.
    Renew,
    /// Z's application sends `count` messages to a liar.
    Serve { liar: usize, length: usize, count: usize },
    /// An attacker that sees nothing guesses; the number seeds its draws.
    Guess(Guess, u64),
    /// An attacker that sees everything repeats packets.
    Repeat(Past, u64),
    /// A peer lies `times` times.
    Lie { liar: usize, lie: Lie, times: u8, draw: u64 },
    /// An attacker that has the tags of the honest two lies to one of them in the name of the other.
    Forge { to: End, lie: Lie, draw: u64 },
}

/// The play of a seed.
pub(crate) fn plan(seed: u64) -> (Scene, Vec<Act>) {
    let mut dice = Dice::of(seed ^ 0xadd5_0000);
    let scene = scene(seed, &mut dice);
    match seed % 300 {
        298 => return crowd(&scene),
        299 => return mass(&scene),
        _ => {}
    }
    let count = 10 + dice.below(40) as usize;
    let acts = (0..count).map(|_| act(&mut dice, &scene)).collect();
    (scene, acts)
}

fn scene(seed: u64, dice: &mut Dice) -> Scene {
    let pipes = dice.one_of(&[1, 1, 2, 2, 3]);
    let receive_buffer = dice.one_of(&[1500, 3000, 6000, 20_000, 65_536, 1 << 20]);
    let growth = if dice.is_one_in(4) { receive_buffer * dice.one_of(&[2, 8]) } else { 0 };
    Scene {
        seed,
        powers: powers(dice),
        variant: Variant::STANDARD,
        profile: dice.one_of(&["rfc9260", "rfc9260", "tuned-1", "tuned-1", "rfc4960", "rfc2960"]),
        versions: (0..pipes)
            .map(|_| dice.one_of(&[IpVersion::V4, IpVersion::V4, IpVersion::V6]))
            .map(|version| if pipes == 1 { IpVersion::V4 } else { version })
            .collect(),
        delays_ms: (0..pipes).map(|_| dice.one_of(&[1, 5, 20, 80])).collect(),
        mtu: dice.one_of(&[576, 1280, 1500, 1500, 9000]),
        receive_buffer,
        growth,
        send_buffer: dice.one_of(&[2000, 20_000, 200_000, 1 << 20]),
        inbound_streams: dice.one_of(&[16, 16, 2048]),
        dynamic_addresses: dice.is_one_in(3),
        collides: dice.is_one_in(8),
        crashes: dice.is_one_in(5),
        partial_reliability: seed.is_multiple_of(3),
        interleaving: seed % 5 < 2,
        stream_scheduler: match seed % 4 {
            0 => StreamScheduler::RoundRobin,
            1 => StreamScheduler::WeightedFair,
            _ => StreamScheduler::FirstCome,
        },
        nr_sack: seed.is_multiple_of(2),
        partial_delivery: seed % 7 < 3,
        stream_reconfiguration: seed % 4 > 1,
    }
}

/// Ends with more addresses than an INIT of the least MTU holds.
fn crowd(scene: &Scene) -> (Scene, Vec<Act>) {
    let (versions, delays_ms) = (vec![IpVersion::V6; 60], vec![5; 60]);
    let acts = vec![Act::Pass { milliseconds: 500 }, Act::Guess(Guess::Init, scene.seed), Act::Renew];
    (Scene { versions, delays_ms, mtu: 576, ..scene.clone() }, acts)
}

/// More messages of a stream than half of its sequence numbers wait for one that was lost, at a sender whose window has
/// grown before.
fn mass(scene: &Scene) -> (Scene, Vec<Act>) {
    let send = |stream, length, count| Act::Send { end: End::A, stream, unordered: false, length, count };
    let pass = Act::Pass { milliseconds: 50 };
    let bulk = [send(1, 100_000, 40), pass, pass, pass, Act::Read(End::Z)].repeat(3);
    let loss = Act::Fortune { loss: 50, duplication: 0, jitter_ms: 0 };
    let acts =
        [vec![pass], bulk, vec![loss, send(0, 10, 65_000), Act::Pass { milliseconds: 2_000 }]].concat();
    let (receive_buffer, send_buffer) = (16 << 20, 16 << 20);
    let (profile, versions, delays_ms) = ("tuned-1", vec![IpVersion::V4], vec![1]);
    let powers = Powers { sees: false, forges: false, lies: false };
    (
        Scene {
            powers,
            profile,
            versions,
            delays_ms,
            mtu: 1500,
            receive_buffer,
            growth: 0,
            send_buffer,
            ..scene.clone()
        },
        acts,
    )
}

fn powers(dice: &mut Dice) -> Powers {
    let none = Powers { sees: false, forges: false, lies: false };
    match dice.below(8) {
        0 => none,
        1..4 => Powers { sees: true, ..none },
        4..6 => Powers { lies: true, ..none },
        6 => Powers { sees: true, lies: true, ..none },
        _ => Powers { sees: true, forges: true, lies: dice.is_one_in(2) },
    }
}

fn act(dice: &mut Dice, scene: &Scene) -> Act {
    let Powers { sees, forges, lies } = scene.powers;
    match dice.below(100) {
        0..45 => honest_act(dice, scene),
        45..55 => Act::Guess(dice.one_of(Guess::ALL), dice.roll()),
        55..75 if sees => Act::Repeat(dice.one_of(Past::ALL), dice.roll()),
        75..85 if forges => {
            let (to, lie) = (dice.one_of(&[End::A, End::Z]), dice.one_of(Lie::ALL));
            Act::Forge { to, lie, draw: dice.roll() }
        }
        85..88 if lies => Act::Serve {
            liar: dice.below(LIARS as u64) as usize,
            length: dice.one_of(&[1, 10, 100, 1000]),
            count: dice.one_of(&[1, 20, 500]),
        },
        60..100 if lies => Act::Lie {
            liar: dice.below(LIARS as u64) as usize,
            lie: dice.one_of(Lie::ALL),
            times: dice.one_of(&[1, 1, 2, 8]),
            draw: dice.roll(),
        },
        55..65 => Act::Guess(dice.one_of(Guess::ALL), dice.roll()),
        _ => honest_act(dice, scene),
    }
}

fn honest_act(dice: &mut Dice, scene: &Scene) -> Act {
    let (sees, pipes) = (scene.powers.sees, scene.versions.len());
    let (end, pipe) = (dice.one_of(&[End::A, End::Z]), dice.below(pipes as u64) as usize);
    match dice.below(100) {
        0..40 => {
            let length = dice.one_of(&[1, 1, 3, 10, 100, 1000, 1452, 5000, 20_000, 100_000]);
            let count = if length <= 100 { dice.one_of(&[1, 5, 50, 400]) } else { dice.one_of(&[1, 1, 4]) };
            let length = if scene.crashes { length.max(8) } else { length };
            let stream = dice.one_of(&[0, 0, 0, 1, 2, 15]);
            Act::Send { end, stream, unordered: dice.is_one_in(4), length, count }
        }
        40..55 => Act::Read(end),
        55..80 => Act::Pass { milliseconds: dice.one_of(&[0, 1, 5, 10, 50, 200, 1000, 5000]) },
        80 if pipes > 1 => Act::Leave(end, pipe),
        81 | 82 if pipes > 1 => Act::Return(end, pipe),
        80..90 => Act::Fortune {
            loss: dice.one_of(&[0, 0, 10, 50]),
            duplication: dice.one_of(&[0, 0, 50]),
            jitter_ms: dice.one_of(&[0, 0, 5, 50]),
        },
        90 => Act::CallOff(end),
        91..93 => Act::Close(end),
        93 if scene.crashes => Act::Crash,
        94..98 if sees => Act::Renew,
        94 => Act::Renew,
        95 if scene.crashes => Act::Crash,
        _ => Act::Read(end),
    }
}

impl Scene {
    /// The settings of both ends.
    pub(crate) fn config(&self) -> Config {
        let profile = Config::profile(self.profile).expect("a shipped profile");
        let growth = (self.growth > 0).then(|| Growth::to(ByteCount::new(self.growth)));
        // A fragment must fit into twice the buffer.
        let partial_delivery = self.partial_delivery && self.mtu < 2 * self.receive_buffer;
        let mut config = Config {
            mtu: ByteCount::new(self.mtu),
            receive_buffer: ByteCount::new(self.receive_buffer),
            receive_growth: growth,
            send_buffer: ByteCount::new(self.send_buffer),
            inbound_streams: self.inbound_streams,
            dynamic_addresses: self.dynamic_addresses,
            partial_reliability: self.partial_reliability,
            interleaving: self.interleaving,
            stream_scheduler: self.stream_scheduler,
            nr_sack: self.nr_sack,
            partial_delivery,
            message_limit: if partial_delivery {
                MessageLimit::SendBuffer
            } else {
                MessageLimit::BothBuffers
            },
            stream_reconfiguration: self.stream_reconfiguration,
            most_streams: self.inbound_streams,
            ..profile
        };
        (self.variant.prepare)(&mut config);
        config
    }
}

/// The number of peers that lie, if any does.
pub(crate) const LIARS: usize = 2;
