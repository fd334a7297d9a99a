//! `anabranch emulate` between real programs, as a person and as a script sees it. Real time passes here.

use std::net::UdpSocket;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::program::{Program, anabranch, file, receiver, run};
use serde_json::Value;
use tempfile::tempdir;

const LINKS: &str = r#"
[run]
time = "1 s"
[[link]]
name = "a"
rate = "20 Mbit/s"
delay = "15 ms"
[[link]]
name = "b"
rate = "10 Mbit/s"
delay = "15 ms"
"#;

/// Queues that never overflow.
const UNEQUAL: &str = r#"
[run]
time = "1 s"
[[link]]
name = "fast"
rate = "20 Mbit/s"
delay = "10 ms"
queue = "10000 packets"
[[link]]
name = "slow"
rate = "5 Mbit/s"
delay = "60 ms"
queue = "10000 packets"
"#;

fn scenario(dir: &Path) -> String {
    let path = dir.join("links.toml");
    std::fs::write(&path, LINKS).expect("a file");
    path.display().to_string()
}

/// A relay to these addresses, and where it listens, path by path.
fn relay(scenario: &str, to: &str) -> (Program, Vec<String>) {
    let mut program = Program::start(&mut anabranch(&format!("emulate {scenario} --to {to} --json")));
    let line: Value =
        serde_json::from_str(&format!("{{\"listening\":{}", program.wait_for("{\"listening\":")))
            .expect("a line of JSON");
    let paths = line["listening"].as_array().expect("paths");
    let listen = paths.iter().map(|path| path["listen"].as_str().expect("an address").to_owned()).collect();
    (program, listen)
}

fn document(stdout: &str) -> Value {
    serde_json::from_str(stdout.lines().last().expect("a last line")).expect("a document")
}

#[test]
#[expect(clippy::disallowed_methods, reason = "what is tested is real time")]
fn datagrams_go_there_and_back_through_the_links_and_are_accounted_for() {
    let dir = tempdir().expect("a directory");
    let server = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let client = UdpSocket::bind("127.0.0.1:0").expect("a port");
    for socket in [&server, &client] {
        socket.set_read_timeout(Some(Duration::from_secs(10))).expect("a time-out");
    }
    let to = server.local_addr().expect("bound").to_string();
    let (program, listen) = relay(&scenario(dir.path()), &to);
    let begun = Instant::now();
    let mut buffer = [0; 100];
    for path in &listen {
        client.send_to(b"ping", path).expect("it leaves");
        let (length, from) = server.recv_from(&mut buffer).expect("it comes");
        assert_eq!(&buffer[..length], b"ping");
        server.send_to(b"pong!", from).expect("it leaves");
        let (length, from) = client.recv_from(&mut buffer).expect("it comes back");
        assert_eq!((&buffer[..length], from.to_string()), (b"pong!".as_slice(), path.clone()));
    }
    // Fifteen milliseconds there, and back, on each of two paths, one after the other.
    assert!(begun.elapsed() >= Duration::from_millis(60), "{:?}", begun.elapsed());
    program.interrupt();
    let ended = program.finish().expect(130);
    let document = document(&ended.stdout);
    assert_eq!(document["error"]["kind"], "interrupted");
    for link in document["links"].as_array().expect("links") {
        assert_eq!(
            (&link["forward"]["packets"], &link["reverse"]["packets"]),
            (&1.into(), &1.into()),
            "{link:#}"
        );
    }
    assert!(document["timing_error_s"]["p99"].as_f64().is_some());
}

#[test]
fn a_file_goes_over_emulated_links_to_a_receiver_that_knows_nothing_of_them() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 500_000);
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let (program, listen) = relay(&scenario(from.path()), &to);
    run(anabranch(&format!("send --to {}", listen.join(","))).arg(&path)).expect(0);
    recv.finish().expect(0);
    assert_eq!(std::fs::read(to_dir.path().join("a")).expect("stored"), std::fs::read(&path).expect("sent"));
    program.interrupt();
    let document = document(&program.finish().expect(130).stdout);
    let carried = |link: usize| document["links"][link]["forward"]["packets"].as_u64().expect("a count");
    assert!(carried(0) + carried(1) > 340, "{document:#}");
    assert!(carried(0) > 20 && carried(1) > 20, "both links were used: {document:#}");
}

/// Returns the report of `send` for three megabytes over two unequal links without losses, with the profile in which losses
/// are told by TSNs, without these rules of CMT.
fn over_unequal_links(without: &[&str]) -> Value {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let scenario = from.path().join("unequal.toml");
    std::fs::write(&scenario, UNEQUAL).expect("a file");
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let (program, listen) = relay(&scenario.display().to_string(), &to);
    let path = file(from.path(), "a", 3_000_000);
    let mut send = anabranch(&format!("send --json --set sctp.profile=tuned-1 --to {}", listen.join(",")));
    for rule in without {
        send.args(["--set", &format!("sctp.cmt.{rule}=false")]);
    }
    let sent = run(send.arg(&path)).expect(0).json();
    recv.finish().expect(0);
    program.interrupt();
    let document = document(&program.finish().expect(130).stdout);
    for link in document["links"].as_array().expect("links") {
        for direction in ["forward", "reverse"] {
            assert_eq!(
                (&link[direction]["lost"], &link[direction]["queue_drops"]),
                (&0.into(), &0.into()),
                "{link:#}"
            );
        }
    }
    sent
}

/// Returns the fast retransmits of all paths.
fn fast_retransmits(sent: &Value) -> u64 {
    let paths = sent["paths"].as_array().expect("paths");
    paths.iter().map(|path| path["fast_retransmits"].as_u64().expect("a count")).sum()
}

/// M-SCTP-19 and M-CMT-2 on real sockets: on links that lose nothing each fast retransmit is a false one. A machine
/// may be
/// so busy that its kernel drops packets of its own, once, and not three times in a row; the standard's rules are wrong
/// each time.
#[test]
fn unequal_links_without_loss_cause_fast_retransmits_by_the_standards_rules_and_none_by_cmts() {
    let plain = over_unequal_links(&["split_fast_retransmit", "window_update", "delayed_ack"]);
    assert!(fast_retransmits(&plain) >= 50, "{plain:#}");
    let cmt = (0..3).map(|_| fast_retransmits(&over_unequal_links(&[]))).find(|&count| count == 0);
    assert_eq!(cmt, Some(0), "in one of three transfers");
}

#[test]
fn it_ends_when_its_time_is_up_and_tells_people_where_it_listens() {
    let dir = tempdir().expect("a directory");
    let line = format!("emulate {} --to 127.0.0.1:9", scenario(dir.path()));
    let ended = run(anabranch(&line).args(["--time", "200 ms"])).expect(0);
    assert!(
        ended.stdout.contains("a: 127.0.0.1:") && ended.stdout.contains("No datagram was received"),
        "{ended:?}"
    );
}

#[test]
fn paths_may_have_ports_of_the_systems_choice_and_one_target() {
    let dir = tempdir().expect("a directory");
    let line = format!("emulate {} --time 10ms --json", scenario(dir.path()));
    let addresses = ["--listen", "127.0.0.1:0,127.0.0.1:0", "--to", "127.0.0.1:9,127.0.0.1:9"];
    let document = document(&run(anabranch(&line).args(addresses)).expect(0).stdout);
    let paths = document["paths"].as_array().expect("paths");
    assert_ne!(paths[0]["listen"], paths[1]["listen"]);
    assert_eq!((&paths[0]["to"], &paths[1]["to"]), (&"127.0.0.1:9".into(), &"127.0.0.1:9".into()));
}

#[test]
fn a_script_gets_where_it_listens_then_a_line_a_second_then_the_document() {
    let dir = tempdir().expect("a directory");
    let line = format!("emulate {} --to 127.0.0.1:9 --time 1500ms --json-lines", scenario(dir.path()));
    let ended = run(&mut anabranch(&line)).expect(0);
    let objects =
        ended.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object a line"));
    let objects: Vec<Value> = objects.collect();
    let [listening, second, document] = &objects[..] else { panic!("three lines: {ended:?}") };
    assert_eq!(listening["listening"][1]["name"], "b");
    assert_eq!(second["time_s"], Value::Null, "no datagram was received");
    assert_eq!(second["links"], document["links"]);
    assert_eq!((&document["schema"], &document["paths"]), (&1.into(), &second["paths"]));
}

#[test]
fn addresses_and_paths_must_go_together() {
    let dir = tempdir().expect("a directory");
    let scenario = scenario(dir.path());
    for (line, complaint) in [
        (format!("emulate {scenario}"), "--to"),
        (
            format!("emulate {scenario} --to 127.0.0.1:1 --listen 127.0.0.1:0"),
            "1 addresses to listen on for 2 paths",
        ),
        (
            format!("emulate {scenario} --to 127.0.0.1:1,127.0.0.1:2,127.0.0.1:3"),
            "3 target addresses for 2 paths",
        ),
        (format!("emulate {scenario} --to 127.0.0.1:1 --set link.c.loss=0"), "no link"),
        (format!("emulate {scenario} --to 127.0.0.1:1 --time soon"), "is not a time"),
        (
            format!("emulate {scenario} --to 127.0.0.1:1 --set flow.main.sctp.multipath=appstripe"),
            "no real application",
        ),
    ] {
        let ended = run(&mut anabranch(&line)).expect(2);
        assert!(ended.stderr.contains(complaint), "{line}: {ended:?}");
    }
}
