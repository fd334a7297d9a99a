//! The parts of iperf3's report that are read, by the names that it gives them. All else in it is passed over.

use serde::Deserialize;

use super::RawIntervals;

/// The whole of it.
#[derive(Debug, Deserialize)]
pub(super) struct Report<'t> {
    pub start: Option<Start>,
    #[serde(borrow)]
    pub intervals: Option<RawIntervals<'t>>,
    pub end: Option<End>,
    pub error: Option<String>,
}

/// What was asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Start {
    pub connected: Vec<Socket>,
    pub version: Option<String>,
    pub tcp_mss_default: Option<u64>,
    pub test_start: TestStart,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Socket {
    pub remote_host: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TestStart {
    pub protocol: String,
    pub blksize: Option<u64>,
    /// 1 where the server sends.
    pub reverse: u8,
}

/// One interval: all streams, and their sum.
#[derive(Debug, Deserialize)]
pub(super) struct Interval {
    #[serde(default)]
    pub streams: Vec<IntervalStream>,
    pub sum: Option<Sum>,
    /// With `--bidir`, that of the streams from the server.
    pub sum_bidir_reverse: Option<Sum>,
}

#[derive(Debug, Deserialize)]
pub(super) struct IntervalStream {
    /// In microseconds, of TCP where the sender can tell.
    pub rtt: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sum {
    /// In seconds.
    pub start: f64,
    pub end: f64,
    pub bits_per_second: f64,
    pub retransmits: Option<i64>,
    pub lost_packets: Option<i64>,
    pub packets: Option<i64>,
    #[serde(default)]
    pub omitted: bool,
    pub sender: Option<bool>,
}

/// What was counted over the whole test.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct End {
    pub streams: Vec<EndStream>,
    /// Of UDP.
    pub sum: Option<EndSum>,
}

#[derive(Debug, Deserialize)]
pub(super) struct EndStream {
    pub sender: Option<EndSender>,
}

#[derive(Debug, Deserialize)]
pub(super) struct EndSender {
    /// In microseconds.
    pub min_rtt: Option<u64>,
}

/// Out of order, datagrams can be fewer lost than none.
#[derive(Debug, Deserialize)]
pub(super) struct EndSum {
    pub lost_packets: Option<i64>,
    pub packets: Option<i64>,
}
