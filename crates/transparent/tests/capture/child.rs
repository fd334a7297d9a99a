//! A process of its own with a capture, which can be killed.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use anabranch_transparent::{Capture, Request};

/// The environment variable with the flows of the child: words, the first of which is `strict` or `open`.
const FLOWS: &str = "ANABRANCH_TEST_CAPTURE";
/// The line of the child when its capture is open.
const OPEN: &str = "the capture is open";

/// Starts a process on this thread's host that has a capture of these flows.
pub(crate) fn start(flows: &str) -> Child {
    let mut child = command(&[]).env(FLOWS, flows).stdout(Stdio::piped()).spawn().expect("this program");
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let is_open = lines.map_while(Result::ok).any(|line| line.contains(OPEN));
    assert!(is_open, "the child ended");
    child
}

/// Expects that a process without permissions is told what it needs.
pub(crate) fn is_refused_without_permission() {
    let output =
        command(&["setpriv", "--bounding-set=-all", "--inh-caps=-all"]).env(FLOWS, "open host").output();
    let output = output.expect("setpriv");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("needs root or CAP_NET_ADMIN"), "{said}");
}

/// This program with the one test that is the child, started by the program of `before`.
fn command(before: &[&str]) -> Command {
    let this = std::env::current_exe().expect("this program");
    let words = before.iter().map(Into::into).chain([this.into_os_string()]);
    let mut words =
        words.chain(["--exact", "child::holds_a_capture_if_asked", "--nocapture"].map(Into::into));
    let mut command = Command::new(words.next().expect("this program"));
    command.args(words);
    command
}

#[tokio::test]
async fn holds_a_capture_if_asked() {
    let Ok(flows) = std::env::var(FLOWS) else { return };
    let mut words = flows.split(' ');
    let is_strict = words.next() == Some("strict");
    let taken = words.map(|word| word.parse().expect("flows")).collect();
    let capture = Capture::open(&Request { taken, except: Vec::new(), is_strict });
    let capture = capture.unwrap_or_else(|error| panic!("{error}"));
    println!("{OPEN}");
    let never = capture.keep(|_| {}).await;
    match never {}
}
