//! The program's messages for errors and remarks of a transfer.

use anabranch_net::reason::REFUSED;
use anabranch_net::{Association, CloseReason};
use anabranch_transfer::protocol::FileOutcome;
use anabranch_transfer::{ReceiveFilesError, Remark, SendFilesError, Transferred};

use crate::failure::Failure;
use crate::peer::Peer;
use crate::report::shortened;

/// Why not all files were sent. Unless the association is closed already, it is aborted with that reason.
pub(crate) fn not_sent(association: &Association, peer: &Peer, error: SendFilesError) -> Failure {
    let failure = match error {
        SendFilesError::NotStored(files) => {
            let lines: Vec<String> = files.iter().map(ToString::to_string).collect();
            return Failure::NotStored(shortened(&lines, "were not sent or stored").collect());
        }
        SendFilesError::Ended(reason) => peer.failure(reason),
        SendFilesError::NotTaken(error) => peer.not_sent(error),
        SendFilesError::Protocol(error) => {
            if error.is_wrong_partner() {
                association.abort(&format!("{REFUSED}{error}"));
            }
            peer.garbage(&error)
        }
    };
    association.abort(&failure.to_string());
    failure
}

/// Why not all files were received.
pub(crate) fn not_received(peer: &Peer, error: ReceiveFilesError) -> Failure {
    match error {
        ReceiveFilesError::Protocol(error) => peer.garbage(&error),
        error @ ReceiveFilesError::NoThread(_) => Failure::System(std::io::Error::other(error.to_string())),
        ReceiveFilesError::Incomplete { name, kept, reason } => {
            let left = match kept {
                Some(kept) => {
                    let kept = kept.rounded();
                    format!("\"{name}\" is incomplete: {kept} are kept; send it again to continue")
                }
                None => format!("\"{name}\" is incomplete and was discarded"),
            };
            incomplete(peer, reason, &left)
        }
        ReceiveFilesError::NotStored(files) => {
            let lines: Vec<String> = files.iter().map(complaint).collect();
            Failure::NotStored(shortened(&lines, "were refused or failed").collect())
        }
        ReceiveFilesError::Ended(reason) => peer.failure(reason),
    }
}

fn incomplete(peer: &Peer, reason: CloseReason, left: &str) -> Failure {
    match peer.failure(reason) {
        Failure::PeerGone(why) => Failure::PeerGone(format!("{why}; {left}")),
        other => other,
    }
}

fn complaint(file: &Transferred) -> String {
    let word = if file.verdict.outcome == FileOutcome::Refused { "refused" } else { "failed" };
    let name = if file.name.is_empty() { String::new() } else { format!(" \"{}\"", file.name) };
    format!("{word}{name}: {}", file.verdict.why)
}

/// A remark as the user reads it.
pub(super) fn remark(remark: &Remark) -> String {
    match remark {
        Remark::NotItsBeginning { name, there } => {
            let there = there.rounded();
            format!(
                "the {there} of \"{name}\" at the receiver belong to another file: sending from the start"
            )
        }
        Remark::AnotherVersion { part, holds } => {
            let holds = holds.rounded();
            format!(
                "{part:?} holds {holds} of another version of the file (size or time differ): receiving from \
                 the start"
            )
        }
        Remark::Damaged { part } => {
            format!("{part:?} was damaged or changed: receiving from the start")
        }
        Remark::LeftBeside { part, state, holds } => {
            let holds = holds.rounded();
            format!(
                "{part:?} holds {holds} from an earlier version of anabranch, which this version cannot \
                 continue: receiving from the start; {part:?} and {state:?} may be removed"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;
    use anabranch_transfer::protocol::FileVerdict;

    use super::*;

    #[test]
    fn the_reason_is_printed_when_a_file_is_sent_from_the_start() {
        let (part, holds) = ("in/a.part".into(), ByteCount::new(3));
        assert_eq!(
            remark(&Remark::AnotherVersion { part, holds }),
            "\"in/a.part\" holds 3 B of another version of the file (size or time differ): receiving from \
             the start"
        );
        let damaged = Remark::Damaged { part: "in/a.part".into() };
        assert_eq!(remark(&damaged), "\"in/a.part\" was damaged or changed: receiving from the start");
        let other = Remark::NotItsBeginning { name: "a".to_owned(), there: ByteCount::new(2_000_000) };
        assert_eq!(
            remark(&other),
            "the 2.00 MB of \"a\" at the receiver belong to another file: sending from the start"
        );
    }

    #[test]
    fn what_an_earlier_version_left_may_be_removed() {
        let (part, state) = ("a.part".into(), "a.part.json".into());
        let told = remark(&Remark::LeftBeside { part, state, holds: ByteCount::new(3) });
        assert!(told.starts_with("\"a.part\" holds 3 B from an earlier version of anabranch"), "{told}");
        assert!(told.ends_with("\"a.part\" and \"a.part.json\" may be removed"), "{told}");
    }

    #[test]
    fn a_file_without_a_name_is_told_without_one() {
        let mut file = Transferred {
            name: String::new(),
            size: ByteCount::ZERO,
            resumed: ByteCount::ZERO,
            digest: None,
            verdict: FileVerdict::refused(&"no"),
        };
        assert_eq!(complaint(&file), "refused: no");
        file.name = "a".to_owned();
        file.verdict = FileVerdict::failed(&"the disk is full");
        assert_eq!(complaint(&file), "failed \"a\": the disk is full");
    }
}
