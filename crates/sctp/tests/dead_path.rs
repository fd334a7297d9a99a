//! A path dies while the other one works: what it lost closes the window, and it is left all the same
//! (RFC 9260 §8.2).

use crate::pair::{End, Pair};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::{Config, Failover, RtoSettings};
use anabranch_sctp::policy::{PathId, PathState};
use bytes::Bytes;

#[test]
fn a_dead_path_is_left_although_what_it_lost_closes_the_window() {
    let profile = Config::rfc9260();
    let config = Config {
        receive_buffer: ByteCount::from_kib(256),
        rto: RtoSettings {
            initial: Duration::from_millis(500),
            min: Duration::from_millis(200),
            ..profile.rto
        },
        failover: Failover { path_max: 2, ..profile.failover },
        ..profile
    };
    let mut pair = Pair::open(config, 2);
    pair.side(End::Z).reads_at_once = true;
    let second = PathId::from_index(1);
    let feed =
        |pair: &mut Pair| while pair.try_send(End::A, 0, false, Bytes::from(vec![7; 10_000])).is_ok() {};
    pair.run_until(Duration::from_secs(2), |pair| {
        feed(pair);
        false
    });
    assert_eq!(pair.at(End::A).paths()[1].state, PathState::Active);
    pair.pipes[1].is_cut = true;
    // 200, 400 and 800 ms, each from the last packet that still went there.
    let is_left = pair.run_until(Duration::from_secs(3), |pair| {
        feed(pair);
        pair.at(End::A).paths()[1].state == PathState::Inactive
    });
    let timeouts = pair.at(End::A).path_counters(second).timeouts;
    assert!(is_left, "{timeouts} time-outs, and still {:?}", pair.at(End::A).paths()[1].state);
}
