//! `anabranch compare` and `demo`, as a person and as a script sees them. Real time passes here.

mod program;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use program::{anabranch, run};
use serde_json::Value;
use tempfile::tempdir;

/// Two comparisons at a time would share the processor, and their links would be slower than they say.
fn stage() -> MutexGuard<'static, ()> {
    static STAGE: Mutex<()> = Mutex::new(());
    STAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn compare(text: &str, options: &str) -> program::Ended {
    let dir = tempdir().expect("a directory");
    let path = dir.path().join("test.toml");
    std::fs::write(&path, text).expect("a file");
    run(anabranch(&format!("compare {options}")).arg(path))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Queues that hold all of it: a packet dropped at the end would cost a time-out or none, by chance.
const TWO_LINKS: &str = r#"
title = "Two links"
[[link]]
name = "a"
rate = "8 Mbit/s"
delay = "10 ms"
queue = "1000 packets"
[[link]]
name = "b"
rate = "4 Mbit/s"
delay = "10 ms"
queue = "1000 packets"
[[flow]]
transfer = "600 kB"
[flow.sctp]
"#;

/// The links are what they say, so a real transfer takes what it takes; but whoever sends and receives needs the
/// processor in time as well, and only the relay says when it did not get it. A machine may be that busy once, and not
/// three times in a row.
#[test]
fn each_path_alone_and_both_stand_in_one_table_simulated_and_real() {
    let _stage = stage();
    let mut differences = Vec::new();
    for _ in 0..3 {
        let document = compare(TWO_LINKS, "--json").expect(0).json();
        judge_form(&document);
        let largest = largest_difference(&document);
        if largest < 0.1 {
            return;
        }
        differences.push(largest);
    }
    panic!("simulated and real differ by {differences:?} in three comparisons");
}

/// The largest difference between simulated and real; 5 % is agreement, and this short run gets as much again.
fn largest_difference(document: &Value) -> f64 {
    let rows = document["rows"].as_array().expect("rows");
    rows.iter().filter_map(|row| row["difference"].as_f64()).map(f64::abs).fold(0.0, f64::max)
}

fn judge_form(document: &Value) {
    let rows = document["rows"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["a alone", "b alone", "a + b"]);
    for row in rows {
        let attempts = row["attempts"].as_array().expect("attempts");
        for attempt in attempts {
            assert!(number(&attempt["timing_error_s"]["p99"]) >= number(&attempt["timing_error_s"]["p50"]));
            let is_late = number(&attempt["timing_error_s"]["p99"]) > 0.002;
            assert_eq!(attempt["void"].as_bool(), Some(is_late), "{attempt:#}");
        }
        assert!(attempts.len() <= 4);
        if row["difference"].is_number() {
            assert_eq!(row["real"]["delivered_bytes"], 600_000);
            assert!(
                number(&row["real"]["goodput_bps"]) <= number(&row["sim"]["goodput_bps"]) * 1.1,
                "{row:#}"
            );
        } else {
            assert_eq!(attempts.len(), 4, "an attempt that is void is repeated three times");
        }
    }
    let simulated = &document["verdict"]["sim"];
    assert!(number(&simulated["sum_alone_bps"]) > number(&simulated["best_alone_bps"]));
}

#[test]
fn a_link_that_dies_half_way_costs_time_and_no_byte() {
    let _stage = stage();
    let text = format!(
        "{TWO_LINKS}rto = {{ initial = \"200 ms\", min = \"200 ms\" }}\n\
         failover = {{ path_max = 2, heartbeat = \"1 s\" }}\n[[event]]\nat = \"300 ms\"\nlink = \"a\"\nstate = \"down\"\n"
    );
    let document = compare(&text, "--together --json").expect(0).json();
    let rows = document["rows"].as_array().expect("rows");
    let [row] = rows.as_slice() else { panic!("{document:#}") };
    for attempt in row["attempts"].as_array().expect("attempts") {
        assert_eq!(attempt["delivered_bytes"], 600_000, "{attempt:#}");
        // What is left goes over 4 Mbit/s, and somebody has to notice first.
        assert!(number(&attempt["completion_s"]) > 0.9, "{attempt:#}");
    }
}

#[test]
fn a_person_reads_what_was_compared_and_what_it_means() {
    let _stage = stage();
    let ended = compare(TWO_LINKS, "").expect(0);
    for part in
        ["Two links: 600 kB", "paths", "simulated", "by chance", "relay late", "of the sum of each alone"]
    {
        assert!(ended.stdout.contains(part), "{part}: {ended:?}");
    }
}

#[test]
fn what_cannot_be_compared_is_told() {
    let udp = "[run]\ntime = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n[[flow]]\nprotocol = \"udp\"\n\
               traffic = { kind = \"cbr\", rate = \"100 kbit/s\", message = \"100 B\" }\n";
    let ended = compare(udp, "").expect(2);
    assert!(ended.stderr.contains("only SCTP can be compared"), "{ended:?}");
    let striped = format!("{TWO_LINKS}multipath = \"appstripe\"\n");
    let ended = compare(&striped, "").expect(2);
    assert!(ended.stderr.contains("flow \"main\" is AppStripe, which is only simulated"), "{ended:?}");
    let ended = run(&mut anabranch("demo --set flow.main.sctp.multipath=appstripe")).expect(2);
    assert!(ended.stderr.contains("is only simulated"), "{ended:?}");
    let ended = run(anabranch("demo --set").arg("link.wify.rate=1 Mbit/s")).expect(2);
    assert!(ended.stderr.contains("`wifi`"), "{ended:?}");
    assert!(!Path::new("wifi-lte.toml").exists(), "the demonstration brings its own");
}
