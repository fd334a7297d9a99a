//! How far a transfer is, for whoever watches it while it runs and tells of it afterwards. It knows names and numbers, and
//! no file.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_cli::file_protocol::{Digest, Verdict};

use super::underway::Underway;
use crate::clock::Stopwatch;

/// One file that was transferred, or was not.
#[derive(Clone, Debug)]
pub struct Transferred {
    /// What it is called.
    pub name: String,
    /// How much of it there is at the receiver, or came before it failed.
    pub size: ByteCount,
    /// How much of that was there before and did not travel.
    pub resumed: ByteCount,
    /// Its hash, where it travelled to its end.
    pub digest: Option<Digest>,
    /// What the receiver says of it.
    pub verdict: Verdict,
}

/// How far a transfer is, for whoever watches.
#[derive(Clone, Debug)]
pub struct Progress {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    watch: Stopwatch,
    bytes: AtomicU64,
    resumed: AtomicU64,
    expected: AtomicU64,
    files: Mutex<Files>,
}

#[derive(Debug, Default)]
struct Files {
    current: Option<String>,
    current_bytes: ByteCount,
    current_resumed: ByteCount,
    is_comparing: bool,
    done: Vec<Transferred>,
    tally: Tally,
    /// Whether the beginning of a file that is not complete stays.
    is_part_kept: bool,
    remarks: Vec<String>,
    left_out: Vec<String>,
    began: Option<Time>,
    moved: Option<Time>,
    underway: Underway,
}

/// How many files came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Stored, with the right hash.
    pub verified: u64,
    /// Refused or failed.
    pub bad: u64,
    /// Directories, which are there now.
    pub directories: u64,
}

impl Progress {
    /// Nothing yet, on the clock of `watch`.
    pub fn new(watch: Stopwatch) -> Progress {
        let [bytes, resumed, expected] = [0; 3].map(AtomicU64::new);
        Progress { shared: Arc::new(Shared { watch, bytes, resumed, expected, files: Mutex::default() }) }
    }

    pub(super) fn begin(&self, name: &str) {
        let now = self.shared.watch.now();
        let mut files = self.files();
        files.current = Some(name.to_owned());
        (files.current_bytes, files.current_resumed) = (ByteCount::ZERO, ByteCount::ZERO);
        files.is_comparing = false;
        files.began.get_or_insert(now);
        files.moved = Some(now);
    }

    pub(super) fn expect(&self, size: ByteCount) {
        self.shared.expected.fetch_add(size.get(), Ordering::Relaxed);
    }

    /// So much of what was expected does not come after all.
    pub(super) fn forgo(&self, size: ByteCount) {
        let less = |expected: u64| Some(expected.saturating_sub(size.get()));
        let _ = self.shared.expected.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    pub(super) fn advance(&self, size: ByteCount) {
        self.shared.bytes.fetch_add(size.get(), Ordering::Relaxed);
        let now = self.shared.watch.now();
        let mut files = self.files();
        files.current_bytes += size;
        files.moved = Some(now);
    }

    /// A message with so much of a file was handed to the transport. It counts when it is acknowledged.
    pub(super) fn hand_over(&self, length: ByteCount, size: ByteCount) {
        self.files().underway.hand_over(length, size);
    }

    /// So much of what was handed over is not acknowledged.
    pub(super) fn acknowledge(&self, unacknowledged: ByteCount) {
        let size = self.files().underway.take_acknowledged(unacknowledged);
        if size > ByteCount::ZERO {
            self.advance(size);
        }
    }

    /// What is there of the current file is read, at one end or the other.
    pub(super) fn compare(&self) {
        self.files().is_comparing = true;
    }

    /// So much of the current file need not travel: it is there already.
    pub(super) fn skip(&self, size: ByteCount) {
        self.shared.resumed.fetch_add(size.get(), Ordering::Relaxed);
        let now = self.shared.watch.now();
        let mut files = self.files();
        if self.bytes().is_zero() {
            // Reading what is there is no time of the transfer.
            (files.began, files.moved) = (Some(now), Some(now));
        }
        (files.current_bytes, files.current_resumed) = (size, size);
        files.is_comparing = false;
    }

    /// What the user should know at once.
    pub(super) fn remark(&self, text: String) {
        let mut files = self.files();
        if files.remarks.len() < MOST_REMARKS {
            files.remarks.push(text);
        }
    }

    /// What is not sent, as it should be.
    pub(super) fn leave_out(&self, left_out: Vec<String>) {
        self.files().left_out = left_out;
    }

    /// A verdict was spoken on a file, which need not be the current one.
    pub(super) fn finish(&self, file: Transferred) {
        let mut files = self.files();
        if files.current.as_ref() == Some(&file.name) {
            files.current = None;
            files.current_bytes = ByteCount::ZERO;
        }
        files.tally.count(&file);
        if files.done.len() < MOST_LISTED {
            files.done.push(file);
        }
        files.moved = Some(self.shared.watch.now());
    }

    /// A directory is there now.
    pub(super) fn make_directory(&self) {
        let now = self.shared.watch.now();
        let mut files = self.files();
        files.tally.directories += 1;
        files.began.get_or_insert(now);
        files.moved = Some(now);
    }

    /// The beginning of the current file stays, for another transfer to go on.
    pub(super) fn keep_part(&self) {
        self.files().is_part_kept = true;
    }

    /// How much of the current file is there, and how much of that was before.
    pub(super) fn current_bytes(&self) -> (ByteCount, ByteCount) {
        let files = self.files();
        (files.current_bytes, files.current_resumed)
    }

    /// The remarks since they were last taken.
    pub fn take_remarks(&self) -> Vec<String> {
        std::mem::take(&mut self.files().remarks)
    }

    /// What is not sent, as it should be: symbolic links, sockets.
    pub fn left_out(&self) -> Vec<String> {
        self.files().left_out.clone()
    }

    /// The bytes of files that travelled.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(self.shared.bytes.load(Ordering::Relaxed))
    }

    /// The bytes of files that were there already.
    pub fn resumed(&self) -> ByteCount {
        ByteCount::new(self.shared.resumed.load(Ordering::Relaxed))
    }

    /// The bytes that were promised, with those that are there already; less than [`Progress::bytes`] where sizes were
    /// not known.
    pub fn expected(&self) -> ByteCount {
        ByteCount::new(self.shared.expected.load(Ordering::Relaxed))
    }

    /// The file that travels now.
    pub fn current(&self) -> Option<String> {
        self.files().current.clone()
    }

    /// Whether what is there of it is being read, which may take its time.
    pub fn is_comparing(&self) -> bool {
        self.files().is_comparing
    }

    /// The files that a verdict was spoken on; of very many, the first.
    pub fn done(&self) -> Vec<Transferred> {
        self.files().done.clone()
    }

    /// How many files a verdict was spoken on.
    pub fn tally(&self) -> Tally {
        self.files().tally
    }

    /// Whether a transfer that goes on after this one finds something that need not travel again.
    pub fn is_something_kept(&self) -> bool {
        let files = self.files();
        files.is_part_kept || files.tally.verified > 0
    }

    /// From the first file's beginning to the last thing that happened.
    pub fn duration(&self) -> Duration {
        let files = self.files();
        match (files.began, files.moved) {
            (Some(began), Some(moved)) => moved.since(began),
            _ => Duration::ZERO,
        }
    }

    fn files(&self) -> std::sync::MutexGuard<'_, Files> {
        self.shared.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tally {
    fn count(&mut self, file: &Transferred) {
        if file.verdict.is_verified() {
            self.verified += 1;
        } else {
            self.bad += 1;
        }
    }
}

/// So many files are remembered one by one: a peer that offers without end takes no memory without end.
const MOST_LISTED: usize = 100_000;
/// So many remarks wait to be shown.
const MOST_REMARKS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn file(verdict: Verdict) -> Transferred {
        let name = "a".to_owned();
        Transferred { name, size: ByteCount::ZERO, resumed: ByteCount::ZERO, digest: None, verdict }
    }

    #[test]
    fn very_many_files_are_counted_and_only_the_first_remembered() {
        let progress = Progress::new(Stopwatch::start());
        for _ in 0..MOST_LISTED {
            progress.finish(file(Verdict::verified()));
        }
        progress.finish(file(Verdict::refused(&"no")));
        assert_eq!(progress.done().len(), MOST_LISTED);
        assert_eq!(progress.tally(), Tally { verified: MOST_LISTED as u64, bad: 1, directories: 0 });
    }

    #[test]
    fn what_is_there_already_is_expected_and_did_not_travel() {
        let progress = Progress::new(Stopwatch::start());
        progress.expect(ByteCount::new(10));
        progress.begin("a");
        progress.skip(ByteCount::new(7));
        progress.advance(ByteCount::new(3));
        assert_eq!((progress.bytes().get(), progress.resumed().get(), progress.expected().get()), (3, 7, 10));
        assert_eq!(progress.current_bytes(), (ByteCount::new(10), ByteCount::new(7)));
        progress.forgo(ByteCount::new(11));
        assert_eq!(progress.expected(), ByteCount::ZERO);
    }
}
