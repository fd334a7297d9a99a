//! What is to be sent: the files and directories that the user named, and what is in them. It knows the file system,
//! and reads no file.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anabranch_base::ByteCount;
use anabranch_cli::file_protocol::{FilePath, Kind, Modified, Offer};
use walkdir::WalkDir;

use crate::failure::Failure;

/// All that is to be sent, in order.
#[derive(Debug, Default)]
pub struct Sources {
    /// Directories before what is in them.
    pub entries: Vec<Entry>,
    /// What is left out, as it should be: symbolic links, sockets.
    pub left_out: Vec<String>,
    /// What should be sent and cannot be.
    pub complaints: Vec<String>,
}

/// A file or a directory to be sent.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where it is; `-` is standard input.
    pub path: PathBuf,
    /// What the receiver is told of it.
    pub offer: Offer,
}

impl Sources {
    /// What is at `paths`; `name` is what the receiver is told of a single one, by default the path's last part.
    ///
    /// # Errors
    /// Where one of the paths cannot be sent. What is deeper is told in the complaints.
    pub fn find(paths: &[PathBuf], name: Option<&str>) -> Result<Sources, Failure> {
        let mut sources = Sources::default();
        for path in paths {
            sources.add(path, name)?;
        }
        Ok(sources)
    }

    /// How much that is, as far as it is known.
    pub fn size(&self) -> ByteCount {
        self.entries.iter().filter_map(|entry| entry.offer.size()).sum()
    }

    fn add(&mut self, path: &Path, name: Option<&str>) -> Result<(), Failure> {
        let failure = |why: String| Failure::File { path: path.to_owned(), why };
        if path == Path::new("-") {
            let told = name.unwrap_or("stdin");
            let told = FilePath::new(told.as_bytes()).map_err(|error| failure(error.to_string()))?;
            let kind = Kind::File { size: None };
            let offer = Offer { path: told, kind, mode: None, modified: None };
            self.entries.push(Entry { path: path.to_owned(), offer });
            return Ok(());
        }
        let found = fs::symlink_metadata(path).map_err(|error| failure(reason(&error)))?;
        if found.is_symlink() {
            return Err(failure(
                "it is a symbolic link, which is not followed; name what it leads to".to_owned(),
            ));
        }
        let told = match name {
            Some(name) => name.as_bytes().to_vec(),
            None => own_name(path).map_err(|error| failure(reason(&error)))?,
        };
        let told =
            FilePath::new(&told).map_err(|error| failure(format!("{error}; --name gives it another")))?;
        if found.is_dir() {
            self.add_directory(path, &told);
        } else {
            // Whoever mistyped learns it before anything is sent.
            File::open(path).map_err(|error| failure(reason(&error)))?;
            self.entries.push(Entry { path: path.to_owned(), offer: offer(told, &found) });
        }
        Ok(())
    }

    fn add_directory(&mut self, top: &Path, told: &FilePath) {
        for entry in WalkDir::new(top).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(top).display().to_string();
                    let why = error.io_error().map_or_else(|| "it leads back to itself".to_owned(), reason);
                    self.complaints.push(format!("cannot send {path:?}: {why}"));
                    continue;
                }
            };
            let path = entry.path();
            let kind = entry.file_type();
            if !kind.is_file() && !kind.is_dir() {
                let what = if kind.is_symlink() { "a symbolic link" } else { "no file" };
                self.left_out.push(format!("{path:?} is {what} and is left out"));
                continue;
            }
            // `Path::join` with nothing would put a separator behind the name.
            let below = path.strip_prefix(top).unwrap_or(Path::new(""));
            let told = below.iter().try_fold(told.clone(), |told, name| told.join(name));
            let found = entry.metadata().map_err(|error| error.to_string());
            match told.map_err(|error| error.to_string()).and_then(|told| Ok((told, found?))) {
                Ok((told, found)) => {
                    self.entries.push(Entry { path: path.to_owned(), offer: offer(told, &found) });
                }
                Err(why) => self.complaints.push(format!("cannot send {path:?}: {why}")),
            }
        }
    }
}

/// What a path is called: its last part, or for `.` and its like that of the directory it stands for.
fn own_name(path: &Path) -> io::Result<Vec<u8>> {
    let name = match path.file_name() {
        Some(name) => name.to_owned(),
        None => path.canonicalize()?.file_name().unwrap_or_default().to_owned(),
    };
    Ok(name.into_encoded_bytes())
}

fn offer(path: FilePath, found: &Metadata) -> Offer {
    let size = ByteCount::new(found.len());
    let kind = if found.is_dir() {
        Kind::Directory
    } else if found.is_file() && size >= WORTH_ASKING {
        Kind::Resumable { size }
    } else {
        // The length of a pipe or device is not known.
        Kind::File { size: found.is_file().then_some(size) }
    };
    let nanoseconds = u32::try_from(found.mtime_nsec()).unwrap_or_default();
    let modified = Modified { seconds: found.mtime(), nanoseconds };
    let is_lasting = found.is_dir() || found.is_file();
    let mode = Some(found.permissions().mode() & 0o777);
    Offer { path, kind, mode, modified: is_lasting.then_some(modified) }
}

/// What the system says, without its number.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// To send a smaller file again takes no longer than to ask how much of it is there.
const WORTH_ASKING: ByteCount = ByteCount::from_mib(1);

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    use super::*;

    fn told(sources: &Sources) -> Vec<String> {
        sources.entries.iter().map(|entry| entry.offer.path.to_string()).collect()
    }

    #[test]
    fn a_directory_is_sent_with_all_that_is_in_it_but_links() {
        let dir = tempfile::tempdir().expect("a directory");
        let top = dir.path().join("top");
        fs::create_dir_all(top.join("b/empty")).expect("a directory");
        fs::write(top.join("a"), "x").expect("a file");
        fs::write(top.join("b").join(OsStr::from_bytes(b"odd\xff\n")), "y").expect("a file");
        fs::write(top.join("z"), vec![0; 1 << 20]).expect("a file");
        symlink(&top, top.join("b/link")).expect("a link");
        let sources = Sources::find(std::slice::from_ref(&top), None).expect("all can be read");
        assert_eq!(told(&sources), ["top", "top/a", "top/b", "top/b/empty", r"top/b/odd\xff\n", "top/z"]);
        let kinds: Vec<bool> =
            sources.entries.iter().map(|entry| entry.offer.kind == Kind::Directory).collect();
        assert_eq!(kinds, [true, false, true, true, false, false]);
        let large = sources.entries[5].offer.kind;
        assert_eq!(large, Kind::Resumable { size: ByteCount::from_mib(1) });
        assert_eq!(sources.size(), ByteCount::from_mib(1) + ByteCount::new(2));
        assert_eq!(sources.left_out.len(), 1);
        assert!(sources.left_out[0].ends_with("link\" is a symbolic link and is left out"));
        assert!(sources.complaints.is_empty());
        let renamed = Sources::find(&[top], Some("other")).expect("all can be read");
        assert_eq!(told(&renamed)[1], "other/a");
    }

    #[test]
    fn what_cannot_be_sent_is_told_with_what_to_do() {
        let error = |path: &Path| Sources::find(&[path.to_owned()], None).expect_err("no").to_string();
        assert_eq!(error(Path::new("/nowhere/x")), "cannot send \"/nowhere/x\": there is no such file");
        let dir = tempfile::tempdir().expect("a directory");
        let link = dir.path().join("link");
        symlink("/etc/passwd", &link).expect("a link");
        assert!(error(&link).ends_with("is a symbolic link, which is not followed; name what it leads to"));
        assert!(error(Path::new("/")).ends_with("has an empty name; --name gives it another"));
        assert!(Sources::find(&["-".into()], Some("../x")).is_err());
        assert_eq!(told(&Sources::find(&["-".into()], None).expect("standard input")), ["stdin"]);
    }
}
