//! Words errors of the system for the user at either end.

use std::io;

use anabranch_base::ByteCount;
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

/// The reason of an error, without the system's number.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOENT) => "there is no such file",
        Some(Errno::ACCESS) => "permission denied",
        Some(Errno::PERM) => "the system does not permit it",
        Some(Errno::NOSPC) => "the disk is full",
        Some(Errno::DQUOT) => "the disk quota is used up",
        Some(Errno::FBIG) => return too_large(largest_file()),
        Some(Errno::ROFS) => "the file system is read-only",
        Some(Errno::NAMETOOLONG) => "the name is too long for the file system",
        Some(Errno::MFILE) => "too many files are open (a limit of the process: ulimit -n)",
        Some(Errno::NFILE) => "too many files are open on this host",
        Some(Errno::AGAIN) => "the system has no room for it now (limits of threads or memory)",
        Some(Errno::NOMEM) => "the system has no memory left",
        Some(Errno::IO) => "the disk failed (input/output error)",
        Some(Errno::STALE) => "the file was removed on its server",
        Some(_) | None => return without_number(error.to_string()),
    }
    .to_owned()
}

/// The longest file that this process may write, if it is limited.
pub(crate) fn largest_file() -> Option<ByteCount> {
    getrlimit(Resource::Fsize).current.map(ByteCount::new)
}

/// The reason for a file longer than `limit`, or than the file system allows.
pub(crate) fn too_large(limit: Option<ByteCount>) -> String {
    match limit {
        Some(limit) => format!(
            "it is larger than files may be here: {} (a limit of the receiving process: ulimit -f)",
            limit.rounded()
        ),
        None => "it is larger than the file system takes".to_owned(),
    }
}

/// Removes the number at the end of the text of a system error.
fn without_number(text: String) -> String {
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_refusal_is_a_number() {
        for number in 1..134 {
            let told = reason(&io::Error::from_raw_os_error(number));
            assert!(!told.contains("os error") && !told.is_empty(), "{number}: {told}");
        }
        assert_eq!(reason(&io::Error::other("it was removed")), "it was removed");
    }

    #[test]
    fn a_limit_is_told_with_how_much_it_is() {
        let limit = Some(ByteCount::new(1_000_000));
        assert!(too_large(limit).contains("1.00 MB (a limit of the receiving process: ulimit -f)"));
        assert_eq!(too_large(None), "it is larger than the file system takes");
    }
}
