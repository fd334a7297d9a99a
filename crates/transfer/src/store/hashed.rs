//! Hashes of files that existed before the transfer. Each file is read once for as long as it does not change, so
//! that repeated offers of it cause no reading.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anabranch_base::ByteCount;
use sha2::Sha256;

use crate::hashing::hash_of;

/// The hashes of files already read, shared by all clones.
#[derive(Clone, Debug)]
pub(super) struct Hashed {
    known: Arc<Mutex<BTreeMap<FileSignature, Sha256>>>,
    most: usize,
}

/// The identity of a file for as long as it is not written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileSignature {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Default for Hashed {
    /// No files yet, at most [`MOST_KNOWN`].
    fn default() -> Hashed {
        Hashed::of_at_most(MOST_KNOWN)
    }
}

impl Hashed {
    /// No files yet, at most `most`.
    pub(crate) fn of_at_most(most: usize) -> Hashed {
        Hashed { known: Arc::default(), most }
    }

    /// The hash of a file's first `size` bytes; `None` if it has fewer.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn hash_of(&self, file: &File, size: ByteCount) -> io::Result<Option<Sha256>> {
        let identity = FileSignature::of(file)?;
        if let Some(known) = self.known().get(&identity) {
            return Ok(Some(known.clone()));
        }
        let hash = hash_of(file, size)?;
        if let Some(hash) = &hash
            && self.has_room()
        {
            self.known().insert(identity, hash.clone());
        }
        Ok(hash)
    }

    /// Returns true if the hash of `file` is known or there is room for it.
    pub(crate) fn may_read(&self, file: &File) -> bool {
        self.has_room() || FileSignature::of(file).is_ok_and(|identity| self.known().contains_key(&identity))
    }

    fn has_room(&self) -> bool {
        self.known().len() < self.most
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<FileSignature, Sha256>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileSignature {
    /// The signature of `file` as it is now.
    ///
    /// # Errors
    /// The file's metadata cannot be read.
    pub(super) fn of(file: &File) -> io::Result<FileSignature> {
        let found = file.metadata()?;
        Ok(FileSignature {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

/// The most files remembered, some 200 bytes each. Any other file is compared only after the offered file has arrived
/// completely.
const MOST_KNOWN: usize = 50_000;

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::time::UNIX_EPOCH;

    use sha2::Digest as _;

    use super::*;

    fn file(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(content).expect("room");
        io::Seek::rewind(&mut file).expect("it is a file");
        file
    }

    /// Hashes three bytes from the current position: at the end there are none.
    fn hash(hashed: &Hashed, file: &File) -> Option<Vec<u8>> {
        let hash = hashed.hash_of(file, ByteCount::new(3)).expect("it can be read");
        hash.map(|hash| hash.finalize().to_vec())
    }

    #[test]
    fn a_file_is_read_once_for_as_long_as_it_does_not_change() {
        let (hashed, file) = (Hashed::default(), file(b"abc"));
        let right = Some(Sha256::digest(b"abc").to_vec());
        for _ in 0..2 {
            assert_eq!(hash(&hashed.clone(), &file), right);
        }
        file.set_modified(UNIX_EPOCH).expect("ours");
        assert_eq!(hash(&hashed, &file), None, "it is read again, and was read to its end");
    }

    #[test]
    fn no_more_is_remembered_than_there_is_room_for() {
        let (hashed, known, other) = (Hashed::of_at_most(1), file(b"abc"), file(b"abc"));
        hash(&hashed, &known).expect("it has three bytes");
        hash(&hashed, &other).expect("it has three bytes");
        assert_eq!((hashed.may_read(&known), hashed.may_read(&other)), (true, false));
        assert_eq!(hashed.known().len(), 1);
    }
}
