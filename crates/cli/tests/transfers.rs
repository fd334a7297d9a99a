//! Files that arrive: `anabranch send` and `recv` as two processes on the loopback interface.

use std::io::Write;
use std::process::Stdio;

use crate::program::{Program, anabranch, file, receiver, run};
use tempfile::tempdir;

#[test]
fn a_file_of_20_mb_arrives_over_two_addresses() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "big.bin", 20_000_000);
    let (recv, to) = receiver("127.0.0.1,127.0.0.2", to_dir.path(), "");
    let sent = run(anabranch(&format!("send --to {to}")).arg(&path)).expect(0);
    let received = recv.finish().expect(0);
    assert_eq!(
        std::fs::read(&path).expect("sent"),
        std::fs::read(to_dir.path().join("big.bin")).expect("received")
    );
    assert!(sent.stdout.contains("20.0 MB sent in"), "{sent:?}");
    assert!(
        sent.stdout.replace('\n', " ").contains("1 file is stored at the receiver with a verified SHA-256"),
        "{sent:?}"
    );
    assert!(received.stdout.contains("20.0 MB  SHA-256 "), "{received:?}");
    // On a busy machine a path may be silent for longer than its peer believes in it.
    let states = ["active", "potentially-failed"];
    let is_path = |line: &&str| line.contains("127.0.0.") && states.iter().any(|state| line.contains(state));
    assert_eq!(sent.stdout.lines().filter(is_path).count(), 2, "a line a path: {sent:?}");
}

#[test]
fn two_local_addresses_to_one_server_address_are_two_paths() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "big.bin", 10_000_000);
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let sent = run(anabranch(&format!("send --json --via 127.0.0.1 --via 127.0.0.2 --to {to}")).arg(&path))
        .expect(0);
    recv.finish().expect(0);
    let document = sent.json();
    let paths = document["paths"].as_array().expect("paths");
    assert_eq!(paths.len(), 2, "{document:#}");
    for path in paths {
        assert!(path["state"] == "active" || path["state"] == "potentially-failed", "{document:#}");
        assert!(path["carried_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{document:#}");
    }
}

#[test]
fn several_files_and_an_empty_one_arrive_in_one_transfer() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let files =
        [file(from.path(), "one", 100_000), file(from.path(), "none", 0), file(from.path(), "three", 1)];
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let sent = run(anabranch(&format!("send --to {to}")).args(&files)).expect(0);
    recv.finish().expect(0);
    assert!(sent.stdout.contains("3 files are stored"), "{sent:?}");
    for path in files {
        let name = path.file_name().expect("a name");
        assert_eq!(
            std::fs::read(&path).expect("sent"),
            std::fs::read(to_dir.path().join(name)).expect("received")
        );
    }
}

#[test]
fn standard_input_arrives_under_the_name_it_is_given() {
    let to_dir = tempdir().expect("a directory");
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let mut command = anabranch(&format!("send - --name words.txt --to {to}"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the program starts");
    child.stdin.take().expect("piped").write_all(b"some words").expect("it reads");
    assert!(child.wait().expect("its status").success());
    recv.finish().expect(0);
    assert_eq!(std::fs::read(to_dir.path().join("words.txt")).expect("received"), b"some words");
}

#[test]
fn a_name_with_directories_makes_them() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "x", 10);
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    run(anabranch(&format!("send --name a/b --to {to}")).arg(&path)).expect(0);
    recv.finish().expect(0);
    assert_eq!(std::fs::read(to_dir.path().join("a/b")).ok(), std::fs::read(&path).ok());
}

#[test]
fn permission_bits_travel() {
    use std::os::unix::fs::PermissionsExt;
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "run.sh", 10);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o700)).expect("it is ours");
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    run(anabranch(&format!("send -q --to {to}")).arg(&path)).expect(0);
    recv.finish().expect(0);
    let mode = std::fs::metadata(to_dir.path().join("run.sh")).expect("received").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn both_documents_have_the_contracts_keys() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a.bin", 3_000_000);
    let (recv, to) = receiver("127.0.0.1,127.0.0.2", to_dir.path(), "--json");
    let sent = run(anabranch(&format!("send --json --set sctp.rto.min=300ms --to {to}")).arg(&path))
        .expect(0)
        .json();
    let received = recv.finish().expect(0).json();
    for document in [&sent, &received] {
        assert_eq!(document["schema"], 1);
        assert_eq!(document["program"], concat!("anabranch ", env!("CARGO_PKG_VERSION")));
        assert_eq!(document["bytes"], 3_000_000);
        assert!(document["seconds"].as_f64().is_some_and(|s| s > 0.0), "{document:#}");
        assert!(document["goodput_bps"].as_f64().is_some_and(|rate| rate > 0.0), "{document:#}");
        for path in document["paths"].as_array().expect("paths") {
            for key in ["sent_packets", "sent_bytes", "retransmitted_chunks", "fast_retransmits", "timeouts"]
            {
                assert!(path[key].is_u64(), "{key}: {document:#}");
            }
            assert!(path["name"].is_string() && path["state"].is_string() && path["goodput_bps"].is_f64());
        }
        let keys: Vec<&String> = document.as_object().expect("an object").keys().collect();
        assert_eq!((keys[0].as_str(), keys[1].as_str()), ("schema", "program"));
        assert_eq!(keys.last().map(|key| key.as_str()), Some("resolved"));
        assert!(document.get("error").is_none(), "{document:#}");
    }
    assert_eq!(sent["sha256"], received["sha256"]);
    assert!(sent["sha256"].as_str().is_some_and(|digest| digest.len() == 64));
    assert_eq!(sent["resolved"]["sctp"]["rto"]["min"], "300 ms");
    let carried = |document: &serde_json::Value| -> u64 {
        document["paths"]
            .as_array()
            .expect("paths")
            .iter()
            .filter_map(|path| path["carried_bytes"].as_u64())
            .sum()
    };
    // The file and the frames around it, each byte once.
    assert!((3_000_000..3_010_000).contains(&carried(&sent)), "{sent:#}");
    assert!((3_000_000..3_010_000).contains(&carried(&received)), "{received:#}");
}

#[test]
fn a_receiver_that_keeps_on_prints_an_object_a_line() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let (mut recv, to) = receiver("127.0.0.1", to_dir.path(), "--keep --json");
    for name in ["first", "second"] {
        let path = file(from.path(), name, 1_000);
        run(anabranch(&format!("send -q --to {to}")).arg(&path)).expect(0);
        recv.wait_for(&format!("\"name\":\"{name}\""));
    }
    recv.interrupt();
    let ended = recv.finish().expect(130);
    let documents: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    assert_eq!(documents[0]["files"][0]["name"], "first");
    assert_eq!(documents[1]["files"][0]["verdict"], "verified");
    assert_eq!(documents[2]["error"]["kind"], "interrupted");
}

#[test]
fn quiet_prints_nothing() {
    let (from, to_dir) = (tempdir().expect("a directory"), tempdir().expect("a directory"));
    let path = file(from.path(), "a", 1_000);
    let (recv, to) = receiver("127.0.0.1", to_dir.path(), "");
    let sent = Program::start(anabranch(&format!("send -q --to {to}")).arg(&path)).finish().expect(0);
    recv.finish().expect(0);
    assert_eq!((sent.stdout.as_str(), sent.stderr.as_str()), ("", ""));
}
