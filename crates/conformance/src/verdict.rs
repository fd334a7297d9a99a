//! The verdict on a script.

use std::fmt;

/// The verdict on a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything happened as the script says.
    Passed,
    /// Something else happened.
    Failed(Failure),
    /// The script needs what the core, or its socket interface here, does not have.
    NotApplicable(Lacking),
    /// The script cannot be read.
    Unreadable(Lacking),
}

/// Something else than the script says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The line of the event.
    pub line: usize,
    /// The difference in a few words.
    pub what: String,
    /// The lines of the script, or what it expects.
    pub expected: String,
    /// The event in its place.
    pub got: String,
}

/// Something that is missing, and the line that needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// The line.
    pub line: usize,
    /// The name of it.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.line, self.what)?;
        writeln!(f, "    expected: {}", self.expected)?;
        write!(f, "         got: {}", self.got)
    }
}
