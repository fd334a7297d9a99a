//! The result of a command: a table for people, a document for scripts.

mod columns;
mod listing;
mod printing;

use std::process::ExitCode;

use anabranch_observe::Body;

use crate::arguments::Output;
use crate::failure::Failure;

pub(crate) use columns::{WIDTH, head, lay_out, milliseconds, wrapped};
pub(crate) use columns::{lay_out_narrow, optional_columns};
pub(crate) use listing::shortened;
pub(crate) use printing::wait_until_printed;
pub(crate) use printing::{ending, print_line, printed};

/// The outcome of a command.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The document for `--json`.
    pub document: Option<Body>,
    /// The summary for people.
    pub summary: String,
    /// The failure.
    pub failure: Option<Failure>,
    /// True if the command did its work and found something wrong, which its exit status says.
    pub has_findings: bool,
}

impl Outcome {
    /// The outcome after Ctrl-C between two transfers or tests: that of the `last`.
    ///
    /// # Errors
    /// There was none.
    pub(crate) fn interrupted(last: Option<Outcome>) -> Result<Outcome, Failure> {
        let last = last.ok_or(Failure::Interrupted)?;
        Ok(Outcome { failure: Some(Failure::Interrupted), ..last })
    }

    /// Prints it as `output` says, and says how the program ends.
    pub(crate) fn print(&self, output: Output) -> ExitCode {
        self.show(output);
        wait_until_printed();
        self.ending()
    }

    /// The exit code: a result that could not be written is a failure.
    pub(crate) fn ending(&self) -> ExitCode {
        match ending(self.failure.as_ref()) {
            ExitCode::SUCCESS if self.has_findings => ExitCode::from(FINDINGS),
            code => code,
        }
    }

    /// Prints it as `output` says.
    pub(crate) fn show(&self, output: Output) {
        if let Some(text) = self.text(output) {
            print_line(&text);
        }
        if let Some(failure) = &self.failure {
            failure.tell();
        }
    }

    /// Returns the text for standard output, if there is one.
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

/// The exit status of a command that found something wrong.
const FINDINGS: u8 = 3;

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Outcome {
        Outcome { failure: Some(failure), ..Outcome::default() }
    }
}
