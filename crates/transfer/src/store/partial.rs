//! Where a file is until it is complete: a directory of this user's own beside the place where the file goes, which no
//! other user may enter and no sender can name.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use crate::protocol::FilePath;
use rustix::fs::FileType;

use super::place::{Directory, StorePath};

/// A directory for what is not complete. Dropped, it vanishes, unless something is left in it.
#[derive(Debug)]
pub struct Partial {
    /// Where it is itself.
    place: StorePath,
    inside: Directory,
}

/// The owner of what this program makes in the received files' directory, as its file system tells it. Some file systems
/// know one owner only, or no permissions; what they cannot tell is not asked of them.
#[derive(Clone, Copy, Debug)]
pub struct FileOwner {
    uid: u32,
    has_modes: bool,
}

/// What a file system reports of an open file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What it is.
    pub kind: FileType,
    /// The owner.
    pub uid: u32,
    /// The permission bits.
    pub mode: u32,
    /// The number of names it has.
    pub links: u64,
}

/// Why something in the place of ours is not taken for ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOurs {
    /// Another user made it, and may change it at any time.
    #[error("it belongs to another user")]
    Owner,
    /// Others may put something into it, or take something out.
    #[error("other users may enter it (run chmod 700)")]
    Mode,
    /// It may be changed by its other name.
    #[error("it has a second hard link")]
    Links,
    /// A device, a pipe.
    #[error("it is not a file")]
    Kind,
}

impl Partial {
    /// The one in `outer`, made if there is none.
    ///
    /// # Errors
    /// What is in its place is not ours, or the system refuses.
    pub fn of(outer: &Directory, owner: FileOwner) -> io::Result<Partial> {
        let partial = Partial::open(outer)?;
        partial.check(owner)?;
        Ok(partial)
    }

    /// The one in `outer`, if there is one and it is ours.
    pub fn left_in(outer: &Directory, owner: FileOwner) -> Option<Partial> {
        let place = outer.child(name().into());
        let partial = Partial { inside: place.enter().ok()?, place };
        partial.check(owner).is_ok().then_some(partial)
    }

    /// The place in it of the file that goes to `target`, or of what belongs to that.
    pub fn place_of(&self, target: &StorePath, suffix: &str) -> StorePath {
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
    /// The owner of what is made here, by trial in `root`.
    ///
    /// # Errors
    /// Nothing can be made here, or what is in the place of ours belongs to another.
    pub fn find(root: &Directory) -> io::Result<FileOwner> {
        let partial = Partial::open(root)?;
        let trial = partial.inside.child(format!("trial-{}", std::process::id()).into());
        trial.remove();
        let made = trial.create(0o600).and_then(Facts::of);
        trial.remove();
        let owner = FileOwner::of_new(made?);
        partial.check(owner)?;
        Ok(owner)
    }

    /// Checks what an earlier transfer may have left under this name.
    ///
    /// # Errors
    /// It is not ours, or the system refuses.
    pub fn check_left(self, file: &File, place: &StorePath) -> io::Result<()> {
        self.check_file(Facts::of(file)?).map_err(|why| cannot_use(&place.name().to_string_lossy(), why))
    }

    /// A file that was made with mode 600 just now tells these `facts`.
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

    /// The directory around it keeps others out: a file's permissions may be those that it gets in the end.
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
    /// Those of an open file or directory.
    #[allow(clippy::useless_conversion, reason = "systems have fields of different widths")]
    fn of(opened: impl AsFd) -> io::Result<Facts> {
        let found = rustix::fs::fstat(opened)?;
        let kind = FileType::from_raw_mode(found.st_mode);
        let (mode, links) = (u32::from(found.st_mode) & 0o7777, u64::from(found.st_nlink));
        Ok(Facts { kind, uid: found.st_uid, mode, links })
    }
}

/// Returns true if a part of `path` may be the name of such a directory.
pub fn is_reserved(path: &FilePath) -> bool {
    path.as_path().iter().any(is_name_of_ours)
}

/// Returns true if `name` may be that of such a directory; some file systems do not tell capital letters from small ones.
pub fn is_name_of_ours(name: &OsStr) -> bool {
    let head = name.as_encoded_bytes().get(..NAME.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(NAME.as_bytes()))
}

/// Users that share a directory have separate ones.
pub fn name() -> String {
    format!("{NAME}-{}", rustix::process::geteuid().as_raw())
}

fn cannot_use(name: &str, why: impl fmt::Display) -> io::Error {
    io::Error::other(format!("\"{name}\" exists and cannot be used: {why}"))
}

/// How the names of such directories begin.
pub const NAME: &str = ".anabranch-partial";
/// What group and others may do.
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
        // Where there are no permissions, there are none to check.
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
