//! The line that a listening end prints, to paste at the other: where it listens, and the key if it is fresh.

use std::net::SocketAddr;

use anabranch_net::{Endpoint, Security};
use anabranch_observe::Body;
use serde_json::{Value, json};

use crate::addresses;
use crate::arguments::{HostPort, Output};
use crate::key::{self, ListeningKey};
use crate::notice;
use crate::quoting::quoted;
use crate::report;

/// Where the line is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineTarget {
    /// On standard output.
    Output,
    /// On standard error, as standard output is for something else.
    Error,
    /// On standard output, as a JSON object for the program that started this one.
    Object,
    /// Nowhere.
    Nowhere,
}

impl LineTarget {
    /// On standard error, where standard output has JSON.
    pub(crate) fn by(output: Output) -> LineTarget {
        match (output.quiet, output.is_json()) {
            (true, _) => LineTarget::Nowhere,
            (false, true) => LineTarget::Error,
            (false, false) => LineTarget::Output,
        }
    }
}

/// The other end of an association.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherEnd {
    /// The name: `sender`.
    pub place: &'static str,
    /// The command there, without its options.
    pub command: &'static str,
    /// The option before the addresses.
    pub option: &'static str,
}

/// The line with the command for the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadyLine {
    /// The other end.
    pub other: OtherEnd,
    /// Where the line is printed.
    pub target: LineTarget,
}

/// Prints the line with the command for the other end, and what that end needs. `hosts` are those that were given to listen
/// on.
pub(super) fn print(endpoint: &Endpoint, hosts: &[HostPort], key: &ListeningKey, line: ReadyLine) {
    let to = addresses::to_paste(hosts, &endpoint.local_addresses());
    if line.target == LineTarget::Object {
        return report::print_line(&object(&endpoint.local_addresses(), &to).to_string());
    }
    for text in lines(key, line.other, &to) {
        match line.target {
            LineTarget::Output => report::print_line(&text),
            LineTarget::Error => notice::show(&text),
            LineTarget::Object | LineTarget::Nowhere => {}
        }
    }
}

/// The addresses that are listened on, and those of them, or of this host, that others may reach.
fn object(listening: &[SocketAddr], to: &str) -> Value {
    let reachable: Vec<&str> = to.split(',').filter(|one| !one.is_empty()).collect();
    Body::of(&json!({ "ready": { "listening": listening, "reachable": reachable } })).value(None)
}

/// A key that is fresh is part of the line; one from a file or the environment is never printed.
fn lines(key: &ListeningKey, other: OtherEnd, to: &str) -> Vec<String> {
    let OtherEnd { place, command, option } = other;
    let line =
        |key: &str, secrecy: &str| format!("ready; on the {place}: {key}{command} {secrecy}{option} {to}");
    match key {
        ListeningKey { security: Security::Insecure, .. } => vec![line("", "--insecure ")],
        ListeningKey { security: Security::Clients(_), .. } => {
            let keys = "each client has a key of its own: --add-client NAME adds one and prints it";
            vec![line(&format!("{}=… ", key::VARIABLE), ""), keys.to_owned()]
        }
        ListeningKey { fresh: Some(key), .. } => {
            vec![line(&format!("{}={} ", key::VARIABLE, *key.reveal()), "")]
        }
        ListeningKey { file: Some(file), .. } => {
            let file = quoted(&file.to_string_lossy());
            let copy = format!("copy the key file {file} to the {place} first, readable by its user only");
            vec![line("", &format!("--key-file {file} ")), copy]
        }
        ListeningKey { .. } => {
            vec![line("", ""), format!("the {place} needs the same key in {}", key::VARIABLE)]
        }
    }
}

#[cfg(test)]
mod tests {
    use anabranch_net::Key;

    use super::*;

    const SENDER: OtherEnd = OtherEnd { place: "sender", command: "anabranch send FILE", option: "--to" };

    fn told(fresh: bool, file: Option<&str>) -> Vec<String> {
        let key = Key::from_bytes([0x5e; 16]);
        let fresh = fresh.then(|| key.clone());
        let key =
            ListeningKey { security: Security::Sealed(key), fresh, file: file.map(std::path::PathBuf::from) };
        lines(&key, SENDER, "192.0.2.1")
    }

    #[test]
    fn a_key_from_a_file_is_named_by_its_file() {
        assert_eq!(
            told(false, Some("/etc/a b/it's.key")),
            [
                "ready; on the sender: anabranch send FILE --key-file '/etc/a b/it'\\''s.key' --to 192.0.2.1",
                "copy the key file '/etc/a b/it'\\''s.key' to the sender first, readable by its user only",
            ]
        );
        assert!(told(false, Some("service.key"))[0].ends_with("FILE --key-file service.key --to 192.0.2.1"));
    }

    #[test]
    fn only_a_fresh_key_is_printed() {
        let secret = "5e".repeat(16);
        assert_eq!(
            told(true, None),
            [format!("ready; on the sender: ANABRANCH_KEY={secret} anabranch send FILE --to 192.0.2.1")]
        );
        assert_eq!(
            told(false, None),
            [
                "ready; on the sender: anabranch send FILE --to 192.0.2.1",
                "the sender needs the same key in ANABRANCH_KEY"
            ]
        );
    }
}
