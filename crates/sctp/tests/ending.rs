//! Aborting an association (RFC 9260 §9.1).

use crate::pair::{End, Pair};
use anabranch_base::Duration;
use anabranch_sctp::config::Config;
use anabranch_sctp::event::CloseReason;

#[test]
fn calling_off_twice_is_calling_off_once() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    let association = pair.at(End::A);
    association.abort("enough");
    association.abort("really");
    // The paths can still be read, and the ABORT still has a path.
    assert_eq!(association.paths().len(), 2);
    pair.settle(End::A);
    pair.run_for(Duration::from_millis(100));
    assert_eq!(pair.closed(End::A), Some(CloseReason::AbortedHere { why: "enough".to_owned() }));
    assert!(matches!(pair.closed(End::Z), Some(CloseReason::AbortedByPeer { .. })));
}
