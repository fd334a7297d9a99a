//! The socket at which the program answers `anabranch status`. The program's user and root alone may use it: by its mode,
//! and by the credentials of each that connects. It appears when it is complete, and a program that died leaves none to the next one.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener as BlockingListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::geteuid;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::{Monitor, document};
use crate::status::place;

/// The socket in the file system, which is removed when this is dropped.
#[derive(Debug)]
pub(super) struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Opens the socket of this program in the first folder that may have it.
///
/// # Errors
/// The reason of each folder.
pub(super) async fn open() -> Result<(UnixListener, SocketFile), String> {
    let mut reasons = Vec::new();
    for place::Folder { path, .. } in place::folders() {
        let path = behind_link(path);
        let opened = match prepare(&path) {
            Ok(()) => {
                remove_stale(&path).await;
                open_in(&path, std::process::id()).map_err(|error| error.to_string())
            }
            Err(why) => Err(why),
        };
        match opened {
            Ok(opened) => return Ok(opened),
            Err(why) => reasons.push(format!("{}: {why}", path.display())),
        }
    }
    Err(reasons.join("; "))
}

/// Answers each that connects, for ever.
pub(super) async fn serve(listener: UnixListener, monitor: Monitor) {
    let places = Arc::new(Semaphore::new(MOST_ASKING));
    let mut answers = JoinSet::new();
    loop {
        // A closed semaphore does not occur.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        while answers.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) if is_permitted(&stream) => {
                let monitor = monitor.clone();
                answers.spawn(async move {
                    answer(stream, &monitor).await;
                    drop(place);
                });
            }
            Ok(_) => {}
            Err(_) => sleep(PAUSE).await,
        }
    }
}

async fn answer(mut stream: UnixStream, monitor: &Monitor) {
    let text = format!("{}\n", document::of(monitor).await);
    let _ = timeout(PATIENCE, stream.write_all(text.as_bytes())).await;
}

fn is_permitted(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| is_own(peer.uid()) || peer.uid() == 0)
}

fn is_own(user: u32) -> bool {
    user == geteuid().as_raw()
}

/// Returns the folder to which a link of root leads, where root alone may change links: a service manager makes one for a service
/// with a user of its own (DynamicUser). Other paths stay.
fn behind_link(path: PathBuf) -> PathBuf {
    let is_of_root = |known: &Metadata| known.uid() == 0;
    let is_link = fs::symlink_metadata(&path).is_ok_and(|known| known.is_symlink() && is_of_root(&known));
    let above = path.parent().and_then(|above| fs::metadata(above).ok());
    let is_safe = above.is_some_and(|above| is_of_root(&above) && above.mode() & 0o022 == 0);
    if is_link && is_safe { fs::canonicalize(&path).unwrap_or(path) } else { path }
}

/// Makes a folder that its user alone may change, or checks that it is one.
fn prepare(folder: &Path) -> Result<(), String> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error.to_string()),
    }
    // The folder itself, and not one to which a link leads.
    let known = fs::symlink_metadata(folder).map_err(|error| error.to_string())?;
    if !known.is_dir() {
        return Err("it is not a folder".to_owned());
    }
    let above = folder.parent().and_then(|above| fs::metadata(above).ok()).map_or(0, |above| above.uid());
    for owner in [known.uid(), if above == 0 { known.uid() } else { above }] {
        if !is_own(owner) {
            return Err(format!("it belongs to the user with the number {owner}"));
        }
    }
    if known.mode() & 0o022 != 0 {
        return Err(format!("others may change it (mode {:o})", known.mode() & 0o7777));
    }
    Ok(())
}

/// Opens a socket in a folder of its own, and gives it its name when its mode is right and it listens.
fn open_in(folder: &Path, pid: u32) -> io::Result<(UnixListener, SocketFile)> {
    let workshop = folder.join(format!(".forward-{pid}"));
    let _ = fs::remove_dir_all(&workshop);
    let open = || {
        DirBuilder::new().mode(0o700).create(&workshop)?;
        let new = workshop.join("s");
        let listener = BlockingListener::bind(&new)?;
        fs::set_permissions(&new, Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        let path = folder.join(place::socket_name(pid));
        fs::rename(&new, &path)?;
        let file = SocketFile(path);
        Ok((UnixListener::from_std(listener)?, file))
    };
    let opened = open();
    let _ = fs::remove_dir_all(&workshop);
    opened
}

/// Removes the sockets of programs that have died: connections to them are refused.
async fn remove_stale(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().take(MOST_ENTRIES) {
        let Some(pid) = place::pid_of(&entry.file_name()) else { continue };
        if pid != std::process::id() && is_dead(&entry.path()).await {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns true if no program listens at a socket. One whose queue is full listens.
async fn is_dead(path: &Path) -> bool {
    let attempt = timeout(PAUSE, UnixStream::connect(path)).await;
    matches!(attempt, Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused)
}

/// Those that are answered at once.
const MOST_ASKING: usize = 8;
/// The time in which an answer must be read.
const PATIENCE: Duration = Duration::from_secs(5);
/// The pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);
/// The entries of a folder that are read.
const MOST_ENTRIES: usize = 10_000;

#[cfg(test)]
mod tests;
