//! The sources of a transfer: the named files and directories, and the content of the directories.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::protocol::{FileKind, FilePath, Modified, Offer};
use anabranch_base::ByteCount;
use rustix::io::Errno;
use walkdir::WalkDir;

use crate::protocol::PathError;
use crate::refusals;
use crate::store::is_name_of_ours;

/// The files and directories to send, in order.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The entries, each directory before its content.
    pub entries: Vec<SourceEntry>,
    /// The entries left out on purpose: symbolic links, sockets.
    pub left_out: Vec<LeftOut>,
    /// The entries that cannot be sent.
    pub unreadable: Vec<Unreadable>,
}

/// An entry of a directory that is left out on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The path.
    pub path: PathBuf,
    /// The kind.
    pub kind: LeftOutKind,
}

/// The kind of an entry that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOutKind {
    /// A symbolic link, which is not followed.
    Link,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// A receiver's directory of incomplete files.
    Partial,
}

/// A source that cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot send {path:?}: {why}")]
pub struct Unreadable {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
}

/// The error of a path that cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// The system does not permit reading it.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// It is a symbolic link.
    #[error("cannot send {path:?}: it is a symbolic link, which is not followed; give its target instead")]
    Link {
        /// The path.
        path: PathBuf,
    },
    /// It is a socket.
    #[error("cannot send {path:?}: it is a socket")]
    Socket {
        /// The path.
        path: PathBuf,
    },
    /// The name is not valid in the protocol: another must be given.
    #[error("cannot send {path:?}: {error}")]
    Name {
        /// The path.
        path: PathBuf,
        /// The error of the name.
        error: PathError,
    },
    /// Two of the paths have one name.
    #[error(
        "cannot send {path:?}: {other:?} has the same name \"{name}\" at the receiver; send them in two \
         transfers"
    )]
    SameName {
        /// The path.
        path: PathBuf,
        /// The path of the other.
        other: PathBuf,
        /// The name of both.
        name: FilePath,
    },
}

/// A file or a directory to send.
#[derive(Clone, Debug)]
pub struct SourceEntry {
    /// The path; `-` is standard input.
    pub path: PathBuf,
    /// The offer to the receiver.
    pub offer: Offer,
}

impl SourceEntry {
    /// Updates the offer to the present state of the source.
    pub(crate) fn refresh(&mut self, found: &Metadata) {
        let size = ByteCount::new(found.len());
        self.offer.kind = match self.offer.kind {
            FileKind::Directory => FileKind::Directory,
            FileKind::File { .. } => FileKind::File { size: Some(size) },
            FileKind::Resumable { .. } => FileKind::Resumable { size },
        };
        self.offer.modified = Some(modified(found));
        self.offer.mode = Some(mode(found));
    }
}

impl Sources {
    /// Finds the sources at `paths`; `name` is the name of a single source at the receiver, by default the path's
    /// last part.
    ///
    /// # Errors
    /// One of the paths cannot be sent. Entries below it that cannot be read are in [`Sources::unreadable`].
    pub fn find(paths: &[PathBuf], name: Option<&str>) -> Result<Sources, FindError> {
        let mut sources = Sources::default();
        let mut named = BTreeMap::new();
        for path in paths {
            let name = sources.add(path, name)?;
            if let Some(other) = named.insert(name.clone(), path) {
                return Err(FindError::SameName { path: path.clone(), other: other.clone(), name });
            }
        }
        Ok(sources)
    }

    /// The total size, as far as it is known.
    pub fn size(&self) -> ByteCount {
        self.entries.iter().filter_map(|entry| entry.offer.size()).sum()
    }

    /// Adds the source at `path`, and returns its name at the receiver.
    fn add(&mut self, path: &Path, name: Option<&str>) -> Result<FilePath, FindError> {
        let unreadable = |error: io::Error| Unreadable { path: path.to_owned(), why: reason(&error) };
        let bad_name = |error| FindError::Name { path: path.to_owned(), error };
        if path == Path::new("-") {
            let told = FilePath::new(name.unwrap_or("stdin").as_bytes()).map_err(bad_name)?;
            let kind = FileKind::File { size: None };
            let offer = Offer { path: told.clone(), kind, mode: None, modified: None };
            self.entries.push(SourceEntry { path: path.to_owned(), offer });
            return Ok(told);
        }
        let found = fs::symlink_metadata(path).map_err(unreadable)?;
        if found.is_symlink() {
            return Err(FindError::Link { path: path.to_owned() });
        }
        let told = match name {
            Some(name) => name.as_bytes().to_vec(),
            None => own_name(path).map_err(unreadable)?,
        };
        let told = FilePath::new(&told).map_err(bad_name)?;
        if found.is_dir() {
            self.add_directory(path, &told);
        } else {
            if found.is_file() {
                // An unreadable file is reported before anything is sent.
                File::open(path).map_err(unreadable)?;
            } else if found.file_type().is_socket() {
                return Err(FindError::Socket { path: path.to_owned() });
            }
            self.entries.push(SourceEntry { path: path.to_owned(), offer: offer(told.clone(), &found) });
        }
        Ok(told)
    }

    fn add_directory(&mut self, top: &Path, told: &FilePath) {
        let mut walk = WalkDir::new(top).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(top).to_owned();
                    let why = error.io_error().map_or_else(
                        || "it contains itself by a symbolic link or a mount".to_owned(),
                        reason,
                    );
                    self.unreadable.push(Unreadable { path, why });
                    continue;
                }
            };
            let path = entry.path();
            let kind = entry.file_type();
            if entry.depth() > 0 && is_name_of_ours(entry.file_name()) {
                // Receivers refuse that name.
                self.left_out.push(LeftOut { path: path.to_owned(), kind: LeftOutKind::Partial });
                if kind.is_dir() {
                    walk.skip_current_dir();
                }
                continue;
            }
            if !kind.is_file() && !kind.is_dir() {
                self.left_out.push(LeftOut { path: path.to_owned(), kind: LeftOutKind::of(kind) });
                continue;
            }
            // `Path::join` with an empty path would append a separator.
            let below = path.strip_prefix(top).unwrap_or(Path::new(""));
            let told = below.iter().try_fold(told.clone(), |told, name| told.join(name));
            let found = entry.metadata().map_err(|error| error.to_string());
            match told.map_err(|error| error.to_string()).and_then(|told| Ok((told, found?))) {
                Ok((told, found)) => {
                    self.entries.push(SourceEntry { path: path.to_owned(), offer: offer(told, &found) });
                }
                Err(why) => self.unreadable.push(Unreadable { path: path.to_owned(), why }),
            }
        }
    }
}

/// The name of a path: its last part, or for `.` and the like that of the directory it stands for.
fn own_name(path: &Path) -> io::Result<Vec<u8>> {
    let name = match path.file_name() {
        Some(name) => name.to_owned(),
        None => path.canonicalize()?.file_name().unwrap_or_default().to_owned(),
    };
    Ok(name.into_encoded_bytes())
}

impl LeftOutKind {
    /// The kind of an entry that is neither a file nor a directory.
    fn of(kind: FileType) -> LeftOutKind {
        if kind.is_symlink() {
            LeftOutKind::Link
        } else if kind.is_fifo() {
            LeftOutKind::Pipe
        } else if kind.is_socket() {
            LeftOutKind::Socket
        } else {
            LeftOutKind::Device
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            LeftOutKind::Link => "a symbolic link",
            LeftOutKind::Pipe => "a named pipe",
            LeftOutKind::Socket => "a socket",
            LeftOutKind::Device => "a device",
            LeftOutKind::Partial => "a directory of incomplete files of `anabranch recv`",
        };
        write!(f, "{:?} is {what} and is skipped", self.path)
    }
}

/// The offer to the receiver for a source.
fn offer(path: FilePath, found: &Metadata) -> Offer {
    let size = ByteCount::new(found.len());
    let kind = if found.is_dir() {
        FileKind::Directory
    } else if found.is_file() && size >= WORTH_ASKING {
        FileKind::Resumable { size }
    } else {
        // The length of a pipe or device is not known.
        FileKind::File { size: found.is_file().then_some(size) }
    };
    let is_lasting = found.is_dir() || found.is_file();
    Offer { path, kind, mode: Some(mode(found)), modified: is_lasting.then(|| modified(found)) }
}

/// The bits for read, write and execute; set-user-id and the like are not sent.
fn mode(found: &Metadata) -> u32 {
    found.permissions().mode() & 0o777
}

fn modified(found: &Metadata) -> Modified {
    let nanoseconds = u32::try_from(found.mtime_nsec()).unwrap_or_default();
    Modified { seconds: found.mtime(), nanoseconds }
}

/// The reason for which a source cannot be read.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::LOOP) => "it has become a symbolic link, which is not followed".to_owned(),
        _ => refusals::reason(error),
    }
}

/// The smallest resumable file: sending a smaller one again takes no longer than asking for its part.
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
            sources.entries.iter().map(|entry| entry.offer.kind == FileKind::Directory).collect();
        assert_eq!(kinds, [true, false, true, true, false, false]);
        let large = sources.entries[5].offer.kind;
        assert_eq!(large, FileKind::Resumable { size: ByteCount::from_mib(1) });
        assert_eq!(sources.size(), ByteCount::from_mib(1) + ByteCount::new(2));
        assert_eq!(sources.left_out.len(), 1);
        assert_eq!(sources.left_out[0].kind, LeftOutKind::Link);
        assert!(sources.left_out[0].to_string().ends_with("link\" is a symbolic link and is skipped"));
        assert!(sources.unreadable.is_empty());
        let renamed = Sources::find(&[top], Some("other")).expect("all can be read");
        assert_eq!(told(&renamed)[1], "other/a");
    }

    #[test]
    fn what_a_receiver_has_not_whole_is_left_out_with_a_word() {
        let dir = tempfile::tempdir().expect("a directory");
        let partial = dir.path().join("a/.anabranch-partial-0");
        fs::create_dir_all(&partial).expect("directories");
        fs::write(partial.join("b.part"), "x").expect("a file");
        fs::write(dir.path().join("a/c"), "x").expect("a file");
        let sources = Sources::find(&[dir.path().join("a")], None).expect("a directory");
        let told: Vec<String> = sources.entries.iter().map(|entry| entry.offer.path.to_string()).collect();
        assert_eq!(told, ["a", "a/c"]);
        assert_eq!(
            sources.left_out.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [format!("{partial:?} is a directory of incomplete files of `anabranch recv` and is skipped")]
        );
    }

    #[test]
    fn special_files_are_skipped_with_a_message_and_not_waited_for() {
        let dir = tempfile::tempdir().expect("a directory");
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("s")).expect("a socket");
        let mode = rustix::fs::Mode::RWXU;
        let pipe = dir.path().join("p");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).expect("a pipe");
        let sources = Sources::find(&[dir.path().to_owned()], None).expect("it can be read");
        let kinds = ["p\" is a named pipe and is skipped", "s\" is a socket and is skipped"];
        assert_eq!(sources.entries.len(), 1);
        assert!(
            sources.left_out.iter().zip(kinds).all(|(note, kind)| note.to_string().ends_with(kind)),
            "{sources:?}"
        );
        // A named pipe given as a source is sent, with whatever length it delivers.
        let sources = Sources::find(&[pipe], None).expect("opening does not wait for a writer");
        assert_eq!(sources.entries[0].offer.kind, FileKind::File { size: None });
    }

    #[test]
    fn two_of_one_name_are_refused_before_anything_is_sent() {
        let dir = tempfile::tempdir().expect("a directory");
        let paths = ["a", "b"].map(|name| dir.path().join(name).join("x"));
        for path in &paths {
            fs::create_dir(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, "x").expect("a file");
        }
        let error = Sources::find(&paths, None).expect_err("two of one name").to_string();
        assert!(error.contains("a/x\" has the same name \"x\" at the receiver"), "{error}");
    }

    #[test]
    fn files_that_cannot_be_sent_are_reported_with_what_to_do() {
        let error = |path: &Path| Sources::find(&[path.to_owned()], None).expect_err("no").to_string();
        assert_eq!(error(Path::new("/nowhere/x")), "cannot send \"/nowhere/x\": there is no such file");
        let dir = tempfile::tempdir().expect("a directory");
        let link = dir.path().join("link");
        symlink("/etc/passwd", &link).expect("a link");
        assert!(error(&link).ends_with("is a symbolic link, which is not followed; give its target instead"));
        assert!(error(Path::new("/")).ends_with("has an empty name"));
        assert!(Sources::find(&["-".into()], Some("../x")).is_err());
        assert_eq!(told(&Sources::find(&["-".into()], None).expect("standard input")), ["stdin"]);
    }
}
