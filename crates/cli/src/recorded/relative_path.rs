//! The name of a file as seen from a folder, where a scenario will lie.

use std::path::{Component, Path, PathBuf};

/// The name of `file` for a scenario in `folder`, empty for the current one; `None` where it cannot be written as text.
pub(crate) fn as_seen_from(folder: &Path, file: &Path) -> Option<String> {
    if folder.as_os_str().is_empty() || file.is_absolute() {
        return file.to_str().map(str::to_owned);
    }
    let (folder, file) = (folder.canonicalize().ok()?, file.canonicalize().ok()?);
    relative(&folder, &file).to_str().map(str::to_owned)
}

/// The way from one absolute path to another.
fn relative(folder: &Path, file: &Path) -> PathBuf {
    let shared = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    // Two drives of Windows share nothing.
    if shared == 0 {
        return file.to_owned();
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_the_way_to_it() {
        for (folder, file, direction) in [
            ("/a/b", "/a/b/c.up", "c.up"),
            ("/a/b", "/a/c.up", "../c.up"),
            ("/a/b/d", "/a/c/e.up", "../../c/e.up"),
        ] {
            assert_eq!(relative(Path::new(folder), Path::new(file)), Path::new(direction));
        }
        assert_eq!(as_seen_from(Path::new(""), Path::new("x/c.up")).as_deref(), Some("x/c.up"));
    }
}
