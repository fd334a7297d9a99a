//! A file of options, which precede those of the command line: TOML whose keys are the long names of the command's options.
//!
//! The keys, the number of values and what excludes one another are those of the command line's own definition. A value is
//! read as the word after its option, and an error stands where the value does.

mod blame;
mod entries;

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anabranch_scenario::{Location, ParsedDocument, ScenarioError, Source};
use clap::parser::ValueSource;
use clap::{ArgAction, CommandFactory as _};

use super::{Arguments, Command, parse_words};

/// The options of a file, checked one by one.
#[derive(Debug)]
pub(crate) struct OptionsFile {
    source: Source,
    entries: Vec<Entry>,
}

/// A value of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// The long name of the option.
    key: String,
    /// The place of the key.
    key_at: Range<usize>,
    /// The place of the value.
    value_at: Range<usize>,
    /// The value as a word; `None` for an option without a value.
    value: Option<String>,
}

/// The file that `--config` names in a command line that is not parsed yet, and may lack what the file has.
pub(crate) fn named(words: &[OsString]) -> Option<PathBuf> {
    Given::of(words)?.file
}

impl OptionsFile {
    /// Reads the text of a file in `folder`, from which relative paths lead.
    ///
    /// # Errors
    /// The text is not TOML, or has a key or a kind of value that the command does not take.
    pub(crate) fn parse(source: &Source, folder: &Path) -> Result<OptionsFile, ScenarioError> {
        let shown = Source::new(source.name.clone(), without_keys(&source.text));
        if source.text.len() > LARGEST {
            let message = format!("the file has {} bytes; at most {LARGEST} are read", source.text.len());
            return Err(ScenarioError::in_options(&shown, 0..0, message, None, None));
        }
        // It bounds the nesting, and says what is wrong with the syntax.
        ParsedDocument::parse(&shown)?;
        let entries = entries::read(&source.text, &shown, folder)?;
        Ok(OptionsFile { source: shown, entries })
    }

    /// The command line `words` with the options of this file before its own. Of an option that may be given once, that of
    /// the command line counts. A command line that is wrong by itself is returned as it is.
    ///
    /// # Errors
    /// A value that the option does not take, options that exclude one another, and what is missing.
    pub(crate) fn before(&self, words: &[OsString]) -> Result<Vec<OsString>, ScenarioError> {
        let Some(given) = Given::of(words) else { return Ok(words.to_vec()) };
        let used: Vec<&Entry> = self.entries.iter().filter(|entry| !given.replaces(&entry.key)).collect();
        let line = joined(&used, words);
        match parse_words(&line) {
            Ok(parsed) => match self.unfit(&parsed.command) {
                Some(error) => Err(error),
                None => Ok(line),
            },
            Err(error) => match blame::place(&error, &self.source, &used, words) {
                Some(error) => Err(error),
                None => Ok(words.to_vec()),
            },
        }
    }

    /// The complaint of `check` about the settings of this file, at the one that it is about.
    ///
    /// # Errors
    /// That complaint.
    pub(crate) fn check_settings(
        &self,
        check: impl FnOnce(&[String]) -> Result<(), ScenarioError>,
    ) -> Result<(), ScenarioError> {
        let all = self.entries.iter().filter(|entry| entry.key == "set");
        let (at, settings): (Vec<_>, Vec<_>) =
            all.filter_map(|entry| Some((entry.value_at.clone(), entry.value.clone()?))).unzip();
        check(&settings).map_err(|error| {
            let Location::Setting(wrong) = error.place() else { return error };
            let found = settings.iter().position(|setting| setting == wrong);
            let at = found.and_then(|index| at.get(index).cloned()).unwrap_or(0..0);
            let message = without_keys(error.message());
            ScenarioError::in_options(&self.source, at, message, error.nearest(), error.expected())
        })
    }

    /// The complaint of the command about options that do not fit together.
    fn unfit(&self, command: &Command) -> Option<ScenarioError> {
        let Command::Forward(forward) = command else { return None };
        let message = forward.check().err()?;
        let named = message.strip_prefix("--").and_then(|rest| {
            let (key, rest) = rest.split_once(' ')?;
            let entry = self.entries.iter().find(|entry| entry.key == key)?;
            Some((entry.key_at.clone(), format!("`{key}` {rest}")))
        });
        let (at, message) = named.unwrap_or((0..0, message));
        Some(ScenarioError::in_options(&self.source, at, message, None, None))
    }
}

impl Entry {
    /// The word of a command line.
    fn word(&self) -> OsString {
        match &self.value {
            Some(value) => format!("--{}={value}", self.key).into(),
            None => format!("--{}", self.key).into(),
        }
    }
}

/// The options of a command line.
struct Given {
    file: Option<PathBuf>,
    /// The names of those that may be given once.
    single: Vec<String>,
}

impl Given {
    /// Reads a command line of `forward` that may lack what the file has. `None` for other commands, and where help is
    /// asked for.
    fn of(words: &[OsString]) -> Option<Given> {
        // A word that is no option would be taken for the value of the file's last one.
        if words.get(1)? != COMMAND || !words.get(2)?.to_string_lossy().starts_with('-') {
            return None;
        }
        let program = Arguments::command().ignore_errors(true);
        let matches = program.try_get_matches_from(words).ok()?;
        let matches = matches.subcommand_matches(COMMAND)?;
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let definition = definition();
        let once =
            definition.get_arguments().filter(|one| !is_repeated(one) && is_given(one.get_id().as_str()));
        let single = once.filter_map(|one| one.get_long().map(str::to_owned)).collect();
        Some(Given { file: matches.get_one::<PathBuf>("config").cloned(), single })
    }

    fn replaces(&self, key: &str) -> bool {
        self.single.iter().any(|single| single == key)
    }
}

/// The command whose options a file may have.
fn definition() -> clap::Command {
    let mut program = Arguments::command();
    program.build();
    program.find_subcommand(COMMAND).cloned().unwrap_or_default()
}

/// Returns true if each further use of the option adds a value.
fn is_repeated(option: &clap::Arg) -> bool {
    matches!(option.get_action(), ArgAction::Append)
}

/// The command line with these options before its own.
fn joined(entries: &[&Entry], words: &[OsString]) -> Vec<OsString> {
    let (command, own) = words.split_at(words.len().min(2));
    let from_file = entries.iter().map(|entry| entry.word());
    command.iter().cloned().chain(from_file).chain(own.iter().cloned()).collect()
}

/// `text` with each run of digits that may be a key replaced: an error is shown in logs.
fn without_keys(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        let (before, from) = rest.split_at(start);
        let length = from.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(from.len());
        let (digits, after) = from.split_at(length);
        shown.push_str(before);
        if length < KEY_DIGITS {
            shown.push_str(digits);
        } else {
            shown.extend(std::iter::repeat_n('*', length));
        }
        rest = after;
    }
    shown + rest
}

const COMMAND: &str = "forward";
/// The largest file.
pub(crate) const LARGEST: usize = 1 << 20;
/// The digits of a key.
const KEY_DIGITS: usize = 32;

#[cfg(test)]
mod tests;
