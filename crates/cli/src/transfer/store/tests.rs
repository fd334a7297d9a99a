//! A store as its users see it: what is in the directory before and after. It knows no frame.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use anabranch_base::ByteCount;
use anabranch_cli::file_protocol::Digest;
use sha2::{Digest as _, Sha256};

use super::*;

fn offer(path: &str, kind: Kind) -> Offer {
    let path = FilePath::new(path.as_bytes()).expect("a good path");
    let modified = Some(Modified { seconds: 1_000_000_000, nanoseconds: 500 });
    Offer { path, kind, mode: Some(0o640), modified }
}

fn file(path: &str) -> Offer {
    offer(path, Kind::File { size: None })
}

fn resumable(size: u64) -> Offer {
    offer("a", Kind::Resumable { size: ByteCount::new(size) })
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a directory");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn store(overwrite: Overwrite) -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().expect("a directory");
    let store = Store::open(dir.path(), overwrite).expect("it is writable");
    (dir, store)
}

/// Writes all of `content` to a file.
fn fill(part: &mut Box<dyn Arriving>, content: &[u8]) {
    part.write(content, &Sha256::new_with_prefix(content)).expect("room");
}

/// Receives all of `content` as a file.
fn receive(store: &Store, offer: &Offer, content: &[u8]) -> Result<(), Verdict> {
    let mut part = store.create(offer)?;
    fill(&mut part, content);
    part.keep(&Sha256::digest(content).into())
}

#[test]
fn a_file_has_its_name_only_when_it_is_kept_and_then_its_time_and_permissions() {
    let (dir, store) = store(Overwrite::Never);
    let mut part = store.create(&file("a")).expect("a new file");
    fill(&mut part, b"abc");
    assert_eq!(names(dir.path()), ["a.part", "a.part.json"]);
    part.keep(&Digest::default()).expect("nothing in the way");
    assert_eq!(names(dir.path()), ["a"]);
    assert_eq!(fs::read(dir.path().join("a")).expect("the file"), b"abc");
    let found = fs::metadata(dir.path().join("a")).expect("the file");
    assert_eq!((found.mtime(), found.mtime_nsec()), (1_000_000_000, 500));
    assert_eq!(found.permissions().mode() & 0o777 & !0o640, 0);
}

#[test]
fn a_file_that_is_not_kept_leaves_nothing() {
    let (dir, store) = store(Overwrite::Never);
    drop(store.create(&file("a")).expect("a new file"));
    assert!(names(dir.path()).is_empty());
}

/// A directory in which "abc" is left of a file of six bytes.
fn left() -> (tempfile::TempDir, Store) {
    let (dir, store) = store(Overwrite::Never);
    let mut part = store.create(&resumable(6)).expect("a new file");
    fill(&mut part, b"abc");
    assert_eq!(part.leave(&Sha256::new_with_prefix(b"abc")), Some(ByteCount::new(3)));
    (dir, store)
}

#[test]
fn what_is_left_goes_on() {
    let (dir, store) = left();
    // What a killed receiver wrote after its last note does not count.
    let path = dir.path().join("a.part");
    fs::write(&path, "abcxyz").expect("a file");
    let mut part = store.create(&resumable(6)).expect("it goes on");
    let (size, hash) = part.beginning();
    assert_eq!((size.get(), hash.finalize()), (3, Sha256::digest(b"abc")));
    assert_eq!((part.remark(), fs::read(&path).expect("the file")), (None, b"abc".to_vec()));
    part.write(b"def", &Sha256::new_with_prefix(b"abcdef")).expect("room");
    part.keep(&Digest::default()).expect("nothing in the way");
    assert_eq!(fs::read(dir.path().join("a")).expect("the file"), b"abcdef");
    assert_eq!(names(dir.path()), ["a"]);
}

#[test]
fn a_file_that_changed_or_a_part_that_was_damaged_begins_anew_and_its_user_is_told() {
    let newer = Offer { modified: Some(Modified { seconds: 7, nanoseconds: 0 }), ..resumable(6) };
    for (offer, there, told) in [
        (
            resumable(7),
            "abc",
            "holds 3 B of another version of the file (size or time differ): it begins anew",
        ),
        (newer, "abc", "holds 3 B of another version of the file (size or time differ): it begins anew"),
        // After a power cut, say: the length is right, the bytes are not.
        (resumable(6), "ab\0", "was damaged or changed meanwhile: it begins anew"),
        (resumable(6), "ab", "was damaged or changed meanwhile: it begins anew"),
    ] {
        let (dir, store) = left();
        fs::write(dir.path().join("a.part"), there).expect("a file");
        let part = store.create(&offer).expect("it begins anew");
        assert!(part.remark().is_some_and(|remark| remark.ends_with(told)), "{:?}", part.remark());
        assert_eq!(part.beginning().0, ByteCount::ZERO);
        assert_eq!(fs::read(dir.path().join("a.part")).expect("the file"), b"");
    }
}

#[test]
fn what_a_power_cut_left_empty_is_in_nobodys_way() {
    let (dir, store) = store(Overwrite::Never);
    for (part, state) in [("", None), ("abc", Some(""))] {
        fs::write(dir.path().join("a.part"), part).expect("a file");
        if let Some(text) = state {
            fs::write(dir.path().join("a.part.json"), text).expect("a file");
        }
        assert_eq!(store.create(&resumable(6)).expect("ours").beginning().0, ByteCount::ZERO);
    }
}

#[test]
fn the_same_file_is_not_refused_and_stays_as_it_is() {
    let (dir, store) = store(Overwrite::Never);
    let path = dir.path().join("a");
    fs::write(&path, "abcdef").expect("a file");
    let before = fs::metadata(&path).expect("the file");
    let is_untouched = || {
        let now = fs::metadata(&path).expect("the file");
        (now.ino(), now.mtime_nsec(), now.mode()) == (before.ino(), before.mtime_nsec(), before.mode())
    };
    let small = offer("a", Kind::File { size: Some(ByteCount::new(6)) });
    receive(&store, &small, b"abcdef").expect("the same");
    let verdict = receive(&store, &small, b"abcdeX").expect_err("another");
    assert!(verdict.why.contains("exists already"), "{}", verdict.why);
    let large = store.create(&resumable(6)).expect("it may be the same");
    assert_eq!(large.beginning().1.finalize(), Sha256::digest(b"abcdef"));
    let verdict = large.begin_anew().expect_err("the sender says that it is not");
    assert!(verdict.why.contains("exists already"), "{}", verdict.why);
    assert!(is_untouched() && names(dir.path()) == ["a"]);
}

#[test]
fn forced_the_same_file_does_not_travel_again_and_another_replaces_it() {
    let (dir, store) = store(Overwrite::Always);
    receive(&store, &resumable(6), b"abcdef").expect("a new file");
    assert_eq!(store.create(&resumable(6)).expect("the same").beginning().0, ByteCount::new(6));
    let mut anew = store.create(&resumable(6)).expect("the same").begin_anew().expect("forced");
    fill(&mut anew, b"ABCDEF");
    assert_eq!(fs::read(dir.path().join("a")).expect("still there"), b"abcdef");
    anew.keep(&Digest::default()).expect("forced");
    assert_eq!(fs::read(dir.path().join("a")).expect("replaced"), b"ABCDEF");
}

#[test]
fn a_file_that_another_transfer_receives_is_left_to_it() {
    let (_dir, store) = store(Overwrite::Always);
    let _first = store.create(&resumable(6)).expect("a new file");
    let verdict = store.create(&resumable(6)).expect_err("locked");
    assert!(verdict.why.ends_with("a.part\" is being received in another transfer"), "{}", verdict.why);
}

#[test]
fn what_exists_is_refused_unless_forced() {
    let (dir, never) = store(Overwrite::Never);
    fs::write(dir.path().join("a"), "old").expect("a file");
    let verdict = never.create(&file("a")).expect_err("it exists");
    assert!(verdict.why.contains("exists already; `anabranch recv --force`"), "{}", verdict.why);
    let always = Store::open(dir.path(), Overwrite::Always).expect("it is writable");
    let mut part = always.create(&file("a")).expect("forced");
    fill(&mut part, b"new");
    assert_eq!(fs::read(dir.path().join("a")).expect("still there"), b"old");
    part.keep(&Digest::default()).expect("forced");
    assert_eq!(fs::read(dir.path().join("a")).expect("replaced"), b"new");
}

#[test]
fn what_appears_meanwhile_is_not_overwritten() {
    let (dir, store) = store(Overwrite::Never);
    let part = store.create(&file("a")).expect("a new file");
    fs::write(dir.path().join("a"), "other").expect("a file");
    assert!(!part.keep(&Digest::default()).expect_err("in the way").is_verified());
    assert_eq!(names(dir.path()), ["a"]);
}

#[test]
fn somebodys_own_part_is_named_and_kept() {
    let (dir, store) = store(Overwrite::Never);
    fs::write(dir.path().join("a.part"), "mine").expect("a file");
    let verdict = store.create(&file("a")).expect_err("in the way");
    assert!(verdict.why.contains("a.part\" exists already, and not from an"), "{}", verdict.why);
    assert_eq!(fs::read(dir.path().join("a.part")).expect("the file"), b"mine");
}

#[test]
fn the_longest_name_can_be_stored() {
    let (dir, store) = store(Overwrite::Never);
    let name = "ä".repeat(FilePath::MAX_NAME / 2);
    store
        .create(&file(&name))
        .expect("a short part name")
        .keep(&Digest::default())
        .expect("a name that fits");
    assert_eq!(names(dir.path()), [name]);
}

#[test]
fn directories_get_their_permissions_and_times_when_they_are_full() {
    let (dir, mut store) = store(Overwrite::Never);
    let closed = Offer { mode: Some(0o500), ..offer("d", Kind::Directory) };
    store.make_directory(&closed).expect("a new directory");
    store.make_directory(&offer("d/e", Kind::Directory)).expect("a directory in it");
    let mut part = store.create(&file("d/e/f")).expect("a new file");
    fill(&mut part, b"x");
    part.keep(&Digest::default()).expect("nothing in the way");
    store.finish();
    let found = fs::metadata(dir.path().join("d")).expect("the directory");
    assert_eq!((found.mtime(), found.permissions().mode() & 0o777), (1_000_000_000, 0o500));
    fs::set_permissions(dir.path().join("d"), fs::Permissions::from_mode(0o700)).expect("ours");
    assert_eq!(fs::read(dir.path().join("d/e/f")).expect("the file"), b"x");
    // What is there already stays as it is, and takes more.
    store.make_directory(&closed).expect("it is there");
    store.create(&file("d/g")).expect("a new file").keep(&Digest::default()).expect("nothing in the way");
}

#[test]
fn symbolic_links_are_not_followed() {
    let (dir, mut store) = store(Overwrite::Always);
    let elsewhere = tempfile::tempdir().expect("a directory");
    symlink(elsewhere.path(), dir.path().join("way")).expect("a link");
    symlink(elsewhere.path().join("x"), dir.path().join("a.part")).expect("a link");
    for path in ["way/a", "way/b/c", "a"] {
        let verdict = store.create(&file(path)).expect_err("a link");
        assert!(!verdict.is_verified());
    }
    assert!(!store.make_directory(&offer("way", Kind::Directory)).expect_err("a link").is_verified());
    assert!(names(elsewhere.path()).is_empty());
    // The link itself may be replaced, and what it leads to stays.
    symlink(elsewhere.path(), dir.path().join("b")).expect("a link");
    store.create(&file("b")).expect("forced").keep(&Digest::default()).expect("forced");
    assert!(fs::symlink_metadata(dir.path().join("b")).expect("the file").is_file());
}

#[test]
fn a_directory_that_takes_no_files_is_told_before_anything_is_received() {
    for (dir, why) in [
        ("/proc/self", "cannot put files into"),
        ("/dev/null", "not a directory"),
        ("/nowhere", "no such directory"),
    ] {
        let error = Store::open(Path::new(dir), Overwrite::Never).expect_err(dir).to_string();
        assert!(error.contains(why), "{dir}: {error}");
    }
}
