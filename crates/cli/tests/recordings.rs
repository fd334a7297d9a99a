//! `anabranch scenario from`, and what runs what it makes.

use std::path::Path;
use std::process::Stdio;

use tempfile::tempdir;

use crate::program::{anabranch, run};

fn sample(name: &str) -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/tests/samples");
    samples.join(name).display().to_string()
}

#[test]
fn a_recording_runs_at_once_through_a_pipe() {
    let dir = tempdir().expect("room");
    std::fs::copy(sample("cell.down"), dir.path().join("cell.down")).expect("room for a trace");
    for files in [
        vec![sample("walk.csv")],
        vec![sample("ping-linux.txt"), sample("iperf3-tcp.json")],
        vec!["cell.down".into()],
    ] {
        let mut made = anabranch("scenario from");
        let mut made = made.args(&files).current_dir(&dir).stdout(Stdio::piped()).spawn().expect("it starts");
        let piped = made.stdout.take().expect("piped");
        let ran = run(anabranch("sim - --json").current_dir(&dir).stdin(piped)).expect(0).json();
        assert!(made.wait().expect("its status").success());
        let delivered = ran["runs"][0]["flows"][0]["delivered_bytes"].as_u64();
        assert!(delivered > Some(100_000), "{files:?}: {ran:#}");
    }
}

#[test]
fn a_trace_is_found_from_where_the_scenario_lies() {
    let dir = tempdir().expect("room");
    std::fs::create_dir(dir.path().join("made")).expect("room");
    for name in ["cell.down", "cell.up"] {
        std::fs::copy(sample(name), dir.path().join(name)).expect("room for a trace");
    }
    let from = "scenario from cell.up cell.down --name lte --write made/lte.toml";
    let told = run(anabranch(from).current_dir(&dir)).expect(0);
    assert!(told.stdout.starts_with("made/lte.toml has 1 link"), "{told:?}");
    let text = std::fs::read_to_string(dir.path().join("made/lte.toml")).expect("it was written");
    assert!(text.contains("rate = { trace = \"../cell.down\", repeat = true }"), "{text}");
    run(anabranch("sim --quiet").arg(dir.path().join("made/lte.toml"))).expect(0);
}

#[test]
fn the_document_says_of_each_value_whether_it_was_measured() {
    let files = format!("wifi={},{}", sample("ping-linux.txt"), sample("iperf3-tcp.json"));
    let document = run(anabranch("scenario from --json --link").arg(files)).expect(0).json();
    let link = &document["links"][0];
    assert_eq!(link["name"], "wifi");
    let measured: Vec<(&str, bool)> = link["values"]
        .as_array()
        .expect("values")
        .iter()
        .map(|value| (value["key"].as_str().unwrap_or_default(), value["measured"] == true))
        .collect();
    let expected = [("rate", true), ("delay", true), ("loss", true), ("queue", false), ("reverse", false)];
    assert_eq!(measured, expected);
    assert!(document["scenario"].as_str().is_some_and(|text| text.contains("[[link]]")), "{document:#}");
    assert_eq!(document["resolved"]["link"][0]["name"], "wifi", "{document:#}");
}

#[test]
fn what_is_wrong_with_a_recording_has_its_place_and_the_status_of_wrong_input() {
    let dir = tempdir().expect("room");
    let file = dir.path().join("a.csv");
    std::fs::write(&file, "time_s,rate_mbps\n0,5\n1,fast\n").expect("room");
    let wrong = run(anabranch("scenario from").arg(&file)).expect(2);
    assert!(wrong.stderr.contains("a.csv:3:3: \"fast\" is not a number"), "{wrong:?}");
    let document = run(anabranch("scenario from --json").arg(&file)).expect(2).json();
    assert_eq!((&document["error"]["line"], &document["error"]["column"]), (&3.into(), &3.into()));
    let missing = run(&mut anabranch("scenario from nowhere.txt")).expect(2);
    assert!(
        missing.stderr.contains("cannot read the recording \"nowhere.txt\": there is no such file"),
        "{missing:?}"
    );
    let twice = [sample("ping-linux.txt"), sample("ping-macos.txt")].join(",");
    let twice = run(anabranch("scenario from --link").arg(format!("a={twice}"))).expect(2);
    assert!(twice.stderr.contains("are both of ping"), "{twice:?}");
    let names = run(anabranch("scenario from --name a,b").arg(sample("walk.csv"))).expect(2);
    assert!(names.stderr.contains("2 names for 1 links: walk"), "{names:?}");
}

#[test]
fn a_rate_that_was_not_measured_is_said_beside_the_result() {
    let made = run(anabranch("scenario from").arg(sample("ping-macos.txt"))).expect(0);
    assert!(made.stderr.contains("was not measured: 10 Mbit/s is assumed"), "{made:?}");
    let quiet = run(anabranch("scenario from --quiet").arg(sample("ping-macos.txt"))).expect(0);
    assert_eq!((quiet.stderr.as_str(), &quiet.stdout), ("", &made.stdout));
}

#[test]
fn what_powershell_writes_of_ping_is_read_and_its_summary_counts() {
    let dir = tempdir().expect("room");
    let lines = [
        "64 Bytes von 192.0.2.7: icmp_seq=1 ttl=58 Zeit=19,0 ms",
        "4 Pakete übertragen, 1 empfangen, 75% Paketverlust",
    ];
    let units = lines.join("\r\n").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let file = dir.path().join("ping.txt");
    std::fs::write(&file, [&[0xff, 0xfe], units.as_slice()].concat()).expect("room");
    let made = run(anabranch("scenario from").arg(&file)).expect(0).stdout;
    assert!(made.contains("delay = \"9500 us\"") && made.contains("loss = 0.75"), "{made}");
}
