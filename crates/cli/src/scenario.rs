//! Scenario files as commands take them: a file, or standard input for `-`, with the changes of the command line.

use std::path::{Path, PathBuf};

use anabranch_lab::load::{bounded, contents, files_in, why};
use anabranch_lab::{LoadError, Origin, Purpose, load_bytes};
use anabranch_scenario::{Scenario, ScenarioError, Source};
use serde_json::Value as Json;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::policies;

pub(crate) use anabranch_lab::Loaded;

/// Reads a scenario from `file`, `-` being standard input, and makes the changes, each `KEY=VALUE`.
///
/// # Errors
/// A file that cannot be read, a scenario or a change that is wrong, or Ctrl-C.
pub(crate) async fn load(
    file: &Path,
    changes: &[String],
    interrupt: &mut Interrupt,
) -> Result<Loaded, Failure> {
    load_for(file, changes, Purpose::Flows, interrupt).await
}

/// The same for programs of others on its links: its flows play no part, and need no end.
///
/// # Errors
/// A file that cannot be read, a scenario or a change that is wrong.
pub(crate) async fn load_links(
    file: &Path,
    changes: &[String],
    interrupt: &mut Interrupt,
) -> Result<Loaded, Failure> {
    load_for(file, changes, Purpose::Links, interrupt).await
}

/// The bytes of a scenario, and where they come from: a file, or standard input for `-`, which may name files of the
/// present folder.
///
/// # Errors
/// It cannot be read, or Ctrl-C: a terminal, a pipe or a FIFO may give nothing.
pub(crate) async fn read(file: &Path, interrupt: &mut Interrupt) -> Result<(Vec<u8>, Origin), Failure> {
    let file = file.to_owned();
    interrupt.or_done(move || read_all(&file)).await?
}

fn read_all(file: &Path) -> Result<(Vec<u8>, Origin), Failure> {
    let (bytes, origin) = if file.as_os_str() == "-" {
        (read_stdin(), Origin::of_text("stdin", Some(PathBuf::new())))
    } else {
        (contents(file), Origin::of_file(file))
    };
    let bytes = bytes.map_err(|error| LoadError::NotRead { file: file.to_owned(), why: why(&error) })?;
    Ok((bytes, origin))
}

/// The scenario that a text says, with files beside it in `folder`.
///
/// # Errors
/// It is wrong.
pub(crate) fn parse_beside(source: &Source, folder: &Path) -> Result<Scenario, ScenarioError> {
    Scenario::parse(source, &*files_in(Some(folder)), &[], &policies::registry())
}

/// Every setting as used, for documents.
pub(crate) fn resolved(loaded: &Loaded) -> Json {
    anabranch_observe::resolved(&loaded.scenario)
}

async fn load_for(
    file: &Path,
    changes: &[String],
    purpose: Purpose,
    interrupt: &mut Interrupt,
) -> Result<Loaded, Failure> {
    let (file, changes) = (file.to_owned(), changes.to_vec());
    // Also the files that it names may be such that give nothing.
    let work = move || {
        let (bytes, origin) = read_all(&file)?;
        Ok(load_bytes(&bytes, origin, &changes, purpose, &policies::registry())?)
    };
    interrupt.or_done(work).await?
}

/// Refuses a result that would replace what it is made from: the file of `option` is one of `inputs`.
///
/// # Errors
/// It is.
pub(crate) fn refuse_replaced(option: &str, output: Option<&Path>, inputs: &[&Path]) -> Result<(), Failure> {
    let Some(output) = output else { return Ok(()) };
    let place = |path: &Path| path.canonicalize().ok();
    let is_same = |input: &&&Path| place(output).is_some_and(|output| place(input) == Some(output));
    match inputs.iter().find(is_same) {
        None => Ok(()),
        Some(input) => Err(Failure::Arguments(format!(
            "{option} {} would replace {}, which is read: choose another name",
            output.display(),
            input.display()
        ))),
    }
}

fn read_stdin() -> std::io::Result<Vec<u8>> {
    bounded(std::io::stdin().lock())
}
