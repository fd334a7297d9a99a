//! A transfer over all paths in one direction, and tests of each path alone.

use serde::Serialize;

use crate::path_seen::PathSeen;

/// A transfer, as far as a program saw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Transfer {
    /// The goodput in bits a second.
    pub goodput_bps: f64,
    /// The requested rate in bits a second; `None` for unlimited.
    pub offered_bps: Option<f64>,
    /// The messages that were due but that the transport never accepted.
    pub unsent_messages: u64,
    /// The limit to which the receiver's buffer may grow.
    pub receive_buffer_bytes: Option<u64>,
    /// The size of the sender's buffer, if known.
    pub send_buffer_bytes: Option<u64>,
    /// The name of the sender's scheduler, if known.
    pub scheduler: Option<String>,
    /// The sender's congestion control, if known.
    pub control: Option<Control>,
    /// True if files were sent, which a disk must read or write.
    pub is_of_files: bool,
    /// The processor cores used by the busier end.
    pub cpu_share: f64,
    /// Each path.
    pub paths: Vec<PathSeen>,
}

/// A congestion control.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Control {
    /// The name.
    pub name: String,
    /// True if it does not take each loss for a full queue.
    pub tells_losses_apart: bool,
}

/// The result of one path tested alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Alone {
    /// The name of the path.
    pub name: String,
    /// The goodput in bits a second; 0 if the path did not work alone.
    pub goodput_bps: f64,
    /// The path.
    pub path: PathSeen,
}

impl Alone {
    /// Returns true if the path carried nothing.
    pub fn is_dead(&self) -> bool {
        self.goodput_bps <= 0.0
    }
}
