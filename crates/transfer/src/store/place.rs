//! Names below one directory, reached without following a symbolic link, so that another user's link cannot redirect
//! received files.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::protocol::{FilePath, Modified};
use anabranch_base::ByteCount;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Timespec, Timestamps};
use rustix::io::Errno;

/// An open directory: the store's own or one below it.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    dir: Arc<OwnedFd>,
    shown: PathBuf,
}

/// A name in an open directory, whether it exists or not.
#[derive(Clone, Debug)]
pub(super) struct StorePath {
    dir: Arc<OwnedFd>,
    name: OsString,
    shown: PathBuf,
}

/// The metadata of an existing name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    kind: FileType,
    /// The length.
    pub size: ByteCount,
    /// The modification time.
    pub modified: Modified,
}

impl Found {
    /// Returns true if it is an ordinary file.
    pub(super) fn is_file(&self) -> bool {
        self.kind == FileType::RegularFile
    }

    /// Returns true if it is a directory.
    pub(crate) fn is_directory(&self) -> bool {
        self.kind == FileType::Directory
    }
}

impl Directory {
    /// Opens the directory at `dir`.
    ///
    /// # Errors
    /// It does not exist, or may not be read.
    pub(super) fn open(dir: &Path) -> io::Result<Directory> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(dir, flags, Mode::empty())?;
        Ok(Directory { dir: Arc::new(opened), shown: dir.to_owned() })
    }

    /// Resolves `path` below the directory.
    ///
    /// # Errors
    /// One of the directories in the path is missing, is not a directory, or is a symbolic link.
    pub(super) fn place(&self, path: &FilePath) -> io::Result<StorePath> {
        let path = path.as_path();
        let mut dir = self.clone();
        for name in path.parent().into_iter().flat_map(Path::iter) {
            dir = dir.child(name.to_owned()).enter()?;
        }
        Ok(dir.child(path.file_name().unwrap_or_default().to_owned()))
    }

    /// Resolves `path` and makes the missing directories in it, with the default permissions.
    ///
    /// # Errors
    /// One of them cannot be made, is not a directory, or is a symbolic link.
    pub(crate) fn make_way(&self, path: &FilePath) -> io::Result<StorePath> {
        let path = path.as_path();
        let mut dir = self.clone();
        for name in path.parent().into_iter().flat_map(Path::iter) {
            dir = dir.child(name.to_owned()).make_and_enter()?;
        }
        Ok(dir.child(path.file_name().unwrap_or_default().to_owned()))
    }

    /// The path of `name` in the directory.
    pub(super) fn child(&self, name: OsString) -> StorePath {
        StorePath { dir: self.dir.clone(), shown: self.shown.join(&name), name }
    }

    /// The directory's path.
    pub(super) fn path(&self) -> &Path {
        &self.shown
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

impl StorePath {
    /// The parent directory.
    pub(super) fn directory(&self) -> Directory {
        let shown = self.shown.parent().unwrap_or(Path::new("")).to_owned();
        Directory { dir: self.dir.clone(), shown }
    }

    /// The same name with `suffix` in `directory`, shortened if file systems would refuse it.
    pub(crate) fn moved_to(&self, directory: &Directory, suffix: &str) -> StorePath {
        let name = self.name.as_encoded_bytes();
        let mut kept = name.len().min(FilePath::MAX_NAME - suffix.len());
        if let Some(text) = self.name.to_str() {
            kept = text.floor_char_boundary(kept);
        }
        // A name that is not text may be truncated anywhere.
        let mut short = OsString::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(&name[..kept]));
        short.push(suffix);
        directory.child(short)
    }

    /// The name.
    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    /// The metadata, if the name exists; a symbolic link is not followed.
    pub(super) fn found(&self) -> Option<Found> {
        let found = rustix::fs::statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let nanoseconds = u32::try_from(found.st_mtime_nsec).unwrap_or_default();
        Some(Found {
            kind: FileType::from_raw_mode(found.st_mode),
            size: ByteCount::new(u64::try_from(found.st_size).unwrap_or_default()),
            modified: Modified { seconds: found.st_mtime, nanoseconds },
        })
    }

    /// Returns true if the name still refers to `file`.
    pub(super) fn is_of(&self, file: impl AsFd) -> bool {
        let named = rustix::fs::statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        let opened = rustix::fs::fstat(file);
        named.is_ok_and(|named| {
            opened.is_ok_and(|opened| (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino))
        })
    }

    /// Creates a file with these permissions, less the user's umask.
    ///
    /// # Errors
    /// The name exists, or the system refuses.
    pub(super) fn create(&self, mode: u32) -> io::Result<File> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.dir, &self.name, flags, permissions(mode))?.into())
    }

    /// Opens the file.
    ///
    /// # Errors
    /// It does not exist, is a symbolic link, or the system refuses.
    pub(super) fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        Ok(rustix::fs::openat(&self.dir, &self.name, flags, Mode::empty())?.into())
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// It does not exist, is not a regular file, or the system refuses.
    pub(crate) fn open_to_read(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = File::from(rustix::fs::openat(&self.dir, &self.name, flags, Mode::empty())?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(Errno::INVAL.into()) }
    }

    /// Makes a directory with these permissions, less the user's umask.
    ///
    /// # Errors
    /// The name exists, or the system refuses.
    pub(crate) fn make_directory(&self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.dir, &self.name, permissions(mode))?)
    }

    /// Opens the directory.
    ///
    /// # Errors
    /// It does not exist, is not a directory, or the system refuses.
    pub(super) fn enter(&self) -> io::Result<Directory> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let opened = rustix::fs::openat(&self.dir, &self.name, flags, Mode::empty())?;
        Ok(Directory { dir: Arc::new(opened), shown: self.shown.clone() })
    }

    /// Opens the directory, or makes it.
    ///
    /// # Errors
    /// It exists and is not a directory, or the system refuses.
    fn make_and_enter(&self) -> io::Result<Directory> {
        match self.enter() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            entered => return entered,
        }
        match self.make_directory(0o777) {
            // Another transfer has just made the directory.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
        self.enter()
    }

    /// Restricts the permissions of a directory, and sets its time.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn finish_directory(&self, mode: Option<u32>, modified: Option<Modified>) -> io::Result<()> {
        let dir = self.enter()?;
        narrow(&dir, mode)?;
        set_modified(&dir, modified)
    }

    /// Renames the file to `to` on the same file system. An existing file is replaced only if `overwrite` permits it.
    /// The system makes that check, so that no file can appear between a check and the rename.
    ///
    /// # Errors
    /// The name exists and may not be replaced, or the system refuses.
    pub(super) fn rename(&self, to: &StorePath, overwrite: super::Overwrite) -> io::Result<()> {
        if overwrite == super::Overwrite::Never {
            let flags = RenameFlags::NOREPLACE;
            match rustix::fs::renameat_with(&self.dir, &self.name, &to.dir, &to.name, flags) {
                // Some file systems do not support the check.
                Err(Errno::INVAL | Errno::NOSYS) => return self.rename_by_link(to),
                done => return Ok(done?),
            }
        }
        Ok(rustix::fs::renameat(&self.dir, &self.name, &to.dir, &to.name)?)
    }

    /// Creates a hard link, which never replaces a file, and then removes the first name.
    fn rename_by_link(&self, to: &StorePath) -> io::Result<()> {
        match rustix::fs::linkat(&self.dir, &self.name, &to.dir, &to.name, AtFlags::empty()) {
            Ok(()) => Ok(rustix::fs::unlinkat(&self.dir, &self.name, AtFlags::empty())?),
            // Without hard links the check is separate, and a file may appear meanwhile.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK) if to.found().is_none() => {
                Ok(rustix::fs::renameat(&self.dir, &self.name, &to.dir, &to.name)?)
            }
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK) => Err(Errno::EXIST.into()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes the file, if it exists.
    pub(super) fn remove(&self) {
        let _ = rustix::fs::unlinkat(&self.dir, &self.name, AtFlags::empty());
    }

    /// Removes the directory, if it exists and is empty.
    pub(crate) fn remove_directory(&self) {
        let _ = rustix::fs::unlinkat(&self.dir, &self.name, AtFlags::REMOVEDIR);
    }

    /// Syncs the directory, so that its names survive a power cut; some file systems do not support it.
    pub(crate) fn keep_name(&self) {
        let _ = rustix::fs::fsync(&self.dir);
    }

    /// The path, for display.
    pub(super) fn path(&self) -> &Path {
        &self.shown
    }
}

/// Removes the permissions that are not in `mode`. Adds none, because of the user's umask.
///
/// # Errors
/// The system refuses.
pub(super) fn narrow(file: impl AsFd, mode: Option<u32>) -> io::Result<()> {
    let Some(mode) = mode else { return Ok(()) };
    let now = Mode::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
    Ok(rustix::fs::fchmod(file, now & permissions(mode))?)
}

/// Permission bits, in the type of the system: 16 bits on Apple's.
fn permissions(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & 0o7777) as rustix::fs::RawMode)
}

/// Sets the modification time of a file.
///
/// # Errors
/// The system refuses.
pub(super) fn set_modified(file: impl AsFd, modified: Option<Modified>) -> io::Result<()> {
    let Some(Modified { seconds, nanoseconds }) = modified else { return Ok(()) };
    let last_modification = Timespec { tv_sec: seconds, tv_nsec: i64::from(nanoseconds) };
    let last_access = Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT };
    Ok(rustix::fs::futimens(file, &Timestamps { last_access, last_modification })?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;

    use super::super::Overwrite;
    use super::*;

    /// A directory with "new" in `a` and "old" in `b`, and the places of both.
    fn new_and_old() -> (tempfile::TempDir, StorePath, StorePath) {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("a"), "new").expect("room");
        fs::write(dir.path().join("b"), "old").expect("room");
        let root = Directory::open(dir.path()).expect("it is there");
        (dir, root.child("a".into()), root.child("b".into()))
    }

    fn content(dir: &tempfile::TempDir, name: &str) -> Option<String> {
        fs::read_to_string(dir.path().join(name)).ok()
    }

    #[test]
    fn a_rename_replaces_what_is_there_only_where_it_may() {
        let (dir, new, old) = new_and_old();
        let error = new.rename(&old, Overwrite::Never).expect_err("it is there");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((content(&dir, "a"), content(&dir, "b")), (Some("new".into()), Some("old".into())));
        new.rename(&old, Overwrite::Always).expect("it may be replaced");
        assert_eq!((content(&dir, "a"), content(&dir, "b")), (None, Some("new".into())));
    }

    #[test]
    fn where_the_system_renames_over_everything_a_second_name_does_not() {
        let (dir, new, old) = new_and_old();
        let error = new.rename_by_link(&old).expect_err("it is there");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((content(&dir, "a"), content(&dir, "b")), (Some("new".into()), Some("old".into())));
        old.remove();
        new.rename_by_link(&old).expect("nothing is there");
        assert_eq!((content(&dir, "a"), content(&dir, "b")), (None, Some("new".into())));
        assert_eq!(fs::metadata(dir.path().join("b")).map(|found| found.nlink()).ok(), Some(1));
    }
}
