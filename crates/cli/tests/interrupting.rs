//! Signals that end programs: Ctrl-C while a command waits for its input, a service that is stopped.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use crate::program::{Ended, Program, anabranch, file, receiver, wait_until};
use crate::terminal::Terminal;
use tempfile::tempdir;

/// Sends `signal` when the process handles it, or has it blocked to read it.
fn end(program: &Program, signal: &str) {
    let bit = match signal {
        "-HUP" => 1 << 0,
        "-INT" => 1 << 1,
        _ => 1_u64 << 14,
    };
    let is_heard = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap_or_default();
        let mask = |name: &str| {
            let mask = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
            u64::from_str_radix(mask.trim(), 16).unwrap_or(0)
        };
        // All signals are blocked for a moment where a thread or a program begins.
        let is_for_good = mask("SigBlk:") & UNUSED == 0;
        (mask("SigCgt:") | mask("SigBlk:")) & bit != 0 && is_for_good
    };
    wait_until("the signal is heard", is_heard);
    send(program, signal);
}

/// SIGUSR2, which the program neither handles nor blocks.
const UNUSED: u64 = 1 << 11;

fn send(program: &Program, signal: &str) {
    let kill = Command::new("kill").args([signal, &program.id().to_string()]).status();
    assert!(kill.expect("there is kill(1)").success());
}

fn ended_by(signal: &str, command: &mut Command) -> Ended {
    let program = Program::start(command);
    end(&program, signal);
    program.finish()
}

#[test]
fn ctrl_c_ends_every_command_whose_input_gives_nothing() {
    let folder = tempdir().expect("a folder");
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("there is mkfifo(1)").success());
    let fifo = fifo.to_str().expect("text");
    for line in [
        "sim INPUT --json",
        "predict INPUT",
        "plan INPUT",
        "compare INPUT",
        "sweep INPUT --out o",
        "emulate INPUT --to 127.0.0.1:9",
        "emulate INPUT -- true",
        "scenario from INPUT",
    ] {
        for input in ["-", fifo] {
            // Nothing comes as long as the other end is held.
            let (reader, writer) = std::io::pipe().expect("a pipe");
            let mut command = anabranch(&line.replace("INPUT", input));
            let ended = ended_by("-INT", command.stdin(reader).current_dir(&folder)).expect(130);
            assert!(ended.stderr.contains("interrupted"), "{line}: {ended:?}");
            drop(writer);
        }
    }
    for line in ["recv --listen 127.0.0.1:0 --key-file", "send - --to 127.0.0.1 --key-file"] {
        ended_by("-INT", anabranch(line).arg(fifo).current_dir(&folder)).expect(130);
    }
}

#[test]
fn ctrl_c_ends_a_command_that_reads_its_scenario_from_a_terminal() {
    let mut terminal = Terminal::start(&mut anabranch("sim -"));
    // The terminal shows what is typed as soon as the program runs: then Ctrl-C is a signal.
    std::thread::sleep(std::time::Duration::from_millis(300));
    terminal.interrupt();
    assert_eq!(terminal.finish(), Some(130));
}

#[test]
fn a_receiver_that_is_stopped_says_so_to_its_sender_and_prints_its_document() {
    let (from, into) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
    for (signal, status) in [("-TERM", 143), ("-HUP", 129)] {
        let (recv, to) = receiver("127.0.0.1", into.path(), "--json");
        let path = file(from.path(), &signal[1..], 3_000_000);
        let mut sent = Program::start(anabranch(&format!("send --limit-rate 1M -v --to {to}")).arg(&path));
        sent.wait_for("path ");
        end(&recv, signal);
        let ended = recv.finish().expect(status);
        assert_eq!(ended.json()["error"]["kind"], "interrupted");
        assert!(sent.finish().expect(1).stderr.contains("interrupted by its user"));
    }
}

#[test]
fn a_program_that_is_to_outlive_its_terminal_does() {
    let folder = tempdir().expect("a folder");
    let mut command = Command::new("nohup");
    command.arg(anabranch("").get_program()).args(["recv", "--insecure", "--listen", "127.0.0.1:0"]);
    let mut recv = Program::start(command.stdin(Stdio::null()).current_dir(&folder));
    recv.wait_for("--to ");
    send(&recv, "-HUP");
    end(&recv, "-TERM");
    recv.finish().expect(143);
}
