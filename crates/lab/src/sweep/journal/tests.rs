//! The journal reads back what a sweep wrote, whole, truncated or damaged.

use super::*;
use crate::sweep::batch::SeedRow;

const KEY: &str = "000102030405060708090a0b0c0d0e0f";

fn key() -> ScenarioKey {
    ScenarioKey::parse(KEY).expect("a key")
}

/// Rows of these seeds, with a number and a text that needs escaping.
fn rows(seeds: std::ops::Range<u64>) -> Rows {
    let row = |seed: u64| SeedRow { seed, cells: vec![format!("{seed}.5"), "a\tb\\n\nc".to_owned()] };
    let part = PartRows {
        key: KEY.to_owned(),
        columns: vec!["x".to_owned(), "why".to_owned()],
        rows: seeds.map(row).collect(),
        wall_ns: 1,
    };
    Rows { batch: 0, program: "anabranch 0.1.0".to_owned(), parts: vec![part] }
}

impl Journal {
    /// The number of rows.
    fn rows(&self) -> usize {
        self.index.len()
    }
}

fn open(folder: &Path) -> Journal {
    Journal::in_folder(folder).expect("it can be opened")
}

#[test]
fn rows_are_there_again_as_they_were() {
    let folder = tempfile::tempdir().expect("there is room");
    for mut journal in [open(folder.path()), Journal::in_memory()] {
        journal.append(&[rows(1..3), rows(2..5)]).expect("room");
        assert_eq!(journal.rows(), 4, "each once");
        let row = journal.row(key(), 4).expect("readable").expect("it is there");
        assert_eq!((row.cells[0].as_str(), row.cells[1].as_str()), ("4.5", "a\tb\\n\nc"));
        assert_eq!((row.columns[1].as_str(), row.program.as_str()), ("why", "anabranch 0.1.0"));
        assert_eq!(journal.row(key(), 9).expect("readable"), None);
    }
    let again = open(folder.path());
    assert_eq!((again.rows(), again.damaged()), (4, 0));
    assert_eq!(again.row(key(), 3).expect("readable").expect("it is there").cells[0], "3.5");
}

#[test]
fn a_file_cut_at_any_byte_keeps_the_lines_before_and_takes_new_ones() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join(FILE);
    open(folder.path()).append(&[rows(1..3)]).expect("room");
    let whole = fs::read(&file).expect("it is there");
    for length in 0..whole.len() {
        fs::write(&file, &whole[..length]).expect("room");
        let mut journal = open(folder.path());
        let ends = whole[..=length].iter().filter(|byte| **byte == b'\n').count();
        // The head and the columns precede the rows; a line lacking only its end is whole.
        assert_eq!(journal.rows(), ends.saturating_sub(2), "{length} bytes");
        journal.append(&[rows(1..3)]).expect("room");
        drop(journal);
        let again = open(folder.path());
        assert_eq!(again.rows(), 2, "{length} bytes");
        for seed in 1..3 {
            let row = again.row(key(), seed).expect("readable").expect("it is there");
            assert_eq!(row.cells[0], format!("{seed}.5"), "{length} bytes");
        }
    }
}

#[test]
fn what_a_kill_leaves_is_taken_away_and_what_was_damaged_is_counted() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join(FILE);
    open(folder.path()).append(&[rows(1..3)]).expect("room");
    let mut bytes = fs::read(&file).expect("it is there");
    let whole = bytes.len();
    bytes.extend_from_slice(b"run\t00");
    fs::write(&file, &bytes).expect("room");
    let mut journal = open(folder.path());
    assert_eq!((journal.rows(), journal.damaged()), (2, 0));
    assert_eq!(fs::read(&file).expect("it is there"), bytes, "nothing is changed before rows come");
    journal.append(&[rows(3..4)]).expect("room");
    drop(journal);
    let text = fs::read_to_string(&file).expect("it is there");
    assert!(text[whole..].starts_with(&format!("run\t{KEY}\t3\t")), "{text}");
    fs::write(&file, text.replacen("\t1.5\t", "\t2.5\t", 1)).expect("room");
    let journal = open(folder.path());
    assert_eq!((journal.rows(), journal.damaged()), (2, 1));
}

#[test]
fn a_line_without_end_costs_no_memory_and_no_row() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join(FILE);
    open(folder.path()).append(&[rows(1..3)]).expect("room");
    let whole = fs::read(&file).expect("it is there");
    let long = vec![b'x'; LONGEST_LINE as usize * 2 + 10];
    fs::write(&file, [&whole[..], &long, b"\n", &whole].concat()).expect("room");
    let journal = open(folder.path());
    assert_eq!((journal.rows(), journal.damaged()), (2, 1));
    drop(journal);
    fs::write(&file, [&whole[..], &long].concat()).expect("room");
    let mut journal = open(folder.path());
    assert_eq!((journal.rows(), journal.damaged()), (2, 1));
    journal.append(&[rows(3..4)]).expect("room");
    drop(journal);
    let journal = open(folder.path());
    assert_eq!((journal.rows(), journal.damaged()), (3, 0), "what was cut off is taken away");
}

#[test]
fn another_file_is_left_alone() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join(FILE);
    for text in ["# my notes\n", "x", "sweeping\n"] {
        fs::write(&file, text).expect("room");
        assert!(matches!(Journal::in_folder(folder.path()), Err(JournalError::NotOne { .. })), "{text}");
    }
    for beginning in ["", "s", "sweep\t"] {
        fs::write(&file, beginning).expect("room");
        assert_eq!(open(folder.path()).rows(), 0, "what a kill left of its first line");
    }
}

#[test]
fn a_damaged_byte_anywhere_costs_its_line_and_no_other() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join(FILE);
    open(folder.path()).append(&[rows(1..5)]).expect("room");
    let whole = fs::read(&file).expect("it is there");
    let first_row = whole.windows(4).position(|bytes| bytes == b"run\t").expect("a row");
    for at in first_row..whole.len() {
        for flip in [1, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            fs::write(&file, &bytes).expect("room");
            let found = open(folder.path()).rows();
            // A damaged line end makes one line of two.
            assert!((2..=3).contains(&found) || (found == 4 && at + 1 == whole.len()), "byte {at}: {found}");
        }
    }
}

#[test]
fn one_process_has_it_at_a_time() {
    let folder = tempfile::tempdir().expect("there is room");
    let first = open(folder.path());
    assert!(matches!(Journal::in_folder(folder.path()), Err(JournalError::InUse { .. })));
    drop(first);
    open(folder.path());
}

#[test]
fn the_file_of_a_newer_program_is_left_alone() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut lines = Lines::at(0);
    lines.push(&["sweep", "2"]);
    fs::write(folder.path().join(FILE), &lines.bytes).expect("room");
    let refused = Journal::in_folder(folder.path()).expect_err("newer").to_string();
    assert!(refused.ends_with("version 2 of the journal, and this program reads version 1"), "{refused}");
}
