//! `anabranch compare` and `demo`, as a person and as a script sees them. Real time passes here.
#![allow(clippy::print_stdout, reason = "the harness keeps what a test prints")]

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::program::{anabranch, run};
use serde_json::Value;
use tempfile::tempdir;

/// Two comparisons at a time would share the processor, and their links would be slower than they say.
fn stage() -> MutexGuard<'static, ()> {
    static STAGE: Mutex<()> = Mutex::new(());
    STAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn compare(text: &str, options: &str) -> crate::program::Ended {
    let dir = tempdir().expect("a directory");
    let path = dir.path().join("test.toml");
    std::fs::write(&path, text).expect("a file");
    run(anabranch(&format!("compare {options}")).arg(path))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
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

/// The links are what they say, so a real transfer takes what it takes; but sender and receiver need the processor in
/// time as well, and only the relay says when it did not get it. A machine may be that busy once, and not three times
/// in a row.
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

/// As above, between interfaces; where the system refuses namespaces, it says so and this passes.
#[test]
fn both_paths_together_carry_between_interfaces_what_they_carry_in_the_simulator() {
    let _stage = stage();
    let mut differences = Vec::new();
    for _ in 0..3 {
        let ended = compare(TWO_LINKS, "--together --tun --json");
        let document = ended.json();
        let refusal = document["error"]["message"].as_str().unwrap_or_default();
        if ["network namespace", "TUN interface", "iproute2"].iter().any(|reason| refusal.contains(reason)) {
            println!("skipped: {refusal}");
            return;
        }
        let largest = largest_difference(&ended.expect(0).json());
        assert_eq!(document["rows"][0]["name"], "a + b");
        if document["rows"][0]["difference"].is_number() && largest < 0.1 {
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
    for (row, bps) in rows.iter().zip([8e6, 4e6, 12e6]) {
        // Nothing is lost, and the windows fill the paths: each link's rate, of which headers are a part.
        let predicted = &row["predicted"];
        assert_eq!((&predicted["model"], &predicted["skipped"]), (&"markov".into(), &Value::Null));
        assert!(
            (number(&predicted["goodput_bps"]) / (bps * 1412.0 / 1500.0) - 1.0).abs() < 1e-9,
            "{predicted:#}"
        );
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
    assert!((number(&document["verdict"]["predicted"]["share_of_sum"]) - 1.0).abs() < 1e-9);
}

#[test]
fn a_link_that_dies_half_way_costs_time_and_no_byte() {
    let _stage = stage();
    let text = format!(
        "{TWO_LINKS}rto = {{ initial = \"200 ms\", min = \"200 ms\" }}\n\
         failover = {{ path_max = 2, heartbeat = \"1 s\" }}\n[[event]]\nat = \"300 ms\"\nlink = \"a\"\nstate \
                                                   = \"down\"\n"
    );
    let document = compare(&text, "--together --json").expect(0).json();
    let rows = document["rows"].as_array().expect("rows");
    let [row] = rows.as_slice() else { panic!("{document:#}") };
    assert_eq!(row["predicted"]["goodput_bps"], Value::Null);
    let why = row["predicted"]["skipped"].as_str().unwrap_or_default();
    assert!(why.starts_with("link \"a\" comes and goes during the run"), "{row:#}");
    for attempt in row["attempts"].as_array().expect("attempts") {
        assert_eq!(attempt["delivered_bytes"], 600_000, "{attempt:#}");
        // The rest goes over 4 Mbit/s, and the loss must be detected first.
        assert!(number(&attempt["completion_s"]) > 0.9, "{attempt:#}");
    }
}

#[test]
fn a_person_reads_what_was_compared_and_what_it_means() {
    let _stage = stage();
    let ended = compare(TWO_LINKS, "").expect(0);
    for part in [
        "Two links: 600 kB",
        "paths",
        "predicted",
        "simulated",
        "95 of 100 single runs",
        "of 100 packets",
        "of the sum",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {ended:?}");
    }
    let answer = ended.stdout.lines().next().unwrap_or_default();
    let is_answer = ["a ", " + b ", " → together ", " Mbit/s, ", " % of the sum"]
        .iter()
        .all(|part| answer.contains(part));
    assert!(is_answer || ended.stdout.contains("void"), "{ended:?}");
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{ended:?}");
}

#[test]
fn a_row_that_cannot_be_predicted_says_why_below_the_table() {
    let _stage = stage();
    let text = TWO_LINKS.replace("600 kB", "60 kB").replace(
        "delay = \"10 ms\"\nqueue = \"1000 packets\"\n[[flow]]",
        "delay = \"10 ms\"\nloss = { kind = \"every\", n = 1000 }\n[[flow]]",
    );
    let ended = compare(&text, "").expect(0);
    let row = |name: &str| ended.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(row("b alone").contains(" — ") && !row("a alone").contains('—'), "{ended:?}");
    let flat = ended.stdout.replace('\n', " ");
    for name in ["b alone", "a + b"] {
        let why = format!(
            "{name} is not predicted: link \"b\" loses each n-th packet, which the models cannot \
                     express as a probability.\n"
        );
        assert!(flat.contains(why.trim_end()), "{ended:?}");
    }
    assert!(!ended.stdout.contains("\npredicted "), "a verdict needs every row: {ended:?}");
    assert!(ended.stdout.contains("\nsimulated "), "{ended:?}");
}

#[test]
fn a_single_path_in_a_buffer_has_no_limit() {
    let _stage = stage();
    let document = compare(&format!("{TWO_LINKS}window_management = [4, 4]\n"), "--json").expect(0).json();
    let rows = document["rows"].as_array().expect("rows");
    let predicted = |row: usize| number(&rows[row]["predicted"]["goodput_bps"]);
    assert!(predicted(0) > 7e6 && predicted(1) > 3.5e6, "{document:#}");
    assert!(predicted(2) < 5e6, "four packets each are less than what fills them");
}

#[test]
fn scenarios_that_cannot_be_compared_are_refused() {
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
    assert!(!Path::new("phone.toml").exists(), "the demonstration brings its own");
}
