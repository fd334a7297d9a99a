//! `anabranch figures`: what is listed, run, kept and reported.

use std::fs;
use std::path::Path;

use tempfile::tempdir;

use crate::program::{Program, anabranch, run};

fn figures(arguments: &str, dir: &Path) -> std::process::Command {
    let mut command = anabranch(&format!("figures {arguments}"));
    command.arg("--out").arg(dir);
    command
}

/// The number of runs that are kept in the folder.
fn kept(dir: &Path) -> usize {
    fs::read_to_string(dir.join("runs.csv")).expect("kept runs").lines().count().saturating_sub(1)
}

#[test]
fn every_panel_is_listed_with_its_verdict_in_80_columns() {
    let list = run(&mut anabranch("figures list")).expect(0).stdout;
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    assert!(
        list.contains("\nIY-F4     PARTIAL         figure 4, ")
            && list.contains("Beside the panels: BERP-T1"),
        "{list}"
    );
    let document = run(&mut anabranch("figures list --json")).expect(0).json();
    let panels = document["panels"].as_array().expect("panels");
    assert_eq!(panels.len(), 61);
    assert_eq!((&panels[1]["id"], &panels[1]["figure"]), (&"IY-F5a".into(), &"IY-F5".into()));
}

#[test]
fn a_figure_is_run_once_and_reported_from_what_is_kept() {
    let dir = tempdir().expect("room");
    let ran = run(&mut figures("run YE-F30 iy-f4 --scale quick --draw --json", dir.path())).expect(0).json();
    let [first, second] = [&ran["figures"][0], &ran["figures"][1]];
    assert_eq!((&first["figure"], &second["figure"]), (&"IY-F4".into(), &"YE-F30".into()));
    assert_eq!(second["panels"][0]["verdict"], "REPRODUCED");
    for file in ["iy-f4-delayed.csv", "iy-f4-delayed.svg", "iy-f4.md", "ye-f30-f30.csv"] {
        assert!(dir.path().join("quick").join(file).is_file(), "{file}");
    }
    let curves = fs::read_to_string(dir.path().join("quick/iy-f4-delayed.csv")).expect("curves");
    assert!(curves.starts_with("series,source,x,mean,ci95,n\nCMT,simulated,-40,"), "{curves}");
    let runs = kept(dir.path());
    assert!(runs > 20, "{runs}");
    run(&mut figures("run IY-F4 --scale quick --quiet", dir.path())).expect(0);
    assert_eq!(kept(dir.path()), runs, "no run is made twice");

    let report =
        run(&mut figures("report IY-F4 IY-F6 YE-F24 --scale quick --json", dir.path())).expect(0).json();
    assert_eq!(kept(dir.path()), runs, "a report runs nothing");
    assert_eq!(report["figures"][0]["panels"], first["panels"]);
    assert_eq!(report["missing"][0]["figure"], "IY-F6");
    assert!(report["missing"][0]["runs"].as_u64() > Some(100), "{report:#}");
    assert_eq!(report["missing"][1], serde_json::json!({ "figure": "YE-F24", "runs": null }));
    let text = fs::read_to_string(dir.path().join("report-quick.md")).expect("the report");
    assert!(
        text.contains("| IY-F6a |") && text.contains("| not run |") && text.contains("## IY-F4: "),
        "{text}"
    );
}

#[test]
fn a_panel_is_run_and_reported_without_the_rest_of_its_figure() {
    let dir = tempdir().expect("room");
    let ran = run(&mut figures("run IY-F5a --scale quick --json", dir.path())).expect(0).json();
    let panels = ran["figures"][0]["panels"].as_array().expect("panels");
    assert_eq!(panels.iter().map(|panel| &panel["id"]).collect::<Vec<_>>(), ["IY-F5a"]);
    let file = |name: &str| dir.path().join("quick").join(name);
    assert!(file("iy-f5-a.csv").is_file() && file("iy-f5a.md").is_file() && !file("iy-f5-b.csv").exists());
    let report = run(&mut figures("report IY-F5 --scale quick --json", dir.path())).expect(0).json();
    assert_eq!(report["figures"][0]["panels"][0], panels[0]);
    assert_eq!(report["missing"].as_array().map(Vec::len), Some(3));
    let text = fs::read_to_string(dir.path().join("report-quick.md")).expect("the report");
    assert!(text.contains("- IY-F5b: ") && text.contains("anabranch figures run IY-F5b"), "{text}");
    // The whole figure begins with what is kept.
    let runs = kept(dir.path());
    run(&mut figures("run IY-F5a IY-F5b --scale quick --quiet", dir.path())).expect(0);
    assert!(kept(dir.path()) < 2 * runs + 10, "the runs of the first panel are not made again");
}

#[test]
fn after_ctrl_c_the_runs_that_ended_are_kept_and_the_document_says_so() {
    let dir = tempdir().expect("room");
    let program = Program::start(&mut figures("run IY-F5 --json", dir.path()));
    let has_begun = || dir.path().join("runs.csv").is_file() && kept(dir.path()) >= 3;
    let mut looks = 0;
    while !has_begun() {
        looks += 1;
        assert!(looks < 3_000, "no run ended");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    program.interrupt();
    let ended = program.finish().expect(130);
    assert_eq!(ended.json()["error"]["kind"], "interrupted");
    assert!(kept(dir.path()) >= 3);
}

#[test]
fn a_figure_that_there_is_not_and_a_folder_that_cannot_be_are_wrong_input() {
    let dir = tempdir().expect("room");
    let wrong = run(&mut figures("run IY-F44", dir.path())).expect(2);
    assert!(wrong.stderr.contains("did you mean `IY-F4`?"), "{wrong:?}");
    let file = dir.path().join("file");
    fs::write(&file, "").expect("room");
    let refused = run(&mut figures("run YE-F30 --json", &file)).expect(2).json();
    assert_eq!(refused["error"]["kind"], "figure");
}
