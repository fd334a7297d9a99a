//! Tests in a separate network namespace, with another host beside it.
#![allow(dead_code, reason = "each test file uses its part")]

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

/// The environment variable that names the case to run inside the namespace.
const ENCLOSED: &str = "ANABRANCH_TEST_ENCLOSED";

/// The case to run, inside the namespace. Outside, reruns the test of this name for each of these cases, in a new
/// network namespace; without root, in a new user namespace as well.
pub(crate) fn enclosed(name: &str, cases: &[&str]) -> Option<String> {
    if let Ok(case) = std::env::var(ENCLOSED) {
        return Some(case);
    }
    let within = |spaces: &[&str], case: &str, program: &str, arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(spaces).args(["--net", "--", program]).args(arguments).env(ENCLOSED, case).output()
    };
    let veth = ["link", "add", "one", "type", "veth", "peer", "name", "other"];
    let is_possible =
        |spaces: &&[&str]| within(spaces, "", "ip", &veth).is_ok_and(|tried| tried.status.success());
    let choices: [&[&str]; 2] = [&[], &["--user", "--map-root-user"]];
    let Some(spaces) = choices.into_iter().find(is_possible) else {
        eprintln!("skipped: there are no network namespaces here, or no `ip` and `unshare`");
        return None;
    };
    let this = std::env::current_exe().expect("this program");
    let this = this.to_str().expect("a path in UTF-8");
    for case in cases {
        let output = within(spaces, case, this, &["--exact", name, "--nocapture"]).expect("unshare");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{case}: {said}");
        said.lines().filter(|line| line.starts_with("skipped")).for_each(|line| eprintln!("{line}"));
    }
    None
}

/// Runs `ip` with these words.
pub(crate) fn ip(words: &str) {
    let status = Command::new("ip").args(words.split(' ')).status().expect("ip");
    assert!(status.success(), "ip {words}");
}

/// Runs `ip` with these lines at once.
pub(crate) fn ip_all(lines: &[String]) {
    batch(Command::new("ip"), lines);
}

/// Returns true if the kernel sends on this interface.
pub(crate) fn is_up(interface: &str) -> bool {
    is_in_state_up(Command::new("ip"), interface)
}

fn is_in_state_up(mut ip: Command, interface: &str) -> bool {
    let shown = ip.args(["-oneline", "link", "show", "dev", interface]).output().expect("ip");
    String::from_utf8_lossy(&shown.stdout).contains("state UP")
}

fn batch(mut ip: Command, lines: &[String]) {
    let mut ip = ip.args(["-batch", "-"]).stdin(Stdio::piped()).spawn().expect("ip");
    let mut input = ip.stdin.take().expect("piped");
    input.write_all(lines.join("\n").as_bytes()).expect("it reads");
    drop(input);
    assert!(ip.wait().expect("it ends").success(), "{lines:?}");
}

/// Another host: a network namespace that ends with this value, or with this process.
pub(crate) struct OtherHost {
    holder: Child,
}

impl OtherHost {
    /// A host without links.
    pub(crate) fn new() -> OtherHost {
        let mut holder = Command::new("unshare");
        holder.args(["--net", "--", "sh", "-c", "echo; exec cat"]);
        let mut holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("unshare");
        let stdout = holder.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut String::new()).expect("it is there");
        OtherHost { holder }
    }

    /// The identifier for `ip link … netns`.
    pub(crate) fn id(&self) -> u32 {
        self.holder.id()
    }

    /// Runs `ip` there with these lines at once.
    pub(crate) fn ip_all(&self, lines: &[String]) {
        batch(self.ip(), lines);
    }

    /// Returns true if the kernel sends on this interface of the host.
    pub(crate) fn is_up(&self, interface: &str) -> bool {
        is_in_state_up(self.ip(), interface)
    }

    fn ip(&self) -> Command {
        let mut ip = Command::new("nsenter");
        ip.args([&format!("--net={}", self.path()), "--", "ip"]);
        ip
    }

    /// Runs `work` on a thread inside the host.
    pub(crate) fn within<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> std::thread::JoinHandle<T> {
        let namespace = File::open(self.path()).expect("it lives");
        std::thread::spawn(move || {
            nix::sched::setns(namespace, nix::sched::CloneFlags::CLONE_NEWNET).expect("it may");
            work()
        })
    }

    fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.holder.id())
    }
}

impl Drop for OtherHost {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}
