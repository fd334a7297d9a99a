//! Sweeps as their drivers use them: any threads, interruptions, workers and repetitions give the same table.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use anabranch_base::Duration;
use anabranch_lab::sweep::{Axis, Combination, Progress, run_here};
use anabranch_lab::table::FILES;
use anabranch_lab::{Design, Origin, PROGRAM, Sweep, SweepError};
use anabranch_scenario::registry;
use anabranch_sim::{Plan, Stop, Watcher, replicate};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use tempfile::tempdir;

/// Two short lossy links, whose results depend on every random number.
const LOSSY: &str = r#"
[run]
time = "500 ms"
runs = 3
[[link]]
name = "a"
rate = "2 Mbit/s"
delay = "10 ms"
loss = 0.02
[[link]]
name = "b"
rate = "1 Mbit/s"
delay = "25 ms"
loss = 0.05
"#;

fn design(text: &str, axes: &[&str]) -> Design {
    Design {
        text: text.to_owned(),
        origin: Origin::of_text("lossy.toml", None),
        changes: Vec::new(),
        axes: axes.iter().map(|text| Axis::parse(text).expect("an axis")).collect(),
        combination: Combination::Product,
        until: None,
        registry: registry(),
    }
}

const AXES: &[&str] = &["link.a.rate=1 Mbit/s..3 Mbit/s:3", "flow.main.sctp.scheduler=round-robin,fill"];

fn watcher() -> Watcher {
    Watcher::new(|| Duration::ZERO)
}

fn complete(sweep: &mut Sweep, threads: usize) {
    let threads = NonZeroUsize::new(threads).expect("a thread");
    run_here(sweep, threads, &watcher(), |_: Progress| {}).expect("it runs");
    assert!(sweep.is_complete());
}

/// The files of a whole sweep in this folder, run by `threads`.
fn tables(design: Design, folder: &Path, threads: usize) -> Vec<Vec<u8>> {
    let mut sweep = Sweep::open(design, Some(folder)).expect("a sweep");
    complete(&mut sweep, threads);
    read(&sweep, folder)
}

fn read(sweep: &Sweep, folder: &Path) -> Vec<Vec<u8>> {
    sweep.write_table(|_| {}).expect("a table");
    FILES.iter().map(|name| fs::read(folder.join(name)).expect("a file")).collect()
}

fn csv(tables: &[Vec<u8>]) -> Vec<std::collections::BTreeMap<String, String>> {
    csv::Reader::from_reader(&tables[1][..]).deserialize().map(|row| row.expect("a row")).collect()
}

#[test]
fn the_table_is_the_same_with_any_number_of_threads() {
    let whole = [1, 2, 4].map(|threads| {
        let folder = tempdir().expect("a folder");
        tables(design(LOSSY, AXES), folder.path(), threads)
    });
    assert!(whole[0] == whole[1] && whole[0] == whole[2]);
    let rows = csv(&whole[0]);
    assert_eq!(rows.len(), 18);
    let first: Vec<&str> = ["point", "link.a.rate", "flow.main.sctp.scheduler", "seed", "program"]
        .map(|name| rows[4][name].as_str())
        .into();
    assert_eq!(first, ["1", "1000000", "fill", "2", PROGRAM]);
}

#[test]
fn a_row_has_the_numbers_of_the_simulation() {
    let folder = tempdir().expect("a folder");
    let rows = csv(&tables(design(LOSSY, &[]), folder.path(), 1));
    let sweep = Sweep::open(design(LOSSY, &[]), None).expect("a sweep");
    let plan = Plan { seed: 1, stop: Stop::After(3), threads: None };
    let runs = replicate(sweep.first_scenario(), plan, &watcher()).expect("it runs").runs;
    for (row, run) in rows.iter().zip(&runs) {
        assert_eq!(row["main.goodput_bps"], format!("{:?}", run.flows[0].goodput_bps));
        assert_eq!(row["main.b.lost_packets"], run.flows[0].paths[1].lost_packets.to_string());
        assert_eq!(row["link.a.forward.lost"], run.links[0].forward.lost.to_string());
    }
}

#[test]
fn until_a_mean_is_precise_a_point_has_the_runs_that_sim_would_make() {
    let until = Design { until: Some(0.1), ..design(LOSSY, &["link.a.loss=0.02,0.1"]) };
    let folder = tempdir().expect("a folder");
    let rows = csv(&tables(until.clone(), folder.path(), 2));
    for (point, loss) in ["0.02", "0.1"].iter().enumerate() {
        let one = Sweep::open(design(LOSSY, &[&format!("link.a.loss={loss}")]), None).expect("a sweep");
        let stop = Stop::Until { error: 0.1, least: Stop::LEAST, most: Stop::MOST };
        let plan = Plan { seed: 1, stop, threads: None };
        let runs = replicate(one.first_scenario(), plan, &watcher()).expect("it runs").runs;
        let of_point: Vec<_> = rows.iter().filter(|row| row["point"] == point.to_string()).collect();
        assert_eq!(of_point.len(), runs.len(), "{loss}");
        assert!(runs.len() > 5, "the least number was not enough");
    }
    let other = tempdir().expect("a folder");
    assert!(tables(until.clone(), folder.path(), 1) == tables(until, other.path(), 4));
}

#[test]
fn what_is_finished_is_not_run_again_and_a_grid_may_grow() {
    let folder = tempdir().expect("a folder");
    tables(design(LOSSY, AXES), folder.path(), 2);
    let mut again = Sweep::open(design(LOSSY, AXES), Some(folder.path())).expect("a sweep");
    assert!(again.is_complete() && again.take().is_none());
    assert_eq!((again.reused(), again.progress().done), (18, 18));
    drop(again);
    let larger = ["link.a.rate=1 Mbit/s..4 Mbit/s:4", AXES[1]];
    let grown = Sweep::open(design(LOSSY, &larger), Some(folder.path())).expect("a sweep");
    assert_eq!((grown.reused(), grown.progress().expected), (18, 24));
}

#[test]
fn a_journal_that_was_cut_anywhere_gives_the_undisturbed_table() {
    let folder = tempdir().expect("a folder");
    let short = LOSSY.replace("500 ms", "60 ms");
    let axes = ["link.a.rate=1 Mbit/s,2 Mbit/s"];
    let whole = tables(design(&short, &axes), folder.path(), 1);
    let file = folder.path().join("runs.journal");
    let journal = fs::read(&file).expect("a journal");
    for length in (0..journal.len()).step_by(97).chain([journal.len() - 1]) {
        fs::write(&file, &journal[..length]).expect("room");
        assert!(tables(design(&short, &axes), folder.path(), 1) == whole, "cut after {length} bytes");
    }
}

#[test]
fn rows_come_from_workers_that_have_only_bytes_and_in_any_order() {
    let here = tempdir().expect("a folder");
    let whole = tables(design(LOSSY, AXES), here.path(), 1);
    let there = tempdir().expect("a folder");
    let mut sweep = Sweep::open(design(LOSSY, AXES), Some(there.path())).expect("a sweep");
    let (mut handed, mut is_lost) = (Vec::new(), false);
    loop {
        while let Some(batch) = sweep.take() {
            handed.push(batch.to_bytes());
        }
        let Some(bytes) = handed.pop() else { break };
        let batch = anabranch_lab::sweep::Batch::from_bytes(&bytes).expect("a batch");
        // The runs of a worker that is lost are handed out again.
        if !std::mem::replace(&mut is_lost, true) {
            sweep.on_failed(&batch);
        } else {
            let rows = batch.run(&watcher()).expect("rows").to_bytes();
            let rows = anabranch_lab::sweep::Rows::from_bytes(&rows).expect("rows");
            sweep.accept(&[rows.clone(), rows]).expect("room");
        }
    }
    assert!(sweep.is_complete());
    assert!(read(&sweep, there.path()) == whole);
}

#[test]
fn a_sweep_that_is_cancelled_keeps_what_is_finished() {
    let folder = tempdir().expect("a folder");
    let mut sweep = Sweep::open(design(LOSSY, AXES), Some(folder.path())).expect("a sweep");
    // Each run takes a second by this clock, and is a batch of its own.
    static SECONDS: AtomicU64 = AtomicU64::new(0);
    let watcher = Watcher::new(|| Duration::from_secs(SECONDS.fetch_add(1, Ordering::Relaxed)));
    run_here(&mut sweep, NonZeroUsize::MIN, &watcher, |progress| {
        if progress.done >= 4 {
            watcher.call_off();
        }
    })
    .expect("it ends");
    let done = sweep.progress().done;
    assert!((4..18).contains(&done), "{done}");
    drop(sweep);
    let again = Sweep::open(design(LOSSY, AXES), Some(folder.path())).expect("a sweep");
    assert!(again.reused() >= done);
}

#[test]
fn columns_that_belong_to_other_points_are_empty() {
    let text = "run = { time = \"100 ms\" }\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n[[link]]\nname = \"b\"\n\
                rate = \"1 Mbit/s\"\n[[flow]]\npaths = [\"a\"]\n";
    let folder = tempdir().expect("a folder");
    let rows = csv(&tables(design(text, &["flow.main.paths=[\"a\"],[\"a\", \"b\"]"]), folder.path(), 1));
    assert_eq!(rows[0]["main.b.sent_packets"], "");
    assert_ne!(rows[1]["main.b.sent_packets"], "");
    assert_eq!(rows[1]["flow.main.paths"], "[\"a\", \"b\"]");
}

#[test]
fn points_that_say_the_same_share_their_runs() {
    let mut sweep = Sweep::open(design(LOSSY, &["link.a.rate=1 Mbit/s,1000 kbit/s"]), None).expect("a sweep");
    complete(&mut sweep, 1);
    assert_eq!(sweep.progress().done, 3);
    let batches: Vec<_> = sweep.record_batches().map(|batch| batch.expect("rows")).collect();
    let goodputs = batches[0].column_by_name("main.goodput_bps").expect("it").as_primitive::<Float64Type>();
    assert_eq!((batches.len(), goodputs.len()), (1, 6));
    assert_eq!(goodputs.values()[..3], goodputs.values()[3..]);
    let points = batches[0].column_by_name("point").expect("it").as_primitive::<Int64Type>();
    assert_eq!(points.values(), &[0, 0, 0, 1, 1, 1]);
}

#[test]
fn a_change_of_a_file_beside_the_scenario_is_another_run() {
    let folder = tempdir().expect("a folder");
    let text =
        "run = { time = \"100 ms\" }\n[[link]]\nname = \"a\"\nrate = { trace = \"up\", repeat = true }\n";
    let traced = || Design {
        origin: Origin::of_text("traced.toml", Some(folder.path().to_owned())),
        ..design(text, &["link.a.delay=1 ms,2 ms"])
    };
    fs::write(folder.path().join("up"), "10\n").expect("room");
    let out = folder.path().join("out");
    let first = tables(traced(), &out, 2);
    assert_eq!(csv(&first).len(), 2);
    assert!(Sweep::open(traced(), Some(&out)).expect("a sweep").is_complete());
    fs::write(folder.path().join("up"), "5\n").expect("room");
    assert_eq!(Sweep::open(traced(), Some(&out)).expect("a sweep").reused(), 0);
    assert_ne!(csv(&tables(traced(), &out, 2)), csv(&first));
}

#[test]
fn rows_of_several_versions_are_marked_and_told() {
    let folder = tempdir().expect("a folder");
    let mut sweep = Sweep::open(design(LOSSY, &[]), Some(folder.path())).expect("a sweep");
    let rows = sweep.take().expect("runs").run(&watcher()).expect("rows").to_bytes();
    let older = String::from_utf8(rows).expect("text").replace(PROGRAM, "anabranch 0.0.9");
    sweep.accept(&[anabranch_lab::sweep::Rows::from_bytes(older.as_bytes()).expect("rows")]).expect("room");
    complete(&mut sweep, 1);
    let mut points = Vec::new();
    let written = sweep.write_table(|point| points.push(point.clone())).expect("a table");
    let told = written.warning().expect("a warning");
    assert!(told.contains(&format!("1 by anabranch 0.0.9, 2 by {PROGRAM}")), "{told}");
    assert_eq!((points[0].runs, points[0].flows[0].goodput_bps.n), (3, 3));
    let programs: Vec<String> =
        csv(&read(&sweep, folder.path())).into_iter().map(|row| row["program"].clone()).collect();
    assert_eq!(programs, ["anabranch 0.0.9", PROGRAM, PROGRAM]);
}

#[test]
fn a_point_that_is_wrong_is_refused_before_anything_runs() {
    let folder = tempdir().expect("a folder");
    let out = folder.path().join("out");
    let refused = |text: &str, axis: &str| {
        let error = Sweep::open(design(text, &[axis]), Some(&out)).expect_err("it is wrong");
        assert!(matches!(error, SweepError::Scenario(_) | SweepError::Build { .. }));
        error.to_string()
    };
    let told = [
        refused(LOSSY, "link.a.rate=1 Mbit/s,2 Mbitt/s"),
        refused(LOSSY, "link.c.rate=1 Mbit/s,2 Mbit/s"),
        refused("[run]\ntime = 3\n", "link.a.rate=1 Mbit/s"),
    ];
    insta::assert_snapshot!(told.join("\n\n"));
    assert!(!out.exists(), "nothing was written");
}
