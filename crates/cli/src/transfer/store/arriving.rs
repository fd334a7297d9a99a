//! What a file that arrives can be, for whoever has its bytes: the beginning that is there, more of it, its end. It knows
//! no place where files go.

use std::fmt;

use anabranch_base::ByteCount;
use anabranch_cli::file_protocol::{Digest, Verdict};
use sha2::Sha256;

/// A file that is arriving. Dropped, it is thrown away.
pub trait Arriving: fmt::Debug {
    /// How much of it is there, and the hash of that.
    fn beginning(&self) -> (ByteCount, Sha256);

    /// Nothing of what is there is of any use.
    ///
    /// # Errors
    /// The verdict for the sender.
    fn begin_anew(self: Box<Self>) -> Result<Box<dyn Arriving>, Verdict>;

    /// Adds these bytes; with them, what is there has this hash.
    ///
    /// # Errors
    /// The verdict for the sender, for instance that the disk is full.
    fn write(&mut self, piece: &[u8], hash: &Sha256) -> Result<(), Verdict>;

    /// All is there, and its hash is this: it gets its name.
    ///
    /// # Errors
    /// The verdict for the sender.
    fn keep(self: Box<Self>, digest: &Digest) -> Result<(), Verdict>;

    /// The sender is gone: leaves what is there, with this hash, where another transfer can go on. How much that is.
    fn leave(self: Box<Self>, hash: &Sha256) -> Option<ByteCount>;

    /// What its user should know of how it begins.
    fn remark(&self) -> Option<&str> {
        None
    }
}
