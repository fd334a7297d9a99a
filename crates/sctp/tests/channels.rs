//! Associations below which a driver authenticates packets, peer by peer: what holds for a peer with another channel
//! that has every tag and sends from any address.

use std::net::SocketAddr;

use anabranch_base::{ByteCount, Duration, Seed, Time};
use anabranch_sctp::association::{AssociationState, Ecn, Outgoing, PathAddresses, Reliability};
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::{
    Arrival, AssociationId, Channel, ChannelUse, Departure, Endpoint, EndpointConfig,
};
use anabranch_sctp::event::Event;
use anabranch_sctp::policy::{PathId, PathState, Registry};
use anabranch_sctp::wire::{Ppid, StreamId};
use bytes::Bytes;

const OURS: Channel = Channel::new(7);
const OTHER: Channel = Channel::new(8);

fn address(last: u8, port: u16) -> SocketAddr {
    ([10, 0, 0, last], port).into()
}

fn endpoint(last: u8, seed: u64) -> Endpoint {
    let config = EndpointConfig {
        association: Config::rfc9260(),
        registry: Registry::standard(),
        port: 9899,
        accepts: true,
        local: vec![address(last, 9899)],
        max_associations: 10,
    };
    Endpoint::new(config, Seed::from_number(seed)).expect("good settings")
}

fn sent(endpoint: &mut Endpoint, now: Time) -> Vec<(Departure, Bytes)> {
    let mut all = Vec::new();
    let mut bytes = Vec::new();
    while let Some(departure) = endpoint.poll_transmit(now, &mut bytes, 1) {
        all.push((departure, Bytes::from(std::mem::take(&mut bytes))));
    }
    all
}

/// The packet as it arrives, from where it was sent, by its channel.
fn arriving(departure: &Departure, bytes: &Bytes) -> Arrival {
    let Departure { local, remote, channel, .. } = *departure;
    let memory = ByteCount::of_len(bytes.len());
    Arrival { local: remote, remote: local, channel, ecn: Ecn::NotEct, bytes: bytes.clone(), memory }
}

/// Everything that both send until neither sends anything.
fn settle(a: &mut Endpoint, z: &mut Endpoint, now: Time) -> Vec<Arrival> {
    let mut all = Vec::new();
    loop {
        let there: Vec<_> =
            sent(a, now).iter().map(|(departure, bytes)| arriving(departure, bytes)).collect();
        there.iter().for_each(|arrival| z.handle(now, arrival));
        let back: Vec<_> = sent(z, now).iter().map(|(departure, bytes)| arriving(departure, bytes)).collect();
        back.iter().for_each(|arrival| a.handle(now, arrival));
        if there.is_empty() && back.is_empty() {
            return all;
        }
        all.extend(there.into_iter().chain(back));
    }
}

struct Open {
    a: Endpoint,
    z: Endpoint,
    ids: [AssociationId; 2],
    /// The packets of both ends.
    seen: Vec<Arrival>,
}

fn open() -> Open {
    let (mut a, mut z) = (endpoint(1, 1), endpoint(2, 2));
    let near = a.connect_by(OURS, &[address(2, 9899)]).expect("an address");
    let seen = settle(&mut a, &mut z, Time::ZERO);
    let connected = |endpoint: &mut Endpoint| loop {
        if let (id, Event::Connected) = endpoint.poll_event().expect("it connects") {
            return id;
        }
    };
    let far = connected(&mut z);
    assert_eq!(connected(&mut a), near);
    Open { a, z, ids: [near, far], seen }
}

fn message(text: &'static str) -> Outgoing {
    Outgoing {
        stream: StreamId::new(0),
        ppid: Ppid::new(0),
        unordered: false,
        immediate: false,
        reliability: Reliability::Full,
        payload: text.into(),
    }
}

#[test]
fn an_association_speaks_by_the_channel_in_which_it_was_opened() {
    let Open { mut a, mut z, ids, seen } = open();
    assert!(seen.iter().all(|arrival| arrival.channel == OURS));
    for endpoint in [&mut a, &mut z] {
        assert_eq!(endpoint.poll_channel_use(), Some(ChannelUse::Taken(OURS)));
        assert_eq!(endpoint.poll_channel_use(), None);
    }
    a.association_mut(ids[0]).expect("open").send(Time::ZERO, message("mine")).expect("room");
    let packets = sent(&mut a, Time::ZERO);
    assert_eq!((packets[0].0.channel, packets[0].0.association), (OURS, Some(ids[0])));
    a.remove(Time::ZERO, ids[0]);
    assert_eq!(a.poll_channel_use(), Some(ChannelUse::Released(OURS)));
    let farewell = sent(&mut a, Time::ZERO);
    assert_eq!((farewell[0].0.channel, farewell[0].0.association), (OURS, None), "the ABORT");
}

#[test]
fn what_comes_by_another_channel_neither_adds_to_an_association_nor_ends_it() {
    let Open { mut a, mut z, ids, seen } = open();
    a.association_mut(ids[0]).expect("open").send(Time::ZERO, message("forged?")).expect("room");
    let data = sent(&mut a, Time::ZERO);
    a.association_mut(ids[0]).expect("open").abort("forged?");
    let abort = sent(&mut a, Time::ZERO);
    // Every packet of A's own, COOKIE-ECHO and all, with the right tags and addresses.
    let mine: Vec<Arrival> =
        data.iter().chain(&abort).map(|(departure, bytes)| arriving(departure, bytes)).collect();
    for arrival in seen.iter().filter(|arrival| arrival.local == address(2, 9899)).chain(&mine) {
        z.handle(Time::ZERO, &Arrival { channel: OTHER, ..arrival.clone() });
        z.handle(Time::ZERO, &Arrival { channel: Channel::PLAIN, ..arrival.clone() });
    }
    let far = z.association_mut(ids[1]).expect("alive");
    assert_eq!((far.state(), far.receive().is_none()), (AssociationState::Established, true));
    assert_eq!(z.len(), 1);
    let answers = sent(&mut z, Time::ZERO);
    assert!(
        answers.iter().all(|(departure, _)| departure.channel != OURS),
        "strangers are answered as strangers"
    );
}

#[test]
fn a_path_follows_its_peer_and_is_verified_there() {
    let Open { mut a, mut z, ids, .. } = open();
    let now = Time::ZERO + Duration::from_secs(1);
    let (path, moved) =
        (PathAddresses { local: address(2, 9899), remote: address(1, 9899) }, address(99, 4242));
    z.follow(now, OTHER, path, moved);
    assert_eq!(z.association(ids[1]).expect("alive").path_addresses(PathId::FIRST), path, "not its channel");
    z.follow(now, OURS, path, moved);
    let far = z.association(ids[1]).expect("alive");
    assert_eq!(far.path_addresses(PathId::FIRST).remote, moved);
    assert_eq!((far.paths().len(), far.paths()[0].state), (1, PathState::Unconfirmed));
    // HEARTBEAT goes to the new address; the answer from there confirms it.
    let probes = sent(&mut z, now);
    assert_eq!(probes.iter().map(|(departure, _)| departure.remote).collect::<Vec<_>>(), [moved]);
    let arrival = Arrival { local: address(1, 9899), ..arriving(&probes[0].0, &probes[0].1) };
    a.handle(now, &arrival);
    for (departure, bytes) in sent(&mut a, now) {
        z.handle(now, &Arrival { remote: moved, ..arriving(&departure, &bytes) });
    }
    assert_eq!(z.association(ids[1]).expect("alive").paths()[0].state, PathState::Active);
}
