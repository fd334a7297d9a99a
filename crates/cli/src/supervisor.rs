//! The service manager that started this program, if one did: the messages to it (sd_notify(3)), and its watchdog.
//!
//! A message is text sent to the socket that NOTIFY_SOCKET names. One that cannot be sent is dropped, like a message to
//! standard error.

mod vitality;
mod watchdog;

use std::convert::Infallible;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

pub(crate) use watchdog::{keep_watchdog, watch};

/// Says that the program has begun its work, and what it does now.
pub(crate) fn ready(status: &str) {
    tell("READY=1");
    self::status(status);
}

/// Says what the program does now.
pub(crate) fn status(status: &str) {
    change(|present| present.work = one_line(status));
}

/// Says from now on, every few seconds, how many flows there are, until the returned tasks are dropped.
pub(crate) fn count_flows(count: impl Fn() -> usize + Send + 'static) -> JoinSet<Infallible> {
    let mut tasks = JoinSet::new();
    if is_present() {
        tasks.spawn(async move {
            let mut ticks = interval(BETWEEN_COUNTS);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let flows = count();
                change(|present| present.flows = Some(flows));
            }
        });
    }
    tasks
}

/// Says that the program is about to end.
pub(crate) fn stopping() {
    tell("STOPPING=1");
}

/// Returns true if a service manager started this program.
pub(crate) fn is_present() -> bool {
    SUPERVISOR.is_some()
}

/// Says that bytes flow, for the watchdog.
fn alive() {
    tell("WATCHDOG=1");
}

/// The time after which the service manager ends a program that was silent; `None` without a watchdog.
fn watchdog_period() -> Option<Duration> {
    let variable = |name: &str| std::env::var(name).ok();
    period(variable("WATCHDOG_USEC").as_deref(), variable("WATCHDOG_PID").as_deref(), std::process::id())
}

/// The period of the variables, unless they are for another process.
fn period(microseconds: Option<&str>, process: Option<&str>, own: u32) -> Option<Duration> {
    let is_ours = process.is_none_or(|process| process == own.to_string());
    let period = Duration::from_micros(microseconds?.parse().ok()?);
    (is_ours && !period.is_zero() && is_present()).then_some(period)
}

/// The work of the program, and its flows.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Status {
    work: String,
    flows: Option<usize>,
}

impl Status {
    /// The line for the service manager.
    fn line(&self) -> String {
        match self.flows {
            None => self.work.clone(),
            Some(1) => format!("{}, 1 flow", self.work),
            Some(count) => format!("{}, {count} flows", self.work),
        }
    }
}

/// Changes the status, and says it if it is another one.
fn change(change: impl FnOnce(&mut Status)) {
    let mut status = STATUS.lock().unwrap_or_else(PoisonError::into_inner);
    let before = status.clone();
    change(&mut status);
    if *status != before && !status.work.is_empty() {
        tell(&format!("STATUS={}", status.line()));
    }
}

fn tell(message: &str) {
    if let Some(supervisor) = &*SUPERVISOR {
        supervisor.tell(message);
    }
}

/// A status is one line, whatever a peer's name has in it.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

static STATUS: Mutex<Status> = Mutex::new(Status { work: String::new(), flows: None });
const BETWEEN_COUNTS: Duration = Duration::from_secs(5);
static SUPERVISOR: LazyLock<Option<Supervisor>> = LazyLock::new(|| {
    let name = std::env::var_os("NOTIFY_SOCKET")?;
    Supervisor::at(&name)
});

/// The socket of a service manager.
#[cfg(unix)]
#[derive(Debug)]
struct Supervisor {
    socket: std::os::unix::net::UnixDatagram,
    address: std::os::unix::net::SocketAddr,
}

#[cfg(unix)]
impl Supervisor {
    /// The socket with this name: a path, or an abstract name after `@`. `None` for another kind of socket.
    fn at(name: &std::ffi::OsStr) -> Option<Supervisor> {
        use std::os::unix::ffi::OsStrExt as _;
        use std::os::unix::net::{SocketAddr, UnixDatagram};
        let address = match name.as_bytes() {
            [b'/', ..] => SocketAddr::from_pathname(name).ok()?,
            #[cfg(target_os = "linux")]
            [b'@', name @ ..] => {
                <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(name).ok()?
            }
            _ => return None,
        };
        let socket = UnixDatagram::unbound().ok()?;
        // A service manager that does not read must not stop the work.
        socket.set_write_timeout(Some(PATIENCE)).ok()?;
        Some(Supervisor { socket, address })
    }

    fn tell(&self, message: &str) {
        let _ = self.socket.send_to_addr(message.as_bytes(), &self.address);
    }
}

/// Other systems have none.
#[cfg(not(unix))]
#[derive(Debug)]
struct Supervisor;

#[cfg(not(unix))]
impl Supervisor {
    fn at(_: &std::ffi::OsStr) -> Option<Supervisor> {
        None
    }

    fn tell(&self, _: &str) {}
}

#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(1);

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::net::UnixDatagram;

    use super::*;

    #[test]
    fn messages_go_to_a_path_or_an_abstract_name() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("notify");
        let manager = UnixDatagram::bind(&path).expect("a socket");
        Supervisor::at(path.as_os_str()).expect("a socket").tell("READY=1");
        let mut message = [0; 100];
        let length = manager.recv(&mut message).expect("a message");
        assert_eq!(&message[..length], b"READY=1");
        for other in ["", "relative", "vsock:2:1234", "@"] {
            if let Some(unread) = Supervisor::at(other.as_ref()) {
                unread.tell("dropped");
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_abstract_name_is_one_after_an_at_sign() {
        use std::os::linux::net::SocketAddrExt as _;
        use std::os::unix::net::SocketAddr;
        let name = format!("anabranch-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let manager = UnixDatagram::bind_addr(&address).expect("a socket");
        Supervisor::at(format!("@{name}").as_ref()).expect("a socket").tell("STOPPING=1");
        let mut message = [0; 100];
        let length = manager.recv(&mut message).expect("a message");
        assert_eq!(&message[..length], b"STOPPING=1");
    }

    #[test]
    fn a_status_has_its_flows_where_they_are_counted() {
        let line = |flows| Status { work: "connected to 192.0.2.1:9899".to_owned(), flows }.line();
        assert_eq!(line(None), "connected to 192.0.2.1:9899");
        assert_eq!(line(Some(1)), "connected to 192.0.2.1:9899, 1 flow");
        assert_eq!(line(Some(0)), "connected to 192.0.2.1:9899, 0 flows");
    }

    #[test]
    fn a_watchdog_of_another_process_is_not_ours() {
        // The tests have no service manager.
        for (microseconds, process) in
            [(None, None), (Some("30000000"), Some("1")), (Some("0"), None), (Some("x"), None)]
        {
            assert_eq!(period(microseconds, process, 7), None);
        }
        assert_eq!(one_line("a\nREADY=1\u{7}"), "a READY=1 ");
    }
}
