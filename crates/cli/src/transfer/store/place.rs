//! Names below one directory, reached without following a symbolic link: whoever can put one there cannot lead what is
//! received elsewhere. It knows the file system, and nothing of what is received.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anabranch_base::ByteCount;
use anabranch_cli::file_protocol::{FilePath, Modified};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Timespec, Timestamps};
use rustix::io::Errno;

/// The directory that everything is put into.
#[derive(Clone, Debug)]
pub struct Root {
    dir: Arc<OwnedFd>,
    shown: PathBuf,
}

/// A name in an open directory; there may be something of that name, or nothing.
#[derive(Clone, Debug)]
pub struct Place {
    dir: Arc<OwnedFd>,
    name: OsString,
    shown: PathBuf,
}

/// What there is of a name.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    kind: FileType,
    /// How long it is.
    pub size: ByteCount,
    /// When it was last changed.
    pub modified: Modified,
}

impl Found {
    /// Whether it is an ordinary file.
    pub fn is_file(&self) -> bool {
        self.kind == FileType::RegularFile
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == FileType::Directory
    }
}

impl Root {
    /// The directory at `dir`.
    ///
    /// # Errors
    /// There is none, or it may not be looked into.
    pub fn open(dir: &Path) -> io::Result<Root> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(dir, flags, Mode::empty())?;
        Ok(Root { dir: Arc::new(opened), shown: dir.to_owned() })
    }

    /// The place of `path` below the directory.
    ///
    /// # Errors
    /// One of the directories on the way is missing, is none, or is a symbolic link.
    pub fn place(&self, path: &FilePath) -> io::Result<Place> {
        let path = path.as_path();
        let mut dir = self.dir.clone();
        for name in path.parent().into_iter().flat_map(Path::iter) {
            let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            dir = Arc::new(rustix::fs::openat(&dir, name, flags, Mode::empty())?);
        }
        let name = path.file_name().unwrap_or_default().to_owned();
        Ok(Place { dir, name, shown: self.shown.join(path) })
    }

    /// The directory's path.
    pub fn path(&self) -> &Path {
        &self.shown
    }
}

impl Place {
    /// The place of the same name with `suffix` behind it, shortened where file systems would refuse it.
    pub fn with_suffix(&self, suffix: &str) -> Place {
        let name = self.name.as_encoded_bytes();
        let mut kept = name.len().min(FilePath::MAX_NAME - suffix.len());
        if let Some(text) = self.name.to_str() {
            kept = text.floor_char_boundary(kept);
        }
        // A name that is no text may be cut anywhere.
        let mut short = OsString::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(&name[..kept]));
        short.push(suffix);
        Place { dir: self.dir.clone(), shown: self.shown.with_file_name(&short), name: short }
    }

    /// What there is of this name; a symbolic link is one.
    pub fn found(&self) -> Option<Found> {
        let found = rustix::fs::statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let nanoseconds = u32::try_from(found.st_mtime_nsec).unwrap_or_default();
        Some(Found {
            kind: FileType::from_raw_mode(found.st_mode),
            size: ByteCount::new(u64::try_from(found.st_size).unwrap_or_default()),
            modified: Modified { seconds: found.st_mtime, nanoseconds },
        })
    }

    /// Whether the name is still that of `file`.
    pub fn is_of(&self, file: impl AsFd) -> bool {
        let named = rustix::fs::statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        let opened = rustix::fs::fstat(file);
        named.is_ok_and(|named| {
            opened.is_ok_and(|opened| (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino))
        })
    }

    /// A new file with these permissions, less what the user's mask takes away.
    ///
    /// # Errors
    /// There is something of that name, or the system refuses.
    pub fn create(&self, mode: u32) -> io::Result<File> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.dir, &self.name, flags, Mode::from_raw_mode(mode))?.into())
    }

    /// The file that is there.
    ///
    /// # Errors
    /// There is none, it is a symbolic link, or the system refuses.
    pub fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        Ok(rustix::fs::openat(&self.dir, &self.name, flags, Mode::empty())?.into())
    }

    /// The ordinary file that is there, to be read.
    ///
    /// # Errors
    /// There is none, it is something else, or the system refuses.
    pub fn open_to_read(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = File::from(rustix::fs::openat(&self.dir, &self.name, flags, Mode::empty())?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(Errno::INVAL.into()) }
    }

    /// A new directory with these permissions, less what the user's mask takes away.
    ///
    /// # Errors
    /// There is something of that name, or the system refuses.
    pub fn make_directory(&self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.dir, &self.name, Mode::from_raw_mode(mode))?)
    }

    /// Takes permissions away from a directory, and sets its time.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish_directory(&self, mode: Option<u32>, modified: Option<Modified>) -> io::Result<()> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let dir = rustix::fs::openat(&self.dir, &self.name, flags, Mode::empty())?;
        narrow(&dir, mode)?;
        set_modified(&dir, modified)
    }

    /// Gives what is here the name of another place in the same directory.
    ///
    /// # Errors
    /// There is something of that name already, unless it may be replaced; or the system refuses.
    pub fn rename(&self, to: &Place, overwrite: super::Overwrite) -> io::Result<()> {
        if overwrite == super::Overwrite::Never {
            let flags = RenameFlags::NOREPLACE;
            match rustix::fs::renameat_with(&self.dir, &self.name, &to.dir, &to.name, flags) {
                // Some file systems cannot promise it: then it is looked for, and may appear meanwhile.
                Err(Errno::INVAL | Errno::NOSYS) if to.found().is_none() => {}
                Err(Errno::INVAL | Errno::NOSYS) => return Err(Errno::EXIST.into()),
                done => return Ok(done?),
            }
        }
        Ok(rustix::fs::renameat(&self.dir, &self.name, &to.dir, &to.name)?)
    }

    /// Removes the file, if there is one.
    pub fn remove(&self) {
        let _ = rustix::fs::unlinkat(&self.dir, &self.name, AtFlags::empty());
    }

    /// Sees to it that the names in this directory survive a power cut; some file systems cannot promise it.
    pub fn keep_name(&self) {
        let _ = rustix::fs::fsync(&self.dir);
    }

    /// The path, to be shown.
    pub fn path(&self) -> &Path {
        &self.shown
    }
}

/// Takes the permissions away that are not in `mode`. None is added: the user's mask took those.
///
/// # Errors
/// The system refuses.
pub fn narrow(file: impl AsFd, mode: Option<u32>) -> io::Result<()> {
    let Some(mode) = mode else { return Ok(()) };
    let now = Mode::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
    Ok(rustix::fs::fchmod(file, now & Mode::from_raw_mode(mode))?)
}

/// Sets when a file was last changed.
///
/// # Errors
/// The system refuses.
pub fn set_modified(file: impl AsFd, modified: Option<Modified>) -> io::Result<()> {
    let Some(Modified { seconds, nanoseconds }) = modified else { return Ok(()) };
    let last_modification = Timespec { tv_sec: seconds, tv_nsec: i64::from(nanoseconds) };
    let last_access = Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT };
    Ok(rustix::fs::futimens(file, &Timestamps { last_access, last_modification })?)
}
