//! Files over an association: disk at the one side, network at the other, joined by bounded channels so that
//! neither waits for the other needlessly. It knows no argument and no screen.

mod incoming;
mod outgoing;
mod reading;
mod sources;
mod store;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_cli::file_protocol::{Digest, Verdict};

use crate::clock::Stopwatch;

pub use incoming::receive_files;
pub use outgoing::send_files;
pub use sources::Sources;
pub use store::{Overwrite, Store};

/// One file that was transferred, or was not.
#[derive(Clone, Debug)]
pub struct Transferred {
    /// What it is called.
    pub name: String,
    /// How much of it travelled.
    pub size: ByteCount,
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
    expected: AtomicU64,
    files: Mutex<Files>,
}

#[derive(Debug, Default)]
struct Files {
    current: Option<String>,
    current_bytes: ByteCount,
    done: Vec<Transferred>,
    began: Option<Time>,
    moved: Option<Time>,
}

impl Progress {
    /// Nothing yet, on the clock of `watch`.
    pub fn new(watch: Stopwatch) -> Progress {
        let (bytes, expected) = (AtomicU64::new(0), AtomicU64::new(0));
        Progress { shared: Arc::new(Shared { watch, bytes, expected, files: Mutex::default() }) }
    }

    fn begin(&self, name: &str) {
        let now = self.shared.watch.now();
        let mut files = self.files();
        files.current = Some(name.to_owned());
        files.current_bytes = ByteCount::ZERO;
        files.began.get_or_insert(now);
        files.moved = Some(now);
    }

    fn expect(&self, size: ByteCount) {
        self.shared.expected.fetch_add(size.get(), Ordering::Relaxed);
    }

    fn advance(&self, size: ByteCount) {
        self.shared.bytes.fetch_add(size.get(), Ordering::Relaxed);
        let now = self.shared.watch.now();
        let mut files = self.files();
        files.current_bytes += size;
        files.moved = Some(now);
    }

    /// So much of what was promised need not travel: it is there already.
    fn skip(&self, size: ByteCount) {
        self.shared.expected.fetch_sub(size.get(), Ordering::Relaxed);
        self.files().current_bytes = size;
    }

    /// A verdict was spoken on a file, which need not be the current one.
    fn finish(&self, file: Transferred) {
        let mut files = self.files();
        if files.current.as_ref() == Some(&file.name) {
            files.current = None;
            files.current_bytes = ByteCount::ZERO;
        }
        files.done.push(file);
        files.moved = Some(self.shared.watch.now());
    }

    /// How much of the current file travelled.
    fn current_bytes(&self) -> ByteCount {
        self.files().current_bytes
    }

    /// The bytes of files that travelled.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(self.shared.bytes.load(Ordering::Relaxed))
    }

    /// The bytes that were promised; less than [`Progress::bytes`] where sizes were not known.
    pub fn expected(&self) -> ByteCount {
        ByteCount::new(self.shared.expected.load(Ordering::Relaxed))
    }

    /// The file that travels now.
    pub fn current(&self) -> Option<String> {
        self.files().current.clone()
    }

    /// The files that a verdict was spoken on.
    pub fn done(&self) -> Vec<Transferred> {
        self.files().done.clone()
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

/// How many pieces wait between disk and network: 2 MiB.
const PIECES_BETWEEN: usize = 32;
