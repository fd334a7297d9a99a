//! Resets beside readers that have stopped: TCP delivers a reset to a program that does not read, and so does a flow.

use std::io::ErrorKind;
use std::time::Duration;

use anabranch_forward::Signal;
use anabranch_net::{SendOptions, Stream, Streams};
use tokio::io::{AsyncWriteExt as _, Interest};
use tokio::net::TcpStream;

use crate::hostile::{BYTES, Play, hear, opened};
use crate::party::{Party, Setup, nothing, within};
use crate::programs::{accept, connect, connect_by_socks, content, echo, listen, ping, reset};

/// Both ends of a connection through `port`, which goes to what is returned.
async fn connected(party: &Party) -> (TcpStream, TcpStream) {
    let (listener, address) = listen().await;
    let mut program = connect(party.fixed(address).await).await;
    program.write_all(b"!").await.expect("sent");
    (program, accept(&listener).await)
}

/// Sends until nothing more fits into the bond and the buffers.
async fn fill(connection: &mut TcpStream) {
    let chunk = content(64_000, 1);
    let endless = async { while connection.write_all(&chunk).await.is_ok() {} };
    let is_stuck = tokio::time::timeout(Duration::from_secs(1), endless).await.is_err();
    assert!(is_stuck);
}

/// Waits until a connection that is not read was reset.
async fn until_error(connection: &TcpStream) {
    within(10, connection.ready(Interest::ERROR)).await.expect("ready");
    let error = connection.take_error().expect("known").expect("an error");
    // Behind an end it is a broken pipe.
    assert!(matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error}");
}

#[tokio::test]
async fn a_reset_of_the_program_reaches_a_destination_that_does_not_read() {
    let party = Party::new().await;
    let (mut program, far) = connected(&party).await;
    fill(&mut program).await;
    reset(program);
    until_error(&far).await;
}

#[tokio::test]
async fn a_reset_of_the_destination_reaches_a_program_that_does_not_read() {
    let party = Party::new().await;
    let (program, mut far) = connected(&party).await;
    fill(&mut far).await;
    reset(far);
    until_error(&program).await;
}

#[tokio::test]
async fn a_reset_reaches_the_other_end_if_neither_reads() {
    let party = Party::new().await;
    let (mut program, mut far) = connected(&party).await;
    tokio::join!(fill(&mut program), fill(&mut far));
    reset(program);
    until_error(&far).await;
}

#[tokio::test]
async fn both_ends_may_reset_what_neither_reads() {
    let party = Party::with(Setup { most_flows: 1, ..Setup::default() }).await;
    let (mut program, mut far) = connected(&party).await;
    tokio::join!(fill(&mut program), fill(&mut far));
    reset(program);
    reset(far);
    gives_its_place_back(&party).await;
}

/// The program has sent all that it will, and nothing comes back.
#[tokio::test]
async fn a_reset_behind_a_half_close_reaches_the_other_end() {
    let party = Party::new().await;
    let (mut program, far) = connected(&party).await;
    program.shutdown().await.expect("half-closed");
    tokio::time::sleep(Duration::from_millis(100)).await;
    reset(program);
    until_error(&far).await;
}

/// With one place for flows: until it is free, others are refused.
async fn gives_its_place_back(party: &Party) {
    let (port, echo) = (party.socks().await, echo().await.into());
    for _ in 0..300 {
        let (mut connection, code, _) = crate::programs::ask_socks(port, 1, &echo, b"").await;
        if code == 0 {
            return ping(&mut connection, b"there is room").await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the flow that was reset holds its place");
}

/// The bond's end has three or four of the eight streams, and the server as many.
#[tokio::test]
async fn streams_of_such_flows_are_used_again_and_no_late_reset_meets_the_next() {
    let party = Party::with(Setup { most_flows: 1, streams: 8, ..Setup::default() }).await;
    for round in 0..2 {
        let (mut program, mut far) = connected(&party).await;
        if round % 2 == 0 {
            fill(&mut program).await;
            reset(program);
            until_error(&far).await;
        } else {
            fill(&mut far).await;
            reset(far);
            until_error(&program).await;
        }
        gives_its_place_back(&party).await;
        tokio::time::sleep(Duration::from_millis(1_300)).await;
    }
    let mut flow = connect_by_socks(party.socks().await, &echo().await.into()).await;
    for _ in 0..20 {
        ping(&mut flow, b"stays").await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Sends until there is no credit for one byte more.
async fn use_up(stream: &mut Stream) {
    let options = || SendOptions::default().ppid(BYTES);
    for length in [16_000, 1] {
        let endless = async { while stream.send(vec![7; length], options()).await.is_ok() {} };
        assert!(tokio::time::timeout(Duration::from_secs(1), endless).await.is_err());
    }
}

/// Sends byte by byte until the server has no credit for one more.
async fn use_up_of_server(far: &mut TcpStream, streams: &Streams) {
    let mut unread = streams.unread();
    loop {
        far.write_all(b"!").await.expect("sent");
        let arrived = async {
            while streams.unread() == unread {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        if tokio::time::timeout(Duration::from_millis(500), arrived).await.is_err() {
            return;
        }
        unread = streams.unread();
    }
}

/// The client's own end of the flow waits for credit, which the server gives as it reads.
#[tokio::test]
async fn ends_without_credit_do_not_wait_for_each_other() {
    let play = Play::new(Setup::default()).await;
    let (listener, _) = listen().await;
    let (mut stream, mut far) = opened(&play, &listener).await;
    far.set_nodelay(true).expect("set");
    use_up(&mut stream).await;
    use_up_of_server(&mut far, &play.streams).await;
    reset(far);
    let mut news = within(5, play.streams.accept_stream()).await.expect("open");
    assert_eq!(hear(&mut news).await, Some(Signal::Broken(stream.id())));
    within(5, news.finish()).await.expect("open");
    within(5, stream.finish()).await.expect("open");
    while within(5, stream.recv()).await.expect("open").is_some() {}
    play.goes_on().await;
}

/// The next flow of the stream must not begin before.
#[tokio::test]
async fn a_flow_that_was_reset_does_not_end_before_that_is_known() {
    let play = Play::new(Setup::default()).await;
    let (listener, _) = listen().await;
    let (mut stream, far) = opened(&play, &listener).await;
    reset(far);
    let mut news = within(5, play.streams.accept_stream()).await.expect("open");
    assert_eq!(hear(&mut news).await, Some(Signal::Broken(stream.id())));
    within(5, stream.finish()).await.expect("open");
    assert_eq!(hear(&mut stream).await, Some(Signal::Reset));
    nothing(stream.recv()).await;
    within(5, news.finish()).await.expect("open");
    assert_eq!(hear(&mut stream).await, None);
    play.goes_on().await;
}
