//! Scripts in files and folders.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::script::Symbols;
use crate::verdict::{Lacking, Verdict};

/// A script file that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The file.
    pub file: PathBuf,
    /// The verdict.
    pub verdict: Verdict,
    /// A line for each call and packet.
    pub trace: Vec<String>,
    /// True if a file `.exfail` beside it says that its authors expect it to fail.
    pub is_expected_to_fail: bool,
}

/// The script files in `place`, a file or a folder, in order of their names.
///
/// # Errors
///
/// `place` or a folder in it cannot be read.
pub fn find(place: &Path) -> io::Result<Vec<PathBuf>> {
    if fs::metadata(place)?.is_file() {
        return Ok(vec![place.to_owned()]);
    }
    let mut entries: Vec<_> = fs::read_dir(place)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut found = Vec::new();
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            found.extend(find(&path)?);
        } else if kind.is_file() && path.extension().is_some_and(|name| name == "pkt") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Plays the script in `file`.
pub fn play_file(file: &Path, symbols: &Symbols) -> Played {
    let (verdict, trace) = match fs::read(file) {
        Ok(bytes) => crate::run_with_trace(&String::from_utf8_lossy(&bytes), symbols),
        Err(error) => (Verdict::Unreadable(Lacking { line: 0, what: error.to_string() }), Vec::new()),
    };
    let is_expected_to_fail = file.with_extension("exfail").exists();
    Played { file: file.to_owned(), verdict, trace, is_expected_to_fail }
}
