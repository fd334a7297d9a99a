//! The folders with the sockets of running programs, and the names of the sockets.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

/// A folder that may have sockets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folder {
    /// The path.
    pub path: PathBuf,
    /// True if programs of other users may answer there: for root, in the folder of services.
    pub has_services: bool,
}

/// The folders in the order in which a program chooses its own: that of its service, that of its user's session, that of
/// services for root, and one for temporary files.
pub(crate) fn folders() -> Vec<Folder> {
    let variable = |name: &str| std::env::var_os(name).unwrap_or_default();
    of_user(geteuid().as_raw(), &variable("RUNTIME_DIRECTORY"), &variable("XDG_RUNTIME_DIR"))
}

/// The folders in which `status` searches: the folder of services may hold a socket also for a user without root's rights.
pub(crate) fn searched() -> Vec<Folder> {
    let mut all = folders();
    if !all.iter().any(|folder| folder.path == Path::new(SERVICES)) {
        all.push(Folder { path: SERVICES.into(), has_services: geteuid().is_root() });
    }
    all
}

/// The name of a program's socket.
pub(crate) fn socket_name(pid: u32) -> String {
    format!("{BEFORE}{pid}{BEHIND}")
}

/// The process whose socket has this name.
pub(crate) fn pid_of(name: &OsStr) -> Option<u32> {
    let digits = name.to_str()?.strip_prefix(BEFORE)?.strip_suffix(BEHIND)?;
    // The standard library would read a sign.
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

fn of_user(user: u32, service: &OsStr, session: &OsStr) -> Vec<Folder> {
    // systemd lists several, with colons between them.
    let first = service.to_str().and_then(|list| list.split(':').next()).unwrap_or_default();
    let is_root = user == 0;
    let session = Path::new(session);
    let own = [
        Path::new(first).is_absolute().then(|| PathBuf::from(first)),
        session.is_absolute().then(|| session.join(NAME)),
        is_root.then(|| SERVICES.into()),
        Some(std::env::temp_dir().join(format!("{NAME}-{user}"))),
    ];
    let has_services = |path: &Path| is_root && path == Path::new(SERVICES);
    own.into_iter().flatten().map(|path| Folder { has_services: has_services(&path), path }).collect()
}

const NAME: &str = "anabranch";
const SERVICES: &str = "/run/anabranch";
const BEFORE: &str = "forward-";
const BEHIND: &str = ".sock";

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(user: u32, service: &str, session: &str) -> Vec<String> {
        let folders = of_user(user, OsStr::new(service), OsStr::new(session));
        folders.iter().map(|folder| folder.path.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_service_has_its_folder_and_a_user_one_of_the_session() {
        let temporary = std::env::temp_dir().join("anabranch-1000").to_string_lossy().into_owned();
        assert_eq!(
            chosen(1000, "/run/a:/run/b", "/run/user/1000"),
            ["/run/a", "/run/user/1000/anabranch", temporary.as_str()]
        );
        assert_eq!(chosen(1000, "", "not/absolute"), [temporary]);
        assert_eq!(chosen(0, "", "")[0], SERVICES);
        let of_root = of_user(0, OsStr::new(""), OsStr::new("/run/user/0"));
        assert_eq!(
            of_root.iter().map(|folder| folder.has_services).collect::<Vec<_>>(),
            [false, true, false]
        );
    }

    #[test]
    fn a_socket_is_named_after_its_process() {
        assert_eq!(pid_of(OsStr::new(&socket_name(4711))), Some(4711));
        for name in
            ["forward-.sock", "forward-+1.sock", "forward-1", "other-1.sock", "forward-99999999999.sock"]
        {
            assert_eq!(pid_of(OsStr::new(name)), None, "{name}");
        }
    }
}
