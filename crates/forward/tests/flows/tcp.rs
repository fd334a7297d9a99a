//! One TCP connection: its bytes, its half-closes and its resets.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::party::{Party, within};
use crate::programs::{
    accept, closed_port, connect, content, echo, exchange, listen, read, read_to_end, reset, until_reset,
};

/// The two ends of a connection that is forwarded.
async fn connected(party: &Party) -> (TcpStream, TcpStream) {
    let (listener, address) = listen().await;
    let mut program = connect(party.fixed(address).await).await;
    program.write_all(b"!").await.expect("sent");
    let mut far = accept(&listener).await;
    assert_eq!(read(&mut far, 1).await, b"!");
    (program, far)
}

#[tokio::test]
async fn a_megabyte_each_way_arrives_byte_for_byte() {
    let party = Party::new().await;
    let (mut program, mut far) = connected(&party).await;
    let (there, back) = (content(1_000_000, 1), content(1_000_000, 2));
    let (answer, request) = tokio::join!(exchange(&mut program, &there), exchange(&mut far, &back));
    assert!(answer == back && request == there);
}

#[tokio::test]
async fn a_program_that_has_ended_still_gets_the_answer() {
    let party = Party::new().await;
    let (mut program, mut far) = connected(&party).await;
    program.write_all(b"question").await.expect("sent");
    program.shutdown().await.expect("half-closed");
    assert_eq!(read_to_end(&mut far).await, b"question");
    tokio::time::sleep(Duration::from_millis(50)).await;
    let answer = content(300_000, 3);
    let (sent, received) = tokio::join!(far.write_all(&answer), read(&mut program, answer.len()));
    sent.expect("sent");
    assert!(received == answer);
    drop(far);
    assert!(read_to_end(&mut program).await.is_empty());
}

#[tokio::test]
async fn a_destination_that_has_ended_still_gets_the_rest() {
    let party = Party::new().await;
    let (mut program, mut far) = connected(&party).await;
    far.write_all(b"answer").await.expect("sent");
    far.shutdown().await.expect("half-closed");
    assert_eq!(read_to_end(&mut program).await, b"answer");
    tokio::time::sleep(Duration::from_millis(50)).await;
    let rest = content(300_000, 4);
    let (sent, received) = tokio::join!(program.write_all(&rest), read(&mut far, rest.len()));
    sent.expect("sent");
    assert!(received == rest);
    drop(program);
    assert!(read_to_end(&mut far).await.is_empty());
}

#[tokio::test]
async fn a_reset_of_the_program_resets_the_destination() {
    let party = Party::new().await;
    let (program, mut far) = connected(&party).await;
    reset(program);
    until_reset(&mut far).await;
}

#[tokio::test]
async fn a_reset_of_the_destination_resets_the_program() {
    let party = Party::new().await;
    let (mut program, far) = connected(&party).await;
    reset(far);
    until_reset(&mut program).await;
}

/// A close is an end, and later a reset.
#[tokio::test]
async fn a_program_that_closes_while_the_destination_sends_resets_it() {
    let party = Party::new().await;
    let (program, mut far) = connected(&party).await;
    drop(program);
    let chunk = content(10_000, 5);
    let sending = async { while far.write_all(&chunk).await.is_ok() {} };
    within(10, sending).await;
}

#[tokio::test]
async fn a_connection_to_a_closed_port_is_reset_with_an_event_at_both_ends() {
    let party = Party::new().await;
    let closed = closed_port().await;
    until_reset(&mut connect(party.fixed(closed).await).await).await;
    for events in [&party.here, &party.there] {
        let event = events.wait_for(&format!("no flow to {closed}")).await;
        assert!(event.to_string().to_lowercase().contains("refused"), "{event}");
    }
}

#[tokio::test]
async fn an_empty_connection_ends_at_both_ends() {
    let party = Party::new().await;
    let mut program = connect(party.fixed(echo().await).await).await;
    assert!(exchange(&mut program, b"").await.is_empty());
}
