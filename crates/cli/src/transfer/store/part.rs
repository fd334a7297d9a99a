//! A file that is arriving: `NAME.part` until it is complete, with `NAME.part.json` beside it, from which it goes on
//! after a kill. It knows one file, and not what sends it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use anabranch_base::{ByteCount, Duration};
use anabranch_cli::file_protocol::{Digest, Kind, Offer, Verdict};
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::arriving::Arriving;
use super::place::{Place, narrow, set_modified};
use super::state::State;
use super::{Overwrite, reason, refusal};
use crate::clock::Stopwatch;
use crate::quantity::show_size;
use crate::transfer::hashing::hash_of;

/// A file that is arriving. Unless it is kept or left to go on later, it vanishes.
#[derive(Debug)]
pub struct PartFile {
    file: File,
    places: Places,
    overwrite: Overwrite,
    offer: Offer,
    /// What of it was written down last.
    noted: State,
    since_note: Stopwatch,
    received: ByteCount,
    /// The hash of what was there in the beginning.
    hash: Sha256,
    remark: Option<String>,
    is_done: bool,
}

/// Where a file and what belongs to it stand.
#[derive(Debug)]
struct Places {
    target: Place,
    part: Place,
    state: Place,
}

/// What an earlier transfer left.
enum Left {
    /// So much of a file.
    State(State),
    /// What is of no use, and nobody's own either.
    Rubbish,
    /// A file of that name that no transfer made.
    Foreign,
}

impl PartFile {
    /// The file on offer as far as it is there already, or a new one.
    ///
    /// # Errors
    /// The verdict for the sender: the file exists, is being received by somebody else, or cannot be created.
    pub fn open(target: Place, offer: &Offer, overwrite: Overwrite) -> Result<PartFile, Verdict> {
        if let Some(refusal) = refusal(&target, overwrite) {
            return Err(refusal);
        }
        let (part, state) = (target.with_suffix(".part"), target.with_suffix(".part.json"));
        let places = Places { target, part, state };
        let (file, left) = places.create_or_find(offer, overwrite)?;
        let nothing = State::nothing_of(offer);
        let mut part = PartFile {
            file,
            places,
            overwrite,
            offer: offer.clone(),
            received: ByteCount::ZERO,
            hash: Sha256::new(),
            noted: nothing,
            since_note: Stopwatch::start(),
            remark: None,
            is_done: false,
        };
        let ready = match left {
            Some(Left::State(left)) => part.go_on(left),
            _ => part.go_to(ByteCount::ZERO).and_then(|()| part.write_down()),
        };
        match ready {
            Ok(()) => Ok(part),
            Err(error) => Err(part.failed(&error)),
        }
    }

    /// Goes on after what is `left`, if that is of the file on offer and what it says is on the disk.
    fn go_on(&mut self, left: State) -> io::Result<()> {
        let shown = self.places.part.path().display().to_string();
        if !left.is_of(&self.offer) {
            if left.received > ByteCount::ZERO && self.offer.size().is_some() {
                self.remark = Some(format!(
                    "{shown:?} holds {} of another version of the file (size or time differ): it begins anew",
                    show_size(left.received)
                ));
            }
        } else if let Some(hash) = self.hash_of(left.received)?
            && Digest::from(hash.clone().finalize()) == left.digest
        {
            (self.received, self.hash) = (left.received, hash);
            self.noted = left;
            return self.go_to(self.received);
        } else {
            self.remark = Some(format!("{shown:?} was damaged or changed meanwhile: it begins anew"));
        }
        self.go_to(ByteCount::ZERO)?;
        self.write_down()
    }

    /// The hash of the first `size` bytes, read from the disk: what was written down may be older or newer than what is
    /// there.
    fn hash_of(&mut self, size: ByteCount) -> io::Result<Option<Sha256>> {
        self.file.seek(SeekFrom::Start(0))?;
        hash_of(&self.file, size)
    }

    fn go_to(&mut self, end: ByteCount) -> io::Result<()> {
        self.file.set_len(end.get())?;
        self.file.seek(SeekFrom::Start(end.get()))?;
        Ok(())
    }

    fn begin_anew_in_place(&mut self) -> io::Result<()> {
        (self.received, self.hash, self.noted) =
            (ByteCount::ZERO, Sha256::new(), State::nothing_of(&self.offer));
        // Written down first: what it said is no longer true when the file is cut.
        self.write_down()?;
        self.go_to(ByteCount::ZERO)
    }

    fn add(&mut self, piece: &[u8], hash: &Sha256) -> io::Result<()> {
        self.file.write_all(piece)?;
        self.received += ByteCount::of_len(piece.len());
        let fresh = self.received - self.noted.received;
        if self.is_resumable() && is_worth_a_note(fresh, self.since_note.elapsed()) {
            self.note(hash)
        } else {
            Ok(())
        }
    }

    /// Writes down that all that came is there, with this hash.
    fn note(&mut self, hash: &Sha256) -> io::Result<()> {
        let before = self.noted.clone();
        self.since_note = Stopwatch::start();
        self.noted.received = self.received;
        self.noted.digest = hash.clone().finalize().into();
        self.write_down().inspect_err(|_| self.noted = before)
    }

    /// Writes down how far it has come, once that is on the disk: after a power cut there is no more in the note than in
    /// the file.
    fn write_down(&mut self) -> io::Result<()> {
        let is_worth_it = self.noted.received > ByteCount::ZERO;
        if is_worth_it {
            self.file.sync_data()?;
        }
        let fresh = self.places.target.with_suffix(".part.json.new");
        fresh.remove();
        let mut file = fresh.create(0o600)?;
        let written = file
            .write_all(self.noted.to_text().as_bytes())
            .and_then(|()| if is_worth_it { file.sync_data() } else { Ok(()) });
        let renamed = written.and_then(|()| fresh.rename(&self.places.state, Overwrite::Always));
        renamed.inspect_err(|_| fresh.remove())
    }

    /// Gives it its permissions, its time and its name.
    fn settle(&mut self) -> io::Result<()> {
        // File systems that keep no permissions or times keep the file all the same.
        let _ = narrow(&self.file, self.offer.mode);
        let _ = set_modified(&self.file, self.offer.modified);
        if self.received >= WORTH_A_SYNC {
            self.file.sync_all()?;
        }
        self.places.part.rename(&self.places.target, self.overwrite)?;
        self.is_done = true;
        self.places.state.remove();
        if self.received >= WORTH_A_SYNC {
            self.places.target.keep_name();
        }
        Ok(())
    }

    /// Goes back to what was written down last, for another transfer to go on; how much that is, if anything.
    fn retreat(&mut self) -> Option<ByteCount> {
        let noted = self.noted.received;
        if !self.is_resumable() || noted.is_zero() {
            return None;
        }
        // What is behind it does not count; a full disk is better off without it.
        let _ = self.file.set_len(noted.get());
        self.is_done = true;
        Some(noted)
    }

    /// Whether its sender would ask how much of it is there.
    fn is_resumable(&self) -> bool {
        matches!(self.offer.kind, Kind::Resumable { .. })
    }

    fn failed(&self, error: &io::Error) -> Verdict {
        self.places.failed(error)
    }
}

impl Arriving for PartFile {
    fn beginning(&self) -> (ByteCount, Sha256) {
        (self.received, self.hash.clone())
    }

    fn begin_anew(mut self: Box<Self>) -> Result<Box<dyn Arriving>, Verdict> {
        match self.begin_anew_in_place() {
            Ok(()) => Ok(self),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn write(&mut self, piece: &[u8], hash: &Sha256) -> Result<(), Verdict> {
        self.add(piece, hash).map_err(|error| {
            let mut verdict = self.failed(&error);
            if let Some(kept) = self.retreat() {
                verdict.why += &format!("; {} are kept, and it goes on from there", show_size(kept));
            }
            verdict
        })
    }

    fn keep(mut self: Box<Self>, _: &Digest) -> Result<(), Verdict> {
        // Somebody may have made a file of that name meanwhile.
        if let Some(refusal) = refusal(&self.places.target, self.overwrite) {
            return Err(refusal);
        }
        self.settle().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => super::exists(&self.places.target),
            _ => self.failed(&error),
        })
    }

    fn leave(mut self: Box<Self>, hash: &Sha256) -> Option<ByteCount> {
        if self.is_resumable() && self.received > self.noted.received {
            // Where that fails, what was written down before still holds.
            let _ = self.note(hash);
        }
        self.retreat()
    }

    fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
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

impl Places {
    /// A new file, or what another transfer left; nobody else has it then.
    fn create_or_find(&self, offer: &Offer, overwrite: Overwrite) -> Result<(File, Option<Left>), Verdict> {
        let mode = offer.mode.unwrap_or(0o666) | OWNER_WRITES;
        match self.part.create(mode) {
            Ok(file) => {
                lock(&file, &self.part)?;
                Ok((file, None))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let file = self.part.open().map_err(|error| self.failed(&error))?;
                lock(&file, &self.part)?;
                let left = self.left(&file);
                if matches!(left, Left::Foreign) && overwrite == Overwrite::Never {
                    return Err(Verdict::refused(&format!(
                        "{:?} exists already, and not from an earlier transfer: remove it, or start \
                         `anabranch recv` with --force",
                        self.part.path()
                    )));
                }
                Ok((file, Some(left)))
            }
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// What an earlier transfer left in `file`.
    fn left(&self, file: &File) -> Left {
        let mut text = String::new();
        let read =
            self.state.open_to_read().and_then(|file| file.take(LONGEST_STATE).read_to_string(&mut text));
        let is_empty = file.metadata().is_ok_and(|found| found.is_file() && found.len() == 0);
        match State::from_text(&text) {
            Some(state) => Left::State(state),
            // A kill or a power cut before the first note leaves one of the two empty.
            None if is_empty || read.is_ok_and(|length| length == 0) => Left::Rubbish,
            None => Left::Foreign,
        }
    }

    fn failed(&self, error: &io::Error) -> Verdict {
        Verdict::failed(&format!("cannot store {:?}: {}", self.target.path(), reason(error)))
    }
}

/// Whether a kill now would lose what took long: so many bytes came since the last note, or for so long.
fn is_worth_a_note(fresh: ByteCount, elapsed: Duration) -> bool {
    fresh >= BETWEEN_NOTES || elapsed >= LONGEST_SILENCE
}

/// Refuses a file that another process is receiving, or has just finished. Where the file system knows no locks, nobody
/// can tell.
fn lock(file: &File, part: &Place) -> Result<(), Verdict> {
    let locked = rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive);
    // Between opening and locking, the other may have given it its name: it must not be touched then.
    if locked == Err(Errno::WOULDBLOCK) || !part.is_of(file) {
        return Err(Verdict::refused(&format!("{:?} is being received in another transfer", part.path())));
    }
    Ok(())
}

/// Whoever writes a file must be able to read and write it, whatever its permissions will be.
const OWNER_WRITES: u32 = 0o600;
/// How far a file is is written down so often,
const BETWEEN_NOTES: ByteCount = ByteCount::from_mib(16);
/// and over slow links so often.
const LONGEST_SILENCE: Duration = Duration::from_secs(2);
/// Smaller files are on the disk when the system sees fit: a thousand of them would take seconds.
const WORTH_A_SYNC: ByteCount = ByteCount::from_mib(1);
/// Longer than any state.
const LONGEST_STATE: u64 = 4_096;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use anabranch_cli::file_protocol::{FilePath, Modified};

    use super::super::place::Root;
    use super::*;

    fn offer(kind: Kind) -> Offer {
        let path = FilePath::new(b"a").expect("a good path");
        Offer { path, kind, mode: None, modified: Some(Modified { seconds: 1, nanoseconds: 0 }) }
    }

    fn part(dir: &Path, kind: Kind) -> PartFile {
        let offer = offer(kind);
        let target = Root::open(dir).and_then(|root| root.place(&offer.path)).expect("a place");
        PartFile::open(target, &offer, Overwrite::Never).expect("nothing in the way")
    }

    #[test]
    fn what_was_written_down_stays_where_the_disk_takes_no_more() {
        let dir = tempfile::tempdir().expect("a directory");
        let large = Kind::Resumable { size: ByteCount::from_mib(64) };
        for (kind, is_kept) in [(large, true), (Kind::File { size: None }, false)] {
            let mut part = part(dir.path(), kind);
            let piece = vec![7; 16 << 20];
            part.write(&piece, &Sha256::new_with_prefix(&piece)).expect("room");
            // A file that cannot be written any more.
            part.file = File::open(dir.path().join("a.part")).expect("the file");
            let verdict = part.write(b"more", &Sha256::new()).expect_err("no way");
            assert_eq!(verdict.why.contains("16.8 MB are kept"), is_kept, "{}", verdict.why);
            drop(part);
            assert_eq!(dir.path().join("a.part").exists(), is_kept);
            if is_kept {
                assert_eq!(self::part(dir.path(), kind).beginning().0, ByteCount::from_mib(16));
            }
        }
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
        let first = Box::new(part(dir.path(), Kind::File { size: None }));
        let late = first.places.part.open().expect("another receiver opens it");
        first.keep(&Digest::default()).expect("nothing in the way");
        let place = Root::open(dir.path()).and_then(|root| root.place(&offer(Kind::Directory).path));
        let verdict =
            lock(&late, &place.expect("a place").with_suffix(".part")).expect_err("it is another's");
        assert!(verdict.why.ends_with("is being received in another transfer"), "{}", verdict.why);
    }
}
