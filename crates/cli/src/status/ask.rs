//! Finds the sockets of running programs, and asks each for its state.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::geteuid;
use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::answer::Answer;
use super::place::{self, Folder};

/// The answers of running programs.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The answers, in the order of the processes.
    pub answers: Vec<Answered>,
    /// The processes that did not answer, with the reason.
    refused: Vec<(u32, String)>,
}

/// An answer, as it was sent and as it was read.
#[derive(Debug)]
pub(super) struct Answered {
    pub document: Value,
    pub answer: Answer,
}

impl Asked {
    /// The programs that did not answer, a line each.
    pub(super) fn refusals(&self) -> impl Iterator<Item = String> {
        self.refused.iter().map(|(pid, why)| format!("process {pid} does not tell its state: {why}"))
    }
}

/// Asks the program of process `pid`, or all, at once.
pub(super) async fn all(pid: Option<u32>) -> Asked {
    let mut asking = JoinSet::new();
    for found in find(pid) {
        asking.spawn(async move { (found.pid, ask(&found.path, found.may_be_others).await) });
    }
    let mut results = asking.join_all().await;
    results.sort_by_key(|(pid, _)| *pid);
    let mut asked = Asked::default();
    for (pid, result) in results {
        match result {
            Ok(Some(answered)) => asked.answers.push(answered),
            Ok(None) => {}
            Err(why) => asked.refused.push((pid, why)),
        }
    }
    asked
}

/// A socket that may be that of a running program.
#[derive(Debug)]
struct Found {
    pid: u32,
    path: PathBuf,
    may_be_others: bool,
}

fn find(pid: Option<u32>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for Folder { path, has_services } in place::searched() {
        let Ok(entries) = std::fs::read_dir(&path) else { continue };
        let names = entries.flatten().map(|entry| entry.file_name()).take(MOST_ENTRIES);
        let sockets = names.filter_map(|name| Some((place::pid_of(&name)?, path.join(name))));
        for (number, path) in sockets.filter(|(number, _)| pid.is_none_or(|pid| pid == *number)) {
            if !found.iter().any(|known| known.path == path) {
                found.push(Found { pid: number, path, may_be_others: has_services });
            }
        }
    }
    found
}

/// Asks the program at a socket. `None` if the program has ended and left its socket.
async fn ask(path: &Path, may_be_others: bool) -> Result<Option<Answered>, String> {
    let connecting = timeout(PATIENCE, UnixStream::connect(path)).await;
    let stream = match connecting {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            return match error.kind() {
                ErrorKind::ConnectionRefused | ErrorKind::NotFound => Ok(None),
                ErrorKind::PermissionDenied => {
                    Err("it belongs to another user, who may ask, and root".to_owned())
                }
                _ => Err(error.to_string()),
            };
        }
        Err(_) => return Err(SILENT.to_owned()),
    };
    let owner = stream.peer_cred().map_err(|error| error.to_string())?.uid();
    if owner != geteuid().as_raw() && !may_be_others {
        return Err(format!("it belongs to the user with the number {owner}"));
    }
    let mut text = Vec::new();
    match timeout(PATIENCE, stream.take(LONGEST).read_to_end(&mut text)).await {
        Ok(Ok(0)) => return Err("it closed the connection; others may be asking already".to_owned()),
        Ok(Ok(_)) => {}
        Ok(Err(error)) => return Err(error.to_string()),
        Err(_) => return Err(SILENT.to_owned()),
    }
    read(&text).map(Some)
}

fn read(text: &[u8]) -> Result<Answered, String> {
    let wrong =
        |error: serde_json::Error| format!("its answer is not that of an `anabranch forward`: {error}");
    let document: Value = serde_json::from_slice(text).map_err(wrong)?;
    let answer = serde_json::from_value(document.clone()).map_err(wrong)?;
    Ok(Answered { document, answer })
}

const SILENT: &str = "it does not answer";
/// The time for a connection, and for the answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest answer: a thousand flows and bonds have a tenth of it.
const LONGEST: u64 = 16 << 20;
/// The entries of a folder that are read.
const MOST_ENTRIES: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_another_version_is_read_and_what_is_not_one_is_refused() {
        let text = br#"{"schema":1,"program":"anabranch 9.0.0","role":"programs","pid":7,"news":true,"flows":[{"id":3}]}"#;
        let answered = read(text).expect("an answer");
        assert_eq!((answered.answer.pid, answered.answer.flows[0].id), (7, 3));
        assert_eq!(answered.document["news"], true, "it is passed on");
        for wrong in [&b""[..], b"[]7", b"\"text\"", br#"{"flows":7}"#, br#"{"pid":-1}"#] {
            let error = read(wrong).expect_err("wrong");
            assert!(error.starts_with("its answer is not"), "{error}");
        }
    }
}
