//! Which hosts send the data of a flow.

use anabranch_scenario::model::{Direction, Flow};

use crate::observe::Host;

/// The hosts that send in a direction.
pub(crate) fn senders(direction: Direction) -> &'static [Host] {
    match direction {
        Direction::Forward => &[Host::First],
        Direction::Reverse => &[Host::Second],
        Direction::Both => &[Host::First, Host::Second],
    }
}

/// Returns true if a flow sends data from a host.
pub(crate) fn sends(flow: &Flow, host: Host) -> bool {
    senders(flow.direction).contains(&host)
}
