//! Failures and their reports: the exit status, a message with what to do, nothing left behind.

use std::net::UdpSocket;
use std::path::Path;
use std::process::Command;

use crate::program::{KEY, Program, anabranch, endless_sender, file, receiver, run};
use anabranch_base::ByteCount;
use anabranch_net::{Association, Config, Endpoint, Options, Security, SendOptions};
use anabranch_transfer::protocol::{
    FileKind, FileOutcome, FilePath, FileVerdict, Offer, ReceiverAnswer, Sender,
};
use sha2::{Digest as _, Sha256};
use tempfile::tempdir;

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).expect("a directory");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn without_a_listener_the_error_names_the_address_and_what_to_do() {
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "a", 10);
    // A port that no system gives to a socket that asks for any: the tests beside this one cannot come to own it.
    let unused = "127.0.0.1:9";
    let line = format!("send --set sctp.max_init_retransmits=1 --set sctp.rto.initial=200ms --to {unused}");
    let ended = run(anabranch(&line).arg(&path)).expect(1);
    assert!(ended.stderr.contains(&format!("no answer from {unused} after 2 attempts")), "{ended:?}");
    assert!(ended.stderr.contains("is `anabranch recv` running there"), "{ended:?}");
    let ended = run(anabranch(&format!("{line} --json")).arg(&path)).expect(1);
    assert_eq!(ended.json()["error"]["kind"], "no-answer");
}

/// Every pair is refused, so that the cause is known before the attempts are over.
#[cfg(target_os = "linux")]
#[test]
fn a_port_that_is_closed_on_every_pair_ends_the_attempt_with_that_cause() {
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "a", 10);
    let ended = run(anabranch("send --to 127.0.0.1:9,127.0.0.2:9").arg(&path)).expect(1);
    let cause = "cannot reach 127.0.0.1:9,127.0.0.2:9: 127.0.0.1:9: port closed, nothing listens there";
    assert!(ended.stderr.contains(cause), "{ended:?}");
    let ended = run(anabranch("send --json --to 127.0.0.1:9").arg(&path)).expect(1);
    assert_eq!(ended.json()["error"]["kind"], "unreachable");
}

#[test]
fn addresses_at_which_nothing_can_be_reached_are_wrong_input() {
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "a", 10);
    for (to, cause) in
        [("127.0.0.1:0", "UDP port 0"), ("fe80::1", "link-local"), ("[fe80::1%lo]:9", "link-local")]
    {
        let ended = run(anabranch(&format!("send --to {to}")).arg(&path)).expect(2);
        assert!(ended.stderr.contains(cause), "{ended:?}");
    }
}

/// Connecting is visible: which pair is tried, and what the kernel says of it, though no host answers.
#[cfg(target_os = "linux")]
#[test]
fn while_it_connects_the_kernels_words_are_shown() {
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "a", 10);
    let line = "--set sctp.max_init_retransmits=2 --set sctp.rto.initial=600ms --to 127.0.0.1:9";
    let words = "connecting, 1 s: 127.0.0.1:9: port closed, nothing listens there (Connection refused)";
    let ended = run(anabranch(&format!("send {line}")).arg(&path)).expect(1);
    assert!(ended.stderr.contains(words), "{ended:?}");
    let ended = run(anabranch(&format!("send --quiet {line}")).arg(&path)).expect(1);
    assert!(!ended.stderr.contains("connecting"), "{ended:?}");
    let ended = run(&mut anabranch(&format!("bench {line}"))).expect(1);
    assert!(ended.stderr.contains(words), "{ended:?}");
}

#[test]
fn wrong_input_ends_with_2_before_anything_is_sent() {
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "a", 10).display().to_string();
    for (line, complaint) in [
        ("send".to_owned(), "required"),
        ("send /nowhere/x --to 127.0.0.1".to_owned(), "there is no such file"),
        ("send /proc/self --to 127.0.0.1".to_owned(), "it is a symbolic link, which is not followed"),
        (format!("send {path} --to 127.0.0.1:99999"), "is not a UDP port"),
        (format!("send {path} --to host.invalid"), "\"host.invalid\""),
        (format!("send {path} --to 127.0.0.1,127.0.0.1"), "given twice"),
        (format!("send {path} --to 127.0.0.1 --via nosuch0"), "nosuch0"),
        (format!("send {path} --to 127.0.0.1 --via 192.0.2.77"), "192.0.2.77"),
        (format!("send {path} --to 127.0.0.1 --set sctp.rto.mni=1s"), "rto has no key `mni`"),
        (
            format!("send {path} --to 127.0.0.1 --set sctp.scheduler=fastest"),
            "\"fastest\" is not a valid scheduler",
        ),
        ("recv --listen 192.0.2.77".to_owned(), "192.0.2.77"),
        ("recv --listen 127.0.0.1:0 --dir /nowhere".to_owned(), "it does not exist (create it with mkdir)"),
        #[cfg(target_os = "linux")]
        ("recv --listen 127.0.0.1:0 --dir /proc".to_owned(), "its file system takes no files"),
        ("recv --listen 127.0.0.1:0 --dir /dev/null".to_owned(), "it is not a directory"),
        ("recv --listen 127.0.0.1:0 --dir /proc/self".to_owned(), "cannot put files into \"/proc/self\""),
    ] {
        let ended = run(&mut anabranch(&line)).expect(2);
        assert!(ended.stderr.contains(complaint), "{line}: {ended:?}");
        assert_eq!(ended.stdout, "", "{line}");
        let ended = run(&mut anabranch(&format!("{line} --json"))).expect(2);
        let message = ended.json()["error"]["message"].to_string().replace('\\', "");
        assert!(message.contains(complaint), "{line}: {ended:?}");
    }
}

#[test]
fn a_host_that_cannot_be_looked_up_has_one_cause() {
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "a", 10).display().to_string();
    let ended = run(&mut anabranch(&format!("send {path} --to server.invalid"))).expect(2);
    let causes = ["there is no host named", "the name server did not answer"];
    let named = causes.iter().filter(|cause| ended.stderr.contains(**cause)).count();
    assert_eq!(named, 1, "{ended:?}");
    assert!(ended.stderr.contains("check the ") && ended.stderr.contains("address"), "{ended:?}");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = UdpSocket::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound");
    let _holder = UdpSocket::bind(taken).expect("the port again");
    let ended = run(&mut anabranch(&format!("recv --listen {taken}"))).expect(2);
    assert!(ended.stderr.contains(&format!("UDP port {} of 127.0.0.1 is in use", taken.port())), "{ended:?}");
}

#[test]
fn a_file_that_exists_is_refused_at_both_ends_and_the_next_one_arrives() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let files = [file(from.path(), "a", 5_000_000), file(from.path(), "b", 10)];
    std::fs::write(to_dir.path().join("a"), "precious").expect("a file");
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let sent = run(anabranch(&format!("send --to {to}")).args(&files)).expect(1);
    let received = recv.finish().expect(1);
    assert!(sent.stderr.contains("the receiver refused \"a\": "), "{sent:?}");
    assert!(sent.stderr.contains("exists already; use `anabranch recv --force` to replace it"), "{sent:?}");
    assert!(received.stderr.contains("refused \"a\": "), "{received:?}");
    assert_eq!(std::fs::read(to_dir.path().join("a")).expect("kept"), b"precious");
    assert_eq!(std::fs::read(to_dir.path().join("b")).expect("received").len(), 10);
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "--force");
    run(anabranch(&format!("send --to {to}")).arg(&files[0])).expect(0);
    recv.finish().expect(0);
    assert_eq!(std::fs::read(to_dir.path().join("a")).expect("replaced").len(), 5_000_000);
}

#[test]
fn a_full_disk_is_reported_at_both_ends_and_leaves_nothing() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 10_000_000);
    // Files may grow to 1 MiB only: the write beyond fails as on a full disk.
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_anabranch")]);
    limited.env("ANABRANCH_KEY", KEY).args(["recv", "--listen", "127.0.0.1:0", "--dir"]).arg(to_dir.path());
    let mut recv = Program::start(&mut limited);
    let to = recv.wait_for("--to ");
    // From standard input, whose length is not known before: the write itself fails.
    let mut command = anabranch(&format!("send - --name a --to {to}"));
    let sent = run(command.stdin(std::fs::File::open(&path).expect("a file"))).expect(1);
    let received = recv.finish().expect(1);
    assert!(sent.stderr.contains("the receiver could not store \"a\": cannot store"), "{sent:?}");
    assert!(received.stderr.contains("failed \"a\": cannot store"), "{received:?}");
    assert!(names(to_dir.path()).is_empty(), "{:?}", names(to_dir.path()));
}

#[test]
fn a_file_that_is_longer_than_the_receiver_may_write_is_refused_and_the_others_arrive() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let [big, small] = [("big", 2_000_000), ("small", 10)].map(|(name, size)| file(from.path(), name, size));
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 2048; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_anabranch")]);
    limited.env("ANABRANCH_KEY", KEY).args(["recv", "--keep", "--listen", "127.0.0.1:0", "--dir"]);
    let mut recv = Program::start(limited.arg(to_dir.path()));
    let to = recv.wait_for("--to ");
    let sent = run(anabranch(&format!("send --to {to}")).args([&big, &small])).expect(1);
    let why = "it is larger than files may be here: 1.05 MB (a limit of the receiving process: ulimit -f)";
    assert!(
        sent.stderr.contains(&format!("could not store \"big\": cannot store \"big\": {why}")),
        "{sent:?}"
    );
    recv.interrupt();
    let received = recv.finish().expect(130);
    assert!(received.stderr.contains(why), "{received:?}");
    assert_eq!(names(to_dir.path()), ["small"]);
}

#[test]
fn a_sender_that_vanishes_is_reported_and_its_part_is_thrown_away() {
    let to_dir = tempdir().expect("a directory");
    let settings = "--set sctp.failover.association_max=3 --set sctp.rto.max=1s --json-lines";
    let (mut recv, to) = receiver("127.0.0.1,127.0.0.2", to_dir.path(), settings);
    let mut sent = endless_sender(&format!("--to {to}"));
    recv.wait_for("\"time_s\"");
    sent.kill();
    let received = recv.finish().expect(1);
    assert!(received.stderr.contains("no longer answers"), "{received:?}");
    assert!(received.stderr.contains("\"endless\" is incomplete and was discarded"), "{received:?}");
    assert!(names(to_dir.path()).is_empty(), "{:?}", names(to_dir.path()));
}

#[test]
fn a_receiver_that_vanishes_is_reported() {
    let to_dir = tempdir().expect("a directory");
    let (mut recv, to) = receiver("127.0.0.1,127.0.0.2", to_dir.path(), "");
    let settings = "--set sctp.failover.association_max=3 --set sctp.rto.max=1s --json-lines";
    let mut sent = endless_sender(&format!("{settings} --to {to}"));
    sent.wait_for("\"time_s\"");
    recv.kill();
    let ended = sent.finish().expect(1);
    assert!(ended.stderr.contains("no longer answers"), "{ended:?}");
    let last = ended.stdout.lines().last().expect("a document");
    let document: serde_json::Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(document["error"]["kind"], "peer-gone");
    assert!(document["paths"].as_array().is_some_and(|paths| paths.len() == 2), "{document:#}");
}

/// The new receiver has the key and not the session: it can neither read what comes nor say so in the session.
#[test]
fn a_restarted_receiver_is_reported_soon() {
    let to_dir = tempdir().expect("a directory");
    let (mut recv, to) = receiver("127.0.0.1", to_dir.path(), "--keep");
    let mut sent = endless_sender(&format!("--json-lines --to {to}"));
    sent.wait_for("\"time_s\"");
    recv.kill();
    let mut anew = anabranch(&format!("recv --listen {to} --keep"));
    let mut anew = Program::start(anew.arg("--dir").arg(to_dir.path()));
    anew.wait_for("--to ");
    // After two time-outs of 0.2 and 0.4 s.
    let ended = sent.finish().expect(1);
    assert!(ended.stderr.contains(&format!("{to} was restarted during the transfer")), "{ended:?}");
    // And the new one is there for the next.
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "next", 1_000);
    run(anabranch(&format!("send -q --to {to}")).arg(&path)).expect(0);
}

#[test]
fn ctrl_c_ends_both_ends_and_the_document_is_printed() {
    let to_dir = tempdir().expect("a directory");
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let mut sent = endless_sender(&format!("--json-lines --to {to}"));
    sent.wait_for("\"time_s\"");
    sent.interrupt();
    let ended = sent.finish().expect(130);
    let last = ended.stdout.lines().last().expect("a document");
    let document: serde_json::Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(document["error"]["kind"], "interrupted");
    assert!(document["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{document:#}");
    let received = recv.finish().expect(1);
    assert!(received.stderr.contains("interrupted by its user"), "{received:?}");
    assert!(names(to_dir.path()).is_empty(), "{:?}", names(to_dir.path()));
}

#[test]
fn ctrl_c_ends_a_receiver_that_waits() {
    let to_dir = tempdir().expect("a directory");
    let (recv, _) = receiver("127.0.0.1", to_dir.path(), "--json");
    recv.interrupt();
    assert_eq!(recv.finish().expect(130).json()["error"]["kind"], "interrupted");
}

#[test]
fn datagrams_that_are_not_sctp_are_ignored() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 1_000_000);
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let peer = UdpSocket::bind("127.0.0.1:0").expect("a port");
    for length in 0..500 {
        peer.send_to(&vec![0x5a; length], &to).expect("sent");
    }
    run(anabranch(&format!("send --to {to}")).arg(&path)).expect(0);
    recv.finish().expect(0);
}

/// A peer that speaks SCTP, and then whatever the test wants.
async fn peer(to: &str) -> Association {
    let local = vec!["127.0.0.1:0".parse().expect("an address")];
    let options = Options { local, ..Options::with(Security::Sealed(KEY.parse().expect("a key"))) };
    let endpoint = Endpoint::bind(options).expect("a port");
    endpoint.connect(&[to.parse().expect("an address")]).await.expect("it listens")
}

/// The receiver takes 128 KiB and reads nothing: the rest stays in the sender's buffer.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_receiver_has_not_acknowledged_does_not_count_as_sent() {
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "a", 900_000);
    let local = vec!["127.0.0.1:0".parse().expect("an address")];
    let config = Config { receive_buffer: ByteCount::from_kib(128), ..Config::rfc9260() };
    let security = Security::Sealed(KEY.parse().expect("a key"));
    let listening =
        Endpoint::bind(Options { local, accepts: true, config, ..Options::with(security) }).expect("a port");
    let to = listening.local_addresses()[0];
    let mut sent = Program::start(anabranch(&format!("send --json-lines --to {to}")).arg(&path));
    let _reads_nothing = listening.accept().await.expect("it sends");
    let ended = tokio::task::spawn_blocking(move || {
        sent.wait_for("\"time_s\"");
        sent.interrupt();
        sent.finish()
    });
    let ended = ended.await.expect("it ends").expect(130);
    for line in ended.stdout.lines() {
        let document: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let paths = document["paths"].as_array().expect("paths").iter();
        let carried: u64 = paths.filter_map(|path| path["carried_bytes"].as_u64()).sum();
        let counted = document["bytes"].as_u64().expect("a number");
        assert!((30_000..=carried).contains(&counted) && carried < 300_000, "{document:#}");
    }
}

async fn say(association: &Association, bytes: &[u8]) {
    association.send(bytes.to_vec(), SendOptions::default()).await.expect("it is open");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_sends_garbage_is_refused_and_reported_and_the_next_may_come() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 10);
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let peer = peer(&to).await;
    say(&peer, b"GET / HTTP/1.1\r\n\r\n").await;
    let reason = peer.recv().await.expect_err("nothing to say to that").to_string();
    assert!(reason.contains("file protocol: a frame of unknown kind 0x47"), "{reason}");
    let ended = tokio::task::spawn_blocking(move || {
        run(anabranch(&format!("send --to {to}")).arg(&path)).expect(0);
        recv.finish()
    });
    let ended = ended.await.expect("it ends").expect(0);
    assert!(ended.stderr.contains("does not follow anabranch's file protocol"), "{ended:?}");
    assert!(ended.stderr.contains("still listening"), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_climb_are_refused_and_nothing_is_written() {
    let outer = tempdir().expect("a directory");
    let inbox = outer.path().join("inbox");
    std::fs::create_dir(&inbox).expect("a directory");
    let (recv, to) = receiver("127.0.0.1", &inbox, "");
    let peer = peer(&to).await;
    for name in ["../evil", "/etc/evil", "..", "a/../../evil", "\u{1b}[2J/..", "a\0b", ""] {
        say(&peer, &[b"\x01\x03\0".as_slice(), &[0; 24], name.as_bytes()].concat()).await;
        say(&peer, b"\x02content").await;
        let answer = peer.recv().await.expect("a verdict").into_bytes();
        let Ok(ReceiverAnswer::Verdict(verdict)) = Sender::answer(&answer) else { panic!("{answer:?}") };
        assert_eq!(verdict.outcome, FileOutcome::Refused, "{name:?}");
        assert!(!verdict.why.contains('\u{1b}'), "{verdict:?}");
    }
    peer.close().await.expect("in order");
    let ended = tokio::task::spawn_blocking(|| recv.finish()).await.expect("it ends").expect(1);
    assert!(ended.stderr.contains("the path \"../evil\" leads to another directory"), "{ended:?}");
    assert_eq!(names(outer.path()), ["inbox"]);
    assert!(names(&inbox).is_empty(), "{:?}", names(&inbox));
}

/// A receiver's answers to a sender that offers `secret`, sends the hash `guess`, and ends there.
async fn answers_to(peer: &Association, guess: &[u8]) -> Vec<ReceiverAnswer> {
    let size = ByteCount::of_len(guess.len());
    let path = FilePath::new(b"secret").expect("a good name");
    let mut sender = Sender::default();
    let offer = Offer { path, kind: FileKind::Resumable { size }, mode: None, modified: None };
    let frames = [
        sender.offer(offer).expect("an offer"),
        sender.from(size, Sha256::new_with_prefix(guess)).expect("its beginning"),
    ];
    let mut answers = Vec::new();
    for frame in frames {
        say(peer, &frame).await;
        let answer = peer.recv().await.expect("an answer").into_bytes();
        answers.push(Sender::answer(&answer).expect("a good frame"));
    }
    if let Some(ReceiverAnswer::Begins(_)) = answers.last() {
        say(peer, &sender.end().expect("all of it").0).await;
        let answer = peer.recv().await.expect("a verdict").into_bytes();
        answers.push(Sender::answer(&answer).expect("a good frame"));
    }
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sender_that_guesses_a_files_name_and_size_learns_nothing_of_its_content() {
    let to_dir = tempdir().expect("a directory");
    std::fs::write(to_dir.path().join("secret"), "123456").expect("a file");
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let peer = peer(&to).await;
    let has = ReceiverAnswer::Has(ByteCount::new(6));
    let exists = "\"secret\" exists already; use `anabranch recv --force` to replace it";
    for guess in [b"000000", b"123457"] {
        let refused = ReceiverAnswer::Verdict(FileVerdict::refused(&exists));
        assert_eq!(answers_to(&peer, guess).await, [has.clone(), refused]);
    }
    let same =
        [has, ReceiverAnswer::Begins(ByteCount::new(6)), ReceiverAnswer::Verdict(FileVerdict::verified())];
    assert_eq!(answers_to(&peer, b"123456").await, same);
    peer.close().await.expect("in order");
    tokio::task::spawn_blocking(|| recv.finish()).await.expect("it ends").expect(1);
    assert_eq!(std::fs::read(to_dir.path().join("secret")).expect("it stays"), b"123456");
}

#[tokio::test(flavor = "multi_thread")]
async fn while_one_transfer_runs_others_are_turned_away() {
    let to_dir = tempdir().expect("a directory");
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let first = peer(&to).await;
    say(&first, &[b"\x01\x03\0".as_slice(), &[0; 24], b"a"].concat()).await;
    let path = file(to_dir.path(), "b", 10);
    let second = run(anabranch(&format!("send --to {to}")).arg(&path)).expect(1);
    let busy =
        format!("{to} is busy with another transfer and ends after it; it serves one after another when");
    assert!(second.stderr.contains(&busy), "{second:?}");
    std::fs::remove_file(path).expect("ours");
    first.abort("enough");
    let ended = tokio::task::spawn_blocking(|| recv.finish()).await.expect("it ends").expect(1);
    assert!(ended.stderr.contains("\"a\" is incomplete and was discarded"), "{ended:?}");
    assert!(names(to_dir.path()).is_empty());
}
