//! Where received files go: a directory, or standard output. It knows which of the two, and how neither works.

use std::path::Path;

use anabranch_cli::file_protocol::{Offer, Verdict};

use super::output::Output;
use super::store::{Arriving, Overwrite, Store};
use crate::failure::Failure;

/// Where received files go.
#[derive(Clone, Debug)]
pub enum Destination {
    /// Into a directory, each under its name.
    Directory(Store),
    /// One file, to standard output.
    Output(Output),
}

impl Destination {
    /// What `dir` means: a directory, or standard output where it is `-`.
    ///
    /// # Errors
    /// Where there is no such directory, or it takes no files.
    pub fn open(dir: &Path, overwrite: Overwrite) -> Result<Destination, Failure> {
        if is_output(dir) {
            return Ok(Destination::Output(Output::default()));
        }
        Ok(Destination::Directory(Store::open(dir, overwrite)?))
    }

    /// Makes a place for the file on offer, or finds what is there of it.
    ///
    /// # Errors
    /// The verdict for the sender.
    pub fn create(&mut self, offer: &Offer) -> Result<Box<dyn Arriving>, Verdict> {
        match self {
            Destination::Directory(store) => store.create(offer),
            Destination::Output(output) => output.create(offer),
        }
    }

    /// Makes the directory on offer, unless it is there.
    ///
    /// # Errors
    /// The verdict for the sender.
    pub fn make_directory(&mut self, offer: &Offer) -> Result<(), Verdict> {
        match self {
            Destination::Directory(store) => store.make_directory(offer),
            Destination::Output(output) => output.make_directory(),
        }
    }

    /// Nothing more comes.
    pub fn finish(&mut self) {
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

/// Whether `dir` stands for standard output.
pub fn is_output(dir: &Path) -> bool {
    dir == Path::new("-")
}
