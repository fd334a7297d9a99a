//! A file's path in the protocol: nested names that cannot leave the receiver's directory.

use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// A path that is safe to create in a directory: relative, without `.` and `..`. Names are bytes, as in file systems;
/// display escapes bytes that are not text and characters that control a terminal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(Vec<u8>);

/// The error of a path that is refused. Messages show the path escaped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The path is empty, or has an empty name between two separators.
    #[error("the path {0} has an empty name")]
    Empty(Shown),
    /// The path contains `.` or `..`.
    #[error("the path {0} leads to another directory")]
    Directory(Shown),
    /// The path contains NUL, which no file system accepts.
    #[error("the path {0} contains a NUL character")]
    Nul(Shown),
    /// A name is longer than file systems accept.
    #[error("a name in the path has {0} bytes, more than {max}", max = FilePath::MAX_NAME)]
    NameTooLong(usize),
    /// The path is longer than systems accept.
    #[error("the path has {0} bytes, more than {max}", max = FilePath::MAX_LEN)]
    TooLong(usize),
}

/// Bytes displayed between quotation marks, escaped for a terminal.
#[derive(Clone, PartialEq, Eq)]
pub struct Shown(Vec<u8>);

impl FilePath {
    /// The longest name of a file or a directory, in bytes.
    pub(crate) const MAX_NAME: usize = 255;
    /// The longest path, in bytes.
    pub(crate) const MAX_LEN: usize = 4_095;

    /// Checks a path whose names are separated by `/`.
    ///
    /// # Errors
    /// The path is not safe.
    pub fn new(path: &[u8]) -> Result<FilePath, PathError> {
        if path.len() > FilePath::MAX_LEN {
            return Err(PathError::TooLong(path.len()));
        }
        let shown = || Shown(path.to_vec());
        for name in path.split(|byte| *byte == b'/') {
            match name {
                b"" => return Err(PathError::Empty(shown())),
                b"." | b".." => return Err(PathError::Directory(shown())),
                long if long.len() > FilePath::MAX_NAME => return Err(PathError::NameTooLong(long.len())),
                _ if name.contains(&0) => return Err(PathError::Nul(shown())),
                _ => {}
            }
        }
        Ok(FilePath(path.to_vec()))
    }

    /// The path of `name` inside the directory `self`.
    ///
    /// # Errors
    /// The resulting path is not safe.
    pub fn join(&self, name: &OsStr) -> Result<FilePath, PathError> {
        FilePath::new(&[self.0.as_slice(), b"/", name.as_bytes()].concat())
    }

    /// The path's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as a relative path of the file system.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(&self.0, f)
    }
}

impl fmt::Debug for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        show(&self.0, f)?;
        f.write_char('"')
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Writes text unchanged, and escapes control characters, bidirectional controls, and bytes that are not text.
fn show(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() || is_bidirectional_control(character) {
                write!(f, "{}", character.escape_default())?;
            } else {
                f.write_char(character)?;
            }
        }
        write!(f, "{}", chunk.invalid().escape_ascii())?;
    }
    Ok(())
}

/// Returns true if the character is one of Unicode's bidirectional controls, which change the order of their
/// neighbours.
fn is_bidirectional_control(character: char) -> bool {
    matches!(character, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(path: &[u8]) -> String {
        FilePath::new(path).expect_err("refused").to_string()
    }

    #[test]
    fn ordinary_paths_are_taken() {
        let long = "x".repeat(255);
        for path in [
            "a",
            "data.tar.gz",
            "..hidden",
            "a/b/c",
            "with space/…",
            "a\\b",
            &long,
            &format!("{long}/{long}"),
        ] {
            assert_eq!(FilePath::new(path.as_bytes()).expect(path).to_string(), path);
        }
    }

    #[test]
    fn paths_that_climb_out_are_refused() {
        for path in ["../x", "..", ".", "a/../b", "a/.", "./a", "a/b/.."] {
            assert_eq!(error(path.as_bytes()), format!("the path {path:?} leads to another directory"));
        }
        for path in ["/etc/passwd", "a//b", "", "/", "a/"] {
            assert_eq!(error(path.as_bytes()), format!("the path {path:?} has an empty name"));
        }
    }

    #[test]
    fn paths_that_no_system_takes_are_refused() {
        assert_eq!(error(b"a\0b"), r#"the path "a\u{0}b" contains a NUL character"#);
        assert_eq!(error(&[b'x'; 256]), "a name in the path has 256 bytes, more than 255");
        assert_eq!(error(&b"abc/".repeat(1_100)), "the path has 4400 bytes, more than 4095");
    }

    #[test]
    fn what_plays_tricks_on_a_terminal_is_shown_escaped() {
        for (path, shown) in [
            (b"\x1b[2J\nx".as_slice(), r"\u{1b}[2J\nx"),
            (b"a\xff\x9b", r"a\xff\x9b"),
            ("exe.\u{202e}gpj".as_bytes(), r"exe.\u{202e}gpj"),
            ("\u{9b}31m".as_bytes(), r"\u{9b}31m"),
        ] {
            assert_eq!(FilePath::new(path).expect("a name that file systems take").to_string(), shown);
        }
    }

    #[test]
    fn a_name_is_joined_to_the_directory_it_is_in() {
        let dir = FilePath::new(b"a/b").expect("a path");
        let joined = dir.join(OsStr::from_bytes(b"c\xff")).expect("a name");
        assert_eq!(joined.as_bytes(), b"a/b/c\xff");
        assert_eq!(joined.as_path(), Path::new("a/b").join(OsStr::from_bytes(b"c\xff")));
        assert!(dir.join(OsStr::new("..")).is_err());
    }
}
