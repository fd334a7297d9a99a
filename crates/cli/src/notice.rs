//! The only writer to standard error. A message that cannot be written is dropped: the work does not depend on it.

use std::io;

/// Writes the message `line` to standard error. A terminal gets it wrapped between words, a file or pipe as one line.
pub(crate) fn tell(line: &str) {
    show(&fitted(line, ""));
}

/// Writes `text` to standard error unchanged, and ends its last line.
pub(crate) fn show(text: &str) {
    // Keeps messages of other threads out of this one.
    let _lock = io::stderr().lock();
    for piece in format!("{text}\n").as_bytes().chunks(PIECE) {
        if !is_ready() || write(piece).is_err() {
            return;
        }
    }
}

/// Wraps `line` for the terminal after `indent`; further lines are indented by two more columns.
pub(crate) fn fitted(line: &str, indent: &str) -> String {
    match terminal_size::terminal_size_of(io::stderr()) {
        Some((width, _)) => broken(line, indent, usize::from(width.0)),
        None => format!("{indent}{line}"),
    }
}

/// Returns true if standard error accepts a piece. A slow reader has a second; after that it is not waited for until it
/// reads again, so that an unread message does not delay the work.
#[cfg(unix)]
fn is_ready() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::sync::atomic::{AtomicBool, Ordering};
    static IS_STUCK: AtomicBool = AtomicBool::new(false);
    let patience = if IS_STUCK.load(Ordering::Relaxed) { 0 } else { PATIENCE_S };
    let stderr = rustix::stdio::stderr();
    let mut asked = [PollFd::new(&stderr, PollFlags::OUT)];
    let is_ready = poll(&mut asked, Some(&Timespec { tv_sec: patience, tv_nsec: 0 })) != Ok(0);
    IS_STUCK.store(!is_ready, Ordering::Relaxed);
    is_ready
}

#[cfg(unix)]
fn write(mut piece: &[u8]) -> rustix::io::Result<()> {
    while !piece.is_empty() {
        let count = rustix::io::retry_on_intr(|| rustix::io::write(rustix::stdio::stderr(), piece))?;
        piece = &piece[count..];
    }
    Ok(())
}

#[cfg(not(unix))]
fn is_ready() -> bool {
    true
}

#[cfg(not(unix))]
fn write(piece: &[u8]) -> io::Result<()> {
    io::Write::write_all(&mut io::stderr(), piece)
}

fn broken(line: &str, indent: &str, width: usize) -> String {
    let below = format!("{indent}  ");
    let options = textwrap::Options::new(width)
        .initial_indent(indent)
        .subsequent_indent(&below)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(line, options)
}

/// A pipe that is ready accepts this much without blocking (`PIPE_BUF` of Linux).
const PIECE: usize = 4096;
#[cfg(unix)]
const PATIENCE_S: i64 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_between_words_alone() {
        let line = "192.168.100.100 → 203.0.113.100:9899: port closed, nothing listens there (refused)";
        assert_eq!(
            broken(line, "  ", 60),
            "  192.168.100.100 → 203.0.113.100:9899: port closed, nothing\n    listens there (refused)"
        );
        assert_eq!(broken("2001:db8::1:9899,2001:db8::2:9899", "", 10), "2001:db8::1:9899,2001:db8::2:9899");
        assert_eq!(broken("short", "  ", 80), "  short");
    }
}
