//! Transfers that are broken off by a kill at either end, and go on: what arrived before does not travel again.

use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use crate::program::{Program, anabranch, file, part, receiver, run, wait_until};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

/// A file on its way, and where it goes.
struct Broken {
    from: TempDir,
    inbox: TempDir,
    path: PathBuf,
    to: String,
}

/// A receiver and a sender to it. Some of a file of 40 MB is there: more than 16 MiB, after which it is written down how
/// much it is.
fn broken() -> (Broken, Program, Program) {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "big", SIZE);
    let (recv, to) = receiver("127.0.0.1,127.0.0.2", inbox.path(), "");
    // Slow enough to be killed in the middle.
    let mut command = anabranch(&format!("send --limit-rate 160M --to {to}"));
    let sent = Program::start(command.arg(&path));
    let part = part(inbox.path(), "big");
    wait_until("20 MB of big.part", || part.metadata().is_ok_and(|found| found.len() > 20_000_000));
    (Broken { from, inbox, path, to }, recv, sent)
}

fn send_again(path: &Path, to: &str) -> Value {
    run(anabranch(&format!("send --json --to {to}")).arg(path)).expect(0).json()
}

/// Fails unless `document` tells that at least `least` bytes were there and all others, and no more, travelled.
fn check_resumed(document: &Value, least: u64) {
    let (bytes, resumed) = (&document["bytes"], &document["resumed_bytes"]);
    let (bytes, resumed) = (bytes.as_u64().expect("a number"), resumed.as_u64().expect("a number"));
    assert!(resumed >= least, "{document:#}");
    assert_eq!(bytes + resumed, SIZE as u64, "{document:#}");
    // What the paths carried, by SCTP's own account: each byte once, and the frames around them.
    let paths = document["paths"].as_array().expect("paths").iter();
    let carried: u64 = paths.filter_map(|path| path["carried_bytes"].as_u64()).sum();
    assert!((bytes..bytes + 10_000).contains(&carried), "{document:#}");
}

fn check_arrived(broken: &Broken) {
    let received = std::fs::read(broken.inbox.path().join("big")).expect("received");
    assert!(received == std::fs::read(&broken.path).expect("sent"), "the file differs");
    assert_eq!(std::fs::read_dir(broken.inbox.path()).expect("a directory").count(), 1);
}

#[test]
fn a_sender_that_was_killed_goes_on_and_need_not_wait_until_it_is_given_up() {
    let (broken, recv, mut sent) = broken();
    sent.kill();
    let document = send_again(&broken.path, &broken.to);
    check_resumed(&document, 20_000_000);
    check_arrived(&broken);
    let received = recv.finish().expect(0);
    assert!(received.stderr.contains("silent on all paths when another peer connected"), "{received:?}");
    assert!(received.stderr.contains("are kept; send it again to continue"), "{received:?}");
    assert!(received.stdout.contains("were there already)"), "{received:?}");
    assert_eq!(document["files"][0]["resumed_bytes"], document["resumed_bytes"]);
}

/// The next one would have another key.
#[test]
fn a_receiver_whose_sender_was_interrupted_waits_until_it_goes_on() {
    let (broken, mut recv, sent) = broken();
    sent.interrupt();
    sent.finish().expect(130);
    recv.wait_for("are kept; send it again to continue");
    recv.wait_for("still listening; the same command on the sender continues the transfer");
    check_resumed(&send_again(&broken.path, &broken.to), 20_000_000);
    recv.finish().expect(0);
    check_arrived(&broken);
}

#[test]
fn a_receiver_that_waits_for_its_sender_to_go_on_is_ended_by_ctrl_c_and_tells_what_came() {
    let (_broken, mut recv, sent) = broken();
    sent.interrupt();
    recv.wait_for("still listening");
    recv.interrupt();
    let ended = recv.finish().expect(130);
    assert!(ended.stdout.contains(" received in "), "{ended:?}");
    assert!(ended.stderr.contains("anabranch: interrupted"), "{ended:?}");
    sent.finish().expect(130);
}

#[test]
fn a_sender_whose_turn_has_not_come_is_told_when_the_receiver_is_interrupted() {
    let (broken, recv, mut sent) = broken();
    sent.kill();
    let mut waiting = Program::start(anabranch(&format!("send -v --to {}", broken.to)).arg(&broken.path));
    waiting.wait_for("is active");
    // The first one's silence is not long enough yet.
    recv.interrupt();
    recv.finish().expect(130);
    let ended = waiting.finish().expect(1);
    assert!(ended.stderr.contains("interrupted by its user"), "{ended:?}");
}

#[test]
fn a_receiver_that_was_killed_goes_on_with_what_it_has_written_down() {
    let (broken, mut recv, sent) = broken();
    recv.kill();
    let mut anew = anabranch(&format!("recv --listen {}", broken.to));
    let mut anew = Program::start(anew.arg("--dir").arg(broken.inbox.path()));
    anew.wait_for("--to ");
    let ended = sent.finish().expect(1);
    assert!(ended.stderr.contains("was restarted during the transfer"), "{ended:?}");
    check_resumed(&send_again(&broken.path, &broken.to), 16 << 20);
    anew.finish().expect(0);
    check_arrived(&broken);
}

#[test]
fn a_file_that_changed_before_it_is_sent_again_begins_anew_and_both_ends_being_killed_leaves_nothing_wrong() {
    let (broken, mut recv, mut sent) = broken();
    sent.kill();
    recv.kill();
    file(broken.from.path(), "big", SIZE - 1);
    std::fs::File::open(&broken.path)
        .and_then(|file| file.set_modified(UNIX_EPOCH + Duration::from_secs(1)))
        .expect("it is ours");
    let (recv, to) = receiver("127.0.0.1", broken.inbox.path(), "");
    let document = send_again(&broken.path, &to);
    assert_eq!((&document["bytes"], &document["resumed_bytes"]), (&(SIZE - 1).into(), &0.into()));
    let received = recv.finish().expect(0);
    assert!(received.stderr.contains("of another version of the file (size or time differ)"), "{received:?}");
    check_arrived(&broken);
}

#[test]
fn what_another_program_did_to_a_part_does_not_get_into_the_file() {
    let (broken, mut recv, mut sent) = broken();
    sent.kill();
    recv.kill();
    let part = part(broken.inbox.path(), "big");
    let mut bytes = std::fs::read(&part).expect("what is left");
    bytes[1_000_000] ^= 1;
    std::fs::write(&part, bytes).expect("it is ours");
    let (recv, to) = receiver("127.0.0.1", broken.inbox.path(), "");
    assert_eq!(send_again(&broken.path, &to)["resumed_bytes"], 0);
    let received = recv.finish().expect(0);
    assert!(received.stderr.contains("was damaged or changed: receiving from the start"), "{received:?}");
    check_arrived(&broken);
}

/// A cleaner, a backup, a faulty disk: what is verified is what is stored.
#[test]
fn a_part_that_another_program_changes_meanwhile_is_not_stored_and_what_is_right_of_it_goes_on() {
    let (broken, recv, sent) = broken();
    let part = std::fs::OpenOptions::new().write(true).open(part(broken.inbox.path(), "big"));
    part.and_then(|part| part.write_all_at(b"XXXX", 18_000_000)).expect("it is ours");
    let why =
        "another program changed it while it was received; 16.8 MB are kept, and a new transfer continues";
    let sent = sent.finish().expect(1);
    assert!(
        sent.stderr.contains(&format!("could not store \"big\": cannot store \"big\": {why}")),
        "{sent:?}"
    );
    let received = recv.finish().expect(1);
    assert!(received.stderr.contains(why) && !received.stdout.contains("SHA-256 "), "{received:?}");
    assert!(!broken.inbox.path().join("big").exists());
    let (recv, to) = receiver("127.0.0.1", broken.inbox.path(), "");
    check_resumed(&send_again(&broken.path, &to), 16 << 20);
    recv.finish().expect(0);
    check_arrived(&broken);
}

#[test]
fn a_file_that_one_receiver_has_in_hand_is_refused_by_another_in_the_same_directory() {
    let (broken, recv, sent) = broken();
    let (other, to) = receiver("127.0.0.1", broken.inbox.path(), "--force");
    let refused = run(anabranch(&format!("send --to {to}")).arg(&broken.path)).expect(1);
    assert!(refused.stderr.contains("\"big\" is being received in another transfer"), "{refused:?}");
    other.finish().expect(1);
    sent.finish().expect(0);
    recv.finish().expect(0);
    check_arrived(&broken);
}

const SIZE: usize = 40_000_000;
