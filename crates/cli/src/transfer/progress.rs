//! The progress of a transfer, counted from its events: shown during the transfer and reported afterwards.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_net::Clock;
use anabranch_transfer::{Event, Transferred};

use super::messages;

/// The progress of a transfer. Clones share the counts.
#[derive(Clone, Debug)]
pub struct Progress {
    shared: Arc<SharedCounts>,
}

#[derive(Debug)]
struct SharedCounts {
    clock: Clock,
    bytes: AtomicU64,
    resumed: AtomicU64,
    expected: AtomicU64,
    files: Mutex<FileList>,
}

#[derive(Debug, Default)]
struct FileList {
    current: Option<String>,
    is_comparing: bool,
    is_verifying: bool,
    done: Vec<Transferred>,
    tally: FileCounts,
    /// True if the beginning of a file that is not complete stays.
    is_part_kept: bool,
    remarks: Vec<String>,
    left_out: Vec<String>,
    began: Option<Time>,
    moved: Option<Time>,
}

/// The number of files that have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Stored, with the right hash.
    pub verified: u64,
    /// Refused or failed.
    pub bad: u64,
    /// Directories, which are there now.
    pub directories: u64,
}

impl Progress {
    /// Nothing yet, with times of `clock`.
    pub fn new(clock: Clock) -> Progress {
        let [bytes, resumed, expected] = [0; 3].map(AtomicU64::new);
        Progress {
            shared: Arc::new(SharedCounts { clock, bytes, resumed, expected, files: Mutex::default() }),
        }
    }

    /// Counts what happened.
    pub fn on_event(&self, event: Event) {
        match event {
            Event::Expected(size) => drop(self.shared.expected.fetch_add(size.get(), Ordering::Relaxed)),
            Event::Forgone(size) => self.on_forgone(size),
            Event::Began { name, compares } => self.on_began(name, compares),
            Event::Resumed(size) => self.on_resumed(size),
            Event::Progress(size) => {
                self.shared.bytes.fetch_add(size.get(), Ordering::Relaxed);
                let now = self.shared.clock.now();
                self.files().moved = Some(now);
            }
            Event::Verifying => self.files().is_verifying = true,
            Event::Remark(remark) => self.on_remark(messages::remark(&remark)),
            Event::Finished(file) => self.on_finished(file),
            Event::MadeDirectory => self.on_directory(),
            Event::Kept(_) => self.files().is_part_kept = true,
        }
    }

    fn on_forgone(&self, size: ByteCount) {
        let less = |expected: u64| Some(expected.saturating_sub(size.get()));
        let _ = self.shared.expected.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    fn on_began(&self, name: String, compares: bool) {
        let now = self.shared.clock.now();
        let mut files = self.files();
        files.current = Some(name);
        files.is_comparing = compares;
        files.began.get_or_insert(now);
        files.moved = Some(now);
    }

    fn on_resumed(&self, size: ByteCount) {
        self.shared.resumed.fetch_add(size.get(), Ordering::Relaxed);
        let now = self.shared.clock.now();
        let mut files = self.files();
        if self.bytes().is_zero() {
            // The time in which what is there is read does not count.
            (files.began, files.moved) = (Some(now), Some(now));
        }
        files.is_comparing = false;
    }

    fn on_remark(&self, text: String) {
        let mut files = self.files();
        if files.remarks.len() < MOST_REMARKS {
            files.remarks.push(text);
        }
    }

    fn on_finished(&self, file: Transferred) {
        let now = self.shared.clock.now();
        let mut files = self.files();
        if files.current.as_ref() == Some(&file.name) {
            files.current = None;
        }
        files.is_verifying = false;
        files.tally.count(&file);
        if files.done.len() < MOST_LISTED {
            files.done.push(file);
        }
        files.moved = Some(now);
    }

    fn on_directory(&self) {
        let now = self.shared.clock.now();
        let mut files = self.files();
        files.tally.directories += 1;
        files.began.get_or_insert(now);
        files.moved = Some(now);
    }

    /// Notes what is not sent, as it should be.
    pub(crate) fn leave_out(&self, left_out: Vec<String>) {
        self.files().left_out = left_out;
    }

    /// The remarks since they were last taken.
    pub(crate) fn take_remarks(&self) -> Vec<String> {
        std::mem::take(&mut self.files().remarks)
    }

    /// Names the sources that are left out: symbolic links, sockets.
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

    /// Returns true if what is there of it is being read, which may take its time.
    pub(crate) fn is_comparing(&self) -> bool {
        self.files().is_comparing
    }

    /// Returns true if what was stored of it is being read back.
    pub(crate) fn is_verifying(&self) -> bool {
        self.files().is_verifying
    }

    /// The files with a result; of very many, the first.
    pub fn done(&self) -> Vec<Transferred> {
        self.files().done.clone()
    }

    /// The number of files that have a result.
    pub fn tally(&self) -> FileCounts {
        self.files().tally
    }

    /// Returns true if a later transfer finds something that need not be sent again.
    pub(crate) fn is_something_kept(&self) -> bool {
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

    fn files(&self) -> std::sync::MutexGuard<'_, FileList> {
        self.shared.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileCounts {
    fn count(&mut self, file: &Transferred) {
        if file.verdict.is_verified() {
            self.verified += 1;
        } else {
            self.bad += 1;
        }
    }
}

/// The number of files that are remembered one by one: a peer that offers without end takes no memory without end.
const MOST_LISTED: usize = 100_000;
/// The number of remarks that may wait to be shown.
const MOST_REMARKS: usize = 100;

#[cfg(test)]
mod tests {
    use anabranch_transfer::protocol::FileVerdict;

    use super::*;

    fn file(verdict: FileVerdict) -> Event {
        let name = "a".to_owned();
        let [size, resumed] = [ByteCount::ZERO; 2];
        Event::Finished(Transferred { name, size, resumed, digest: None, verdict })
    }

    #[test]
    fn very_many_files_are_counted_and_only_the_first_remembered() {
        let progress = Progress::new(Clock::start());
        for _ in 0..MOST_LISTED {
            progress.on_event(file(FileVerdict::verified()));
        }
        progress.on_event(file(FileVerdict::refused(&"no")));
        assert_eq!(progress.done().len(), MOST_LISTED);
        assert_eq!(progress.tally(), FileCounts { verified: MOST_LISTED as u64, bad: 1, directories: 0 });
    }

    #[test]
    fn what_is_there_already_is_expected_and_did_not_travel() {
        let progress = Progress::new(Clock::start());
        progress.on_event(Event::Expected(ByteCount::new(10)));
        progress.on_event(Event::Began { name: "a".to_owned(), compares: true });
        assert!(progress.is_comparing());
        progress.on_event(Event::Resumed(ByteCount::new(7)));
        progress.on_event(Event::Progress(ByteCount::new(3)));
        assert_eq!((progress.bytes().get(), progress.resumed().get(), progress.expected().get()), (3, 7, 10));
        assert!(!progress.is_comparing());
        progress.on_event(Event::Forgone(ByteCount::new(11)));
        assert_eq!(progress.expected(), ByteCount::ZERO);
    }

    #[test]
    fn a_file_is_the_current_one_until_it_has_its_verdict() {
        let progress = Progress::new(Clock::start());
        progress.on_event(Event::Began { name: "a".to_owned(), compares: false });
        assert_eq!(progress.current().as_deref(), Some("a"));
        progress.on_event(Event::Verifying);
        assert!(progress.is_verifying());
        progress.on_event(file(FileVerdict::verified()));
        assert_eq!((progress.current(), progress.is_verifying()), (None, false));
        assert!(progress.is_something_kept());
    }
}
