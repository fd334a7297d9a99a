//! A file that is arriving: `NAME.part` until it is complete, with `NAME.part.json` beside it, from which it goes on
//! after a kill. It knows one file, and not what sends it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use anabranch_base::ByteCount;
use anabranch_cli::file_protocol::{Modified, Offer, Verdict};
use rustix::fs::{FileType, FlockOperation};
use rustix::io::Errno;
use sha2::Sha256;

use super::place::{Place, set_modified};
use super::state::State;
use super::{Overwrite, reason, refusal};

/// A file that is arriving. Unless it is kept or left to go on later, it vanishes.
#[derive(Debug)]
pub struct PartFile {
    file: File,
    places: Places,
    overwrite: Overwrite,
    modified: Option<Modified>,
    state: State,
    /// How much of it was there when that was last written down.
    noted: ByteCount,
    is_done: bool,
}

/// Where a file and what belongs to it stand.
#[derive(Debug)]
struct Places {
    target: Place,
    part: Place,
    state: Place,
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
        let mode = offer.mode.unwrap_or(0o666) | OWNER_WRITES;
        let (file, left) = match places.part.create(mode) {
            Ok(file) => (file, None),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let file = places.part.open().map_err(|error| places.failed(&error))?;
                lock(&file, &places.part)?;
                let left = places.left();
                if left.is_none() && overwrite == Overwrite::Never {
                    return Err(Verdict::refused(&format!(
                        "{:?} exists already, and not from an earlier transfer: remove it, or start \
                         `anabranch recv` with --force",
                        places.part.path()
                    )));
                }
                (file, left)
            }
            Err(error) => return Err(places.failed(&error)),
        };
        lock(&file, &places.part)?;
        let len = file.metadata().map_or(0, |found| found.len());
        let is_whole = |left: &State| left.is_of(offer) && left.received.get() <= len;
        let state = left.filter(is_whole).unwrap_or_else(|| State::nothing_of(offer));
        let noted = state.received;
        let modified = offer.modified;
        let mut part = PartFile { file, places, overwrite, modified, state, noted, is_done: false };
        part.go_to(noted).and_then(|()| part.write_down()).map_err(|error| part.failed(&error))?;
        Ok(part)
    }

    /// How much of it is there, and the hash of that.
    pub fn beginning(&self) -> (ByteCount, Sha256) {
        (self.state.received, self.state.hash.clone())
    }

    /// Nothing of what is there is of any use.
    ///
    /// # Errors
    /// The verdict for the sender.
    pub fn begin_anew(&mut self) -> Result<(), Verdict> {
        (self.state.received, self.state.hash) = (ByteCount::ZERO, Sha256::default());
        self.go_to(ByteCount::ZERO).and_then(|()| self.write_down()).map_err(|error| self.failed(&error))
    }

    /// Adds these bytes; with them, what is there has this hash.
    ///
    /// # Errors
    /// The verdict for the sender, for instance that the disk is full.
    pub fn write(&mut self, piece: &[u8], hash: &Sha256) -> Result<(), Verdict> {
        self.file.write_all(piece).map_err(|error| self.failed(&error))?;
        self.state.received += ByteCount::of_len(piece.len());
        if self.state.received - self.noted >= BETWEEN_NOTES {
            self.state.hash.clone_from(hash);
            self.write_down().map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    /// Makes the file permanent under its own name.
    ///
    /// # Errors
    /// The verdict for the sender.
    pub fn keep(mut self) -> Result<(), Verdict> {
        if self.state.received >= WORTH_A_SYNC {
            self.file.sync_all().map_err(|error| self.failed(&error))?;
        }
        set_modified(&self.file, self.modified).map_err(|error| self.failed(&error))?;
        // Somebody may have made a file of that name meanwhile.
        if let Some(refusal) = refusal(&self.places.target, self.overwrite) {
            return Err(refusal);
        }
        match self.places.part.rename(&self.places.target, self.overwrite) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(super::exists(&self.places.target));
            }
            done => done.map_err(|error| self.failed(&error))?,
        }
        self.is_done = true;
        self.places.state.remove();
        if self.state.received >= WORTH_A_SYNC {
            self.places.target.keep_name();
        }
        Ok(())
    }

    /// Leaves what is there, with this hash, for another transfer to go on.
    ///
    /// # Errors
    /// The system's, and then nothing is left.
    pub fn leave(mut self, hash: &Sha256) -> io::Result<()> {
        self.state.hash.clone_from(hash);
        self.write_down()?;
        self.is_done = true;
        Ok(())
    }

    fn go_to(&mut self, end: ByteCount) -> io::Result<()> {
        self.file.set_len(end.get())?;
        self.file.seek(SeekFrom::Start(end.get()))?;
        Ok(())
    }

    /// Writes down how far it has come, once that is on the disk: the hash is believed later.
    fn write_down(&mut self) -> io::Result<()> {
        if self.state.received > ByteCount::ZERO {
            self.file.sync_data()?;
        }
        let fresh = self.places.target.with_suffix(".part.json.new");
        fresh.remove();
        fresh.create(0o600)?.write_all(self.state.to_text().as_bytes())?;
        fresh.rename(&self.places.state, Overwrite::Always)?;
        self.noted = self.state.received;
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Verdict {
        self.places.failed(error)
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
    /// What an earlier transfer has written down.
    fn left(&self) -> Option<State> {
        if self.part.found() != Some(FileType::RegularFile) {
            return None;
        }
        let mut text = String::new();
        self.state.open().ok()?.take(LONGEST_STATE).read_to_string(&mut text).ok()?;
        State::from_text(&text)
    }

    fn failed(&self, error: &io::Error) -> Verdict {
        Verdict::failed(&format!("cannot store {:?}: {}", self.target.path(), reason(error)))
    }
}

/// Refuses a file that another process is receiving. Where the file system knows no locks, nobody can tell.
fn lock(file: &File, part: &Place) -> Result<(), Verdict> {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => {
            Err(Verdict::refused(&format!("{:?} is being received in another transfer", part.path())))
        }
        _ => Ok(()),
    }
}

/// Whoever writes a file must be able to read and write it, whatever its permissions will be.
const OWNER_WRITES: u32 = 0o600;
/// How far a file is is written down so often.
const BETWEEN_NOTES: ByteCount = ByteCount::from_mib(16);
/// Smaller files are on the disk when the system sees fit: a thousand of them would take seconds.
const WORTH_A_SYNC: ByteCount = ByteCount::from_mib(1);
/// Longer than any state.
const LONGEST_STATE: u64 = 4_096;
