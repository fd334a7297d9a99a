//! The failures of commands: the message with the fault, its place and the remedy, the document for scripts, and the exit
//! status.

#[cfg(feature = "full")]
mod lab;
mod remote;

use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;

use anabranch_base::Duration;
#[cfg(target_os = "linux")]
use anabranch_emulate::namespaces::SetupError;
use anabranch_lab::LoadError;
use anabranch_net::PathAddresses;
use anabranch_observe::CannotWrite;
use anabranch_planner::PlanError;
use anabranch_scenario::{ScenarioError, Style};
use anabranch_sim::BuildError;
use anabranch_transfer::{FindError, OpenError as StoreError};
use serde_json::{Value, json};

use anabranch_net::monitor::path_name;

use crate::lookup::LookupFailure;
use crate::notice;
use crate::signals;
use crate::threads::ThreadError;

#[cfg(feature = "full")]
pub(crate) use lab::LabFailure;
pub(crate) use remote::RemoteFailure;

/// The failure of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The arguments contradict one another, or one is invalid.
    #[error("{0}")]
    Arguments(String),
    /// A host that the system cannot look up.
    #[error(transparent)]
    UnknownHost(#[from] LookupFailure),
    /// A `--via` that this host does not have.
    #[error("{0}")]
    Via(String),
    /// An address that cannot be bound.
    #[error("{0}")]
    Bind(String),
    /// A key that is missing or invalid.
    #[error("{0}")]
    Key(String),
    /// A file that cannot be sent.
    #[error("{}{}", .0, another_name(.0))]
    File(#[from] FindError),
    /// A directory in which files cannot be stored.
    #[error("{0}; choose another with --dir")]
    Directory(#[from] StoreError),
    /// A scenario that cannot be read.
    #[error("{0}")]
    NoScenario(LoadError),
    /// An invalid scenario.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A scenario whose values contradict one another.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A flow that the models cannot express.
    #[error("cannot plan for flow {flow:?}: {why}")]
    NotForModels { flow: String, why: String },
    /// A problem that the planner cannot solve.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A file that cannot be written: a record of a run, a plan.
    #[error(transparent)]
    Record(#[from] CannotWrite),
    /// A sweep, a figure or a recording.
    #[cfg(feature = "full")]
    #[error(transparent)]
    Lab(#[from] LabFailure),
    /// The network namespaces for the scenario's links cannot be made.
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    Namespaces(#[from] SetupError),
    /// The peer did not answer the handshake.
    #[error(
        "no answer from {} after {attempts} attempts ({:.1} s){}: is `{program}` running there, \
         is UDP port {} open, {key}", list(.to), .waited.as_secs_f64(), over(.tried), ports(.to)
    )]
    NoAnswer {
        /// The program expected there.
        program: &'static str,
        /// The addresses that were tried.
        to: Vec<SocketAddr>,
        /// The pairs of addresses that were tried.
        tried: Vec<PathAddresses>,
        /// The number of attempts.
        attempts: u32,
        /// The time of the attempts.
        waited: Duration,
        /// The question about the key.
        key: &'static str,
    },
    /// The network reports for every pair of addresses that packets do not arrive.
    #[error("cannot reach {}: {}; is `{program}` running there, is UDP port {} open?", list(.to), .why.join("; "), ports(.to))]
    Unreachable {
        /// The addresses that were tried.
        to: Vec<SocketAddr>,
        /// The error of each pair of addresses.
        why: Vec<String>,
        /// The program expected there.
        program: &'static str,
    },
    /// The peer no longer answers, or ended the association before the work was done.
    #[error("{0}")]
    PeerGone(String),
    /// No program that `status` could ask.
    #[error("{0}")]
    NotRunning(String),
    /// Every link has reached its limit.
    #[error("{0}; run the same command again with a higher limit, or with another link")]
    LinksUsedUp(String),
    /// The peer uses another protocol, or breaks this one.
    #[error("{peer} does not follow anabranch's {protocol}: {what}")]
    Garbage {
        /// The expected protocol.
        protocol: &'static str,
        peer: String,
        /// The description of the received message.
        what: String,
    },
    /// The other end refused.
    #[error("{0}")]
    Refused(String),
    /// The other end is serving another peer.
    #[error("{0}")]
    Busy(String),
    /// The program that ssh starts on another host.
    #[error(transparent)]
    Remote(#[from] RemoteFailure),
    /// Files that one of the ends refused or could not store.
    #[error("{}", .0.join("\n"))]
    NotStored(Vec<String>),
    /// A result that cannot be written to standard output.
    #[error("cannot write the result to standard output: {0}")]
    NotPrinted(io::Error),
    /// Work on another thread gave no result.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// An unexpected error of the system.
    #[error("{0}")]
    System(#[from] io::Error),
}

impl Failure {
    /// The exit status: 1 the work failed, 2 the input is wrong, 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.status())
    }

    /// For scripts: `{"kind", "message"}`, and the place in a file where there is one.
    pub(crate) fn document(&self) -> Value {
        match self {
            Failure::Scenario(error) => json!({
                "kind": self.kind(),
                "message": error.message(),
                "file": error.file(),
                "line": error.line(),
                "column": error.column(),
                "expected": error.expected(),
                "nearest": error.nearest(),
            }),
            _ => json!({ "kind": self.kind(), "message": printable(&self.to_string()) }),
        }
    }

    /// Writes the message to standard error.
    pub(crate) fn tell(&self) {
        if let Failure::Scenario(error) = self {
            // It begins with its place, like messages of compilers, so that editors can jump there.
            return notice::show_failure(&error.show_within(style(), columns()));
        }
        let message = self.to_string();
        if matches!(self, Failure::Interrupted) && notice::is_log() {
            // A service that is stopped has not failed.
            return notice::tell(&message);
        }
        for line in message.lines() {
            notice::tell_failure(&printable(line));
        }
    }

    fn status(&self) -> u8 {
        match self {
            Failure::Arguments(_)
            | Failure::UnknownHost(_)
            | Failure::Via(_)
            | Failure::Bind(_)
            | Failure::Key(_)
            | Failure::File(_)
            | Failure::NoScenario(_)
            | Failure::Scenario(_)
            | Failure::Build(_)
            | Failure::NotForModels { .. }
            | Failure::Plan(_)
            | Failure::Directory(_) => 2,
            #[cfg(feature = "full")]
            Failure::Lab(failure) => failure.status(),
            Failure::Record(record) => status_of_unwritten(record.source.kind()),
            #[cfg(target_os = "linux")]
            Failure::Namespaces(_) => 1,
            Failure::NoAnswer { .. }
            | Failure::Unreachable { .. }
            | Failure::PeerGone(_)
            | Failure::NotRunning(_)
            | Failure::LinksUsedUp(_)
            | Failure::Garbage { .. }
            | Failure::Refused(_)
            | Failure::Busy(_)
            | Failure::NotStored(_)
            | Failure::NotPrinted(_)
            | Failure::Thread(_)
            | Failure::System(_) => 1,
            Failure::Remote(remote) => remote.exit_status(),
            Failure::Interrupted => signals::status(),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Failure::Arguments(_) => "arguments",
            Failure::UnknownHost(_) => "unknown-host",
            Failure::Via(_) => "via",
            Failure::Bind(_) => "bind",
            Failure::Key(_) => "key",
            Failure::File(_) => "file",
            Failure::Directory(_) => "directory",
            Failure::NoScenario(_) => "no-scenario",
            Failure::Scenario(error) => error.kind().name(),
            Failure::Build(_) => "scenario",
            Failure::NotForModels { .. } => "models",
            Failure::Plan(_) => "plan",
            Failure::Record(_) => "record",
            #[cfg(feature = "full")]
            Failure::Lab(failure) => failure.kind(),
            #[cfg(target_os = "linux")]
            Failure::Namespaces(_) => "namespace",
            Failure::NoAnswer { .. } => "no-answer",
            Failure::Unreachable { .. } => "unreachable",
            Failure::PeerGone(_) => "peer-gone",
            Failure::NotRunning(_) => "not-running",
            Failure::LinksUsedUp(_) => "links-used-up",
            Failure::Garbage { .. } => "garbage",
            Failure::Refused(_) => "refused",
            Failure::Busy(_) => "busy",
            Failure::Remote(_) => "remote",
            Failure::NotStored(_) => "not-stored",
            Failure::NotPrinted(_) => "output",
            Failure::Thread(ThreadError::NotStarted(_)) => "threads",
            Failure::Interrupted => "interrupted",
            Failure::Thread(ThreadError::Panicked) | Failure::System(_) => "system",
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        match error {
            LoadError::Scenario(error) => Failure::Scenario(error),
            LoadError::NotRead { .. } => Failure::NoScenario(error),
        }
    }
}

/// The exit status for a file that cannot be written: 2 if its name is wrong, 1 if the work failed, as on a full disk.
fn status_of_unwritten(kind: io::ErrorKind) -> u8 {
    use io::ErrorKind::{
        AlreadyExists, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound,
        PermissionDenied, ReadOnlyFilesystem,
    };
    let is_named_wrongly = matches!(
        kind,
        AlreadyExists
            | InvalidFilename
            | InvalidInput
            | IsADirectory
            | NotADirectory
            | NotFound
            | PermissionDenied
            | ReadOnlyFilesystem
    );
    if is_named_wrongly { 2 } else { 1 }
}

/// The advice for a file with an unsendable name.
fn another_name(error: &FindError) -> &'static str {
    match error {
        FindError::Name { path, .. } if path != Path::new("-") => "; give it another name with --name",
        _ => "",
    }
}

/// The style of messages: coloured on a terminal, unless NO_COLOR is set (no-color.org).
pub(crate) fn style() -> Style {
    let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if io::stderr().is_terminal() && !is_unwanted { Style::Coloured } else { Style::Plain }
}

/// Returns the width of standard error: the terminal's, or a width for a file.
pub(crate) fn columns() -> usize {
    terminal_size::terminal_size_of(io::stderr()).map_or(120, |(width, _)| usize::from(width.0))
}

/// Returns `text` with control characters escaped: text of a peer must not move the cursor.
pub(crate) fn printable(text: &str) -> String {
    let shown =
        |c: char| if c.is_control() && c != '\n' { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// Addresses as they are written after `--to`.
pub(crate) fn list(addresses: &[SocketAddr]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Names the pairs of addresses, if there were several.
fn over(tried: &[PathAddresses]) -> String {
    match tried {
        [] | [_] => String::new(),
        pairs => {
            let named = pairs.iter().take(MOST_NAMED).map(path_name).collect::<Vec<_>>().join(", ");
            match pairs.len().saturating_sub(MOST_NAMED) {
                0 => format!(", over {named}"),
                more => format!(", over {named} and {more} more"),
            }
        }
    }
}

/// The maximum number of pairs of addresses in a message.
const MOST_NAMED: usize = 8;

fn ports(addresses: &[SocketAddr]) -> String {
    let mut ports: Vec<u16> = addresses.iter().map(SocketAddr::port).collect();
    ports.dedup();
    ports.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_without_an_answer_names_the_addresses_the_time_and_what_to_do() {
        let to = vec!["10.0.0.5:9899".parse().expect("an address")];
        let failure = Failure::NoAnswer {
            program: "anabranch recv",
            to,
            tried: Vec::new(),
            attempts: 5,
            waited: Duration::from_millis(15_500),
            key: "is the key the one that recv printed?",
        };
        assert_eq!(
            failure.to_string(),
            "no answer from 10.0.0.5:9899 after 5 attempts (15.5 s): is `anabranch recv` running there, \
             is UDP port 9899 open, is the key the one that recv printed?"
        );
        assert_eq!((failure.status(), failure.kind()), (1, "no-answer"));
        let pair = |local: &str, remote: &str| PathAddresses {
            local: local.parse().expect("an address"),
            remote: remote.parse().expect("an address"),
        };
        let tried = [pair("10.0.0.1:5", "10.0.0.5:9899"), pair("10.0.1.1:5", "10.0.0.5:9899")];
        assert_eq!(over(&tried), ", over 10.0.0.1 > 10.0.0.5:9899, 10.0.1.1 > 10.0.0.5:9899");
        assert_eq!(over(&tried[..1]), "", "only one pair");
    }

    #[test]
    fn the_exit_status_tells_wrong_input_from_failed_work() {
        assert_eq!(Failure::Arguments(String::new()).status(), 2);
        assert_eq!(Failure::Directory(StoreError { dir: "x".into(), why: String::new() }).status(), 2);
        assert_eq!(Failure::NotStored(vec![]).status(), 1);
        assert_eq!(Failure::Interrupted.status(), 130);
        let record = |kind: io::ErrorKind| {
            Failure::Record(CannotWrite { path: "x".into(), source: kind.into() }).status()
        };
        assert_eq!(record(io::ErrorKind::PermissionDenied), 2);
        assert_eq!(record(io::ErrorKind::StorageFull), 1, "the name is right");
    }

    #[test]
    fn an_unsendable_name_may_be_replaced() {
        let found = |path: &str| anabranch_transfer::Sources::find(&[path.into()], Some(".."));
        let told = |path| Failure::from(found(path).expect_err("no name")).to_string();
        assert!(told("/").ends_with("leads to another directory; give it another name with --name"));
        assert!(told("-").ends_with("leads to another directory"));
    }

    #[test]
    fn a_peers_words_do_not_move_the_cursor() {
        assert_eq!(printable("a\u{1b}[2Jb\r\u{9b}"), "a\\u{1b}[2Jb\\r\\u{9b}");
        let failure = Failure::PeerGone("\u{7}gone".into());
        assert_eq!(failure.document()["message"], "\\u{7}gone");
    }
}
