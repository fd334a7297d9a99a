//! The room of lost chunks in the peer's buffer: new data does not take it, and what the peer had no room for is sent again
//! when there is room.

use crate::script::{Script, sack, same, seeds};
use anabranch_base::ByteCount;
use anabranch_sctp::config::{Config, Failover};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

/// Windows of four packets, and a receive buffer of eight. Paths stay in use after a time-out.
fn config(quick: bool) -> Config {
    let config = same(seeds(CmtRules::ALL, "fill", 4));
    let failover = Failover { quick, ..config.failover };
    Config { receive_buffer: ByteCount::new(8 * 1_500), failover, ..config }
}

/// The first path loses 1 to 4, the second delivers 5 to 8: the peer has room for four, and waits for four. Returns the
/// packets after the time-out of the first path.
fn after_the_loss_of_four(quick: bool) -> Vec<String> {
    let mut script = Script::open(config(quick), 2);
    script.send(20);
    assert_eq!(script.sent(), ["-1> 1 2 3 4", "-2> 5 6 7 8"]);
    script.wait_until(100);
    script.hear(&sack(0, &[5..=8]).with_room(4).by(1));
    assert!(script.sent().is_empty(), "all the room is taken");
    script.wait_until(1_100);
    script.sent()
}

#[test]
fn new_data_does_not_take_the_room_of_what_is_lost() {
    assert_eq!(after_the_loss_of_four(true), ["-1> 1"], "one packet, after a time-out");
    let by_the_rfc = after_the_loss_of_four(false);
    assert!(by_the_rfc.iter().any(|line| line.contains("9 10 11")), "{by_the_rfc:?}");
}

/// A round trip takes 50 ms. The peer's window shrinks to nothing while 2 to 6 are on their way, and opens again.
fn after_a_window_that_shrank(quick: bool) -> Vec<String> {
    let mut script = Script::open(config(quick), 1);
    script.send(20);
    script.wait_until(50);
    script.hear(&sack(1, &[]).with_room(7));
    assert_eq!(script.sent(), ["-1> 1 2 3 4 5 6"]);
    script.wait_until(120);
    script.hear(&sack(1, &[]).with_room(0));
    script.wait_until(160);
    script.hear(&sack(1, &[]).with_room(4));
    script.sent()
}

#[test]
fn what_the_peer_had_no_room_for_leaves_again_when_it_has_room() {
    assert_eq!(after_a_window_that_shrank(true), ["-1> 2 3 4 5"], "as many as there is room for");
    assert!(after_a_window_that_shrank(false).is_empty(), "its timer is waited for");
}
