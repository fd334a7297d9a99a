//! Writes an arriving file to standard output.

use std::io;

use crate::protocol::{Digest, FileVerdict, Offer};
use anabranch_base::ByteCount;
use sha2::Sha256;

use crate::refusals::reason;
use crate::store::IncomingFile;

/// Standard output as the destination of one file.
#[derive(Clone, Debug, Default)]
pub struct StandardOutput {
    taken_by: Option<String>,
}

impl StandardOutput {
    /// Accepts the offered file if it is the first.
    ///
    /// # Errors
    /// The verdict for the sender: another file was written there before.
    pub fn create(&mut self, offer: &Offer) -> Result<Box<dyn IncomingFile>, FileVerdict> {
        if let Some(first) = &self.taken_by {
            return Err(FileVerdict::refused(&format!(
                "the receiver's standard output takes a single file, and \"{first}\" was written to it"
            )));
        }
        self.taken_by = Some(offer.path.to_string());
        Ok(Box::new(Stream(io::stdout())))
    }

    /// Refuses the offered directory.
    ///
    /// # Errors
    /// Always; the verdict for the sender.
    pub(crate) fn make_directory(&self) -> Result<(), FileVerdict> {
        Err(FileVerdict::refused(&"the receiver's standard output takes a single file and no directory"))
    }
}

/// A stream: bytes once written cannot be taken back.
#[derive(Debug)]
struct Stream<W>(W);

impl<W: io::Write + std::fmt::Debug + 'static> IncomingFile for Stream<W> {
    fn there(&self) -> ByteCount {
        ByteCount::ZERO
    }

    fn hash(&mut self) -> Result<Option<Sha256>, FileVerdict> {
        Ok(None)
    }

    fn begin_anew(self: Box<Self>) -> Result<Box<dyn IncomingFile>, FileVerdict> {
        Ok(self)
    }

    fn write(&mut self, piece: &[u8], _: &Sha256) -> Result<(), FileVerdict> {
        self.0.write_all(piece).map_err(|error| failed(&error))
    }

    fn keep(mut self: Box<Self>, _: &Digest) -> Result<(), FileVerdict> {
        self.0.flush().map_err(|error| failed(&error))
    }

    fn leave(self: Box<Self>, _: Option<&Sha256>) -> Option<ByteCount> {
        None
    }
}

fn failed(error: &io::Error) -> FileVerdict {
    let why = match error.kind() {
        io::ErrorKind::BrokenPipe => "the program that read it has ended".to_owned(),
        _ => reason(error),
    };
    FileVerdict::failed(&format!("cannot write to standard output: {why}"))
}

#[cfg(test)]
mod tests {
    use crate::protocol::{FileKind, FilePath};

    use super::*;

    #[test]
    fn standard_output_takes_one_file_and_no_directory() {
        let path = FilePath::new(b"a").expect("a good path");
        let offer = Offer { path, kind: FileKind::File { size: None }, mode: None, modified: None };
        let mut output = StandardOutput::default();
        output.create(&offer).expect("the first");
        let verdict = output.create(&offer).expect_err("the second");
        assert_eq!(
            verdict.why,
            "the receiver's standard output takes a single file, and \"a\" was written \
                                 to it"
        );
        assert!(!output.make_directory().expect_err("no place").is_verified());
    }

    #[test]
    fn what_cannot_be_written_fails_the_file() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let verdict = Stream(full).write(b"x", &Sha256::default()).expect_err("it is full");
        assert_eq!(verdict.why, "cannot write to standard output: the disk is full");
    }
}
