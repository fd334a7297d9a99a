//! Many flows: at once, one after the other, and beside one that stops.

use std::time::Duration;

use anabranch_forward::Rate;
use anabranch_net::base::BitRate;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::party::{Party, Setup, within};
use crate::programs::{
    accept, ask_socks, connect, connect_by_socks, content, destination, echo, exchange, listen, read,
    read_to_end, reset, until_reset,
};

#[tokio::test]
async fn two_hundred_flows_at_once_carry_their_own_bytes() {
    let party = Party::new().await;
    let port = party.fixed(echo().await).await;
    let mut flows = JoinSet::new();
    for number in 0..200_u64 {
        flows.spawn(async move {
            let length = content(2, number).iter().fold(0, |sum, byte| sum * 256 + usize::from(*byte));
            let request = content(length, number);
            exchange(&mut connect(port).await, &request).await == request
        });
    }
    while let Some(flow) = within(60, flows.join_next()).await {
        assert!(flow.expect("joined"));
    }
    assert!(party.here.lines().is_empty() && party.there.lines().is_empty());
}

/// The bond's end has three or four of the eight streams. A stream rests for a second before it is used again.
#[tokio::test]
async fn more_flows_than_streams_follow_each_other() {
    let party = Party::with(Setup { streams: 8, ..Setup::default() }).await;
    let port = party.fixed(echo().await).await;
    for round in 0..5 {
        for number in 0..3 {
            let request = content(10_000, round * 3 + number);
            assert!(exchange(&mut connect(port).await, &request).await == request, "{round}.{number}");
        }
        tokio::time::sleep(Duration::from_millis(1_300)).await;
    }
    assert!(party.here.lines().is_empty(), "{:?}", party.here.lines());
}

/// Ends a flow between a program and a destination in the way with this number.
async fn end_somehow(number: usize, mut program: TcpStream, mut far: TcpStream) {
    match number {
        0 => reset(program),
        1 => reset(far),
        2 => drop(program),
        3 => drop(far),
        4 => {
            program.shutdown().await.expect("half-closed");
            assert!(read_to_end(&mut far).await.is_empty());
            reset(far);
            until_reset(&mut program).await;
        }
        _ => {
            far.shutdown().await.expect("half-closed");
            assert!(read_to_end(&mut program).await.is_empty());
            reset(program);
            until_reset(&mut far).await;
        }
    }
}

/// With one place and few streams, none may be lost.
#[tokio::test]
async fn flows_that_end_in_any_way_give_their_places_and_streams_back() {
    let party = Party::with(Setup { most_flows: 1, streams: 8, ..Setup::default() }).await;
    let port = party.socks().await;
    let (listener, address) = listen().await;
    for number in 0..6 {
        let mut tries = 0..200;
        let program = loop {
            let (program, code, _) = ask_socks(port, 1, &address.into(), b"").await;
            if code == 0 {
                break program;
            }
            assert!(tries.next().is_some(), "before {number}: {:?}", party.here.lines().last());
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        end_somehow(number, program, accept(&listener).await).await;
    }
}

#[tokio::test]
async fn a_flow_opens_at_once_beside_others_that_wait_for_the_rate() {
    let rate = Rate::new(Some(BitRate::from_bits_per_second(500_000)));
    let party = Party::with(Setup { rate, ..Setup::default() }).await;
    let (port, echo) = (party.socks().await, destination(&echo().await.to_string()));
    let mut sending = JoinSet::new();
    for _ in 0..24 {
        let mut program = connect_by_socks(port, &echo).await;
        sending.spawn(async move { while program.write_all(&[7; 64_000]).await.is_ok() {} });
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    // A message of each takes six seconds.
    within(3, connect_by_socks(port, &echo)).await;
}

#[tokio::test]
async fn a_reader_that_stops_does_not_stop_others() {
    let party = Party::new().await;
    let (stopped, stopped_at) = listen().await;
    let (port, echo) = (party.socks().await, destination(&echo().await.to_string()));
    let endless = |mut connection: TcpStream| async move {
        let chunk = content(64_000, 1);
        while connection.write_all(&chunk).await.is_ok() {}
    };
    // One stops in each direction: the destination reads nothing, and the program reads nothing.
    let mut near = connect_by_socks(port, &stopped_at.into()).await;
    let far = accept(&stopped).await;
    near.write_all(b"!").await.expect("sent");
    let silent = connect_by_socks(port, &stopped_at.into()).await;
    let sending = [tokio::spawn(endless(near)), tokio::spawn(endless(accept(&stopped).await))];
    let (at_bond, at_server) = (party.near.clone().into_streams(), party.far.clone().into_streams());
    let mut flow = connect_by_socks(port, &echo).await;
    for round in 0..30 {
        let request = content(50_000, round);
        let (mut from, mut to) = flow.split();
        let mut answer = vec![0; request.len()];
        let both = async { tokio::join!(to.write_all(&request), from.read_exact(&mut answer)) };
        within(10, both).await.0.expect("sent");
        assert!(answer == request);
        for streams in [&at_bond, &at_server] {
            assert!(streams.committed() <= streams.association().receive_buffer());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(sending.iter().all(|sender| !sender.is_finished()));
    // They go on when they are read.
    let (mut far, mut silent) = (far, silent);
    assert_eq!(read(&mut far, 1).await, b"!");
    for connection in [&mut far, &mut silent] {
        let mut rest = vec![0; 8_000_000];
        within(30, connection.read_exact(&mut rest)).await.expect("bytes");
    }
}
