//! Checksums of the expected content of a part, which is read back before it gets its name: what is verified is what
//! is stored. If another program wrote to it, they show how much is still as received.
//!
//! The SHA-256 is of the received data. Computing it once more would double the work on fast links; written and read
//! data are compared by a 64-bit checksum of each block, which takes no longer than the reading. It detects
//! accidents. It cannot protect a file against its own user.

use std::fs::File;
use std::io::{self, Seek as _};

use crate::protocol::Digest;
use anabranch_base::ByteCount;
use crc_fast::{CrcAlgorithm, Digest as Checksum};
use sha2::{Digest as _, Sha256};

use crate::hashing::{digest_of, read_next};

/// A beginning of a file, as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The length.
    pub size: ByteCount,
    /// The hash.
    pub digest: Digest,
}

/// The expected content of a file.
#[derive(Debug)]
pub(super) struct Marks {
    size: ByteCount,
    blocks: Vec<Block>,
    /// The checksum of the last block, which is not full.
    checksum: Checksum,
    /// Beginnings whose hash is known, each longer than the one before. A block ends at each.
    beginnings: Vec<Mark>,
}

/// A block of a file.
#[derive(Clone, Copy, Debug)]
struct Block {
    end: ByteCount,
    checksum: u64,
}

/// The result of reading a file back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadBack {
    /// The file has exactly the received content.
    Intact,
    /// The content differs. Has the longest marked beginning that is as received, if there is one.
    Altered(Option<Mark>),
}

impl Default for Marks {
    /// An empty file.
    fn default() -> Marks {
        let checksum = Checksum::new(CrcAlgorithm::Crc64Nvme);
        Marks { size: ByteCount::ZERO, blocks: Vec::new(), checksum, beginnings: Vec::new() }
    }
}

impl Marks {
    /// Adds the next bytes.
    pub(super) fn add(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            let room = BLOCK.saturating_sub(self.size - self.closed()).get();
            let (fits, rest) =
                piece.split_at(usize::try_from(room).map_or(piece.len(), |room| room.min(piece.len())));
            self.checksum.update(fits);
            self.size += ByteCount::of_len(fits.len());
            if self.size - self.closed() >= BLOCK {
                self.close();
            }
            piece = rest;
        }
    }

    /// Marks the end of the bytes added so far, which have this hash.
    pub(super) fn mark(&mut self, digest: Digest) {
        if self.size > self.closed() {
            self.close();
        }
        if self.beginnings.last().is_none_or(|last| last.size < self.size) {
            self.beginnings.push(Mark { size: self.size, digest });
        }
    }

    /// Adds the next `size` bytes of `file`, and marks a beginning every `step`. Returns their hash, or `None` if
    /// there are fewer.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn add_from(
        &mut self,
        file: &File,
        size: ByteCount,
        step: ByteCount,
    ) -> io::Result<Option<Sha256>> {
        let (mut hash, mut read) = (Sha256::new(), ByteCount::ZERO);
        while read < size {
            let next = step.min(size - read);
            let both = |bytes: &[u8]| {
                hash.update(bytes);
                self.add(bytes);
            };
            if !read_next(file, next, both)? {
                return Ok(None);
            }
            read += next;
            self.mark(digest_of(&hash));
        }
        Ok(Some(hash))
    }

    /// Reads `file` from its beginning to its end.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn read_back(&self, mut file: &File) -> io::Result<ReadBack> {
        file.rewind()?;
        let last = Block { end: self.size, checksum: self.checksum.finalize() };
        let mut at = ByteCount::ZERO;
        for block in self.blocks.iter().chain((self.size > self.closed()).then_some(&last)) {
            let mut checksum = Checksum::new(CrcAlgorithm::Crc64Nvme);
            let is_there = read_next(file, block.end - at, |bytes| checksum.update(bytes))?;
            if !is_there || checksum.finalize() != block.checksum {
                return Ok(ReadBack::Altered(self.longest_within(at)));
            }
            at = block.end;
        }
        let is_longer = file.metadata()?.len() > at.get();
        Ok(if is_longer { ReadBack::Altered(self.longest_within(at)) } else { ReadBack::Intact })
    }

    /// The longest marked beginning of `file` that is as received.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn intact(&self, file: &File) -> io::Result<Option<Mark>> {
        Ok(match self.read_back(file)? {
            ReadBack::Intact => self.longest_within(self.size),
            ReadBack::Altered(intact) => intact,
        })
    }

    fn longest_within(&self, size: ByteCount) -> Option<Mark> {
        self.beginnings.iter().rev().find(|mark| mark.size <= size).copied()
    }

    /// The end of the last full block.
    fn closed(&self) -> ByteCount {
        self.blocks.last().map_or(ByteCount::ZERO, |block| block.end)
    }

    fn close(&mut self) {
        self.blocks.push(Block { end: self.size, checksum: self.checksum.finalize_reset() });
    }
}

/// The longest block; a terabyte has a million of them.
const BLOCK: ByteCount = ByteCount::from_mib(1);

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use super::*;

    fn mark(content: &[u8]) -> Mark {
        Mark { size: ByteCount::of_len(content.len()), digest: Sha256::digest(content).into() }
    }

    /// "abcdefgh" in a file, with marks behind its second and its fourth byte.
    fn marked() -> (File, Marks) {
        let (file, mut marks) = (tempfile::tempfile().expect("a file"), Marks::default());
        file.write_all_at(b"abcdefgh", 0).expect("room");
        let hash = marks.add_from(&file, ByteCount::new(4), ByteCount::new(2)).expect("it can be read");
        assert_eq!(hash.map(|hash| digest_of(&hash)), Some(mark(b"abcd").digest));
        marks.add(b"efgh");
        (file, marks)
    }

    #[test]
    fn a_file_that_nothing_else_wrote_to_is_intact() {
        let (file, marks) = marked();
        assert_eq!(marks.read_back(&file).expect("it can be read"), ReadBack::Intact);
        assert_eq!(marks.intact(&file).expect("it can be read"), Some(mark(b"abcd")));
    }

    #[test]
    fn what_lies_before_an_alteration_is_found_as_far_as_it_is_marked() {
        let (first, second) = (Some(mark(b"ab")), Some(mark(b"abcd")));
        for (at, intact) in [(0, None), (1, None), (2, first), (3, first), (4, second), (7, second)] {
            let (file, marks) = marked();
            file.write_all_at(b"X", at).expect("room");
            assert_eq!(
                marks.read_back(&file).expect("it can be read"),
                ReadBack::Altered(intact),
                "byte {at}"
            );
            assert_eq!(marks.intact(&file).expect("it can be read"), intact, "byte {at}");
        }
    }

    #[test]
    fn a_file_that_was_cut_or_lengthened_is_not_intact() {
        for (length, intact) in [(0, None), (3, Some(mark(b"ab"))), (9, Some(mark(b"abcd")))] {
            let (file, marks) = marked();
            file.set_len(length).expect("ours");
            assert_eq!(marks.read_back(&file).expect("read"), ReadBack::Altered(intact), "{length} bytes");
        }
    }

    /// Blocks end where they should, whatever the length of the pieces.
    #[test]
    fn one_byte_of_many_blocks_is_found_wherever_it_is() {
        let content: Vec<u8> = (0..5 << 19).map(|i: u32| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
        for piece in [content.len(), 65_536, 100_003] {
            let (file, mut marks) = (tempfile::tempfile().expect("a file"), Marks::default());
            file.write_all_at(&content, 0).expect("room");
            content.chunks(piece).for_each(|piece| marks.add(piece));
            assert_eq!(marks.blocks.len(), 2, "and a half");
            assert_eq!(marks.read_back(&file).expect("it can be read"), ReadBack::Intact, "{piece}");
            for at in [0, (1 << 20) - 1, 1 << 20, content.len() - 1] {
                file.write_all_at(&[!content[at]], at as u64).expect("room");
                assert_eq!(marks.read_back(&file).expect("read"), ReadBack::Altered(None), "{piece}, {at}");
                file.write_all_at(&content[at..=at], at as u64).expect("room");
            }
        }
    }
}
