//! A file that existed before it was offered and may be the same: when an interrupted tree is sent again, its
//! complete files count as received.

use std::fs::File;
use std::io::{self, Seek as _};

use crate::protocol::{Digest, FileKind, FileVerdict, Modified, Offer};
use anabranch_base::ByteCount;
use sha2::{Digest as _, Sha256};

use super::arriving::IncomingFile;
use super::hashed::{FileSignature, Hashed};
use super::part::PartFile;
use super::place::{Found, StorePath};
use super::{Overwrite, StoreRules, exists, failed};
use crate::hashing::hash_of;

/// An existing file of the offered name and length. The hash shows whether it is the same, and is computed when the
/// sender has sent its own hash or all data.
#[derive(Debug)]
pub(super) struct Present {
    file: File,
    target: StorePath,
    offer: Offer,
    rules: StoreRules,
    size: ByteCount,
    hashed: Hashed,
    /// The hash, once computed, with the signature of the file that was read.
    digest: Option<(FileSignature, Digest)>,
}

impl Present {
    /// The existing file, if it may be the offered one: an identical file is neither replaced nor refused.
    pub(super) fn find(
        target: &StorePath,
        offer: &Offer,
        rules: StoreRules,
        hashed: &Hashed,
    ) -> Option<Present> {
        let size = offer.size()?;
        let found = target.found().filter(|found| found.is_file() && found.size == size)?;
        let is_resumable = matches!(offer.kind, FileKind::Resumable { .. });
        let may_be_same = match rules.overwrite {
            // A different file is refused, so the comparison is always worthwhile.
            Overwrite::Never => true,
            // Small files are sent again, and files of another time are replaced.
            Overwrite::Always => is_resumable && is_of_time(&found, offer.modified),
        };
        if !may_be_same {
            return None;
        }
        let file = target.open_to_read().ok()?;
        if rules.overwrite == Overwrite::Always && !hashed.may_read(&file) {
            // The file is sent again.
            return None;
        }
        let (target, offer, hashed) = (target.clone(), offer.clone(), hashed.clone());
        Some(Present { file, target, offer, rules, size, hashed, digest: None })
    }

    /// Returns true if the file now has this hash: it may have changed since it was hashed.
    fn is(&mut self, digest: &Digest) -> io::Result<bool> {
        let now = FileSignature::of(&self.file)?;
        if self.digest.is_none_or(|(read, _)| read != now) {
            // A sender that sent this much may cause as much reading.
            self.file.rewind()?;
            let hash = hash_of(&self.file, self.size)?;
            self.digest = hash.map(|hash| (now, hash.finalize().into()));
        }
        let is_same = self.digest.is_some_and(|(_, there)| there == *digest);
        Ok(is_same && FileSignature::of(&self.file)? == now && self.target.is_of(&self.file))
    }
}

impl IncomingFile for Present {
    fn there(&self) -> ByteCount {
        if self.hashed.may_read(&self.file) { self.size } else { ByteCount::ZERO }
    }

    fn hash(&mut self) -> Result<Option<Sha256>, FileVerdict> {
        let read = FileSignature::of(&self.file);
        let read = read.and_then(|read| Ok((read, self.hashed.hash_of(&self.file, self.size)?)));
        let (read, hash) = read.map_err(|error| failed(&self.offer, &error))?;
        self.digest = hash.clone().map(|hash| (read, hash.finalize().into()));
        Ok(hash)
    }

    fn begin_anew(self: Box<Self>) -> Result<Box<dyn IncomingFile>, FileVerdict> {
        match self.rules.overwrite {
            Overwrite::Never => Err(exists(&self.offer, self.rules)),
            Overwrite::Always => Ok(Box::new(PartFile::open(&self.target, &self.offer, self.rules)?)),
        }
    }

    /// Does nothing: the received data is compared by its hash.
    fn write(&mut self, _: &[u8], _: &Sha256) -> Result<(), FileVerdict> {
        Ok(())
    }

    fn keep(mut self: Box<Self>, digest: &Digest) -> Result<(), FileVerdict> {
        if !self.is(digest).map_err(|error| failed(&self.offer, &error))? {
            return Err(exists(&self.offer, self.rules));
        }
        PartFile::tidy(&self.target, self.rules);
        Ok(())
    }

    fn leave(self: Box<Self>, _: Option<&Sha256>) -> Option<ByteCount> {
        None
    }
}

fn is_of_time(found: &Found, modified: Option<Modified>) -> bool {
    modified.is_some_and(|modified| modified == found.modified)
}
