//! The form of messages in a log: with the time and the level, or as systemd's journal takes them.

use std::io::{self, IsTerminal as _};
#[cfg(unix)]
use std::os::fd::BorrowedFd;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The importance of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The work goes on as it should.
    Info,
    /// The work goes on, and its operator may have to act.
    Warn,
    /// A failure.
    Error,
}

/// The form of lines in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogForm {
    /// `2026-01-02T03:04:05.678Z info  connected`, in a file or pipe.
    Timed,
    /// `<6>connected`, in the journal, which has the time (sd-daemon(3)).
    Journal,
}

/// Makes the messages of this program a log, unless standard error is a terminal.
pub(super) fn begin() {
    IS_SERVICE.store(true, Ordering::Relaxed);
}

/// Returns true if standard output or standard error leads to systemd's journal, which many may read.
pub(super) fn is_in_journal() -> bool {
    IN_JOURNAL.iter().any(|is_in_journal| *is_in_journal)
}

impl LogForm {
    /// The form of messages now; `None` if they are for a person.
    pub(super) fn present() -> Option<LogForm> {
        static IS_TERMINAL: LazyLock<bool> = LazyLock::new(|| io::stderr().is_terminal());
        if IN_JOURNAL[1] {
            return Some(LogForm::Journal);
        }
        (IS_SERVICE.load(Ordering::Relaxed) && !*IS_TERMINAL).then_some(LogForm::Timed)
    }

    /// Each line of `text` in this form, of a message that is written at `now`, the time since 1970.
    pub(super) fn lines(self, level: Level, text: &str, now: Duration) -> String {
        let before = match self {
            LogForm::Timed => format!("{} {} ", rfc3339(now), level.word()),
            LogForm::Journal => format!("<{}>", level.priority()),
        };
        let lines: Vec<String> = text.split('\n').map(|line| format!("{before}{line}")).collect();
        lines.join("\n")
    }
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Level::Info => "info ",
            Level::Warn => "warn ",
            Level::Error => "error",
        }
    }

    /// The number in syslog(3).
    fn priority(self) -> u8 {
        match self {
            Level::Info => 6,
            Level::Warn => 4,
            Level::Error => 3,
        }
    }
}

/// The time since 1970.
#[expect(clippy::disallowed_methods, reason = "lines of a log have the time of day")]
pub(super) fn now() -> Duration {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
}

/// The time of day in UTC, to milliseconds (RFC 3339).
fn rfc3339(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let [hour, minute, second] = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60];
    let millisecond = since_1970.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
}

/// The year, month and day of the Gregorian calendar, so many days after the first of January 1970.
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin with March, so that a leap day is the last, and the lengths of months repeat every five.
    let since_year_0 = days + 719_468;
    let (era, day) = (since_year_0 / 146_097, since_year_0 % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// True for standard output, and for standard error, where it is the file that JOURNAL_STREAM names by device and inode.
static IN_JOURNAL: LazyLock<[bool; 2]> =
    LazyLock::new(|| streams_in(&std::env::var("JOURNAL_STREAM").unwrap_or_default()));

#[cfg(unix)]
fn streams_in(journal: &str) -> [bool; 2] {
    [rustix::stdio::stdout(), rustix::stdio::stderr()].map(|stream| is_file(stream, journal))
}

#[cfg(not(unix))]
fn streams_in(_: &str) -> [bool; 2] {
    [false, false]
}

/// Returns true if `stream` is the file `DEVICE:INODE`.
#[cfg(unix)]
fn is_file(stream: BorrowedFd<'_>, device_and_inode: &str) -> bool {
    rustix::fs::fstat(stream).is_ok_and(|stat| {
        !device_and_inode.is_empty() && format!("{}:{}", stat.st_dev, stat.st_ino) == device_and_inode
    })
}

static IS_SERVICE: AtomicBool = AtomicBool::new(false);

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64, milliseconds: u32) -> String {
        rfc3339(Duration::new(seconds, milliseconds * 1_000_000))
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_400 - 1, 999), "2000-02-28T23:59:59.999Z");
        assert_eq!(at(951_782_400, 0), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(1_767_323_045, 678), "2026-01-02T03:04:05.678Z");
        assert_eq!(at(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
        assert_eq!(date(4_107_542_400 / 86_400 - 1), (2100, 2, 28), "a century without a leap day");
    }

    #[test]
    fn dates_follow_one_another() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut expected = (1970, 1, 1);
        for days in 0..100_000 {
            assert_eq!(date(days), expected);
            let (year, month, day) = expected;
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = lengths[month as usize - 1] + u64::from(is_leap && month == 2);
            expected = match (day == length, month) {
                (false, _) => (year, month, day + 1),
                (true, 12) => (year + 1, 1, 1),
                (true, _) => (year, month + 1, 1),
            };
        }
    }

    #[test]
    fn each_line_of_a_message_has_its_time_or_its_level() {
        let now = Duration::from_millis(1_767_323_045_678);
        let lines = |form: LogForm, level| form.lines(level, "one\ntwo", now);
        let time = "2026-01-02T03:04:05.678Z";
        assert_eq!(lines(LogForm::Timed, Level::Info), format!("{time} info  one\n{time} info  two"));
        assert_eq!(lines(LogForm::Timed, Level::Error), format!("{time} error one\n{time} error two"));
        assert_eq!(lines(LogForm::Journal, Level::Warn), "<4>one\n<4>two");
        assert_eq!(LogForm::Journal.lines(Level::Error, "", now), "<3>");
    }

    #[cfg(unix)]
    #[test]
    fn the_journal_is_known_by_device_and_inode() {
        use std::os::fd::AsFd as _;
        use std::os::unix::fs::MetadataExt as _;
        let file = tempfile::tempfile().expect("a file");
        let known = file.metadata().expect("its numbers");
        let (device, inode) = (known.dev(), known.ino());
        assert!(is_file(file.as_fd(), &format!("{device}:{inode}")));
        assert!(!is_file(file.as_fd(), &format!("{device}:{}", inode + 1)));
        assert!(!is_file(file.as_fd(), ""));
    }
}
