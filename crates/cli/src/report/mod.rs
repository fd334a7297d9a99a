//! The result of a command: a table for people, a document for scripts.

mod columns;
mod document;
mod listing;
mod table;

use std::io::{self, Write as _};
use std::process::ExitCode;

use anabranch_observe::Body;

use crate::arguments::Output;
use crate::failure::Failure;

pub use columns::{head, lay_out, lay_out_narrow, wrapped};
pub use document::{TransferDocument, line};
pub use listing::{shortened, there_already};
pub use table::{milliseconds, table};

/// How a command ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was done, for `--json`.
    pub document: Option<Body>,
    /// What was done, for people.
    pub summary: String,
    /// What went wrong.
    pub failure: Option<Failure>,
}

impl Outcome {
    /// Prints it as `output` says, and says how the program ends: a result that could not be written is a failure.
    pub fn print(&self, output: Output) -> ExitCode {
        let written = self.text(output).map_or(Ok(()), |text| write_line(&text));
        let not_written = written.err().map(Failure::NotPrinted);
        let failures = [self.failure.as_ref(), not_written.as_ref()];
        for failure in failures.into_iter().flatten() {
            failure.tell();
        }
        failures.into_iter().flatten().next().map_or(ExitCode::SUCCESS, Failure::exit_code)
    }

    /// What goes to standard output, if anything does.
    fn text(&self, output: Output) -> Option<String> {
        if !output.is_json() {
            let is_wanted = !output.quiet && !self.summary.is_empty();
            return is_wanted.then(|| wrapped(self.summary.trim_end()));
        }
        let whole = match (&self.document, &self.failure) {
            (Some(document), failure) => document.value(failure.as_ref().map(Failure::document)),
            (None, Some(failure)) => Body::default().value(Some(failure.document())),
            (None, None) => return None,
        };
        Some(if output.json_lines { whole.to_string() } else { format!("{whole:#}") })
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Outcome {
        Outcome { failure: Some(failure), ..Outcome::default() }
    }
}

/// Prints a line on the way to a result; where it cannot be written, the result will tell.
pub fn print_line(line: &str) {
    let _ = write_line(line);
}

/// Writes a line to standard output; a reader that has closed the pipe is not an error.
fn write_line(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}
