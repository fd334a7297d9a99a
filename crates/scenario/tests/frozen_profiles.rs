//! Released profiles keep every value: a file that names one means the same in every later version.
//!
//! `tests/profiles/NAME.txt` has the values of a profile as they were released, and never changes, which its digest here
//! proves. A later setting may be added to the program; in these profiles it has the value that changes nothing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anabranch_scenario::resolved::{ResolvedTable, ResolvedValue};
use anabranch_scenario::{registry, tools};
use anabranch_sctp::config::Config;
use sha2::{Digest as _, Sha256};

/// The released profiles, with the SHA-256 of their files.
const FROZEN: [(&str, &str); 3] = [
    ("rfc9260", "edbdb80808775cb6b029b17550cdc9166c091f4f6850d7908fa3f659c21894fd"),
    ("tuned-1", "2f6dfc7cad0e7152bccc3934cb221b78dcef05a92504bf7ac6297add60187362"),
    ("tuned-2", "d5b77f63d9168f660bae1f59f6bc63b8b6f785aff09186fff68ae229eb6af83b"),
];

#[test]
fn released_profiles_keep_every_value() {
    for (name, digest) in FROZEN {
        let now = lines(name);
        let released = std::fs::read_to_string(file(name)).expect("a file of the profile");
        let changed: Vec<&str> = released.lines().filter(|line| !now.iter().any(|now| now == line)).collect();
        assert_eq!(
            changed,
            Vec::<&str>::new(),
            "{name}: these values were released; now it has\n{}",
            now.join("\n")
        );
        let hex = Sha256::digest(released.as_bytes()).iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("a string takes it");
            hex
        });
        assert_eq!(hex, digest, "tests/profiles/{name}.txt was released and must not change");
    }
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/profiles/{name}.txt"))
}

/// Every value of a profile, `key = value`.
fn lines(name: &str) -> Vec<String> {
    let config = Config::profile(name).expect("a profile");
    let mut lines = Vec::new();
    add("", &tools::resolved(&config, &registry()), &mut lines);
    lines
}

fn add(prefix: &str, table: &ResolvedTable, lines: &mut Vec<String>) {
    for (key, value) in table.entries() {
        match value {
            ResolvedValue::Table(inner) => add(&format!("{prefix}{key}."), inner, lines),
            other => lines.push(format!("{prefix}{key} = {}", text(other))),
        }
    }
}

fn text(value: &ResolvedValue) -> String {
    match value {
        ResolvedValue::Text(text) => format!("{text:?}"),
        ResolvedValue::Whole(number) => number.to_string(),
        ResolvedValue::Number(number) => number.to_string(),
        ResolvedValue::Boolean(is_true) => is_true.to_string(),
        ResolvedValue::List(values) => {
            format!("[{}]", values.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        ResolvedValue::Table(_) => unreachable!("tables have lines of their own"),
    }
}
