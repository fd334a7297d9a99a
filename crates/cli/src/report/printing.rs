//! The one writer to standard output. What could not be written is told once, and changes how the program ends; a reader
//! that has closed the pipe wants no more, which is no failure.

use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

/// Prints a line. Where it cannot be written, that is told at once, and [`ending`] is a failure.
pub fn print_line(line: &str) {
    let Err(error) = write(&format!("{line}\n")) else { return };
    let is_closed = error.kind() == io::ErrorKind::BrokenPipe;
    if !is_closed && !HAS_FAILED.swap(true, Ordering::Relaxed) {
        Failure::NotPrinted(error).tell();
    }
}

/// How the program ends: as its `failure` says, or as a result that is missing says.
pub fn ending(failure: Option<&Failure>) -> ExitCode {
    match failure {
        Some(failure) => failure.exit_code(),
        None if HAS_FAILED.load(Ordering::Relaxed) => ExitCode::FAILURE,
        None => ExitCode::SUCCESS,
    }
}

/// Not by the standard library's handle, to which a standard output that is open for reading alone counts as written.
#[cfg(unix)]
fn write(text: &str) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    let stdout = rustix::stdio::stdout();
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        match rustix::io::write(stdout, rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => rest = &rest[count..],
            Err(Errno::INTR) => {}
            // Another program made the pipe one that does not block.
            Err(Errno::AGAIN) => {
                let _ = poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], None);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn write(text: &str) -> io::Result<()> {
    use io::Write as _;
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

static HAS_FAILED: AtomicBool = AtomicBool::new(false);
