//! The directory that received files are put into.

mod arriving;
mod hashed;
mod marks;
mod part;
mod part_paths;
mod partial;
mod place;
mod present;
mod state;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::protocol::{FileKind, FilePath, FileVerdict, Modified, Offer};
use crate::refusals;
use rustix::io::Errno;

pub use arriving::IncomingFile;
use hashed::Hashed;
use part::PartFile;
pub use partial::is_name_of_ours;
use partial::{FileOwner, is_reserved};
use place::{Directory, StorePath};
use present::Present;

/// A directory for files, checked once.
#[derive(Clone, Debug)]
pub struct Store {
    root: Directory,
    rules: StoreRules,
    hashed: Hashed,
    /// Directories on offer, whose times are set when nothing is put into them any more; those made here get their
    /// permissions too.
    filled: BTreeMap<FilePath, FilledFile>,
}

/// What happens to a file that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays, the new one is refused.
    Never,
    /// The new one takes its place, once it is there and right.
    Always,
}

/// What holds for every file of a store.
#[derive(Clone, Copy, Debug)]
struct StoreRules {
    overwrite: Overwrite,
    /// The advice to the sender about a file that exists already.
    advice: &'static str,
    owner: FileOwner,
}

/// A directory that takes no files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot put files into {dir:?}: {why}")]
pub struct OpenError {
    /// The directory.
    pub dir: PathBuf,
    /// Why it takes no files.
    pub why: String,
}

#[derive(Clone, Copy, Debug)]
struct FilledFile {
    mode: Option<u32>,
    modified: Option<Modified>,
}

impl Store {
    /// The store in `dir`.
    ///
    /// # Errors
    /// Where there is no such directory, or it takes no files.
    pub fn open(dir: &Path, overwrite: Overwrite) -> Result<Store, OpenError> {
        let failure = |why: &dyn ToString| OpenError { dir: dir.to_owned(), why: why.to_string() };
        if !std::fs::metadata(dir).map_err(|error| failure(&reason_of_root(&error)))?.is_dir() {
            return Err(failure(&"it is not a directory"));
        }
        let root = Directory::open(dir).map_err(|error| failure(&reason_of_root(&error)))?;
        // Permission bits say little (root, read-only mounts): try.
        let owner = FileOwner::find(&root).map_err(|error| failure(&reason_inside(&error)))?;
        let (rules, hashed) = (StoreRules { overwrite, advice: "", owner }, Hashed::default());
        Ok(Store { root, rules, hashed, filled: BTreeMap::new() })
    }

    /// The same store, whose senders read `advice` behind "exists already; ".
    pub fn advising(mut self, advice: &'static str) -> Store {
        self.rules.advice = advice;
        self
    }

    /// Makes a place for the file on offer, or finds what is there of it.
    ///
    /// # Errors
    /// The verdict for the sender: another file of that name exists, or it cannot be created.
    pub fn create(&self, offer: &Offer) -> Result<Box<dyn IncomingFile>, FileVerdict> {
        let target = self.place(offer)?;
        match Present::find(&target, offer, self.rules, &self.hashed) {
            Some(present) => Ok(Box::new(present)),
            None => Ok(Box::new(PartFile::open(&target, offer, self.rules)?)),
        }
    }

    /// Makes the directory on offer, unless it is there.
    ///
    /// # Errors
    /// The verdict for the sender: something else of that name is there, or it cannot be made.
    pub fn make_directory(&mut self, offer: &Offer) -> Result<(), FileVerdict> {
        let place = self.place(offer)?;
        let modified = offer.modified;
        match place.found() {
            Some(found) if found.is_directory() => {
                let again = FilledFile { mode: None, modified };
                self.filled.entry(offer.path.clone()).or_insert(again);
                return Ok(());
            }
            Some(_) => {
                return Err(FileVerdict::refused(&format!(
                    "{:?} exists already and is not a directory",
                    offer.path
                )));
            }
            None => {}
        }
        let mode = offer.mode.unwrap_or(0o777);
        let made = place.make_directory(mode | OWNER_ENTERS);
        made.map_err(|error| {
            FileVerdict::failed(&format!("cannot create {:?}: {}", offer.path, reason(&error)))
        })?;
        self.filled.insert(offer.path.clone(), FilledFile { mode: offer.mode, modified });
        Ok(())
    }

    /// Nothing will be put into the directories any more: they get their permissions and times, the innermost first.
    pub fn finish(&mut self) {
        // What is in a directory comes behind it in the order of paths.
        while let Some((path, FilledFile { mode, modified })) = self.filled.pop_last() {
            // A file system that cannot keep them must not lose the content.
            let _ = self.root.place(&path).and_then(|place| place.finish_directory(mode, modified));
        }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        self.root.path()
    }

    /// Where the file on offer goes; directories on the way are made. Results for the sender contain only the names that it sent.
    fn place(&self, offer: &Offer) -> Result<StorePath, FileVerdict> {
        let path = &offer.path;
        if is_reserved(path) {
            return Err(FileVerdict::refused(&format!(
                "{path:?}: names that begin with {} are reserved by `anabranch recv` for incomplete files",
                partial::NAME
            )));
        }
        self.root.make_way(path).map_err(|error| {
            let what = if offer.kind == FileKind::Directory { "make" } else { "store" };
            let why = match error.kind() {
                io::ErrorKind::NotADirectory => {
                    "a part of the path is not a directory, or is a symbolic link, which is not followed"
                        .to_owned()
                }
                _ => reason(&error),
            };
            FileVerdict::failed(&format!("cannot {what} {path:?}: {why}"))
        })
    }
}

/// Why `target` may not be written, if so.
fn refusal(target: &StorePath, offer: &Offer, rules: StoreRules) -> Option<FileVerdict> {
    match target.found()? {
        found if found.is_directory() => {
            Some(FileVerdict::refused(&format!("{:?} is a directory", offer.path)))
        }
        _ => (rules.overwrite == Overwrite::Never).then(|| exists(offer, rules)),
    }
}

/// The refusal to replace what is there.
fn exists(offer: &Offer, rules: StoreRules) -> FileVerdict {
    let semicolon = if rules.advice.is_empty() { "" } else { "; " };
    FileVerdict::refused(&format!("{:?} exists already{semicolon}{}", offer.path, rules.advice))
}

/// The verdict where the system refuses.
fn failed(offer: &Offer, error: &io::Error) -> FileVerdict {
    FileVerdict::failed(&format!("cannot store {:?}: {}", offer.path, reason(error)))
}

/// Why nothing can be put there.
fn reason(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        // What is in a directory that is open: it is gone, or as in /proc.
        Some(Errno::NOENT) => {
            "nothing can be made in its directory, which was removed or is of a file system that takes no files"
                .to_owned()
        }
        Some(Errno::LOOP) => "a symbolic link is in its place, which is not followed".to_owned(),
        _ => refusals::reason(error),
    }
}

/// Why a directory cannot be opened.
fn reason_of_root(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist (create it with mkdir)".to_owned(),
        _ => refusals::reason(error),
    }
}

/// Why nothing can be made in a directory that is there.
fn reason_inside(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "nothing can be made in it: it was removed, or its file system takes no files".to_owned()
        }
        _ => reason(error),
    }
}

/// The owner must be able to put files into a directory, whatever its permissions will be.
const OWNER_ENTERS: u32 = 0o700;

#[cfg(test)]
mod tests;
