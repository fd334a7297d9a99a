//! The events of a transfer in progress.

use std::path::PathBuf;

use anabranch_base::ByteCount;

use crate::protocol::{Digest, FileVerdict};

/// Something that happened in a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The transfer has this many bytes more: at the sender all of them at the start, at the receiver those of each file.
    Expected(ByteCount),
    /// This many of the expected bytes will not come: their file was refused, failed, or cannot be read.
    Forgone(ByteCount),
    /// A file begins.
    Began {
        /// The name.
        name: String,
        /// True if the ends first compare what the receiver has of it, which reads that part at both ends.
        compares: bool,
    },
    /// The last file continues after this many bytes, which the receiver has already.
    Resumed(ByteCount),
    /// This many bytes more of files have travelled: acknowledged at the sender, stored at the receiver.
    Progress(ByteCount),
    /// All of the last file has come to this receiver, which reads back what it stored.
    Verifying,
    /// Something the user should know at once.
    Remark(Remark),
    /// A file has its verdict. It need not be the one that began last.
    Finished(Transferred),
    /// A directory has been made, or was there.
    MadeDirectory,
    /// The sender is gone; this many bytes of the last file are kept, so that another transfer can continue.
    Kept(ByteCount),
}

/// Something the user should know at once: why a file is sent from the start although a part of it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// What the receiver has under this name is not the beginning of the file.
    NotItsBeginning {
        /// The file.
        name: String,
        /// The amount the receiver has.
        there: ByteCount,
    },
    /// The part is of a file with another size or time.
    AnotherVersion {
        /// The part.
        part: PathBuf,
        /// The amount it holds.
        holds: ByteCount,
    },
    /// The part is not what was written down of it: it was damaged or changed.
    Damaged {
        /// The part.
        part: PathBuf,
    },
    /// An earlier version of the program left a part beside the file, which is not touched.
    LeftBeside {
        /// The part.
        part: PathBuf,
        /// What is written down of it.
        state: PathBuf,
        /// The amount it holds.
        holds: ByteCount,
    },
}

/// One file that was transferred, or was not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transferred {
    /// The name.
    pub name: String,
    /// How much of it the receiver has, or had before it failed.
    pub size: ByteCount,
    /// How much of that was there before and did not travel.
    pub resumed: ByteCount,
    /// The hash, where it travelled to its end.
    pub digest: Option<Digest>,
    /// The receiver's verdict.
    pub verdict: FileVerdict,
}
