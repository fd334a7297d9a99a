//! Draws errors of the command line, from clap's structured errors, like errors of scenarios: the line as it was typed,
//! with a mark under the fault.

use std::ops::Range;

use anabranch_scenario::{Excerpt, Style};
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::usage;

/// An error in a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentError {
    /// The message, one sentence.
    pub message: String,
    /// The lines below the message: hints, the usage.
    remarks: Vec<String>,
    /// The words of the command line, joined by blanks.
    line: String,
    /// The range of the fault in `line`, in bytes.
    marked: Range<usize>,
}

impl ArgumentError {
    /// Makes an error from clap's `error` about these words, of which the first is the program's name.
    pub(crate) fn of(error: &clap::Error, words: &[String], program: &Command) -> ArgumentError {
        let named = named(words, program);
        let whole = called(named.unwrap_or(program));
        let mut remarks = hints(error);
        remarks.push(format!("usage: {}", usage(named.unwrap_or(program))));
        remarks.push(format!("`{whole} --help` has details"));
        let (line, places) = typed(program.get_name(), words);
        let marked = places.get(at(error, words)).cloned().unwrap_or(line.len()..line.len());
        // Control characters would move the cursor.
        let message = message(error).replace(char::is_control, "\u{fffd}");
        ArgumentError { message, remarks, line, marked }
    }

    /// Draws the error for a terminal of this many columns.
    pub(crate) fn draw(&self, style: Style, columns: usize) -> String {
        let [bold, end] = style.bold();
        let excerpt = Excerpt::of_line(&self.line, self.marked.clone());
        format!("{bold}error: {}{end}\n{}", self.message, excerpt.draw(&self.remarks, style, columns))
    }
}

/// The command that the first words after the program's name select.
fn named<'c>(words: &[String], program: &'c Command) -> Option<&'c Command> {
    let mut found = None;
    for word in words.iter().skip(1) {
        match found.unwrap_or(program).find_subcommand(word) {
            Some(command) => found = Some(command),
            None => break,
        }
    }
    found
}

/// Returns the words that start a command.
fn called(command: &Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).to_owned()
}

fn message(error: &clap::Error) -> String {
    let arguments = texts(error, ContextKind::InvalidArg);
    let argument = arguments.join(", ");
    let value = texts(error, ContextKind::InvalidValue).concat();
    let number = |kind| match error.get(kind) {
        Some(ContextValue::Number(number)) => number.to_string(),
        _ => "?".to_owned(),
    };
    let why = std::error::Error::source(error).map_or_else(String::new, |why| format!(": {why}"));
    match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => format!("'{argument}' needs a value"),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            format!("invalid value '{value}' for '{argument}'{why}")
        }
        ErrorKind::UnknownArgument => format!("unexpected argument '{argument}'"),
        ErrorKind::InvalidSubcommand => {
            format!("unrecognized subcommand '{}'", texts(error, ContextKind::InvalidSubcommand).concat())
        }
        ErrorKind::NoEquals => format!("'{argument}' needs its value after a `=`"),
        ErrorKind::TooManyValues => {
            format!("unexpected value '{value}' for '{argument}': it has one already")
        }
        ErrorKind::TooFewValues => {
            let [is, least] = [ContextKind::ActualNumValues, ContextKind::MinValues].map(number);
            format!("'{argument}' has {is} values, and needs {least}")
        }
        ErrorKind::WrongNumberOfValues => {
            let [is, wanted] = [ContextKind::ActualNumValues, ContextKind::ExpectedNumValues].map(number);
            format!("'{argument}' has {is} values, and needs {wanted}")
        }
        ErrorKind::ArgumentConflict => match texts(error, ContextKind::PriorArg) {
            prior if prior.is_empty() || prior == arguments => {
                format!("the argument '{argument}' cannot be used several times")
            }
            prior => format!("the argument '{argument}' cannot be used with '{}'", prior.join("', '")),
        },
        ErrorKind::MissingRequiredArgument => format!("required and not given: {argument}"),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "a command is missing".to_owned()
        }
        ErrorKind::InvalidUtf8 => "an argument is not UTF-8".to_owned(),
        kind => kind.as_str().map_or_else(|| format!("{kind:?}{why}"), |words| format!("{words}{why}")),
    }
}

/// Returns the word that was probably meant, and the words that are allowed.
fn hints(error: &clap::Error) -> Vec<String> {
    let suggested =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let meant = suggested.into_iter().flat_map(|kind| texts(error, kind));
    let mut hints: Vec<String> = meant.map(|name| format!("did you mean `{name}`?")).collect();
    for kind in [ContextKind::ValidValue, ContextKind::ValidSubcommand] {
        match texts(error, kind).as_slice() {
            [] => {}
            valid => hints.push(format!("expected one of {}", valid.join(", "))),
        }
    }
    hints.extend(texts(error, ContextKind::Suggested));
    hints
}

/// Returns the texts of clap's error of this kind.
fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// Returns the line, and the range of each word in it.
fn typed(program: &str, words: &[String]) -> (String, Vec<Range<usize>>) {
    let mut line = String::new();
    let mut places = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        let start = line.len();
        match word.as_str() {
            _ if index == 0 => line.push_str(program),
            word if word.is_empty() || word.contains(char::is_whitespace) => {
                line.push_str(&format!("'{word}'"));
            }
            word => line.push_str(word),
        }
        places.push(start..line.len());
    }
    (line, places)
}

/// Returns the index of the wrong word; the index after the last if a word is missing.
fn at(error: &clap::Error, words: &[String]) -> usize {
    let [arguments, values, commands] =
        [ContextKind::InvalidArg, ContextKind::InvalidValue, ContextKind::InvalidSubcommand]
            .map(|kind| texts(error, kind));
    // Clap names an option with its value, `--runs <N>`.
    let option = arguments.first().and_then(|argument| argument.split([' ', '=']).next()).unwrap_or_default();
    let is_option = |word: &String| word == option || word.split('=').next() == Some(option);
    let is_value = |word: &String| values.first() == Some(word);
    let behind_option = words.windows(2).position(|pair| is_option(&pair[0]) && is_value(&pair[1]));
    let found = match error.kind() {
        ErrorKind::MissingRequiredArgument => None,
        ErrorKind::InvalidSubcommand => words.iter().position(|word| commands.first() == Some(word)),
        _ => behind_option
            .map(|at| at + 1)
            .or_else(|| words.iter().rposition(is_option))
            .or_else(|| words.iter().rposition(is_value)),
    };
    found.unwrap_or(words.len())
}

#[cfg(test)]
mod tests {
    use super::super::{Arguments, laid_out, parse_words};
    use super::*;
    use clap::CommandFactory as _;

    /// Returns the text of a line, and the marked part of it.
    fn said(line: &str) -> (String, String) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let error = parse_words(&words).expect_err("a wrong line");
        let mut program = laid_out(Arguments::command());
        program.build();
        let wrong = ArgumentError::of(&error, &words, &program);
        (wrong.message, wrong.line[wrong.marked].to_owned())
    }

    #[test]
    fn the_word_that_is_wrong_is_marked() {
        for (line, message, marked) in [
            ("anabranch sned a", "unrecognized subcommand 'sned'", "sned"),
            ("anabranch sim a.toml --sed 3", "unexpected argument '--sed'", "--sed"),
            ("anabranch sim a.toml --sed=3", "unexpected argument '--sed'", "--sed=3"),
            ("anabranch sim a.toml --runs", "'--runs <N>' needs a value", "--runs"),
            ("anabranch sim a.toml b.toml", "unexpected argument 'b.toml'", "b.toml"),
            ("anabranch sim", "required and not given: <SCENARIO>", ""),
        ] {
            assert_eq!(said(line), (message.to_owned(), marked.to_owned()), "{line}");
        }
        let (message, marked) = said("anabranch sim 0 --seed 0 --runs 0");
        assert!(message.starts_with("invalid value '0' for '--runs <N>': "), "{message}");
        assert_eq!(marked, "0");
        assert_eq!(said("anabranch sim a --runs=0").1, "--runs=0");
        assert!(said("anabranch predict a --loss-model x").0.starts_with("invalid value 'x'"));
    }

    #[test]
    fn it_is_drawn_with_what_was_meant_within_the_terminal() {
        let words = ["anabranch", "sim", &"a".repeat(300), "--sed", "3"].map(str::to_owned);
        let mut program = laid_out(Arguments::command());
        program.build();
        let error = parse_words(&words).expect_err("no such argument");
        let drawn = ArgumentError::of(&error, &words, &program).draw(Style::Plain, 80);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "error: unexpected argument '--sed'");
        assert!(lines[2].contains("--sed 3") && lines[2].chars().count() <= 80, "{drawn}");
        assert_eq!(lines[2].find("--sed"), lines[3].find("^^^^^"), "{drawn}");
        assert!(
            drawn.contains("= did you mean `--seed`?") && drawn.contains("= usage: anabranch sim "),
            "{drawn}"
        );
    }

    #[test]
    fn words_with_blanks_are_quoted() {
        let words = ["/usr/bin/anabranch", "sim", "a b", ""].map(str::to_owned);
        assert_eq!(typed("anabranch", &words).0, "anabranch sim 'a b' ''");
    }
}
