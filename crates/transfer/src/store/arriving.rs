//! A file that arrives, as the writing thread sees it: the stored beginning, further data, the end.

use std::fmt;

use crate::event::Remark;
use crate::protocol::{Digest, FileVerdict};
use anabranch_base::ByteCount;
use sha2::Sha256;

/// A file that is arriving. Dropped, it is thrown away.
pub trait IncomingFile: fmt::Debug {
    /// How much of it is there.
    fn there(&self) -> ByteCount;

    /// The hash of that, read from where it is; `None` where it is not what it should be.
    ///
    /// # Errors
    /// The verdict for the sender: it cannot be read.
    fn hash(&mut self) -> Result<Option<Sha256>, FileVerdict>;

    /// Starts the file from its beginning: what is there is not usable.
    ///
    /// # Errors
    /// The verdict for the sender.
    fn begin_anew(self: Box<Self>) -> Result<Box<dyn IncomingFile>, FileVerdict>;

    /// Adds these bytes; with them, what is there has this hash.
    ///
    /// # Errors
    /// The verdict for the sender, for instance that the disk is full.
    fn write(&mut self, piece: &[u8], hash: &Sha256) -> Result<(), FileVerdict>;

    /// All is there, and its hash is this: it gets its name.
    ///
    /// # Errors
    /// The verdict for the sender.
    fn keep(self: Box<Self>, digest: &Digest) -> Result<(), FileVerdict>;

    /// The sender is gone: leaves what is there, with this hash where more came, so that another transfer can
    /// continue. How
    /// much that is.
    fn leave(self: Box<Self>, hash: Option<&Sha256>) -> Option<ByteCount>;

    /// What its user should know of how it begins, once.
    fn take_remark(&mut self) -> Option<Remark> {
        None
    }
}
