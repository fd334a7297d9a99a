//! A fault in a scenario and its place, while the file is read. The error for users is made from it when the texts are
//! at hand.

use crate::error::{ErrorKind, ErrorReport, Location, ScenarioError};
use crate::excerpt::Excerpt;
use crate::source::Source;
use crate::tree::{Span, TextOrigin};

/// What reading answers.
pub(crate) type Read<T> = Result<T, Box<Fault>>;

/// What is wrong, and where.
#[derive(Debug)]
pub(crate) struct Fault {
    kind: ErrorKind,
    span: Span,
    message: String,
    expected: Option<String>,
    nearest: Option<String>,
    /// A key that its table does not have, and perhaps another.
    stray: Option<String>,
    notes: Vec<String>,
    /// A trace file in which the span is, and where the scenario names it.
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

    /// It is no TOML.
    pub fn syntax(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::Syntax, span, message)
    }

    /// A key, a name or a word that there is not.
    pub fn unknown(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::Unknown, span, message)
    }

    /// A key that has to be there.
    pub fn missing(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::Missing, span, message)
    }

    /// A value outside its domain.
    pub fn value(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::Value, span, message)
    }

    /// A known name that is not built yet.
    pub fn not_built(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::NotBuilt, span, message)
    }

    /// A trace file that the scenario names at `named` and that is wrong at `span`.
    pub fn trace(file: Source, named: Span, span: Span, message: impl Into<String>) -> Box<Fault> {
        let mut fault = Fault::new(ErrorKind::Trace, span, message);
        fault.trace = Some((file, named));
        fault
    }

    /// A recording that is read by itself, with no scenario that names it.
    pub fn of_recording(span: Span, message: impl Into<String>) -> Box<Fault> {
        Fault::new(ErrorKind::Trace, span, message)
    }

    /// With what would be right.
    pub fn expected(mut self: Box<Self>, expected: impl Into<String>) -> Box<Fault> {
        self.expected = Some(expected.into());
        self
    }

    /// With what was probably meant.
    pub fn nearest(mut self: Box<Self>, nearest: Option<impl Into<String>>) -> Box<Fault> {
        self.nearest = nearest.map(Into::into);
        self
    }

    /// About `key`, which may belong to another table.
    pub fn stray(mut self: Box<Self>, key: &str) -> Box<Fault> {
        self.stray = Some(key.to_owned());
        self
    }

    /// With the header under which a stray key belongs, where `header_of` knows it.
    pub fn sent_home(mut self: Box<Self>, header_of: impl Fn(&str) -> Option<&'static str>) -> Box<Fault> {
        if let Some((header, key)) = self.stray.take().and_then(|key| Some((header_of(&key)?, key))) {
            self.expected = Some(match self.span.origin {
                TextOrigin::Setting(_) => on_command_line(header, &key),
                _ => format!("`{key}` under {header}"),
            });
        }
        self
    }

    /// With one more remark: a sentence on its own.
    pub fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Fault> {
        self.notes.push(help.into());
        self
    }

    /// As users see it, in a file that was read without settings.
    pub fn in_file(self: Box<Self>, source: &Source) -> ScenarioError {
        self.shown::<&str>(source, &[])
    }

    /// As users see it, with the text around it: the file's, or that of one of `settings`.
    pub fn shown<S: AsRef<str>>(self: Box<Self>, source: &Source, settings: &[S]) -> ScenarioError {
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
