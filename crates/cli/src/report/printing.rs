//! The one writer to standard output. A write that fails is reported once, and changes the exit status; a reader that
//! has closed the pipe is not a failure.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, mem, thread};

use anabranch_base::Duration;
use anabranch_net::Clock;

use crate::failure::Failure;
use crate::signals;

/// Prints a line. Where it cannot be written, that is told at once, and [`ending`] is a failure. It does not wait for a slow
/// reader, as others wait for this program meanwhile: a thread writes the rest, until [`printed`].
pub(crate) fn print_line(line: &str) {
    let text = format!("{line}\n");
    let mut waiting = waiting();
    let written = if waiting.has_writer { Ok(0) } else { write_at_once(text.as_bytes()) };
    let rest = match written {
        Ok(count) => &text.as_bytes()[count..],
        Err(error) => return not_written(error),
    };
    if !waiting.bytes.is_empty() && waiting.bytes.len() + rest.len() > MOST_WAITING {
        return not_written(unread());
    }
    waiting.bytes.extend_from_slice(rest);
    if waiting.has_writer || rest.is_empty() {
        return;
    }
    waiting.has_writer = true;
    drop(waiting);
    if thread::Builder::new().name("printer".to_owned()).spawn(write_waiting).is_err() {
        write_waiting();
    }
}

/// Waits until all is written that waits for the reader of standard output.
pub(crate) fn wait_until_printed() {
    while waiting().has_writer {
        thread::sleep(LOOK);
    }
}

/// The same where signals are awaited: after Ctrl-C only for a moment.
pub(crate) async fn printed() {
    let mut interrupted = None;
    while waiting().has_writer {
        if signals::has_arrived() && interrupted.get_or_insert_with(Clock::start).elapsed() >= PATIENCE {
            return not_written(unread());
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns the exit status: that of `failure`, or that of a result that is missing.
pub(crate) fn ending(failure: Option<&Failure>) -> ExitCode {
    match failure {
        Some(failure) => failure.exit_code(),
        None if HAS_FAILED.load(Ordering::Relaxed) => ExitCode::FAILURE,
        None => ExitCode::SUCCESS,
    }
}

/// Not by the standard library's handle, to which a standard output that is open for reading alone counts as written.
#[cfg(unix)]
fn write(mut rest: &[u8]) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    let stdout = rustix::stdio::stdout();
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
fn write(bytes: &[u8]) -> io::Result<()> {
    use io::Write as _;
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush())
}

/// Writes what standard output takes without a wait, and says how much that is.
#[cfg(unix)]
fn write_at_once(bytes: &[u8]) -> io::Result<usize> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = rustix::stdio::stdout();
    let mut count = 0;
    for piece in bytes.chunks(PIECE) {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        if poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], Some(&now)) == Ok(0) {
            break;
        }
        write(piece)?;
        count += piece.len();
    }
    Ok(count)
}

#[cfg(not(unix))]
fn write_at_once(bytes: &[u8]) -> io::Result<usize> {
    write(bytes).map(|()| bytes.len())
}

/// Writes what waits, and what comes meanwhile.
fn write_waiting() {
    loop {
        let bytes = {
            let mut waiting = waiting();
            waiting.has_writer = !waiting.bytes.is_empty();
            mem::take(&mut waiting.bytes)
        };
        if bytes.is_empty() {
            return;
        }
        if let Err(error) = write(&bytes) {
            not_written(error);
        }
    }
}

/// Something was not written: that is told, the first time.
fn not_written(error: io::Error) {
    let is_closed = error.kind() == io::ErrorKind::BrokenPipe;
    if !is_closed && !HAS_FAILED.swap(true, Ordering::Relaxed) {
        Failure::NotPrinted(error).tell();
    }
}

fn unread() -> io::Error {
    io::Error::other("its reader does not read")
}

fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The data that waits for the reader of standard output.
struct Waiting {
    bytes: Vec<u8>,
    /// True if a thread writes, all that comes, in its order.
    has_writer: bool,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting { bytes: Vec::new(), has_writer: false });
static HAS_FAILED: AtomicBool = AtomicBool::new(false);
/// A pipe that takes anything takes this much without making its writer wait (`PIPE_BUF` of Linux).
#[cfg(unix)]
const PIECE: usize = 4096;
/// Bytes of results that are kept for a reader beside the last; a service may run for months.
const MOST_WAITING: usize = 16 << 20;
/// For how long a reader is waited for after Ctrl-C.
const PATIENCE: Duration = Duration::from_secs(1);
const LOOK: std::time::Duration = std::time::Duration::from_millis(10);
