//! The directory for received files.

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

pub(crate) use arriving::IncomingFile;
use hashed::Hashed;
use part::PartFile;
pub(crate) use partial::is_name_of_ours;
use partial::{FileOwner, is_reserved};
use place::{Directory, StorePath};
use present::Present;

/// The directory for received files, checked once.
#[derive(Clone, Debug)]
pub struct Store {
    root: Directory,
    rules: StoreRules,
    hashed: Hashed,
    /// The offered directories, whose times are set when they are complete; those made by this transfer get their
    /// permissions too.
    filled: BTreeMap<FilePath, FilledFile>,
}

/// The treatment of a file that already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// The existing file stays, and the new one is refused.
    Never,
    /// The new file replaces it once it is complete and verified.
    Always,
}

/// The rules for every file of a store.
#[derive(Clone, Copy, Debug)]
struct StoreRules {
    overwrite: Overwrite,
    /// The advice to the sender about a file that exists already.
    advice: &'static str,
    owner: FileOwner,
}

/// The error of a directory that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot put files into {dir:?}: {why}")]
pub struct OpenError {
    /// The directory.
    pub dir: PathBuf,
    /// The reason.
    pub why: String,
}

#[derive(Clone, Copy, Debug)]
struct FilledFile {
    mode: Option<u32>,
    modified: Option<Modified>,
}

impl Store {
    /// Opens the store in `dir`.
    ///
    /// # Errors
    /// The directory does not exist, or files cannot be put into it.
    pub fn open(dir: &Path, overwrite: Overwrite) -> Result<Store, OpenError> {
        let failure = |why: &dyn ToString| OpenError { dir: dir.to_owned(), why: why.to_string() };
        if !std::fs::metadata(dir).map_err(|error| failure(&reason_of_root(&error)))?.is_dir() {
            return Err(failure(&"it is not a directory"));
        }
        let root = Directory::open(dir).map_err(|error| failure(&reason_of_root(&error)))?;
        // Permission bits are not conclusive (root, read-only mounts), so a file is created.
        let owner = FileOwner::find(&root).map_err(|error| failure(&reason_inside(&error)))?;
        let (rules, hashed) = (StoreRules { overwrite, advice: "", owner }, Hashed::default());
        Ok(Store { root, rules, hashed, filled: BTreeMap::new() })
    }

    /// Sets the advice that senders read after "exists already; ".
    pub fn advising(mut self, advice: &'static str) -> Store {
        self.rules.advice = advice;
        self
    }

    /// Creates the offered file, or opens what is stored of it.
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

    /// Makes the offered directory, unless it exists.
    ///
    /// # Errors
    /// The verdict for the sender: the name exists and is not a directory, or it cannot be made.
    pub(crate) fn make_directory(&mut self, offer: &Offer) -> Result<(), FileVerdict> {
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

    /// Completes the directories: they get their permissions and times, the innermost first.
    pub fn finish(&mut self) {
        // In the order of paths, the content of a directory follows it.
        while let Some((path, FilledFile { mode, modified })) = self.filled.pop_last() {
            // If the file system cannot store them, the content must not be lost.
            let _ = self.root.place(&path).and_then(|place| place.finish_directory(mode, modified));
        }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        self.root.path()
    }

    /// The path of the offered file; makes missing directories in it. Results for the sender contain only the names
    /// that it sent.
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

/// The refusal to write `target`, if it may not be written.
fn refusal(target: &StorePath, offer: &Offer, rules: StoreRules) -> Option<FileVerdict> {
    match target.found()? {
        found if found.is_directory() => {
            Some(FileVerdict::refused(&format!("{:?} is a directory", offer.path)))
        }
        _ => (rules.overwrite == Overwrite::Never).then(|| exists(offer, rules)),
    }
}

/// The refusal to replace an existing file.
fn exists(offer: &Offer, rules: StoreRules) -> FileVerdict {
    let semicolon = if rules.advice.is_empty() { "" } else { "; " };
    FileVerdict::refused(&format!("{:?} exists already{semicolon}{}", offer.path, rules.advice))
}

/// The verdict after an error of the system.
fn failed(offer: &Offer, error: &io::Error) -> FileVerdict {
    FileVerdict::failed(&format!("cannot store {:?}: {}", offer.path, reason(error)))
}

/// The reason for which a file cannot be created.
fn reason(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        // The directory is open, so it was removed, or is one as in /proc.
        Some(Errno::NOENT) => {
            "nothing can be made in its directory, which was removed or is of a file system that takes no files"
                .to_owned()
        }
        Some(Errno::LOOP) => "a symbolic link is in its place, which is not followed".to_owned(),
        _ => refusals::reason(error),
    }
}

/// The reason for which a directory cannot be opened.
fn reason_of_root(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist (create it with mkdir)".to_owned(),
        _ => refusals::reason(error),
    }
}

/// The reason for which nothing can be created in an existing directory.
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
