//! A fault in a scenario with its place, found while reading. The error for users is made from it once the texts are at
//! hand.

use std::ops::Range;

use crate::error::{ErrorKind, ErrorReport, Location, ScenarioError};
use crate::excerpt::Excerpt;
use crate::source::Source;
use crate::tree::{Span, TextOrigin};

/// The result of reading.
pub(crate) type Read<T> = Result<T, Box<Fault>>;

/// A fault with its place.
#[derive(Debug)]
pub(crate) struct Fault {
    kind: ErrorKind,
    span: Span,
    message: String,
    expected: Option<String>,
    nearest: Option<String>,
    /// An unknown key, which may belong to another table.
    stray: Option<String>,
    notes: Vec<String>,
    /// The trace file that the span is in, and the place that names it in the scenario.
    trace: Option<(Source, Span)>,
}

impl Fault {
    fn new(kind: ErrorKind, span: Span, message: impl Into<String>) -> Box<Fault> {
        let message = message.into();
        Box::new(Fault {
            kind,
            span,
            message,
            expected: None,
            nearest: None,
            stray: None,
            notes: Vec::new(),
            trace: None,
        })
    }

    /// Not TOML.
    pub(crate) fn syntax(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::Syntax, span, message)
    }

    /// An unknown key, name or word.
    pub(crate) fn unknown(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::Unknown, span, message)
    }

    /// A required key is missing.
    pub(crate) fn missing(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::Missing, span, message)
    }

    /// A value outside its domain.
    pub(crate) fn value(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::Value, span, message)
    }

    /// A known name that is not built yet.
    pub(crate) fn not_built(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::NotBuilt, span, message)
    }

    /// A fault at `span` of a trace file, which the scenario names at `named`.
    pub(crate) fn trace(file: Source, named: Span, span: Span, message: impl Into<String>) -> Box<Fault> {
        let mut fault = Fault::new(ErrorKind::Trace, span, message);
        fault.trace = Some((file, named));
        fault
    }

    /// A fault of a recording that is read by itself, without a scenario.
    pub(crate) fn of_recording(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::Trace, span, message)
    }

    /// Adds the expected value.
    pub(crate) fn expected(mut self: Box<Self>, expected: impl Into<String>) -> Box<Fault> {
        self.expected = Some(expected.into());
        self
    }

    /// Adds the nearest known name.
    pub(crate) fn nearest(mut self: Box<Self>, nearest: Option<impl Into<String>>) -> Box<Fault> {
        self.nearest = nearest.map(Into::into);
        self
    }

    /// Marks `key` as unknown here; it may belong to another table.
    pub(crate) fn stray(mut self: Box<Self>, key: &str) -> Box<Fault> {
        self.stray = Some(key.to_owned());
        self
    }

    /// Adds the header of the table that an unknown key belongs to, if `header_of` finds one.
    pub(crate) fn in_known_table(
        mut self: Box<Self>,
        header_of: impl Fn(&str) -> Option<&'static str>,
    ) -> Box<Fault> {
        if let Some((header, key)) = self.stray.take().and_then(|key| Some((header_of(&key)?, key))) {
            self.expected = Some(match self.span.origin {
                TextOrigin::Setting(_) => on_command_line(header, &key),
                _ => format!("`{key}` under {header}"),
            });
        }
        self
    }

    /// Adds a remark, a sentence of its own.
    pub(crate) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Fault> {
        self.notes.push(help.into());
        self
    }

    /// Makes the error for users, in a file that was read without settings.
    pub(crate) fn in_file(self: Box<Self>, source: &Source) -> ScenarioError {
        self.shown::<&str>(source, &[])
    }

    /// Makes the error for users, with the text around the fault: the file's, or that of one of `settings`.
    pub(crate) fn shown<S: AsRef<str>>(self: Box<Self>, source: &Source, settings: &[S]) -> ScenarioError {
        let mut fault = *self;
        let (place, excerpt) = match fault.trace.take() {
            Some((file, named)) => {
                let named = place(named, source, settings).0;
                fault.notes.push(format!("the trace is named at {named}"));
                place(fault.span, &file, settings)
            }
            None => place(fault.span, source, settings),
        };
        let Fault { kind, message, expected, nearest, notes, .. } = fault;
        ScenarioError::new(ErrorReport { kind, place, message, expected, nearest, notes, excerpt })
    }
}

impl ScenarioError {
    /// The error for a recording from which a scenario is made: the fault at `at`, in bytes of its text, and the
    /// expected value.
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

    /// The error for a file of options: the fault at `at`, in bytes of its text, with the nearest known name and the
    /// expected value.
    pub fn in_options(
        source: &Source,
        at: Range<usize>,
        message: impl Into<String>,
        nearest: Option<&str>,
        expected: Option<&str>,
    ) -> ScenarioError {
        let span = Span { origin: TextOrigin::File, start: at.start, end: at.end };
        let fault = Fault::value(span, message).nearest(nearest);
        match expected {
            Some(expected) => fault.expected(expected).in_file(source),
            None => fault.in_file(source),
        }
    }
}

fn place<S: AsRef<str>>(span: Span, source: &Source, settings: &[S]) -> (Location, Excerpt) {
    match span.origin {
        TextOrigin::File => {
            let position = source.position(span.start);
            let name = source.name.clone();
            let excerpt = Excerpt::new(&position, span.end.saturating_sub(span.start));
            (
                Location::File { name, line: position.line, column: position.column },
                excerpt.numbered(position.line),
            )
        }
        TextOrigin::Setting(index) => {
            let text = settings.get(index).map_or("", AsRef::as_ref);
            let given = Source::new("", text);
            let position = given.position(span.start);
            (Location::Setting(text.to_owned()), Excerpt::new(&position, span.end.saturating_sub(span.start)))
        }
    }
}
/// A key of the table with this header, as `--set` takes it.
fn on_command_line(header: &str, key: &str) -> String {
    let table = header.trim_matches(['[', ']']);
    match table {
        "flow.sctp" | "flow.tcp" => {
            let protocol = table.trim_start_matches("flow.");
            format!("`{protocol}.{key}`, or `flow.NAME.{protocol}.{key}` for one flow")
        }
        "event" => format!("`event.N.{key}`"),
        _ if header.starts_with("[[") => format!("`{table}.NAME.{key}`"),
        _ => format!("`{table}.{key}`"),
    }
}
