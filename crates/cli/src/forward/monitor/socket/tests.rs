//! Sockets that appear, go, and are left behind, and folders that may not have them.

use tempfile::{TempDir, tempdir};

use super::*;

fn own_folder() -> TempDir {
    let folder = tempdir().expect("a directory");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).expect("set");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    entries.map(|name| name.to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn a_socket_appears_for_its_user_alone_and_goes_when_it_is_dropped() {
    let folder = own_folder();
    let (listener, file) = open_in(folder.path(), 4711).expect("opened");
    assert_eq!(names(folder.path()), ["forward-4711.sock"], "nothing else is left");
    let path = folder.path().join("forward-4711.sock");
    assert_eq!(fs::metadata(&path).expect("a socket").mode() & 0o777, 0o600);
    let (asking, accepted) = tokio::join!(UnixStream::connect(&path), listener.accept());
    assert!(asking.is_ok() && is_permitted(&accepted.expect("accepted").0), "its own user");
    drop(file);
    assert!(names(folder.path()).is_empty());
}

#[tokio::test]
async fn the_sockets_of_dead_programs_are_removed_and_others_stay() {
    let folder = own_folder();
    let at = |name: &str| folder.path().join(name);
    // A listener that is closed leaves its file, as a program that was killed does.
    drop(BlockingListener::bind(at("forward-1.sock")).expect("bound"));
    let (_listener, _file) = open_in(folder.path(), 2).expect("opened");
    fs::write(at("forward-notes.sock"), "").expect("written");
    fs::create_dir(at(".forward-3")).expect("what a program that was killed left behind");
    remove_stale(folder.path()).await;
    let (_other_listener, _other) = open_in(folder.path(), 3).expect("opened");
    let mut left = names(folder.path());
    left.sort_unstable();
    assert_eq!(left, ["forward-2.sock", "forward-3.sock", "forward-notes.sock"]);
}

#[test]
fn a_folder_is_made_for_its_user_alone_and_one_that_others_may_change_is_refused() {
    let folder = own_folder();
    let new = folder.path().join("new");
    assert_eq!(prepare(&new), Ok(()));
    assert_eq!(fs::metadata(&new).expect("a folder").mode() & 0o777, 0o700);
    assert_eq!(prepare(&new), Ok(()), "again");
    fs::set_permissions(&new, Permissions::from_mode(0o777)).expect("set");
    assert!(prepare(&new).is_err_and(|why| why.contains("others may change it (mode 777)")));
    fs::set_permissions(&new, Permissions::from_mode(0o755)).expect("set");
    assert_eq!(prepare(&new), Ok(()), "others may read its names");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&new, &link).expect("linked");
    assert!(prepare(&link).is_err_and(|why| why.contains("not a folder")));
    assert!(prepare(&folder.path().join("no/such")).is_err());
    if !geteuid().is_root() {
        assert!(prepare(Path::new("/")).is_err_and(|why| why.contains("belongs to the user")));
    }
}

#[test]
fn a_link_is_followed_if_it_is_of_root_and_root_alone_may_change_it() {
    let folder = own_folder();
    let (target, link) = (folder.path().join("private"), folder.path().join("link"));
    fs::create_dir(&target).expect("a folder");
    std::os::unix::fs::symlink(&target, &link).expect("linked");
    let followed =
        if geteuid().is_root() { fs::canonicalize(&target).expect("a folder") } else { link.clone() };
    assert_eq!(behind_link(link.clone()), followed);
    assert_eq!(behind_link(target.clone()), target, "a folder is no link");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o1777)).expect("set");
    assert_eq!(behind_link(link.clone()), link, "others may have made it");
}
