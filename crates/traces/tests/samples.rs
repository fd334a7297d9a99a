//! The scenario made of each sample: a golden file, which is also read as a scenario.

use std::path::Path;

use anabranch_base::Duration;
use anabranch_link::config::{Delay, Jitter, Rate};
use anabranch_scenario::{NoFiles, Scenario, Source, registry};
use anabranch_traces::{Choices, RecordedLink, Recording, TraceError, TraceKind, Written, grouped};

fn recording(name: &str, choices: &Choices) -> Recording {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name);
    let text = std::fs::read_to_string(path).expect("a sample");
    Recording::read(&Source::new(name, text), None, choices).unwrap_or_else(|error| panic!("{error}"))
}

/// The scenario of these samples, each group of them a link.
fn made(files: &[&str], choices: &Choices) -> String {
    let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    let links = grouped(&files).into_iter().map(|link| {
        let recordings = link.files.iter().map(|file| recording(file, choices)).collect();
        RecordedLink::join(&link.name, recordings).unwrap_or_else(|error| panic!("{error}"))
    });
    let written = Written::of(&links.collect::<Vec<_>>(), choices).unwrap_or_else(|error| panic!("{error}"));
    read(&written.text);
    written.text
}

fn read(text: &str) -> Scenario {
    let source = Source::new("made.toml", text);
    let scenario = Scenario::parse(&source, &NoFiles, &[], &registry());
    scenario.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn every_sample_is_recognised_and_becomes_a_scenario() {
    for (files, kind) in [
        (vec!["ping-linux.txt"], TraceKind::Ping),
        (vec!["ping-macos.txt"], TraceKind::Ping),
        (vec!["ping-quiet.txt"], TraceKind::Ping),
        (vec!["ping-french.txt"], TraceKind::Ping),
        (vec!["ping-windows.txt"], TraceKind::Ping),
        (vec!["fping.txt"], TraceKind::Ping),
        (vec!["walk.csv"], TraceKind::Csv),
        (vec!["semicolons.csv"], TraceKind::Csv),
        (vec!["cell.up", "cell.down"], TraceKind::Mahimahi),
        (vec!["iperf3-tcp.json"], TraceKind::Iperf3),
        (vec!["iperf3-udp.json"], TraceKind::Iperf3),
        (vec!["iperf3-udp-reverse.json"], TraceKind::Iperf3),
        (vec!["iperf3-bidir.json"], TraceKind::Iperf3),
    ] {
        assert_eq!(recording(files[0], &Choices::default()).kind, kind, "{files:?}");
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(files[0].replace('.', "-"), made(&files, &Choices::default()));
        });
    }
}

#[test]
fn a_ping_and_an_iperf3_of_one_link_are_joined_and_each_gives_what_it_measures_best() {
    let recordings = ["ping-linux.txt", "iperf3-tcp.json"].map(|file| recording(file, &Choices::default()));
    let link = RecordedLink::join("wifi", recordings.to_vec()).expect("two kinds");
    let scenario = read(&Written::of(&[link], &Choices::default()).expect("a scenario").text);
    let forward = &scenario.links[0].forward;
    let Rate::Steps(steps) = &forward.rate else { panic!("{:?}", forward.rate) };
    // 18.233 Mbit/s of data, 1,500 bytes for 1,448 of them.
    assert_eq!((steps.len(), steps[0].1.bits_per_second()), (5, 18_888_000));
    // The least of ping's round trips, 17.9 ms, and not the 19.1 ms of iperf3.
    assert_eq!(forward.delay, Delay::Fixed(Duration::from_micros(8_950)));
    // The mean of the nine is 21.611 ms, half of it 10.806 ms: the jitter's mean is what is above the least delay.
    assert_eq!(forward.jitter, Jitter::Uniform(Duration::from_micros(3_712)));
    assert_eq!(scenario.links[0].reverse.loss.kind, anabranch_link::config::LossKind::None);
}

#[test]
fn losses_that_change_are_events_of_the_way_that_was_measured() {
    let scenario = read(&made(&["walk.csv"], &Choices::default()));
    let at: Vec<u64> = scenario.events.iter().map(|event| event.at.as_nanos() / 1_000_000_000).collect();
    assert_eq!(at, [4, 6, 8, 10]);
    assert!(
        scenario.events.iter().all(|event| event.direction == anabranch_scenario::model::Direction::Forward)
    );
}

#[test]
fn delays_of_ping_are_steps_on_request_and_averaged_ones_over_spans() {
    let choices = Choices { delay_steps: true, ..Choices::default() };
    let steps = |choices: &Choices| {
        let scenario = read(&made(&["ping-linux.txt"], choices));
        let Delay::Steps(steps) = scenario.links[0].forward.delay.clone() else { panic!("{scenario:?}") };
        steps
    };
    let all = steps(&choices);
    assert_eq!(all.len(), 9, "one for each answer");
    // 1,814 ms for ten probes.
    assert_eq!(all[1].0.as_nanos() / 1_000, 201_555);
    // The last probe counts for as long as the others: 2.016 s in all.
    assert_eq!(steps(&Choices { step: Some(Duration::from_secs(1)), ..choices }).len(), 3);
}

#[test]
fn two_files_that_say_the_same_are_refused() {
    let refused = |link: &[&str]| {
        let recordings = link.iter().map(|file| recording(file, &Choices::default())).collect();
        RecordedLink::join("wifi", recordings).expect_err("too many files").to_string()
    };
    assert!(refused(&["ping-linux.txt", "ping-macos.txt"]).contains("are both of ping"));
    assert!(refused(&["cell.up", "cell.up", "cell.down"]).contains("are both of Mahimahi"));
    let ping = || vec![recording("ping-linux.txt", &Choices::default())];
    let twice = ["a", "a"].map(|name| RecordedLink::join(name, ping()).expect("a link"));
    let error = Written::of(&twice, &Choices::default()).expect_err("one name");
    assert!(matches!(error, TraceError::SameName(name) if name == "a"));
}

#[test]
fn a_recording_of_too_many_steps_says_how_to_average_them() {
    let rows: String = (0..20_001).map(|row| format!("{row},{}\n", 1 + row % 2)).collect();
    let source = Source::new("long.csv", format!("time_s,rate_mbps\n{rows}"));
    let long = |choices: &Choices| {
        let recording = Recording::read(&source, None, choices).unwrap_or_else(|error| panic!("{error}"));
        Written::of(&[RecordedLink::join("long", vec![recording]).expect("a link")], choices)
    };
    let error = long(&Choices::default()).expect_err("too many").to_string();
    assert!(
        error.ends_with("has 20001 steps, more than 10000: average them, such as with --step 3s"),
        "{error}"
    );
    let averaged = Choices { step: Some(Duration::from_secs(3)), ..Choices::default() };
    read(&long(&averaged).expect("few enough").text);
}
