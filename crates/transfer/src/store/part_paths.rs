//! The paths of an incoming file and of its state in the directory of incomplete files.

use std::fs::File;
use std::io;

use crate::protocol::Offer;
use rustix::io::Errno;

use super::partial::{FileOwner, Partial};
use super::place::StorePath;

/// The paths of an incoming file.
#[derive(Debug)]
pub(super) struct PartPaths {
    /// The final path.
    pub target: StorePath,
    /// The path until the file is complete.
    pub part: StorePath,
    /// The path of its recorded state.
    pub state: StorePath,
    /// The directory of incomplete files, removed when it is empty.
    pub partial: Partial,
}

impl PartPaths {
    /// Creates the file, or opens what another transfer left of it.
    ///
    /// # Errors
    /// The existing file is not owned by this user, or the system refuses.
    pub(super) fn open(target: &StorePath, offer: &Offer, owner: FileOwner) -> io::Result<(PartPaths, File)> {
        let mode = offer.mode.unwrap_or(0o666) | OWNER_WRITES;
        for _ in 0..MOST_TRIES {
            let partial = Partial::of(&target.directory(), owner);
            let opened = partial.and_then(|partial| {
                let places = PartPaths::of(target, partial);
                places.create_or_find(mode, owner).map(|file| (places, file))
            });
            match opened {
                // Another receiver has just ended and removed the empty directory.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                opened => return opened,
            }
        }
        Err(Errno::NOENT.into())
    }

    /// The paths for `target` in `partial`.
    pub(super) fn of(target: &StorePath, partial: Partial) -> PartPaths {
        let (part, state) = (partial.place_of(target, ".part"), partial.place_of(target, ".part.json"));
        PartPaths { target: target.clone(), part, state, partial }
    }

    fn create_or_find(&self, mode: u32, owner: FileOwner) -> io::Result<File> {
        match self.part.create(mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let file = self.part.open()?;
                owner.check_left(&file, &self.part)?;
                Ok(file)
            }
            created => created,
        }
    }
}

/// The owner must be able to read and write a file, whatever its permissions will be.
const OWNER_WRITES: u32 = 0o600;
/// The most attempts, because the directory of incomplete files may vanish before its file is created.
const MOST_TRIES: u32 = 10;
