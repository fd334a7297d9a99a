//! The directory of incomplete files: one of this user's own beside the final path, which no other user may enter and
//! no sender can name.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use crate::protocol::FilePath;
use rustix::fs::FileType;

use super::place::{Directory, StorePath};

/// A directory of incomplete files. Dropped, it is removed if it is empty.
#[derive(Debug)]
pub(super) struct Partial {
    /// The path of the directory.
    place: StorePath,
    inside: Directory,
}

/// The owner that the file system reports for files made by this program. Some file systems have only one owner or no
/// permissions; then these are not checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileOwner {
    uid: u32,
    has_modes: bool,
}

/// The metadata of an open file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// The file type.
    pub kind: FileType,
    /// The owner.
    pub uid: u32,
    /// The permission bits.
    pub mode: u32,
    /// The number of hard links.
    pub links: u64,
}

/// The reason for which an existing file or directory is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotOurs {
    /// Another user owns it and may change it at any time.
    #[error("it belongs to another user")]
    Owner,
    /// Other users may add to it or remove from it.
    #[error("other users may enter it (run chmod 700)")]
    Mode,
    /// It may be changed through its other name.
    #[error("it has a second hard link")]
    Links,
    /// It is of another kind, such as a device or a pipe.
    #[error("it is not a file")]
    Kind,
}

impl Partial {
    /// Opens the directory in `outer`, or creates it.
    ///
    /// # Errors
    /// The existing file or directory is not accepted, or the system refuses.
    pub(super) fn of(outer: &Directory, owner: FileOwner) -> io::Result<Partial> {
        let partial = Partial::open(outer)?;
        partial.check(owner)?;
        Ok(partial)
    }

    /// Opens the directory in `outer`, if it exists and is accepted.
    pub(crate) fn left_in(outer: &Directory, owner: FileOwner) -> Option<Partial> {
        let place = outer.child(name().into());
        let partial = Partial { inside: place.enter().ok()?, place };
        partial.check(owner).is_ok().then_some(partial)
    }

    /// The path in it of `target`'s incomplete file, with `suffix`.
    pub(super) fn place_of(&self, target: &StorePath, suffix: &str) -> StorePath {
        target.moved_to(&self.inside, suffix)
    }

    fn open(outer: &Directory) -> io::Result<Partial> {
        let place = outer.child(name().into());
        match place.make_directory(0o700) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let inside = place.enter().map_err(|error| match error.kind() {
            io::ErrorKind::NotADirectory => io::Error::other(format!(
                "\"{}\" exists and is not a directory, or is a symbolic link",
                name()
            )),
            _ => error,
        })?;
        Ok(Partial { place, inside })
    }

    fn check(&self, owner: FileOwner) -> io::Result<()> {
        owner.check_directory(Facts::of(&self.inside)?).map_err(|why| cannot_use(&name(), why))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        self.place.remove_directory();
    }
}

impl FileOwner {
    /// Finds the owner of new files by creating one in `root`.
    ///
    /// # Errors
    /// No file can be created, or an existing directory is not accepted.
    pub(super) fn find(root: &Directory) -> io::Result<FileOwner> {
        let partial = Partial::open(root)?;
        let trial = partial.inside.child(format!("trial-{}", std::process::id()).into());
        trial.remove();
        let made = trial.create(0o600).and_then(Facts::of);
        trial.remove();
        let owner = FileOwner::of_new(made?);
        partial.check(owner)?;
        Ok(owner)
    }

    /// Checks a file that an earlier transfer may have left under this name.
    ///
    /// # Errors
    /// It is not accepted, or the system refuses.
    pub(crate) fn check_left(self, file: &File, place: &StorePath) -> io::Result<()> {
        self.check_file(Facts::of(file)?).map_err(|why| cannot_use(&place.name().to_string_lossy(), why))
    }

    /// The owner, from the `facts` of a file just created with mode 600.
    fn of_new(facts: Facts) -> FileOwner {
        FileOwner { uid: facts.uid, has_modes: facts.mode & OTHERS == 0 }
    }

    fn check_directory(self, facts: Facts) -> Result<(), NotOurs> {
        match facts {
            Facts { uid, .. } if uid != self.uid => Err(NotOurs::Owner),
            Facts { mode, .. } if self.has_modes && mode & OTHERS != 0 => Err(NotOurs::Mode),
            _ => Ok(()),
        }
    }

    /// Ignores the mode, because the directory keeps other users out: the file may already have its final
    /// permissions.
    fn check_file(self, facts: Facts) -> Result<(), NotOurs> {
        match facts {
            Facts { kind, .. } if kind != FileType::RegularFile => Err(NotOurs::Kind),
            Facts { uid, .. } if uid != self.uid => Err(NotOurs::Owner),
            Facts { links, .. } if links > 1 => Err(NotOurs::Links),
            _ => Ok(()),
        }
    }
}

impl Facts {
    /// The metadata of an open file or directory.
    #[allow(clippy::useless_conversion, reason = "systems have fields of different widths")]
    fn of(opened: impl AsFd) -> io::Result<Facts> {
        let found = rustix::fs::fstat(opened)?;
        let kind = FileType::from_raw_mode(found.st_mode);
        let (mode, links) = (u32::from(found.st_mode) & 0o7777, u64::from(found.st_nlink));
        Ok(Facts { kind, uid: found.st_uid, mode, links })
    }
}

/// Returns true if a part of `path` may be the name of such a directory.
pub(crate) fn is_reserved(path: &FilePath) -> bool {
    path.as_path().iter().any(is_name_of_ours)
}

/// Returns true if `name` may be that of such a directory. Some file systems ignore case.
pub(crate) fn is_name_of_ours(name: &OsStr) -> bool {
    let head = name.as_encoded_bytes().get(..NAME.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(NAME.as_bytes()))
}

/// The name for this user: users that share a directory have separate ones.
pub(super) fn name() -> String {
    format!("{NAME}-{}", rustix::process::geteuid().as_raw())
}

fn cannot_use(name: &str, why: impl fmt::Display) -> io::Error {
    io::Error::other(format!("\"{name}\" exists and cannot be used: {why}"))
}

/// The prefix of the names of such directories.
pub(super) const NAME: &str = ".anabranch-partial";
/// The permissions of group and others.
const OTHERS: u32 = 0o077;

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(kind: FileType, uid: u32, mode: u32, links: u64) -> Facts {
        Facts { kind, uid, mode, links }
    }

    #[test]
    fn a_directory_is_ours_if_no_other_user_may_enter_it() {
        let directory = |uid, mode| facts(FileType::Directory, uid, mode, 2);
        let owner = FileOwner::of_new(facts(FileType::RegularFile, 7, 0o600, 1));
        assert_eq!(owner.check_directory(directory(7, 0o700)), Ok(()));
        assert_eq!(owner.check_directory(directory(7, 0o2700)), Ok(()));
        assert_eq!(owner.check_directory(directory(8, 0o700)), Err(NotOurs::Owner));
        assert_eq!(owner.check_directory(directory(0, 0o700)), Err(NotOurs::Owner));
        for mode in [0o701, 0o710, 0o720, 0o702, 0o755, 0o777] {
            assert_eq!(owner.check_directory(directory(7, mode)), Err(NotOurs::Mode), "{mode:o}");
        }
        // A file system without permissions has none to check.
        let of_everybody = FileOwner::of_new(facts(FileType::RegularFile, 7, 0o644, 1));
        assert_eq!(of_everybody.check_directory(directory(7, 0o755)), Ok(()));
        assert_eq!(of_everybody.check_directory(directory(8, 0o755)), Err(NotOurs::Owner));
    }

    #[test]
    fn a_file_is_ours_if_we_own_it_and_it_has_no_second_name() {
        let owner = FileOwner::of_new(facts(FileType::RegularFile, 7, 0o600, 1));
        assert_eq!(owner.check_file(facts(FileType::RegularFile, 7, 0o664, 1)), Ok(()));
        assert_eq!(owner.check_file(facts(FileType::RegularFile, 8, 0o600, 1)), Err(NotOurs::Owner));
        assert_eq!(owner.check_file(facts(FileType::RegularFile, 7, 0o600, 2)), Err(NotOurs::Links));
        assert_eq!(owner.check_file(facts(FileType::Fifo, 7, 0o600, 1)), Err(NotOurs::Kind));
    }

    #[test]
    fn no_path_with_such_a_name_in_it_can_be_offered() {
        let reserved = |path: &str| is_reserved(&FilePath::new(path.as_bytes()).expect("a path"));
        for path in [".anabranch-partial", ".anabranch-partial-0/a", "a/.Anabranch-PARTIAL-1000/b", &name()] {
            assert!(reserved(path), "{path}");
        }
        for path in [".anabranch", "anabranch-partial", "a.anabranch-partial", "a.part", "a.part.json"] {
            assert!(!reserved(path), "{path}");
        }
    }
}
