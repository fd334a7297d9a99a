//! The files of a simulated run as other programs read them. They stay in the target folder, where `tests/run` opens
//! the captures in tshark and `make browser` the page in a browser.

use std::fs;
use std::path::{Path, PathBuf};

use anabranch_base::Duration;
use anabranch_observe::{About, Selection, Sinks};
use anabranch_scenario::{NoFiles, Scenario, Source, registry};
use anabranch_sim::result::RunResult;
use anabranch_sim::{Run, RunProgress};

/// Every transport, both directions, losses, and links that change.
const SCENARIO: &str = r#"
title = "A phone, its tunnel & some noise"
run = { time = "6 s", seed = 3 }

[[link]]
name = "wifi"
rate = "20 Mbit/s"
delay = "20 ms"
loss = 0.002

[[link]]
name = "lte"
rate = "10 Mbit/s"
delay = "40 ms"
queue = "20 packets"

[[event]]
at = "2 s"
link = "wifi"
state = "down"

[[event]]
at = "3 s"
link = "wifi"
state = "up"

[[flow]]
name = "main"

[[flow]]
name = "tunnel"
direction = "both"
start = "1 s"
sctp = { encapsulation = "udp" }

[[flow]]
name = "noise"
protocol = "udp"
paths = ["lte"]
traffic = { kind = "poisson", rate = "1 Mbit/s", message = "900 B" }
"#;

/// Runs the scenario and records everything in a folder of this name; returns the files and the result.
fn record(folder: &str) -> (Vec<PathBuf>, RunResult) {
    let scenario = Scenario::parse(&Source::new("phone.toml", SCENARIO), &NoFiles, &[], &registry())
        .expect("a scenario");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).expect("a folder for temporary files");
    let selection = Selection {
        pcap: Some(folder.clone()),
        trace: Some(folder.clone()),
        report: Some(folder.join("phone.html")),
    };
    let command = "anabranch sim phone.toml --seed 3 --report phone.html";
    let about = About { scenario: &scenario, name: "phone", seed: 3, command, source: Some(SCENARIO) };
    let mut sinks = Sinks::open(&selection, about).expect("files that can be written");
    let mut run = Run::new(&scenario, 3, selection.watch()).expect("a scenario that can be run");
    while run.advance(Duration::from_millis(50)) == RunProgress::Running {
        sinks.take(&run.take_observations()).expect("files that can be written");
    }
    sinks.take(&run.take_observations()).expect("files that can be written");
    let result = run.finish();
    (sinks.finish(&result).expect("files that can be written"), result)
}

/// A page of a mesh, for the browser's test.
#[test]
fn a_report_of_a_mesh_has_a_map_and_the_air_time_of_its_stations() {
    let text = include_str!("../../../scenarios/radio-string.toml");
    let name = "radio-string";
    let scenario = Scenario::parse(&Source::new(name, text), &NoFiles, &[], &registry()).expect("a scenario");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("observing");
    fs::create_dir_all(&folder).expect("a folder for temporary files");
    let selection = Selection { pcap: None, trace: None, report: Some(folder.join("radio-string.html")) };
    let command = "anabranch sim scenarios/radio-string.toml --report radio-string.html";
    let about = About { scenario: &scenario, name, seed: 1, command, source: Some(text) };
    let mut sinks = Sinks::open(&selection, about).expect("files that can be written");
    let mut run = Run::new(&scenario, 1, selection.watch()).expect("a scenario that can be run");
    while run.advance(Duration::from_millis(50)) == RunProgress::Running {
        sinks.take(&run.take_observations()).expect("files that can be written");
    }
    sinks.take(&run.take_observations()).expect("files that can be written");
    let result = run.finish();
    let [page] = &sinks.finish(&result).expect("files that can be written")[..] else { panic!("one page") };
    let page = fs::read_to_string(page).expect("the page");
    assert_eq!(page.matches("<circle class=\"station\"").count(), 4);
    assert!(page.contains("\"lanes\":[{\"name\":\"a\"") && page.contains("Results of the stations"));
    assert!(page.len() < 2_300_000, "{} bytes", page.len());
}

/// The rows of a table whose `column` has this value.
fn count(table: &Path, column: &str, value: &str) -> u64 {
    let mut reader = csv::Reader::from_path(table).expect("a table");
    let index = reader.headers().expect("a head").iter().position(|name| name == column).expect("the column");
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.filter(|row| &row[index] == value).count() as u64
}

#[test]
fn tables_have_every_packet_that_the_result_counts() {
    let (files, result) = record("observing");
    let packets = files.iter().find(|file| file.ends_with("phone-seed3-packets.csv")).expect("the table");
    assert_eq!(count(packets, "step", "sent"), result.end_to_end_packets);
    let links = result.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
    let lost: u64 = links.map(|link| link.lost + link.queue_drops).sum();
    assert_eq!(count(packets, "step", "lost"), lost);
    assert!(lost > 0, "a run without losses shows less");
}

#[test]
fn the_same_run_is_recorded_in_the_same_bytes() {
    let ((first, _), (second, _)) = (record("observing-once"), record("observing-twice"));
    for (first, second) in first.iter().zip(&second) {
        let same = fs::read(first).expect("a file") == fs::read(second).expect("a file");
        assert!(same, "{} is not {}", first.display(), second.display());
    }
    assert_eq!(first.len(), 5);
}
