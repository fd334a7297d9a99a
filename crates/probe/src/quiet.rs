//! Paths after a silence: a translator (NAT) or a firewall that forgets a silent path drops what the other end sends there.
//!
//! An association of its own falls silent, but for what the transport sends itself. Test packets of the other end before
//! and after the silence, and again once this end has spoken, tell a path that was forgotten from one that was broken.

mod answering;
mod asking;

use anabranch_base::Duration;

use crate::protocol::{Program, Stage};

pub use answering::Answering;
pub use asking::{Asking, LaneHeard};

/// The same test packets over each of `lanes` lanes.
fn programs(lanes: u8, stage: Stage) -> Vec<Program> {
    (0..lanes).map(|lane| Program { lane, after_us: 0, sizes: vec![SIZE], stages: vec![stage] }).collect()
}

/// The segment before the silence, the one after it, and the one after this end has spoken again.
const BEFORE: u16 = 1;
const LATE: u16 = 2;
const AFTER: u16 = 3;

/// The server's test packets before the silence, and after the client has spoken again.
const SPEECH: Stage = Stage { packets: 15, burst: 1, gap_ns: 100_000_000 };
/// The client's, which tell the server the path of each lane, and end before the server's.
const QUESTION: Stage = Stage { packets: 10, burst: 1, gap_ns: 100_000_000 };
/// The server's test packets after the silence: longer than a link is filled, so that a full queue does not drop them all.
const LATE_SPEECH: Stage = Stage { packets: 20, burst: 1, gap_ns: 150_000_000 };
/// The size of the IP packets: by IPv6 none with a test body is smaller.
const SIZE: u16 = 132;
/// The longest silence.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);
