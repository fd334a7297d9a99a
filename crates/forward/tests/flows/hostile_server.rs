//! A server that drives its streams itself and breaks the protocol: programs are refused, and the bond goes on.

use std::net::SocketAddr;

use anabranch_forward::socks::Reply;
use anabranch_forward::{Bond, Front, Refused, Signal};
use anabranch_net::{Endpoint, Ppid, SendOptions, Stream, StreamId, Streams};
use tokio::net::TcpListener;

use crate::party::{Events, Joined, config, join, nothing, within};
use crate::programs::{ask_socks, destination};

const SIGNAL: Ppid = Ppid::new(0x9a1d_0000);
const BYTES: Ppid = Ppid::new(0x9a1d_0001);
const DATAGRAM: Ppid = Ppid::new(0x9a1d_0002);

/// A SOCKS5 port of a bond, and the streams of its server.
struct Play {
    port: SocketAddr,
    streams: Streams,
    _endpoints: (Endpoint, Endpoint),
}

async fn play() -> Play {
    let bond = Bond::new(Events::default().report());
    let Joined { near, far, endpoints } = join(config(100), config(100)).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("bound");
    tokio::spawn(Front::Socks { is_full_cone: false }.serve(listener, bond.clone()));
    tokio::spawn(async move { bond.carry(near, &[]).await });
    Play { port, streams: far.into_streams(), _endpoints: endpoints }
}

async fn put(stream: &mut Stream, ppid: Ppid, bytes: &[u8]) {
    within(10, stream.send(bytes.to_vec(), SendOptions::default().ppid(ppid))).await.expect("open");
}

#[tokio::test]
async fn an_answer_that_is_not_one_refuses_the_program() {
    let Play { port, streams, _endpoints } = play().await;
    let answers: [(Ppid, Vec<u8>); 5] = [
        (SIGNAL, vec![77]),
        (SIGNAL, Signal::Finished.encode()),
        (SIGNAL, Signal::Connect(destination("a:1")).encode()),
        (BYTES, b"data first".to_vec()),
        (Ppid::new(1), b"another kind".to_vec()),
    ];
    for (ppid, bytes) in answers {
        let answering = async {
            let mut stream = streams.accept_stream().await.expect("open");
            assert!(stream.recv().await.expect("open").is_some(), "a request");
            put(&mut stream, ppid, &bytes).await;
            // The bond ends the flow.
            assert!(stream.recv().await.expect("open").is_none());
            stream.finish().await.expect("open");
        };
        let to = destination("127.0.0.1:80");
        let ((_, code, _), ()) =
            within(10, async { tokio::join!(ask_socks(port, 1, &to, b""), answering) }).await;
        assert_eq!(code, Reply::NetworkUnreachable.code(), "{bytes:?}");
    }
}

#[tokio::test]
async fn a_stream_of_the_server_without_a_port_is_refused_or_ended() {
    let Play { streams, _endpoints, .. } = play().await;
    let source = destination("127.0.0.1:1");
    let arrival = Signal::Arrival { listener: StreamId::new(9), source };
    let mut stream = streams.open_next().expect("free");
    put(&mut stream, SIGNAL, &arrival.encode()).await;
    let answer = within(10, stream.recv()).await.expect("open").expect("an answer").into_bytes();
    let refused = Refused::new(Reply::GeneralFailure, "no such port was opened");
    assert_eq!(Signal::decode(&answer), Ok(Signal::Refused(refused)));
    for (ppid, bytes) in [(SIGNAL, &[3, 1][..]), (BYTES, b"data"), (Ppid::new(5), b"x")] {
        let mut stream = streams.open_next().expect("free");
        put(&mut stream, ppid, bytes).await;
        assert!(within(10, stream.recv()).await.expect("open").is_none());
    }
    // A datagram that was overtaken by the end of its flow takes no stream of the bond.
    let mut late = streams.open_next().expect("free");
    put(&mut late, DATAGRAM, &[1, 127, 0, 0, 1, 0, 80, 1]).await;
    nothing(late.recv()).await;
}
