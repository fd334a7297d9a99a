//! The directory that received files are put into. It knows the file system, and neither frames nor hashes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anabranch_cli::file_protocol::{FileName, Offer, Verdict};

use crate::failure::Failure;

/// A directory for files, checked once.
#[derive(Clone, Debug)]
pub struct Store {
    dir: PathBuf,
    overwrite: Overwrite,
}

/// What happens to a file that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays, the new one is refused.
    Never,
    /// The new one takes its place, once it is there and right.
    Always,
}

/// A file that is arriving, called `NAME.part`. It vanishes unless it is kept.
#[derive(Debug)]
pub struct PartFile {
    file: File,
    part: PathBuf,
    target: PathBuf,
    overwrite: Overwrite,
    kept: bool,
}

impl Store {
    /// The store in `dir`.
    ///
    /// # Errors
    /// Where there is no such directory, or it takes no files.
    pub fn open(dir: &Path, overwrite: Overwrite) -> Result<Store, Failure> {
        let failure = |why: &dyn ToString| Failure::Directory { dir: dir.to_owned(), why: why.to_string() };
        let found = fs::metadata(dir).map_err(|error| failure(&reason(&error)))?;
        if !found.is_dir() {
            return Err(failure(&"it is not a directory"));
        }
        // Permission bits say little (root, read-only mounts): try.
        let probe = dir.join(format!(".anabranch-{}.part", std::process::id()));
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&probe)
            .map_err(|error| failure(&reason(&error)))?;
        fs::remove_file(&probe).map_err(|error| failure(&reason(&error)))?;
        Ok(Store { dir: dir.to_owned(), overwrite })
    }

    /// Makes a place for the file on offer.
    ///
    /// # Errors
    /// The verdict for the sender: the file exists already, or cannot be created.
    pub fn create(&self, offer: &Offer) -> Result<PartFile, Verdict> {
        let target = self.dir.join(offer.name.as_str());
        if let Some(refusal) = refusal(&target, self.overwrite) {
            return Err(refusal);
        }
        let part = self.dir.join(part_name(&offer.name));
        if self.overwrite == Overwrite::Always {
            // Left behind by a run that was killed.
            let _ = fs::remove_file(&part);
        }
        let mut options = OpenOptions::new();
        // `create_new` follows no symbolic link that somebody else put there.
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, offer.mode.unwrap_or(0o666));
        match options.open(&part) {
            Ok(file) => Ok(PartFile { file, part, target, overwrite: self.overwrite, kept: false }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Verdict::refused(&format!(
                "{part:?} exists already, from a transfer that was killed or is still running: remove it, \
                 or start `anabranch recv` with --force"
            ))),
            Err(error) => Err(Verdict::failed(&format!("cannot create {part:?}: {}", reason(&error)))),
        }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

impl PartFile {
    /// Adds these bytes.
    ///
    /// # Errors
    /// The verdict for the sender, for instance that the disk is full.
    pub fn write(&mut self, piece: &[u8]) -> Result<(), Verdict> {
        self.file.write_all(piece).map_err(|error| self.failed(&error))
    }

    /// Makes the file permanent under its own name.
    ///
    /// # Errors
    /// The verdict for the sender.
    pub fn keep(mut self) -> Result<(), Verdict> {
        self.file.sync_all().map_err(|error| self.failed(&error))?;
        // Somebody may have made a file of that name meanwhile.
        if let Some(refusal) = refusal(&self.target, self.overwrite) {
            return Err(refusal);
        }
        fs::rename(&self.part, &self.target).map_err(|error| self.failed(&error))?;
        self.kept = true;
        // The name, too, shall survive a power cut; some file systems cannot promise it.
        if let Some(dir) = self.target.parent().and_then(|dir| File::open(dir).ok()) {
            let _ = dir.sync_all();
        }
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Verdict {
        Verdict::failed(&format!("cannot store {:?}: {}", self.target, reason(error)))
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Why `target` may not be written, if so.
fn refusal(target: &Path, overwrite: Overwrite) -> Option<Verdict> {
    let found = fs::symlink_metadata(target).ok()?;
    if found.is_dir() {
        return Some(Verdict::refused(&format!("{target:?} is a directory")));
    }
    (overwrite == Overwrite::Never).then(|| {
        Verdict::refused(&format!("{target:?} exists already; `anabranch recv --force` replaces it"))
    })
}

/// `NAME.part`, shorter where file systems would refuse it.
fn part_name(name: &FileName) -> String {
    let name = name.as_str();
    format!("{}{PART}", &name[..name.floor_char_boundary(FileName::MAX_LEN - PART.len())])
}

/// What the system says, without its number.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::FileTooLarge => "the file is larger than allowed here".to_owned(),
        io::ErrorKind::QuotaExceeded => "the disk quota is used up".to_owned(),
        io::ErrorKind::NotFound => "there is no such directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

const PART: &str = ".part";

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(name: &str) -> Offer {
        Offer { name: FileName::new(name).expect("a good name"), size: None, mode: Some(0o750) }
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).expect("a directory");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn store(overwrite: Overwrite) -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path(), overwrite).expect("it is writable");
        (dir, store)
    }

    #[test]
    fn a_file_has_its_name_only_when_it_is_kept() {
        let (dir, store) = store(Overwrite::Never);
        let mut file = store.create(&offer("a")).expect("a new file");
        file.write(b"abc").expect("room");
        assert_eq!(names(dir.path()), ["a.part"]);
        file.keep().expect("nothing in the way");
        assert_eq!(names(dir.path()), ["a"]);
        assert_eq!(fs::read(dir.path().join("a")).expect("the file"), b"abc");
    }

    #[test]
    fn a_file_that_is_not_kept_leaves_nothing() {
        let (dir, store) = store(Overwrite::Never);
        drop(store.create(&offer("a")).expect("a new file"));
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn what_exists_is_refused_unless_forced() {
        let (dir, never) = store(Overwrite::Never);
        fs::write(dir.path().join("a"), "old").expect("a file");
        let verdict = never.create(&offer("a")).expect_err("it exists");
        assert!(verdict.why.contains("exists already; `anabranch recv --force`"), "{}", verdict.why);
        let always = Store::open(dir.path(), Overwrite::Always).expect("it is writable");
        let mut file = always.create(&offer("a")).expect("forced");
        file.write(b"new").expect("room");
        assert_eq!(fs::read(dir.path().join("a")).expect("still there"), b"old");
        file.keep().expect("forced");
        assert_eq!(fs::read(dir.path().join("a")).expect("replaced"), b"new");
    }

    #[test]
    fn what_appears_meanwhile_is_not_overwritten() {
        let (dir, store) = store(Overwrite::Never);
        let file = store.create(&offer("a")).expect("a new file");
        fs::write(dir.path().join("a"), "other").expect("a file");
        assert!(!file.keep().expect_err("in the way").is_verified());
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[test]
    fn a_part_left_behind_is_named() {
        let (dir, store) = store(Overwrite::Never);
        fs::write(dir.path().join("a.part"), "").expect("a file");
        let verdict = store.create(&offer("a")).expect_err("in the way");
        assert!(verdict.why.contains("a.part\" exists already, from a transfer"), "{}", verdict.why);
    }

    #[test]
    fn the_longest_name_can_be_stored() {
        let (dir, store) = store(Overwrite::Never);
        let name = "x".repeat(FileName::MAX_LEN);
        store.create(&offer(&name)).expect("a short part name").keep().expect("a name that fits");
        assert_eq!(names(dir.path()), [name]);
    }

    #[test]
    fn a_full_disk_is_a_verdict() {
        let file = OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let dir = tempfile::tempdir().expect("a directory");
        let (part, target) = (dir.path().join("a.part"), dir.path().join("a"));
        let mut full = PartFile { file, part, target, overwrite: Overwrite::Never, kept: false };
        let verdict = full.write(&[0; 100]).expect_err("no room");
        assert!(verdict.why.ends_with("a\": the disk is full"), "{}", verdict.why);
    }

    #[test]
    fn a_directory_that_takes_no_files_is_told_before_anything_is_received() {
        for (dir, why) in [
            ("/proc/self", "cannot put files into"),
            ("/dev/null", "not a directory"),
            ("/nowhere", "no such directory"),
        ] {
            let error = Store::open(Path::new(dir), Overwrite::Never).expect_err(dir).to_string();
            assert!(error.contains(why), "{dir}: {error}");
        }
    }
}
