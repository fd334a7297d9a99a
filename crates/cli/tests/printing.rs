//! The fate of results that standard output does not accept, or no longer.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};

use crate::program::{anabranch, file};
use tempfile::{TempDir, tempdir};

const SCENARIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/two-paths.toml");

/// A line of every command that prints something and ends by itself, run in a folder with a scenario and a recording.
const PRINTING: [&str; 18] = [
    "sim two.toml",
    "sim two.toml --json",
    "sim two.toml --json-lines",
    "sim --set help",
    "send --set help",
    "predict two.toml",
    "plan two.toml",
    "plan two.toml --write -",
    "sweep two.toml --out swept",
    "sweep two.toml --dry-run",
    "figures list",
    "scenario from up",
    "scenario from up --json",
    "emulate two.toml --to 127.0.0.1:9 --time 10ms",
    "completions bash",
    "--help",
    "sim --help",
    "--version",
];

fn desk() -> TempDir {
    let desk = tempdir().expect("a folder");
    std::fs::write(desk.path().join("two.toml"), std::fs::read(SCENARIO).expect("it is shipped"))
        .expect("room");
    std::fs::write(desk.path().join("up"), "1\n2\n").expect("room");
    desk
}

#[cfg(target_os = "linux")]
fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").expect("Linux has one")
}

#[test]
#[cfg(target_os = "linux")]
fn a_result_that_does_not_fit_on_the_disk_is_a_failure_of_every_command_told_once() {
    let desk = desk();
    for line in PRINTING {
        let mut command = anabranch(line);
        let ended = command.current_dir(&desk).stdout(full()).output().expect("the program starts");
        let complaint = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{line}: {complaint}");
        let told = complaint.matches("cannot write the result to standard output: ").count();
        assert_eq!(told, 1, "{line}: {complaint}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_standard_output_for_reading_alone_takes_no_result() {
    let reading = File::open("/dev/null").expect("it is there");
    let ended = anabranch("completions bash").stdout(reading).output().expect("the program starts");
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn messages_that_cannot_be_written_change_no_exit_status() {
    let desk = desk();
    std::fs::write(desk.path().join("wrong.toml"), "x").expect("room");
    for (line, status) in [
        ("sim two.toml", 0),
        ("scenario from up", 0),
        ("sim wrong.toml", 2),
        ("sim", 2),
        ("send f --limit-rate 0 --to 127.0.0.1", 2),
        ("", 2),
        ("emulate two.toml --to 127.0.0.1:9 --time 10ms", 0),
    ] {
        let mut command = anabranch(line);
        let ended = command.current_dir(&desk).stderr(full()).output().expect("the program starts");
        assert_eq!(ended.status.code(), Some(status), "{line}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ended = anabranch(line).current_dir(&desk).stderr(writer).output().expect("the program starts");
        assert_eq!(ended.status.code(), Some(status), "{line}, whose reader has ended");
    }
}

#[test]
fn a_transfer_goes_on_when_the_reader_of_its_messages_ends() {
    let (from, into) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
    let path = file(from.path(), "a", 300_000);
    let mut recv = anabranch("recv -v --listen 127.0.0.1:0 --dir");
    let mut recv =
        recv.arg(into.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(recv.stderr.take());
    let mut line = String::new();
    let mut lines = BufReader::new(recv.stdout.take().expect("piped"));
    lines.read_line(&mut line).expect("it is ready");
    drop(lines);
    let to = line.split("--to ").nth(1).expect("an address").trim().to_owned();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let sent =
        anabranch(&format!("send -v --to {to}")).arg(&path).stderr(writer).status().expect("it starts");
    assert_eq!((sent.code(), recv.wait().expect("it ends").code()), (Some(0), Some(0)));
    assert_eq!(std::fs::read(into.path().join("a")).expect("it is there").len(), 300_000);
}

/// A pager that is left open, a terminal that is stopped: the pipe is full, and nothing reads it.
#[test]
#[cfg(target_os = "linux")]
fn work_does_not_wait_for_ever_for_a_reader_that_does_not_read() {
    let (reader, writer) = full_pipe();
    let mut program = anabranch("sim nowhere.toml");
    let ended = program.stdout(Stdio::null()).stderr(writer).status().expect("the program starts");
    assert_eq!(ended.code(), Some(2));
    drop(reader);
}

/// A pipe that takes nothing until something is read.
#[cfg(target_os = "linux")]
fn full_pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
    use rustix::fs::{OFlags, fcntl_setfl};
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    fcntl_setfl(&writer, OFlags::NONBLOCK).expect("it may");
    while writer.write(&[b'.'; 4096]).is_ok() {}
    fcntl_setfl(&writer, OFlags::empty()).expect("it may");
    (reader, writer)
}

/// A log that is not read for a while: peers are served meanwhile, and the service ends by a signal.
#[test]
#[cfg(target_os = "linux")]
fn a_service_does_not_wait_for_the_reader_of_its_results() {
    let (from, into) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
    let (reader, writer) = full_pipe();
    let mut recv = anabranch("recv --keep --json --listen 127.0.0.1:0 --dir");
    let mut recv = recv.arg(into.path()).stdout(writer).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut messages = BufReader::new(recv.stderr.take().expect("piped"));
    let mut line = String::new();
    messages.read_line(&mut line).expect("it is ready");
    let to = line.split("--to ").nth(1).expect("an address").trim().to_owned();
    for name in ["a", "b", "c", "d"] {
        let path = file(from.path(), name, 100_000);
        let sent = anabranch(&format!("send --to {to}")).arg(&path).output().expect("it starts");
        assert_eq!(sent.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&sent.stderr));
    }
    assert_eq!(recv.try_wait().expect("its status"), None);
    let kill = Command::new("kill").args(["-INT", &recv.id().to_string()]).status();
    assert!(kill.expect("there is kill(1)").success());
    if !within_ten_seconds(|| recv.try_wait().expect("its status").is_some()) {
        recv.kill().expect("it runs");
    }
    assert_eq!(recv.wait().expect("it ends").code(), Some(130));
    let mut rest = String::new();
    messages.read_to_string(&mut rest).expect("text");
    assert_eq!(rest.matches("standard output: its reader does not read").count(), 1, "{rest}");
    drop(reader);
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_ends_every_command_whose_result_is_not_read() {
    let desk = desk();
    for line in
        ["sim two.toml --json", "--help", "plan two.toml --write -", "emulate two.toml --json -- true"]
    {
        let (reader, writer) = full_pipe();
        let mut program = anabranch(line);
        let program = program.current_dir(&desk).stdout(writer).stderr(Stdio::null()).spawn();
        let mut program = program.expect("the program starts");
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert_eq!(program.try_wait().expect("its status"), None, "{line}");
        let kill = Command::new("kill").args(["-TERM", &program.id().to_string()]).status();
        assert!(kill.expect("there is kill(1)").success());
        let is_over = || program.try_wait().expect("its status").is_some();
        if !within_ten_seconds(is_over) {
            program.kill().expect("it runs");
            panic!("{line}: still there");
        }
        drop(reader);
    }
}

#[cfg(target_os = "linux")]
fn within_ten_seconds(mut is_so: impl FnMut() -> bool) -> bool {
    (0..1_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        is_so()
    })
}

#[test]
#[cfg(target_os = "linux")]
fn a_result_waits_for_a_slow_reader_and_is_whole() {
    let (mut reader, writer) = full_pipe();
    let program = anabranch(&format!("sim {SCENARIO} --json")).stdout(writer).stderr(Stdio::null()).spawn();
    let mut program = program.expect("the program starts");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(program.try_wait().expect("its status"), None);
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("text");
    let document: serde_json::Value = serde_json::from_str(text.trim_start_matches('.')).expect("JSON");
    assert!(document["error"].is_null() && document.is_object(), "{document}");
    assert_eq!(program.wait().expect("it ends").code(), Some(0));
}

/// A file that is opened must not become the standard output that is missing.
#[test]
#[cfg(unix)]
fn descriptors_that_are_closed_take_nothing_for_themselves() {
    let desk = desk();
    let program = anabranch("").get_program().to_owned();
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let line = format!("exec \"$0\" sim two.toml --report run.html {closed}");
        let ended = Command::new("sh").args(["-c", &line]).arg(&program).current_dir(&desk).output();
        assert_eq!(ended.expect("there is sh(1)").status.code(), Some(0), "{closed}");
        let page = std::fs::read_to_string(desk.path().join("run.html")).expect("a page");
        assert!(page.trim_end().ends_with("</html>"), "{closed}");
        assert!(page.to_lowercase().starts_with("<!doctype html>"), "{closed}: {page:.300}");
    }
}

#[test]
fn a_reader_that_leaves_does_not_cause_a_failure() {
    for line in [format!("sim {SCENARIO}"), "completions zsh".to_owned(), "--help".to_owned()] {
        let mut program = anabranch(&line);
        let mut program =
            program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        drop(program.stdout.take());
        let ended = program.wait_with_output().expect("it ends");
        assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]), "{line}");
    }
}

#[test]
fn a_wrong_command_line_is_reported_to_scripts_and_to_people() {
    let ended = crate::program::run(&mut anabranch("sned --json"));
    assert_eq!((ended.status, ended.json()["error"]["kind"].as_str()), (Some(2), Some("arguments")));
    assert!(ended.stderr.starts_with("error: unrecognized subcommand 'sned'"), "{}", ended.stderr);
}
