//! Scenario files as commands take them: a file, or standard input for `-`, with the changes of the command line.

use std::path::{Path, PathBuf};

use anabranch_lab::load::{bounded, contents, files_in, why};
use anabranch_lab::{LoadError, Origin, Purpose, load_bytes};
use anabranch_planner::live;
use anabranch_scenario::{Scenario, ScenarioError, Source};
use serde_json::Value as Json;

use crate::failure::Failure;

pub use anabranch_lab::Loaded;

/// Reads a scenario from `file`, `-` being standard input, and makes the changes, each `KEY=VALUE`.
///
/// # Errors
/// A file that cannot be read, a scenario or a change that is wrong.
pub fn load(file: &Path, changes: &[String]) -> Result<Loaded, Failure> {
    load_for(file, changes, Purpose::Flows)
}

/// The same for programs of others on its links: its flows play no part, and need no end.
///
/// # Errors
/// A file that cannot be read, a scenario or a change that is wrong.
pub fn load_links(file: &Path, changes: &[String]) -> Result<Loaded, Failure> {
    load_for(file, changes, Purpose::Links)
}

/// The bytes of a scenario, and where they come from: a file, or standard input for `-`, which may name files of the
/// present folder.
///
/// # Errors
/// It cannot be read.
pub fn read(file: &Path) -> Result<(Vec<u8>, Origin), Failure> {
    let (bytes, origin) = match file.as_os_str() == "-" {
        true => (read_stdin(), Origin::of_text("stdin", Some(PathBuf::new()))),
        false => (contents(file), Origin::of_file(file)),
    };
    let bytes = bytes.map_err(|error| LoadError::NotRead { file: file.to_owned(), why: why(&error) })?;
    Ok((bytes, origin))
}

/// The scenario that a text says, with files beside it in `folder`.
///
/// # Errors
/// It is wrong.
pub fn parse_beside(source: &Source, folder: &Path) -> Result<Scenario, ScenarioError> {
    Scenario::parse(source, &*files_in(Some(folder)), &[], &live::registry())
}

/// Every setting as used, for documents.
pub fn resolved(loaded: &Loaded) -> Json {
    anabranch_observe::resolved(&loaded.scenario)
}

fn load_for(file: &Path, changes: &[String], purpose: Purpose) -> Result<Loaded, Failure> {
    let (bytes, origin) = read(file)?;
    Ok(load_bytes(&bytes, origin, changes, purpose)?)
}

fn read_stdin() -> std::io::Result<Vec<u8>> {
    bounded(std::io::stdin().lock())
}
