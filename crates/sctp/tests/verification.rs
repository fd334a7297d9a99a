//! Verifying the paths of an acceptor by HEARTBEATs (RFC 9260 §5.4).

use crate::pair::{End, Pair, path};
use anabranch_base::Duration;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::PathState;

#[test]
fn a_heartbeat_that_overtakes_the_cookie_ack_is_answered() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.pipes[0].delay = Duration::from_millis(50);
    pair.connect();
    // Two round trips open the association; the acceptor's HEARTBEAT on the faster pipe comes before the end
    // of the second.
    pair.run_for(Duration::from_millis(250));
    assert!(pair.at(End::A).is_open() && pair.at(End::Z).is_open());
    let state = pair.at(End::Z).paths()[path(1).index()].state;
    assert_eq!(state, PathState::Active, "{:#?}", pair.log);
}
