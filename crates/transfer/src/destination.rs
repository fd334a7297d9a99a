//! Where received files go: a directory, or standard output.

use std::path::Path;

use crate::protocol::{FileVerdict, Offer};

use crate::output::StandardOutput;
use crate::store::{IncomingFile, OpenError, Overwrite, Store};

/// Where received files go.
#[derive(Clone, Debug)]
pub enum Destination {
    /// Into a directory, each under its name.
    Directory(Store),
    /// One file, to standard output.
    Output(StandardOutput),
}

impl Destination {
    /// What `dir` means: a directory, or standard output where it is `-`.
    ///
    /// # Errors
    /// Where there is no such directory, or it takes no files.
    pub fn open(dir: &Path, overwrite: Overwrite) -> Result<Destination, OpenError> {
        if is_output(dir) {
            return Ok(Destination::Output(StandardOutput::default()));
        }
        Ok(Destination::Directory(Store::open(dir, overwrite)?))
    }

    /// The same destination, whose senders read `advice` behind "exists already; ".
    pub fn advising(self, advice: &'static str) -> Destination {
        match self {
            Destination::Directory(store) => Destination::Directory(store.advising(advice)),
            output @ Destination::Output(_) => output,
        }
    }

    /// Makes a place for the file on offer, or finds what is there of it.
    ///
    /// # Errors
    /// The verdict for the sender.
    pub(crate) fn create(&mut self, offer: &Offer) -> Result<Box<dyn IncomingFile>, FileVerdict> {
        match self {
            Destination::Directory(store) => store.create(offer),
            Destination::Output(output) => output.create(offer),
        }
    }

    /// Makes the directory on offer, unless it is there.
    ///
    /// # Errors
    /// The verdict for the sender.
    pub(crate) fn make_directory(&mut self, offer: &Offer) -> Result<(), FileVerdict> {
        match self {
            Destination::Directory(store) => store.make_directory(offer),
            Destination::Output(output) => output.make_directory(),
        }
    }

    /// Nothing more comes.
    pub(crate) fn finish(&mut self) {
        if let Destination::Directory(store) = self {
            store.finish();
        }
    }

    /// Where the file that is called `name` is now, to be shown.
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
