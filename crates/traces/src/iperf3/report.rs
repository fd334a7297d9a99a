//! The fields of iperf3's report that are read, by its names.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A whole report.
#[derive(Debug, Deserialize)]
pub(super) struct Report<'t> {
    pub start: Option<Start>,
    /// Kept as text, to be read one by one.
    #[serde(borrow)]
    pub intervals: Option<Vec<&'t RawValue>>,
    pub end: Option<End>,
    pub error: Option<String>,
}

/// The parameters of the test.
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
    pub(crate) remote_host: String,
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
    /// With `--bidir`, the sum of the streams from the server.
    pub sum_bidir_reverse: Option<Sum>,
}

#[derive(Debug, Deserialize)]
pub(super) struct IntervalStream {
    /// In microseconds; TCP only, where the sender measures it.
    pub rtt: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sum {
    /// In seconds.
    pub start: f64,
    pub end: f64,
    pub bits_per_second: f64,
    pub retransmits: Option<i64>,
    /// Negative where datagrams arrived after they had been counted as lost.
    pub lost_packets: Option<i64>,
    pub packets: Option<i64>,
    #[serde(default)]
    pub omitted: bool,
    pub sender: Option<bool>,
}

/// The counts over the whole test.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct End {
    pub streams: Vec<EndStream>,
    /// UDP only.
    pub sum: Option<EndSum>,
    pub sum_sent: Option<EndSum>,
    pub sum_received: Option<EndSum>,
    pub sum_bidir_reverse: Option<EndSum>,
    pub sum_sent_bidir_reverse: Option<EndSum>,
    pub sum_received_bidir_reverse: Option<EndSum>,
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

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct EndSum {
    pub bits_per_second: Option<f64>,
    pub lost_packets: Option<i64>,
    pub packets: Option<i64>,
}

/// The counts of one direction over the whole test.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Totals {
    /// In bit/s of user data.
    pub sent: Option<f64>,
    pub received: Option<f64>,
    /// The number of datagrams lost and of those sent, as printed.
    pub lost: Option<(i64, i64)>,
}

impl End {
    /// The counts of the direction of the test.
    pub(super) fn forward(&self) -> Totals {
        Totals::of(self.sum, self.sum_sent, self.sum_received)
    }

    /// The counts of the opposite direction.
    pub(super) fn reverse(&self) -> Totals {
        Totals::of(self.sum_bidir_reverse, self.sum_sent_bidir_reverse, self.sum_received_bidir_reverse)
    }
}

impl Totals {
    fn of(sum: Option<EndSum>, sent: Option<EndSum>, received: Option<EndSum>) -> Totals {
        let rate = |sum: Option<EndSum>| sum?.bits_per_second.filter(|bits| (0.0..=MOST_BITS).contains(bits));
        // A receiver without counts: the sum of both ends has them.
        let counts =
            |sum: EndSum| Some((sum.lost_packets?, sum.packets?)).filter(|(_, packets)| *packets != 0);
        Totals {
            sent: rate(sent).or(rate(sum)),
            received: rate(received),
            lost: received.and_then(counts).or(sum.and_then(counts)),
        }
    }
}

/// The highest plausible rate.
pub(super) const MOST_BITS: f64 = 1e15;
