//! Invariants under arbitrary datagrams: the bodies of the fuzz targets `sealed` and `sealed_handshake`, which
//! `hostile_datagrams.rs` also runs on its own inputs, as it does `sealed_clients`. This file has the first: one
//! session and its packets.
#![allow(dead_code, unused_imports, reason = "each fuzz target uses one of the bodies")]

mod shake;

use std::net::SocketAddr;

use anabranch_net::Key;
use anabranch_net::seal::{Ciphers, Datagram, Limits, Opened, Route, Sealed, Sealing, initiated};
use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::endpoint::{Channel, ChannelUse};
use anabranch_sctp::policy::PathId;

pub(crate) use shake::{sealed_clients, sealed_handshake};

/// The bytes choose the actions of two sealed layers and an attacker between them: seal, deliver, repeat, change,
/// forge. Every delivered packet was sealed by the other end and arrives once; nothing panics; the state is bounded.
pub(crate) fn sealed(bytes: &[u8]) {
    let mut scene = Scene::new();
    let mut rest = bytes;
    while let [deed, argument, left @ ..] = rest {
        rest = left;
        let argument = usize::from(*argument);
        match deed % 9 {
            0 | 1 => scene.seal(End::Near, argument),
            2 => scene.seal(End::Far, argument),
            3 | 4 => scene.deliver(argument, |_| {}),
            5 => scene.deliver(argument, |datagram| {
                let at = argument % datagram.len();
                datagram[at] ^= 1 << (deed >> 5);
            }),
            6 => scene.deliver(argument, |datagram| datagram.truncate(argument % datagram.len())),
            8 => scene.probe(if argument % 2 == 0 { End::Near } else { End::Far }),
            _ => {
                let (raw, behind) = left.split_at(argument.min(left.len()));
                rest = behind;
                scene.forge(raw);
            }
        }
    }
    scene.check();
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Near,
    Far,
}

/// A datagram in flight, with its packet; `None` for a handshake message.
struct Flying {
    to: End,
    datagram: Vec<u8>,
    packet: Option<u32>,
}

struct Scene {
    near: Sealing,
    far: Sealing,
    /// The channel by which the far end was reached, once something arrived.
    channel: Option<Channel>,
    flying: Vec<Flying>,
    sealed: u32,
    /// True if each packet was delivered.
    delivered: Vec<bool>,
}

impl Scene {
    fn new() -> Scene {
        let limits = Limits { renew_after: 20, most_sealed: 100, last_counter: 60, most_forged: 1 << 20 };
        let layer = || Sealing::new(&Key::from_bytes([7; Key::LEN]), Ciphers::ALL, limits);
        let mut near = layer();
        near.on_use(ChannelUse::Taken(initiated(1)));
        let (flying, delivered) = (Vec::new(), Vec::new());
        Scene { near, far: layer(), channel: None, flying, sealed: 0, delivered }
    }

    fn seal(&mut self, from: End, argument: usize) {
        let (layer, channel, to) = match (from, self.channel) {
            (End::Near, _) => (&mut self.near, initiated(1), End::Far),
            (End::Far, Some(channel)) => (&mut self.far, channel, End::Near),
            (End::Far, None) => return,
        };
        let packet = [&self.sealed.to_be_bytes()[..], &[from as u8], &vec![0x5a; argument]].concat();
        let route = Route::of(PathId::from_index(argument % 3)).unwrap_or(Route::NO_PATH);
        let mut datagram = Vec::new();
        let is_packet = match layer.seal(channel, route, [&packet[..]].into_iter(), &mut datagram) {
            Sealed::Packets => {
                assert_eq!(datagram.len(), packet.len() + Datagram::OVERHEAD);
                true
            }
            Sealed::Initiation => {
                assert_eq!(datagram.len(), Datagram::HANDSHAKE_LEN);
                false
            }
            Sealed::Nothing => return assert!(datagram.is_empty()),
        };
        // The packet that waits for the response will be in another datagram, which is identified by its number as
        // well.
        let number = self.sealed;
        self.sealed += 1;
        self.delivered.push(false);
        self.flying.push(Flying { to, datagram, packet: is_packet.then_some(number) });
        let mut control = Vec::new();
        if layer.take_control(channel, &mut control).is_some() {
            self.flying.push(Flying { to, datagram: control, packet: None });
        }
    }

    fn probe(&mut self, from: End) {
        let (layer, channel, to) = match (from, self.channel) {
            (End::Near, _) => (&mut self.near, initiated(1), End::Far),
            (End::Far, Some(channel)) => (&mut self.far, channel, End::Near),
            (End::Far, None) => return,
        };
        let mut datagram = Vec::new();
        if layer.probe(channel, &mut datagram).is_some() {
            self.flying.push(Flying { to, datagram, packet: None });
        }
    }

    fn deliver(&mut self, argument: usize, change: impl FnOnce(&mut Vec<u8>)) {
        if self.flying.is_empty() {
            return;
        }
        let flying = &self.flying[self.flying.len() - 1 - argument % self.flying.len()];
        let (to, packet) = (flying.to, flying.packet);
        let mut datagram = flying.datagram.clone();
        change(&mut datagram);
        let is_changed = datagram != flying.datagram;
        let (opened, out) = self.handle(to, &datagram);
        assert!(!is_changed || opened == Opened::Nothing, "a changed datagram is nothing");
        match opened {
            Opened::Nothing => assert!(out.is_empty()),
            Opened::Reply => {
                let back = if to == End::Near { End::Far } else { End::Near };
                self.flying.push(Flying { to: back, datagram: out, packet: None });
            }
            Opened::Forgotten(_) => panic!("both have the session"),
            Opened::Packet { channel, .. } => {
                if to == End::Far {
                    self.channel = Some(channel);
                    self.far.on_use(ChannelUse::Taken(channel));
                }
                let (number, _) = out.split_first_chunk::<4>().expect("what was sealed");
                let number = u32::from_be_bytes(*number);
                assert!(packet.is_none_or(|packet| packet == number));
                assert_ne!(out[4], to as u8, "no end receives its own packets");
                assert!(!std::mem::replace(&mut self.delivered[number as usize], true), "twice the same");
            }
        }
    }

    /// Delivers bytes that were never sealed to both ends.
    fn forge(&mut self, raw: &[u8]) {
        for end in [End::Near, End::Far] {
            assert_eq!(self.handle(end, raw).0, Opened::Nothing);
        }
    }

    fn handle(&mut self, to: End, datagram: &[u8]) -> (Opened, Vec<u8>) {
        let (near, far): (SocketAddr, SocketAddr) = (([10, 0, 0, 1], 1).into(), ([10, 0, 0, 2], 2).into());
        let (layer, addresses) = match to {
            End::Near => (&mut self.near, PathAddresses { local: near, remote: far }),
            End::Far => (&mut self.far, PathAddresses { local: far, remote: near }),
        };
        let (mut datagram, mut out) = (datagram.to_vec(), b"before".to_vec());
        let opened = layer.handle(addresses, &mut datagram, &mut out);
        assert_eq!(&out[..6], b"before");
        match opened {
            Opened::Packet { len, .. } => (opened, datagram[Datagram::PACKET_AT..][..len].to_vec()),
            _ => (opened, out.split_off(6)),
        }
    }

    fn check(&self) {
        assert_eq!(self.near.len(), 1);
        assert!(self.far.len() <= 2, "an initiation that is repeated after the handshake makes one more");
    }
}
