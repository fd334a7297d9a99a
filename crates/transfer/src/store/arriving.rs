//! The interface of an incoming file for the writing thread: the stored beginning, further data, the end.

use std::fmt;

use crate::event::Remark;
use crate::protocol::{Digest, FileVerdict};
use anabranch_base::ByteCount;
use sha2::Sha256;

/// An incoming file. Dropped, it is discarded.
pub trait IncomingFile: fmt::Debug {
    /// The size of the stored part.
    fn there(&self) -> ByteCount;

    /// Reads and hashes the stored part; `None` if it is not what was recorded.
    ///
    /// # Errors
    /// The verdict for the sender: the part cannot be read.
    fn hash(&mut self) -> Result<Option<Sha256>, FileVerdict>;

    /// Starts the file from its beginning and discards the stored part.
    ///
    /// # Errors
    /// The verdict for the sender.
    fn begin_anew(self: Box<Self>) -> Result<Box<dyn IncomingFile>, FileVerdict>;

    /// Appends `piece`; `hash` is the hash of the stored part including it.
    ///
    /// # Errors
    /// The verdict for the sender, for instance that the disk is full.
    fn write(&mut self, piece: &[u8], hash: &Sha256) -> Result<(), FileVerdict>;

    /// The file is complete with this hash: gives it its name.
    ///
    /// # Errors
    /// The verdict for the sender.
    fn keep(self: Box<Self>, digest: &Digest) -> Result<(), FileVerdict>;

    /// The sender has vanished: keeps the stored part for another transfer to continue, with its hash if data
    /// arrived. Returns the size kept.
    fn leave(self: Box<Self>, hash: Option<&Sha256>) -> Option<ByteCount>;

    /// Takes the remark on how the file begins, if there is one.
    fn take_remark(&mut self) -> Option<Remark> {
        None
    }
}
