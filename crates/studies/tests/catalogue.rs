//! The catalogue of panels beside the list of the works' panels, beside the index of docs/figures.md, and beside the verdicts of the
//! figures' pages.
//!
//! After a change of verdicts: `UPDATE_INDEX=1 cargo test -p anabranch-studies --test catalogue`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anabranch_studies::figures::catalogue::{
    INDEX_BEGIN, INDEX_END, WORKS, index, panels, verdict_beside, with_claims, with_curves,
};
use anabranch_studies::figures::claim::{Claim, Weight};
use anabranch_studies::figures::claim_table::{self, ClaimRow};
use anabranch_studies::figures::curve_table;
use anabranch_studies::figures::running_times;
use anabranch_studies::figures::selection::selection;
use anabranch_studies::figures::session::drawn_anew;
use anabranch_studies::figures::{DecidedBy, FIGURES, FigureEntry, RunOptions};
use anabranch_studies::scale::StudyScale;

/// The panels with results, by work: 8, 6, 6, 10 and 31.
const PANELS: [&str; 61] = [
    "IY-F4", "IY-F5a", "IY-F5b", "IY-F5c", "IY-F5d", "IY-F6a", "IY-F6b", "IY-F6c", "BERP-F2", "BERP-F3",
    "BERP-F5", "BERP-F6", "BERP-F8", "BERP-F9", "LIU-F4a", "LIU-F4b", "LIU-F5a", "LIU-F5b", "LIU-F6a",
    "LIU-F6b", "WS-F5", "WS-F6", "WS-F7", "WS-F8", "WS-F9", "WS-F10", "WS-F11", "WS-F12", "WS-F13", "WS-F14",
    "YE-F7a", "YE-F7b", "YE-F7c", "YE-F8a", "YE-F8b", "YE-F8c", "YE-F9a", "YE-F9b", "YE-F9c", "YE-F11",
    "YE-F13", "YE-F15a", "YE-F15b", "YE-F22", "YE-F23", "YE-F24", "YE-T1", "YE-F25", "YE-F26", "YE-F27",
    "YE-F29", "YE-F30", "YE-F33", "YE-F34", "YE-F35", "YE-T2", "YE-F36", "YE-F37", "YE-F42", "YE-F43",
    "YE-F44",
];

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The page of a figure.
fn page_of(figure: &FigureEntry) -> PathBuf {
    docs().join("figures").join(figure.page())
}

/// The committed claims of a figure; none without a table.
fn claims_of(figure: &FigureEntry) -> Vec<ClaimRow> {
    let path = docs().join("figures").join(claim_table::file_name(figure.id));
    if !path.exists() {
        return Vec::new();
    }
    claim_table::read(&read(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_panel_of_the_works_is_in_the_catalogue_and_no_other() {
    let known: Vec<&str> = panels().map(|(_, panel)| panel.id).collect();
    assert_eq!(known, PANELS);
    assert_eq!(known.iter().collect::<BTreeSet<_>>().len(), 61);
    assert_eq!(
        FIGURES.iter().map(|figure| figure.panels.len()).sum::<usize>(),
        61,
        "each is of a known work"
    );
    for (figure, panel) in panels() {
        assert!(WORKS.iter().any(|(work, _)| panel.id.starts_with(&format!("{work}-"))), "{}", panel.id);
        assert_eq!(selection([panel.id]).map(|one| one[0].figure().id), Ok(figure.id));
    }
    let places: Vec<String> = ["IY-F5a", "YE-T1"]
        .map(|id| panels().find(|(_, panel)| panel.id == id))
        .into_iter()
        .flatten()
        .map(|(_, panel)| panel.place())
        .collect();
    assert_eq!(places, ["figure 5a", "table 1"]);
}

#[test]
fn the_verdicts_of_the_catalogue_are_those_of_the_pages() {
    for (figure, panel) in panels() {
        let verdict = verdict_beside(&read(&page_of(figure)), &claims_of(figure), panel);
        assert_eq!(verdict, Some(panel.verdict), "{}", panel.id);
    }
}

/// Compares a page with what it is made anew as, or writes it.
fn is_current(path: &Path, made: &str) {
    let page = read(path);
    if std::env::var_os("UPDATE_INDEX").is_some() {
        fs::write(path, made).expect("it can be written");
        return;
    }
    let first = page.lines().zip(made.lines()).position(|(one, other)| one != other);
    assert!(page == made, "{} from line {first:?} on: UPDATE_INDEX=1 writes it anew", path.display());
}

#[test]
fn the_index_and_the_generated_parts_of_the_pages_are_current() {
    let path = docs().join("figures.md");
    let page = read(&path);
    let (before, rest) = page.split_once(INDEX_BEGIN).expect("where the index begins");
    let (_, after) = rest.split_once(INDEX_END).expect("where the index ends");
    is_current(&path, &format!("{before}{INDEX_BEGIN}\n{}{INDEX_END}{after}", index()));
    for figure in FIGURES {
        let record = figure.record(StudyScale::Full).unwrap_or_else(|error| panic!("{error}"));
        let is_there = |file: &str| docs().join("figures").join(file).exists();
        let with_claims = with_claims(&read(&page_of(figure)), figure.id, &claims_of(figure));
        is_current(&page_of(figure), &with_curves(&with_claims, &record, is_there));
    }
}

#[test]
fn every_figure_has_a_time() {
    let times = running_times::read(&docs().join("figures")).expect("a table of times");
    let known: Vec<&str> = times.iter().map(|time| time.figure.as_str()).collect();
    assert_eq!(known, FIGURES.iter().map(|figure| figure.id).collect::<Vec<_>>());
}

#[test]
fn every_table_and_picture_of_the_pages_is_there_and_no_other() {
    let pages: Vec<String> = FIGURES.iter().map(|figure| read(&page_of(figure))).collect();
    let linked = |ending: &str| -> BTreeSet<String> {
        let links = pages.iter().flat_map(|page| page.split("](").skip(1));
        let files = links.filter_map(|rest| rest.split_once(')')).map(|(file, _)| file.to_owned());
        files.filter(|file| !file.contains('/') && file.ends_with(ending)).collect()
    };
    let there = |ending: &str| -> BTreeSet<String> {
        let files = fs::read_dir(docs().join("figures")).expect("the folder of the curves");
        let names = files.map(|file| file.expect("its name").file_name().to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(ending) && name != running_times::FILE).collect()
    };
    for ending in [".csv", ".svg"] {
        assert_eq!(linked(ending), there(ending), "{ending}");
        assert!(linked(ending).len() >= 61, "{ending}");
    }
}

/// The claims that decide about a panel are in its record, so that a run has a verdict on it.
#[test]
fn what_decides_about_a_panel_is_in_its_record() {
    for (figure, panel) in panels() {
        let record = figure.record(StudyScale::Quick).unwrap_or_else(|error| panic!("{error}"));
        let is_deciding = |claim: &Claim| match panel.decided_by {
            DecidedBy::Figure => claim.weight == Weight::Core,
            DecidedBy::Panel(name) => claim.weight == Weight::Core && claim.panel == name,
            DecidedBy::Claims(names) => names.contains(&claim.id),
        };
        let count = record.claims.iter().filter(|claim| is_deciding(claim)).count();
        let least = if let DecidedBy::Claims(names) = panel.decided_by { names.len() } else { 1 };
        assert!(count >= least, "{}", panel.id);
    }
}

/// Two of the cheapest of the committed points, drawn anew; `make figures-check` draws one in twenty.
#[test]
fn committed_points_are_drawn_again_to_the_last_digits_but_three() {
    let mut options = RunOptions::of_scale(StudyScale::Full);
    for (id, panel) in [("YE-F30", "F30"), ("IY-F4", "each")] {
        let figure = FigureEntry::named(id).unwrap_or_else(|| panic!("{id}"));
        let record = figure.record(StudyScale::Full).unwrap_or_else(|error| panic!("{error}"));
        let of_name = record.panels.iter().find(|one| one.name == panel).expect("the panel");
        let path = docs().join("figures").join(curve_table::file_name(id, of_name));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let rows = curve_table::read(&text).unwrap_or_else(|error| panic!("{error}"));
        let row = &rows[rows.len() / 2];
        let point = (row.series.clone(), row.x);
        let anew =
            drawn_anew(figure, panel, &[point], &mut options).unwrap_or_else(|error| panic!("{error}"));
        assert!(anew.len() == 1 && anew[0].is_same(row), "{row:?}: {anew:?}");
    }
}
