//! Runs a scenario once and writes its tables, its page and the JSON document of its results into a folder.
//! `cargo run --example record -- scenarios/wifi-lte.toml records`
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anabranch_base::Duration;
use anabranch_observe::{About, Body, Selection, Sinks, results};
use anabranch_scenario::{NoFiles, Scenario, Source, registry};
use anabranch_sim::{Replications, Run, RunProgress};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = env::args().skip(1).map(PathBuf::from);
    let (Some(file), Some(folder)) = (words.next(), words.next()) else {
        return Err("two arguments: SCENARIO FOLDER".into());
    };
    for path in record(&file, &folder)? {
        println!("{}", path.display());
    }
    Ok(())
}

/// Runs the scenario in `file` with its own seed; returns the files written to `folder`.
fn record(file: &Path, folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let scenario =
        Scenario::parse(&Source::new(file.display().to_string(), &text), &NoFiles, &[], &registry())?;
    let seed = scenario.run.seed;
    let selection =
        Selection { pcap: None, trace: Some(folder.into()), report: Some(folder.join("report.html")) };
    let about = About { scenario: &scenario, name: "example", seed, command: "record", source: Some(&text) };
    let mut sinks = Sinks::open(&selection, about)?;
    let mut run = Run::new(&scenario, seed, selection.watch())?;
    while run.advance(Duration::from_millis(50)) == RunProgress::Running {
        sinks.take(&run.take_observations())?;
    }
    sinks.take(&run.take_observations())?;
    let result = run.finish();
    let mut files = sinks.finish(&result)?;
    let all = Replications { runs: vec![result], wall: vec![Duration::ZERO], is_cut_short: false };
    let document: Body = results(&scenario, seed, &all);
    files.push(folder.join("results.json"));
    fs::write(folder.join("results.json"), format!("{:#}", document.value(None)))?;
    Ok(files)
}

#[cfg(test)]
#[test]
fn a_shipped_scenario_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/wifi-lte.toml");
    let files = record(&scenario, folder.path()).expect("a run and its records");
    let text = |file: &PathBuf| fs::read_to_string(file).expect("a file of text");
    assert_eq!(files.len(), 5, "three tables, a page, a document");
    assert!(files.iter().all(|file| !text(file).is_empty()));
    let document: serde_json::Value = serde_json::from_str(&text(&files[4])).expect("JSON");
    assert!(document["runs"][0]["flows"][0]["goodput_bps"].as_f64() > Some(1e6));
}
