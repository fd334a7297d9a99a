//! `anabranch emulate SCENARIO -- COMMAND` as a person and as a script sees it. Where the system refuses namespaces the
//! tests say so and pass.
#![allow(clippy::print_stdout, reason = "the harness keeps what a test prints")]
#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::Command;

use crate::program::{Ended, Program, anabranch, run};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

const LINKS: &str = r#"
[run]
time = "1 s"
[[link]]
name = "wifi"
rate = "20 Mbit/s"
delay = "5 ms"
[[link]]
name = "lte"
rate = "10 Mbit/s"
delay = "5 ms"
"#;

/// A folder with a scenario.
struct Place {
    dir: TempDir,
}

impl Place {
    /// `None` where there can be no namespaces.
    fn new() -> Option<Place> {
        let place = Place { dir: tempdir().expect("a directory") };
        std::fs::write(place.path("links.toml"), LINKS).expect("a file");
        let tried = place.run("-q", &["true"]);
        if tried.status == Some(0) {
            return Some(place);
        }
        let reasons = ["network namespace", "TUN interface", "iproute2"];
        assert!(reasons.iter().any(|reason| tried.stderr.contains(reason)), "{tried:?}");
        println!("skipped: {}", tried.stderr);
        None
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// With these words before the command.
    fn command(&self, before: &str, words: &[&str]) -> Command {
        let mut command = anabranch("emulate");
        command.current_dir(self.dir.path()).arg("links.toml").args(before.split_whitespace());
        command.arg("--").args(words);
        command
    }

    fn run(&self, before: &str, words: &[&str]) -> Ended {
        run(&mut self.command(before, words))
    }

    /// Runs a line of a shell.
    fn shell(&self, before: &str, line: &str) -> Ended {
        self.run(before, &["sh", "-c", line])
    }
}

/// Waits until there is no process with this number.
fn wait_until_gone(process: &str) {
    let path = PathBuf::from("/proc").join(process);
    // A zombie has ended; its parent has not collected its status yet.
    let has_ended = || {
        std::fs::read_to_string(path.join("stat"))
            .map_or(true, |line| line.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")))
    };
    for _ in 0..2_000 {
        if has_ended() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("process {process} is still there");
}

#[test]
fn the_exit_status_is_the_commands_and_so_is_its_output() {
    let Some(place) = Place::new() else { return };
    let ended = place.shell("", "echo out; exit 7").expect(7);
    assert_eq!(ended.stdout, "out\n");
    assert!(ended.stderr.contains("No datagram was received"), "{ended:?}");
    assert_eq!(place.shell("-q", "kill -TERM $$").expect(143).stderr, "");
    assert!(place.run("", &["./no-such-program"]).expect(127).stderr.contains("no-such-program"));
    let plain = place.path("links.toml").display().to_string();
    place.run("", &[&plain]).expect(126);
    // What looks like an option of ours is the command's.
    assert_eq!(place.run("-q", &["echo", "--json", "--to"]).expect(0).stdout, "--json --to\n");
}

#[test]
fn a_command_finds_interfaces_named_after_the_paths_and_both_sides_addresses() {
    let Some(place) = Place::new() else { return };
    let line = "echo $ANABRANCH_PATHS $ANABRANCH_NEAR $ANABRANCH_FAR; ip -o -4 addr show; \
                nsenter --net=$ANABRANCH_FAR_NET ip -o -4 addr show; nsenter --net=$ANABRANCH_NEAR_NET ip -o link show lte";
    let ended = place.shell("-q", line).expect(0);
    for words in [
        "wifi,lte 10.77.1.1,10.77.2.1 10.77.1.2,10.77.2.2",
        "inet 127.0.0.1/8",
        "inet 10.77.1.1/24",
        "inet 10.77.2.1/24",
        "inet 10.77.1.2/24",
        "inet 10.77.2.2/24",
        "lte: <POINTOPOINT,MULTICAST,NOARP,UP,LOWER_UP> mtu 1500",
    ] {
        assert!(ended.stdout.contains(words), "no {words:?}: {ended:?}");
    }
}

/// Interfaces are found by name, `lte` before `wifi`; the receiver says its addresses in the other order.
#[test]
fn each_interface_goes_with_the_address_in_its_own_subnet_whatever_the_order() {
    let Some(place) = Place::new() else { return };
    crate::program::file(place.dir.path(), "a", 500_000);
    std::fs::create_dir(place.path("inbox")).expect("a directory");
    let program = env!("CARGO_BIN_EXE_anabranch");
    for (listen, to) in
        [("10.77.1.2,10.77.2.2", "10.77.1.2,10.77.2.2"), ("10.77.2.2,10.77.1.2", "10.77.2.2,10.77.1.2")]
    {
        let far = format!("exec {program} recv --force --dir inbox --listen {listen}");
        let mut command = anabranch("emulate");
        command.current_dir(place.dir.path()).args(["links.toml", "-q", "--far", &far, "--"]);
        let ended = run(command.args([program, "send", "a", "--json", "--to", to])).expect(0);
        let document: Value = serde_json::from_str(ended.stdout.trim()).expect("a document");
        let paths = document["paths"].as_array().expect("paths");
        let ends: Vec<(&str, &str)> = paths
            .iter()
            .map(|path| (path["local"].as_str().expect("text"), path["remote"].as_str().expect("text")))
            .collect();
        assert_eq!(ends.len(), 2, "{ends:?}");
        for (local, remote) in ends {
            assert_eq!(local.split('.').nth(2), remote.split('.').nth(2), "{local} > {remote}, asked {to}");
        }
    }
}

#[test]
fn a_file_goes_from_send_on_one_side_to_recv_on_the_other_over_both_paths() {
    let Some(place) = Place::new() else { return };
    let path = crate::program::file(place.dir.path(), "a", 500_000);
    std::fs::create_dir(place.path("inbox")).expect("a directory");
    let program = env!("CARGO_BIN_EXE_anabranch");
    let far = format!("exec {program} recv --dir inbox --listen 10.77.1.2,10.77.2.2");
    let mut command = anabranch("emulate");
    command.current_dir(place.dir.path()).args([
        "links.toml",
        "--far",
        &far,
        "--report",
        "report.json",
        "--",
    ]);
    let ended = run(command.args([program, "send", "a", "--to", "10.77.1.2,10.77.2.2"])).expect(0);
    let came = std::fs::read(place.path("inbox/a")).expect("stored");
    assert!(came == std::fs::read(path).expect("sent"), "{ended:?}");
    let document = std::fs::read_to_string(place.path("report.json")).expect("a report");
    let document: Value = serde_json::from_str(&document).expect("a document");
    assert_eq!((&document["exit_status"], &document["paths"][1]["far"]), (&0.into(), &"10.77.2.2".into()));
    let carried = |link: usize| document["links"][link]["forward"]["packets"].as_u64().expect("a count");
    assert!(carried(0) > 20 && carried(1) > 20, "both links were used: {document:#}");
}

#[test]
fn with_json_the_document_is_on_standard_output_and_the_commands_words_are_not() {
    let Some(place) = Place::new() else { return };
    let ended = place.shell("--json", "echo words; exit 3").expect(3);
    assert_eq!(ended.stderr, "words\n");
    let document = ended.json();
    assert_eq!((&document["schema"], &document["exit_status"]), (&1.into(), &3.into()));
    assert_eq!(document["paths"][0]["interface"], "wifi");
    assert!(document["resolved"].is_object());
}

/// Before a command that is to mind Ctrl-C: the shell that started these tests in the background may have had it
/// ignored, and that is
/// inherited.
const DEFAULT: [&str; 2] = ["env", "--default-signal=INT"];

#[test]
fn ctrl_c_ends_the_command_and_all_else_cleanly_with_the_table_printed() {
    let Some(place) = Place::new() else { return };
    let line = "trap 'echo got it; exit 5' INT; echo ready; while :; do sleep 0.05; done";
    let mut program = Program::start(&mut place.command("", &[&DEFAULT[..], &["sh", "-c", line]].concat()));
    program.wait_for("ready");
    program.interrupt();
    let ended = program.finish().expect(5);
    assert_eq!(ended.stdout, "ready\ngot it\n");
    assert!(ended.stderr.contains("No datagram was received"), "{ended:?}");
    let sleeping = [&DEFAULT[..], &["sh", "-c", "echo ready; exec sleep 600"]].concat();
    let mut program = Program::start(&mut place.command("-q", &sleeping));
    program.wait_for("ready");
    program.interrupt();
    program.finish().expect(130);
}

#[test]
fn what_a_command_leaves_behind_ends_with_it_and_so_do_the_lines_at_the_far_end() {
    let Some(place) = Place::new() else { return };
    let mut command = anabranch("emulate");
    command.current_dir(place.dir.path()).args(["links.toml", "-q", "--far"]);
    command.arg("(trap '' TERM; echo far $$ >&2; exec sleep 600) & wait");
    command.args(["--", "sh", "-c", "setsid sleep 600 & echo left $!"]);
    let mut program = Program::start(&mut command);
    let mut left = [program.wait_for("far "), program.wait_for("left ")];
    left.sort();
    program.finish().expect(0);
    left.iter().for_each(|process| wait_until_gone(process));
}

#[test]
fn nothing_stays_when_it_is_killed() {
    let Some(place) = Place::new() else { return };
    let line = "setsid sleep 600 & echo left $! $$; wait";
    let mut program = Program::start(&mut place.command("", &["sh", "-c", line]));
    let processes = program.wait_for("left ");
    program.kill();
    processes.split(' ').for_each(wait_until_gone);
}

#[test]
fn a_user_without_rights_may_have_it_too() {
    let Some(place) = Place::new() else { return };
    let as_user = |words: &[&str]| {
        let mut user = Command::new("setpriv");
        user.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).args(words);
        user.output().is_ok_and(|tried| tried.status.success())
    };
    let may_have_namespaces = as_user(&["unshare", "--user", "--net", "true"]);
    if !may_have_namespaces || !as_user(&["sh", "-c", ": <>/dev/net/tun"]) {
        println!("skipped: user namespaces or /dev/net/tun are not allowed here, or this is not root");
        return;
    }
    // The program and its scenario where all users may read them.
    let dir =
        tempfile::Builder::new().permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755)).tempdir();
    let dir = dir.expect("a directory");
    let program = dir.path().join("anabranch");
    std::fs::copy(env!("CARGO_BIN_EXE_anabranch"), &program).expect("room for the program");
    std::fs::copy(place.path("links.toml"), dir.path().join("links.toml")).expect("room for a file");
    let line = "nsenter --net=$ANABRANCH_FAR_NET ip -o -4 addr show; echo far; ip -o link show wifi";
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(program);
    command.current_dir(dir.path()).args(["emulate", "links.toml", "-q", "--", "sh", "-c", line]);
    let ended = run(&mut command).expect(0);
    assert!(ended.stdout.contains("10.77.2.2/24") && ended.stdout.contains("mtu 1500"), "{ended:?}");
}

#[test]
fn a_wrong_scenario_or_arguments_that_contradict_one_another_end_with_2_and_run_nothing() {
    let dir = tempdir().expect("a directory");
    std::fs::write(dir.path().join("links.toml"), LINKS).expect("a file");
    std::fs::write(dir.path().join("wrong.toml"), "nonsense = 1\n").expect("a file");
    for (line, complaint) in [
        ("emulate wrong.toml -- touch ran", "wrong.toml:1:1"),
        ("emulate links.toml --to 127.0.0.1:9 -- touch ran", "cannot be used with"),
        ("emulate links.toml --time 1s -- touch ran", "cannot be used with"),
        ("emulate links.toml --far true", "COMMAND"),
        ("emulate links.toml --report no/such/folder -- touch ran", "no/such/folder"),
        ("emulate links.toml --set link.tin.loss=0 -- touch ran", "no link"),
        ("emulate links.toml", "--to"),
    ] {
        let ended = run(anabranch(line).current_dir(dir.path())).expect(2);
        assert!(ended.stderr.contains(complaint), "{line}: {ended:?}");
    }
    assert!(!dir.path().join("ran").exists());
}

/// Runs `anabranch FAR` on the far side and `anabranch NEAR` here, over both links, with a file of 3 MB on either side; the
/// document that the near one prints.
fn over_links(place: &Place, far: &[&str], near: &[&str]) -> (Value, Ended) {
    let program = env!("CARGO_BIN_EXE_anabranch");
    let _ = std::fs::remove_dir_all(place.path("inbox"));
    std::fs::create_dir(place.path("inbox")).expect("a directory");
    crate::program::file(place.dir.path(), "big", 3_000_000);
    let mut command = anabranch("emulate");
    command.current_dir(place.dir.path()).args(["links.toml", "-q", "--far"]);
    command.arg(format!("exec {program} {}", far.join(" "))).args(["--", program]);
    let ended = run(command.args(near).arg("--json")).expect(0);
    let (sent, stored) = (place.path("big"), place.path("inbox/big"));
    assert!(std::fs::read(sent).expect("sent") == std::fs::read(stored).expect("stored"), "{ended:?}");
    (serde_json::from_str(&ended.stdout).expect("a document"), ended)
}

/// Returns the charge of a link in bytes, and whether it was given up.
fn charged(document: &Value, name: &str) -> (u64, bool) {
    let links = document["links"].as_array().expect("links");
    let link = links.iter().find(|link| link["name"] == name).expect("the link");
    (link["charged_bytes"].as_u64().expect("bytes"), link["used_up"].as_bool().expect("a word"))
}

const FAR: &str = "10.77.1.2,10.77.2.2";

#[test]
fn a_backup_is_charged_for_probes_alone_whichever_end_sends() {
    let Some(place) = Place::new() else { return };
    let receive = ["recv", "--dir", "inbox", "--listen", FAR];
    let (document, _) = over_links(&place, &receive, &["send", "big", "--to", FAR, "--via", "lte=backup"]);
    assert!(charged(&document, "wifi").0 > 3_000_000, "it is used beside the backup: {document:#}");
    assert!((1..40_000).contains(&charged(&document, "lte").0), "{document:#}");
    let serve = ["send", "big", "--listen", FAR];
    let fetch = ["recv", "--from", FAR, "--dir", "inbox", "--via", "wifi", "--via", "lte=backup"];
    let (document, _) = over_links(&place, &serve, &fetch);
    assert!((1..40_000).contains(&charged(&document, "lte").0), "the server keeps to it: {document:#}");
}

#[test]
fn a_link_with_a_limit_is_charged_less_and_the_user_is_told_what_carries_on() {
    let Some(place) = Place::new() else { return };
    let receive = ["recv", "--dir", "inbox", "--listen", FAR];
    let send = ["send", "big", "--to", FAR, "--via", "wifi", "--via", "lte=max:800kB"];
    let (document, ended) = over_links(&place, &receive, &send);
    let (lte, is_used_up) = charged(&document, "lte");
    assert!(is_used_up && (200_000..=800_000).contains(&lte), "{document:#}");
    assert!(ended.stderr.contains("lte has carried its 800 kB, going on over wifi"), "{ended:?}");
    let serve = ["send", "big", "--listen", FAR];
    let fetch = ["recv", "--from", FAR, "--dir", "inbox", "--via", "wifi", "--via", "lte=max:800kB"];
    let (document, _) = over_links(&place, &serve, &fetch);
    let (lte, is_used_up) = charged(&document, "lte");
    assert!(is_used_up && (200_000..=800_000).contains(&lte), "the server stops, too: {document:#}");
}

#[test]
fn when_every_link_has_carried_its_limit_the_command_says_so_at_once() {
    let Some(place) = Place::new() else { return };
    let program = env!("CARGO_BIN_EXE_anabranch");
    crate::program::file(place.dir.path(), "big", 3_000_000);
    std::fs::create_dir(place.path("inbox")).expect("a directory");
    let far = format!("exec {program} recv --dir inbox --listen {FAR}");
    let mut command = anabranch("emulate");
    command.current_dir(place.dir.path()).args(["links.toml", "-q", "--far", &far, "--"]);
    let ended = run(command.args([program, "send", "big", "--to", FAR, "--via", "lte=max:800kB"])).expect(1);
    let why = "lte has carried its 800 kB, and there is no other link; run the same command again";
    assert!(ended.stderr.contains(why), "{ended:?}");
    assert!(ended.stdout.contains("max 800 kB, used up"), "{ended:?}");
}
