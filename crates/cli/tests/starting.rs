//! `send FILE user@host:dir`: the receiver is started by ssh. A script stands for ssh: it runs the line by `sh`, in another
//! home directory of this host.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::{KEY, Program, anabranch, file, run, wait_until};
use tempfile::{TempDir, tempdir};

/// A home directory on the other host, and the ssh that leads there.
struct Host {
    home: TempDir,
    here: TempDir,
}

impl Host {
    /// With an ssh whose last command is `ending`; `$line` is the line for the shell there.
    fn with(ending: &str) -> Host {
        let host = Host { home: tempdir().expect("a directory"), here: tempdir().expect("a directory") };
        let bin = Path::new(env!("CARGO_BIN_EXE_anabranch")).parent().expect("its directory");
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = -G ] && exit 255\necho \"$*\" >{here}/words\nenv >{here}/environment\necho $$ >{here}/pid\n\
             shift\nline=\"$*\"\ncd {home}\nPATH={bin}:$PATH\nexport PATH\n{ending}\n",
            here = host.here.path().display(),
            home = host.home.path().display(),
            bin = bin.display(),
        );
        std::fs::write(host.ssh(), script).expect("room for a script");
        std::fs::set_permissions(host.ssh(), PermissionsExt::from_mode(0o700)).expect("it is ours");
        host
    }

    /// With an ssh that works.
    fn working() -> Host {
        Host::with("exec sh -c \"$line\"")
    }

    fn ssh(&self) -> PathBuf {
        self.here.path().join("ssh")
    }

    fn told(&self, name: &str) -> String {
        std::fs::read_to_string(self.here.path().join(name)).unwrap_or_default()
    }

    /// A sender of `path` to `dir` there.
    fn send(&self, path: &Path, dir: &str, more: &str) -> Command {
        let mut command = anabranch(&format!("send {more}"));
        command.arg(path).arg(format!("me@127.0.0.1:{dir}")).env("ANABRANCH_SSH", self.ssh());
        command
    }
}

#[test]
fn a_file_arrives_in_a_directory_of_any_name_and_the_key_is_in_no_argument() {
    let host = Host::working();
    let path = file(host.here.path(), "a", 100_000);
    for dir in
        ["", "in box", "it's \"q\"", "$(touch pwned)", "`touch pwned`;touch pwned", "-", "--force", "a\nb"]
    {
        let there = host.home.path().join(dir);
        std::fs::create_dir_all(&there).expect("room for a directory");
        let ended = run(&mut host.send(&path, dir, "--json")).expect(0);
        assert_eq!(std::fs::read(there.join("a")).expect(dir).len(), 100_000);
        assert_eq!(ended.json()["resolved"]["security"], "sealed");
        let words = host.told("words");
        assert!(words.starts_with("me@127.0.0.1 exec anabranch recv --attached"), "{words}");
        let has_key = |text: &str| {
            let digits = |word: &str| word.len() >= 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
            text.split(|c: char| !c.is_ascii_alphanumeric()).any(digits)
        };
        assert!(!has_key(&words), "{words}");
        assert!(!host.told("environment").contains(KEY), "another transfer's key");
        assert!(!host.home.path().join("pwned").exists(), "{dir:?} was run");
    }
}

#[test]
fn an_ssh_that_fails_is_told_by_its_status() {
    for (ending, status, told) in [
        ("exit 255", 1, "ssh could not connect to 127.0.0.1"),
        ("line=\"exec /nowhere/anabranch\"; exec sh -c \"$line\"", 1, "--remote-program PATH"),
        ("echo \"error: unexpected argument '--attached'\"; exit 2", 2, "older than this one"),
        ("exit 0", 1, "ended before it was ready"),
        ("exec yes ready", 1, "printed much else"),
        ("exec tr -d '\\n' </dev/zero | head -c 100000000", 1, "ended before it was ready"),
        ("printf '\\033[2J\\n'; exit 3", 1, "127.0.0.1: \\u{1b}[2J"),
    ] {
        let host = Host::with(ending);
        let path = file(host.here.path(), "a", 10);
        let ended = run(&mut host.send(&path, "", "")).expect(status);
        assert!(ended.stderr.contains(told), "{ending}: {:.2000}", ended.stderr);
        assert!(ended.stderr.len() < 1_000_000 && !ended.stderr.contains('\u{1b}'), "{ending}");
    }
    let host = Host::working();
    let path = file(host.here.path(), "a", 10);
    let ended = run(host.send(&path, "", "--json").env("ANABRANCH_SSH", "/nowhere/ssh")).expect(1);
    assert_eq!(ended.json()["error"]["kind"], "remote");
    assert!(ended.stderr.contains("there is no program \"/nowhere/ssh\" here"), "{ended:?}");
    let ended = run(&mut host.send(&path, "absent", "")).expect(2);
    assert!(ended.stderr.contains("127.0.0.1: anabranch: ") && ended.stderr.contains("absent"), "{ended:?}");
}

#[test]
fn the_status_of_the_other_end_counts_after_the_transfer() {
    let host = Host::with("sh -c \"$line\"; exit 3");
    let path = file(host.here.path(), "a", 10);
    let ended = run(&mut host.send(&path, "", "")).expect(1);
    assert!(ended.stderr.contains("failed after the transfer (exit status: 3)"), "{ended:?}");
    assert!(host.home.path().join("a").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn the_receiver_ends_with_a_sender_that_is_killed() {
    let host = Host::working();
    let path = file(host.here.path(), "big", 40_000_000);
    let mut sent = Program::start(&mut host.send(&path, "", "--limit-rate 8M"));
    wait_until("a beginning", || std::fs::read_dir(host.home.path()).is_ok_and(|there| there.count() > 0));
    let process = PathBuf::from(format!("/proc/{}", host.told("pid").trim()));
    assert!(process.exists());
    sent.kill();
    wait_until("the end of the receiver", || !process.exists());
}

#[test]
fn a_receiver_that_is_attached_ends_with_its_input() {
    let inbox = tempdir().expect("a directory");
    let mut command = anabranch("recv --attached --quiet --key-file - --listen 127.0.0.1:0 --dir");
    let mut recv =
        Program::start(command.arg(inbox.path()).env_remove("ANABRANCH_KEY").stdin(Stdio::piped()));
    let mut input = recv.input().expect("piped");
    std::io::Write::write_all(&mut input, format!("{KEY}\n").as_bytes()).expect("it reads");
    let ready = recv.wait_for("\"ready\":");
    assert!(ready.starts_with("{\"listening\":[\"127.0.0.1:"), "{ready}");
    drop(input);
    recv.finish().expect(129);
}

#[cfg(target_os = "linux")]
#[test]
fn with_retry_a_receiver_that_died_is_started_again() {
    let host = Host::working();
    let path = file(host.here.path(), "big", 40_000_000);
    let mut sent = Program::start(&mut host.send(&path, "", "--json --retry --limit-rate 160M"));
    let part = crate::program::part(host.home.path(), "big");
    wait_until("20 MB of big.part", || part.metadata().is_ok_and(|found| found.len() > 20_000_000));
    let first = host.told("pid");
    let killed = Command::new("kill").args(["-TERM", first.trim()]).status();
    assert!(killed.expect("there is kill(1)").success());
    sent.wait_for("trying again in ");
    let document = sent.finish().expect(0).json();
    assert!(document["resumed_bytes"].as_u64() >= Some(16 << 20), "{document:#}");
    assert_ne!(host.told("pid"), first);
    assert!(host.home.path().join("big").exists());
}

#[test]
fn a_sender_has_one_receiver() {
    let host = Host::working();
    let path = file(host.here.path(), "a", 10);
    for (more, told) in [
        ("--to 127.0.0.1", "--to or --listen names one already"),
        ("--listen 127.0.0.1:0", "--to or --listen names one already"),
        ("--key-file x", "leave out --key-file"),
    ] {
        let ended = run(&mut host.send(&path, "", more)).expect(2);
        assert!(ended.stderr.contains(told), "{ended:?}");
    }
    for (words, told) in [
        (&["host:dir"][..], "name a FILE to send before HOST:DIR"),
        (&["a"], "no receiver is named"),
        (&["a", "--", "-oProxyCommand=x:"], "begins with a hyphen"),
        (&["a", "--to", "127.0.0.1", "--ssh", "x"], "--ssh"),
    ] {
        let ended = run(anabranch("send").args(words).current_dir(host.here.path())).expect(2);
        assert!(ended.stderr.contains(told), "{ended:?}");
    }
    assert_eq!(host.told("words"), "", "nothing was started");
}
