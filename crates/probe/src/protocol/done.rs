//! The end of a segment at the server: how much it sent, and how much of its record was lost.

use serde::{Deserialize, Serialize};

/// The server's account of a segment, after its arrivals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// The segment.
    pub segment: u16,
    /// The packets that it sent, a lane.
    pub sent: Vec<LaneSent>,
    /// The arrivals of the segment for which it had no room.
    pub missed: u64,
}

/// The packets that one program sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaneSent {
    /// The lane.
    pub lane: u8,
    /// The packets that were sent: their numbers are 0 up to this.
    pub packets: u32,
    /// The packets that were due and not sent in time.
    pub unsent: u32,
}
