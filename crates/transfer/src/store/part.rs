//! An incoming file: `NAME.part` in the directory of incomplete files, with `NAME.part.json` beside it, from which
//! the transfer continues after a kill.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::protocol::{Digest, FileKind, FileVerdict, Offer};
use anabranch_base::{ByteCount, Duration};
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use sha2::Sha256;

use super::arriving::IncomingFile;
use super::marks::{Mark, Marks, ReadBack};
use super::part_paths::PartPaths;
use super::partial::Partial;
use super::place::{StorePath, narrow, set_modified};
use super::state::PartState;
use super::{Overwrite, StoreRules, failed, refusal};
use crate::event::Remark;
use crate::hashing::digest_of;
use crate::refusals::{self, largest_file};
use anabranch_net::Clock;

/// An incoming file. Unless it is kept or left for a later transfer, it is removed.
#[derive(Debug)]
pub(super) struct PartFile {
    file: File,
    places: PartPaths,
    rules: StoreRules,
    offer: Offer,
    /// The state recorded last.
    noted: PartState,
    since_note: Clock,
    /// The expected content.
    marks: Marks,
    received: ByteCount,
    remark: Option<Remark>,
    is_done: bool,
}

/// The error of a part that cannot be used or stored.
#[derive(Debug)]
enum Setback {
    /// A system call failed.
    System(io::Error),
    /// Another program wrote to it. Has the beginning that is still as received.
    Altered(Option<Mark>),
}

impl PartFile {
    /// Opens the part of the offered file, or creates a new one.
    ///
    /// # Errors
    /// The verdict for the sender: the file exists, is being received in another transfer, or cannot be created.
    pub(super) fn open(
        target: &StorePath,
        offer: &Offer,
        rules: StoreRules,
    ) -> Result<PartFile, FileVerdict> {
        if let Some(refusal) = refusal(target, offer, rules).or_else(|| too_large(offer, largest_file())) {
            return Err(refusal);
        }
        let (places, file) =
            PartPaths::open(target, offer, rules.owner).map_err(|error| failed(offer, &error))?;
        lock(&file, &places.part, offer)?;
        let mut part = PartFile {
            file,
            places,
            rules,
            offer: offer.clone(),
            received: ByteCount::ZERO,
            noted: PartState::nothing_of(offer),
            since_note: Clock::start(),
            marks: Marks::default(),
            remark: None,
            is_done: false,
        };
        let ready = match PartState::read(&part.places.state) {
            Some(left) => part.go_on(left),
            // A new file, or a kill or a power cut before the state was first recorded.
            None => {
                part.remark = part.left_beside();
                part.begin_anew_in_place()
            }
        };
        match ready {
            Ok(()) => Ok(part),
            Err(error) => Err(part.failed(&error)),
        }
    }

    /// Removes what a transfer of `target` left that was killed after it had stored the file.
    pub(crate) fn tidy(target: &StorePath, rules: StoreRules) {
        let Some(partial) = Partial::left_in(&target.directory(), rules.owner) else { return };
        let places = PartPaths::of(target, partial);
        if places.part.found().is_none() {
            places.state.remove();
        }
    }

    /// Continues from the state `left` if it belongs to the offered file. [`hash`](IncomingFile::hash) checks that
    /// the part matches it.
    fn go_on(&mut self, left: PartState) -> io::Result<()> {
        if left.is_of(&self.offer) {
            (self.received, self.noted) = (left.received, left);
            return Ok(());
        }
        if left.received > ByteCount::ZERO && self.offer.size().is_some() {
            self.remark = Some(Remark::AnotherVersion { part: self.part_path(), holds: left.received });
        }
        self.begin_anew_in_place()
    }

    /// The remark on a part that an earlier version of the program left beside the file, among the user's own files.
    /// It is never touched.
    fn left_beside(&self) -> Option<Remark> {
        let beside = |suffix| self.places.target.moved_to(&self.places.target.directory(), suffix);
        let (part, state) = (beside(".part"), beside(".part.json"));
        let is_there = self.is_resumable() && part.found().is_some_and(|found| found.is_file());
        let is_ours = |left: &PartState| left.received > ByteCount::ZERO && left.is_of(&self.offer);
        let left = PartState::read(&state).filter(|left| is_there && is_ours(left))?;
        let (part, state) = (part.path().to_owned(), state.path().to_owned());
        Some(Remark::LeftBeside { part, state, holds: left.received })
    }

    /// The hash of the recorded part, if the disk has it; data beyond the record does not count.
    fn hash_of_noted(&mut self) -> io::Result<Option<Sha256>> {
        self.file.rewind()?;
        self.marks = Marks::default();
        let hash = self.marks.add_from(&self.file, self.received, BETWEEN_NOTES)?;
        let hash = hash.filter(|hash| digest_of(hash) == self.noted.digest);
        match hash {
            Some(_) => self.go_to(self.received)?,
            None => {
                self.remark = Some(Remark::Damaged { part: self.part_path() });
            }
        }
        Ok(hash)
    }

    fn part_path(&self) -> PathBuf {
        self.places.part.path().to_owned()
    }

    fn go_to(&mut self, end: ByteCount) -> io::Result<()> {
        self.file.set_len(end.get())?;
        self.file.seek(SeekFrom::Start(end.get()))?;
        Ok(())
    }

    fn begin_anew_in_place(&mut self) -> io::Result<()> {
        (self.received, self.noted) = (ByteCount::ZERO, PartState::nothing_of(&self.offer));
        self.marks = Marks::default();
        // This comes first: the recorded state is wrong once the file is truncated.
        self.places.state.remove();
        self.go_to(ByteCount::ZERO)
    }

    fn add(&mut self, piece: &[u8], hash: &Sha256) -> Result<(), Setback> {
        self.check_length()?;
        self.file.write_all(piece)?;
        self.marks.add(piece);
        self.received += ByteCount::of_len(piece.len());
        let fresh = self.received - self.noted.received;
        if self.is_resumable() && is_worth_a_note(fresh, self.since_note.elapsed()) {
            self.check_name()?;
            self.note(hash)?;
        }
        Ok(())
    }

    /// Fails if another program changed the length. Overwritten bytes are detected when the file is complete.
    fn check_length(&self) -> Result<(), Setback> {
        if self.file.metadata()?.len() == self.received.get() {
            Ok(())
        } else {
            Err(Setback::Altered(self.marks.intact(&self.file)?))
        }
    }

    /// Fails if another program removed or replaced it.
    fn check_name(&self) -> Result<(), Setback> {
        if self.places.part.is_of(&self.file) {
            Ok(())
        } else {
            Err(io::Error::other("it was removed while it was received").into())
        }
    }

    /// Records that everything received is stored, with this hash.
    fn note(&mut self, hash: &Sha256) -> io::Result<()> {
        let before = self.noted.clone();
        self.since_note = Clock::start();
        self.noted.received = self.received;
        self.noted.digest = digest_of(hash);
        self.marks.mark(self.noted.digest);
        self.write_down().inspect_err(|_| self.noted = before)
    }

    /// Syncs the file, then records its state: after a power cut the record never claims more than the file has.
    fn write_down(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        let fresh = self.places.partial.place_of(&self.places.target, ".part.json.new");
        fresh.remove();
        let mut file = fresh.create(0o600)?;
        let written = file.write_all(self.noted.to_text().as_bytes()).and_then(|()| file.sync_data());
        let renamed = written.and_then(|()| fresh.rename(&self.places.state, Overwrite::Always));
        renamed.inspect_err(|_| fresh.remove())
    }

    /// Sets the permissions and the time, checks the content, and gives the file its name.
    fn settle(&mut self) -> Result<(), Setback> {
        // A file system without permissions or times still stores the file.
        let _ = narrow(&self.file, self.offer.mode);
        let _ = set_modified(&self.file, self.offer.modified);
        if self.received >= WORTH_A_SYNC {
            self.verify_during(|| self.file.sync_all())?;
        } else {
            self.verify()?;
        }
        self.check_name()?;
        self.places.part.rename(&self.places.target, self.rules.overwrite)?;
        self.is_done = true;
        self.places.state.remove();
        if self.received >= WORTH_A_SYNC {
            self.places.target.keep_name();
        }
        Ok(())
    }

    /// Reads the file back during `sync`, and again if another program wrote to it before that ended.
    fn verify_during(&self, sync: impl FnOnce() -> io::Result<()> + Send) -> Result<(), Setback> {
        let (synced, verified) = both(sync, || self.verify());
        let verified = verified?;
        synced?;
        if last_write(&self.file)? != verified {
            self.verify()?;
        }
        Ok(())
    }

    /// Reads the file back until nothing writes to it meanwhile. Returns its last write.
    fn verify(&self) -> Result<LastWrite, Setback> {
        for _ in 0..MOST_READS {
            let before = last_write(&self.file)?;
            if let ReadBack::Altered(intact) = self.marks.read_back(&self.file)? {
                return Err(Setback::Altered(intact));
            }
            if last_write(&self.file)? == before {
                return Ok(before);
            }
        }
        Err(Setback::Altered(None))
    }

    /// Truncates the file to the state recorded last, for another transfer to continue. Returns the size kept, if
    /// any.
    fn retreat(&mut self) -> Option<ByteCount> {
        let noted = self.noted.received;
        if !self.is_resumable() || noted.is_zero() {
            return None;
        }
        // The data beyond it does not count, and a full disk needs the room.
        let _ = self.file.set_len(noted.get());
        self.is_done = true;
        Some(noted)
    }

    /// Truncates the file to the beginning that is as received, for another transfer to continue. Returns the size
    /// kept, if any.
    fn retreat_to(&mut self, intact: Option<Mark>) -> Option<ByteCount> {
        let Mark { size, digest } = intact.filter(|_| self.is_resumable() && self.check_name().is_ok())?;
        (self.noted.received, self.noted.digest) = (size, digest);
        self.go_to(size).and_then(|()| self.write_down()).ok()?;
        self.retreat()
    }

    /// Returns true if the offer is resumable.
    fn is_resumable(&self) -> bool {
        matches!(self.offer.kind, FileKind::Resumable { .. })
    }

    fn failed(&self, error: &io::Error) -> FileVerdict {
        failed(&self.offer, error)
    }

    /// The verdict after `setback`, naming the size kept for another transfer.
    fn fail(&mut self, setback: Setback) -> FileVerdict {
        let (mut verdict, kept) = match setback {
            Setback::System(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return super::exists(&self.offer, self.rules);
            }
            Setback::System(error) => {
                let is_there = self.check_name().is_ok();
                (self.failed(&error), if is_there { self.retreat() } else { None })
            }
            Setback::Altered(intact) => {
                let error = io::Error::other("another program changed it while it was received");
                (self.failed(&error), self.retreat_to(intact))
            }
        };
        if let Some(kept) = kept {
            verdict.why += &format!("; {} are kept, and a new transfer continues from there", kept.rounded());
        }
        verdict
    }
}

impl IncomingFile for PartFile {
    fn there(&self) -> ByteCount {
        self.received
    }

    fn hash(&mut self) -> Result<Option<Sha256>, FileVerdict> {
        self.hash_of_noted().map_err(|error| self.failed(&error))
    }

    fn begin_anew(mut self: Box<Self>) -> Result<Box<dyn IncomingFile>, FileVerdict> {
        match self.begin_anew_in_place() {
            Ok(()) => Ok(self),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn write(&mut self, piece: &[u8], hash: &Sha256) -> Result<(), FileVerdict> {
        self.add(piece, hash).map_err(|setback| self.fail(setback))
    }

    fn keep(mut self: Box<Self>, _: &Digest) -> Result<(), FileVerdict> {
        // A file of that name may have appeared meanwhile.
        if let Some(refusal) = refusal(&self.places.target, &self.offer, self.rules) {
            return Err(refusal);
        }
        self.settle().map_err(|setback| self.fail(setback))
    }

    fn leave(mut self: Box<Self>, hash: Option<&Sha256>) -> Option<ByteCount> {
        match self.check_name().and_then(|()| self.check_length()) {
            Ok(()) => {}
            Err(Setback::Altered(intact)) => return self.retreat_to(intact),
            Err(Setback::System(_)) => return None,
        }
        if let Some(hash) = hash.filter(|_| self.is_resumable() && self.received > self.noted.received) {
            // If that fails, the previous record still holds.
            let _ = self.note(hash);
        }
        self.retreat()
    }

    fn take_remark(&mut self) -> Option<Remark> {
        self.remark.take()
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.is_done {
            self.places.part.remove();
            self.places.state.remove();
        }
    }
}

impl From<io::Error> for Setback {
    fn from(error: io::Error) -> Setback {
        Setback::System(error)
    }
}

/// Runs `sync` in parallel to `work` if a thread can be started, else before it.
fn both<T>(sync: impl FnOnce() -> io::Result<()> + Send, work: impl FnOnce() -> T) -> (io::Result<()>, T) {
    let sync = Mutex::new(Some(sync));
    let synced = || sync.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), |sync| sync());
    std::thread::scope(|scope| match std::thread::Builder::new().spawn_scoped(scope, synced) {
        Ok(syncing) => {
            let done = work();
            (syncing.join().unwrap_or_else(|_| Err(io::Error::other("it was not synced"))), done)
        }
        Err(_) => (synced(), work()),
    })
}

/// The modification time of a file, and its length.
type LastWrite = (i64, i64, u64);

/// The last write to a file. A write changes the modification time, which was set to the sender's.
fn last_write(file: &File) -> io::Result<LastWrite> {
    let found = file.metadata()?;
    Ok((found.mtime(), found.mtime_nsec(), found.len()))
}

/// Returns true if a kill now would lose much: `fresh` bytes arrived since the last record, in `elapsed`.
fn is_worth_a_note(fresh: ByteCount, elapsed: Duration) -> bool {
    fresh >= BETWEEN_NOTES || elapsed >= LONGEST_SILENCE
}

/// Refuses a file that exceeds the process's limit before most of it has arrived.
fn too_large(offer: &Offer, limit: Option<ByteCount>) -> Option<FileVerdict> {
    let limit = limit.filter(|limit| offer.size().is_some_and(|size| size > *limit))?;
    let error = io::Error::other(refusals::too_large(Some(limit)));
    Some(failed(offer, &error))
}

/// Refuses a file that another process is receiving or has just finished. A file system without locks does not detect
/// this.
fn lock(file: &File, part: &StorePath, offer: &Offer) -> Result<(), FileVerdict> {
    let locked = rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive);
    // Between opening and locking, the other process may have given it its name: then it must not be touched.
    if locked == Err(Errno::WOULDBLOCK) || !part.is_of(file) {
        return Err(FileVerdict::refused(&format!("{:?} is being received in another transfer", offer.path)));
    }
    Ok(())
}

/// The state is recorded after this many bytes,
const BETWEEN_NOTES: ByteCount = ByteCount::from_mib(16);
/// or after this time on slow links.
const LONGEST_SILENCE: Duration = Duration::from_secs(2);
/// The smallest file that is synced: syncing a thousand smaller ones would take seconds.
const WORTH_A_SYNC: ByteCount = ByteCount::from_mib(1);
/// The most times that a part is read back because it changed.
const MOST_READS: u32 = 3;

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use crate::protocol::{FilePath, Modified};

    use sha2::Digest as _;

    use super::super::partial::{self, FileOwner};
    use super::super::place::Directory;
    use super::*;

    fn offer(kind: FileKind) -> Offer {
        let path = FilePath::new(b"a").expect("a good path");
        Offer { path, kind, mode: None, modified: Some(Modified { seconds: 1, nanoseconds: 0 }) }
    }

    fn part(dir: &Path, kind: FileKind) -> PartFile {
        let offer = offer(kind);
        let root = Directory::open(dir).expect("a directory");
        let owner = FileOwner::find(&root).expect("it is writable");
        let rules = StoreRules { overwrite: Overwrite::Never, advice: "", owner };
        PartFile::open(&root.place(&offer.path).expect("a place"), &offer, rules).expect("nothing in the way")
    }

    fn digest(content: &[u8]) -> Digest {
        Sha256::digest(content).into()
    }

    fn path_of_part(dir: &Path) -> PathBuf {
        dir.join(partial::name()).join("a.part")
    }

    #[test]
    fn what_was_written_down_stays_where_the_disk_takes_no_more() {
        let dir = tempfile::tempdir().expect("a directory");
        let large = FileKind::Resumable { size: ByteCount::from_mib(64) };
        for (kind, is_kept) in [(large, true), (FileKind::File { size: None }, false)] {
            let mut part = part(dir.path(), kind);
            let piece = vec![7; 16 << 20];
            part.write(&piece, &Sha256::new_with_prefix(&piece)).expect("room");
            // A file that can no longer be written.
            part.file = File::open(path_of_part(dir.path())).expect("the file");
            let verdict = part.write(b"more", &Sha256::new()).expect_err("no way");
            assert_eq!(verdict.why.contains("16.8 MB are kept"), is_kept, "{}", verdict.why);
            drop(part);
            assert_eq!(path_of_part(dir.path()).exists(), is_kept);
            if is_kept {
                assert_eq!(self::part(dir.path(), kind).there(), ByteCount::from_mib(16));
            }
        }
    }

    #[test]
    fn a_file_that_may_not_become_so_long_is_refused_before_it_travels() {
        let offer = offer(FileKind::Resumable { size: ByteCount::new(1_000_001) });
        let verdict = too_large(&offer, Some(ByteCount::new(1_000_000))).expect("too long");
        assert!(verdict.why.contains("1.00 MB (a limit of the receiving process: ulimit -f)"), "{verdict:?}");
        assert!(
            too_large(&offer, Some(ByteCount::new(1_000_001))).is_none() && too_large(&offer, None).is_none()
        );
    }

    #[test]
    fn neither_a_fast_nor_a_slow_link_loses_much_by_a_kill() {
        for (mebibytes, seconds, is_due) in [(15, 1, false), (16, 0, true), (0, 1, false), (1, 2, true)] {
            let (fresh, elapsed) = (ByteCount::from_mib(mebibytes), Duration::from_secs(seconds));
            assert_eq!(is_worth_a_note(fresh, elapsed), is_due, "{fresh} in {elapsed}");
        }
    }

    #[test]
    fn a_file_that_got_its_name_between_opening_and_locking_is_left_alone() {
        let dir = tempfile::tempdir().expect("a directory");
        let first = Box::new(part(dir.path(), FileKind::File { size: None }));
        let late = first.places.part.open().expect("another receiver opens it");
        let place = first.places.part.clone();
        first.keep(&digest(b"")).expect("nothing in the way");
        let verdict = lock(&late, &place, &offer(FileKind::Directory)).expect_err("it is another's");
        assert_eq!(verdict.why, "\"a\" is being received in another transfer");
    }

    /// The file appears between the check and the rename.
    #[test]
    fn a_file_that_appears_at_the_last_moment_is_not_overwritten() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut part = part(dir.path(), FileKind::File { size: None });
        part.write(b"new", &Sha256::new()).expect("room");
        assert!(refusal(&part.places.target, &part.offer, part.rules).is_none());
        std::fs::write(dir.path().join("a"), "old").expect("a file");
        let setback = part.settle().expect_err("in the way");
        let Setback::System(error) = setback else { panic!("{setback:?}") };
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(dir.path().join("a")).expect("the file"), b"old");
    }

    /// A sync may take seconds.
    #[test]
    fn a_file_that_another_program_touches_while_the_disk_is_busy_does_not_get_its_name() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut part = part(dir.path(), FileKind::File { size: None });
        part.write(b"new", &Sha256::new_with_prefix(b"new")).expect("room");
        set_modified(&part.file, part.offer.modified).expect("it may");
        let busy = || {
            std::thread::sleep(std::time::Duration::from_millis(200));
            std::fs::write(path_of_part(dir.path()), "not")
        };
        assert!(matches!(part.verify_during(busy), Err(Setback::Altered(_))));
    }

    #[test]
    fn what_was_put_in_the_place_of_a_part_does_not_get_its_name() {
        let dir = tempfile::tempdir().expect("a directory");
        let part = Box::new(part(dir.path(), FileKind::File { size: None }));
        std::fs::remove_file(path_of_part(dir.path())).expect("ours");
        std::fs::write(path_of_part(dir.path()), "another").expect("ours");
        let verdict = part.keep(&digest(b"")).expect_err("another file");
        assert!(verdict.why.ends_with("it was removed while it was received"), "{}", verdict.why);
        assert!(!dir.path().join("a").exists());
    }
}
