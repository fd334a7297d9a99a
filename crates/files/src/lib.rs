//! Files that are written completely or not at all. A [`WholeFile`] is written under another name in its own folder,
//! and gets its name when it is complete and on disk: after a full disk, a limit or a kill the previous content
//! remains.
//!
//! The other name is new and unpredictable, so that another user's link in a shared folder cannot redirect the bytes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A file during its writing. Dropped before [`WholeFile::finish`], it leaves nothing.
#[derive(Debug)]
pub struct WholeFile(Target);

#[derive(Debug)]
enum Target {
    Beside {
        file: NamedTempFile,
        path: PathBuf,
    },
    /// A device, a pipe or a socket: it has no content to lose, and renaming would replace it by a file.
    Direct(File),
}

impl WholeFile {
    /// Opens the file that a user names. A symbolic link is followed: its target is replaced. A device or a pipe is
    /// written directly.
    ///
    /// # Errors
    /// The folder does not exist or is not writable.
    pub fn at(path: &Path) -> io::Result<WholeFile> {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => {
                OpenOptions::new().write(true).open(path).map(|file| WholeFile(Target::Direct(file)))
            }
            Ok(_) => beside(fs::canonicalize(path)?),
            // Includes a dangling link, which is replaced.
            Err(_) => beside(path.to_owned()),
        }
    }

    /// Opens the file `name` of a program in `folder`, to which others may write. A link is not followed but
    /// replaced.
    ///
    /// # Errors
    /// The folder does not exist or is not writable.
    pub fn in_folder(folder: &Path, name: &str) -> io::Result<WholeFile> {
        beside(folder.join(name))
    }

    /// Syncs the content, then gives the file its name.
    ///
    /// # Errors
    /// The disk is full or failed, or the folder is not writable any more. The previous file remains.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        match self.0 {
            Target::Beside { file, path } => {
                file.as_file().sync_all()?;
                file.persist(&path).map_err(|refused| refused.error)?;
                sync_folder(folder_of(&path))
            }
            Target::Direct(_) => Ok(()),
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Target::Beside { file, .. } => file.as_file_mut().write(bytes),
            Target::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Target::Beside { file, .. } => file.as_file_mut().flush(),
            Target::Direct(file) => file.flush(),
        }
    }
}

/// Writes a complete file that a user names, as [`WholeFile::at`] does.
///
/// # Errors
/// The file cannot be written. The previous file remains.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = WholeFile::at(path)?;
    file.write_all(content.as_ref())?;
    file.finish()
}

/// Opens or creates a file of a program, to read it and append to it. No link is followed.
///
/// # Errors
/// It is a link or cannot be opened.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|found| !found.is_file());
    if is_link {
        return Err(io::Error::other("it is a link or a device and not a file: remove it"));
    }
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    #[cfg(unix)]
    {
        // Does not block on a pipe that has replaced the file meanwhile.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.open(path)
}

/// Removes the remains of killed programs for the file `name` in `folder`. Only for a program that is the only writer
/// there.
pub fn remove_leftovers(folder: &Path, name: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let (begin, end) = (prefix(name), SUFFIX);
    for entry in entries.flatten() {
        let found = entry.file_name();
        let is_leftover = found
            .to_str()
            .and_then(|found| found.strip_prefix(&begin)?.strip_suffix(end))
            .is_some_and(|drawn| drawn.len() == DRAWN);
        if is_leftover {
            // A leftover that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Syncs the names in a folder; systems where folders cannot be opened do so by themselves.
///
/// # Errors
/// The folder cannot be opened, or the disk failed.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn beside(path: PathBuf) -> io::Result<WholeFile> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_string_lossy().into_owned();
    let before = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file);
    if before.as_ref().is_some_and(|before| before.permissions().readonly()) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let begin = prefix(&name);
    let mut builder = Builder::new();
    builder.prefix(&begin).suffix(SUFFIX).rand_bytes(DRAWN);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(folder_of(&path)).map_err(|error| without_name(&error))?;
    if let Some(before) = before {
        file.as_file().set_permissions(before.permissions())?;
    }
    Ok(WholeFile(Target::Beside { file, path }))
}

/// The error without the random name, which means nothing to a user.
fn without_name(error: &io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|inner| inner.source()?.downcast_ref::<io::Error>());
    match inner.and_then(io::Error::raw_os_error) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Shortens a long name, so that it fits with the suffix.
fn prefix(name: &str) -> String {
    let short: String = name.chars().take(40).collect();
    format!(".{short}.")
}

const SUFFIX: &str = ".part";
/// The number of random characters in a name.
const DRAWN: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name =
            |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_is_not_finished_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine");
        fs::write(&path, "before").unwrap();
        let mut file = WholeFile::at(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(
            (fs::read_to_string(&path).unwrap().as_str(), names(folder.path())),
            ("before", vec!["mine".into()])
        );
        write(&path, "after").unwrap();
        assert_eq!(
            (fs::read_to_string(&path).unwrap().as_str(), names(folder.path())),
            ("after", vec!["mine".into()])
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_file_behind_a_link_of_the_user_is_replaced_and_that_of_a_shared_folder_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "before").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        write(&link, "after").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let mut program = WholeFile::in_folder(folder.path(), "link").unwrap();
        program.write_all(b"of the program").unwrap();
        program.finish().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn an_appended_file_is_never_one_behind_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "precious").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        assert!(open_to_append(&link).is_err());
        assert!(open_to_append(&file).is_ok() && open_to_append(&folder.path().join("new")).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_mode_and_a_new_one_has_that_of_other_programs() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (old, new, plain) =
            (folder.path().join("old"), folder.path().join("new"), folder.path().join("plain"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::write(&old, "").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        write(&old, "x").unwrap();
        write(&new, "x").unwrap();
        fs::write(&plain, "").unwrap();
        assert_eq!((mode(&old), mode(&new)), (0o640, mode(&plain)));
        fs::set_permissions(&old, fs::Permissions::from_mode(0o440)).unwrap();
        assert_eq!(write(&old, "y").unwrap_err().kind(), io::ErrorKind::PermissionDenied, "it is protected");
    }

    #[test]
    fn leftovers_of_a_kill_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (_, left) = Builder::new()
            .prefix(&prefix("runs.csv"))
            .suffix(SUFFIX)
            .rand_bytes(DRAWN)
            .tempfile_in(folder.path())
            .unwrap()
            .keep()
            .unwrap();
        assert!(left.exists());
        for other in [".runs.csv.part", "runs.csv", ".runs.csv.0123456789.partial"] {
            fs::write(folder.path().join(other), "").unwrap();
        }
        remove_leftovers(folder.path(), "runs.csv");
        assert_eq!(names(folder.path()), [".runs.csv.0123456789.partial", ".runs.csv.part", "runs.csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_stays_one() {
        write(Path::new("/dev/null"), "x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert_eq!(write(Path::new("/"), "x").unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }
}
