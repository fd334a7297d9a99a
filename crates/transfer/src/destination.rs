//! The destination of received files: a directory, or standard output.

use std::path::Path;

use crate::protocol::{FileVerdict, Offer};

use crate::output::StandardOutput;
use crate::store::{IncomingFile, OpenError, Overwrite, Store};

/// The destination of received files.
#[derive(Clone, Debug)]
pub enum Destination {
    /// A directory, in which each file gets its name.
    Directory(Store),
    /// Standard output, for one file.
    Output(StandardOutput),
}

impl Destination {
    /// Opens `dir`: a directory, or standard output if it is `-`.
    ///
    /// # Errors
    /// The directory does not exist, or files cannot be put into it.
    pub fn open(dir: &Path, overwrite: Overwrite) -> Result<Destination, OpenError> {
        if is_output(dir) {
            return Ok(Destination::Output(StandardOutput::default()));
        }
        Ok(Destination::Directory(Store::open(dir, overwrite)?))
    }

    /// Sets the advice that senders read after "exists already; ".
    pub fn advising(self, advice: &'static str) -> Destination {
        match self {
            Destination::Directory(store) => Destination::Directory(store.advising(advice)),
            output @ Destination::Output(_) => output,
        }
    }

    /// Creates the offered file, or opens what is stored of it.
    ///
    /// # Errors
    /// The verdict for the sender.
    pub(crate) fn create(&mut self, offer: &Offer) -> Result<Box<dyn IncomingFile>, FileVerdict> {
        match self {
            Destination::Directory(store) => store.create(offer),
            Destination::Output(output) => output.create(offer),
        }
    }

    /// Makes the offered directory, unless it exists.
    ///
    /// # Errors
    /// The verdict for the sender.
    pub(crate) fn make_directory(&mut self, offer: &Offer) -> Result<(), FileVerdict> {
        match self {
            Destination::Directory(store) => store.make_directory(offer),
            Destination::Output(output) => output.make_directory(),
        }
    }

    /// Ends the transfer: no more files follow.
    pub(crate) fn finish(&mut self) {
        if let Destination::Directory(store) = self {
            store.finish();
        }
    }

    /// The present place of the file `name`, for display.
    pub fn shown(&self, name: &str) -> String {
        match self {
            Destination::Directory(store) => format!("{}/{name}", store.dir().display()),
            Destination::Output(_) => format!("{name} (to standard output)"),
        }
    }
}

/// Returns true if `dir` stands for standard output.
pub fn is_output(dir: &Path) -> bool {
    dir == Path::new("-")
}
