//! Prints for the studies' program: results on standard output, where a failure to write is an error, and messages on
//! standard error, where it is not.

use std::io::{self, ErrorKind, Write as _};

/// Standard output that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the result to standard output: {0}")]
pub struct NotPrinted(io::Error);

/// Prints `text` as it is; a reader that has closed the pipe is not an error.
///
/// # Errors
/// Standard output cannot be written.
pub fn print(text: &str) -> Result<(), NotPrinted> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(NotPrinted(error)),
        _ => Ok(()),
    }
}

/// Prints a line.
///
/// # Errors
/// Standard output cannot be written.
pub fn print_line(line: &str) -> Result<(), NotPrinted> {
    print(&format!("{line}\n"))
}

/// Writes a message to standard error, or drops it where that is not possible.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
