//! Control groups of version 2: the level and the identifier that the kernel compares.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use nix::sys::statfs::{CGROUP2_SUPER_MAGIC, statfs};

use crate::error::CaptureError;

/// A control group of version 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cgroup {
    /// The path of the request.
    pub(crate) path: String,
    /// The number of directories from the root of the hierarchy.
    pub(crate) level: u32,
    /// The number of its inode, which is its identifier.
    pub(crate) id: u64,
}

impl Cgroup {
    /// Looks up a path below the root of the hierarchy.
    pub(crate) fn open(path: &str) -> Result<Cgroup, CaptureError> {
        let root = root().ok_or_else(|| CaptureError::NoCgroup2(path.to_owned()))?;
        // Where both versions are mounted, the path may be written with the directory of version 2.
        let within = path.strip_prefix("unified/").filter(|_| root == UNIFIED).unwrap_or(path);
        let refused = |error| CaptureError::Cgroup { path: format!("{root}/{within}"), error };
        let metadata = Path::new(root).join(within).metadata().map_err(refused)?;
        if !metadata.is_dir() {
            return Err(refused(io::ErrorKind::NotADirectory.into()));
        }
        let level = u32::try_from(within.split('/').count()).unwrap_or(u32::MAX);
        Ok(Cgroup { path: path.to_owned(), level, id: metadata.ino() })
    }
}

/// The directory where version 2 is mounted.
fn root() -> Option<&'static str> {
    let is_version_2 =
        |path: &&str| statfs(*path).is_ok_and(|found| found.filesystem_type() == CGROUP2_SUPER_MAGIC);
    [ROOT, UNIFIED].into_iter().find(is_version_2)
}

const ROOT: &str = "/sys/fs/cgroup";
/// Version 2 beside version 1, as systemd mounts both.
const UNIFIED: &str = "/sys/fs/cgroup/unified";
