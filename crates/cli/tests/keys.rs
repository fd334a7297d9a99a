//! Which senders are accepted: keys that are printed, given by a file or the environment, wrong, missing, or not wanted.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{KEY, Program, anabranch, file, receiver, run};
use tempfile::tempdir;

/// The program with nothing in its environment.
fn without_key(arguments: &str) -> Command {
    let mut command = anabranch(arguments);
    command.env_remove("ANABRANCH_KEY");
    command
}

fn key_file(dir: &Path, mode: u32) -> PathBuf {
    let path = dir.join("service.key");
    std::fs::write(&path, format!("{KEY}\n")).expect("room for a file");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("it is ours");
    path
}

#[test]
fn the_line_that_recv_prints_has_a_fresh_key_and_works_when_it_is_pasted() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 100_000);
    let mut keys = Vec::new();
    for _ in 0..2 {
        let mut command = without_key("recv --force --listen 127.0.0.1:0");
        let mut recv = Program::start(command.arg("--dir").arg(to_dir.path()));
        let line = recv.wait_for("ready; on the sender: ");
        let pasted = line.replace("anabranch", env!("CARGO_BIN_EXE_anabranch"));
        let pasted = pasted.replace("FILE", &path.display().to_string());
        keys.push(line.split(' ').next().expect("the key first").to_owned());
        run(Command::new("sh").args(["-c", &pasted]).env_remove("ANABRANCH_KEY")).expect(0);
        recv.finish().expect(0);
        assert_eq!(std::fs::read(to_dir.path().join("a")).expect("received").len(), 100_000);
    }
    assert!(keys.iter().all(|key| key.starts_with("ANABRANCH_KEY=") && key.len() == 14 + 32), "{keys:?}");
    assert_ne!(keys[0], keys[1]);
}

#[test]
fn a_key_that_is_given_is_printed_nowhere() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 1_000);
    let key = key_file(from.path(), 0o600);
    let mut command = without_key("recv --json --listen 127.0.0.1:0 --key-file");
    let mut recv = Program::start(command.arg(&key).arg("--dir").arg(to_dir.path()));
    let to = recv.wait_for("--to ");
    let mut send = without_key(&format!("send -v --json --to {to} --key-file"));
    let sent = run(send.arg(&key).arg(&path)).expect(0);
    let received = recv.finish().expect(0);
    for ended in [&sent, &received] {
        assert!(!format!("{ended:?}").contains(KEY), "{ended:?}");
        assert_eq!(ended.json()["resolved"]["security"], "sealed");
    }
}

#[test]
fn the_line_that_is_printed_with_a_key_file_works_where_the_file_is() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 1_000);
    let key = key_file(from.path(), 0o600);
    let mut command = without_key("recv --listen 127.0.0.1:0 --key-file");
    let mut recv = Program::start(command.arg(&key).arg("--dir").arg(to_dir.path()));
    let line = recv.wait_for("ready; on the sender: ");
    assert!(line.starts_with("anabranch send FILE --key-file /"), "{line}");
    let told = recv.wait_for("copy the key file ");
    assert!(told.contains("service.key to the sender first") && !line.contains(KEY), "{told}");
    let pasted = line.replace(
        "anabranch send FILE",
        &format!("{} send {}", env!("CARGO_BIN_EXE_anabranch"), path.display()),
    );
    run(Command::new("sh").args(["-c", &pasted]).env_remove("ANABRANCH_KEY")).expect(0);
    recv.finish().expect(0);
    let mut command = without_key("bench --serve --listen 127.0.0.1:0 --key-file");
    let mut serve = Program::start(command.arg(&key));
    let line = serve.wait_for("ready; on the other host: ");
    assert!(line.starts_with("anabranch bench --key-file /"), "{line}");
    serve.kill();
}

#[test]
fn an_interface_is_listened_on_by_its_addresses() {
    let to_dir = tempdir().expect("a directory");
    let mut recv = Program::start(anabranch("recv --listen lo:0 --dir").arg(to_dir.path()));
    let to = recv.wait_for("--to ");
    assert!(to.starts_with("127.0.0.1:") && !to.contains(','), "one address stands for the interface: {to}");
    recv.kill();
}

#[test]
fn a_sender_with_another_key_is_ignored_and_its_user_learns_what_to_check() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 10);
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let line = format!("send --set sctp.max_init_retransmits=1 --set sctp.rto.initial=200ms --to {to}");
    let other = "5ec1e700000000000000000000000002";
    let ended = run(anabranch(&line).env("ANABRANCH_KEY", other).arg(&path)).expect(1);
    assert!(ended.stderr.contains("is the key the one that recv printed?"), "{ended:?}");
    let ended = run(anabranch(&line).arg("--insecure").arg(&path)).expect(1);
    assert!(ended.stderr.contains("was it started with --insecure too?"), "{ended:?}");
    // The receiver has noticed nothing and takes the next.
    run(anabranch(&line).arg(&path)).expect(0);
    recv.finish().expect(0);
}

#[test]
fn an_invalid_key_is_reported_before_anything_is_sent() {
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "a", 10).display().to_string();
    let readable = key_file(from.path(), 0o644).display().to_string();
    for (line, complaint) in [
        (format!("send {path} --to 127.0.0.1"), "no key is given: set ANABRANCH_KEY"),
        (format!("send {path} --to 127.0.0.1 --key-file /nowhere/key"), "it does not exist; to create it"),
        (format!("send {path} --to 127.0.0.1 --key-file {readable}"), "chmod 600"),
        (format!("recv --listen 127.0.0.1:0 --key-file {readable}"), "(mode 644)"),
        (format!("recv --listen 127.0.0.1:0 --key-file {path} --insecure"), "cannot be used with"),
        ("recv --quiet --listen 127.0.0.1:0".to_owned(), "the new key would not be shown"),
    ] {
        let ended = run(&mut without_key(&line)).expect(2);
        assert!(ended.stderr.contains(complaint), "{line}: {ended:?}");
    }
    let ended =
        run(anabranch(&format!("send {path} --to 127.0.0.1")).env("ANABRANCH_KEY", "sesame")).expect(2);
    assert!(ended.stderr.contains("ANABRANCH_KEY: a key is 32 hexadecimal digits, not 6"), "{ended:?}");
    assert!(!ended.stderr.contains("sesame"), "{ended:?}");
}

#[test]
fn plain_sctp_needs_the_option_at_both_ends() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 100_000);
    let mut command = without_key("recv --json --insecure --listen 127.0.0.1:0");
    let mut recv = Program::start(command.arg("--dir").arg(to_dir.path()));
    let to = recv.wait_for("anabranch send FILE --insecure --to ");
    let sent = run(without_key(&format!("send --json --insecure --to {to}")).arg(&path)).expect(0);
    let received = recv.finish().expect(0);
    for document in [sent.json(), received.json()] {
        assert_eq!(document["resolved"]["security"], "insecure");
    }
}

/// The person who waits at the receiver learns why nothing comes.
#[test]
fn a_receiver_tells_of_packets_under_another_key_or_under_none() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 10);
    let (mut recv, to) = receiver("127.0.0.1", to_dir.path(), "--verbose");
    let attempt = "--set sctp.max_init_retransmits=0 --set sctp.rto.initial=300ms";
    let mut other = without_key(&format!("send --to {to} {attempt}"));
    run(other.env("ANABRANCH_KEY", "0".repeat(32)).arg(&path)).expect(1);
    recv.wait_for("127.0.0.1 asks for a connection, but its packets are sealed with another key");
    run(without_key(&format!("send --insecure --to {to} {attempt}")).arg(&path)).expect(1);
    recv.wait_for(
        "127.0.0.1 asks for a connection, but its packets are not sealed, and this end expects a key",
    );
    run(anabranch(&format!("send --to {to}")).arg(&path)).expect(0);
    recv.finish().expect(0);
}
