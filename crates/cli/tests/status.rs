//! `anabranch status` and the metrics of two running ends of `anabranch forward` on loopback, with a flow between them.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::program::{Ended, Program, anabranch, run, wait_until};

/// A folder for the sockets, as a user's session has one.
struct Session(TempDir);

impl Session {
    fn new() -> Session {
        Session(tempdir().expect("a directory"))
    }

    /// The program in this session.
    fn anabranch(&self, arguments: &str) -> Command {
        let mut command = anabranch(arguments);
        command.env_remove("RUNTIME_DIRECTORY").env("XDG_RUNTIME_DIR", self.0.path());
        command
    }

    fn status(&self, more: &str) -> Ended {
        run(&mut self.anabranch(&format!("status {more}")))
    }

    /// The answer of the program with this process number.
    fn answer(&self, pid: u32) -> Value {
        let document = self.status(&format!("--json --pid {pid}")).expect(0).json();
        assert_eq!(document["schema"], 1);
        let [answer] = &document["running"].as_array().expect("programs")[..] else { panic!("{document:#}") };
        assert_eq!((&answer["schema"], &answer["pid"]), (&1.into(), &pid.into()));
        answer.clone()
    }

    fn socket(&self, pid: u32) -> PathBuf {
        self.0.path().join(format!("anabranch/forward-{pid}.sock"))
    }
}

/// A server, a laptop, and the address of the laptop's SOCKS5 port.
struct Ends {
    server: Program,
    laptop: Program,
    socks: SocketAddr,
}

fn ends(session: &Session, of_server: &str, of_laptop: &str) -> Ends {
    let line = format!("forward --serve --bind 127.0.0.1:0 --allow 127.0.0.0/8 {of_server}");
    let mut server = Program::start(&mut session.anabranch(&line));
    let to = server.wait_for("--to ");
    let line = format!("forward --to {to} --via 127.0.0.1 --socks 127.0.0.1:0 {of_laptop}");
    let mut laptop = Program::start(&mut session.anabranch(&line));
    let socks = laptop.wait_for("SOCKS5 at ").parse().expect("an address");
    if of_laptop.is_empty() {
        laptop.wait_for("connected to ");
    }
    Ends { server, laptop, socks }
}

/// A destination that sends back what it receives.
fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    std::thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut from = connection.try_clone().expect("cloned");
                let mut to = connection;
                let _ = std::io::copy(&mut from, &mut to);
            });
        }
    });
    address
}

/// Asks a SOCKS5 port for a connection. Returns it with the code of the reply.
fn ask_socks(port: SocketAddr, destination: SocketAddr) -> (TcpStream, u8) {
    let SocketAddr::V4(destination) = destination else { panic!("{destination}") };
    let mut connection = TcpStream::connect(port).expect("connected");
    connection.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
    let mut request = vec![5, 1, 0, 5, 1, 0, 1];
    request.extend(destination.ip().octets());
    request.extend(destination.port().to_be_bytes());
    connection.write_all(&request).expect("sent");
    let mut reply = [0; 12];
    connection.read_exact(&mut reply).expect("a reply");
    (connection, reply[3])
}

/// Sends `length` bytes and reads as many back.
fn exchange(connection: &mut TcpStream, length: usize) {
    let mut reader = connection.try_clone().expect("cloned");
    let reading = std::thread::spawn(move || reader.read_exact(&mut vec![0; length]).expect("as many bytes"));
    connection.write_all(&vec![7; length]).expect("sent");
    reading.join().expect("read");
}

/// The answer to an HTTP request.
fn http(port: SocketAddr, head: &str) -> String {
    let mut connection = TcpStream::connect(port).expect("connected");
    connection.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
    connection.write_all(format!("{head}\r\n\r\n").as_bytes()).expect("sent");
    connection.shutdown(std::net::Shutdown::Write).expect("half-closed");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("an answer");
    answer
}

/// The sum of the samples of a metric whose labels contain `labels`.
fn sample(page: &str, name: &str, labels: &str) -> f64 {
    let of = |line: &str| line.strip_prefix(name).filter(|rest| rest.starts_with([' ', '{'])).is_some();
    let samples = page.lines().filter(|line| of(line) && line.contains(labels));
    samples.map(|line| line.rsplit_once(' ').expect("a value").1.parse::<f64>().expect("a number")).sum()
}

fn is_open(path: &Path) -> bool {
    path.exists()
}

#[test]
fn both_ends_show_a_flow_with_its_bytes_and_totals_that_grow() {
    let session = Session::new();
    let ends = ends(&session, "", "");
    let pids = [ends.laptop.id(), ends.server.id()];
    for pid in pids {
        let mode = std::fs::metadata(session.socket(pid)).expect("a socket").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let echo = echo();
    let (mut connection, code) = ask_socks(ends.socks, echo);
    assert_eq!(code, 0);
    exchange(&mut connection, 100_000);
    let program = connection.local_addr().expect("bound").to_string();
    let [laptop, server] = pids.map(|pid| session.answer(pid));
    assert_eq!((&laptop["role"], &server["role"]), (&"programs".into(), &"destinations".into()));
    for (answer, client) in [(&laptop, program.as_str()), (&server, "127.0.0.1")] {
        let [flow] = &answer["flows"].as_array().expect("flows")[..] else { panic!("{answer:#}") };
        assert_eq!((&flow["kind"], &flow["client"]), (&"tcp".into(), &client.into()));
        assert_eq!(flow["destination"], echo.to_string());
        assert_eq!((&flow["sent_bytes"], &flow["received_bytes"]), (&100_000.into(), &100_000.into()));
        let path = &answer["bonds"][0]["paths"][0];
        assert_eq!(path["state"], "active");
        assert!(path["rtt_s"].as_f64().is_some_and(|rtt| rtt > 0.0 && rtt < 1.0), "{path:#}");
        assert!(path["sent_bytes"].as_u64().is_some_and(|sent| sent >= 100_000), "{path:#}");
        assert_eq!(answer["totals"]["flows_open"], 1);
    }
    assert!(laptop["links"][0]["charged_bytes"].as_u64().is_some_and(|sum| sum > 200_000), "{laptop:#}");
    // While rates are measured, more passes.
    let mut moving = connection.try_clone().expect("cloned");
    let moving = std::thread::spawn(move || {
        for _ in 0..20 {
            exchange(&mut moving, 10_000);
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let later = session.answer(pids[0]);
    assert!(later["flows"][0]["sent_bps"].as_f64().is_some_and(|rate| rate > 0.0), "{later:#}");
    moving.join().expect("moved");
    drop(connection);
    for pid in pids {
        wait_until("the flow ends", || session.answer(pid)["totals"]["flows_open"] == 0);
        let totals = &session.answer(pid)["totals"];
        assert_eq!((&totals["sent_bytes"], &totals["flows_opened"]), (&300_000.into(), &1.into()));
    }
}

#[test]
fn a_person_reads_one_block_for_each_program_and_refusals_are_counted() {
    let session = Session::new();
    let ends = ends(&session, "", "");
    let (_, code) = ask_socks(ends.socks, "10.255.255.1:80".parse().expect("an address"));
    assert_eq!(code, 2);
    let shown = session.status("").expect(0);
    for part in [
        format!("anabranch forward, process {}", ends.laptop.id()),
        format!("anabranch forward --serve, process {}", ends.server.id()),
        "1 refused (not-allowed 1)".to_owned(),
        "bond with 127.0.0.1".to_owned(),
    ] {
        assert!(shown.stdout.contains(&part), "{part}: {shown:?}");
    }
    assert!(shown.stdout.lines().all(|line| line.chars().count() <= 80), "{shown:?}");
    let mut watching = Program::start(&mut session.anabranch("status --watch --json"));
    for _ in 0..2 {
        let line = watching.wait_for("{\"schema\":1,");
        assert!(line.contains("\"running\":[{"), "{line}");
    }
    watching.interrupt();
    watching.finish().expect(130);
}

#[test]
fn a_program_that_was_killed_is_not_shown_and_its_socket_goes_with_the_next_start() {
    let session = Session::new();
    let mut ends = ends(&session, "", "");
    let pid = ends.laptop.id();
    let dead = session.socket(pid);
    ends.laptop.kill();
    assert!(is_open(&dead), "a killed program leaves it");
    let document = session.status("--json").expect(0).json();
    // Where root runs the tests, programs of others may be shown too.
    let shown: Vec<&Value> =
        document["running"].as_array().expect("programs").iter().map(|one| &one["pid"]).collect();
    assert!(shown.contains(&&ends.server.id().into()) && !shown.contains(&&pid.into()), "{document:#}");
    let absent = session.status(&format!("--pid {pid}")).expect(1);
    assert!(absent.stderr.contains(&format!("process {pid} is not an `anabranch forward`")), "{absent:?}");
    let absent = session.status(&format!("--pid {pid} --json")).expect(1);
    assert_eq!(absent.json()["error"]["kind"], "not-running");
    let line = "forward --to 127.0.0.1:9 --socks 127.0.0.1:0";
    let mut next = Program::start(&mut session.anabranch(line));
    next.wait_for("SOCKS5 at ");
    wait_until("the dead socket is removed", || !is_open(&dead));
    let own = session.socket(next.id());
    wait_until("the new socket is there", || is_open(&own));
    next.interrupt();
    next.finish().expect(130);
    assert!(!is_open(&own), "it is removed at the end");
}

#[test]
fn where_no_folder_takes_the_socket_the_program_says_so_and_works() {
    let session = Session::new();
    // The path of a socket has at most 107 bytes.
    let deep = session.0.path().join("x".repeat(100));
    std::fs::create_dir(&deep).expect("a folder");
    let within = |line: &str| {
        let mut command = session.anabranch(line);
        for name in ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR"] {
            command.env(name, &deep);
        }
        command
    };
    let mut server = Program::start(&mut within("forward --serve --bind 127.0.0.1:0"));
    let status = format!("status --pid {}", server.id());
    if rustix::process::geteuid().is_root() {
        // Root has a further folder, that of services.
        server.wait_for("--to ");
        run(&mut within(&status)).expect(0);
    } else {
        server.wait_for("`anabranch status` will not show this program");
        server.wait_for("--to ");
        run(&mut within(&status)).expect(1);
    }
    server.interrupt();
    server.finish().expect(130);
}

#[test]
fn metrics_are_served_to_those_who_name_this_host_and_count_what_passed() {
    let session = Session::new();
    let ends = ends(&session, "", "--metrics 127.0.0.1:0");
    let Ends { mut laptop, socks, .. } = ends;
    let address = laptop.wait_for("metrics at http://");
    let port: SocketAddr = address.strip_suffix("/metrics").expect("the page").parse().expect("an address");
    let (mut connection, _) = ask_socks(socks, echo());
    exchange(&mut connection, 50_000);
    let get = |head: &str, host: &str| http(port, &format!("{head} HTTP/1.1\r\nHost: {host}"));
    let page = get("GET /metrics", &port.to_string());
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(page.contains("Content-Type: text/plain; version=0.0.4"), "{page}");
    assert_eq!(sample(&page, "anabranch_flows", "client=\"local\""), 1.0, "{page}");
    for direction in ["sent", "received"] {
        let labels = format!("direction=\"{direction}\"");
        assert_eq!(sample(&page, "anabranch_flow_bytes_total", &labels), 50_000.0, "{page}");
        assert!(sample(&page, "anabranch_link_bytes_total", &labels) > 50_000.0, "{page}");
    }
    assert_eq!(sample(&page, "anabranch_paths", "state=\"active\""), 1.0, "{page}");
    assert!(sample(&page, "anabranch_round_trip_seconds", "") > 0.0, "{page}");
    let echo_address = connection.peer_addr().expect("connected").to_string();
    assert!(!page.contains(&echo_address), "no flow has a label: {page}");
    for (head, host, status) in [
        ("GET /metrics", "localhost", "200"),
        ("GET /metrics", "rebound.example", "421"),
        ("POST /metrics", "localhost", "405"),
        ("GET /", "localhost", "404"),
    ] {
        let answer = get(head, host);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{head} {host}: {answer}");
        assert!(status == "200" || !answer.contains("anabranch_flows"), "{answer}");
    }
}
