//! `anabranch sweep`: what people and scripts see, and that a sweep killed anywhere ends with the undisturbed table.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::tempdir;

use crate::program::{Program, anabranch, run, wait_until};

/// Two lossy links for a short time.
const LOSSY: &str = r#"
title = "Two lossy links"
[run]
time = "300 ms"
[[link]]
name = "a"
rate = "4 Mbit/s"
delay = "10 ms"
loss = 0.02
[[link]]
name = "b"
rate = "2 Mbit/s"
delay = "25 ms"
loss = 0.05
"#;

/// A folder with a scenario in it.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new(text: &str) -> Desk {
        let folder = tempdir().expect("a folder");
        fs::write(folder.path().join("lossy.toml"), text).expect("room");
        Desk { folder }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A sweep over six points into the folder `out`.
    fn sweep(&self, out: &str, more: &str) -> Command {
        let mut command = anabranch("sweep lossy.toml --set flow.main.sctp.scheduler=round-robin,fill");
        command.args(["--set", "link.a.rate=2 Mbit/s..6 Mbit/s:3", "--out", out]);
        command.args(more.split_whitespace()).current_dir(self.folder.path());
        command
    }

    fn tables(&self, out: &str) -> Vec<Vec<u8>> {
        let read = |name: &str| fs::read(self.out(out).join(name)).expect("a file of the table");
        ["runs.parquet", "runs.csv", "columns.csv"].map(read).into()
    }
}

#[test]
fn a_person_sees_each_point_and_where_the_table_is() {
    let desk = Desk::new(LOSSY);
    let ended = run(&mut desk.sweep("out", "--runs 3")).expect(0);
    assert_eq!(ended.stderr, "", "nothing on a pipe but the result");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines[0], "Two lossy links");
    assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["scheduler", "rate", "runs", "goodput"]);
    assert!(
        lines[3].starts_with("round-robin") && lines[3].contains(" 3 ") && lines[3].contains('±'),
        "{ended:?}"
    );
    assert!(
        ended.stdout.contains("18 runs, a row each: out/runs.parquet, out/runs.csv, out/columns.csv"),
        "{ended:?}"
    );
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{ended:?}");
    let rows = String::from_utf8(desk.tables("out")[1].clone()).expect("text");
    assert_eq!(rows.lines().count(), 19);
    assert!(
        rows.starts_with("point,flow.main.sctp.scheduler,link.a.rate,seed,program,time_s,events,"),
        "{rows}"
    );
}

#[test]
fn a_script_gets_counts_files_and_settings() {
    let desk = Desk::new(LOSSY);
    let document = run(&mut desk.sweep("out", "--runs 2 --json")).expect(0).json();
    let keys: Vec<&str> = document.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "schema",
            "program",
            "scenario_sha256",
            "title",
            "seed",
            "axes",
            "points",
            "runs",
            "expected_runs",
            "reused_runs",
            "files",
            "warnings",
            "resolved"
        ]
    );
    assert_eq!(document["axes"][1]["values"][1], "4 Mbit/s");
    assert_eq!((document["points"].as_u64(), document["runs"].as_u64()), (Some(6), Some(12)));
    assert_eq!(document["files"][1], "out/runs.csv");
    let again = run(&mut desk.sweep("out", "--runs 3 --json --timing")).expect(0).json();
    assert_eq!((again["reused_runs"].as_u64(), again["runs"].as_u64()), (Some(12), Some(18)));
    assert!(again["wall_s"].as_f64().is_some());
}

#[test]
fn a_dry_run_tells_how_many_runs_there_are_and_writes_nothing() {
    let desk = Desk::new(LOSSY);
    let told = run(&mut desk.sweep("out", "--runs 4 --dry-run -j 2")).expect(0).stdout;
    assert!(told.starts_with("6 points, 24 runs: about ") && told.ends_with(" on 2 threads.\n"), "{told}");
    assert!(!desk.out("out").exists());
    run(&mut desk.sweep("out", "--runs 1 -q")).expect(0);
    let before = fs::read(desk.out("out").join("runs.journal")).expect("a journal");
    let told = run(&mut desk.sweep("out", "--runs 4 --dry-run --json --timing")).expect(0).json();
    assert_eq!((told["expected_runs"].as_u64(), told["reused_runs"].as_u64()), (Some(24), Some(6)));
    assert!(told["estimated_s"].as_f64().is_some());
    assert_eq!(fs::read(desk.out("out").join("runs.journal")).expect("a journal"), before);
}

#[test]
fn what_is_wrong_is_told_before_anything_runs() {
    let desk = Desk::new(LOSSY);
    let refused = |line: &str| {
        let mut command = anabranch("sweep lossy.toml --out out");
        command.args(line.split(' ').filter(|word| !word.is_empty()).map(|word| word.replace('_', " ")));
        run(command.current_dir(desk.folder.path())).expect(2).stderr
    };
    let told = [
        "--zip --set link.a.loss=0,0.1 --set link.b.loss=0,0.1,0.2",
        "--set link.a.loss=0,0.1 --set link.a.loss=0.2,0.3",
        "--set link.a.loss=0,2",
        "--set link.a.rate=1_Mbit/s..2_kbit/s:3",
        "--set link.a.loss=0,,1",
        "--set run.runs=2,3",
        "--set link.wifi.loss=0,1",
        "--until 1% --runs 3",
    ]
    .map(refused);
    insta::assert_snapshot!(told.join("\n"));
    assert!(!desk.out("out").exists());
    let mut without = anabranch("sweep lossy.toml");
    let told = run(without.current_dir(desk.folder.path())).expect(2).stderr;
    assert!(told.contains("--out"), "{told}");
}

#[test]
fn ctrl_c_keeps_what_is_finished_and_one_process_has_a_folder_at_a_time() {
    let desk = Desk::new(&LOSSY.replace("300 ms", "20 s"));
    let whole = ["--runs", "30", "--json", "-j", "1"];
    let mut program = Program::start(desk.sweep("out", "--json-lines").args(&whole[..2]));
    program.wait_for("\"done_runs\":");
    let second = run(&mut desk.sweep("out", "--json")).expect(1).json();
    assert_eq!(second["error"]["kind"], "in-use");
    let journal = desk.out("out").join("runs.journal");
    wait_until("a run is kept", || fs::read_to_string(&journal).is_ok_and(|text| text.contains("\nrun\t")));
    program.interrupt();
    let ended = program.finish().expect(130);
    let last = ended.stdout.lines().last().expect("a document");
    let document: serde_json::Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(document["error"]["kind"], "interrupted");
    let kept = document["runs"].as_u64().expect("a count");
    assert!((1..180).contains(&kept), "{document:#}");
    let dry = run(desk.sweep("out", "--dry-run --json").args(&whole[..2])).expect(0).json();
    assert!(dry["reused_runs"].as_u64().is_some_and(|reused| reused >= kept), "{dry:#}");
}

#[test]
fn a_sweep_that_is_killed_again_and_again_gives_the_undisturbed_table() {
    let desk = Desk::new(LOSSY);
    // So many runs that most kills come before the last one.
    let runs = format!("--runs {} -q", kills(4) * 3 / 2);
    run(&mut desk.sweep("whole", &runs)).expect(0);
    let mut moment = 7_u64;
    let mut killed = 0;
    for _ in 0..kills(4) {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut command = desk.sweep("killed", &runs);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(5 + (moment >> 33) % 250));
        killed += u32::from(child.try_wait().expect("its status").is_none());
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
    }
    assert!(killed > 0, "some were still running");
    run(&mut desk.sweep("killed", &runs)).expect(0);
    assert!(desk.tables("killed") == desk.tables("whole"));
}

/// The kernel kills a program at the write that makes a file larger than it may: once in each part of what a sweep writes.
#[cfg(unix)]
#[test]
fn a_sweep_that_is_killed_within_a_write_gives_the_undisturbed_table() {
    let desk = Desk::new(LOSSY);
    run(&mut desk.sweep("whole", "--runs 1 -q")).expect(0);
    let size = |name: &str| fs::metadata(desk.out("whole").join(name)).expect("a file").len();
    let largest = ["runs.journal", "runs.parquet", "runs.csv"].map(size).into_iter().max().expect("a size");
    let blocks = largest / 512;
    let step = blocks.div_ceil(kills(5)).max(1);
    let mut cut = 0;
    for block in (0..=blocks).step_by(usize::try_from(step).expect("a step")) {
        let out = format!("cut-{block}");
        let sweep = desk.sweep(&out, "--runs 1 -q -j 1");
        let words: Vec<String> = std::iter::once(sweep.get_program())
            .chain(sweep.get_args())
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let mut limited = Command::new("sh");
        limited.args(["-c", &format!("ulimit -c 0; ulimit -f {block}; exec \"$@\""), "sh"]).args(words);
        limited.stdout(Stdio::null()).stderr(Stdio::null()).current_dir(desk.folder.path());
        cut += u32::from(!limited.status().expect("there is sh(1)").success());
        run(&mut desk.sweep(&out, "--runs 1 -q")).expect(0);
        assert!(desk.tables(&out) == desk.tables("whole"), "no file larger than {block} blocks");
        let left = fs::read_dir(desk.out(&out)).expect("a folder").count();
        assert_eq!(left, 4, "the journal and the table, nothing else");
    }
    assert!(cut >= 5, "it was killed {cut} times");
}

#[test]
fn rows_that_cannot_be_kept_end_the_sweep_with_a_reason() {
    let desk = Desk::new(LOSSY);
    fs::write(desk.out("file"), "").expect("room");
    let refused = run(&mut desk.sweep("file", "--json")).expect(2).json();
    assert_eq!(refused["error"]["kind"], "record");
    fs::create_dir_all(desk.out("out").join("runs.csv")).expect("room");
    let refused = run(&mut desk.sweep("out", "--json")).expect(1).json();
    let told = refused["error"]["message"].as_str().expect("a message");
    assert!(told.starts_with("cannot write \"out/runs.csv\": "), "{told}");
    fs::remove_dir(desk.out("out").join("runs.csv")).expect("it is empty");
    let again = run(&mut desk.sweep("out", "--json")).expect(0).json();
    assert_eq!(again["reused_runs"], again["runs"], "the runs were kept");
}

#[test]
fn the_table_is_the_same_on_any_number_of_threads() {
    let desk = Desk::new(LOSSY);
    for threads in [1, 2, 4] {
        run(&mut desk.sweep(&threads.to_string(), &format!("--until 20% -q -j {threads}"))).expect(0);
    }
    assert!(desk.tables("1") == desk.tables("2") && desk.tables("1") == desk.tables("4"));
}

#[test]
fn a_scenario_may_come_from_standard_input() {
    let folder = tempdir().expect("a folder");
    let mut child = anabranch("sweep - --set link.a.loss=0,0.1 --json --out")
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), LOSSY.as_bytes()).expect("it reads");
    let ended = child.wait_with_output().expect("it ends");
    assert!(ended.status.success() && has_rows(folder.path(), 2));
}

fn has_rows(folder: &Path, rows: usize) -> bool {
    fs::read_to_string(folder.join("runs.csv")).is_ok_and(|text| text.lines().count() == rows + 1)
}

/// The number of kills; `ANABRANCH_KILLS` sets it for a long test.
fn kills(usual: u64) -> u64 {
    std::env::var("ANABRANCH_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(usual)
}
