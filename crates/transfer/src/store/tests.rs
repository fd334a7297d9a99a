//! Tests of a store through its public interface: the content of the directory before and after.

use std::fs;
use std::os::unix::fs::{
    DirBuilderExt as _, FileExt as _, MetadataExt as _, PermissionsExt as _, chown, symlink,
};
use std::path::PathBuf;

use crate::protocol::Digest;
use anabranch_base::ByteCount;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::event::Remark;

fn offer(path: &str, kind: FileKind) -> Offer {
    let path = FilePath::new(path.as_bytes()).expect("a good path");
    let modified = Some(Modified { seconds: 1_000_000_000, nanoseconds: 500 });
    Offer { path, kind, mode: Some(0o640), modified }
}

fn file(path: &str) -> Offer {
    offer(path, FileKind::File { size: None })
}

fn resumable(size: u64) -> Offer {
    offer("a", FileKind::Resumable { size: ByteCount::new(size) })
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a directory");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The directory of incomplete files of `dir`.
fn partial(dir: &tempfile::TempDir) -> PathBuf {
    dir.path().join(partial::name())
}

/// Makes the directory of incomplete files as a transfer does.
fn make_partial(dir: &tempfile::TempDir) -> PathBuf {
    let path = partial(dir);
    fs::DirBuilder::new().mode(0o700).create(&path).expect("a directory");
    path
}

fn store(overwrite: Overwrite) -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().expect("a directory");
    let store = Store::open(dir.path(), overwrite).expect("it is writable");
    (dir, store)
}

/// Writes all of `content` to a file.
fn fill(part: &mut Box<dyn IncomingFile>, content: &[u8]) {
    part.write(content, &Sha256::new_with_prefix(content)).expect("room");
}

/// Writes the rest of `content` after its first `from` bytes, which are stored.
fn fill_from(part: &mut Box<dyn IncomingFile>, content: &[u8], from: usize) {
    part.write(&content[from..], &Sha256::new_with_prefix(content)).expect("room");
}

fn digest(content: &[u8]) -> Digest {
    Sha256::digest(content).into()
}

fn digest_of(file: &mut Box<dyn IncomingFile>) -> Option<Digest> {
    file.hash().expect("it can be read").map(|hash| hash.finalize().into())
}

/// Receives all of `content` as a file.
fn receive(store: &Store, offer: &Offer, content: &[u8]) -> Result<(), FileVerdict> {
    let mut part = store.create(offer)?;
    fill(&mut part, content);
    part.keep(&Sha256::digest(content).into())
}

#[test]
fn a_file_has_its_name_only_when_it_is_kept_and_then_its_time_and_permissions() {
    let (dir, store) = store(Overwrite::Never);
    let mut part = store.create(&file("a")).expect("a new file");
    fill(&mut part, b"abc");
    assert_eq!((names(dir.path()), names(&partial(&dir))), (vec![partial::name()], vec!["a.part".into()]));
    assert_eq!(fs::metadata(partial(&dir)).expect("the directory").mode() & 0o777, 0o700);
    part.keep(&digest(b"abc")).expect("nothing in the way");
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

/// A directory with the part "abc" of a file of six bytes.
fn left() -> (tempfile::TempDir, Store) {
    let (dir, store) = store(Overwrite::Never);
    let mut part = store.create(&resumable(6)).expect("a new file");
    fill(&mut part, b"abc");
    assert_eq!(part.leave(Some(&Sha256::new_with_prefix(b"abc"))), Some(ByteCount::new(3)));
    (dir, store)
}

#[test]
fn what_is_left_goes_on() {
    let (dir, store) = left();
    // Data that a killed receiver wrote after its last record does not count.
    let path = partial(&dir).join("a.part");
    fs::write(&path, "abcxyz").expect("a file");
    let mut part = store.create(&resumable(6)).expect("it goes on");
    assert_eq!(part.there(), ByteCount::new(3));
    assert_eq!(digest_of(&mut part), Some(Sha256::digest(b"abc").into()));
    assert_eq!((part.take_remark(), fs::read(&path).expect("the file")), (None, b"abc".to_vec()));
    part.write(b"def", &Sha256::new_with_prefix(b"abcdef")).expect("room");
    part.keep(&digest(b"abcdef")).expect("nothing in the way");
    assert_eq!(fs::read(dir.path().join("a")).expect("the file"), b"abcdef");
    assert_eq!(names(dir.path()), ["a"]);
}

#[test]
fn a_changed_file_or_a_damaged_part_is_sent_from_the_start_and_the_user_is_informed() {
    let newer = Offer { modified: Some(Modified { seconds: 7, nanoseconds: 0 }), ..resumable(6) };
    let another: fn(PathBuf) -> Remark = |part| Remark::AnotherVersion { part, holds: ByteCount::new(3) };
    let damaged: fn(PathBuf) -> Remark = |part| Remark::Damaged { part };
    let cases = [
        (resumable(7), "abc", another),
        (newer, "abc", another),
        // After a power cut, say: the length is right, the bytes are not.
        (resumable(6), "ab\0", damaged),
        (resumable(6), "ab", damaged),
    ];
    for (offer, there, told) in cases {
        let (dir, store) = left();
        fs::write(partial(&dir).join("a.part"), there).expect("a file");
        let mut part = store.create(&offer).expect("it begins anew");
        if part.there() > ByteCount::ZERO {
            assert_eq!(digest_of(&mut part), None);
        }
        assert_eq!(part.take_remark(), Some(told(partial(&dir).join("a.part"))));
        let part = part.begin_anew().expect("it begins anew");
        assert_eq!(part.there(), ByteCount::ZERO);
        assert_eq!(fs::read(partial(&dir).join("a.part")).expect("the file"), b"");
    }
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let file = fs::OpenOptions::new().write(true).open(path).expect("it is there");
    file.write_all_at(bytes, at).expect("room");
}

/// A change to the file at a path.
type Alter = fn(&Path);

/// Changes that another program may make to a file of 40 bytes of which 20 are stored.
fn alterations() -> [(&'static str, Alter); 5] {
    [
        ("changed it", |part| overwrite(part, 15, b"X")),
        ("changed it", |part| overwrite(part, 0, b"XXXX")),
        ("changed it", |part| fs::write(part, "").expect("it is there")),
        ("was removed", |part| fs::remove_file(part).expect("it is there")),
        ("was removed", |part| {
            fs::rename(part, part.with_extension("bak")).expect("it is there");
            fs::write(part, [b'a'; 20]).expect("room");
            fs::remove_file(part.with_extension("bak")).expect("it is there");
        }),
    ]
}

#[test]
fn a_part_that_another_program_touched_is_not_stored_whatever_it_did_and_whenever() {
    let content = [b'a'; 40];
    let kinds = [FileKind::File { size: None }, FileKind::Resumable { size: ByteCount::new(40) }];
    for ((why, alter), kind) in alterations().into_iter().flat_map(|a| kinds.map(|kind| (a, kind))) {
        for is_at_the_end in [false, true] {
            let (dir, store) = store(Overwrite::Never);
            let offer = offer("a", kind);
            let mut part = store.create(&offer).expect("a new file");
            part.write(&content[..20], &Sha256::new_with_prefix(&content[..20])).expect("room");
            if !is_at_the_end {
                alter(&partial(&dir).join("a.part"));
            }
            let more = part.write(&content[20..], &Sha256::new_with_prefix(content));
            if is_at_the_end {
                alter(&partial(&dir).join("a.part"));
            }
            let verdict = more.and_then(|()| part.keep(&digest(&content))).expect_err("another file");
            assert!(
                verdict.why.starts_with("cannot store \"a\": ") && verdict.why.contains(why),
                "{verdict:?}"
            );
            assert!(!dir.path().join("a").exists(), "{verdict:?}");
            // The remains do not disturb the next transfer.
            receive(&store, &offer, &content).expect("nothing in the way");
            assert_eq!(
                (names(dir.path()), fs::read(dir.path().join("a")).ok()),
                (vec!["a".into()], Some(content.to_vec()))
            );
        }
    }
}

#[test]
fn what_lies_before_an_alteration_is_kept_and_does_not_travel_again() {
    let (dir, store) = store(Overwrite::Never);
    let content: Vec<u8> = (0..40 << 20).map(|i: u32| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
    let mut part = store.create(&resumable(40 << 20)).expect("a new file");
    let mut hash = Sha256::new();
    for piece in content.chunks(8 << 20) {
        hash.update(piece);
        part.write(piece, &hash).expect("room");
    }
    overwrite(&partial(&dir).join("a.part"), 20 << 20, &[!content[20 << 20]]);
    let verdict = part.keep(&digest(&content)).expect_err("another file");
    assert!(
        verdict.why.ends_with("; 16.8 MB are kept, and a new transfer continues from there"),
        "{verdict:?}"
    );
    let mut part = store.create(&resumable(40 << 20)).expect("it goes on");
    assert_eq!(digest_of(&mut part), Some(digest(&content[..16 << 20])));
    fill_from(&mut part, &content, 16 << 20);
    part.keep(&digest(&content)).expect("nothing in the way");
    assert!(fs::read(dir.path().join("a")).expect("the file") == content);
}

/// The beginning that an earlier transfer left is checked as well.
#[test]
fn a_part_that_is_altered_after_it_was_compared_is_not_stored() {
    let (dir, store) = left();
    let mut part = store.create(&resumable(6)).expect("it goes on");
    assert_eq!(digest_of(&mut part), Some(digest(b"abc")));
    fill_from(&mut part, b"abcdef", 3);
    overwrite(&partial(&dir).join("a.part"), 4, b"X");
    let verdict = part.keep(&digest(b"abcdef")).expect_err("another file");
    assert!(verdict.why.ends_with("; 3 B are kept, and a new transfer continues from there"), "{verdict:?}");
}

#[test]
fn a_file_that_is_there_and_changes_while_it_is_compared_is_not_taken_for_the_same() {
    let changes: [fn(&Path); 2] = [
        |path| fs::write(path, "abcdeX").expect("it is there"),
        |path| {
            fs::write(path.with_extension("new"), "abcdef").expect("room");
            fs::rename(path.with_extension("new"), path).expect("it is there");
        },
    ];
    for change in changes {
        let (dir, store) = store(Overwrite::Never);
        let path = dir.path().join("a");
        fs::write(&path, "abcdef").expect("a file");
        // The clock of a file system may be coarse.
        fs::File::open(&path).and_then(|file| file.set_modified(std::time::UNIX_EPOCH)).expect("ours");
        let mut present = store.create(&resumable(6)).expect("it may be the same");
        assert_eq!(digest_of(&mut present), Some(digest(b"abcdef")));
        change(&path);
        assert!(!present.keep(&digest(b"abcdef")).expect_err("another file").is_verified());
    }
}

#[test]
fn what_a_kill_left_behind_is_not_in_the_way() {
    let (dir, store) = store(Overwrite::Never);
    for (part, state) in [("", None), ("abc", None), ("abc", Some("")), ("abc", Some("{}"))] {
        let inside = make_partial(&dir);
        fs::write(inside.join("a.part"), part).expect("a file");
        if let Some(text) = state {
            fs::write(inside.join("a.part.json"), text).expect("a file");
        }
        assert_eq!(store.create(&resumable(6)).expect("ours").there(), ByteCount::ZERO);
        assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
    }
    // The file got its name, and the process was killed before it removed the rest.
    receive(&store, &resumable(6), b"abcdef").expect("a new file");
    fs::write(make_partial(&dir).join("a.part.json"), "{}").expect("a file");
    receive(&store, &resumable(6), b"abcdef").expect("the same");
    assert_eq!(names(dir.path()), ["a"]);
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
    let small = offer("a", FileKind::File { size: Some(ByteCount::new(6)) });
    receive(&store, &small, b"abcdef").expect("the same");
    let verdict = receive(&store, &small, b"abcdeX").expect_err("another");
    assert!(verdict.why.contains("exists already"), "{}", verdict.why);
    let mut large = store.create(&resumable(6)).expect("it may be the same");
    assert_eq!(digest_of(&mut large), Some(Sha256::digest(b"abcdef").into()));
    let verdict = large.begin_anew().expect_err("the sender says that it is not");
    assert!(verdict.why.contains("exists already"), "{}", verdict.why);
    assert!(is_untouched() && names(dir.path()) == ["a"]);
}

#[test]
fn what_is_there_is_read_once_the_sender_has_said_its_hash_and_never_for_an_offer_alone() {
    let (dir, mut store) = store(Overwrite::Never);
    store.hashed = Hashed::of_at_most(1);
    let paths = ["a", "b"].map(|name| dir.path().join(name));
    let [a, b] = paths.map(|path| {
        fs::write(&path, "abcdef").expect("a file");
        fs::File::open(path).expect("the file")
    });
    let offer_of_b = Offer { path: FilePath::new(b"b").expect("a name"), ..resumable(6) };
    drop(store.create(&offer_of_b).expect("it may be the same"));
    assert!(store.hashed.may_read(&a) && store.hashed.may_read(&b));
    let mut asked = store.create(&resumable(6)).expect("it may be the same");
    assert_eq!(asked.there(), ByteCount::new(6));
    digest_of(&mut asked).expect("a hash");
    // Another association has a clone of the store.
    assert!(store.clone().hashed.may_read(&a) && !store.clone().hashed.may_read(&b));
    // A file that may not be read is compared when as much has arrived.
    let mut other = store.create(&offer_of_b).expect("it may be the same");
    assert_eq!(other.there(), ByteCount::ZERO);
    other.write(b"abcdef", &Sha256::new()).expect("it is compared, not stored");
    other.keep(&Sha256::digest(b"abcdef").into()).expect("the same");
}

#[test]
fn forced_what_may_not_be_read_travels_again() {
    let (dir, mut store) = store(Overwrite::Always);
    receive(&store, &resumable(6), b"abcdef").expect("a new file");
    store.hashed = Hashed::of_at_most(0);
    receive(&store, &resumable(6), b"ABCDEF").expect("forced");
    assert_eq!(fs::read(dir.path().join("a")).expect("replaced"), b"ABCDEF");
}

#[test]
fn forced_the_same_file_does_not_travel_again_and_another_replaces_it() {
    let (dir, store) = store(Overwrite::Always);
    receive(&store, &resumable(6), b"abcdef").expect("a new file");
    assert_eq!(store.create(&resumable(6)).expect("the same").there(), ByteCount::new(6));
    let mut anew = store.create(&resumable(6)).expect("the same").begin_anew().expect("forced");
    fill(&mut anew, b"ABCDEF");
    assert_eq!(fs::read(dir.path().join("a")).expect("still there"), b"abcdef");
    anew.keep(&digest(b"ABCDEF")).expect("forced");
    assert_eq!(fs::read(dir.path().join("a")).expect("replaced"), b"ABCDEF");
}

#[test]
fn a_file_that_another_transfer_receives_is_left_to_it() {
    let (_dir, store) = store(Overwrite::Always);
    let _first = store.create(&resumable(6)).expect("a new file");
    let verdict = store.create(&resumable(6)).expect_err("locked");
    assert_eq!(verdict.why, "\"a\" is being received in another transfer");
}

#[test]
fn what_exists_is_refused_unless_forced() {
    let (dir, never) = store(Overwrite::Never);
    let never = never.advising("`replace` does it");
    fs::write(dir.path().join("a"), "old").expect("a file");
    let verdict = never.create(&file("a")).expect_err("it exists");
    assert!(verdict.why.contains("exists already; `replace` does it"), "{}", verdict.why);
    let always = Store::open(dir.path(), Overwrite::Always).expect("it is writable");
    let mut part = always.create(&file("a")).expect("forced");
    fill(&mut part, b"new");
    assert_eq!(fs::read(dir.path().join("a")).expect("still there"), b"old");
    part.keep(&digest(b"new")).expect("forced");
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
fn files_that_are_called_like_parts_are_their_users_own() {
    for overwrite in [Overwrite::Never, Overwrite::Always] {
        let (dir, store) = store(overwrite);
        // Files that an earlier version left before its first record, or that users have.
        let own = [("a.part", "mine"), ("a.part.json", ""), ("a.part.json.new", "mine too")];
        for (name, content) in own {
            fs::write(dir.path().join(name), content).expect("a file");
        }
        receive(&store, &resumable(6), b"abcdef").expect("nothing in the way");
        drop(store.create(&Offer { path: FilePath::new(b"b").expect("a name"), ..resumable(6) }));
        for (name, content) in own {
            assert_eq!(fs::read_to_string(dir.path().join(name)).expect("the file"), content);
        }
        assert_eq!(names(dir.path()), ["a", "a.part", "a.part.json", "a.part.json.new"]);
        // Such files may be sent as well.
        receive(&store, &file("x.part.json"), b"1").expect("a file like any other");
        receive(&store, &file("x"), b"2").expect("a file like any other");
        assert_eq!(fs::read(dir.path().join("x.part.json")).expect("the file"), b"1");
    }
}

#[test]
fn files_left_by_an_earlier_version_are_reported_and_kept() {
    let (dir, store) = left();
    for name in ["a.part", "a.part.json"] {
        fs::rename(partial(&dir).join(name), dir.path().join(name)).expect("ours");
    }
    let mut part = store.create(&resumable(6)).expect("nothing in the way");
    let [left, state] = ["a.part", "a.part.json"].map(|name| dir.path().join(name));
    let told = Remark::LeftBeside { part: left, state, holds: ByteCount::new(3) };
    assert_eq!(part.take_remark(), Some(told));
    assert_eq!(part.there(), ByteCount::ZERO);
    drop(part);
    assert_eq!(names(dir.path()), ["a.part", "a.part.json"]);
}

#[test]
fn names_of_what_is_not_complete_cannot_be_offered() {
    let (dir, mut store) = store(Overwrite::Always);
    let _part = store.create(&file("a")).expect("a new file");
    let inside = format!("{}/a.part", partial::name());
    for path in [&partial::name(), &inside, &inside.to_uppercase()] {
        let offers =
            [store.create(&file(path)).map(drop), store.make_directory(&offer(path, FileKind::Directory))];
        for refused in offers {
            let why = refused.expect_err("it is ours").why;
            assert!(why.contains("begin with .anabranch-partial are reserved by `anabranch recv`"), "{why}");
        }
    }
    assert_eq!((names(dir.path()).len(), names(&partial(&dir))), (1, vec!["a.part".into()]));
}

/// Gives `path` to another user, if the user of the test may do so.
fn give_away(path: &Path) -> bool {
    let is_given = chown(path, Some(65_534), Some(65_534)).is_ok();
    if !is_given {
        eprintln!("skipped: only root gives files away");
    }
    is_given
}

#[test]
fn what_another_user_put_in_the_place_of_ours_is_not_used() {
    let (dir, mut store) = store(Overwrite::Always);
    store.make_directory(&offer("d", FileKind::Directory)).expect("a new directory");
    for (outer, path) in [(dir.path().to_owned(), "a"), (dir.path().join("d"), "d/a")] {
        let theirs = outer.join(partial::name());
        fs::DirBuilder::new().mode(0o700).create(&theirs).expect("a directory");
        fs::write(theirs.join("a.part"), "theirs").expect("a file");
        if !give_away(&theirs) {
            return;
        }
        let why = store.create(&file(path)).expect_err("another's").why;
        assert!(why.ends_with("exists and cannot be used: it belongs to another user"), "{why}");
        assert_eq!(fs::read(theirs.join("a.part")).expect("the file"), b"theirs");
    }
    let error = Store::open(dir.path(), Overwrite::Always).expect_err("another's").to_string();
    assert!(error.contains("cannot be used: it belongs to another user"), "{error}");
}

#[test]
fn a_part_of_another_user_or_with_a_second_hard_link_is_not_continued() {
    let (dir, store) = left();
    let part = partial(&dir).join("a.part");
    fs::hard_link(&part, dir.path().join("second")).expect("another name");
    let why = store.create(&resumable(6)).expect_err("it can be changed").why;
    assert!(why.ends_with("cannot be used: it has a second hard link"), "{why}");
    fs::remove_file(dir.path().join("second")).expect("ours");
    if give_away(&part) {
        let why = store.create(&resumable(6)).expect_err("another's").why;
        assert!(why.ends_with("cannot be used: it belongs to another user"), "{why}");
    }
    assert_eq!(fs::read(&part).expect("the file"), b"abc");
}

#[test]
fn a_directory_of_ours_that_others_may_enter_is_not_used() {
    let (dir, store) = left();
    fs::set_permissions(partial(&dir), fs::Permissions::from_mode(0o770)).expect("ours");
    let why = store.create(&resumable(6)).expect_err("open to others").why;
    assert!(why.ends_with("cannot be used: other users may enter it (run chmod 700)"), "{why}");
    fs::set_permissions(partial(&dir), fs::Permissions::from_mode(0o700)).expect("ours");
    assert_eq!(store.create(&resumable(6)).expect("it goes on").there(), ByteCount::new(3));
}

#[test]
fn no_verdict_tells_where_the_receiver_stores() {
    let (dir, mut store) = store(Overwrite::Never);
    fs::write(dir.path().join("there"), "old").expect("a file");
    fs::create_dir(dir.path().join("d")).expect("a directory");
    let held = store.create(&resumable(6)).expect("a new file");
    let late = store.create(&file("late")).expect("a new file");
    fs::write(dir.path().join("late"), "old").expect("a file");
    let mut verdicts = vec![
        store.create(&file("there")).expect_err("it exists"),
        store.create(&file("d")).expect_err("a directory"),
        store.create(&file("there/a")).expect_err("no directory"),
        store.create(&resumable(6)).expect_err("it is being received"),
        store.create(&file(&partial::name())).expect_err("ours"),
        store.make_directory(&offer("there", FileKind::Directory)).expect_err("a file"),
        store.make_directory(&offer("there/d", FileKind::Directory)).expect_err("no directory"),
        late.keep(&Digest::default()).expect_err("it exists meanwhile"),
    ];
    drop(held);
    fs::write(partial(&dir), "in the way").expect("nothing is there");
    verdicts.push(store.create(&file("new")).expect_err("no directory"));
    let outer = dir.path().display().to_string();
    for verdict in verdicts {
        assert!(!verdict.why.contains(&outer) && verdict.why.contains('"'), "{}", verdict.why);
    }
}

#[test]
fn the_longest_name_can_be_stored() {
    let (dir, store) = store(Overwrite::Never);
    let name = "ä".repeat(FilePath::MAX_NAME / 2);
    store.create(&file(&name)).expect("a short part name").keep(&digest(b"")).expect("a name that fits");
    assert_eq!(names(dir.path()), [name]);
}

#[test]
fn directories_get_their_permissions_and_times_when_they_are_full() {
    let (dir, mut store) = store(Overwrite::Never);
    let closed = Offer { mode: Some(0o500), ..offer("d", FileKind::Directory) };
    store.make_directory(&closed).expect("a new directory");
    store.make_directory(&offer("d/e", FileKind::Directory)).expect("a directory in it");
    let mut part = store.create(&file("d/e/f")).expect("a new file");
    fill(&mut part, b"x");
    part.keep(&digest(b"x")).expect("nothing in the way");
    store.finish();
    let found = fs::metadata(dir.path().join("d")).expect("the directory");
    assert_eq!((found.mtime(), found.permissions().mode() & 0o777), (1_000_000_000, 0o500));
    fs::set_permissions(dir.path().join("d"), fs::Permissions::from_mode(0o700)).expect("ours");
    assert_eq!(fs::read(dir.path().join("d/e/f")).expect("the file"), b"x");
    // An existing directory keeps its permissions and accepts more files.
    store.make_directory(&closed).expect("it is there");
    store.create(&file("d/g")).expect("a new file").keep(&digest(b"")).expect("nothing in the way");
}

#[test]
fn directories_in_the_name_of_a_file_are_made() {
    let (dir, store) = store(Overwrite::Never);
    for path in ["d/e/a", "d/b", "d/e/f/g/c"] {
        receive(&store, &file(path), path.as_bytes()).expect("directories are made");
        assert_eq!(fs::read(dir.path().join(path)).expect("the file"), path.as_bytes());
    }
    assert_eq!(names(dir.path()), ["d"]);
}

#[test]
fn symbolic_links_are_not_followed() {
    let (dir, mut store) = store(Overwrite::Always);
    let elsewhere = tempfile::tempdir().expect("a directory");
    symlink(elsewhere.path(), dir.path().join("way")).expect("a link");
    symlink(elsewhere.path().join("x"), make_partial(&dir).join("a.part")).expect("a link");
    for path in ["way/a", "way/b/c", "a"] {
        let verdict = store.create(&file(path)).expect_err("a link");
        assert!(!verdict.is_verified());
    }
    assert!(!store.make_directory(&offer("way", FileKind::Directory)).expect_err("a link").is_verified());
    assert!(names(elsewhere.path()).is_empty());
    fs::remove_dir_all(partial(&dir)).expect("ours");
    symlink(elsewhere.path(), partial(&dir)).expect("a link");
    let verdict = store.create(&file("b")).expect_err("a link");
    assert!(verdict.why.ends_with("exists and is not a directory, or is a symbolic link"), "{}", verdict.why);
    Store::open(dir.path(), Overwrite::Always).expect_err("a link");
    assert!(names(elsewhere.path()).is_empty());
    fs::remove_file(partial(&dir)).expect("ours");
    // The link itself may be replaced; its target stays.
    symlink(elsewhere.path(), dir.path().join("b")).expect("a link");
    store.create(&file("b")).expect("forced").keep(&digest(b"")).expect("forced");
    assert!(fs::symlink_metadata(dir.path().join("b")).expect("the file").is_file());
}

#[test]
fn an_unusable_directory_is_reported_before_anything_is_received() {
    for (dir, why) in [
        (
            "/proc",
            "cannot put files into \"/proc\": nothing can be made in it: it was removed, or its file system",
        ),
        ("/proc/self", "cannot put files into"),
        ("/dev/null", "not a directory"),
        ("/nowhere", "it does not exist"),
    ] {
        let error = Store::open(Path::new(dir), Overwrite::Never).expect_err(dir).to_string();
        assert!(error.contains(why), "{dir}: {error}");
    }
}
