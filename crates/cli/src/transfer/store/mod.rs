//! The directory that received files are put into. It knows the file system, and neither frames nor hashes.

mod part;
mod place;
mod state;

use std::io;
use std::path::Path;

use anabranch_cli::file_protocol::{FilePath, Kind, Modified, Offer, Verdict};
use rustix::fs::FileType;

use crate::failure::Failure;

pub use part::PartFile;
use place::{Place, Root};

/// A directory for files, checked once.
#[derive(Clone, Debug)]
pub struct Store {
    root: Root,
    overwrite: Overwrite,
    /// Directories made here, whose permissions and times are set when nothing is put into them any more.
    fresh: Vec<Fresh>,
}

/// What happens to a file that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays, the new one is refused.
    Never,
    /// The new one takes its place, once it is there and right.
    Always,
}

#[derive(Clone, Debug)]
struct Fresh {
    place: Place,
    mode: Option<u32>,
    modified: Option<Modified>,
}

impl Store {
    /// The store in `dir`.
    ///
    /// # Errors
    /// Where there is no such directory, or it takes no files.
    pub fn open(dir: &Path, overwrite: Overwrite) -> Result<Store, Failure> {
        let failure = |why: &dyn ToString| Failure::Directory { dir: dir.to_owned(), why: why.to_string() };
        if !std::fs::metadata(dir).map_err(|error| failure(&reason(&error)))?.is_dir() {
            return Err(failure(&"it is not a directory"));
        }
        let root = Root::open(dir).map_err(|error| failure(&reason(&error)))?;
        // Permission bits say little (root, read-only mounts): try.
        let name = format!(".anabranch-{}.part", std::process::id());
        let probe = FilePath::new(name.as_bytes()).map_err(|error| failure(&error))?;
        let probe = root.place(&probe).map_err(|error| failure(&reason(&error)))?;
        probe.create(0o600).map_err(|error| failure(&reason(&error)))?;
        probe.remove();
        Ok(Store { root, overwrite, fresh: Vec::new() })
    }

    /// Makes a place for the file on offer, or finds what is there of it.
    ///
    /// # Errors
    /// The verdict for the sender: the file exists already, or cannot be created.
    pub fn create(&self, offer: &Offer) -> Result<PartFile, Verdict> {
        PartFile::open(self.place(offer)?, offer, self.overwrite)
    }

    /// Makes the directory on offer, unless it is there.
    ///
    /// # Errors
    /// The verdict for the sender: something else of that name is there, or it cannot be made.
    pub fn make_directory(&mut self, offer: &Offer) -> Result<(), Verdict> {
        let place = self.place(offer)?;
        match place.found() {
            Some(FileType::Directory) => return Ok(()),
            Some(_) => {
                return Err(Verdict::refused(&format!(
                    "{:?} is there already and is no directory",
                    place.path()
                )));
            }
            None => {}
        }
        let mode = offer.mode.unwrap_or(0o777);
        let made = place.make_directory(mode | OWNER_ENTERS);
        made.map_err(|error| {
            Verdict::failed(&format!("cannot make {:?}: {}", place.path(), reason(&error)))
        })?;
        self.fresh.push(Fresh { place, mode: offer.mode, modified: offer.modified });
        Ok(())
    }

    /// Nothing will be put into the directories any more: they get their permissions and times, the innermost first.
    pub fn finish(&mut self) {
        for Fresh { place, mode, modified } in self.fresh.drain(..).rev() {
            // A file system that cannot keep them is no reason to lose what is in it.
            let _ = place.finish_directory(mode, modified);
        }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        self.root.path()
    }

    fn place(&self, offer: &Offer) -> Result<Place, Verdict> {
        self.root.place(&offer.path).map_err(|error| {
            let path = self.dir().join(offer.path.as_path());
            let what = if offer.kind == Kind::Directory { "make" } else { "store" };
            let why = match error.kind() {
                io::ErrorKind::NotADirectory => {
                    "something on the way there is no directory, or a symbolic link".to_owned()
                }
                _ => reason(&error),
            };
            Verdict::failed(&format!("cannot {what} {path:?}: {why}"))
        })
    }
}

/// Why `target` may not be written, if so.
fn refusal(target: &Place, overwrite: Overwrite) -> Option<Verdict> {
    match target.found()? {
        FileType::Directory => Some(Verdict::refused(&format!("{:?} is a directory", target.path()))),
        _ => (overwrite == Overwrite::Never).then(|| exists(target)),
    }
}

/// The refusal to replace what is there.
fn exists(target: &Place) -> Verdict {
    let path = target.path();
    Verdict::refused(&format!("{path:?} exists already; `anabranch recv --force` replaces it"))
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

/// Whoever puts files into a directory must be able to, whatever its permissions will be.
const OWNER_ENTERS: u32 = 0o700;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use anabranch_base::ByteCount;
    use sha2::{Digest as _, Sha256};

    use super::*;

    fn offer(path: &str, kind: Kind) -> Offer {
        let path = FilePath::new(path.as_bytes()).expect("a good path");
        let modified = Some(Modified { seconds: 1_000_000_000, nanoseconds: 500 });
        Offer { path, kind, mode: Some(0o640), modified }
    }

    fn file(path: &str) -> Offer {
        offer(path, Kind::File { size: None })
    }

    fn resumable(size: u64) -> Offer {
        offer("a", Kind::Resumable { size: ByteCount::new(size) })
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

    /// Writes all of `content` to a file.
    fn fill(part: &mut PartFile, content: &[u8]) {
        part.write(content, &Sha256::new_with_prefix(content)).expect("room");
    }

    #[test]
    fn a_file_has_its_name_only_when_it_is_kept_and_then_its_time_and_permissions() {
        let (dir, store) = store(Overwrite::Never);
        let mut part = store.create(&file("a")).expect("a new file");
        fill(&mut part, b"abc");
        assert_eq!(names(dir.path()), ["a.part", "a.part.json"]);
        part.keep().expect("nothing in the way");
        assert_eq!(names(dir.path()), ["a"]);
        assert_eq!(fs::read(dir.path().join("a")).expect("the file"), b"abc");
        let found = fs::metadata(dir.path().join("a")).expect("the file");
        assert_eq!((found.mtime(), found.mtime_nsec()), (1_000_000_000, 500));
        assert_eq!(found.permissions().mode() & 0o777 & !0o640, 0);
    }

    #[test]
    fn a_file_that_is_not_kept_leaves_nothing() {
        let (dir, store) = store(Overwrite::Never);
        drop(store.create(&file("a")).expect("a new file"));
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn what_is_left_goes_on_and_is_not_mixed_with_another_file() {
        let (dir, store) = store(Overwrite::Never);
        let mut part = store.create(&resumable(6)).expect("a new file");
        fill(&mut part, b"abc");
        part.leave(&Sha256::new_with_prefix(b"abc")).expect("room");
        // What a killed receiver wrote after its last note does not count.
        let path = dir.path().join("a.part");
        fs::write(&path, "abcxyz").expect("a file");
        let part = store.create(&resumable(6)).expect("it goes on");
        let (size, hash) = part.beginning();
        assert_eq!((size.get(), hash.finalize()), (3, Sha256::digest(b"abc")));
        assert_eq!(fs::read(&path).expect("the file"), b"abc");
        part.leave(&Sha256::new_with_prefix(b"abc")).expect("room");
        let part = store.create(&resumable(7)).expect("another file");
        assert_eq!(part.beginning().0, ByteCount::ZERO);
        assert_eq!(fs::read(&path).expect("the file"), b"");
    }

    #[test]
    fn a_file_that_another_transfer_receives_is_left_to_it() {
        let (_dir, store) = store(Overwrite::Always);
        let _first = store.create(&resumable(6)).expect("a new file");
        let verdict = store.create(&resumable(6)).expect_err("locked");
        assert!(verdict.why.ends_with("a.part\" is being received in another transfer"), "{}", verdict.why);
    }

    #[test]
    fn what_exists_is_refused_unless_forced() {
        let (dir, never) = store(Overwrite::Never);
        fs::write(dir.path().join("a"), "old").expect("a file");
        let verdict = never.create(&file("a")).expect_err("it exists");
        assert!(verdict.why.contains("exists already; `anabranch recv --force`"), "{}", verdict.why);
        let always = Store::open(dir.path(), Overwrite::Always).expect("it is writable");
        let mut part = always.create(&file("a")).expect("forced");
        fill(&mut part, b"new");
        assert_eq!(fs::read(dir.path().join("a")).expect("still there"), b"old");
        part.keep().expect("forced");
        assert_eq!(fs::read(dir.path().join("a")).expect("replaced"), b"new");
    }

    #[test]
    fn what_appears_meanwhile_is_not_overwritten() {
        let (dir, store) = store(Overwrite::Never);
        let part = store.create(&file("a")).expect("a new file");
        fs::write(dir.path().join("a"), "other").expect("a file");
        assert!(!part.keep().expect_err("in the way").is_verified());
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[test]
    fn somebodys_own_part_is_named_and_kept() {
        let (dir, store) = store(Overwrite::Never);
        fs::write(dir.path().join("a.part"), "mine").expect("a file");
        let verdict = store.create(&file("a")).expect_err("in the way");
        assert!(verdict.why.contains("a.part\" exists already, and not from an"), "{}", verdict.why);
        assert_eq!(fs::read(dir.path().join("a.part")).expect("the file"), b"mine");
    }

    #[test]
    fn the_longest_name_can_be_stored() {
        let (dir, store) = store(Overwrite::Never);
        let name = "ä".repeat(FilePath::MAX_NAME / 2);
        store.create(&file(&name)).expect("a short part name").keep().expect("a name that fits");
        assert_eq!(names(dir.path()), [name]);
    }

    #[test]
    fn directories_get_their_permissions_and_times_when_they_are_full() {
        let (dir, mut store) = store(Overwrite::Never);
        let closed = Offer { mode: Some(0o500), ..offer("d", Kind::Directory) };
        store.make_directory(&closed).expect("a new directory");
        store.make_directory(&offer("d/e", Kind::Directory)).expect("a directory in it");
        let mut part = store.create(&file("d/e/f")).expect("a new file");
        fill(&mut part, b"x");
        part.keep().expect("nothing in the way");
        store.finish();
        let found = fs::metadata(dir.path().join("d")).expect("the directory");
        assert_eq!((found.mtime(), found.permissions().mode() & 0o777), (1_000_000_000, 0o500));
        fs::set_permissions(dir.path().join("d"), fs::Permissions::from_mode(0o700)).expect("ours");
        assert_eq!(fs::read(dir.path().join("d/e/f")).expect("the file"), b"x");
        // What is there already stays as it is, and takes more.
        store.make_directory(&closed).expect("it is there");
        store.create(&file("d/g")).expect("a new file").keep().expect("nothing in the way");
    }

    #[test]
    fn symbolic_links_are_not_followed() {
        let (dir, mut store) = store(Overwrite::Always);
        let elsewhere = tempfile::tempdir().expect("a directory");
        symlink(elsewhere.path(), dir.path().join("way")).expect("a link");
        symlink(elsewhere.path().join("x"), dir.path().join("a.part")).expect("a link");
        for path in ["way/a", "way/b/c", "a"] {
            let verdict = store.create(&file(path)).expect_err("a link");
            assert!(!verdict.is_verified());
        }
        assert!(!store.make_directory(&offer("way", Kind::Directory)).expect_err("a link").is_verified());
        assert!(names(elsewhere.path()).is_empty());
        // The link itself may be replaced, and what it leads to stays.
        symlink(elsewhere.path(), dir.path().join("b")).expect("a link");
        store.create(&file("b")).expect("forced").keep().expect("forced");
        assert!(fs::symlink_metadata(dir.path().join("b")).expect("the file").is_file());
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
