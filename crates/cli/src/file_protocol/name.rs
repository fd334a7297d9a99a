//! A file's name as it may travel: one component that cannot leave the directory it is put into. It knows no
//! file system.

use std::fmt;

/// A name that is safe to create in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileName(String);

/// Why a name is refused. Messages show the name escaped, so that it cannot play tricks on a terminal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing at all.
    #[error("the file name is empty")]
    Empty,
    /// `.` or `..`.
    #[error("the file name {0:?} means a directory")]
    Directory(String),
    /// `/` or `\`.
    #[error("the file name {0:?} holds a path separator")]
    Separator(String),
    /// NUL, line feeds, escapes and their like.
    #[error("the file name {0:?} holds a control character")]
    Control(String),
    /// Longer than file systems take.
    #[error("the file name has {0} bytes, at most {max} are taken", max = FileName::MAX_LEN)]
    TooLong(usize),
    /// Bytes that are no text.
    #[error("the file name \"{0}\" is not UTF-8")]
    NotText(String),
}

impl FileName {
    /// The longest name, in bytes.
    pub const MAX_LEN: usize = 255;

    /// The name, if it may be used.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(name: &str) -> Result<FileName, NameError> {
        if name.is_empty() {
            return Err(NameError::Empty);
        }
        if name.len() > FileName::MAX_LEN {
            return Err(NameError::TooLong(name.len()));
        }
        if name == "." || name == ".." {
            return Err(NameError::Directory(name.to_owned()));
        }
        if name.contains(['/', '\\']) {
            return Err(NameError::Separator(name.to_owned()));
        }
        if name.contains(char::is_control) {
            return Err(NameError::Control(name.to_owned()));
        }
        Ok(FileName(name.to_owned()))
    }

    /// The name from bytes of the network or the file system.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_bytes(name: &[u8]) -> Result<FileName, NameError> {
        if name.len() > FileName::MAX_LEN {
            return Err(NameError::TooLong(name.len()));
        }
        match std::str::from_utf8(name) {
            Ok(name) => FileName::new(name),
            Err(_) => Err(NameError::NotText(name.escape_ascii().to_string())),
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_taken() {
        for name in ["a", "data.tar.gz", "..hidden", "...", "with space", "Ünïcödé", &"x".repeat(255)] {
            assert_eq!(FileName::from_bytes(name.as_bytes()).map(|n| n.0), Ok(name.to_owned()));
        }
    }

    #[test]
    fn names_that_climb_out_are_refused() {
        for name in ["../x", "/etc/passwd", "a/b", "a\\b", "..\\x", "/", "x/"] {
            assert_eq!(FileName::new(name), Err(NameError::Separator(name.to_owned())), "{name}");
        }
        for name in [".", ".."] {
            assert_eq!(FileName::new(name), Err(NameError::Directory(name.to_owned())));
        }
        assert_eq!(FileName::new(""), Err(NameError::Empty));
    }

    #[test]
    fn control_characters_are_refused_and_shown_escaped() {
        for name in ["a\0b", "a\nb", "\u{1b}[2J", "\u{7f}", "\u{9b}31m"] {
            assert_eq!(FileName::new(name), Err(NameError::Control(name.to_owned())));
        }
        let shown = FileName::new("\u{1b}[2Jx").expect_err("an escape").to_string();
        assert_eq!(shown, r#"the file name "\u{1b}[2Jx" holds a control character"#);
    }

    #[test]
    fn names_too_long_or_not_text_are_refused() {
        assert_eq!(FileName::new(&"x".repeat(256)), Err(NameError::TooLong(256)));
        assert_eq!(FileName::from_bytes(&[b'x'; 70_000]), Err(NameError::TooLong(70_000)));
        let shown = FileName::from_bytes(b"a\xff\x1b").expect_err("no text").to_string();
        assert_eq!(shown, r#"the file name "a\xff\x1b" is not UTF-8"#);
    }
}
