//! `--retry`: the program itself continues after an interruption, and does not where another attempt would fail too.

use std::net::UdpSocket;
use std::path::Path;

use crate::program::{Program, anabranch, endless_sender, file, part, receiver, run, wait_until};
use tempfile::tempdir;

/// An address of this host at which nothing listens now.
fn closed() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.local_addr().expect("its address").to_string()
}

fn receiver_at(to: &str, dir: &Path) -> Program {
    let mut recv = Program::start(anabranch(&format!("recv --listen {to} --dir")).arg(dir));
    recv.wait_for("--to ");
    recv
}

#[test]
fn a_receiver_that_is_killed_and_started_again_gets_the_rest() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "big", SIZE);
    let (mut recv, to) = receiver("127.0.0.1,127.0.0.2", inbox.path(), "");
    let line = format!("send --json --retry --limit-rate 160M --to {to}");
    let mut sent = Program::start(anabranch(&line).arg(&path));
    let part = part(inbox.path(), "big");
    wait_until("20 MB of big.part", || part.metadata().is_ok_and(|found| found.len() > 20_000_000));
    recv.kill();
    // The port stays closed for one attempt, at least.
    sent.wait_for("(attempt 2)");
    sent.wait_for("(attempt 3)");
    let recv = receiver_at(&to, inbox.path());
    let document = sent.finish().expect(0).json();
    recv.finish().expect(0);
    assert!(document["attempts"].as_u64() >= Some(3), "{document:#}");
    assert!(document["resumed_bytes"].as_u64() >= Some(16 << 20), "{document:#}");
    assert_eq!(document["resolved"]["retry"], "unlimited");
    let received = std::fs::read(inbox.path().join("big")).expect("received");
    assert!(received == std::fs::read(&path).expect("sent"), "the file differs");
}

#[cfg(target_os = "linux")]
#[test]
fn a_receiver_may_start_later_than_the_sender() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let (path, to) = (file(from.path(), "a", 1_000), closed());
    let mut sent = Program::start(anabranch(&format!("send --json --retry=1h --to {to}")).arg(&path));
    let told = sent.wait_for("trying again in ");
    assert!(told.ends_with("s (attempt 2)"), "{told}");
    let recv = receiver_at(&to, inbox.path());
    let document = sent.finish().expect(0).json();
    recv.finish().expect(0);
    assert!(document["attempts"].as_u64() >= Some(2), "{document:#}");
}

#[test]
fn a_wrong_key_and_a_file_that_is_refused_are_final() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 10);
    let (recv, to) = receiver("127.0.0.1", inbox.path(), "");
    let line = format!(
        "send --json --retry --set sctp.max_init_retransmits=1 --set sctp.rto.initial=200ms --to {to}"
    );
    let other = "5ec1e700000000000000000000000002";
    let ended = run(anabranch(&line).env("ANABRANCH_KEY", other).arg(&path)).expect(1);
    assert!(ended.stderr.contains("is the key the one that recv printed?"), "{ended:?}");
    assert!(!ended.stderr.contains("trying again"), "{ended:?}");
    assert_eq!(ended.json()["attempts"], 1);
    file(inbox.path(), "a", 11);
    let ended = run(anabranch(&line).arg(&path)).expect(1);
    assert_eq!(
        (&ended.json()["error"]["kind"], &ended.json()["attempts"]),
        (&"not-stored".into(), &1.into())
    );
    recv.finish().expect(1);
}

#[cfg(target_os = "linux")]
#[test]
fn attempts_end_at_their_limit_and_by_ctrl_c() {
    let from = tempdir().expect("a directory");
    let (path, to) = (file(from.path(), "a", 10), closed());
    let mut waiting = Program::start(anabranch(&format!("send --json --retry --to {to}")).arg(&path));
    let limited = run(anabranch(&format!("send --json --retry=2 --to {to}")).arg(&path)).expect(1);
    assert_eq!(limited.json()["attempts"], 2);
    assert_eq!(limited.json()["error"]["kind"], "unreachable");
    waiting.wait_for("(attempt 3)");
    waiting.interrupt();
    let ended = waiting.finish().expect(130);
    assert_eq!(ended.json()["error"]["kind"], "interrupted");
}

#[test]
fn input_from_a_pipe_that_was_sent_in_part_is_not_sent_again() {
    let inbox = tempdir().expect("a directory");
    let (mut recv, to) = receiver("127.0.0.1", inbox.path(), "");
    let sent = endless_sender(&format!("--retry --to {to}"));
    let part = part(inbox.path(), "endless");
    wait_until("a beginning", || part.metadata().is_ok_and(|found| found.len() > 100_000));
    recv.kill();
    // A new receiver answers at once that it has no such transfer.
    let _recv = receiver_at(&to, inbox.path());
    let ended = sent.finish().expect(1);
    assert!(!ended.stderr.contains("trying again"), "{ended:?}");
}

#[test]
fn a_fetch_continues_when_its_server_is_started_again() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let (path, at) = (file(from.path(), "big", SIZE), closed());
    let serve = || {
        let line = format!("send --limit-rate 160M --listen {at}");
        let mut serve = Program::start(anabranch(&line).arg(&path));
        serve.wait_for("--from ");
        serve
    };
    let mut first = serve();
    let mut fetch =
        Program::start(anabranch(&format!("recv --json --retry --from {at} --dir")).arg(inbox.path()));
    let part = part(inbox.path(), "big");
    wait_until("20 MB of big.part", || part.metadata().is_ok_and(|found| found.len() > 20_000_000));
    first.kill();
    let second = serve();
    fetch.wait_for("trying again in ");
    let document = fetch.finish().expect(0).json();
    second.finish().expect(0);
    assert!(document["attempts"].as_u64() >= Some(2), "{document:#}");
    assert!(document["resumed_bytes"].as_u64() >= Some(16 << 20), "{document:#}");
}

const SIZE: usize = 40_000_000;
