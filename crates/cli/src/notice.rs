//! The only writer to standard error. A message that cannot be written is dropped: the work does not depend on it.

mod log;

use std::io;

use log::{Level, LogForm};

/// Makes the messages from now on a log: each line has its time and level, unless standard error is a terminal.
pub(crate) fn begin_log() {
    log::begin();
}

/// Returns true if messages have a level.
pub(crate) fn is_log() -> bool {
    LogForm::present().is_some()
}

/// Returns true if standard output or standard error leads to systemd's journal: no secret may be written there.
pub(crate) fn is_in_journal() -> bool {
    log::is_in_journal()
}

/// Writes the message `line` to standard error. A terminal gets it wrapped between words, a file or pipe as one line.
pub(crate) fn tell(line: &str) {
    say(Level::Info, line);
}

/// Writes a message after which the operator of a service may have to act.
pub(crate) fn warn(line: &str) {
    say(Level::Warn, line);
}

/// Writes the message of a failure: with the level, or after the program's name.
pub(crate) fn tell_failure(line: &str) {
    match LogForm::present() {
        Some(_) => say(Level::Error, line),
        None => say(Level::Error, &format!("anabranch: {line}")),
    }
}

/// Writes `text` to standard error, and ends its last line. Only in a log does it change.
pub(crate) fn show(text: &str) {
    show_at(Level::Info, text);
}

/// Writes `text` about a failure, like [`show`].
pub(crate) fn show_failure(text: &str) {
    show_at(Level::Error, text);
}

fn say(level: Level, line: &str) {
    match LogForm::present() {
        Some(_) => show_at(level, line),
        None => write_whole(&fitted(line, "")),
    }
}

fn show_at(level: Level, text: &str) {
    match LogForm::present() {
        Some(form) => write_whole(&form.lines(level, text, log::now())),
        None => write_whole(text),
    }
}

fn write_whole(text: &str) {
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
