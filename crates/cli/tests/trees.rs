//! Directories that travel whole, and what is in the way of that: links, files that exist, odd names, a full disk.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

use crate::program::{Program, anabranch, file, receiver, run};
use tempfile::tempdir;

fn set_modified(path: &Path, seconds: u64) {
    let file = fs::File::open(path).expect("it is there");
    file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).expect("it is ours");
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
}

#[test]
fn a_tree_arrives_with_modes_times_and_empty_directories_and_without_special_files() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let top = from.path().join("top");
    fs::create_dir_all(top.join("sub/empty")).expect("a directory");
    file(&top, "run", 10_000);
    file(&top.join("sub"), "large", 2_000_000);
    let odd = OsStr::from_bytes(b"odd\n\x1b[31m\xff");
    fs::write(top.join(odd), "odd").expect("a file");
    symlink("/etc/passwd", top.join("link")).expect("a link");
    assert!(Command::new("mkfifo").arg(top.join("pipe")).status().expect("there is mkfifo(1)").success());
    set_mode(&top.join("run"), 0o4750);
    set_mode(&top.join("sub/empty"), 0o500);
    for (path, seconds) in [("run", 1_000), ("sub/empty", 2_000), ("sub", 3_000), ("", 4_000)] {
        set_modified(&top.join(path), seconds);
    }
    let (recv, to) = receiver("127.0.0.1", inbox.path(), "");
    let sent = run(anabranch(&format!("send --to {to}")).arg(&top)).expect(0);
    let received = recv.finish().expect(0);
    let there = inbox.path().join("top");
    for (path, seconds, mode) in
        [("run", 1_000, 0o750), ("sub/empty", 2_000, 0o500), ("sub", 3_000, 0o755), ("", 4_000, 0o755)]
    {
        let found = fs::metadata(there.join(path)).expect("received");
        assert_eq!(found.mtime(), seconds, "{path}");
        // The mask of the test's user may remove some.
        assert_eq!(found.mode() & !mode & 0o7777, 0, "{path}");
        assert_eq!(found.mode() & 0o700, mode & 0o700, "{path}");
    }
    assert_eq!(
        fs::read(top.join("sub/large")).expect("sent"),
        fs::read(there.join("sub/large")).expect("received")
    );
    assert_eq!(fs::read(there.join(odd)).expect("received"), b"odd");
    assert!(!there.join("link").is_symlink() && !there.join("pipe").exists());
    assert!(sent.stdout.contains("link\" is a symbolic link and is skipped"), "{sent:?}");
    assert!(sent.stdout.contains("pipe\" is a named pipe and is skipped"), "{sent:?}");
    assert!(sent.stdout.contains("3 files are stored"), "{sent:?}");
    for text in [&sent.stdout, &sent.stderr, &received.stdout, &received.stderr] {
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
    assert!(received.stdout.contains(r"top/odd\n\u{1b}[31m\xff  3 B"), "{received:?}");
}

#[test]
fn a_tree_that_is_sent_again_is_right_and_only_what_is_missing_travels() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let top = from.path().join("top");
    fs::create_dir_all(top.join("sub")).expect("a directory");
    file(&top, "large", 3_000_000);
    file(&top, "small", 5_000);
    for (new, travelled) in [(None, 3_005_000), (Some("sub/new"), 6_000), (None, 6_000)] {
        new.map(|name| file(&top, name, 1_000));
        let (recv, to) = receiver("127.0.0.1", inbox.path(), "");
        let sent = run(anabranch(&format!("send --json --to {to}")).arg(&top)).expect(0).json();
        recv.finish().expect(0);
        assert_eq!(sent["bytes"], travelled, "{sent:#}");
    }
    assert!(inbox.path().join("top/sub/new").exists());
}

#[test]
fn what_exists_stays_unless_forced_and_the_rest_goes_on() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let files = [file(from.path(), "small", 1_000), file(from.path(), "large", 2_000_000)];
    let last = file(from.path(), "last", 10);
    for name in ["small", "large"] {
        fs::write(inbox.path().join(name), "old").expect("a file");
    }
    let (recv, to) = receiver("127.0.0.1", inbox.path(), "");
    let sent = run(anabranch(&format!("send --to {to}")).args(&files).arg(&last)).expect(1);
    recv.finish().expect(1);
    for name in ["small", "large"] {
        let refused = format!("the receiver refused \"{name}\"");
        assert!(sent.stderr.contains(&refused) && sent.stderr.contains("--force"), "{sent:?}");
        assert_eq!(fs::read(inbox.path().join(name)).expect("the old one"), b"old");
    }
    assert!(inbox.path().join("last").exists());
    let (recv, to) = receiver("127.0.0.1", inbox.path(), "--force");
    run(anabranch(&format!("send --to {to}")).args(&files)).expect(0);
    recv.finish().expect(0);
    for path in &files {
        let there = inbox.path().join(path.file_name().expect("a name"));
        assert_eq!(fs::read(path).expect("sent"), fs::read(there).expect("received"));
    }
}

#[test]
fn files_that_are_called_like_parts_arrive_and_those_that_are_there_stay() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let own = ["own.part", "own.part.json", "own.part.json.new"];
    for name in own {
        fs::write(inbox.path().join(name), "").expect("a file");
    }
    fs::write(inbox.path().join("own.part"), "precious").expect("a file");
    let names = ["x.part", "x.part.json", "x", "own"];
    let paths: Vec<_> =
        names.iter().enumerate().map(|(nth, name)| file(from.path(), name, 1_000 + nth)).collect();
    let (recv, to) = receiver("127.0.0.1", inbox.path(), "");
    let sent = run(anabranch(&format!("send --to {to}")).args(&paths)).expect(0);
    recv.finish().expect(0);
    assert!(sent.stdout.contains("4 files are stored"), "{sent:?}");
    for path in &paths {
        let there = inbox.path().join(path.file_name().expect("a name"));
        assert!(fs::read(path).expect("sent") == fs::read(&there).expect("received"), "{there:?}");
    }
    let kept: Vec<_> = own.map(|name| fs::read_to_string(inbox.path().join(name)).expect("ours")).into();
    assert_eq!(kept, ["precious", "", ""]);
    assert_eq!(fs::read_dir(inbox.path()).expect("a directory").count(), names.len() + own.len());
}

#[test]
fn a_sender_that_is_refused_is_not_told_where_the_receiver_stores() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let paths = [file(from.path(), "there", 10), file(from.path(), "folder", 10)];
    fs::write(inbox.path().join("there"), "old").expect("a file");
    fs::create_dir(inbox.path().join("folder")).expect("a directory");
    let (recv, to) = receiver("127.0.0.1", inbox.path(), "");
    let sent = run(anabranch(&format!("send --json --to {to}")).args(&paths)).expect(1);
    recv.finish().expect(1);
    let said = sent.stdout + &sent.stderr;
    assert!(said.contains("exists already") && said.contains("is a directory"), "{said}");
    assert!(!said.contains(&inbox.path().display().to_string()), "{said}");
}

#[test]
fn a_receivers_links_are_not_written_through() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let elsewhere = tempdir().expect("a directory");
    let top = from.path().join("top");
    fs::create_dir(&top).expect("a directory");
    let own = file(elsewhere.path(), "own", 10);
    let before = fs::read(&own).expect("ours");
    let paths = [file(&top, "a", 10), file(from.path(), "link", 2_000_000), file(from.path(), "b", 10)];
    symlink(elsewhere.path(), inbox.path().join("top")).expect("a link");
    symlink(&own, inbox.path().join("link")).expect("a link");
    symlink(&own, inbox.path().join("b.part")).expect("a link");
    let (recv, to) = receiver("127.0.0.1", inbox.path(), "--force");
    let sent = run(anabranch(&format!("send --to {to}")).arg(&top).args(&paths[1..])).expect(1);
    recv.finish().expect(1);
    assert!(sent.stderr.contains("top\" exists already and is not a directory"), "{sent:?}");
    assert!(
        sent.stderr.contains("not a directory, or is a symbolic link, which is not followed"),
        "{sent:?}"
    );
    assert_eq!(fs::read_dir(elsewhere.path()).expect("a directory").count(), 1);
    assert_eq!(fs::read(&own).expect("ours"), before);
    // What is not complete goes to a directory of its own.
    assert!(inbox.path().join("b").is_file() && inbox.path().join("b.part").is_symlink());
    // Forced, the link itself is replaced.
    assert!(fs::symlink_metadata(inbox.path().join("link")).expect("received").is_file());
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_goes_on() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    set_mode(from.path(), 0o755);
    let top = from.path().join("top");
    fs::create_dir_all(top.join("closed")).expect("a directory");
    file(&top, "secret", 10);
    file(&top, "open", 10);
    set_mode(&top, 0o755);
    set_mode(&top.join("secret"), 0o000);
    set_mode(&top.join("closed"), 0o000);
    let (recv, to) = receiver("127.0.0.1", inbox.path(), "");
    let mut command = anabranch(&format!("send --to {to}"));
    if fs::File::open(top.join("secret")).is_ok() {
        // Root reads everything: then another user sends, if the program can be started as that user.
        command.uid(65_534).gid(65_534);
        let may_start = Command::new(command.get_program()).arg("--version").uid(65_534).gid(65_534).output();
        if may_start.is_err() {
            return eprintln!("skipped: this user can read everything, and others cannot start the program");
        }
    }
    let sent = run(command.arg(&top)).expect(1);
    let received = recv.finish().expect(1);
    assert!(
        received.stderr.contains("\"top/secret\": the sender gave up: permission denied"),
        "{received:?}"
    );
    for closed in [top.join("closed"), inbox.path().join("top/closed")] {
        set_mode(&closed, 0o755);
    }
    for name in ["secret", "closed"] {
        assert!(sent.stderr.contains(&format!("top/{name}\": permission denied")), "{sent:?}");
    }
    assert!(inbox.path().join("top/open").exists() && !inbox.path().join("top/secret").exists());
}

#[test]
fn standard_input_comes_out_of_standard_output_and_nothing_else_does() {
    let mut recv = Program::start(&mut anabranch("recv --listen 127.0.0.1:0 --dir -"));
    let to = recv.wait_for("--to ");
    let mut command = anabranch(&format!("send - -q --to {to}"));
    let mut sent = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    let lines: String = (0..300_000).map(|number| format!("{number}\n")).collect();
    sent.stdin.take().expect("piped").write_all(lines.as_bytes()).expect("it reads");
    assert!(sent.wait().expect("its status").success());
    let received = recv.finish().expect(0);
    assert!(received.stdout == lines, "{} bytes", received.stdout.len());
    assert!(received.stderr.contains("stdin (to standard output)"), "{}", received.stderr);
}

#[test]
fn a_reader_of_standard_output_that_ends_fails_the_file_at_both_ends() {
    let from = tempdir().expect("a directory");
    let path = file(from.path(), "a", 5_000_000);
    let line =
        "{ \"$0\" recv --listen 127.0.0.1:0 --dir -; echo \"status $?\" >&2; } | head -c 100000 | wc -c";
    let mut shell = Command::new("sh");
    shell.args(["-c", line, env!("CARGO_BIN_EXE_anabranch")]).env("ANABRANCH_KEY", crate::program::KEY);
    let mut recv = Program::start(&mut shell);
    let to = recv.wait_for("--to ");
    let sent = run(anabranch(&format!("send --to {to}")).arg(&path)).expect(1);
    let why = "cannot write to standard output: the program that read it has ended";
    assert!(sent.stderr.contains(why), "{sent:?}");
    let received = recv.finish().expect(0);
    assert!(received.stderr.contains(why) && received.stderr.contains("status 1"), "{received:?}");
    assert_eq!(received.stdout.trim(), "100000");
}

#[test]
fn standard_output_takes_one_file_only() {
    let from = tempdir().expect("a directory");
    let paths = ["one", "two"].map(|name| {
        fs::write(from.path().join(name), format!("{name}\n")).expect("a file");
        from.path().join(name)
    });
    let mut recv = Program::start(&mut anabranch("recv --listen 127.0.0.1:0 --dir -"));
    let to = recv.wait_for("--to ");
    let sent = run(anabranch(&format!("send --to {to}")).args(paths)).expect(1);
    assert!(sent.stderr.contains("takes a single file, and \"one\" was written to it"), "{sent:?}");
    assert_eq!(recv.finish().expect(1).stdout, "one\n");
    let ended = run(&mut anabranch("recv --dir - --keep")).expect(2);
    assert!(ended.stderr.contains("cannot be used with --keep or --json"), "{ended:?}");
}

#[test]
fn a_limit_holds_over_all_paths_together() {
    let (from, inbox) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 1_500_000);
    let (recv, to) = receiver("127.0.0.1,127.0.0.2", inbox.path(), "");
    let sent = run(anabranch(&format!("send --limit-rate 8M --json --to {to}")).arg(&path)).expect(0).json();
    recv.finish().expect(0);
    let seconds = sent["seconds"].as_f64().expect("a number");
    // 1.5 s at a byte a microsecond; a burst of 0.1 s and the last piece, of 0.066 s, may come early.
    assert!(seconds > 1.3, "{sent:#}");
    assert_eq!(sent["resolved"]["limit_rate_bps"], 8_000_000);
    let wrong = run(&mut anabranch("send a --limit-rate 0 --to 127.0.0.1")).expect(2);
    assert!(wrong.stderr.contains("would send nothing"), "{wrong:?}");
}

#[test]
fn a_disk_that_is_full_fails_the_file_and_the_next_one_still_fits() {
    let from = tempdir().expect("a directory");
    let paths = [file(from.path(), "big", 30_000_000), file(from.path(), "small", 1_000)];
    let inbox = from.path().join("inbox");
    fs::create_dir(&inbox).expect("a directory");
    // In a mount namespace of its own, so that nothing is left of it.
    let mount = "mount -t tmpfs -o size=24m none inbox";
    let enclose = |spaces: &str, script: &str| {
        let mut command = Command::new("unshare");
        command.arg(spaces).args(["sh", "-c", script, env!("CARGO_BIN_EXE_anabranch")]);
        command.current_dir(from.path()).env("ANABRANCH_KEY", crate::program::KEY);
        command
    };
    let may = |spaces: &&str| enclose(spaces, mount).output().is_ok_and(|ended| ended.status.success());
    let Some(spaces) = ["-m", "-rm"].into_iter().find(may) else {
        return eprintln!("skipped: there are no mount namespaces here, or no unshare(1)");
    };
    let script =
        format!("{mount} && \"$0\" recv --listen 127.0.0.1:0 --dir inbox; echo \"status $?\"; ls -AR inbox");
    let mut recv = Program::start(&mut enclose(spaces, &script));
    let to = recv.wait_for("--to ");
    let sent = run(anabranch(&format!("send --to {to}")).args(paths)).expect(1);
    let ended = recv.finish().expect(0);
    let why = "the disk is full; 16.8 MB are kept, and a new transfer continues from there";
    assert!(sent.stderr.contains(why), "{sent:?}");
    assert!(sent.stdout.contains("1 file is stored"), "{sent:?}");
    assert!(ended.stdout.contains("status 1") && ended.stdout.contains("big.part"), "{ended:?}");
    assert!(ended.stdout.contains("\nsmall\n"), "{ended:?}");
}
