//! Files that are fetched: `anabranch send --listen` serves, and `anabranch recv --from` dials.

use std::io::Write as _;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Command, Stdio};

use anabranch_net::{Endpoint, Options, Security, SendOptions};

use crate::program::{Program, anabranch, file, part, receiver, run, wait_until};
use tempfile::tempdir;

/// A sender of `path` that listens on `addresses`, and what goes after `--from`.
fn server(addresses: &str, path: &Path, more: &str) -> (Program, String) {
    let mut command = anabranch(&format!("send --listen {addresses} {more}"));
    let mut program = Program::start(command.arg(path));
    let from = program.wait_for("--from ");
    (program, from)
}

fn fetch(from: &str, dir: &Path, more: &str) -> Command {
    let mut command = anabranch(&format!("recv --from {from} {more}"));
    command.arg("--dir").arg(dir);
    command
}

fn check_same(path: &Path, inbox: &Path) {
    let name = path.file_name().expect("a name");
    let received = std::fs::read(inbox.join(name)).expect("received");
    assert!(received == std::fs::read(path).expect("sent"), "the file differs");
}

/// Starts a fetch and waits until more of the file is there than is written down only now and then.
fn fetch_in_the_middle(from: &str, inbox: &Path) -> Program {
    let fetching = Program::start(&mut fetch(from, inbox, ""));
    let part = part(inbox, "big");
    wait_until("20 MB of big.part", || part.metadata().is_ok_and(|found| found.len() > 20_000_000));
    fetching
}

/// A server that has no files: it answers the first word of the end that dials with `frame`. Where it is.
fn wrong_server(frame: &'static [u8]) -> SocketAddr {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let local = vec!["127.0.0.1:0".parse().expect("an address")];
            let options = Options { local, accepts: true, ..Options::with(Security::Insecure) };
            let endpoint = Endpoint::bind(options).expect("a port");
            tell.send(endpoint.local_addresses()[0]).expect("the test waits");
            let association = endpoint.accept().await.expect("a receiver");
            let first = association.recv().await.expect("its first word").into_bytes();
            assert_eq!(first, [10, 3].as_slice());
            association.send(frame, SendOptions::default()).await.expect("room");
            let _ = association.closed().await;
        });
    });
    told.recv().expect("it listens")
}

#[test]
fn a_server_that_sends_wrong_frames_is_an_error() {
    let inbox = tempdir().expect("a directory");
    for (frame, complaint) in [
        (b"SSH-2.0".as_slice(), "a frame of unknown kind 0x53"),
        (b"\x02data without an offer", "unexpected message: data"),
        (b"\x04\x00", "unexpected message: a verdict"),
        (b"\x0a\x03", "both ends receive: start one of them with send"),
        (b"\x0a", "FETCH"),
        (b"\x01\x63", "version"),
        (b"\x01\x03\xff", "OFFER"),
    ] {
        let from = wrong_server(frame).to_string();
        let mut command = fetch(&from, inbox.path(), "--insecure");
        let ended = run(command.env_remove("ANABRANCH_KEY")).expect(1);
        assert!(ended.stderr.contains("does not follow anabranch's file protocol"), "{frame:?}: {ended:?}");
        assert!(ended.stderr.contains(complaint), "{frame:?}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{frame:?}: {ended:?}");
    }
    assert_eq!(std::fs::read_dir(inbox.path()).expect("a directory").count(), 0);
}

#[tokio::test]
async fn a_peer_that_asks_for_nothing_does_not_keep_others_out() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 10);
    let mut command = anabranch("send --insecure --listen 127.0.0.1:0");
    let mut served = Program::start(command.env_remove("ANABRANCH_KEY").arg(&path));
    let address = served.wait_for("--from ");
    let local = vec!["127.0.0.1:0".parse().expect("an address")];
    let endpoint = Endpoint::bind(Options { local, ..Options::with(Security::Insecure) }).expect("a port");
    let silent = endpoint.connect(&[address.parse().expect("an address")]).await.expect("it listens");
    let reason = silent.closed().await;
    assert!(reason.to_string().contains("asked for no file"), "{reason}");
    run(fetch(&address, inbox.path(), "--insecure").env_remove("ANABRANCH_KEY")).expect(0);
    served.finish().expect(0);
}

/// Fetches the rest; fails unless 20 MB or more do not travel again.
fn fetch_the_rest(from: &str, inbox: &Path) {
    let document = run(&mut fetch(from, inbox, "--json")).expect(0).json();
    let [bytes, resumed] = ["bytes", "resumed_bytes"].map(|key| document[key].as_u64().expect("a number"));
    assert!(resumed > 15_000_000, "{document:#}");
    assert_eq!(bytes + resumed, SIZE as u64, "{document:#}");
}

#[test]
fn a_file_is_fetched_over_two_links_and_the_server_ends() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "big", 10_000_000);
    let (served, address) = server("127.0.0.1:0", &path, "--json");
    let got =
        run(&mut fetch(&address, inbox.path(), "--json --via 127.0.0.1 --via 127.0.0.2")).expect(0).json();
    let sent = served.finish().expect(0).json();
    check_same(&path, inbox.path());
    assert_eq!((&sent["bytes"], &got["bytes"]), (&10_000_000.into(), &10_000_000.into()));
    assert_eq!(sent["sha256"], got["sha256"]);
    let carrying = |path: &&serde_json::Value| path["carried_bytes"].as_u64().is_some_and(|bytes| bytes > 0);
    assert_eq!(got["paths"].as_array().expect("paths").iter().filter(carrying).count(), 2, "{got:#}");
}

#[test]
fn the_line_that_a_server_prints_works_when_it_is_pasted() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 100_000);
    let mut command = anabranch("send --listen 127.0.0.1:0");
    let mut served = Program::start(command.env_remove("ANABRANCH_KEY").arg(&path));
    let line = served.wait_for("ready; on the receiver: ");
    assert!(line.starts_with("ANABRANCH_KEY="), "{line}");
    let pasted = line.replace("anabranch", env!("CARGO_BIN_EXE_anabranch"));
    let mut shell = Command::new("sh");
    run(shell.args(["-c", &pasted]).current_dir(inbox.path()).env_remove("ANABRANCH_KEY")).expect(0);
    served.finish().expect(0);
    check_same(&path, inbox.path());
}

#[test]
fn a_fetcher_that_was_killed_goes_on_and_the_server_waits_for_it() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "big", SIZE);
    let (served, address) = server("127.0.0.1:0", &path, "--limit-rate 160M");
    fetch_in_the_middle(&address, inbox.path()).kill();
    fetch_the_rest(&address, inbox.path());
    let served = served.finish().expect(0);
    assert!(served.stderr.contains("still listening; the same command on the receiver"), "{served:?}");
    check_same(&path, inbox.path());
}

#[test]
fn a_server_that_was_killed_goes_on_where_it_was() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "big", SIZE);
    let (mut served, address) = server("127.0.0.1:0", &path, "--limit-rate 160M");
    let fetching = fetch_in_the_middle(&address, inbox.path());
    served.kill();
    fetching.interrupt();
    fetching.finish().expect(130);
    let (served, same) = server(&address, &path, "");
    assert_eq!(same, address);
    fetch_the_rest(&address, inbox.path());
    served.finish().expect(0);
    check_same(&path, inbox.path());
}

#[test]
fn a_server_that_keeps_on_survives_a_fetcher_that_dies() {
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "big", SIZE);
    let (served, address) = server("127.0.0.1:0", &path, "--keep --json --limit-rate 160M");
    let inboxes = [0; 3].map(|_| tempdir().expect("a directory"));
    run(&mut fetch(&address, inboxes[0].path(), "")).expect(0);
    let mut killed = fetch_in_the_middle(&address, inboxes[1].path());
    let refused = run(&mut fetch(&address, inboxes[2].path(), "")).expect(1);
    assert!(refused.stderr.contains("busy with another transfer; try again later"), "{refused:?}");
    killed.kill();
    run(&mut fetch(&address, inboxes[2].path(), "")).expect(0);
    served.interrupt();
    let ended = served.finish().expect(130);
    for inbox in [&inboxes[0], &inboxes[2]] {
        check_same(&path, inbox.path());
    }
    let documents: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    assert_eq!(documents.len(), 4, "{ended:?}");
    assert_eq!((&documents[0]["bytes"], &documents[2]["bytes"]), (&SIZE.into(), &SIZE.into()));
    assert_eq!(documents[1]["error"]["kind"], "peer-gone", "{ended:?}");
    assert_eq!(documents[3]["error"]["kind"], "interrupted");
}

#[test]
fn a_fetcher_with_another_key_gets_no_answer() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 10);
    let (served, address) = server("127.0.0.1:0", &path, "");
    let brief = "--set sctp.max_init_retransmits=1 --set sctp.rto.initial=200ms";
    let mut command = fetch(&address, inbox.path(), brief);
    let ended = run(command.env("ANABRANCH_KEY", "5ec1e700000000000000000000000002")).expect(1);
    assert!(ended.stderr.contains("is `anabranch send --listen` running there"), "{ended:?}");
    assert!(ended.stderr.contains("is the key the one that send --listen printed?"), "{ended:?}");
    run(&mut fetch(&address, inbox.path(), "")).expect(0);
    served.finish().expect(0);
}

#[test]
fn two_ends_of_one_role_say_so() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 100_000);
    let (mut served, address) = server("127.0.0.1:0", &path, "");
    let sent = run(anabranch(&format!("send --to {address}")).arg(&path)).expect(1);
    assert!(sent.stderr.contains("both ends send: start one of them with recv"), "{sent:?}");
    served.wait_for("both ends send: start one of them with recv");
    run(&mut fetch(&address, inbox.path(), "")).expect(0);
    served.finish().expect(0);
    let (recv, address) = receiver("127.0.0.1", inbox.path(), "");
    let got = run(&mut fetch(&address, inbox.path(), "")).expect(1);
    assert!(got.stderr.contains("both ends receive: start one of them with send"), "{got:?}");
    assert!(got.stderr.contains(&format!("{address} refused: ")), "{got:?}");
    // Neither listener ends because the wrong one came.
    std::fs::remove_file(inbox.path().join("a")).expect("ours");
    run(anabranch(&format!("send --to {address}")).arg(&path)).expect(0);
    let ended = recv.finish().expect(0);
    assert!(ended.stderr.contains("both ends receive: start one of them with send"), "{ended:?}");
    check_same(&path, inbox.path());
}

#[test]
fn an_end_that_transfers_files_and_one_that_measures_say_so_and_the_listener_waits_for_the_right_one() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 10);
    let complaint = "refused: one end measures and the other transfers files";
    let wrong = |command: &mut Command| {
        let ended = run(command).expect(1);
        assert!(ended.stderr.contains(complaint), "{ended:?}");
    };
    let (recv, to) = receiver("127.0.0.1", inbox.path(), "");
    wrong(&mut anabranch(&format!("bench --to {to}")));
    run(anabranch(&format!("send --to {to}")).arg(&path)).expect(0);
    recv.finish().expect(0);
    let (served, to) = server("127.0.0.1:0", &path, "");
    wrong(&mut anabranch(&format!("bench --to {to}")));
    run(&mut fetch(&to, inbox.path(), "")).expect(0);
    served.finish().expect(0);
    let mut bench = Program::start(&mut anabranch("bench --serve --once --listen 127.0.0.1:0"));
    let to = bench.wait_for("--to ");
    wrong(anabranch(&format!("send --to {to}")).arg(&path));
    wrong(&mut fetch(&to, inbox.path(), ""));
    run(&mut anabranch(&format!("bench -t 1 --to {to}"))).expect(0);
    let ended = bench.finish().expect(0);
    assert_eq!(ended.stderr.matches("; still listening").count(), 2, "{ended:?}");
}

#[test]
fn a_server_that_keeps_on_outlives_a_file_that_is_away_for_a_moment() {
    let from = tempdir().expect("a directory");
    let (path, away) = (file(from.path(), "a", 10), from.path().join("away"));
    let inboxes = [0; 3].map(|_| tempdir().expect("a directory"));
    let (served, address) = server("127.0.0.1:0", &path, "--keep");
    run(&mut fetch(&address, inboxes[0].path(), "")).expect(0);
    std::fs::rename(&path, &away).expect("ours");
    let missed = run(&mut fetch(&address, inboxes[1].path(), "")).expect(1);
    let complaint = format!("cannot send {path:?}: there is no such file");
    assert!(missed.stderr.contains(&format!("{address} cancelled the transfer: {complaint}")), "{missed:?}");
    std::fs::rename(&away, &path).expect("ours");
    run(&mut fetch(&address, inboxes[2].path(), "")).expect(0);
    check_same(&path, inboxes[2].path());
    served.interrupt();
    let ended = served.finish().expect(130);
    assert!(ended.stderr.contains(&complaint), "{ended:?}");
}

#[test]
fn a_pipe_is_fetched_once() {
    let inbox = tempdir().expect("a directory");
    let refused = run(&mut anabranch("send - --listen 127.0.0.1:0 --keep")).expect(2);
    assert!(refused.stderr.contains("input from a pipe can be read only once"), "{refused:?}");
    let port = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port");
    let mut command = anabranch(&format!("send - --name words --listen {port}"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the program starts");
    child.stdin.take().expect("piped").write_all(b"some words").expect("it reads");
    // A sender that comes first does not take the words with it.
    run(anabranch(&format!("send --to {port}")).arg(file(inbox.path(), "other", 10))).expect(1);
    run(&mut fetch(&port.to_string(), inbox.path(), "")).expect(0);
    assert!(child.wait().expect("its status").success());
    assert_eq!(std::fs::read(inbox.path().join("words")).expect("received"), b"some words");
}

#[test]
fn exactly_one_end_is_named() {
    for (line, complaint) in [
        ("send a", "--listen"),
        ("send a --to 127.0.0.1 --listen 127.0.0.1", "cannot be used with"),
        ("send a --listen 127.0.0.1 --via lo", "cannot be used with"),
        ("send a --to 127.0.0.1 --keep", "cannot be used with"),
        ("recv --from 127.0.0.1 --listen 127.0.0.1", "cannot be used with"),
        ("recv --from 127.0.0.1 --keep", "cannot be used with"),
        ("recv --via lo", "--from"),
    ] {
        let ended = run(&mut anabranch(line)).expect(2);
        assert!(ended.stderr.contains(complaint), "{line}: {ended:?}");
    }
}

const SIZE: usize = 40_000_000;
