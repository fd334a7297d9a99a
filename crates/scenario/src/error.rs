//! The error that users see for an invalid scenario.

use std::fmt;

use crate::excerpt::{Excerpt, Style};

/// A fault in a scenario, with its place.
///
/// Displayed as `FILE:LINE:COLUMN: message`, then the line with the fault marked, the expected value, and the nearest
/// known name where one is unknown.
#[derive(Clone, PartialEq, Eq)]
pub struct ScenarioError(Box<ErrorReport>);

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Not TOML, or not text.
    Syntax,
    /// An unknown key, name or word.
    Unknown,
    /// A required key is missing.
    Missing,
    /// A value outside its domain.
    Value,
    /// A known name that is not built yet.
    NotBuilt,
    /// A trace file that cannot be read.
    Trace,
}

/// The place of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a file: the scenario, or a trace.
    File {
        /// The name of the file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
    },
    /// In this setting of the command line.
    Setting(String),
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ErrorReport {
    pub kind: ErrorKind,
    pub place: Location,
    pub message: String,
    pub expected: Option<String>,
    pub nearest: Option<String>,
    pub notes: Vec<String>,
    pub excerpt: Excerpt,
}

impl ScenarioError {
    pub(crate) fn new(report: ErrorReport) -> ScenarioError {
        ScenarioError(Box::new(report))
    }

    /// The kind of the fault.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The place of the fault.
    pub fn place(&self) -> &Location {
        &self.0.place
    }

    /// The file that has the fault; `None` for a setting of the command line.
    pub fn file(&self) -> Option<&str> {
        match &self.0.place {
            Location::File { name, .. } => Some(name),
            Location::Setting(_) => None,
        }
    }

    /// The line, from 1.
    pub fn line(&self) -> Option<usize> {
        match self.0.place {
            Location::File { line, .. } => Some(line),
            Location::Setting(_) => None,
        }
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> Option<usize> {
        match self.0.place {
            Location::File { column, .. } => Some(column),
            Location::Setting(_) => None,
        }
    }

    /// The message, on one line, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The expected value, if there is one to name.
    pub fn expected(&self) -> Option<&str> {
        self.0.expected.as_deref()
    }

    /// The known name nearest to the unknown one.
    pub fn nearest(&self) -> Option<&str> {
        self.0.nearest.as_deref()
    }

    /// Further remarks, each a sentence.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        self.0.notes.iter().map(String::as_str)
    }

    /// The whole error, over several lines, without a line break at the end.
    pub fn show(&self, style: Style) -> String {
        self.show_within(style, WIDTH)
    }

    /// Like [`show`](Self::show), for a terminal of this many columns.
    pub fn show_within(&self, style: Style, columns: usize) -> String {
        let report = &*self.0;
        let [bold, end] = style.bold();
        let nearest = report.nearest.as_ref().map(|name| format!("did you mean {name}?"));
        let expected = report.expected.as_ref().map(|expected| format!("expected {expected}"));
        let remarks = nearest.iter().chain(&expected).chain(&report.notes);
        let remarks: Vec<String> = remarks.map(|remark| one_line(remark)).collect();
        let excerpt = report.excerpt.draw(&remarks, style, columns);
        format!("{bold}{}: {}{end}\n{excerpt}", report.place, one_line(&report.message))
    }
}

impl ErrorKind {
    /// The name in documents for programs.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Syntax => "syntax",
            ErrorKind::Unknown => "unknown",
            ErrorKind::Missing => "missing",
            ErrorKind::Value => "value",
            ErrorKind::NotBuilt => "not-built",
            ErrorKind::Trace => "trace",
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::File { name, line, column } => write!(f, "{}:{line}:{column}", one_line(name)),
            Location::Setting(text) => write!(f, "--set {}", one_line(&shortened(text))),
        }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show(Style::Plain))
    }
}

impl fmt::Debug for ScenarioError {
    /// As displayed, so that a failed test shows the whole error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for ScenarioError {}

/// The width of an error that is not drawn for a terminal.
const WIDTH: usize = 120;

/// The text without characters that would move a terminal's cursor.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
