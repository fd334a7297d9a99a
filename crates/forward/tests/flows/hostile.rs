//! A client that drives its streams itself and breaks the protocol: the server goes on, and serves a good client beside
//! it.

use std::time::Duration;

use anabranch_forward::{Client, Rate, Signal};
use anabranch_net::{Ppid, SendOptions, Stream, StreamId, Streams};
use tokio::net::TcpListener;

use crate::party::{Joined, Party, Setup, config, join, nothing, within};
use crate::programs::{accept, connect, content, destination, echo, listen, ping, read, until_reset};

pub(crate) const SIGNAL: Ppid = Ppid::new(0x9a1d_0000);
pub(crate) const BYTES: Ppid = Ppid::new(0x9a1d_0001);
const DATAGRAM: Ppid = Ppid::new(0x9a1d_0002);

/// A hostile client of the server of a party with a good one.
pub(crate) struct Play {
    party: Party,
    pub(crate) streams: Streams,
    _endpoints: (anabranch_net::Endpoint, anabranch_net::Endpoint),
}

impl Play {
    pub(crate) async fn new(setup: Setup) -> Play {
        let party = Party::with(setup).await;
        let Joined { near, far, endpoints } = join(config(4_096), config(4_096)).await;
        let client = Client::new("mallory", Rate::default(), &party.server);
        tokio::spawn(std::sync::Arc::clone(&party.server).serve(client, far));
        Play { party, streams: near.into_streams(), _endpoints: endpoints }
    }

    pub(crate) fn open(&self) -> Stream {
        self.streams.open_next().expect("a stream")
    }

    /// The good client is served, and so is the hostile one as soon as it behaves.
    pub(crate) async fn goes_on(&self) {
        let echo = echo().await;
        let mut program = connect(self.party.fixed(echo).await).await;
        ping(&mut program, b"good").await;
        let mut stream = self.open();
        say(&mut stream, &Signal::Connect(echo.into())).await;
        let answer = hear(&mut stream).await;
        assert!(matches!(answer, Some(Signal::Opened(_))), "{answer:?}");
        put(&mut stream, BYTES, b"behaves").await;
        let message = within(10, stream.recv()).await.expect("open").expect("an echo");
        assert_eq!((message.ppid, &message.into_bytes()[..]), (BYTES, &b"behaves"[..]));
    }
}

pub(crate) async fn put(stream: &mut Stream, ppid: Ppid, bytes: &[u8]) {
    let options = SendOptions::default().ppid(ppid);
    within(10, stream.send(bytes.to_vec(), options)).await.expect("the server goes on");
}

pub(crate) async fn say(stream: &mut Stream, signal: &Signal) {
    put(stream, SIGNAL, &signal.encode()).await;
}

/// The next signal; `None` at the end.
pub(crate) async fn hear(stream: &mut Stream) -> Option<Signal> {
    let message = within(10, stream.recv()).await.expect("open")?;
    assert_eq!(message.ppid, SIGNAL);
    Some(Signal::decode(&message.into_bytes()).expect("a signal"))
}

/// A flow that is open, and its connection at the destination.
pub(crate) async fn opened(play: &Play, listener: &TcpListener) -> (Stream, tokio::net::TcpStream) {
    let mut stream = play.open();
    say(&mut stream, &Signal::Connect(listener.local_addr().expect("bound").into())).await;
    assert!(matches!(hear(&mut stream).await, Some(Signal::Opened(_))));
    (stream, accept(listener).await)
}

#[tokio::test]
async fn a_stream_that_does_not_begin_with_a_request_is_ended() {
    let play = Play::new(Setup::default()).await;
    let requests: [(Ppid, Vec<u8>); 8] = [
        (SIGNAL, vec![99, 1, 2, 3]),
        (SIGNAL, vec![1]),
        (SIGNAL, Signal::Reset.encode()),
        (SIGNAL, Signal::Opened(destination("127.0.0.1:1")).encode()),
        (SIGNAL, Signal::Arrival { listener: StreamId::new(3), source: destination("127.0.0.1:1") }.encode()),
        (BYTES, b"data first".to_vec()),
        (Ppid::new(0), b"another kind".to_vec()),
        (SIGNAL, vec![0; 5_000]),
    ];
    for (ppid, bytes) in requests {
        let mut stream = play.open();
        put(&mut stream, ppid, &bytes).await;
        assert_eq!(hear(&mut stream).await, None, "{bytes:?}");
        within(10, stream.finish()).await.expect("open");
    }
    play.party.there.wait_for("mallory: a flow did not begin with a request").await;
    play.goes_on().await;
}

/// A name has at most 255 bytes, and so a signal is short.
#[tokio::test]
async fn a_signal_of_64_kib_is_not_read() {
    let play = Play::new(Setup::default()).await;
    let mut stream = play.open();
    put(&mut stream, SIGNAL, &[&[1, 3, 255][..], &[b'a'; 65_536]].concat()).await;
    assert_eq!(hear(&mut stream).await, None);
    play.party.there.wait_for("a message of 65539 bytes, which is too long").await;
    play.goes_on().await;
}

/// The server holds one message of each flow.
#[tokio::test]
async fn a_message_that_is_longer_than_any_resets_its_connection() {
    let play = Play::new(Setup::default()).await;
    let (listener, _) = listen().await;
    for (ppid, length) in [(BYTES, 20_481), (DATAGRAM, 66_000)] {
        let (mut stream, mut connection) = opened(&play, &listener).await;
        put(&mut stream, BYTES, &[7; 20_480]).await;
        read(&mut connection, 20_480).await;
        put(&mut stream, ppid, &vec![7; length]).await;
        until_reset(&mut connection).await;
    }
    play.goes_on().await;
}

#[tokio::test]
async fn a_reset_of_a_flow_that_is_not_there_is_answered() {
    let play = Play::new(Setup::default()).await;
    let (listener, _) = listen().await;
    let (mut open, mut connection) = opened(&play, &listener).await;
    for id in [open.id(), StreamId::new(0), StreamId::new(77), StreamId::new(u16::MAX)] {
        let mut stream = play.open();
        say(&mut stream, &Signal::Broken(id)).await;
        assert_eq!(hear(&mut stream).await, None);
        within(10, stream.finish()).await.expect("open");
    }
    until_reset(&mut connection).await;
    assert_eq!(hear(&mut open).await, None);
    play.goes_on().await;
}

#[tokio::test]
async fn a_second_request_on_an_open_flow_resets_its_connection() {
    let play = Play::new(Setup::default()).await;
    let (listener, _) = listen().await;
    let wrong: [(Ppid, Vec<u8>); 4] = [
        (SIGNAL, Signal::Connect(destination("127.0.0.1:1")).encode()),
        (SIGNAL, vec![42; 20]),
        (DATAGRAM, vec![1; 20]),
        (Ppid::new(7), vec![1; 20]),
    ];
    for (ppid, bytes) in wrong {
        let (mut stream, mut connection) = opened(&play, &listener).await;
        put(&mut stream, BYTES, b"good").await;
        assert_eq!(read(&mut connection, 4).await, b"good");
        put(&mut stream, ppid, &bytes).await;
        until_reset(&mut connection).await;
    }
    play.goes_on().await;
}

#[tokio::test]
async fn datagrams_that_cannot_be_read_are_dropped() {
    let play = Play::new(Setup::default()).await;
    let mut stream = play.open();
    say(&mut stream, &Signal::Datagrams { is_full_cone: false }).await;
    assert!(matches!(hear(&mut stream).await, Some(Signal::Opened(_))));
    for length in 1..200 {
        put(&mut stream, DATAGRAM, &content(length, length as u64)).await;
    }
    let far = crate::programs::udp().await;
    let mut good = Vec::new();
    anabranch_forward::Destination::from(far.local_addr().expect("bound")).encode(&mut good);
    good.extend(b"good");
    put(&mut stream, DATAGRAM, &good).await;
    assert_eq!(crate::programs::datagram(&far).await.0, b"good");
    play.goes_on().await;
}

/// A datagram that was overtaken by the end of its flow arrives at a server that has forgotten the flow.
#[tokio::test]
async fn a_late_datagram_does_not_take_the_stream_of_the_next_flow() {
    let play = Play::new(Setup::default()).await;
    let id = StreamId::new(9);
    let mut stream = play.streams.open(id).expect("free");
    say(&mut stream, &Signal::Datagrams { is_full_cone: false }).await;
    assert!(matches!(hear(&mut stream).await, Some(Signal::Opened(_))));
    within(10, stream.finish()).await.expect("open");
    assert_eq!(hear(&mut stream).await, None);
    // The server forgets the stream. A handle that has sent the end sends no more, another one does.
    drop(stream);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut late = play.streams.open(id).expect("free");
    put(&mut late, DATAGRAM, &[1, 127, 0, 0, 1, 0, 80, 1]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(late);
    let mut next = play.streams.open(id).expect("free");
    say(&mut next, &Signal::Connect(echo().await.into())).await;
    let answer = hear(&mut next).await;
    assert!(matches!(answer, Some(Signal::Opened(_))), "{answer:?}");
}

/// Both ends would answer it for ever.
#[tokio::test]
async fn an_end_without_a_flow_is_not_answered_by_the_server() {
    let play = Play::new(Setup::default()).await;
    let mut stream = play.open();
    within(10, stream.finish()).await.expect("open");
    nothing(stream.recv()).await;
    play.goes_on().await;
}

#[tokio::test]
async fn random_bytes_of_each_kind_leave_the_server_at_work() {
    let play = Play::new(Setup::default()).await;
    let kinds = [SIGNAL, BYTES, DATAGRAM, Ppid::new(0), Ppid::new(0x9a1d_0003)];
    let mut open: Vec<Stream> = (0..40).map(|_| play.open()).collect();
    let count = open.len();
    for round in 0..1_500_usize {
        let random = content(40, round as u64 + 1);
        let stream = &mut open[usize::from(random[0]) % count];
        let kind = kinds[usize::from(random[1]) % kinds.len()];
        let bytes = match random[2] % 4 {
            0 => Signal::Datagrams { is_full_cone: random[3].is_multiple_of(2) }.encode(),
            1 => vec![random[3] % 9, 1, 127, 0, 0, 1, 0, random[4]],
            _ => random[5..6 + usize::from(random[3]) % 34].to_vec(),
        };
        put(stream, kind, &bytes).await;
        while let Ok(Some(_)) = stream.try_recv() {}
        if random[39] < 40 {
            *stream = play.open();
        }
    }
    play.goes_on().await;
}

/// The client forgets each stream, and opens it again.
#[tokio::test]
async fn requests_on_streams_that_are_in_use_leave_the_server_at_work() {
    let play = Play::new(Setup { most_flows: 50, ..Setup::default() }).await;
    let echo = echo().await;
    for number in 0..20_000_u32 {
        let mut stream = play.open();
        let signal = if number % 3 == 0 { Signal::Reset } else { Signal::Connect(echo.into()) };
        say(&mut stream, &signal).await;
    }
    let mut program = connect(play.party.fixed(echo).await).await;
    ping(&mut program, b"good").await;
    let association = play.streams.association();
    assert!(play.streams.committed() <= association.receive_buffer() && association.is_open());
}

#[tokio::test]
async fn opens_without_end_are_limited() {
    let play = Play::new(Setup { most_flows: 50, ..Setup::default() }).await;
    let (listener, address) = listen().await;
    let connections = tokio::spawn(async move {
        let mut all = Vec::new();
        while let Ok(Ok((one, _))) = tokio::time::timeout(Duration::from_secs(1), listener.accept()).await {
            all.push(one);
        }
        all.len()
    });
    let mut open = Vec::new();
    while let Ok(mut stream) = play.streams.open_next() {
        say(&mut stream, &Signal::Connect(address.into())).await;
        open.push(stream);
    }
    let (mut opened, mut refused) = (0, 0);
    for stream in &mut open {
        match hear(stream).await {
            Some(Signal::Opened(_)) => opened += 1,
            Some(Signal::Refused(_)) => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(opened, 50);
    assert!(refused > 1_900, "{refused}");
    assert_eq!(within(30, connections).await.expect("joined"), 50);
    // The good client has flows of its own.
    let mut program = connect(play.party.fixed(echo().await).await).await;
    ping(&mut program, b"good").await;
    // The streams of flows that end are used again.
    for mut stream in open {
        within(10, stream.finish()).await.expect("open");
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    play.goes_on().await;
}
