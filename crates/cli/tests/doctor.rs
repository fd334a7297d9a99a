//! `anabranch doctor` and the ends that answer it, on loopback. Real time passes here.

use crate::program::{Ended, Program, anabranch, run};
use serde_json::Value;

/// A program that listens, and the addresses for the other end.
fn listening(line: &str) -> (Program, String) {
    let mut program = Program::start(&mut anabranch(line));
    let to = program.wait_for("--to ");
    (program, to)
}

fn light(to: &str, more: &str) -> Ended {
    run(&mut anabranch(&format!("doctor --to {to} --light --json {more}")))
}

fn links(document: &Value) -> &Vec<Value> {
    document["links"].as_array().expect("links")
}

/// The document of a measurement that succeeded, with findings or without.
fn measured(ended: &Ended) -> Value {
    assert!(matches!(ended.status, Some(0 | 3)), "{ended:?}");
    ended.json()
}

/// Measures the end that `line` starts, and its links; the document.
fn answers(line: &str) -> Value {
    let (_server, to) = listening(line);
    let document = measured(&light(&to, ""));
    assert_eq!(links(&document).len(), to.split(',').count(), "{line}: {document:#}");
    for link in links(&document) {
        let loss = &link["forward"]["chance_loss"];
        assert!(loss["low"].as_f64().is_some_and(|low| low < 0.01), "{line}: {link:#}");
        assert!(link["round_trip_s"]["value"].as_f64().is_some_and(|rtt| rtt < 0.05), "{line}: {link:#}");
    }
    document
}

#[test]
fn bench_answers_on_two_paths() {
    answers("bench --serve --listen 127.0.0.1:0,127.0.0.2:0");
}

#[test]
fn recv_answers_while_it_waits_for_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let document = answers(&format!("recv --keep --dir {} --listen 127.0.0.1:0", folder.path().display()));
    let there = &document["there"];
    assert!(there["disk_write_bps"].as_u64().is_some_and(|rate| rate > 0), "{there:#}");
    assert_eq!(document["here"]["disk_write_bps"], Value::Null);
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
    if cfg!(target_os = "linux") {
        assert_eq!(there["interfaces"][0], "lo");
        assert_eq!(there["others_bytes"][0], Value::Null, "loopback counts all packets twice");
    }
}

#[test]
fn the_disk_of_this_end_is_measured_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrong =
        run(&mut anabranch(&format!("doctor --to 127.0.0.1 --disk {}/none", folder.path().display())));
    let wrong = wrong.expect(2);
    assert!(wrong.stderr.contains("--disk: cannot write a file in"), "{wrong:?}");
    let (_server, to) = listening("bench --serve --listen 127.0.0.1:0");
    let document = measured(&light(&to, &format!("--disk {}", folder.path().display())));
    assert!(document["here"]["disk_write_bps"].as_u64().is_some_and(|rate| rate > 0), "{document:#}");
    assert_eq!(document["there"]["disk_write_bps"], Value::Null);
}

#[test]
fn forward_answers_beside_its_flows() {
    answers("forward --serve --bind 127.0.0.1:0");
}

#[test]
fn either_end_measures_and_either_listens() {
    let (measuring, to) = listening("doctor --listen 127.0.0.1:0 --light --json");
    run(&mut anabranch(&format!("doctor --answer --to {to}"))).expect(0);
    let document = measured(&measuring.finish());
    assert_eq!((document["schema"].as_u64(), links(&document).len()), (Some(1), 1), "{document:#}");
}

#[test]
fn an_end_that_does_not_answer_is_named() {
    let (_server, to) = listening("bench --serve --listen 127.0.0.1:0 --set sctp.test_packets=false");
    let refused = light(&to, "").expect(1).json();
    assert_eq!(refused["error"]["kind"], "refused", "{refused:#}");
    let message = refused["error"]["message"].as_str().expect("a message");
    assert!(message.contains("does not answer measurements"), "{message}");
}
