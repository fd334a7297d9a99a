//! The file of `--config`, whose options precede those of the command line.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anabranch_scenario::{ScenarioError, Source};

use crate::arguments::options_file::{self, LARGEST, OptionsFile};
use crate::failure::Failure;
use crate::settings;

/// The command line with the options of the file that it names, if it names one.
///
/// # Errors
/// The file cannot be read, or is wrong: with its line and column.
pub(crate) fn with_file(words: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let Some(path) = options_file::named(&words) else { return Ok(words) };
    let source = read(&path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = OptionsFile::parse(&source, folder)?;
    let line = file.before(&words)?;
    file.check_settings(check)?;
    Ok(line)
}

fn read(path: &Path) -> Result<Source, Failure> {
    let name = path.display().to_string();
    let unread = |error: std::io::Error| Failure::Arguments(format!("the file of options {name}: {error}"));
    let mut bytes = Vec::new();
    let most = LARGEST as u64 + 1;
    File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(unread)?;
    Ok(Source::from_bytes(name.clone(), &bytes)?)
}

/// Checks settings of the protocol.
fn check(changes: &[String]) -> Result<(), ScenarioError> {
    match settings::with(settings::for_forward(), changes) {
        Err(Failure::Scenario(error)) => Err(error),
        // Other contradictions are reported when the command begins.
        _ => Ok(()),
    }
}
