//! The hash of a file's beginning, which both ends compare before the file continues.

use std::fs::File;
use std::io::{self, Read as _};

use crate::protocol::Digest;
use anabranch_base::ByteCount;
use sha2::{Digest as _, Sha256};

/// Reads and hashes the next `size` bytes of `file`; `None` if there are fewer.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn hash_of(file: &File, size: ByteCount) -> io::Result<Option<Sha256>> {
    let mut hash = Sha256::new();
    Ok(read_next(file, size, |bytes| hash.update(bytes))?.then_some(hash))
}

/// Reads the next `size` bytes of `file`. Returns false if there are fewer.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn read_next(file: &File, size: ByteCount, mut take: impl FnMut(&[u8])) -> io::Result<bool> {
    let mut input = file.take(size.get());
    let mut buffer = vec![0; usize::try_from(size.get()).map_or(LONGEST_READ, |size| size.min(LONGEST_READ))];
    let mut left = size;
    while !left.is_zero() {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(false),
            Ok(length) => {
                take(&buffer[..length]);
                left = left.saturating_sub(ByteCount::of_len(length));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// The hash of the bytes added so far.
pub(crate) fn digest_of(hash: &Sha256) -> Digest {
    hash.clone().finalize().into()
}

/// The longest read: it stays in the processor's cache for the hash.
const LONGEST_READ: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use super::*;

    #[test]
    fn a_beginning_has_a_hash_and_what_is_too_short_has_none() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&[7; 100_000]).expect("room");
        for (size, is_there) in [(0, true), (1, true), (100_000, true), (100_001, false)] {
            file.rewind().expect("it is a file");
            let hash = hash_of(&file, ByteCount::new(size)).expect("it can be read");
            let right = is_there.then(|| Sha256::digest(vec![7; size as usize]));
            assert_eq!(hash.map(Sha256::finalize), right, "{size} bytes");
        }
    }
}
