//! A file that was there before it was offered, and seems to be the same: a tree that was broken off is sent again, and
//! what is complete of it counts as received. It knows one file, and writes nothing.

use anabranch_base::ByteCount;
use anabranch_cli::file_protocol::{Digest, Kind, Modified, Offer, Verdict};
use sha2::{Digest as _, Sha256};

use super::arriving::Arriving;
use super::part::PartFile;
use super::place::{Found, Place};
use super::{Overwrite, Rules, exists};
use crate::transfer::hashing::hash_of;

/// A file of the name and length on offer; whether it is the same, its hash will tell.
#[derive(Debug)]
pub struct Present {
    target: Place,
    offer: Offer,
    rules: Rules,
    size: ByteCount,
    hash: Sha256,
}

impl Present {
    /// What is there, if it may be what is on offer: the receiver's own is not replaced by the same, nor is it refused.
    pub fn find(target: &Place, offer: &Offer, rules: Rules) -> Option<Present> {
        let size = offer.size()?;
        let found = target.found().filter(|found| found.is_file() && found.size == size)?;
        let is_resumable = matches!(offer.kind, Kind::Resumable { .. });
        let may_be_same = match rules.overwrite {
            // What differs is refused: it costs nothing to look.
            Overwrite::Never => true,
            // The small travel again, and those of another time should get the new one.
            Overwrite::Always => is_resumable && is_of_time(&found, offer.modified),
        };
        if !may_be_same {
            return None;
        }
        let hash = hash_of(&target.open_to_read().ok()?, size).ok()??;
        Some(Present { target: target.clone(), offer: offer.clone(), rules, size, hash })
    }
}

impl Arriving for Present {
    fn beginning(&self) -> (ByteCount, Sha256) {
        (self.size, self.hash.clone())
    }

    fn begin_anew(self: Box<Self>) -> Result<Box<dyn Arriving>, Verdict> {
        match self.rules.overwrite {
            Overwrite::Never => Err(exists(&self.offer)),
            Overwrite::Always => Ok(Box::new(PartFile::open(self.target, &self.offer, self.rules)?)),
        }
    }

    /// Nothing: what arrives is compared by its hash.
    fn write(&mut self, _: &[u8], _: &Sha256) -> Result<(), Verdict> {
        Ok(())
    }

    fn keep(self: Box<Self>, digest: &Digest) -> Result<(), Verdict> {
        if Digest::from(self.hash.finalize()) != *digest {
            return Err(exists(&self.offer));
        }
        PartFile::tidy(&self.target, self.rules);
        Ok(())
    }

    fn leave(self: Box<Self>, _: &Sha256) -> Option<ByteCount> {
        None
    }
}

fn is_of_time(found: &Found, modified: Option<Modified>) -> bool {
    modified.is_some_and(|modified| modified == found.modified)
}
