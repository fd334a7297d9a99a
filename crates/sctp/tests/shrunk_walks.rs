//! Random walks that once failed, shrunk to what it took. Each is a test for good.

mod pair;
mod walk;

use anabranch_sctp::config::BufferSplit;
use walk::{Operation, Setting, walk};

const SETTING: Setting = Setting {
    seed: 1,
    pipes: 1,
    delays_ms: Vec::new(),
    profile: "rfc9260",
    scheduler: "fill",
    retransmission: "",
    buffer_split: BufferSplit::None,
    receive_buffer: 65_536,
    send_buffer: 20_000,
    mtu: 1500,
};

/// The paths were with the session that waited for the COOKIE-ACK, and "the next path" was looked for
/// elsewhere: a division by the number of no paths.
#[test]
fn a_cookie_echo_that_is_lost_goes_again() {
    let fortune = Operation::Fortune { loss: 200, duplication: 0, corruption: 0, jitter_ms: 0 };
    for seed in 0..50 {
        let setting = Setting { seed, pipes: 2, delays_ms: vec![80, 5], ..SETTING };
        walk(&setting, &[fortune, Operation::Run { milliseconds: 30_000 }]).expect("it ends as it should");
    }
}

/// INIT and COOKIE-ECHO took different paths, and the acceptor paired the peer's addresses across links.
#[test]
fn an_init_and_its_cookie_on_different_paths_open_no_path_across_links() {
    for seed in 0..50 {
        let setting = Setting { seed, pipes: 3, delays_ms: vec![5, 200, 20], mtu: 9000, ..SETTING };
        let operations = [
            Operation::Cut(0),
            Operation::Fortune { loss: 10, duplication: 0, corruption: 50, jitter_ms: 0 },
            Operation::Run { milliseconds: 2_500 },
            Operation::Cut(1),
            Operation::Run { milliseconds: 12_000 },
        ];
        walk(&setting, &operations).expect("it ends as it should");
    }
}
