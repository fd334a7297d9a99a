//! Dialogues of two sealed layers without a network: packets lost, repeated, forged and moved, and keys worn out.

use std::net::SocketAddr;

use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::endpoint::{Channel, ChannelUse};
use anabranch_sctp::policy::PathId;

use super::*;

mod clients;
mod two_clients;

const NEAR: Channel = initiated(1);

fn address(last: u8, port: u16) -> SocketAddr {
    ([192, 0, 2, last], port).into()
}

/// The addresses from the initiator to the responder, seen by the responder.
fn there() -> PathAddresses {
    PathAddresses { local: address(2, 9899), remote: address(1, 5000) }
}

/// The addresses of the reverse direction.
fn back() -> PathAddresses {
    PathAddresses { local: address(1, 5000), remote: address(2, 9899) }
}

fn path(index: usize) -> Route {
    Route::of(PathId::from_index(index)).expect("few paths")
}

fn layer(key: u8) -> Sealing {
    limited(key, Limits::default())
}

fn limited(key: u8, limits: Limits) -> Sealing {
    Sealing::new(&Key::from_bytes([key; Key::LEN]), Ciphers::ALL, limits)
}

/// A layer that initiates a session with a peer.
fn initiating(limits: Limits) -> Sealing {
    let mut near = limited(1, limits);
    near.on_use(ChannelUse::Taken(NEAR));
    near
}

fn sealed(layer: &mut Sealing, channel: Channel, route: Route, packet: &[u8]) -> (Sealed, Vec<u8>) {
    let mut out = Vec::new();
    let what = layer.seal(channel, route, [packet].into_iter(), &mut out);
    (what, out)
}

/// A packet on the first path of an open session.
fn packet(layer: &mut Sealing, channel: Channel, packet: &[u8]) -> Vec<u8> {
    let (what, out) = sealed(layer, channel, path(0), packet);
    assert_eq!(what, Sealed::Packets);
    assert_eq!(out.len(), packet.len() + Datagram::OVERHEAD);
    out
}

fn handle(layer: &mut Sealing, addresses: PathAddresses, datagram: &[u8]) -> (Opened, Vec<u8>) {
    let (mut datagram, mut out) = (datagram.to_vec(), b"kept".to_vec());
    let opened = layer.handle(addresses, &mut datagram, &mut out);
    assert_eq!(&out[..4], b"kept");
    match opened {
        Opened::Packet { len, .. } => {
            assert_eq!(out.len(), 4);
            (opened, datagram[Datagram::PACKET_AT..][..len].to_vec())
        }
        _ => (opened, out.split_off(4)),
    }
}

fn opened(layer: &mut Sealing, addresses: PathAddresses, datagram: &[u8]) -> Option<(Channel, Vec<u8>)> {
    match handle(layer, addresses, datagram) {
        (Opened::Packet { channel, .. }, bytes) => Some((channel, bytes)),
        _ => None,
    }
}

/// Two ends after the handshake, and the channel of the responder.
struct Open {
    near: Sealing,
    far: Sealing,
    channel: Channel,
}

fn open_with(limits: Limits) -> Open {
    let (mut near, mut far) = (initiating(limits), limited(1, limits));
    // A -> initiation -> Z
    let (what, initiation) = sealed(&mut near, NEAR, path(0), b"INIT");
    assert_eq!((what, initiation.len()), (Sealed::Initiation, Datagram::HANDSHAKE_LEN));
    // A <- response <- Z
    let (what, response) = handle(&mut far, there(), &initiation);
    assert_eq!((what, response.len()), (Opened::Reply, Datagram::HANDSHAKE_LEN));
    // A -> the packet that waited -> Z
    let (what, held) = handle(&mut near, back(), &response);
    assert_eq!(what, Opened::Reply);
    let (channel, bytes) = opened(&mut far, there(), &held).expect("sealed for it");
    assert_eq!(bytes, b"INIT");
    far.on_use(ChannelUse::Taken(channel));
    Open { near, far, channel }
}

fn open() -> Open {
    open_with(Limits::default())
}

#[test]
fn packets_go_both_ways_after_one_datagram_each_way() {
    let Open { mut near, mut far, channel } = open();
    let back_again = packet(&mut far, channel, b"INIT-ACK");
    assert_eq!(opened(&mut near, back(), &back_again), Some((NEAR, b"INIT-ACK".to_vec())));
    let on = packet(&mut near, NEAR, b"COOKIE-ECHO");
    assert_eq!(opened(&mut far, there(), &on), Some((channel, b"COOKIE-ECHO".to_vec())));
    assert!(!on.windows(6).any(|window| window == b"COOKIE"), "it is encrypted");
}

#[test]
fn an_initiation_without_the_key_gets_no_response_and_leaves_nothing_behind() {
    let (mut near, mut far) = (initiating(Limits::default()), layer(2));
    let (_, initiation) = sealed(&mut near, NEAR, path(0), b"INIT");
    assert_eq!(handle(&mut far, there(), &initiation).0, Opened::Nothing);
    assert!(far.is_empty());
}

#[test]
fn lost_handshake_datagrams_are_sent_again_with_the_packet_that_waits() {
    let (mut near, mut far) = (initiating(Limits::default()), layer(1));
    // The initiation is lost. A retransmitted INIT, perhaps to another address, retransmits the same initiation.
    let (_, lost) = sealed(&mut near, NEAR, path(0), b"INIT");
    let (what, initiation) = sealed(&mut near, NEAR, path(1), b"INIT again");
    assert_eq!((what, &initiation), (Sealed::Initiation, &lost));
    // The response is lost. A repeated initiation gets the same response.
    let (_, lost) = handle(&mut far, there(), &initiation);
    let (_, initiation) = sealed(&mut near, NEAR, path(0), b"INIT, third");
    let (what, response) = handle(&mut far, there(), &initiation);
    assert_eq!((what, &response, far.len()), (Opened::Reply, &lost, 1));
    // Of the waiting packets the latest is sent; the second response has no effect.
    let (_, held) = handle(&mut near, back(), &response);
    assert_eq!(opened(&mut far, there(), &held).expect("sealed for it").1, b"INIT, third");
    assert_eq!(handle(&mut near, back(), &response).0, Opened::Nothing);
}

#[test]
fn no_bit_of_a_sealed_packet_may_change() {
    let Open { mut near, mut far, channel } = open();
    let whole = packet(&mut near, NEAR, b"some data of mine");
    for bit in 0..whole.len() * 8 {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(handle(&mut far, there(), &changed), (Opened::Nothing, Vec::new()), "bit {bit}");
    }
    assert_eq!(opened(&mut far, there(), &whole), Some((channel, b"some data of mine".to_vec())));
}

#[test]
fn truncated_and_lengthened_packets_are_dropped() {
    let Open { mut near, mut far, .. } = open();
    let whole = packet(&mut near, NEAR, b"some data of mine");
    for len in 0..whole.len() {
        assert_eq!(handle(&mut far, there(), &whole[..len]).0, Opened::Nothing, "{len} bytes");
    }
    assert_eq!(handle(&mut far, there(), &[&whole[..], &[0]].concat()).0, Opened::Nothing);
}

#[test]
fn a_packet_is_opened_once_on_whatever_path_it_comes_again() {
    let Open { mut near, mut far, .. } = open();
    let first = packet(&mut near, NEAR, b"pay 100");
    assert!(opened(&mut far, there(), &first).is_some());
    assert_eq!(handle(&mut far, there(), &first).0, Opened::Nothing);
    let elsewhere = PathAddresses { remote: address(66, 6), ..there() };
    assert_eq!(handle(&mut far, elsewhere, &first).0, Opened::Nothing);
    assert_eq!(handle(&mut near, back(), &first).0, Opened::Nothing, "nor by the end that sealed it");
}

#[test]
fn overtaken_packets_are_opened_unless_2048_others_overtook_them() {
    let Open { mut near, mut far, .. } = open();
    let mut all: Vec<Vec<u8>> =
        (0..=Window::LEN).map(|number| packet(&mut near, NEAR, &number.to_be_bytes())).collect();
    all.reverse();
    let last = all.pop().expect("the first that was sealed");
    for (place, one) in all.iter().enumerate() {
        assert!(opened(&mut far, there(), one).is_some(), "{place}");
    }
    assert_eq!(handle(&mut far, there(), &last).0, Opened::Nothing);
}

#[test]
fn paths_number_their_packets_apart_and_no_number_comes_twice() {
    let Open { mut near, mut far, .. } = open();
    let mut numbers = Vec::new();
    for round in 0..50_usize {
        for route in [path(0), path(1), path(1_023), Route::NO_PATH, Route::CONTROL] {
            let (what, bytes) = sealed(&mut near, NEAR, route, b"x");
            assert_eq!(what, Sealed::Packets);
            let Some(Datagram::Packet { number, .. }) = Datagram::parse(&bytes) else { panic!("no packet") };
            assert_eq!(number.route(), route);
            numbers.push(number);
            // A path a thousand packets behind is not too old because of others.
            if round == 0 || route != path(1) {
                handle(&mut far, there(), &bytes);
            }
        }
    }
    numbers.sort();
    assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn one_session_does_not_open_what_was_sealed_in_another() {
    let Open { mut near, mut far, channel } = open();
    near.on_use(ChannelUse::Taken(initiated(2)));
    let (_, initiation) = sealed(&mut near, initiated(2), path(0), b"INIT");
    let (_, response) = handle(&mut far, there(), &initiation);
    let (_, held) = handle(&mut near, back(), &response);
    let (other, _) = opened(&mut far, there(), &held).expect("sealed for it");
    assert_ne!(other, channel);
    // The peer of one session puts the other's id before its packet: injection into an established session.
    let mut forged = packet(&mut near, initiated(2), b"ABORT");
    let mine = packet(&mut near, NEAR, b"x");
    forged[..8].copy_from_slice(&mine[..8]);
    assert_eq!(handle(&mut far, there(), &forged).0, Opened::Nothing);
}

#[test]
fn an_attacker_with_the_key_can_neither_read_nor_add_to_a_session_it_only_sees() {
    let Open { mut near, mut far, channel } = open();
    let mut spy = initiating(Limits::default());
    let (_, initiation) = sealed(&mut spy, NEAR, path(0), b"INIT");
    let (_, response) = handle(&mut far, there(), &initiation);
    handle(&mut spy, back(), &response);
    let secret = packet(&mut near, NEAR, b"secret");
    assert_eq!(handle(&mut spy, there(), &secret).0, Opened::Nothing);
    let mut forged = packet(&mut spy, NEAR, b"ABORT");
    forged[..8].copy_from_slice(&secret[..8]);
    assert_eq!(handle(&mut far, there(), &forged).0, Opened::Nothing);
    assert_eq!(opened(&mut far, there(), &secret), Some((channel, b"secret".to_vec())));
}

#[test]
fn a_path_that_comes_from_elsewhere_is_told_when_its_latest_packet_does() {
    let Open { mut near, mut far, channel } = open();
    let mut send = |route, addresses| {
        let (_, bytes) = sealed(&mut near, NEAR, route, b"x");
        (handle(&mut far, addresses, &bytes).0, bytes)
    };
    let roamed = PathAddresses { remote: address(77, 7), ..there() };
    let came = |addresses: PathAddresses, moved_from| Opened::Packet {
        channel,
        len: 1,
        remote: addresses.remote,
        moved_from,
    };
    assert_eq!(send(path(0), there()).0, came(there(), None));
    assert_eq!(send(path(1), roamed).0, came(roamed, None), "another path comes from where it likes");
    assert_eq!(send(path(0), roamed).0, came(roamed, Some(there().remote)));
    assert_eq!(send(path(0), roamed).0, came(roamed, None), "told once");
    assert_eq!(
        send(Route::NO_PATH, there()).0,
        came(there(), None),
        "packets that answer for no association belong to no path"
    );
    // A reordered packet moves nothing, and its source is the one of its path: not the old address, nor that of the
    // attacker that delayed it. A repeated packet has no effect.
    let [late, later, held, next] = [b"1", b"2", b"3", b"4"].map(|x| sealed(&mut near, NEAR, path(0), x).1);
    assert_eq!(handle(&mut far, roamed, &later).0, came(roamed, None));
    assert_eq!(handle(&mut far, there(), &late).0, came(roamed, None));
    assert_eq!(handle(&mut far, there(), &later).0, Opened::Nothing);
    assert_eq!(handle(&mut far, roamed, &next).0, came(roamed, None));
    let thief = PathAddresses { remote: address(66, 6), ..there() };
    assert_eq!(handle(&mut far, thief, &held).0, came(roamed, None));
}

/// An attacker on a path redirects packets to several addresses of an end, each from an invented source.
#[test]
fn whichever_address_packets_are_led_to_a_path_comes_from_one_place_there() {
    let Open { mut near, mut far, channel } = open();
    let other = PathAddresses { local: address(3, 9899), ..there() };
    let from = |addresses: PathAddresses, host| PathAddresses { remote: address(host, 4), ..addresses };
    let mut send = |addresses: PathAddresses| {
        let (_, bytes) = sealed(&mut near, NEAR, path(0), b"x");
        handle(&mut far, addresses, &bytes).0
    };
    let came = |addresses: PathAddresses, moved_from| Opened::Packet {
        channel,
        len: 1,
        remote: addresses.remote,
        moved_from,
    };
    assert_eq!(send(there()), came(there(), None));
    assert_eq!(send(from(other, 50)), came(from(other, 50), None), "nothing came there before");
    assert_eq!(send(from(there(), 51)), came(from(there(), 51), Some(there().remote)));
    assert_eq!(send(from(other, 52)), came(from(other, 52), Some(from(other, 50).remote)), "it moved");
    assert_eq!(
        send(there()),
        came(there(), Some(from(there(), 51).remote)),
        "and back with the next true one"
    );
    // A delayed packet, redirected to an address without earlier packets, has the source of its path.
    let [held, later] = [b"1", b"2"].map(|x| sealed(&mut near, NEAR, path(1), x).1);
    assert_eq!(handle(&mut far, there(), &later).0, came(there(), None));
    assert_eq!(handle(&mut far, from(other, 53), &held).0, came(there(), None));
}

#[test]
fn a_forged_response_does_not_stop_the_true_one() {
    let (mut near, mut far) = (initiating(Limits::default()), layer(1));
    let (_, initiation) = sealed(&mut near, NEAR, path(0), b"INIT");
    let (_, response) = handle(&mut far, there(), &initiation);
    let mut forged = response.clone();
    forged[20] ^= 1;
    assert_eq!(handle(&mut near, back(), &forged).0, Opened::Nothing);
    assert_eq!(handle(&mut near, back(), &response).0, Opened::Reply);
}

#[test]
fn keys_are_renewed_within_the_session_and_overtaken_packets_still_open() {
    let limits = Limits { renew_after: 100, ..Limits::default() };
    let Open { mut near, mut far, channel } = open_with(limits);
    let mut ids = std::collections::BTreeSet::new();
    let mut overtaken = Vec::new();
    let mut lost = 0;
    for number in 0..2_000_u64 {
        let there_bytes = packet(&mut near, NEAR, &number.to_be_bytes());
        ids.insert(there_bytes[..8].to_vec());
        let mut control = Vec::new();
        if near.take_control(NEAR, &mut control).is_some() {
            lost += 1;
            // Some initiations and responses are lost.
            if lost % 3 == 0 {
                let (what, response) = handle(&mut far, there(), &control);
                assert_eq!(what, Opened::Reply);
                handle(&mut near, back(), &response);
            } else if lost % 3 == 1 {
                assert_eq!(handle(&mut far, there(), &control).0, Opened::Reply);
            }
        }
        overtaken.push((number, there_bytes));
        if overtaken.len() == 50 {
            for (number, bytes) in overtaken.drain(..).rev() {
                let arrived = opened(&mut far, there(), &bytes);
                assert_eq!(arrived, Some((channel, number.to_be_bytes().to_vec())), "{number}");
            }
        }
        let back_bytes = packet(&mut far, channel, b"SACK");
        assert!(opened(&mut near, back(), &back_bytes).is_some(), "{number}");
        if number.is_multiple_of(50) {
            // Whichever keys are in use, the other end has them.
            let mut sent = Vec::new();
            near.probe(NEAR, &mut sent).expect("open");
            let (_, reply) = handle(&mut far, there(), &sent);
            assert_eq!(handle(&mut near, back(), &reply).0, Opened::Nothing, "{number}");
        }
    }
    assert!((5..=40).contains(&ids.len()), "{} keys in 4,000 packets", ids.len());
    assert!(near.by_id_len() <= 3 && far.by_id_len() <= 3, "old keys are forgotten");
}

#[test]
fn the_numbers_of_a_path_end_and_fresh_keys_have_new_ones() {
    let limits = Limits { renew_after: 1 << 32, last_counter: 9, ..Limits::default() };
    let Open { mut near, .. } = open_with(limits);
    // INIT had the first number of no path.
    for _ in 0..10 {
        packet(&mut near, NEAR, b"x");
    }
    assert_eq!(sealed(&mut near, NEAR, path(0), b"x"), (Sealed::Nothing, Vec::new()), "never a number again");
    assert_eq!(sealed(&mut near, NEAR, path(1), b"x").0, Sealed::Packets);
    // With a limit well before the last counter, that counter is never reached.
    let limits = Limits { renew_after: 8, last_counter: 19, ..Limits::default() };
    let Open { mut near, mut far, .. } = open_with(limits);
    for number in 0..1_000 {
        let bytes = packet(&mut near, NEAR, b"x");
        assert!(opened(&mut far, there(), &bytes).is_some(), "{number}");
        let mut control = Vec::new();
        if near.take_control(NEAR, &mut control).is_some() {
            let (_, response) = handle(&mut far, there(), &control);
            handle(&mut near, back(), &response);
        }
    }
}

#[test]
fn no_more_packets_than_the_limit_are_sealed_with_the_same_keys() {
    let limits = Limits { renew_after: 6, most_sealed: 10, ..Limits::default() };
    let Open { mut near, mut far, channel } = open_with(limits);
    // INIT was the first packet; the paths share the limit.
    for number in 1..9 {
        assert_eq!(sealed(&mut near, NEAR, path(number % 3), b"x").0, Sealed::Packets, "{number}");
    }
    let mut control = Vec::new();
    near.take_control(NEAR, &mut control).expect("fresh keys are due");
    for number in 0..3 {
        assert_eq!(sealed(&mut near, NEAR, path(number), b"x"), (Sealed::Nothing, Vec::new()), "{number}");
    }
    assert_eq!(
        sealed(&mut far, channel, path(0), b"x").0,
        Sealed::Packets,
        "the other direction has its own"
    );
    // After the response packets are sent again.
    let (_, response) = handle(&mut far, there(), &control);
    handle(&mut near, back(), &response);
    assert_eq!(sealed(&mut near, NEAR, path(0), b"x").0, Sealed::Packets);
}

#[test]
fn a_session_uses_the_ciphers_of_both_ends_and_keeps_them_when_keys_are_renewed() {
    let (old, new) = (Ciphers::CHACHA20_ALONE, Ciphers::ALL);
    for (ours, theirs) in [(old, old), (old, new), (new, old), (new, new)] {
        let limits = Limits { renew_after: 8, ..Limits::default() };
        let layer = |ciphers| Sealing::new(&Key::from_bytes([1; Key::LEN]), ciphers, limits);
        let (mut near, mut far) = (layer(ours), layer(theirs));
        near.on_use(ChannelUse::Taken(NEAR));
        let (_, initiation) = sealed(&mut near, NEAR, path(0), b"INIT");
        let (_, response) = handle(&mut far, there(), &initiation);
        let (_, waited) = handle(&mut near, back(), &response);
        let (channel, _) = opened(&mut far, there(), &waited).expect("sealed for it");
        let mut control = Vec::new();
        for number in 0..40 {
            let bytes = packet(&mut near, NEAR, b"DATA");
            assert_eq!(opened(&mut far, there(), &bytes), Some((channel, b"DATA".to_vec())), "{number}");
            control.clear();
            if near.take_control(NEAR, &mut control).is_some() {
                let (_, response) = handle(&mut far, there(), &control);
                handle(&mut near, back(), &response);
            }
            assert_eq!(near.cipher(NEAR), Some(ours.choose(theirs)));
            assert_eq!(far.cipher(channel), near.cipher(NEAR));
        }
    }
}

#[test]
fn after_too_many_forgeries_nothing_is_opened_any_more() {
    let limits = Limits { most_forged: 3, ..Limits::default() };
    let Open { mut near, mut far, .. } = open_with(limits);
    for number in 0..3_u8 {
        let mut forged = packet(&mut near, NEAR, b"x");
        forged[20] ^= number + 1;
        assert_eq!(handle(&mut far, there(), &forged).0, Opened::Nothing);
    }
    let good = packet(&mut near, NEAR, b"x");
    assert_eq!(handle(&mut far, there(), &good).0, Opened::Nothing);
}

#[test]
fn initiations_without_end_leave_a_bounded_number_of_sessions() {
    let mut far = layer(1);
    let mut first = None;
    for number in 1..=1_000 {
        let mut near = limited(1, Limits::default());
        near.on_use(ChannelUse::Taken(initiated(number)));
        let (_, initiation) = sealed(&mut near, initiated(number), path(0), b"INIT");
        handle(&mut far, there(), &initiation);
        first.get_or_insert((near, initiation));
    }
    assert_eq!((far.len(), far.by_id_len()), (256, 256));
    // An end whose session was dropped sends its initiation again, and gets a response.
    let (mut near, initiation) = first.expect("a thousand");
    let (_, response) = handle(&mut far, there(), &initiation);
    let (_, held) = handle(&mut near, back(), &response);
    assert!(opened(&mut far, there(), &held).is_some());
}

#[test]
fn sessions_without_an_association_are_bounded_and_those_in_use_stay() {
    let Open { mut near, mut far, channel } = open();
    for number in 2..=600 {
        near.on_use(ChannelUse::Taken(initiated(number)));
        let (_, initiation) = sealed(&mut near, initiated(number), path(0), b"INIT");
        let (_, response) = handle(&mut far, there(), &initiation);
        let (_, held) = handle(&mut near, back(), &response);
        assert!(opened(&mut far, there(), &held).is_some());
        near.on_use(ChannelUse::Released(initiated(number)));
    }
    assert_eq!((near.len(), far.len()), (257, 257));
    let bytes = packet(&mut near, NEAR, b"still here");
    assert!(opened(&mut far, there(), &bytes).is_some());
    far.on_use(ChannelUse::Released(channel));
    assert_eq!(far.len(), 256);
    let bytes = packet(&mut near, NEAR, b"the last word, again");
    assert!(opened(&mut far, there(), &bytes).is_some(), "kept for a while");
}

fn probe(layer: &mut Sealing, channel: Channel) -> Vec<u8> {
    let mut out = Vec::new();
    layer.probe(channel, &mut out).expect("a session");
    assert_eq!(out.len(), Datagram::HANDSHAKE_LEN);
    out
}

#[test]
fn a_restarted_end_says_that_a_session_is_forgotten_and_others_do_not() {
    let Open { mut near, mut far, channel } = open();
    // A -> probe -> Z, which still has it; A <- reply <- Z
    let sent = probe(&mut near, NEAR);
    let (what, reply) = handle(&mut far, there(), &sent);
    assert_eq!((what, reply.len()), (Opened::Reply, Datagram::HANDSHAKE_LEN), "no longer than the probe");
    assert_eq!(handle(&mut near, back(), &reply).0, Opened::Nothing);
    // In the other direction: Z probes, and A was restarted.
    let sent = probe(&mut far, channel);
    let (_, reply) = handle(&mut layer(1), back(), &sent);
    assert_eq!(handle(&mut far, there(), &reply).0, Opened::Forgotten(channel));
    assert_eq!(handle(&mut far, there(), &reply).0, Opened::Nothing, "told once");
    // A probes again after Z was restarted.
    let sent = probe(&mut near, NEAR);
    assert_eq!(probe(&mut near, NEAR), sent, "the same until a reply arrives");
    let (_, reply) = handle(&mut layer(1), there(), &sent);
    assert_eq!(handle(&mut near, back(), &reply).0, Opened::Forgotten(NEAR));
}

#[test]
fn only_a_holder_of_the_key_can_say_that_a_session_is_forgotten() {
    let Open { mut near, mut far, .. } = open();
    let sent = probe(&mut near, NEAR);
    assert_eq!(handle(&mut layer(2), there(), &sent).0, Opened::Nothing, "another key");
    // Responder after another session, Z would truthfully say that it has none.
    for bit in 0..sent.len() * 8 {
        let mut changed = sent.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(handle(&mut far, there(), &changed).0, Opened::Nothing, "bit {bit}");
    }
    let (_, reply) = handle(&mut layer(1), there(), &sent);
    for bit in 0..reply.len() * 8 {
        let mut changed = reply.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(handle(&mut near, back(), &changed).0, Opened::Nothing, "bit {bit}");
    }
    // An initiation is not valid as a probe, whatever the header says.
    let (_, mut initiation) = sealed(&mut initiating(Limits::default()), NEAR, path(0), b"INIT");
    initiation[0] = 4;
    assert_eq!(handle(&mut far, there(), &initiation).0, Opened::Nothing);
    // A reply to an earlier probe is not valid for this one.
    assert_eq!(handle(&mut near, back(), &reply).0, Opened::Forgotten(NEAR));
    let again = probe(&mut near, NEAR);
    assert_ne!(again, sent);
    assert_eq!(handle(&mut near, back(), &reply).0, Opened::Nothing);
}

/// A reply is about the session keys in use when the probe was sent. The peer may have dropped superseded keys and
/// still have the session.
#[test]
fn a_reply_about_superseded_keys_ends_nothing() {
    let Open { mut near, mut far, channel } = open_with(Limits { renew_after: 8, ..Limits::default() });
    let sent = probe(&mut near, NEAR);
    // Another holder of the key replies that it has no such session.
    let (_, reply) = handle(&mut layer(1), there(), &sent);
    let mut control = Vec::new();
    while near.take_control(NEAR, &mut control).is_none() {
        let bytes = packet(&mut near, NEAR, b"DATA");
        assert!(opened(&mut far, there(), &bytes).is_some());
    }
    let before = packet(&mut near, NEAR, b"DATA")[..8].to_vec();
    let (_, response) = handle(&mut far, there(), &control);
    handle(&mut near, back(), &response);
    assert_ne!(packet(&mut near, NEAR, b"DATA")[..8], before, "there are fresh keys");
    assert_eq!(handle(&mut near, back(), &reply).0, Opened::Nothing);
    let bytes = packet(&mut near, NEAR, b"DATA");
    assert_eq!(opened(&mut far, there(), &bytes), Some((channel, b"DATA".to_vec())));
    // A reply about the current keys is accepted.
    let (_, reply) = handle(&mut layer(1), there(), &probe(&mut near, NEAR));
    assert_eq!(handle(&mut near, back(), &reply).0, Opened::Forgotten(NEAR));
}

#[test]
fn probes_without_end_leave_a_bounded_number_of_replies() {
    let Open { mut near, mut far, .. } = open();
    let mut all = std::collections::BTreeSet::new();
    for _ in 0..200 {
        let sent = probe(&mut near, NEAR);
        let (_, reply) = handle(&mut far, there(), &sent);
        assert_eq!(handle(&mut far, there(), &sent), (Opened::Reply, reply.clone()), "the very same");
        handle(&mut near, back(), &reply);
        all.insert(sent);
    }
    assert_eq!((all.len(), far.len(), far.probe_replies_len()), (200, 1, 64));
}
