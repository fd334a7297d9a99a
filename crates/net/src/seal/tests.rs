//! Dialogues of two sealed layers without a network: packets lost, repeated, forged and moved, and keys worn out.

use std::net::SocketAddr;

use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::endpoint::{Channel, ChannelUse};
use anabranch_sctp::policy::PathId;

use super::*;

const NEAR: Channel = asked(1);

fn address(last: u8, port: u16) -> SocketAddr {
    ([192, 0, 2, last], port).into()
}

/// From the asking end to the other, as the other sees it.
fn there() -> PathAddresses {
    PathAddresses { local: address(2, 9899), remote: address(1, 5000) }
}

/// The way back.
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
    Sealing::new(&Key::from_bytes([key; Key::LEN]), limits)
}

/// A layer that has been told to connect to a peer.
fn asking(limits: Limits) -> Sealing {
    let mut near = limited(1, limits);
    near.on_use(ChannelUse::Taken(NEAR));
    near
}

fn sealed(layer: &mut Sealing, channel: Channel, route: Route, packet: &[u8]) -> (Sealed, Vec<u8>) {
    let mut out = Vec::new();
    let what = layer.seal(channel, route, packet, &mut out);
    (what, out)
}

/// A packet on the first path of a session that is open.
fn packet(layer: &mut Sealing, channel: Channel, packet: &[u8]) -> Vec<u8> {
    let (what, out) = sealed(layer, channel, path(0), packet);
    assert_eq!(what, Sealed::Packet);
    assert_eq!(out.len(), packet.len() + Datagram::OVERHEAD);
    out
}

fn handle(layer: &mut Sealing, way: PathAddresses, datagram: &[u8]) -> (Opened, Vec<u8>) {
    let mut out = b"kept".to_vec();
    let opened = layer.handle(way, datagram, &mut out);
    assert_eq!(&out[..4], b"kept");
    (opened, out.split_off(4))
}

fn opened(layer: &mut Sealing, way: PathAddresses, datagram: &[u8]) -> Option<(Channel, Vec<u8>)> {
    match handle(layer, way, datagram) {
        (Opened::Packet { channel, .. }, bytes) => Some((channel, bytes)),
        _ => None,
    }
}

/// Two ends that have shaken hands, and the channel of the one that answered.
struct Open {
    near: Sealing,
    far: Sealing,
    channel: Channel,
}

fn open_with(limits: Limits) -> Open {
    let (mut near, mut far) = (asking(limits), limited(1, limits));
    // A -> question -> Z
    let (what, question) = sealed(&mut near, NEAR, path(0), b"INIT");
    assert_eq!((what, question.len()), (Sealed::Question, Datagram::HANDSHAKE_LEN));
    // A <- answer <- Z
    let (what, answer) = handle(&mut far, there(), &question);
    assert_eq!((what, answer.len()), (Opened::Reply, Datagram::HANDSHAKE_LEN));
    // A -> the packet that waited -> Z
    let (what, held) = handle(&mut near, back(), &answer);
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
fn a_first_message_without_the_key_gets_no_answer_and_leaves_nothing_behind() {
    let (mut near, mut far) = (asking(Limits::default()), layer(2));
    let (_, question) = sealed(&mut near, NEAR, path(0), b"INIT");
    assert_eq!(handle(&mut far, there(), &question).0, Opened::Nothing);
    assert!(far.is_empty());
}

#[test]
fn lost_handshake_datagrams_are_sent_again_with_the_packet_that_waits() {
    let (mut near, mut far) = (asking(Limits::default()), layer(1));
    // The question is lost. When INIT is sent again, perhaps elsewhere, so is the question, the very same.
    let (_, lost) = sealed(&mut near, NEAR, path(0), b"INIT");
    let (what, question) = sealed(&mut near, NEAR, path(1), b"INIT again");
    assert_eq!((what, &question), (Sealed::Question, &lost));
    // The answer is lost. The question that comes again has the very same answer.
    let (_, lost) = handle(&mut far, there(), &question);
    let (_, question) = sealed(&mut near, NEAR, path(0), b"INIT, third");
    let (what, answer) = handle(&mut far, there(), &question);
    assert_eq!((what, &answer, far.len()), (Opened::Reply, &lost, 1));
    // Of the packets that waited the latest leaves; the second answer means nothing.
    let (_, held) = handle(&mut near, back(), &answer);
    assert_eq!(opened(&mut far, there(), &held).expect("sealed for it").1, b"INIT, third");
    assert_eq!(handle(&mut near, back(), &answer).0, Opened::Nothing);
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
    assert_eq!(handle(&mut near, back(), &first).0, Opened::Nothing, "nor by who sealed it");
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
            assert_eq!(what, Sealed::Packet);
            let Some(Datagram::Packet { number, .. }) = Datagram::parse(&bytes) else { panic!("no packet") };
            assert_eq!(number.route(), route);
            numbers.push(number);
            // A path that is a thousand packets behind is not too old for the others' sake.
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
    near.on_use(ChannelUse::Taken(asked(2)));
    let (_, question) = sealed(&mut near, asked(2), path(0), b"INIT");
    let (_, answer) = handle(&mut far, there(), &question);
    let (_, held) = handle(&mut near, back(), &answer);
    let (other, _) = opened(&mut far, there(), &held).expect("sealed for it");
    assert_ne!(other, channel);
    // The peer of one session puts the other's id before its packet: injection into an established session.
    let mut forged = packet(&mut near, asked(2), b"ABORT");
    let mine = packet(&mut near, NEAR, b"x");
    forged[..8].copy_from_slice(&mine[..8]);
    assert_eq!(handle(&mut far, there(), &forged).0, Opened::Nothing);
}

#[test]
fn who_has_the_key_and_sees_everything_still_cannot_read_or_add_to_a_session() {
    let Open { mut near, mut far, channel } = open();
    let mut spy = asking(Limits::default());
    let (_, question) = sealed(&mut spy, NEAR, path(0), b"INIT");
    let (_, answer) = handle(&mut far, there(), &question);
    handle(&mut spy, back(), &answer);
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
    let mut send = |route, way| {
        let (_, bytes) = sealed(&mut near, NEAR, route, b"x");
        (handle(&mut far, way, &bytes).0, bytes)
    };
    let roamed = PathAddresses { remote: address(77, 7), ..there() };
    let came = |way: PathAddresses, moved_from| Opened::Packet { channel, remote: way.remote, moved_from };
    assert_eq!(send(path(0), there()).0, came(there(), None));
    assert_eq!(send(path(1), roamed).0, came(roamed, None), "another path comes from where it likes");
    assert_eq!(send(path(0), roamed).0, came(roamed, Some(there().remote)));
    assert_eq!(send(path(0), roamed).0, came(roamed, None), "told once");
    assert_eq!(
        send(Route::NO_PATH, there()).0,
        came(there(), None),
        "answers of no association are of no path"
    );
    // An overtaken packet moves nothing, and counts as coming by the way of its path: not from the old address, nor
    // from that of the attacker that delayed it. A repeated packet has no effect at all.
    let [late, later, held, next] = [b"1", b"2", b"3", b"4"].map(|x| sealed(&mut near, NEAR, path(0), x).1);
    assert_eq!(handle(&mut far, roamed, &later).0, came(roamed, None));
    assert_eq!(handle(&mut far, there(), &late).0, came(roamed, None));
    assert_eq!(handle(&mut far, there(), &later).0, Opened::Nothing);
    assert_eq!(handle(&mut far, roamed, &next).0, came(roamed, None));
    let thief = PathAddresses { remote: address(66, 6), ..there() };
    assert_eq!(handle(&mut far, thief, &held).0, came(roamed, None));
}

/// An attacker on a path redirects packets to several of an end's addresses, each from an invented address.
#[test]
fn whichever_address_packets_are_led_to_a_path_comes_from_one_place_there() {
    let Open { mut near, mut far, channel } = open();
    let other = PathAddresses { local: address(3, 9899), ..there() };
    let from = |way: PathAddresses, host| PathAddresses { remote: address(host, 4), ..way };
    let mut send = |way: PathAddresses| {
        let (_, bytes) = sealed(&mut near, NEAR, path(0), b"x");
        handle(&mut far, way, &bytes).0
    };
    let came = |way: PathAddresses, moved_from| Opened::Packet { channel, remote: way.remote, moved_from };
    assert_eq!(send(there()), came(there(), None));
    assert_eq!(send(from(other, 50)), came(from(other, 50), None), "nothing came there before");
    assert_eq!(send(from(there(), 51)), came(from(there(), 51), Some(there().remote)));
    assert_eq!(send(from(other, 52)), came(from(other, 52), Some(from(other, 50).remote)), "it moved");
    assert_eq!(
        send(there()),
        came(there(), Some(from(there(), 51).remote)),
        "and back with the next true one"
    );
    // What was held back and is led to an address where nothing came comes from where the path is.
    let [held, later] = [b"1", b"2"].map(|x| sealed(&mut near, NEAR, path(1), x).1);
    assert_eq!(handle(&mut far, there(), &later).0, came(there(), None));
    assert_eq!(handle(&mut far, from(other, 53), &held).0, came(there(), None));
}

#[test]
fn a_forged_answer_does_not_stop_the_true_one() {
    let (mut near, mut far) = (asking(Limits::default()), layer(1));
    let (_, question) = sealed(&mut near, NEAR, path(0), b"INIT");
    let (_, answer) = handle(&mut far, there(), &question);
    let mut forged = answer.clone();
    forged[20] ^= 1;
    assert_eq!(handle(&mut near, back(), &forged).0, Opened::Nothing);
    assert_eq!(handle(&mut near, back(), &answer).0, Opened::Reply);
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
            // Every other question or its answer is lost on the way.
            if lost % 3 == 0 {
                let (what, answer) = handle(&mut far, there(), &control);
                assert_eq!(what, Opened::Reply);
                handle(&mut near, back(), &answer);
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
            let mut inquiry = Vec::new();
            near.inquire(NEAR, &mut inquiry).expect("open");
            let (_, verdict) = handle(&mut far, there(), &inquiry);
            assert_eq!(handle(&mut near, back(), &verdict).0, Opened::Nothing, "{number}");
        }
    }
    assert!((5..=40).contains(&ids.len()), "{} keys in 4,000 packets", ids.len());
    assert!(near.by_id_len() <= 3 && far.by_id_len() <= 3, "old keys are forgotten");
}

#[test]
fn the_numbers_of_a_path_end_and_fresh_keys_have_new_ones() {
    let limits = Limits { renew_after: 1 << 32, last_counter: 9, ..Limits::default() };
    let Open { mut near, .. } = open_with(limits);
    // INIT was the first.
    for _ in 1..10 {
        packet(&mut near, NEAR, b"x");
    }
    assert_eq!(sealed(&mut near, NEAR, path(0), b"x"), (Sealed::Nothing, Vec::new()), "never a number again");
    assert_eq!(sealed(&mut near, NEAR, path(1), b"x").0, Sealed::Packet);
    // With a limit well before the end, the end is never reached.
    let limits = Limits { renew_after: 8, last_counter: 19, ..Limits::default() };
    let Open { mut near, mut far, .. } = open_with(limits);
    for number in 0..1_000 {
        let bytes = packet(&mut near, NEAR, b"x");
        assert!(opened(&mut far, there(), &bytes).is_some(), "{number}");
        let mut control = Vec::new();
        if near.take_control(NEAR, &mut control).is_some() {
            let (_, answer) = handle(&mut far, there(), &control);
            handle(&mut near, back(), &answer);
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
fn questions_that_are_repeated_for_ever_leave_a_bounded_number_of_sessions() {
    let mut far = layer(1);
    let mut first = None;
    for number in 1..=1_000 {
        let mut near = limited(1, Limits::default());
        near.on_use(ChannelUse::Taken(asked(number)));
        let (_, question) = sealed(&mut near, asked(number), path(0), b"INIT");
        handle(&mut far, there(), &question);
        first.get_or_insert((near, question));
    }
    assert_eq!((far.len(), far.by_id_len()), (256, 256));
    // An end whose session was dropped asks again, and is answered.
    let (mut near, question) = first.expect("a thousand");
    let (_, answer) = handle(&mut far, there(), &question);
    let (_, held) = handle(&mut near, back(), &answer);
    assert!(opened(&mut far, there(), &held).is_some());
}

#[test]
fn sessions_without_an_association_are_bounded_and_those_in_use_stay() {
    let Open { mut near, mut far, channel } = open();
    for number in 2..=600 {
        near.on_use(ChannelUse::Taken(asked(number)));
        let (_, question) = sealed(&mut near, asked(number), path(0), b"INIT");
        let (_, answer) = handle(&mut far, there(), &question);
        let (_, held) = handle(&mut near, back(), &answer);
        assert!(opened(&mut far, there(), &held).is_some());
        near.on_use(ChannelUse::Released(asked(number)));
    }
    assert_eq!((near.len(), far.len()), (257, 257));
    let bytes = packet(&mut near, NEAR, b"still here");
    assert!(opened(&mut far, there(), &bytes).is_some());
    far.on_use(ChannelUse::Released(channel));
    assert_eq!(far.len(), 256);
    let bytes = packet(&mut near, NEAR, b"the last word, again");
    assert!(opened(&mut far, there(), &bytes).is_some(), "kept for a while");
}

fn inquiry(layer: &mut Sealing, channel: Channel) -> Vec<u8> {
    let mut out = Vec::new();
    layer.inquire(channel, &mut out).expect("a session");
    assert_eq!(out.len(), Datagram::HANDSHAKE_LEN);
    out
}

#[test]
fn who_was_started_anew_says_that_a_session_is_forgotten_and_others_do_not() {
    let Open { mut near, mut far, channel } = open();
    // A -> inquiry -> Z, who still has it; A <- verdict <- Z
    let asked = inquiry(&mut near, NEAR);
    let (what, verdict) = handle(&mut far, there(), &asked);
    assert_eq!((what, verdict.len()), (Opened::Reply, Datagram::HANDSHAKE_LEN), "no longer than the inquiry");
    assert_eq!(handle(&mut near, back(), &verdict).0, Opened::Nothing);
    // The other way round: Z asks, and A is restarted.
    let asked = inquiry(&mut far, channel);
    let (_, verdict) = handle(&mut layer(1), back(), &asked);
    assert_eq!(handle(&mut far, there(), &verdict).0, Opened::Forgotten(channel));
    assert_eq!(handle(&mut far, there(), &verdict).0, Opened::Nothing, "told once");
    // And A asks again, when it is Z that was.
    let asked = inquiry(&mut near, NEAR);
    assert_eq!(inquiry(&mut near, NEAR), asked, "the same until it is answered");
    let (_, verdict) = handle(&mut layer(1), there(), &asked);
    assert_eq!(handle(&mut near, back(), &verdict).0, Opened::Forgotten(NEAR));
}

#[test]
fn nobody_can_say_without_the_key_that_a_session_is_forgotten() {
    let Open { mut near, mut far, .. } = open();
    let asked = inquiry(&mut near, NEAR);
    assert_eq!(handle(&mut layer(2), there(), &asked).0, Opened::Nothing, "another key");
    // Asked after another session, Z would truthfully say that it has none.
    for bit in 0..asked.len() * 8 {
        let mut changed = asked.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(handle(&mut far, there(), &changed).0, Opened::Nothing, "bit {bit}");
    }
    let (_, verdict) = handle(&mut layer(1), there(), &asked);
    for bit in 0..verdict.len() * 8 {
        let mut changed = verdict.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(handle(&mut near, back(), &changed).0, Opened::Nothing, "bit {bit}");
    }
    // Neither a question nor its answer is an inquiry or a verdict, whatever the header says.
    let (_, mut question) = sealed(&mut asking(Limits::default()), NEAR, path(0), b"INIT");
    question[0] = 4;
    assert_eq!(handle(&mut far, there(), &question).0, Opened::Nothing);
    // A verdict on an inquiry that was made before is none on this one.
    assert_eq!(handle(&mut near, back(), &verdict).0, Opened::Forgotten(NEAR));
    let again = inquiry(&mut near, NEAR);
    assert_ne!(again, asked);
    assert_eq!(handle(&mut near, back(), &verdict).0, Opened::Nothing);
}

/// A verdict is about the session keys that were in use when it was asked for. Of those that fresh ones have superseded the
/// peer may know nothing any more, and still have the session.
#[test]
fn a_verdict_about_keys_that_were_superseded_ends_nothing() {
    let Open { mut near, mut far, channel } = open_with(Limits { renew_after: 8, ..Limits::default() });
    let asked = inquiry(&mut near, NEAR);
    // Another holder of the key answers that it has no such session.
    let (_, verdict) = handle(&mut layer(1), there(), &asked);
    let mut control = Vec::new();
    while near.take_control(NEAR, &mut control).is_none() {
        let bytes = packet(&mut near, NEAR, b"DATA");
        assert!(opened(&mut far, there(), &bytes).is_some());
    }
    let before = packet(&mut near, NEAR, b"DATA")[..8].to_vec();
    let (_, answer) = handle(&mut far, there(), &control);
    handle(&mut near, back(), &answer);
    assert_ne!(packet(&mut near, NEAR, b"DATA")[..8], before, "there are fresh keys");
    assert_eq!(handle(&mut near, back(), &verdict).0, Opened::Nothing);
    let bytes = packet(&mut near, NEAR, b"DATA");
    assert_eq!(opened(&mut far, there(), &bytes), Some((channel, b"DATA".to_vec())));
    // One about the present keys is believed.
    let (_, verdict) = handle(&mut layer(1), there(), &inquiry(&mut near, NEAR));
    assert_eq!(handle(&mut near, back(), &verdict).0, Opened::Forgotten(NEAR));
}

#[test]
fn inquiries_that_are_repeated_for_ever_leave_a_bounded_number_of_verdicts() {
    let Open { mut near, mut far, .. } = open();
    let mut all = std::collections::BTreeSet::new();
    for _ in 0..200 {
        let asked = inquiry(&mut near, NEAR);
        let (_, verdict) = handle(&mut far, there(), &asked);
        assert_eq!(handle(&mut far, there(), &asked), (Opened::Reply, verdict.clone()), "the very same");
        handle(&mut near, back(), &verdict);
        all.insert(asked);
    }
    assert_eq!((all.len(), far.len(), far.verdicts.len()), (200, 1, 64));
}
