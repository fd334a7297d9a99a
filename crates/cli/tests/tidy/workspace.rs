//! Reads the text files of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// A text file.
pub(crate) struct File {
    /// The path from the root of the workspace, with `/` between the parts.
    pub path: String,
    /// The content.
    pub text: String,
}

/// The text files, in the order of their paths.
pub(crate) struct Workspace(Vec<File>);

impl File {
    /// A complaint about this file, in the form that editors follow.
    pub(crate) fn complain(&self, line: usize, what: &str) -> String {
        format!("{}:{line}: {what}", self.path)
    }

    /// Returns true if the file's name ends in `.` and one of these.
    pub(crate) fn is_one_of(&self, extensions: &[&str]) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| extensions.iter().any(|e| found == *e))
    }

    /// The name of the crate's directory, for a file in `crates/`.
    pub(crate) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split_once('/').map(|(name, _)| name)
    }
}

impl Workspace {
    /// Reads the workspace that this test belongs to.
    pub(crate) fn read() -> Workspace {
        let mut files = Vec::new();
        walk(&root(), "", &mut files);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Workspace(files)
    }

    /// The files.
    pub(crate) fn files(&self) -> &[File] {
        &self.0
    }

    /// True if `path` is a file or a folder; binary files and pictures count too.
    pub(crate) fn has(&self, path: &str) -> bool {
        root().join(path).exists()
    }

    /// Returns the content of the file at `path`.
    pub(crate) fn text(&self, path: &str) -> &str {
        let file = self.0.iter().find(|file| file.path == path);
        &file.unwrap_or_else(|| panic!("there is no {path}")).text
    }
}

/// The root of this workspace, or that of another tree to be compared, from `ANABRANCH_TREE`.
fn root() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::var_os("ANABRANCH_TREE").map_or_else(own, PathBuf::from)
}

fn walk(directory: &Path, prefix: &str, files: &mut Vec<File>) {
    for entry in fs::read_dir(directory).expect("a directory that can be read") {
        let entry = entry.expect("an entry that can be read");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let kind = entry.file_type().expect("an entry with a type");
        let path = format!("{prefix}{name}");
        if kind.is_dir() && !is_made_by_tools(&entry.path(), &name) {
            walk(&entry.path(), &format!("{path}/"), files);
        } else if kind.is_file()
            && name != ".git"
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            files.push(File { path, text });
        }
    }
}

/// Directories that git does not track; cargo and ruff mark theirs with a `CACHEDIR.TAG`.
fn is_made_by_tools(directory: &Path, name: &str) -> bool {
    const MADE: &[&str] = &[".git", ".venv", "artifacts", "corpus", "node_modules", "target", "__pycache__"];
    MADE.contains(&name) || directory.join("CACHEDIR.TAG").exists()
}
