//! The journal of a sweep: a file to which the rows of finished runs are appended, each line with its digest. A run counts
//! once its row is on disk; a line that was cut off or damaged is passed over, and its run is made again.
//!
//! Fields are separated by tabs. A `columns` line names the cells of the rows that refer to it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::batch::{PartRows, Rows};
use super::key::ScenarioKey;
use crate::digest;
use crate::table::sync_folder;

/// The file in the folder of a sweep.
pub const FILE: &str = "runs.journal";

/// Rows that were made.
#[derive(Debug)]
pub struct Journal {
    store: Store,
    /// Where the next line begins.
    end: u64,
    tail: Tail,
    index: BTreeMap<RunKey, Place>,
    columns: BTreeMap<String, Arc<[String]>>,
    damaged: u64,
}

/// A row of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRow {
    /// Program and version that made it.
    pub program: String,
    /// The names of its cells.
    pub columns: Arc<[String]>,
    /// Its cells as tables have them.
    pub cells: Vec<String>,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process writes to it.
    #[error("another sweep is writing to {folder:?}: wait until it has ended, or choose another folder")]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// A program that is newer than this one wrote it.
    #[error(
        "{path:?} is of a newer program: version {version} of the journal, and this program reads version {VERSION}"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: String,
    },
    /// The folder cannot be made or entered, or the file not opened.
    #[error("cannot keep runs in {path:?}: {error}")]
    Folder {
        /// The file or the folder.
        path: PathBuf,
        /// What the matter is.
        error: io::Error,
    },
    /// The file cannot be written, or not read again.
    #[error(
        "cannot keep runs in {path:?}: {error}; those before are kept, and the same command goes on from there"
    )]
    Access {
        /// The file.
        path: PathBuf,
        /// What the matter is.
        error: io::Error,
    },
}

type RunKey = (ScenarioKey, u64);

/// Where a line is.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: u64,
    len: u32,
}

/// How the file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// With the end of a line.
    Whole,
    /// With a line that lacks nothing but its end.
    Unended,
    /// With part of a line, which begins at `at`, perhaps behind one that lacks its end.
    Cut { at: u64, is_unended: bool },
}

#[derive(Debug)]
enum Store {
    Memory(Vec<u8>),
    File { path: PathBuf, file: File },
}

/// What a line says.
enum Line<'l> {
    Head { version: &'l str },
    Columns { id: &'l str, names: Vec<String> },
    Run { key: RunKey, columns: &'l str, program: String, cells: Vec<String> },
}

impl Journal {
    /// Rows that end with the program.
    pub fn in_memory() -> Journal {
        Journal {
            store: Store::Memory(Vec::new()),
            end: 0,
            tail: Tail::Whole,
            index: BTreeMap::new(),
            columns: BTreeMap::new(),
            damaged: 0,
        }
    }

    /// The journal in `folder`, which is made where it is not there. Until it is dropped, no other process can open it.
    ///
    /// # Errors
    /// Another process has it open, a newer program wrote it, or the file cannot be read.
    pub fn in_folder(folder: &Path) -> Result<Journal, JournalError> {
        let path = folder.join(FILE);
        let fault = |error| JournalError::Folder { path: path.clone(), error };
        fs::create_dir_all(folder).map_err(fault)?;
        let mut options = OpenOptions::new();
        let file = options.create(true).read(true).append(true).open(&path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse { folder: folder.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(fault(error)),
        }
        // A file that a power cut may take away again keeps nothing.
        sync_folder(folder).map_err(fault)?;
        // That of others may be closed to us.
        let _ = folder.parent().map(sync_folder);
        let mut journal = Journal::in_memory();
        journal.read_all(&file, &path)?;
        journal.store = Store::File { path, file };
        Ok(journal)
    }

    /// Appends rows and waits until they are on disk. Rows that are there already are passed over.
    ///
    /// # Errors
    /// They cannot be written: none of them counts.
    pub fn append(&mut self, all: &[Rows]) -> Result<(), JournalError> {
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
        // Until they are known to be written, there may be part of them.
        self.tail = Tail::Cut { at: self.end, is_unended: self.tail == Tail::Unended };
        self.write(&lines.bytes)?;
        (self.tail, self.end) = (Tail::Whole, lines.at);
        self.index.extend(lines.added);
        self.columns.extend(lines.named);
        Ok(())
    }

    /// Whether the row of a run is there.
    pub fn has(&self, key: ScenarioKey, seed: u64) -> bool {
        self.index.contains_key(&(key, seed))
    }

    /// How many lines are damaged; part of a line at the end, which a kill leaves, does not count.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Where it is; `None` in memory.
    pub fn path(&self) -> Option<&Path> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File { path, .. } => Some(path),
        }
    }

    /// The row of a run; `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be read, or has changed since it was opened.
    pub fn row(&self, key: ScenarioKey, seed: u64) -> Result<Option<JournalRow>, JournalError> {
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

    /// Takes away part of a line at the end, which says nothing.
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
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(fault)? == 0 {
                return Ok(());
            }
            let at = self.end;
            self.end += line.len() as u64;
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let is_ended = text.len() < line.len();
            self.tail = if is_ended { Tail::Whole } else { Tail::Unended };
            let place = Place { at, len: u32::try_from(text.len()).unwrap_or(u32::MAX) };
            let text = std::str::from_utf8(text).unwrap_or_default();
            match Line::read(text) {
                Some(Line::Head { version }) if version == VERSION => {}
                Some(Line::Head { version }) => {
                    return Err(JournalError::Newer { path: path.to_owned(), version: version.to_owned() });
                }
                Some(Line::Columns { id, names }) => {
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

    /// The bytes of a line; `None` if they are no text.
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

/// Lines that are written together.
struct Lines {
    bytes: Vec<u8>,
    /// Where the next one begins.
    at: u64,
    added: BTreeMap<RunKey, Place>,
    named: BTreeMap<String, Arc<[String]>>,
}

impl Lines {
    /// None yet; the first one begins here.
    fn at(at: u64) -> Lines {
        Lines { bytes: Vec::new(), at, added: BTreeMap::new(), named: BTreeMap::new() }
    }

    fn push(&mut self, fields: &[&str]) -> Place {
        let mut line = fields.iter().map(|field| escaped(field)).collect::<Vec<_>>().join("\t");
        line = format!("{line}\t{}", digest::check(&line));
        let place = Place { at: self.at, len: u32::try_from(line.len()).unwrap_or(u32::MAX) };
        self.bytes.extend_from_slice(line.as_bytes());
        self.at += line.len() as u64;
        self.end();
        place
    }

    fn end(&mut self) {
        self.bytes.push(b'\n');
        self.at += 1;
    }
}

impl Line<'_> {
    /// `None` for a line that is damaged, or whose kind is unknown.
    fn read(text: &str) -> Option<Line<'_>> {
        let (fields, check) = text.rsplit_once('\t')?;
        if check != digest::check(fields) {
            return None;
        }
        let mut fields = fields.split('\t');
        match fields.next()? {
            "sweep" => Some(Line::Head { version: fields.next()? }),
            "columns" => Some(Line::Columns { id: fields.next()?, names: fields.map(plain).collect() }),
            "run" => {
                let key = (ScenarioKey::parse(fields.next()?)?, fields.next()?.parse().ok()?);
                let (columns, program) = (fields.next()?, plain(fields.next()?));
                Some(Line::Run { key, columns, program, cells: fields.map(plain).collect() })
            }
            _ => None,
        }
    }
}

/// A field without tabs and ends of lines.
fn escaped(field: &str) -> String {
    field.replace('\\', r"\\").replace('\t', r"\t").replace('\n', r"\n").replace('\r', r"\r")
}

/// The field that was escaped.
fn plain(field: &str) -> String {
    if !field.contains('\\') {
        return field.to_owned();
    }
    let (mut text, mut chars) = (String::with_capacity(field.len()), field.chars());
    while let Some(c) = chars.next() {
        text.push(match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                other => other.unwrap_or('\\'),
            },
            (c, false) => c,
        });
    }
    text
}

/// The version of the file's form.
const VERSION: &str = "1";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::batch::SeedRow;

    const KEY: &str = "000102030405060708090a0b0c0d0e0f";

    fn key() -> ScenarioKey {
        ScenarioKey::parse(KEY).expect("a key")
    }

    /// Rows of these seeds, whose cells are a number and a text that needs care.
    fn rows(seeds: std::ops::Range<u64>) -> Rows {
        let row = |seed: u64| SeedRow { seed, cells: vec![format!("{seed}.5"), "a\tb\\n\nc".to_owned()] };
        let part = PartRows {
            key: KEY.to_owned(),
            columns: vec!["x".to_owned(), "why".to_owned()],
            rows: seeds.map(row).collect(),
            wall_ns: 1,
        };
        Rows { batch: 0, program: "anabranch 0.1.0".to_owned(), parts: vec![part] }
    }

    impl Journal {
        /// The number of rows.
        fn rows(&self) -> usize {
            self.index.len()
        }
    }

    fn open(folder: &Path) -> Journal {
        Journal::in_folder(folder).expect("it can be opened")
    }

    #[test]
    fn rows_are_there_again_as_they_were() {
        let folder = tempfile::tempdir().expect("there is room");
        for mut journal in [open(folder.path()), Journal::in_memory()] {
            journal.append(&[rows(1..3), rows(2..5)]).expect("room");
            assert_eq!(journal.rows(), 4, "each once");
            let row = journal.row(key(), 4).expect("readable").expect("it is there");
            assert_eq!((row.cells[0].as_str(), row.cells[1].as_str()), ("4.5", "a\tb\\n\nc"));
            assert_eq!((row.columns[1].as_str(), row.program.as_str()), ("why", "anabranch 0.1.0"));
            assert_eq!(journal.row(key(), 9).expect("readable"), None);
        }
        let again = open(folder.path());
        assert_eq!((again.rows(), again.damaged()), (4, 0));
        assert_eq!(again.row(key(), 3).expect("readable").expect("it is there").cells[0], "3.5");
    }

    #[test]
    fn a_file_cut_at_any_byte_keeps_the_lines_before_and_takes_new_ones() {
        let folder = tempfile::tempdir().expect("there is room");
        let file = folder.path().join(FILE);
        open(folder.path()).append(&[rows(1..3)]).expect("room");
        let whole = fs::read(&file).expect("it is there");
        for length in 0..whole.len() {
            fs::write(&file, &whole[..length]).expect("room");
            let mut journal = open(folder.path());
            let ends = whole[..=length].iter().filter(|byte| **byte == b'\n').count();
            // The head and the columns come before the rows; a line that lacks nothing but its end is whole.
            assert_eq!(journal.rows(), ends.saturating_sub(2), "{length} bytes");
            journal.append(&[rows(1..3)]).expect("room");
            drop(journal);
            let again = open(folder.path());
            assert_eq!(again.rows(), 2, "{length} bytes");
            for seed in 1..3 {
                let row = again.row(key(), seed).expect("readable").expect("it is there");
                assert_eq!(row.cells[0], format!("{seed}.5"), "{length} bytes");
            }
        }
    }

    #[test]
    fn what_a_kill_leaves_is_taken_away_and_what_was_damaged_is_counted() {
        let folder = tempfile::tempdir().expect("there is room");
        let file = folder.path().join(FILE);
        open(folder.path()).append(&[rows(1..3)]).expect("room");
        let mut bytes = fs::read(&file).expect("it is there");
        let whole = bytes.len();
        bytes.extend_from_slice(b"run\t00");
        fs::write(&file, &bytes).expect("room");
        let mut journal = open(folder.path());
        assert_eq!((journal.rows(), journal.damaged()), (2, 0));
        assert_eq!(fs::read(&file).expect("it is there"), bytes, "nothing is changed before rows come");
        journal.append(&[rows(3..4)]).expect("room");
        drop(journal);
        let text = fs::read_to_string(&file).expect("it is there");
        assert!(text[whole..].starts_with(&format!("run\t{KEY}\t3\t")), "{text}");
        fs::write(&file, text.replacen("\t1.5\t", "\t2.5\t", 1)).expect("room");
        let journal = open(folder.path());
        assert_eq!((journal.rows(), journal.damaged()), (2, 1));
    }

    #[test]
    fn a_damaged_byte_anywhere_costs_its_line_and_no_other() {
        let folder = tempfile::tempdir().expect("there is room");
        let file = folder.path().join(FILE);
        open(folder.path()).append(&[rows(1..5)]).expect("room");
        let whole = fs::read(&file).expect("it is there");
        let first_row = whole.windows(4).position(|bytes| bytes == b"run\t").expect("a row");
        for at in first_row..whole.len() {
            for flip in [1, 0x80] {
                let mut bytes = whole.clone();
                bytes[at] ^= flip;
                fs::write(&file, &bytes).expect("room");
                let found = open(folder.path()).rows();
                // An end of a line that is damaged makes one line of two.
                assert!(
                    (2..=3).contains(&found) || (found == 4 && at + 1 == whole.len()),
                    "byte {at}: {found}"
                );
            }
        }
    }

    #[test]
    fn one_process_has_it_at_a_time() {
        let folder = tempfile::tempdir().expect("there is room");
        let first = open(folder.path());
        assert!(matches!(Journal::in_folder(folder.path()), Err(JournalError::InUse { .. })));
        drop(first);
        open(folder.path());
    }

    #[test]
    fn the_file_of_a_newer_program_is_left_alone() {
        let folder = tempfile::tempdir().expect("there is room");
        let mut lines = Lines::at(0);
        lines.push(&["sweep", "2"]);
        fs::write(folder.path().join(FILE), &lines.bytes).expect("room");
        let refused = Journal::in_folder(folder.path()).expect_err("newer").to_string();
        assert!(refused.ends_with("version 2 of the journal, and this program reads version 1"), "{refused}");
    }
}
