//! One path of a transfer, as its sender or receiver saw it.

use serde::Serialize;

/// A path as a program saw it: its data, its round trips, and where its time went.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PathSeen {
    /// The name.
    pub name: String,
    /// True if it worked at the end.
    pub is_active: bool,
    /// Carried data divided by the time.
    pub goodput_bps: f64,
    /// The path's part of the data carried by all paths, 0 to 1.
    pub share: f64,
    /// The packets sent.
    pub sent_packets: u64,
    /// The chunks sent again.
    pub retransmitted_chunks: u64,
    /// The time-outs.
    pub timeouts: u64,
    /// The congestion window, averaged over time, in bytes.
    pub mean_cwnd_bytes: f64,
    /// The mean of the measured round-trip times.
    pub mean_rtt_s: Option<f64>,
    /// The shortest measured round-trip time.
    pub min_rtt_s: Option<f64>,
    /// The time without data to send.
    pub app_limited_s: f64,
    /// The time limited by the congestion window.
    pub cwnd_limited_s: f64,
    /// The time limited by the peer's receive window.
    pub rwnd_limited_s: f64,
    /// The time in which the scheduler chose other paths.
    pub scheduler_limited_s: f64,
    /// The time without service: the path had failed or was not verified yet.
    pub down_s: f64,
}

impl PathSeen {
    /// The sum of the times in each limited state.
    pub fn limited_s(&self) -> f64 {
        self.app_limited_s
            + self.cwnd_limited_s
            + self.rwnd_limited_s
            + self.scheduler_limited_s
            + self.down_s
    }
}
