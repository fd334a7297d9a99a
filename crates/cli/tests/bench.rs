//! `anabranch bench` between two programs on loopback, as a person and as a script sees it. Real time passes here.

use crate::program::{Ended, Program, anabranch, run};
use serde_json::Value;

/// A server of one test, and what goes after `--to`.
fn server(addresses: &str, more: &str) -> (Program, String) {
    let listen: Vec<String> = addresses.split(',').map(|address| format!("{address}:0")).collect();
    let mut program =
        Program::start(&mut anabranch(&format!("bench --serve --listen {} {more}", listen.join(","))));
    let to = program.wait_for("--to ");
    (program, to)
}

/// One test over two addresses, and what the client says.
fn test(more: &str) -> (Ended, Ended) {
    let (server, to) = server("127.0.0.1,127.0.0.2", "--once --json");
    let client = run(&mut anabranch(&format!("bench --to {to} {more}"))).expect(0);
    (client, server.finish().expect(0))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn paths(document: &Value) -> &Vec<Value> {
    document["paths"].as_array().expect("paths")
}

#[test]
fn the_documents_of_both_ends_have_the_contracts_keys_and_agree() {
    let (client, server) = test("-t 1 -i 200ms --json");
    let (client, server) = (client.json(), server.json());
    for document in [&client, &server] {
        assert_eq!((&document["schema"], &document["direction"]), (&1.into(), &"forward".into()));
        assert!(number(&document["bytes"]) > 1e5, "{document:#}");
        assert!((0.9..=1.0).contains(&number(&document["seconds"])), "{document:#}");
        let rate = number(&document["bytes"]) * 8.0 / number(&document["seconds"]);
        assert!((number(&document["goodput_bps"]) / rate - 1.0).abs() < 1e-6, "{document:#}");
        for key in ["p50", "p95", "p99", "max"] {
            assert!(number(&document["delay_s"][key]) >= 0.0, "{document:#}");
        }
        for end in ["sender", "receiver"] {
            assert!(number(&document["cpu_s_per_gb"][end]) > 0.0, "{document:#}");
        }
        assert_eq!(paths(document).len(), 2, "{document:#}");
        for path in paths(document) {
            let limits =
                ["app_limited_s", "cwnd_limited_s", "rwnd_limited_s", "scheduler_limited_s", "down_s"];
            let all: f64 = limits.iter().map(|key| number(&path[key])).sum();
            assert!((0.9..2.0).contains(&all), "what held it back is shared out: {path:#}");
        }
        let keys: Vec<&String> = document.as_object().expect("an object").keys().collect();
        assert_eq!(keys.last().map(|key| key.as_str()), Some("resolved"));
    }
    for key in ["bytes", "messages", "delay_s", "longest_stall_s", "delivered_bytes"] {
        assert_eq!(client[key], server[key], "{key}");
    }
    let intervals = client["intervals"].as_array().expect("intervals");
    assert!(intervals.len() >= 3, "{intervals:?}");
    let in_intervals: f64 = intervals.iter().map(|interval| number(&interval["bytes"])).sum();
    let carried: f64 = paths(&client).iter().map(|path| number(&path["carried_bytes"])).sum();
    assert_eq!(in_intervals, carried, "the intervals are all of the test: {client:#}");
}

#[test]
fn messages_at_a_rate_keep_it_and_tell_their_delay() {
    let (client, _) = test("-t 1 -b 8M -l 1000 --json");
    let document = client.json();
    assert_eq!((&document["offered_bps"], &document["message_bytes"]), (&8_000_000.into(), &1_000.into()));
    assert_eq!(document["unsent_messages"], 0, "{document:#}");
    assert_eq!(document["messages"], 1_000, "{document:#}");
    assert!(number(&document["delay_s"]["p50"]) < 0.1, "{document:#}");
    assert!(number(&document["delay_s"]["max"]) <= 2.0 && number(&document["delay_s"]["max"]) > 0.0);
    assert_eq!(document["delay_error_s"], 0.0, "both ends read one clock: {document:#}");
}

/// The sum of the fates of a document's messages.
fn fates(deadline: &Value) -> f64 {
    let fates = ["in_time", "late", "dropped_unsent", "dropped_sent", "unsent"];
    fates.iter().map(|fate| number(&deadline[format!("{fate}_messages")])).sum()
}

#[test]
fn a_link_that_is_fast_enough_delivers_every_message_in_time_with_and_without_a_lifetime() {
    for (more, lifetime) in [("--deadline 400ms", Value::Null), ("--lifetime 400ms --unordered", 0.4.into())]
    {
        let (client, server) = test(&format!("-t 1 -b 8M -l 1000 {more} --json"));
        let (client, server) = (client.json(), server.json());
        let deadline = &client["deadline"];
        assert_eq!((deadline, &deadline["lifetime_s"]), (&server["deadline"], &lifetime), "{client:#}");
        assert_eq!((&deadline["deadline_s"], &deadline["due_messages"]), (&0.4.into(), &1_000.into()));
        assert_eq!(deadline["ordered"], lifetime.is_null());
        assert!(number(&deadline["in_time_share"]) > 0.9 && fates(deadline) == 1_000.0, "{client:#}");
        assert_eq!(client["resolved"]["sctp"]["partial_reliability"], true);
    }
    let (plain, _) = test("-t 1 -b 8M --json");
    assert!(plain.json().get("deadline").is_none(), "nobody asked for deadlines");
}

/// The paths have small windows, so that the sender is faster than the test's end.
#[test]
fn a_sender_that_is_too_fast_drops_messages_before_they_are_sent_and_none_waits_longer_than_it_lives() {
    let slow = "--set sctp.window_management=[4] --set sctp.send_buffer=64KiB --set sctp.pacing=false";
    for more in ["--lifetime 20ms", "-R --lifetime 20ms"] {
        let (server, to) = server("127.0.0.1", &format!("--once --json {slow}"));
        let line = format!("bench --to {to} -t 1 -b 20G -l 16000 {more} {slow} --json");
        let client = run(&mut anabranch(&line)).expect(0).json();
        server.finish().expect(0);
        let deadline = &client["deadline"];
        assert_eq!(number(&deadline["due_messages"]), fates(deadline), "{client:#}");
        assert!(number(&deadline["dropped_unsent_messages"]) > 0.0, "{client:#}");
        assert!(number(&deadline["in_time_share"]) < 1.0, "{client:#}");
    }
}

#[test]
fn a_person_reads_the_share_in_time_and_what_became_of_the_others() {
    let (client, server) = test("-t 1 -b 4M --lifetime 100ms");
    let stdout = &client.stdout;
    assert!(
        stdout.contains("in time (100.0 ms): ") && stdout.contains("given up after 100.0 ms"),
        "{stdout}"
    );
    assert!(stdout.contains("late: 0; dropped: 0 before, 0 after sending"), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 80), "{stdout}");
    assert!(server.stdout.contains("in_time_share"), "{server:?}");
}

#[test]
fn deadlines_that_contradict_each_other_are_wrong_arguments() {
    for (more, complaint) in [
        ("-b 8M --lifetime 300ms --deadline 200ms", "longer than the deadline of 200 ms"),
        ("--lifetime 300ms", "--bitrate"),
        ("-b 8M -t 1 --deadline 2s", "longer than the test of 1 s"),
        ("-b 8M --unordered", "--unordered is for messages with --deadline or --lifetime"),
    ] {
        let ended = run(&mut anabranch(&format!("bench --to 127.0.0.1 {more}"))).expect(2);
        assert!(ended.stderr.contains(complaint), "{more}: {}", ended.stderr);
    }
}

#[test]
fn a_server_without_partial_reliability_refuses_deadlines_and_no_other_test() {
    let off = "--set sctp.partial_reliability=false";
    let (server, to) = server("127.0.0.1", off);
    let refused = run(&mut anabranch(&format!("bench --to {to} -b 8M --lifetime 100ms"))).expect(1);
    assert!(refused.stderr.contains("need `sctp.partial_reliability` at both ends"), "{}", refused.stderr);
    run(&mut anabranch(&format!("bench --to {to} -t 0.3 -b 8M"))).expect(0);
    drop(server);
}

#[test]
fn the_server_sends_and_the_paths_have_the_clients_names() {
    let (client, server) = test("-t 1 -R --json");
    let (client, server) = (client.json(), server.json());
    assert_eq!((&client["direction"], &server["direction"]), (&"reverse".into(), &"reverse".into()));
    assert!(number(&client["bytes"]) > 1e5, "{client:#}");
    assert_eq!(client["bytes"], server["bytes"]);
    for path in paths(&client) {
        assert!(path["name"].as_str().is_some_and(|name| name.starts_with("127.0.0.")), "{path:#}");
        assert!(number(&path["sent_bytes"]) > 0.0, "what the server says: {path:#}");
        assert!(number(&path["cwnd_limited_s"]) + number(&path["app_limited_s"]) > 0.0, "{path:#}");
    }
}

#[test]
fn both_send_at_once() {
    let (client, _) = test("-t 1 --bidir -b 4M --json");
    let document = client.json();
    for direction in [&document, &document["reverse"]] {
        assert!((number(&direction["goodput_bps"]) / 4e6 - 1.0).abs() < 0.2, "{document:#}");
        assert_eq!(paths(direction).len(), 2);
    }
    assert_eq!(
        (&document["direction"], &document["reverse"]["direction"]),
        (&"forward".into(), &"reverse".into())
    );
}

#[test]
fn a_person_sees_a_line_an_interval_and_where_the_time_went() {
    let (client, server) = test("-t 1 -i 0.5s -b 4M");
    let stdout = &client.stdout;
    assert!(stdout.contains("interval") && stdout.contains("0.0-0.5 s"), "{stdout}");
    for word in ["idle", "RTT", "message delay: median", "longest stall:", "client to server"] {
        assert!(stdout.contains(word), "{word}: {stdout}");
    }
    assert!(!stdout.contains("rwnd"), "a column in which all is zero: {stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 80), "{stdout}");
    assert_eq!(server.stdout.lines().count(), 1, "{server:?}");
}

#[test]
fn json_lines_are_an_object_an_interval_and_then_the_document() {
    let (client, _) = test("-t 1 -i 250ms -b 4M --json-lines");
    let lines: Vec<Value> =
        client.stdout.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    let (document, intervals) = lines.split_last().expect("lines");
    assert_eq!(document["schema"], 1);
    assert!(intervals.len() >= 3, "{intervals:?}");
    assert!(intervals.iter().all(|line| line["paths"].is_array() && line["to_s"].is_f64()));
}

#[test]
fn a_second_client_is_told_that_the_server_is_busy() {
    let (server, to) = server("127.0.0.1", "");
    let first = Program::start(&mut anabranch(&format!("bench --to {to} -t 60 -b 1M --json-lines -i 100ms")));
    let mut first = first;
    first.wait_for("from_s");
    let second = run(&mut anabranch(&format!("bench --to {to} -t 1 --json"))).expect(1).json();
    assert!(second["error"]["message"].as_str().is_some_and(|why| why.contains("busy with another test")));
    first.interrupt();
    let ended = first.finish().expect(130);
    let document: Value =
        serde_json::from_str(ended.stdout.lines().last().expect("lines")).expect("a document");
    assert_eq!(document["error"]["kind"], "interrupted");
    assert!(number(&document["bytes"]) > 0.0, "what was measured until then: {document:#}");
    let third = run(&mut anabranch(&format!("bench --to {to} -t 1 -b 1M --json"))).expect(0).json();
    assert!(number(&third["bytes"]) > 0.0, "the server goes on");
    drop(server);
}

#[test]
fn what_either_end_does_not_allow_is_refused_in_words_and_the_server_goes_on() {
    // The server takes messages of a quarter of its buffer at most, 16 KiB.
    let (server, to) = server("127.0.0.1", "--set sctp.receive_buffer=64KiB");
    let cases = [
        ("-t 4000", "this end cannot do that: a test of 4000 s"),
        ("-l 300KiB", "this end cannot do that: messages of 307200 B"),
        ("-l 20KiB", "refused the test: messages of 20480 B"),
    ];
    for (ask, why) in cases {
        let refused = run(&mut anabranch(&format!("bench --to {to} {ask} --json"))).json();
        let message = refused["error"]["message"].as_str().expect("a message");
        assert!(message.contains(why), "{message}");
    }
    let allowed =
        run(&mut anabranch(&format!("bench --to {to} -t 1 -l 10KiB -b 1M --json"))).expect(0).json();
    assert!(number(&allowed["bytes"]) > 0.0, "{allowed:#}");
    drop(server);
}

/// Two links of which the one takes six times as long as the other, with room for little.
const UNEVEN: &str = r#"
[run]
time = "1 s"
[[link]]
name = "fast"
rate = "20 Mbit/s"
delay = "10 ms"
[[link]]
name = "slow"
rate = "4 Mbit/s"
delay = "60 ms"
"#;

/// Runs `bench --each` over these links with such settings of the receiver.
fn each(server_settings: &str, more: &str) -> Value {
    let dir = tempfile::tempdir().expect("a directory");
    let scenario = dir.path().join("uneven.toml");
    std::fs::write(&scenario, UNEVEN).expect("a file");
    let (server, to) = server("127.0.0.1", server_settings);
    let emulate = format!("emulate {} --to {to} --json", scenario.display());
    let mut relay = Program::start(&mut anabranch(&emulate));
    let line = format!("{{\"listening\":{}", relay.wait_for("{\"listening\":"));
    let line: Value = serde_json::from_str(&line).expect("a line of JSON");
    let listen = line["listening"].as_array().expect("paths").iter();
    let listen: Vec<&str> = listen.map(|path| path["listen"].as_str().expect("an address")).collect();
    let bench = format!("bench --each --json --to {} {more}", listen.join(","));
    let document = run(&mut anabranch(&bench)).expect(0).json();
    drop((server, relay));
    document
}

#[test]
fn a_small_receive_buffer_on_uneven_paths_is_what_the_verdict_names() {
    let document = each("--set sctp.receive_buffer=64KiB", "-t 2");
    let verdict = &document["verdict"];
    assert_eq!(verdict["limited_by"], "receive buffer", "{verdict:#}");
    let advice = verdict["advice"].as_str().expect("a text");
    assert!(advice.contains("64 KiB") && advice.contains("--set sctp.receive_buffer="), "{advice}");
    let alone = document["alone"].as_array().expect("each path");
    assert_eq!(alone.len(), 2, "{alone:#?}");
    let sum: f64 = alone.iter().map(|path| number(&path["goodput_bps"])).sum();
    assert!((number(&verdict["sum_alone_bps"]) / sum - 1.0).abs() < 1e-9, "{verdict:#}");
    let share = number(&document["goodput_bps"]) / sum;
    assert!((number(&verdict["share_of_sum"]) - share).abs() < 1e-9, "{verdict:#}");
    for path in alone {
        // The others rest: what a path carried alone went by it.
        let carried = path["paths"].as_array().expect("paths").iter();
        let by_it = carried.filter(|one| one["name"] == path["name"]).map(|one| number(&one["share"]));
        assert!(by_it.sum::<f64>() > 0.9, "{path:#}");
    }
}

#[test]
fn a_server_of_one_client_serves_all_tests_of_its_each() {
    let (server, to) = server("127.0.0.1,127.0.0.2", "--once --json");
    let document =
        run(&mut anabranch(&format!("bench --each --json -t 0.5 -b 4M --to {to}"))).expect(0).json();
    let ended = server.finish().expect(0);
    let tests: Vec<Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).expect("a document a test")).collect();
    assert_eq!(document["alone"].as_array().map(Vec::len), Some(2), "{document:#}");
    assert_eq!(tests.len(), 3, "{ended:?}");
    assert_eq!(tests[2]["bytes"], document["bytes"], "the last is the test of all paths");
}

/// A socket that answers nothing stands for a link that is cut.
#[test]
fn a_dead_path_has_no_rate_of_its_own_and_adds_nothing_to_the_sum() {
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    let dead = silent.local_addr().expect("bound").to_string();
    let (server, to) = server("127.0.0.1", "");
    let bench = format!("bench --each --json -t 1 --to {to},{dead}");
    let document = run(&mut anabranch(&bench)).expect(0).json();
    drop(server);
    let alone = document["alone"].as_array().expect("each path");
    let [alive, gone] =
        [&to, &dead].map(|name| alone.iter().find(|path| path["name"] == **name).expect("each"));
    assert!(number(&alive["goodput_bps"]) > 0.0, "{alive:#}");
    assert!(gone["error"]["message"].as_str().is_some_and(|why| why.contains("does not answer")), "{gone:#}");
    assert!(gone["goodput_bps"].is_null(), "{gone:#}");
    let verdict = &document["verdict"];
    let (sum, best) = (number(&verdict["sum_alone_bps"]), number(&alive["goodput_bps"]));
    assert!((sum / best - 1.0).abs() < 1e-9, "the sum is that of one: {verdict:#}");
    assert_eq!(verdict["limited_by"], "outage", "{verdict:#}");
    assert!(verdict["advice"].as_str().is_some_and(|advice| advice.contains(&dead)), "{verdict:#}");
}

#[test]
fn a_rate_that_all_paths_take_is_the_applications_limit() {
    let document = each("", "-t 1 -b 1M -l 1000");
    assert_eq!(document["verdict"]["limited_by"], "application", "{:#}", document["verdict"]);
}

#[test]
fn a_receiver_of_files_is_not_mistaken_for_a_server_of_tests() {
    let dir = tempfile::tempdir().expect("a directory");
    let (recv, to) = crate::program::receiver("127.0.0.1", dir.path(), "");
    let ended = run(&mut anabranch(&format!("bench --to {to} -t 1"))).expect(1);
    assert!(ended.stderr.contains("refused: one end measures and the other transfers files"), "{ended:?}");
    drop(recv);
}

/// Downloads are what most people do: the server sends, over each link alone and over both.
#[test]
fn each_path_is_measured_alone_while_the_server_sends() {
    let (server, to) = server("127.0.0.1,127.0.0.2", "");
    let line = format!("bench --to {to} --via 127.0.0.1 --via 127.0.0.2 --each -R -t 0.5 -b 4M --json");
    let client = run(&mut anabranch(&line)).expect(0);
    server.interrupt();
    server.finish();
    let document = client.json();
    assert_eq!(document["direction"], "reverse");
    let alone = document["alone"].as_array().expect("each path alone");
    assert_eq!(alone.len(), 2, "{document:#}");
    for path in alone {
        assert!((number(&path["goodput_bps"]) / 4e6 - 1.0).abs() < 0.3, "{document:#}");
    }
}
