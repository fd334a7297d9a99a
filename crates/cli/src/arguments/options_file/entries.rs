//! Reads the keys and values of a file of options.

use std::ops::Range;
use std::path::Path;

use anabranch_scenario::{ScenarioError, Source};
use clap::{Arg, ArgAction, ValueHint};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Arguments, COMMAND, Entry, definition, is_repeated, parse_words, without_keys};
use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue};

/// The values of `text`, in its order. `shown` is the text that errors may show.
pub(super) fn read(text: &str, shown: &Source, folder: &Path) -> Result<Vec<Entry>, ScenarioError> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().unwrap_or(0..0);
        ScenarioError::in_options(shown, at, without_keys(error.message()), None, None)
    })?;
    let definition = definition();
    let reader = Reader { definition: &definition, shown, folder };
    let mut entries = Vec::new();
    for (key, value) in table.get_ref() {
        let option = reader.option(key.get_ref(), key.span())?;
        entries.extend(reader.values(option, key.span(), value)?);
    }
    // The parser sorts keys by name.
    entries.sort_by_key(|entry| entry.value_at.start);
    Ok(entries)
}

struct Reader<'a> {
    definition: &'a clap::Command,
    shown: &'a Source,
    folder: &'a Path,
}

impl Reader<'_> {
    /// The option with this long name.
    fn option(&self, key: &str, at: Range<usize>) -> Result<&Arg, ScenarioError> {
        let wrong = |message: String, nearest: Option<&str>, expected: Option<&str>| {
            ScenarioError::in_options(self.shown, at.clone(), message, nearest, expected)
        };
        if key == SECRET {
            let message = "a key is not part of this file, which others may read".to_owned();
            return Err(wrong(
                message,
                None,
                Some("`key-file`, with the name of a file that its owner alone may read"),
            ));
        }
        let found = self.definition.get_arguments().find(|option| option.get_long() == Some(key));
        let Some(option) = found else {
            let nearest = nearest(key).map(|name| format!("`{name}`"));
            let message = format!("`anabranch {COMMAND}` has no option `{}`", shortened(key));
            return Err(wrong(message, nearest.as_deref(), None));
        };
        match option.get_action() {
            _ if REFUSED.contains(&key) => {}
            ArgAction::Set | ArgAction::Append | ArgAction::SetTrue => return Ok(option),
            _ => {}
        }
        Err(wrong(format!("`{key}` is an option of the command line alone"), None, None))
    }

    fn values(
        &self,
        option: &Arg,
        key_at: Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<Entry>, ScenarioError> {
        let key = option.get_long().unwrap_or_default();
        let entry = |value_at: Range<usize>, value: Option<String>| Entry {
            key: key.to_owned(),
            key_at: key_at.clone(),
            value_at,
            value,
        };
        let takes_none = option.get_num_args().is_some_and(|range| range.min_values() == 0);
        match value.get_ref() {
            DeValue::Boolean(is_set) if takes_none => {
                Ok(is_set.then(|| entry(value.span(), None)).into_iter().collect())
            }
            DeValue::Array(values) if is_repeated(option) => {
                let one =
                    |value: &Spanned<DeValue<'_>>| Ok(entry(value.span(), Some(self.word(option, value)?)));
                values.iter().map(one).collect()
            }
            _ if matches!(option.get_action(), ArgAction::SetTrue) => Err(self.unfit(option, value)),
            _ => Ok(vec![entry(value.span(), Some(self.word(option, value)?))]),
        }
    }

    /// A value as the word after the option. A relative path leads from the folder of the file.
    fn word(&self, option: &Arg, value: &Spanned<DeValue<'_>>) -> Result<String, ScenarioError> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => number.to_string(),
                Err(_) => return Err(self.unfit(option, value)),
            },
            _ => return Err(self.unfit(option, value)),
        };
        match option.get_value_hint() {
            ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath if !text.is_empty() => {
                let path = self.folder.join(&text);
                path.into_os_string().into_string().map_err(|_| {
                    let message = "the folder of this file has a name that is not UTF-8";
                    ScenarioError::in_options(
                        self.shown,
                        value.span(),
                        message,
                        None,
                        Some("a path from the root"),
                    )
                })
            }
            _ => Ok(text),
        }
    }

    /// The error for a value of a kind that the option does not take.
    fn unfit(&self, option: &Arg, value: &Spanned<DeValue<'_>>) -> ScenarioError {
        let what = match value.get_ref() {
            DeValue::String(_) => "text",
            DeValue::Integer(_) => "this number",
            DeValue::Float(_) => "a number with decimals",
            DeValue::Boolean(true) => "true",
            DeValue::Boolean(false) => "false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let key = option.get_long().unwrap_or_default();
        let message = format!("`{key}` does not take {what}");
        ScenarioError::in_options(self.shown, value.span(), message, None, Some(&expected(option)))
    }
}

/// The kinds of values that an option takes.
fn expected(option: &Arg) -> String {
    if matches!(option.get_action(), ArgAction::SetTrue) {
        return "true or false".to_owned();
    }
    let names = option.get_value_names().unwrap_or_default();
    let form = names.iter().map(clap::builder::Str::as_str).collect::<Vec<_>>().join(" ");
    let list = if is_repeated(option) { ", or a list" } else { "" };
    let alone =
        if option.get_num_args().is_some_and(|range| range.min_values() == 0) { ", true" } else { "" };
    format!("{form} as text or a whole number{alone}{list}")
}

/// The option that was probably meant, as the command line suggests it.
fn nearest(key: &str) -> Option<String> {
    if key.is_empty() || key.len() > LONGEST_KEY {
        return None;
    }
    let folded = key.to_lowercase().replace('_', "-");
    let known = |name: &str| definition().get_arguments().any(|option| option.get_long() == Some(name));
    if known(&folded) {
        return Some(folded);
    }
    let program = Arguments::command();
    let error = parse_words(&[program.get_name(), COMMAND, &format!("--{folded}")]).err()?;
    let Some(ContextValue::String(name)) = error.get(ContextKind::SuggestedArg) else { return None };
    let name = name.trim_start_matches('-');
    (!REFUSED.contains(&name)).then(|| name.to_owned())
}

fn shortened(key: &str) -> String {
    let shown = without_keys(key);
    match shown.char_indices().nth(LONGEST_KEY) {
        Some((at, _)) => format!("{}…", &shown[..at]),
        None => shown,
    }
}

/// A key for which `key-file` is meant.
const SECRET: &str = "key";
/// The options that have no use in a file.
pub(super) const REFUSED: [&str; 4] = ["config", "add-client", "release", "help"];
const LONGEST_KEY: usize = 64;
