//! The journal of a sweep: a file to which the rows of finished runs are appended, each line with its digest. A run
//! counts once its row is on disk; a truncated or damaged line is skipped, and its run made again.
//!
//! Fields are separated by tabs. A `columns` line names the cells of the rows that refer to it.

mod line;

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anabranch_files::{open_to_append, sync_folder};

use self::line::{Line, Lines, Place, RunKey};
use super::batch::{PartRows, Rows};
use super::key::ScenarioKey;
use crate::digest;

/// The name of the file in the folder of a sweep.
pub const FILE: &str = "runs.journal";

/// The rows made so far.
#[derive(Debug)]
pub(super) struct Journal {
    store: Store,
    /// The offset of the next line.
    end: u64,
    tail: Tail,
    index: BTreeMap<RunKey, Place>,
    columns: BTreeMap<String, Arc<[String]>>,
    damaged: u64,
}

/// A row of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JournalRow {
    /// Program and version that made the row.
    pub program: String,
    /// The names of the cells.
    pub columns: Arc<[String]>,
    /// The cells as written in tables.
    pub cells: Vec<String>,
}

/// The reason why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process writes to it.
    #[error("another sweep is writing to {folder:?}: wait until it has ended, or choose another folder")]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// A newer program wrote it.
    #[error(
        "{path:?} is of a newer program: version {version} of the journal, and this program reads version {VERSION}"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its form.
        version: String,
    },
    /// Not a journal.
    #[error("{path:?} is not a journal of a sweep: choose another folder, or remove it")]
    NotOne {
        /// The file.
        path: PathBuf,
    },
    /// It has more than any sweep keeps.
    #[error(
        "{path:?} has more than {MOST_RUNS} runs or columns: it is damaged, or of many sweeps; choose another folder"
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The folder cannot be made or entered, or the file not opened.
    #[error("cannot keep runs in {path:?}: {error}")]
    Folder {
        /// The file or the folder.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The file cannot be written, or not read again.
    #[error(
        "cannot keep runs in {path:?}: {error}; those before are kept, and the same command goes on from there"
    )]
    Access {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

/// The end of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// At the end of a line.
    Whole,
    /// A complete line without its end.
    Unended,
    /// Part of a line, which begins at `at`, perhaps after one that lacks its end.
    Cut { at: u64, is_unended: bool },
}

#[derive(Debug)]
enum Store {
    Memory(Vec<u8>),
    File { path: PathBuf, file: File },
}

impl Journal {
    /// A journal in memory only.
    pub(super) fn in_memory() -> Journal {
        Journal {
            store: Store::Memory(Vec::new()),
            end: 0,
            tail: Tail::Whole,
            index: BTreeMap::new(),
            columns: BTreeMap::new(),
            damaged: 0,
        }
    }

    /// Opens the journal in `folder`, creating both if missing. Until it is dropped, no other process can open it.
    ///
    /// # Errors
    /// Another process has it open, a newer program wrote it, or the file cannot be read.
    pub(super) fn in_folder(folder: &Path) -> Result<Journal, JournalError> {
        let path = folder.join(FILE);
        let fault = |error| JournalError::Folder { path: path.clone(), error };
        fs::create_dir_all(folder).map_err(fault)?;
        let file = open_to_append(&path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse { folder: folder.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(fault(error)),
        }
        // A new file whose folder entry a power failure removes keeps nothing.
        sync_folder(named(folder)).map_err(fault)?;
        // The parent may not be readable: it belongs to others.
        let _ = folder.parent().map(|parent| sync_folder(named(parent)));
        let mut journal = Journal::in_memory();
        journal.read_all(&file, &path)?;
        journal.store = Store::File { path, file };
        Ok(journal)
    }

    /// Appends rows and waits until they are on disk. Rows already present are skipped.
    ///
    /// # Errors
    /// They cannot be written, so they do not count.
    pub(super) fn append(&mut self, all: &[Rows]) -> Result<(), JournalError> {
        self.mend()?;
        let mut lines = Lines::at(self.end);
        if self.tail == Tail::Unended {
            lines.end();
        }
        if self.end == 0 {
            lines.push(&["sweep", VERSION]);
        }
        for rows in all {
            for part in &rows.parts {
                self.add_part(&mut lines, &rows.program, part);
            }
        }
        if lines.added.is_empty() {
            return Ok(());
        }
        // Until the write is known to have succeeded, part of it may be in the file.
        self.tail = Tail::Cut { at: self.end, is_unended: self.tail == Tail::Unended };
        self.write(&lines.bytes)?;
        (self.tail, self.end) = (Tail::Whole, lines.at);
        self.index.extend(lines.added);
        self.columns.extend(lines.named);
        Ok(())
    }

    /// Returns true if the row of a run is present.
    pub(super) fn has(&self, key: ScenarioKey, seed: u64) -> bool {
        self.index.contains_key(&(key, seed))
    }

    /// The number of damaged lines, without a truncated one at the end, which a kill leaves.
    pub(super) fn damaged(&self) -> u64 {
        self.damaged
    }

    /// The file; `None` in memory.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File { path, .. } => Some(path),
        }
    }

    /// The row of a run; `None` if it is missing.
    ///
    /// # Errors
    /// The file cannot be read, or has changed since it was opened.
    pub(super) fn row(&self, key: ScenarioKey, seed: u64) -> Result<Option<JournalRow>, JournalError> {
        let Some(place) = self.index.get(&(key, seed)) else { return Ok(None) };
        let text = self.line(*place)?;
        match text.as_deref().and_then(Line::read) {
            Some(Line::Run { columns, program, cells, .. }) => {
                let columns = self.columns.get(columns).cloned().unwrap_or_default();
                Ok(Some(JournalRow { program, columns, cells }))
            }
            _ => Err(self.fault(io::Error::other("it was changed by another program"))),
        }
    }

    fn add_part(&self, lines: &mut Lines, program: &str, part: &PartRows) {
        let Some(key) = ScenarioKey::parse(&part.key) else { return };
        let id = digest::check(part.columns.join("\t"));
        let is_new = |seed| !self.has(key, seed) && !lines.added.contains_key(&(key, seed));
        let is_whole = |cells: &[String]| cells.len() == part.columns.len();
        let rows = part.rows.iter().filter(|row| is_new(row.seed) && is_whole(&row.cells));
        let rows: Vec<_> = rows.collect();
        let is_named = self.columns.contains_key(&id) || lines.named.contains_key(&id);
        if !rows.is_empty() && !is_named {
            let names = part.columns.iter().map(String::as_str);
            lines.push(&["columns", &id].into_iter().chain(names).collect::<Vec<_>>());
            lines.named.insert(id.clone(), part.columns.clone().into());
        }
        for row in rows {
            let (key_text, seed) = (key.to_string(), row.seed.to_string());
            let head = ["run", &key_text, &seed, &id, program];
            let place =
                lines.push(&head.into_iter().chain(row.cells.iter().map(String::as_str)).collect::<Vec<_>>());
            lines.added.insert((key, row.seed), place);
        }
    }

    /// Removes a truncated line at the end.
    fn mend(&mut self) -> Result<(), JournalError> {
        let Tail::Cut { at, is_unended } = self.tail else { return Ok(()) };
        let cut = match &mut self.store {
            Store::Memory(all) => {
                all.truncate(usize::try_from(at).unwrap_or(usize::MAX));
                Ok(())
            }
            Store::File { file, .. } => file.set_len(at),
        };
        cut.map_err(|error| self.fault(error))?;
        (self.end, self.tail) = (at, if is_unended { Tail::Unended } else { Tail::Whole });
        Ok(())
    }

    fn read_all(&mut self, file: &File, path: &Path) -> Result<(), JournalError> {
        let fault = |error| JournalError::Folder { path: path.to_owned(), error };
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut line = Vec::new();
        let mut named = 0;
        loop {
            line.clear();
            let read = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(fault)?;
            if read == 0 {
                return Ok(());
            }
            if self.end == 0 && !line.starts_with(b"sweep\t") && !b"sweep\t".starts_with(&line) {
                return Err(JournalError::NotOne { path: path.to_owned() });
            }
            if self.index.len() + self.columns.len() > MOST_RUNS {
                return Err(JournalError::TooLarge { path: path.to_owned() });
            }
            let at = self.end;
            self.end += line.len() as u64;
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let is_ended = text.len() < line.len();
            if !is_ended && read as u64 == LONGEST_LINE {
                self.pass_over_line(&mut reader, at).map_err(fault)?;
                continue;
            }
            self.tail = if is_ended { Tail::Whole } else { Tail::Unended };
            let place = Place { at, len: u32::try_from(text.len()).unwrap_or(u32::MAX) };
            let text = std::str::from_utf8(text).unwrap_or_default();
            match Line::read(text) {
                Some(Line::Head { version }) if version == VERSION => {}
                Some(Line::Head { version }) => {
                    return Err(JournalError::Newer { path: path.to_owned(), version: version.to_owned() });
                }
                Some(Line::Columns { id, names }) if id == digest::check(names.join("\t")) => {
                    named += line.len();
                    if named > MOST_NAMED {
                        return Err(JournalError::TooLarge { path: path.to_owned() });
                    }
                    self.columns.insert(id.to_owned(), names.into());
                }
                Some(Line::Run { key, columns, cells, .. })
                    if self.columns.get(columns).is_some_and(|names| names.len() == cells.len()) =>
                {
                    self.index.insert(key, place);
                }
                _ if place.len == 0 => {}
                _ if !is_ended => self.tail = Tail::Cut { at, is_unended: false },
                _ => self.damaged += 1,
            }
        }
    }

    /// Skips a line that began `at` and is too long; it counts as damaged.
    fn pass_over_line(&mut self, reader: &mut impl BufRead, at: u64) -> io::Result<()> {
        self.damaged += 1;
        self.tail = Tail::Cut { at, is_unended: false };
        loop {
            let piece = reader.fill_buf()?;
            let end = piece.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(piece.len(), |end| end + 1);
            reader.consume(length);
            self.end += length as u64;
            if end.is_some() {
                self.tail = Tail::Whole;
            }
            if end.is_some() || length == 0 {
                return Ok(());
            }
        }
    }

    /// The text of a line; `None` if it is not UTF-8.
    fn line(&self, place: Place) -> Result<Option<String>, JournalError> {
        let mut bytes = vec![0; place.len as usize];
        match &self.store {
            Store::Memory(all) => {
                let start = usize::try_from(place.at).unwrap_or(usize::MAX);
                if let Some(found) = all.get(start..start.saturating_add(bytes.len())) {
                    bytes.copy_from_slice(found);
                }
            }
            Store::File { file, .. } => {
                let mut file = file;
                let read = file.seek(SeekFrom::Start(place.at)).and_then(|_| file.read_exact(&mut bytes));
                read.map_err(|error| self.fault(error))?;
            }
        }
        Ok(String::from_utf8(bytes).ok())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        match &mut self.store {
            Store::Memory(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
            Store::File { file, .. } => {
                let written = file.write_all(bytes).and_then(|()| file.sync_data());
                written.map_err(|error| self.fault(error))
            }
        }
    }

    fn fault(&self, error: io::Error) -> JournalError {
        JournalError::Access { path: self.path().unwrap_or(Path::new("memory")).to_owned(), error }
    }
}

/// The folder; `.` for an empty name.
fn named(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// The version of the file format.
const VERSION: &str = "1";
/// A row of the widest table takes some hundred kilobytes. A longer line is damaged, so that a file without line ends
/// does not fill the memory.
const LONGEST_LINE: u64 = 1 << 24;
/// The bytes of all lists of columns, which stay in memory.
const MOST_NAMED: usize = 1 << 26;
/// Each run takes a hundred bytes of memory while the sweep runs.
const MOST_RUNS: usize = 1 << 24;

#[cfg(test)]
mod tests;
