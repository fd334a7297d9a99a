//! A tournament of some seconds: its page, and what is kept of its runs.

use std::fs;
use std::path::Path;

use anabranch_comparisons::tournament::Tournament;
use anabranch_comparisons::tournament::contest::{Form, References};
use anabranch_comparisons::tournament::network::Network;
use anabranch_comparisons::tournament::policy::Policy;
use anabranch_runs::kept_runs::{KeptRuns, RunCounts};

/// A second on two unequal paths through 32 KiB.
fn tournament() -> Tournament {
    let mut network = Network::find("core-14").expect("it is shipped");
    network.toml = network.toml.replace("\"25 s\"", "\"1 s\"").replace("\"5 s\"", "\"0 s\"");
    Tournament {
        networks: vec![network],
        keys: Vec::new(),
        profiles: vec!["tuned-1".to_owned()],
        policies: vec![Policy::DEFAULT],
        seeds: 2,
        controls: Vec::new(),
        references: References::OfThisBuild,
        form: Form::Whole,
    }
}

/// The page, and how many runs were taken from the folder and made.
fn page(folder: &Path) -> (String, RunCounts) {
    let mut kept = KeptRuns::in_folder(folder, "this-build").expect("it can be read");
    let page = tournament().page(&mut kept).unwrap_or_else(|error| panic!("{error}"));
    (page, kept.counts())
}

#[test]
fn no_run_is_made_twice_and_a_damaged_row_is_made_again() {
    let folder = tempfile::tempdir().expect("there is room");
    let (whole, first) = page(folder.path());
    // The default of tuned-1 is `fill`: two policies and two paths alone, with two seeds each.
    assert_eq!(first, RunCounts { taken: 2, made: 8, ..RunCounts::default() });
    assert!(whole.contains("## core, tuned-1: 1 networks, 2 checks"), "{whole}");
    assert!(whole.contains("| core-14 | 10/20+10/100 32K | buffer | G1 UB | 6.36 |"), "{whole}");
    let again = RunCounts { taken: 10, ..RunCounts::default() };
    assert_eq!(page(folder.path()), (whole.clone(), again));

    let file = folder.path().join("runs.csv");
    let mut rows = fs::read(&file).expect("it is there");
    let end = rows.len() - 15;
    rows[end] ^= 1;
    fs::write(&file, &rows).expect("it can be written");
    let repaired = page(folder.path());
    assert_eq!((repaired.0, repaired.1.made, repaired.1.damaged), (whole, 1, 1));
}

#[test]
fn a_key_is_set_on_every_network_and_for_the_paths_alone() {
    let page = |keys: &[(&str, &str)]| {
        let keys = keys.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let mut kept = KeptRuns::in_memory();
        Tournament { keys, ..tournament() }.page(&mut kept).map(|page| (page, kept.counts().made))
    };
    let (plain, _) = page(&[]).expect("it runs");
    let (searching, made) = page(&[("mtu_discovery", "on")]).expect("it runs");
    assert!(searching.contains("Every network has `mtu_discovery = \"on\"`."), "{searching}");
    assert_eq!(made, 8);
    let line = |page: &str| page.lines().find(|line| line.starts_with("| core-14")).map(str::to_owned);
    assert_ne!(line(&plain), line(&searching), "the search for the packet size takes some of a second");
    let said = page(&[("mtu_recovery", "on")]).expect_err("there is no such key").to_string();
    assert!(said.contains("mtu_recovery"), "{said}");
}

#[test]
fn the_brief_form_runs_the_policies_alone_under_each_control() {
    let mut kept = KeptRuns::in_memory();
    let controls = vec!["reno".to_owned(), "bbr".to_owned()];
    let brief = Tournament { controls, form: Form::Brief, ..tournament() };
    let page = brief.page(&mut kept).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(kept.counts().made, 4, "two seeds under two controls");
    for part in [
        "### core, tuned-1, reno: 1 networks",
        "### core, tuned-1, bbr: 1 networks",
        "| policy | checks | G1 | UB |",
        "### By class",
        "| tuned-1, bbr, default | buffer | 1 |",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let unknown = Tournament { controls: vec!["vegas".to_owned()], ..brief };
    let said = unknown.page(&mut kept).expect_err("there is none").to_string();
    assert!(said.contains("vegas"), "{said}");
}

#[test]
fn another_build_makes_its_own_runs() {
    let folder = tempfile::tempdir().expect("there is room");
    page(folder.path());
    let mut kept = KeptRuns::in_folder(folder.path(), "another-build").expect("it can be read");
    tournament().page(&mut kept).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((kept.counts().made, kept.counts().foreign), (8, 8));
}

#[test]
fn another_build_may_take_the_references_and_makes_the_runs_of_policies() {
    let folder = tempfile::tempdir().expect("there is room");
    let of_all = |references| {
        let policies = vec![Policy::DEFAULT, Policy::find("round-robin").expect("there is one")];
        Tournament { policies, references, ..tournament() }
    };
    let made = |build: &str, references| {
        let mut kept = KeptRuns::in_folder(folder.path(), build).expect("it can be read");
        let page = of_all(references).page(&mut kept).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(page.contains("earlier builds"), references == References::OfAnyBuild, "{page}");
        kept.counts().made
    };
    assert_eq!(made("this-build", References::OfThisBuild), 10);
    assert_eq!(made("another-build", References::OfAnyBuild), 2);
    assert_eq!(made("another-build", References::OfThisBuild), 8);
}

#[test]
fn what_does_not_exist_is_named() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut kept = KeptRuns::in_folder(folder.path(), "this-build").expect("it can be read");
    let unknown = Tournament { profiles: vec!["tuned-0".to_owned()], ..tournament() };
    let error = unknown.page(&mut kept).expect_err("there is none").to_string();
    assert_eq!(error, "there is no profile \"tuned-0\"");
}
