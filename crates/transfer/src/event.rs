//! The events of a transfer in progress.

use std::path::PathBuf;

use anabranch_base::ByteCount;

use crate::protocol::{Digest, FileVerdict};

/// An event of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// This many more bytes are to be transferred: at the sender all of them at the start, at the receiver those of
    /// each file.
    Expected(ByteCount),
    /// This many of the expected bytes will not be transferred: their file was refused, failed, or cannot be read.
    Forgone(ByteCount),
    /// A file begins.
    Began {
        /// The name of the file.
        name: String,
        /// True if the ends first compare what the receiver has of it, and read that part for it.
        compares: bool,
    },
    /// The current file continues after this many bytes, which the receiver already has.
    Resumed(ByteCount),
    /// This many more bytes of files have been transferred: acknowledged at the sender, stored at the receiver.
    Progress(ByteCount),
    /// The current file has arrived completely, and this receiver reads back what it stored.
    Verifying,
    /// A remark that the user should see immediately.
    Remark(Remark),
    /// A file has its verdict; not necessarily the one that began last.
    Finished(Transferred),
    /// A directory was made or already existed.
    MadeDirectory,
    /// The sender has left; this many bytes of the current file are kept for another transfer to continue.
    Kept(ByteCount),
}

/// A reason why a file is sent from the start although a part of it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The receiver's file of this name is not a beginning of the offered file.
    NotItsBeginning {
        /// The file.
        name: String,
        /// The size of the receiver's file.
        there: ByteCount,
    },
    /// The part belongs to a file with another size or time.
    AnotherVersion {
        /// The part.
        part: PathBuf,
        /// The size of the part.
        holds: ByteCount,
    },
    /// The part differs from its recorded state: it was damaged or changed.
    Damaged {
        /// The part.
        part: PathBuf,
    },
    /// An earlier version of the program left a part beside the file. That part is not touched.
    LeftBeside {
        /// The part.
        part: PathBuf,
        /// The file with its recorded state.
        state: PathBuf,
        /// The size of the part.
        holds: ByteCount,
    },
}

/// The result of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transferred {
    /// The name.
    pub name: String,
    /// The bytes that the receiver has, or had before the failure.
    pub size: ByteCount,
    /// The bytes of those that the receiver already had.
    pub resumed: ByteCount,
    /// The hash, if the file was sent to its end.
    pub digest: Option<Digest>,
    /// The receiver's verdict.
    pub verdict: FileVerdict,
}
