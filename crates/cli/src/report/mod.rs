//! What remains when the work is over: a table for people, a document for scripts. It knows numbers and
//! their names, and does no work.

mod body;
mod columns;
mod document;
mod listing;
mod table;

use crate::arguments::Output;
use crate::failure::Failure;

pub use body::Body;
pub use columns::{head, lay_out};
pub use document::{Document, hex, line};
pub use listing::{shortened, there_already};
pub use table::{milliseconds, path_state, table};

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
    /// Prints it as `output` says.
    pub fn print(&self, output: Output) {
        if output.is_json() {
            let whole = match (&self.document, &self.failure) {
                (Some(document), failure) => document.value(failure.as_ref()),
                (None, Some(failure)) => Body::default().value(Some(failure)),
                (None, None) => return,
            };
            let text = if output.json_lines { whole.to_string() } else { format!("{whole:#}") };
            print_line(&text);
        } else if !output.quiet && !self.summary.is_empty() {
            print_line(self.summary.trim_end());
        }
        if let Some(failure) = &self.failure {
            failure.tell();
        }
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Outcome {
        Outcome { failure: Some(failure), ..Outcome::default() }
    }
}

/// Prints a line to standard output; where nobody reads it any more, that is the reader's choice.
pub fn print_line(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{line}");
}
