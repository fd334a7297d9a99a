//! Creates network namespaces, and checks the permission to do so.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::panic::resume_unwind;
use std::path::PathBuf;

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{getgid, getuid};

/// A network namespace: it has only the interfaces made inside it. It ends when this is dropped and the last process
/// in it has ended.
#[derive(Debug)]
pub struct Namespace {
    file: File,
}

impl Namespace {
    /// Creates an empty namespace.
    ///
    /// # Errors
    /// `PermissionDenied` without the permission; see [`may_have_namespaces`].
    pub fn new() -> io::Result<Namespace> {
        // A single thread may leave the network namespace of the others.
        on_a_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            Ok(Namespace { file: File::open("/proc/thread-self/ns/net")? })
        })
    }

    /// Runs `work` on a thread inside the namespace, and returns its result. Sockets and processes that it creates
    /// stay inside.
    ///
    /// # Errors
    /// A thread cannot be started, or may not enter the namespace.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        on_a_thread(|| {
            setns(&self.file, CloneFlags::CLONE_NEWNET)?;
            Ok(work())
        })
    }

    /// A path by which other processes of this user can enter it, as long as this exists: `nsenter --net=PATH`.
    pub fn path(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd()).into()
    }
}

/// Ensures that this process may create network namespaces: without root it becomes root of a user namespace, in
/// which files remain the user's own. Must be called before any thread starts.
///
/// # Errors
/// The system permits neither.
pub fn may_have_namespaces() -> io::Result<()> {
    match Namespace::new() {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => enter_user_namespace(),
        Err(error) => Err(error),
    }
}

fn enter_user_namespace() -> io::Result<()> {
    let (user, group) = (getuid(), getgid());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // user_namespaces(7): without this, a process that is not root may map no group.
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("0 {group} 1"))
}

fn on_a_thread<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("namespace".to_owned()).spawn_scoped(scope, work)?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// The advice for a system that refuses namespaces.
pub(super) fn advice(error: &io::Error) -> &'static str {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EPERM | Errno::EACCES) => {
            "run this command as root, or allow users to create namespaces: sysctl -w kernel.unprivileged_userns_clone=1, \
             and on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0; a container needs the same rights"
        }
        Some(Errno::ENOSPC | Errno::EUSERS) => {
            "raise the system's limits: sysctl user.max_net_namespaces, user.max_user_namespaces"
        }
        _ => "this command needs a Linux kernel with network namespaces (CONFIG_NET_NS)",
    }
}
