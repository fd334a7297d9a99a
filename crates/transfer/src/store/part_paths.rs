//! Where a file that is arriving stands, with its state beside it, in the directory of what is not complete.

use std::fs::File;
use std::io;

use crate::protocol::Offer;
use rustix::io::Errno;

use super::partial::{FileOwner, Partial};
use super::place::StorePath;

/// Where a file and what belongs to it stand.
#[derive(Debug)]
pub struct PartPaths {
    /// Where the file goes.
    pub target: StorePath,
    /// Where it is until then.
    pub part: StorePath,
    /// What is written down of it.
    pub state: StorePath,
    /// The directory of both, which vanishes behind them.
    pub partial: Partial,
}

impl PartPaths {
    /// A new file, or what another transfer left of one.
    ///
    /// # Errors
    /// What is there is not ours, or the system refuses.
    pub fn open(target: &StorePath, offer: &Offer, owner: FileOwner) -> io::Result<(PartPaths, File)> {
        let mode = offer.mode.unwrap_or(0o666) | OWNER_WRITES;
        for _ in 0..MOST_TRIES {
            let partial = Partial::of(&target.directory(), owner);
            let opened = partial.and_then(|partial| {
                let places = PartPaths::of(target, partial);
                places.create_or_find(mode, owner).map(|file| (places, file))
            });
            match opened {
                // Another receiver has just ended and taken the empty directory away.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                opened => return opened,
            }
        }
        Err(Errno::NOENT.into())
    }

    /// Those of `target`, in `partial`.
    pub fn of(target: &StorePath, partial: Partial) -> PartPaths {
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
/// How often the directory of incomplete files may vanish at the wrong moment.
const MOST_TRIES: u32 = 10;
