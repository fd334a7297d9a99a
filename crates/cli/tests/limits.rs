//! Hosts with limits: on threads, and on the size of files.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::program::{Ended, anabranch, run};
use tempfile::{TempDir, tempdir};

const TWO: &str = "run = { time = \"1 s\" }\n[[link]]\nname = \"a\"\nrate = \"10 Mbit/s\"\nloss = 0.01\n";

fn desk() -> TempDir {
    let desk = tempdir().expect("a folder");
    std::fs::write(desk.path().join("two.toml"), TWO).expect("room");
    std::fs::set_permissions(desk.path(), PermissionsExt::from_mode(0o777)).expect("ours");
    desk
}

/// Runs `line` after `limit`, which a shell understands.
fn limited(desk: &TempDir, shell: &mut Command, limit: &str, line: &str) -> Ended {
    shell.args(["-c", &format!("ulimit -c 0; {limit} \"$0\" \"$@\"")]);
    shell.arg(anabranch("").get_program()).args(line.split_whitespace());
    run(shell.env("ANABRANCH_KEY", crate::program::KEY).current_dir(desk))
}

/// A shell of a user who has no other process, so that the limit counts from here on. Root has none.
fn user(number: u32) -> Option<Command> {
    let mut shell = Command::new("setpriv");
    let number = (54_000 + number).to_string();
    shell.args(["--reuid", &number, "--regid", &number, "--clear-groups", "sh"]);
    let mut tried = Command::new("setpriv");
    tried.args(["--reuid", &number, "--regid", &number, "--clear-groups"]).arg(anabranch("").get_program());
    let is_possible = tried.arg("--version").output().is_ok_and(|ended| ended.status.success());
    is_possible.then_some(shell)
}

#[test]
fn as_few_threads_as_a_host_allows_do_and_none_is_an_error_that_names_the_limit() {
    if user(0).is_none() {
        return eprintln!("skipped: this is not root, or others cannot start the program");
    }
    let desk = desk();
    let whole = run(anabranch("sim two.toml --runs 4 --json").current_dir(&desk)).expect(0).json();
    for threads in 1..=8 {
        let mut shell = user(threads).expect("as before");
        let ended = limited(
            &desk,
            &mut shell,
            &format!("exec prlimit --nproc={threads}"),
            "sim two.toml --runs 4 --json",
        );
        if threads == 1 {
            let failure = &ended.expect(1).json()["error"];
            assert_eq!(failure["kind"], "threads");
            assert!(failure["message"].as_str().is_some_and(|told| told.contains("ulimit -u")), "{failure}");
            continue;
        }
        assert_eq!(ended.expect(0).json()["runs"], whole["runs"], "{threads} threads");
        let mut shell = user(100 + threads).expect("as before");
        let line = format!("sweep two.toml --runs 4 -q --out swept-{threads}");
        limited(&desk, &mut shell, &format!("exec prlimit --nproc={threads}"), &line).expect(0);
    }
}

#[test]
fn a_number_of_threads_that_is_a_slip_is_refused() {
    let desk = desk();
    for line in ["sim two.toml -j 40000", "sweep two.toml --out o --threads 100000", "sim two.toml -j 1025"] {
        let ended = run(anabranch(line).current_dir(&desk)).expect(2);
        assert!(ended.stderr.contains("at most 1024 threads"), "{ended:?}");
    }
    run(anabranch("sim two.toml -j 1024 -q").current_dir(&desk)).expect(0);
}

#[test]
fn the_variable_for_tokios_threads_is_used_where_it_says_something() {
    let desk = desk();
    for threads in ["0", "1", "x", "18446744073709551616"] {
        run(anabranch("sim two.toml -q").env("TOKIO_WORKER_THREADS", threads).current_dir(&desk)).expect(0);
    }
}

/// Without a hand of ours the kernel ends a program that writes more (SIGXFSZ).
#[test]
fn a_limit_on_the_size_of_files_is_an_error_like_a_full_disk() {
    let desk = desk();
    let before = std::fs::read(desk.path().join("two.toml")).expect("it is there");
    for (line, status) in [
        ("sim two.toml --trace traced", 2),
        ("sim two.toml --report run.html", 2),
        ("plan two.toml --plot plan.svg", 2),
        ("sweep two.toml --runs 20 --out swept", 1),
    ] {
        let ended = limited(&desk, &mut Command::new("sh"), "ulimit -f 2; exec", line);
        assert!(ended.status == Some(status) || ended.status == Some(1), "{line}: {ended:?}");
        assert!(ended.stderr.contains("File too large"), "{line}: {ended:?}");
    }
    assert_eq!(std::fs::read(desk.path().join("two.toml")).expect("it is there"), before);
}

#[test]
fn a_result_does_not_replace_what_it_is_made_from() {
    let desk = desk();
    std::fs::write(desk.path().join("up"), "1\n2\n").expect("room");
    for line in [
        "sim two.toml --report ./two.toml",
        "scenario from up --write up",
        "emulate two.toml --report two.toml -- true",
    ] {
        let ended = run(anabranch(line).current_dir(&desk)).expect(2);
        assert!(ended.stderr.contains("choose another name"), "{line}: {ended:?}");
    }
    assert_eq!(std::fs::read_to_string(desk.path().join("two.toml")).expect("it is there"), TWO);
}
