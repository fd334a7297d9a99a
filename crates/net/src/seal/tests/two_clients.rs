//! Two clients with valid keys and associations at one server: one sends with the other's tags and from its addresses.

use anabranch_base::{ByteCount, Seed, Time};
use anabranch_sctp::association::{AssociationState, Ecn, Message, Outgoing, Reliability};
use anabranch_sctp::config::{Config, Encapsulation};
use anabranch_sctp::endpoint::{Arrival, AssociationId, Endpoint, EndpointConfig};
use anabranch_sctp::event::Event;
use anabranch_sctp::policy::Registry;
use anabranch_sctp::wire::{Checksum, Ppid, StreamId};
use bytes::Bytes;

use super::clients::{DOOR, both, client_of, server};
use super::*;

/// A core above a sealed layer, at one address.
struct End {
    core: Endpoint,
    layer: Sealing,
    address: SocketAddr,
    /// The packets before sealing, with their channels.
    plain: Vec<(Channel, Vec<u8>)>,
}

/// A sealed datagram on its way.
struct Flying {
    from: SocketAddr,
    to: SocketAddr,
    bytes: Vec<u8>,
}

impl End {
    fn new(last: u8, layer: Sealing) -> End {
        let association =
            Config { encapsulation: Encapsulation::Sealed, checksum: Checksum::Omitted, ..Config::rfc9260() };
        let config = EndpointConfig {
            association,
            registry: Registry::standard(),
            port: 9899,
            accepts: true,
            local: vec![address(last, 9899)],
            max_associations: 10,
        };
        let core = Endpoint::new(config, Seed::from_number(last.into())).expect("good settings");
        End { core, layer, address: address(last, 9899), plain: Vec::new() }
    }

    fn sent(&mut self) -> Vec<Flying> {
        while let Some(news) = self.core.poll_channel_use() {
            self.layer.on_use(news);
        }
        let mut all = Vec::new();
        let mut packet = Vec::new();
        while let Some(departure) = self.core.poll_transmit(Time::ZERO, &mut packet, 1) {
            let route = departure.association.and_then(|_| Route::of(departure.transmit.path));
            let mut bytes = Vec::new();
            let route = route.unwrap_or(Route::NO_PATH);
            self.layer.seal(departure.channel, route, [&packet[..]].into_iter(), &mut bytes);
            self.plain.push((departure.channel, std::mem::take(&mut packet)));
            all.push(Flying { from: departure.local, to: departure.remote, bytes });
        }
        all
    }

    /// Handles a datagram, and returns what goes back at once.
    fn handle(&mut self, flying: Flying) -> Option<Flying> {
        let Flying { from, to, mut bytes } = flying;
        let mut reply = Vec::new();
        match self.layer.handle(PathAddresses { local: to, remote: from }, &mut bytes, &mut reply) {
            Opened::Packet { channel, len, remote, moved_from } => {
                assert_eq!(moved_from, None);
                let packet = Bytes::copy_from_slice(&bytes[Datagram::PACKET_AT..][..len]);
                let memory = ByteCount::of_len(len);
                let arrival = Arrival { local: to, remote, channel, ecn: Ecn::NotEct, bytes: packet, memory };
                self.core.handle(Time::ZERO, &arrival);
                None
            }
            Opened::Reply => Some(Flying { from: to, to: from, bytes: reply }),
            Opened::Forgotten(_) | Opened::Nothing => None,
        }
    }

    fn connected(&mut self) -> AssociationId {
        loop {
            if let (id, Event::Connected) = self.core.poll_event().expect("it connects") {
                return id;
            }
        }
    }
}

/// Delivers everything between a client and the server until both have nothing to send.
fn settle(near: &mut End, far: &mut End) {
    loop {
        let mut flying = near.sent();
        flying.extend(far.sent());
        if flying.is_empty() {
            return;
        }
        while let Some(next) = flying.pop() {
            let end = if next.to == far.address { &mut *far } else { &mut *near };
            flying.extend(end.handle(next));
        }
    }
}

struct Scene {
    ada: End,
    ben: End,
    far: End,
    /// The associations of Ada: her own, and the server's.
    of_ada: [AssociationId; 2],
}

fn scene() -> Scene {
    let limits = Limits::default();
    let mut far = End::new(9, server(&both(), limits));
    let mut ends = [1, 2].map(|own| {
        let mut end = End::new(own, client_of(DOOR, own, limits));
        // `client_of` has taken the channel once.
        let id = end.core.connect_by(NEAR, &[address(9, 9899)]).expect("an address");
        (end, id)
    });
    let ids = ends.each_mut().map(|(near, id)| {
        settle(near, &mut far);
        assert_eq!(near.connected(), *id);
        [*id, far.connected()]
    });
    let [(ada, _), (ben, _)] = ends;
    Scene { ada, ben, far, of_ada: ids[0] }
}

fn say(end: &mut End, id: AssociationId, text: &'static str) {
    let message = Outgoing {
        stream: StreamId::new(0),
        ppid: Ppid::new(0),
        unordered: false,
        immediate: false,
        reliability: Reliability::Full,
        payload: text.into(),
    };
    end.core.association_mut(id).expect("open").send(Time::ZERO, message).expect("room");
}

/// A packet with the ports of all, this tag, and a chunk without a body.
fn bare(tag: u32, kind: u8, flags: u8) -> Vec<u8> {
    [&[0x26, 0xab, 0x26, 0xab][..], &tag.to_be_bytes(), &[0; 4], &[kind, flags, 0, 4]].concat()
}

#[test]
fn what_a_client_sends_with_the_tags_and_addresses_of_another_changes_nothing_of_its_association() {
    let Scene { mut ada, mut ben, mut far, of_ada: [near, there] } = scene();
    say(&mut ada, near, "forged?");
    // On its way: every packet of Ada's, and an ABORT and a SHUTDOWN-COMPLETE with either tag.
    let held = ada.sent();
    let (own, peer) = ada.core.association(near).expect("open").tags();
    let peer = peer.expect("known");
    let mut packets: Vec<Vec<u8>> = ada.plain.iter().map(|(_, packet)| packet.clone()).collect();
    for tag in [own, peer] {
        for (kind, flags) in [(6, 0), (6, 1), (14, 0), (14, 1), (7, 0), (8, 0)] {
            packets.push(bare(tag.get(), kind, flags));
        }
    }
    assert!(packets.len() > 14, "INIT, COOKIE-ECHO, DATA");
    for packet in &packets {
        for from in [ada.address, ben.address, address(66, 6)] {
            let mut bytes = Vec::new();
            let what = ben.layer.seal(NEAR, Route::NO_PATH, [&packet[..]].into_iter(), &mut bytes);
            assert_eq!(what, Sealed::Packets);
            // It opens as Ben's.
            far.handle(Flying { from, to: far.address, bytes });
        }
    }
    let association = far.core.association_mut(there).expect("alive");
    assert_eq!(association.state(), AssociationState::Established);
    assert!(association.receive().is_none(), "nothing was added");
    assert_eq!(association.paths().len(), 1);
    // Whatever is answered is sealed for Ben.
    let answers = far.plain.len();
    far.sent();
    let channel_of_ada = far.plain[0].0;
    assert!(far.plain[answers..].iter().all(|(channel, _)| *channel != channel_of_ada));
    // What Ada sent meanwhile arrives, and her path is where it was.
    for flying in held {
        far.handle(flying);
    }
    let association = far.core.association_mut(there).expect("alive");
    assert_eq!(association.receive().map(Message::into_bytes), Some("forged?".into()));
    assert_eq!(association.path_addresses(PathId::FIRST).remote, ada.address);
    while let Some((id, event)) = far.core.poll_event() {
        assert!(id != there || event == Event::Readable, "{event:?}");
    }
    assert_eq!(far.core.len(), 2, "no association was opened");
}
