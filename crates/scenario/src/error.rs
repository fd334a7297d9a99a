//! The error that users see when a scenario is wrong.

use std::fmt;
use std::ops::Range;

use crate::excerpt::{Excerpt, Style};
use crate::fault::Fault;
use crate::source::Source;
use crate::tree::{Span, TextOrigin};

/// What is wrong with a scenario, and where.
///
/// It displays as `FILE:LINE:COLUMN: what is wrong`, then the line with a mark under the fault, what was
/// expected, and the nearest known name where one is unknown.
#[derive(Clone, PartialEq, Eq)]
pub struct ScenarioError(Box<ErrorReport>);

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// It is no TOML, or no text.
    Syntax,
    /// A key, a name or a word that there is not.
    Unknown,
    /// Something required is not there.
    Missing,
    /// A value outside its domain.
    Value,
    /// A known name that is not built yet.
    NotBuilt,
    /// A trace file that cannot be read.
    Trace,
}

/// Where the fault is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a file: the scenario, or a trace.
    File {
        /// The name.
        name: String,
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
    },
    /// In this setting of the command line.
    Setting(String),
}

/// All that is said of a fault.
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

    /// Of a recording from which a scenario is made: what is wrong at these bytes of it, and what would be right.
    pub fn in_trace(
        source: &Source,
        at: Range<usize>,
        message: impl Into<String>,
        expected: Option<&str>,
    ) -> ScenarioError {
        let span = Span { origin: TextOrigin::File, start: at.start, end: at.end };
        let fault = Fault::of_recording(span, message);
        let fault = match expected {
            Some(expected) => fault.expected(expected),
            None => fault,
        };
        fault.in_file(source)
    }

    /// What kind of fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it is.
    pub fn place(&self) -> &Location {
        &self.0.place
    }

    /// The file it is in; `None` for a setting of the command line.
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

    /// What is wrong, on one line, without its place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What would be right, where that can be said.
    pub fn expected(&self) -> Option<&str> {
        self.0.expected.as_deref()
    }

    /// The known name that was probably meant.
    pub fn nearest(&self) -> Option<&str> {
        self.0.nearest.as_deref()
    }

    /// What else helps, each a sentence.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        self.0.notes.iter().map(String::as_str)
    }

    /// The whole of it, over several lines, without a line break at the end.
    pub fn show(&self, style: Style) -> String {
        self.show_within(style, WIDTH)
    }

    /// The same for a terminal of this many columns.
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
    /// As it displays: that is what a failed test should show.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for ScenarioError {}

/// The columns of an error that is not drawn for a terminal.
const WIDTH: usize = 120;

/// Without anything that would move a terminal's cursor.
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
