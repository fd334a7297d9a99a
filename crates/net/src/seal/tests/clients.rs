//! Dialogues of a server that has a key for each client with its clients, with strangers, and with clients that were
//! removed.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, prop_oneof, proptest};

use super::super::datagram::SessionId;
use super::super::noise::Noise;
use super::super::probe::Probe;
use super::*;

pub(super) const DOOR: u8 = 0xd0;
const ADA: u8 = 1;
const BEN: u8 = 2;

pub(super) fn key(byte: u8) -> Key {
    Key::from_bytes([byte; Key::LEN])
}

fn table(rows: &[(&str, u8)]) -> Vec<(String, Key)> {
    rows.iter().map(|&(name, own)| (name.to_owned(), key(own))).collect()
}

pub(super) fn both() -> Clients {
    let clients = Clients::new(key(DOOR));
    assert_eq!(clients.replace(table(&[("ada", ADA), ("ben", BEN)])), Ok(vec![]));
    clients
}

pub(super) fn server(clients: &Clients, limits: Limits) -> Sealing {
    Sealing::of_clients(clients.clone(), Ciphers::ALL, limits)
}

pub(super) fn client_of(door: u8, own: u8, limits: Limits) -> Sealing {
    let mut near = Sealing::of_client(&ClientKey::new(key(door), key(own)), Ciphers::ALL, limits);
    near.on_use(ChannelUse::Taken(NEAR));
    near
}

fn client(own: u8) -> Sealing {
    client_of(DOOR, own, Limits::default())
}

fn initiation(near: &mut Sealing) -> Vec<u8> {
    let (what, initiation) = sealed(near, NEAR, path(0), b"first");
    assert_eq!((what, initiation.len()), (Sealed::Initiation, Datagram::CLIENT_HANDSHAKE_LEN));
    initiation
}

/// Opens a session of `near` at `far`, and returns the channel of `far`.
fn join(near: &mut Sealing, far: &mut Sealing) -> Channel {
    // A -> initiation -> Z
    let initiation = initiation(near);
    // A <- response <- Z
    let (what, response) = handle(far, there(), &initiation);
    assert_eq!((what, response.len()), (Opened::Reply, Datagram::HANDSHAKE_LEN));
    // A -> the packet that waited -> Z
    let (what, held) = handle(near, back(), &response);
    assert_eq!(what, Opened::Reply);
    let (channel, bytes) = opened(far, there(), &held).expect("sealed for it");
    assert_eq!(bytes, b"first");
    far.on_use(ChannelUse::Taken(channel));
    channel
}

/// Ada and Ben with a session each.
struct Pair {
    clients: Clients,
    ada: Sealing,
    ben: Sealing,
    far: Sealing,
    channels: [Channel; 2],
}

fn pair_with(limits: Limits) -> Pair {
    let clients = both();
    let (mut ada, mut ben) = (client_of(DOOR, ADA, limits), client_of(DOOR, BEN, limits));
    let mut far = server(&clients, limits);
    let channels = [join(&mut ada, &mut far), join(&mut ben, &mut far)];
    Pair { clients, ada, ben, far, channels }
}

fn pair() -> Pair {
    pair_with(Limits::default())
}

/// An SCTP packet that begins with a chunk of this type.
fn chunk(kind: u8) -> Vec<u8> {
    [&[0x26, 0xab, 0x26, 0xab, 1, 2, 3, 4, 0, 0, 0, 0][..], &[kind, 0, 0, 4]].concat()
}

#[test]
fn each_session_is_that_of_the_client_whose_key_opened_it() {
    let Pair { mut ada, mut ben, mut far, channels, .. } = pair();
    assert_eq!(channels.map(|channel| far.client_name(channel)), [Some("ada"), Some("ben")]);
    for (near, channel) in [(&mut ada, channels[0]), (&mut ben, channels[1])] {
        let there_bytes = packet(near, NEAR, b"DATA");
        assert_eq!(opened(&mut far, there(), &there_bytes), Some((channel, b"DATA".to_vec())));
        let back_bytes = packet(&mut far, channel, b"SACK");
        assert_eq!(opened(near, back(), &back_bytes), Some((NEAR, b"SACK".to_vec())));
    }
}

#[test]
fn strangers_get_no_response_and_leave_nothing_behind() {
    let mut far = server(&both(), Limits::default());
    for mut near in [client(3), client_of(DOOR + 1, ADA, Limits::default())] {
        assert_eq!(handle(&mut far, there(), &initiation(&mut near)).0, Opened::Nothing);
    }
    // A single key, even the same as the door key or a client's, and the reverse case.
    for byte in [DOOR, ADA] {
        let mut near = layer(byte);
        near.on_use(ChannelUse::Taken(NEAR));
        let (_, single) = sealed(&mut near, NEAR, path(0), b"INIT");
        assert_eq!(handle(&mut far, there(), &single).0, Opened::Nothing);
        assert_eq!(handle(&mut layer(byte), there(), &initiation(&mut client(ADA))).0, Opened::Nothing);
    }
    assert_eq!((far.len(), far.by_id_len(), far.probe_replies_len()), (0, 0, 0));
}

#[test]
fn a_server_initiates_no_session_and_a_client_accepts_none() {
    let mut far = server(&both(), Limits::default());
    far.on_use(ChannelUse::Taken(NEAR));
    assert_eq!(sealed(&mut far, NEAR, path(0), b"INIT"), (Sealed::Nothing, Vec::new()));
    assert_eq!(handle(&mut client(ADA), there(), &initiation(&mut client(ADA))).0, Opened::Nothing);
}

#[test]
fn a_removed_client_opens_no_session() {
    let clients = both();
    let (mut ada, mut ben) = (client(ADA), client(BEN));
    let mut far = server(&clients, Limits::default());
    // Ada has a response, which she has not confirmed.
    let first = initiation(&mut ada);
    let (_, response) = handle(&mut far, there(), &first);
    assert_eq!(clients.replace(table(&[("ben", BEN)])), Ok(vec!["ada".to_owned()]));
    assert_eq!(handle(&mut far, there(), &first).0, Opened::Nothing, "not the same response again");
    assert_eq!(handle(&mut far, there(), &initiation(&mut client(ADA))).0, Opened::Nothing);
    let (_, held) = handle(&mut ada, back(), &response);
    assert_eq!(handle(&mut far, there(), &held).0, Opened::Nothing, "the session is not confirmed");
    assert_eq!(far.len(), 1, "it waits for its turn to be dropped");
    join(&mut ben, &mut far);
    // Back in the table, she opens a new session; the old one is not revived.
    clients.replace(table(&[("ada", ADA), ("ben", BEN)])).expect("two clients");
    assert_eq!(handle(&mut far, there(), &held).0, Opened::Nothing);
    let channel = join(&mut client(ADA), &mut far);
    assert_eq!(far.client_name(channel), Some("ada"));
}

#[test]
fn in_the_session_of_a_removed_client_its_association_can_end_and_none_can_open() {
    let Pair { clients, mut ada, mut ben, mut far, channels } = pair();
    clients.replace(table(&[("ben", BEN)])).expect("one client");
    assert!(far.client(channels[0]).expect("remains").is_removed());
    let (init, cookie_echo, shutdown_ack) = (chunk(1), chunk(10), chunk(8));
    for opening in [&init, &cookie_echo] {
        let bytes = packet(&mut ada, NEAR, opening);
        assert_eq!(handle(&mut far, there(), &bytes).0, Opened::Nothing);
        // Ben's session is as before.
        let bytes = packet(&mut ben, NEAR, opening);
        assert_eq!(opened(&mut far, there(), &bytes), Some((channels[1], opening.clone())));
    }
    let abort = packet(&mut far, channels[0], &chunk(6));
    assert_eq!(opened(&mut ada, back(), &abort), Some((NEAR, chunk(6))));
    let bytes = packet(&mut ada, NEAR, &shutdown_ack);
    assert_eq!(opened(&mut far, there(), &bytes), Some((channels[0], shutdown_ack)));
}

#[test]
fn keys_are_renewed_for_a_known_client_and_not_for_a_removed_one() {
    let Pair { clients, mut ada, mut far, channels, .. } =
        pair_with(Limits { renew_after: 8, ..Limits::default() });
    let renew = |ada: &mut Sealing, far: &mut Sealing| {
        let mut control = Vec::new();
        while ada.take_control(NEAR, &mut control).is_none() {
            let bytes = packet(ada, NEAR, b"DATA");
            assert_eq!(opened(far, there(), &bytes), Some((channels[0], b"DATA".to_vec())));
        }
        handle(far, there(), &control)
    };
    for _ in 0..3 {
        let (what, response) = renew(&mut ada, &mut far);
        assert_eq!(what, Opened::Reply);
        handle(&mut ada, back(), &response);
    }
    assert_eq!(far.client_name(channels[0]), Some("ada"));
    // An unchanged client keeps its session.
    clients.replace(table(&[("ada", ADA)])).expect("one client");
    let (what, response) = renew(&mut ada, &mut far);
    assert_eq!(what, Opened::Reply);
    // Removed before it has used the fresh keys, it gets the response no second time.
    clients.replace([]).expect("nobody");
    drop(response);
    let mut again = Vec::new();
    while ada.take_control(NEAR, &mut again).is_none() {
        packet(&mut ada, NEAR, b"DATA");
    }
    assert_eq!(handle(&mut far, there(), &again).0, Opened::Nothing);
}

/// Ben sends an initiation of Ada's in his own session: what two clients can do together, or one with a recorded
/// initiation that it can read.
#[test]
fn an_initiation_of_another_client_renews_no_keys() {
    let Pair { mut ben, mut far, .. } = pair();
    let of_ada = initiation(&mut client(ADA));
    let of_ben = initiation(&mut client(BEN));
    for (inner, outcome) in [(&of_ada, Opened::Nothing), (&of_ben, Opened::Reply)] {
        let (what, bytes) = sealed(&mut ben, NEAR, Route::CONTROL, inner);
        assert_eq!((what, handle(&mut far, there(), &bytes).0), (Sealed::Packets, outcome));
    }
}

#[test]
fn a_client_adds_nothing_to_the_session_of_another() {
    let Pair { mut ada, mut ben, mut far, channels, .. } = pair();
    let mine = packet(&mut ada, NEAR, b"DATA");
    let mut forged = packet(&mut ben, NEAR, b"ABORT");
    // Ben writes the id of Ada's session before his packet, and sends it from Ada's address.
    forged[..8].copy_from_slice(&mine[..8]);
    assert_eq!(handle(&mut far, there(), &forged).0, Opened::Nothing);
    assert_eq!(handle(&mut ben, back(), &mine).0, Opened::Nothing, "nor can he read what she sends");
    assert_eq!(opened(&mut far, there(), &mine), Some((channels[0], b"DATA".to_vec())));
    // His own packets from Ada's address move nothing of hers.
    let route = PathAddresses { remote: address(66, 6), ..there() };
    let bytes = packet(&mut ben, NEAR, b"DATA");
    assert!(matches!(
        handle(&mut far, route, &bytes).0,
        Opened::Packet { channel, .. } if channel == channels[1]
    ));
    let bytes = packet(&mut ada, NEAR, b"DATA");
    let expected = Opened::Packet { channel: channels[0], len: 4, remote: there().remote, moved_from: None };
    assert_eq!(handle(&mut far, there(), &bytes).0, expected);
}

#[test]
fn probes_are_answered_to_the_client_of_the_session_alone() {
    let Pair { clients, mut ada, mut ben, mut far, channels } = pair();
    let probe = |layer: &mut Sealing, channel| {
        let mut out = Vec::new();
        layer.probe(channel, &mut out).expect("a session");
        assert_eq!(out.len(), Datagram::CLIENT_HANDSHAKE_LEN);
        out
    };
    // A -> probe -> Z, which has the session; A <- reply <- Z
    let of_ada = probe(&mut ada, NEAR);
    let (what, reply) = handle(&mut far, there(), &of_ada);
    assert_eq!((what, reply.len()), (Opened::Reply, Datagram::HANDSHAKE_LEN));
    assert_eq!(handle(&mut ada, back(), &reply).0, Opened::Nothing);
    // Z -> probe -> B gets nothing from a client that it does not concern.
    let of_far = probe(&mut far, channels[0]);
    assert_eq!(handle(&mut ben, back(), &of_far).0, Opened::Nothing);
    let (what, reply) = handle(&mut client(ADA), back(), &of_far);
    assert_eq!(what, Opened::Reply);
    assert_eq!(handle(&mut far, there(), &reply).0, Opened::Forgotten(channels[0]), "she was restarted");
    // Ben learns nothing of Ada's session, and nothing that he gets concerns hers.
    let mut of_ben = probe(&mut ben, NEAR);
    of_ben[1..8].copy_from_slice(&of_ada[1..8]);
    assert_eq!(handle(&mut far, there(), &of_ben).0, Opened::Nothing, "for his own session alone");
    // A restarted server with the same clients says so, and one without her nothing.
    let again = probe(&mut ada, NEAR);
    let mut anew = server(&clients, Limits::default());
    let (what, reply) = handle(&mut anew, there(), &again);
    assert_eq!(what, Opened::Reply);
    clients.replace(table(&[("ben", BEN)])).expect("one client");
    assert_eq!(handle(&mut anew, there(), &again).0, Opened::Nothing, "not the same reply again");
    assert_eq!(handle(&mut far, there(), &again).0, Opened::Nothing);
    assert_eq!(handle(&mut ada, back(), &reply).0, Opened::Forgotten(NEAR));
}

/// Ben asks properly for a session of Ada's, whose id he has seen.
#[test]
fn a_client_has_no_session_of_another() {
    let Pair { mut ada, mut far, channels, .. } = pair();
    let seen = Datagram::parse(&packet(&mut ada, NEAR, b"DATA")).map(|datagram| match datagram {
        Datagram::Packet { to, .. } => to,
        _ => panic!("a packet"),
    });
    let ben = Noise::of_client(&ClientKey::new(key(DOOR), key(BEN)), Ciphers::ALL);
    let about = seen.expect("sealed");
    let mut probe = Probe::new(&ben, about, SessionId::new(7), None).expect("random numbers");
    let (what, reply) = handle(&mut far, there(), probe.datagram());
    assert_eq!(what, Opened::Reply);
    let Some(Datagram::ProbeReply { message, .. }) = Datagram::parse(&reply) else { panic!("a reply") };
    assert_eq!(probe.read_reply(message), Some(false));
    let bytes = packet(&mut ada, NEAR, b"DATA");
    assert_eq!(opened(&mut far, there(), &bytes), Some((channels[0], b"DATA".to_vec())));
}

#[test]
fn recorded_first_packets_leave_a_bounded_number_of_sessions() {
    let Pair { mut far, channels, .. } = pair();
    let recorded: Vec<Vec<u8>> = (0..600).map(|_| initiation(&mut client(ADA))).collect();
    for _ in 0..2 {
        for bytes in &recorded {
            handle(&mut far, there(), bytes);
        }
    }
    assert_eq!((far.len(), far.by_id_len()), (258, 258));
    // The next client is served.
    let channel = join(&mut client(BEN), &mut far);
    assert_eq!(far.client_name(channel), Some("ben"));
    assert_eq!(channels.map(|channel| far.client_name(channel)), [Some("ada"), Some("ben")]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever is in a datagram of a handshake's kind and length.
    #[test]
    fn random_handshakes_get_nothing(
        kind in prop_oneof![0_u8..6, any::<u8>()],
        body in prop_oneof![vec(any::<u8>(), 63), vec(any::<u8>(), 71), vec(any::<u8>(), 0..100)],
    ) {
        let mut bytes = [&[kind][..], &body].concat();
        let mut far = server(&both(), Limits::default());
        for is_initiation in [false, true] {
            if is_initiation && bytes.len() >= 8 {
                bytes[..8].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0]);
            }
            assert_eq!(handle(&mut far, there(), &bytes).0, Opened::Nothing);
            assert_eq!(handle(&mut client(ADA), back(), &bytes).0, Opened::Nothing);
        }
        assert!(far.is_empty());
    }

    /// A holder of the door key with invented keys, and thus invented identifiers.
    #[test]
    fn invented_clients_get_nothing(own in any::<[u8; Key::LEN]>()) {
        let key = ClientKey::new(key(DOOR), Key::from_bytes(own));
        let mut near = Sealing::of_client(&key, Ciphers::ALL, Limits::default());
        near.on_use(ChannelUse::Taken(NEAR));
        let mut far = server(&both(), Limits::default());
        assert_eq!(handle(&mut far, there(), &initiation(&mut near)).0, Opened::Nothing);
        assert!(far.is_empty());
    }
}
