//! Guarantees for other programs: this crate or `anabranch-sctp` alone suffices, handles and futures can move between
//! tasks, errors implement `Error`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anabranch_net::{
    Association, BindError, ClientKey, Clients, ClientsError, CloseError, CloseReason, ConnectError,
    Endpoint, Events, InterfaceError, Key, KeyError, Message, Missed, Options, OutboundStream, PathReport,
    Records, SendError, SendOptions, SocketReport, TryRecvError, TrySendError,
};
use futures_core::Stream;

fn goes_anywhere<T: Send + Sync + 'static>() {}

fn is_an_error<T: Error + Send + Sync + 'static>() {}

fn is_a_stream<T: Stream + Unpin + Send>() {}

fn may_be_spawned(_: &(impl Future + Send)) {}

#[test]
fn handles_and_what_they_give_go_to_any_task() {
    goes_anywhere::<(Endpoint, Association, OutboundStream, Events, Records)>();
    goes_anywhere::<(Options, Key, SendOptions, Message, PathReport, SocketReport)>();
    goes_anywhere::<(ClientKey, Clients)>();
    is_a_stream::<Events>();
    is_a_stream::<Records>();
}

#[test]
fn futures_go_to_any_task() {
    // Never called: the test is that it compiles.
    let _ = |endpoint: Endpoint, association: Association, mut events: Events, mut records: Records| {
        may_be_spawned(&endpoint.connect(&[]));
        may_be_spawned(&endpoint.accept());
        may_be_spawned(&endpoint.settled());
        may_be_spawned(&association.send("text", SendOptions::default()));
        may_be_spawned(&association.stream(anabranch_net::StreamId::new(0)).send(vec![0]));
        may_be_spawned(&association.recv());
        may_be_spawned(&association.close());
        may_be_spawned(&association.closed());
        may_be_spawned(&events.next());
        may_be_spawned(&records.next());
    };
}

#[test]
fn errors_are_errors_of_the_standard_library() {
    is_an_error::<BindError>();
    is_an_error::<ConnectError>();
    is_an_error::<SendError>();
    is_an_error::<TrySendError>();
    is_an_error::<TryRecvError>();
    is_an_error::<CloseReason>();
    is_an_error::<CloseError>();
    is_an_error::<Missed>();
    is_an_error::<KeyError>();
    is_an_error::<ClientsError>();
    is_an_error::<InterfaceError>();
}

/// The packages that a crate needs if it depends on our crate `name` alone.
fn needs_of_a_user(name: &str) -> BTreeSet<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/").to_owned();
    let user: PathBuf = [env!("CARGO_TARGET_TMPDIR"), &format!("user-of-{name}")].iter().collect();
    fs::create_dir_all(user.join("src")).expect("a folder");
    let path = crates.join(name).display().to_string();
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"1.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nanabranch-{name} = {{ path = {path:?} }}\n"
    );
    fs::write(user.join("Cargo.toml"), manifest).expect("written");
    fs::write(user.join("src/lib.rs"), "").expect("written");
    // Uses the versions that are present: nothing is fetched.
    fs::copy(crates.join("../Cargo.lock"), user.join("Cargo.lock")).expect("copied");
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(&user)
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let lines = String::from_utf8_lossy(&tree.stdout);
    lines.lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect()
}

fn ours(needs: &BTreeSet<String>) -> Vec<&str> {
    needs.iter().filter_map(|name| name.strip_prefix("anabranch-")).collect()
}

#[test]
fn a_program_that_takes_net_gets_nothing_else_of_ours_but_what_is_below_it() {
    let needs = needs_of_a_user("net");
    assert_eq!(ours(&needs), ["base", "net", "sctp"]);
    for name in ["clap", "rayon", "serde", "toml"] {
        assert!(!needs.contains(name), "{name} is among {needs:?}");
    }
}

#[test]
fn a_program_that_takes_sctp_gets_no_runtime_and_no_sockets() {
    let needs = needs_of_a_user("sctp");
    assert_eq!(ours(&needs), ["base", "sctp"]);
    for name in ["tokio", "mio", "socket2", "quinn-udp", "getrandom", "futures-core", "snow", "tracing"] {
        assert!(!needs.contains(name), "{name} is among {needs:?}");
    }
}
