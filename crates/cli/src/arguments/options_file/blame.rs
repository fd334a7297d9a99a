//! The place in a file of options that an error of the whole command line is about.

use std::ffi::OsString;
use std::ops::Range;

use anabranch_scenario::{ScenarioError, Source};
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Entry, definition, joined, parse_words, without_keys};

/// The error at its place in the file; `None` if the command line alone is wrong. `used` are the options of the file that
/// precede `words`.
pub(super) fn place(
    error: &clap::Error,
    shown: &Source,
    used: &[&Entry],
    words: &[OsString],
) -> Option<ScenarioError> {
    let found = match error.kind() {
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => value(error, used),
        ErrorKind::ArgumentConflict => conflict(error, shown, used),
        ErrorKind::MissingRequiredArgument => Some(missing(error, used, words)),
        _ => None,
    };
    let (at, message) = found?;
    Some(ScenarioError::in_options(shown, at, without_keys(&message), None, None))
}

/// A value that an option of the file does not take.
fn value(error: &clap::Error, used: &[&Entry]) -> Option<(Range<usize>, String)> {
    let key = names(error, ContextKind::InvalidArg).into_iter().next()?;
    let wrong = texts(error, ContextKind::InvalidValue).concat();
    let definition = definition();
    let option = definition.get_arguments().find(|option| option.get_long() == Some(key.as_str()))?;
    let has_it = |entry: &&&Entry| {
        entry.key == key
            && entry.value.as_ref().is_some_and(|value| {
                let delimiter = option.get_value_delimiter();
                *value == wrong
                    || delimiter.is_some_and(|delimiter| value.split(delimiter).any(|one| one == wrong))
            })
    };
    let entry = used.iter().find(has_it)?;
    let why = std::error::Error::source(error).map_or_else(String::new, |why| format!(": {why}"));
    Some((entry.value_at.clone(), format!("invalid value '{wrong}' for `{key}`{why}")))
}

/// Two options that exclude one another, of which the later one of the file has the error.
fn conflict(error: &clap::Error, shown: &Source, used: &[&Entry]) -> Option<(Range<usize>, String)> {
    let mut all = names(error, ContextKind::InvalidArg);
    all.extend(names(error, ContextKind::PriorArg));
    let mut present: Vec<&&Entry> =
        all.iter().filter_map(|name| used.iter().find(|entry| entry.key == *name)).collect();
    present.sort_by_key(|entry| entry.key_at.start);
    present.dedup_by_key(|entry| entry.key.clone());
    let last = present.pop()?;
    let key = &last.key;
    let message = match present.first() {
        Some(first) => {
            let line = shown.text[..first.key_at.start].matches('\n').count() + 1;
            format!("`{key}` cannot be used with `{}`, which is on line {line}", first.key)
        }
        None => {
            let others: Vec<String> =
                all.iter().filter(|name| *name != key).map(|name| format!("--{name}")).collect();
            format!("`{key}` cannot be used with {} of the command line", others.join(" and "))
        }
    };
    Some((last.key_at.clone(), message))
}

/// An option that lacks another one, or the file as a whole that lacks one.
fn missing(error: &clap::Error, used: &[&Entry], words: &[OsString]) -> (Range<usize>, String) {
    let lacking = texts(error, ContextKind::InvalidArg);
    let mut keys: Vec<&Entry> = used.to_vec();
    keys.sort_by_key(|entry| entry.key_at.start);
    keys.dedup_by_key(|entry| entry.key.clone());
    let is_cause = |entry: &&&Entry| {
        let others: Vec<&Entry> = used.iter().filter(|other| other.key != entry.key).copied().collect();
        let without = parse_words(&joined(&others, words)).err();
        let still = without.map_or_else(Vec::new, |error| texts(&error, ContextKind::InvalidArg));
        // Without an option that others need, more or other options are missing.
        still.len() < lacking.len() && still.iter().all(|name| lacking.contains(name))
    };
    match keys.iter().find(is_cause) {
        Some(entry) => {
            let needed: Vec<String> = lacking.iter().map(|name| format!("`{}`", name_of(name))).collect();
            (entry.key_at.clone(), format!("`{}` is for an end with {}", entry.key, needed.join(" and ")))
        }
        None => (0..0, format!("required and not given: {}", lacking.join(", "))),
    }
}

/// The long names of the options in clap's error.
fn names(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    texts(error, kind).iter().map(|text| name_of(text).to_owned()).collect()
}

/// `--to <HOST>` without its value and dashes.
fn name_of(text: &str) -> &str {
    let name = text.split([' ', '=', '[']).next().unwrap_or_default();
    name.trim_start_matches('-')
}

fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}
