//! The anabranch program as its users see it: started with arguments, ending with a status and what it
//! printed, within a time. Listening ports are chosen by the system, so that tests do not meet.
#![allow(dead_code, reason = "each test file uses its part")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde_json::Value;

/// A running program.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
    seen: String,
    ends: Vec<std::thread::JoinHandle<String>>,
}

/// The end of the program.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit status; `None` after a signal.
    pub(crate) status: Option<i32>,
    /// The standard output.
    pub(crate) stdout: String,
    /// The standard error.
    pub(crate) stderr: String,
}

/// The program, with `arguments` separated by blanks and the key of all tests.
pub(crate) fn anabranch(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anabranch"));
    command.args(arguments.split_whitespace()).env("ANABRANCH_KEY", KEY);
    command
}

/// Runs to the end.
pub(crate) fn run(command: &mut Command) -> Ended {
    Program::start(command).finish()
}

/// A receiver on `addresses`, each with a port of the system's choice, and what goes after `--to`.
pub(crate) fn receiver(addresses: &str, dir: &Path, more: &str) -> (Program, String) {
    let listen: Vec<String> = addresses.split(',').map(|address| format!("{address}:0")).collect();
    let mut command = anabranch(&format!("recv --listen {} {more}", listen.join(",")));
    let mut program = Program::start(command.arg("--dir").arg(dir));
    let to = program.wait_for("--to ");
    (program, to)
}

/// A file of `length` bytes with a long period.
pub(crate) fn file(dir: &Path, name: &str, length: usize) -> PathBuf {
    let path = dir.join(name);
    let bytes: Vec<u8> =
        (0..length as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    std::fs::write(&path, bytes).expect("room for a file");
    path
}

/// Where the file that goes to `name` in `dir` is until it is complete.
pub(crate) fn part(dir: &Path, name: &str) -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    dir.join(format!(".anabranch-partial-{user}/{name}.part"))
}

/// A sender of a file that never ends, about 10 MB a second.
pub(crate) fn endless_sender(arguments: &str) -> Program {
    let mut command = anabranch(&format!("send - --name endless {arguments}"));
    let mut program = Program::start(command.stdin(Stdio::piped()));
    let mut input = program.child.stdin.take().expect("piped");
    std::thread::spawn(move || {
        while input.write_all(&[0x5a; 100_000]).is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    program
}

impl Program {
    /// Starts it; what it prints is read as it comes.
    pub(crate) fn start(command: &mut Command) -> Program {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let (sender, lines) = channel();
        let stdout = child.stdout.take().expect("piped");
        let stderr = child.stderr.take().expect("piped");
        let ends = vec![read(stdout, sender.clone()), read(stderr, sender)];
        Program { child, lines, seen: String::new(), ends }
    }

    /// Waits for a line with `mark` and returns what follows it there.
    pub(crate) fn wait_for(&mut self, mark: &str) -> String {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    self.seen.push_str(&line);
                    if let Some((_, rest)) = line.split_once(mark) {
                        return rest.trim().to_owned();
                    }
                }
                Err(_) => {
                    let _ = self.child.kill();
                    panic!("no line with {mark:?} came: {}", self.seen);
                }
            }
        }
    }

    /// The standard input of the program, if that is a pipe.
    pub(crate) fn input(&mut self) -> Option<std::process::ChildStdin> {
        self.child.stdin.take()
    }

    /// Kills it. The ports are free then.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("its status");
    }

    /// The number among processes.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let kill = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(kill.expect("there is kill(1)").success());
    }

    /// Waits for its end, not for ever.
    pub(crate) fn finish(mut self) -> Ended {
        let steps = PATIENCE.as_millis() / 10;
        for _ in 0..steps {
            if let Some(status) = self.child.try_wait().expect("its status") {
                let mut texts = self.ends.drain(..).map(|end| end.join().expect("readable"));
                let (stdout, stderr) = (texts.next().expect("stdout"), texts.next().expect("stderr"));
                return Ended { status: status.code(), stdout, stderr };
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let texts: Vec<String> = self.ends.drain(..).map(|end| end.join().expect("readable")).collect();
        panic!("it did not end within {PATIENCE:?}: {texts:?}");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    /// Standard output as one JSON document.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Fails the test unless it ended with `status`.
    pub(crate) fn expect(self, status: i32) -> Ended {
        assert_eq!(self.status, Some(status), "{self:?}");
        self
    }
}

fn read(stream: impl Read + Send + 'static, lines: Sender<String>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut all = String::new();
        for line in BufReader::new(stream).lines() {
            let line = line.expect("text") + "\n";
            all.push_str(&line);
            let _ = lines.send(line);
        }
        all
    })
}

/// The key of all tests.
pub(crate) const KEY: &str = "5ec1e700000000000000000000000001";
/// The time anything here may take; a busy machine is given time.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `is_so`, not for ever.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..PATIENCE.as_millis() / 10 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("not within {PATIENCE:?}: {what}");
}
