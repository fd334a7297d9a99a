//! Plays the scripts of this repository, and those of others where `ANABRANCH_SUITES` names their folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anabranch_conformance::{Played, Symbols, Verdict, find, play_file};

fn played(place: &Path) -> Vec<Played> {
    let symbols = Symbols::new(["FreeBSD"]);
    let files = find(place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    files.iter().map(|file| play_file(file, &symbols)).collect()
}

#[test]
fn each_script_of_our_own_passes() {
    let played = played(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts"));
    assert!(played.len() > 20, "{} scripts", played.len());
    let failed: Vec<String> = played
        .iter()
        .filter(|played| played.verdict != Verdict::Passed)
        .map(|played| format!("{}: {:?}", played.file.display(), played.verdict))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The folders of the clones of their repositories.
const SUITES: [&str; 4] = [
    "ETSI-SCTP-Conformance-Testsuite",
    "PR_SCTP_Testsuite",
    "SCTP-PLPMTUD-Tests",
    "packetdrill/gtests/net/packetdrill/tests/bsd/sctp",
];

/// The verdict on each script in docs/conformance.csv.
fn recorded() -> BTreeMap<String, String> {
    let mut table = csv::Reader::from_reader(include_bytes!("../../../docs/conformance.csv").as_slice());
    let rows = table.records().map(|row| row.expect("a row"));
    rows.map(|row| (row[0].to_owned(), row[1].to_owned())).collect()
}

/// Their verdicts are the ones that docs/conformance.csv records.
#[test]
fn scripts_of_others_have_the_verdicts_that_are_recorded() {
    let Some(folder) = std::env::var_os("ANABRANCH_SUITES").map(PathBuf::from) else {
        println!("ANABRANCH_SUITES names no folder: nothing to play");
        return;
    };
    let recorded = recorded();
    let mut wrong = Vec::new();
    for Played { file, verdict, .. } in SUITES.iter().flat_map(|suite| played(&folder.join(suite))) {
        let name = file.strip_prefix(&folder).expect("in the folder").display().to_string();
        let word = match verdict {
            Verdict::Passed => "passed",
            Verdict::Failed(_) => "failed",
            Verdict::NotApplicable(_) => "not applicable",
            Verdict::Unreadable(_) => "unreadable",
        };
        let before = recorded.get(&name).map_or("nothing", String::as_str);
        if before != word {
            wrong.push(format!("{name}: {word}, recorded: {before}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
