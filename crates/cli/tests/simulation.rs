//! `anabranch sim`, as a person and as a script sees it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::{anabranch, run};
use serde_json::Value;
use tempfile::tempdir;

fn scenario(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name).display().to_string()
}

/// Two short lossy links, whose result depends on every random number.
const LOSSY: &str = r#"
[run]
time = "5 s"
[[link]]
name = "a"
rate = "10 Mbit/s"
delay = "10 ms"
loss = 0.02
[[link]]
name = "b"
rate = "5 Mbit/s"
delay = "25 ms"
jitter = "3 ms"
loss = 0.01
"#;

fn file(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("test.toml");
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn with_until_fewer_than_five_runs_are_refused() {
    let refused =
        run(anabranch("sim").arg(scenario("wifi-lte.toml")).args(["--until", "1%", "--runs", "3"])).expect(2);
    assert!(refused.stderr.contains("--until needs at least 5 runs"), "{refused:?}");
}

#[test]
fn equal_runs_print_equal_bytes_and_the_time_that_they_took_only_if_asked() {
    let wifi_lte = scenario("wifi-lte.toml");
    for command in ["sim --runs 2", "predict", "plan"] {
        let printed =
            |more: &str| run(anabranch(&format!("{command} --json {more}")).arg(&wifi_lte)).expect(0);
        let document = printed("");
        assert_eq!(document.stdout, printed("").stdout, "{command}");
        assert!(!document.stdout.contains("wall_s"), "{command}: {document:?}");
    }
    let timed =
        |line: &str| run(anabranch(&format!("{line} --json --timing")).arg(&wifi_lte)).expect(0).json();
    let simulated = timed("sim --runs 2");
    assert!((0..2).all(|index| simulated["runs"][index]["wall_s"].as_f64().is_some_and(|wall| wall > 0.0)));
    assert!(timed("plan")["wall_s"].as_f64().is_some_and(|wall| wall > 0.0));
}

#[test]
fn a_person_sees_flows_paths_and_links() {
    let ended = run(anabranch("sim").arg(scenario("wifi-lte.toml"))).expect(0);
    for part in ["Phone with Wi-Fi and LTE", "goodput", "held back by", "queue drops", "s simulated"] {
        assert!(ended.stdout.contains(part), "{part}: {ended:?}");
    }
    assert_eq!(ended.stderr, "", "nothing on a pipe but the result");
}

#[test]
fn a_script_gets_every_key_of_the_contract() {
    let document = run(anabranch("sim --json").arg(scenario("wifi-lte.toml"))).expect(0).json();
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    let whole = keys(&document);
    assert_eq!(whole[..3], ["schema", "program", "scenario_sha256"]);
    assert_eq!(whole.last().map(String::as_str), Some("resolved"));
    let has = |value: &Value, wanted: &str| {
        for key in wanted.split_whitespace() {
            assert!(
                !value[key].is_null() || keys(value).iter().any(|known| known == key),
                "{key} in {value:#}"
            );
        }
    };
    has(&document, "title seed runs summary");
    let one = &document["runs"][0];
    has(one, "seed time_s events packets end_to_end_packets flows links");
    let flow = &one["flows"][0];
    has(
        flow,
        "name protocol delivered_bytes goodput_bps completion_s first_data_s blocked_s longest_stall_s",
    );
    has(flow, "reorder_bytes_max delay_s sacks paths");
    has(&flow["delay_s"], "p50 p95 p99 max");
    has(&flow["sacks"], "sent sent_by_timer received received_for_several_paths");
    let path = &flow["paths"][0];
    has(
        path,
        "name state sent_packets sent_bytes retransmitted_chunks lost_packets fast_retransmits timeouts",
    );
    has(path, "mean_cwnd_bytes mean_rtt_s goodput_bps app_limited_s cwnd_limited_s rwnd_limited_s");
    has(path, "scheduler_limited_s down_s");
    for direction in ["forward", "reverse"] {
        has(&one["links"][0][direction], "packets lost queue_drops marked utilisation");
    }
    has(&document["summary"]["main"], "n goodput_bps completion_s");
    has(&document["summary"]["main"]["goodput_bps"], "mean sd ci95");
    let shares =
        ["app", "cwnd", "rwnd", "scheduler"].map(|limit| path[format!("{limit}_limited_s")].as_f64());
    let sum: f64 = shares.iter().flatten().sum::<f64>() + path["down_s"].as_f64().expect("a number");
    assert!((sum - one["time_s"].as_f64().expect("a number")).abs() < 1e-6, "the shares are all of the time");
}

#[test]
fn the_same_seed_gives_the_same_bytes_in_two_processes_on_one_thread_and_on_two() {
    let dir = tempdir().expect("a directory");
    let path = file(dir.path(), LOSSY);
    let printed = |more: &str| run(anabranch(&format!("sim --json {more}")).arg(&path)).expect(0);
    let first = printed("--runs 4 --threads 1");
    assert_eq!(first.stdout, printed("--runs 4 --threads 1").stdout);
    assert_eq!(first.stdout, printed("--runs 4 --threads 2").stdout);
    let first = first.json();
    assert_ne!(first["runs"][0]["flows"], first["runs"][1]["flows"], "each run has its own seed");
    assert_eq!(printed("--runs 1 --seed 3").json()["runs"][0], first["runs"][2]);
    let until = printed("--until 20% --threads 1");
    assert_eq!(until.stdout, printed("--until 20% --threads 2").stdout);
    let until = until.json();
    let summary = &until["summary"]["main"];
    let (mean, ci95) = (summary["goodput_bps"]["mean"].as_f64(), summary["goodput_bps"]["ci95"].as_f64());
    assert!(ci95.expect("several runs") <= 0.2 * mean.expect("a rate"), "{summary:#}");
    assert!(summary["n"].as_u64().expect("a count") >= 5);
}

#[test]
fn a_scenario_may_come_from_standard_input_and_be_changed_on_the_line() {
    let ended = |change: &str| {
        let mut child = anabranch("sim - --json --set run.seed=9 --set")
            .arg(change)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), LOSSY.as_bytes())
            .expect("it reads");
        child.wait_with_output().expect("it ends")
    };
    let good = ended("link.a.loss=0");
    let document: Value = serde_json::from_slice(&good.stdout).expect("a document");
    assert_eq!((good.status.code(), document["seed"].as_u64()), (Some(0), Some(9)));
    assert_eq!(document["runs"][0]["links"][0]["forward"]["lost"], 0);
    let bad = ended("link.a.los=0");
    let document: Value = serde_json::from_slice(&bad.stdout).expect("a document");
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("loss"), "{bad:?}");
    assert_eq!(document["error"]["kind"], "unknown", "{document:#}");
}

#[test]
fn errors_are_reported_with_file_line_and_column() {
    let dir = tempdir().expect("a directory");
    let path = file(dir.path(), "[[link]]\nname = \"a\"\nrate = \"10 Mbit/s\"\nlos = 0.1\n");
    let ended = run(anabranch("sim").arg(&path)).expect(2);
    let place = format!("{}:4:1: ", path.display());
    assert!(ended.stderr.starts_with(&place), "{ended:?}");
    assert!(ended.stderr.contains("los = 0.1") && ended.stderr.contains("`loss`"), "{ended:?}");
    let document = run(anabranch("sim --json").arg(&path)).expect(2).json();
    let error = &document["error"];
    assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(4), Some(1)), "{error:#}");
    let ended = run(anabranch("sim").arg(dir.path().join("missing.toml"))).expect(2);
    assert!(ended.stderr.contains("cannot read the scenario"), "{ended:?}");
    let ended = run(anabranch("sim --until 300%").arg(&path)).expect(2);
    assert!(ended.stderr.contains("2% or 0.02"), "{ended:?}");
}

#[test]
fn captures_tables_and_a_page_are_written_and_change_nothing() {
    let dir = tempdir().expect("a directory");
    let path = file(dir.path(), LOSSY);
    let plain = run(anabranch("sim --json").arg(&path)).expect(0).stdout;
    let mut command = anabranch("sim --json");
    command.arg(&path).arg("--pcap").arg(dir.path().join("captures"));
    command.arg("--trace").arg(dir.path().join("tables")).arg("--report").arg(dir.path().join("page.html"));
    assert_eq!(run(&mut command).expect(0).stdout, plain);
    let capture = std::fs::read(dir.path().join("captures/test-seed1.pcapng")).expect("a capture");
    assert_eq!(capture[..4], [0x0a, 0x0d, 0x0d, 0x0a], "it begins as pcapng does");
    let page = std::fs::read_to_string(dir.path().join("page.html")).expect("a page");
    assert!(page.starts_with("<!") && page.contains("anabranch sim"), "the page says how to repeat the run");
    assert!(std::fs::read_dir(dir.path().join("tables")).expect("a folder").count() >= 3);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_with_what_there_is() {
    let dir = tempdir().expect("a directory");
    let endless = LOSSY.replace("time = \"5 s\"", "time = \"3000000 s\"");
    let path = file(dir.path(), &endless);
    let child = anabranch("sim --json")
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(document["error"]["kind"], "interrupted");
    let simulated = document["runs"][0]["time_s"].as_f64().expect("a number");
    assert!(simulated > 1.0 && simulated < 3e6, "{simulated} s");
}
