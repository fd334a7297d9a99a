//! `anabranch send`: opens the files, then dials a receiver, starts one by ssh, or waits for receivers that fetch them.

mod dial;
mod sending;
mod serve;
mod ssh;

use std::path::PathBuf;

use anabranch_transfer::Sources;
use anabranch_transfer::protocol::FileKind;

use crate::arguments::{Receiver, SendArguments};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::Outcome;

/// Runs the command.
///
/// # Errors
/// What failed before anything was sent.
pub(crate) async fn run(arguments: &SendArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let (files, receiver) = arguments.parts().map_err(Failure::Arguments)?;
    refuse_two_receivers(arguments, &receiver)?;
    let files = FileList { files, name: arguments.name.as_deref() };
    let found = files.open()?;
    match receiver {
        Receiver::Awaited(hosts) => serve::run(hosts, files, found, arguments, interrupt).await,
        Receiver::Dialled(hosts) => dial::run(hosts, files, found, arguments, interrupt).await,
        Receiver::Started(place) => ssh::run(place, files, found, arguments, interrupt).await,
    }
}

/// The sources as they were named.
#[derive(Clone, Copy, Debug)]
struct FileList<'a> {
    files: &'a [PathBuf],
    name: Option<&'a str>,
}

impl FileList<'_> {
    /// Opens every named source before anything is sent: a wrong name must not break off a transfer.
    fn open(&self) -> Result<Sources, Failure> {
        if self.name.is_some() && self.files.len() > 1 {
            return Err(Failure::Arguments("--name can be used with one FILE only".to_owned()));
        }
        Ok(Sources::find(self.files, self.name)?)
    }
}

/// Refuses the directory of another host beside `--to` or `--listen`, unless a file has that name.
fn refuse_two_receivers(arguments: &SendArguments, receiver: &Receiver<'_>) -> Result<(), Failure> {
    let is_named = !matches!(receiver, Receiver::Started(_));
    match (arguments.remote_word(), arguments.files.last()) {
        (Some((host, _)), Some(word)) if is_named && std::fs::symlink_metadata(word).is_err() => {
            Err(Failure::Arguments(format!(
                "{word:?} would start a receiver at {host:?} by ssh, but --to or --listen names one already (and there \
                 is no file of this name)"
            )))
        }
        _ => Ok(()),
    }
}

/// True if a source is input from a pipe, which cannot be read again.
fn can_be_read_once(sources: &Sources) -> bool {
    sources.entries.iter().any(|entry| entry.offer.kind == FileKind::File { size: None })
}
