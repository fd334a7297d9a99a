//! The settings of a TCP connection, `[flow.tcp]`.

use anabranch_base::{ByteCount, Duration};
use anabranch_link::config::QueueLimit;

/// The settings of a TCP connection; over several paths it is Multipath TCP with a subflow on each.
#[derive(Clone, Debug, PartialEq)]
pub struct Tcp {
    /// How lost segments are found and sent again.
    pub recovery: TcpRecovery,
    /// How windows grow and shrink.
    pub control: TcpControl,
    /// With several paths, how much may be unacknowledged or unread in all (M-MP-4).
    pub receive_buffer: QueueLimit,
    /// On which path new data leave.
    pub scheduler: TcpScheduler,
    /// With several paths, where a segment is sent again after a time-out (M-MP-3).
    pub timeout_retransmission: TcpTimeoutPlace,
    /// What windows grow by.
    pub growth: TcpGrowth,
    /// The number of segments that are acknowledged at once.
    pub ack_every: u64,
    /// How much may be unacknowledged on a path.
    pub window: QueueLimit,
    /// The first congestion window.
    pub initial_window: QueueLimit,
    /// The first slow-start threshold; `None` for the `window`.
    pub initial_ssthresh: Option<ByteCount>,
    /// The least retransmission time-out.
    pub min_rto: Duration,
    /// User data in a full segment.
    pub mss: ByteCount,
}

impl Default for Tcp {
    fn default() -> Tcp {
        Tcp {
            recovery: TcpRecovery::NewReno,
            control: TcpControl::Reno,
            receive_buffer: QueueLimit::Packets(100),
            scheduler: TcpScheduler::RoundRobin,
            timeout_retransmission: TcpTimeoutPlace::Both,
            growth: TcpGrowth::Bytes,
            ack_every: 2,
            window: QueueLimit::Bytes(ByteCount::from_mib(4)),
            initial_window: QueueLimit::Packets(2),
            initial_ssthresh: None,
            min_rto: Duration::from_millis(200),
            mss: ByteCount::new(1_448),
        }
    }
}

impl Tcp {
    /// A limit in bytes: a packet is a full segment.
    pub fn bytes(&self, limit: QueueLimit) -> ByteCount {
        match limit {
            QueueLimit::Packets(packets) => ByteCount::new(packets.saturating_mul(self.mss.get())),
            QueueLimit::Bytes(bytes) => bytes,
        }
    }
}

/// How lost segments are found and sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpRecovery {
    /// By duplicate acknowledgements, one lost segment a round trip (RFC 6582).
    NewReno,
    /// By selective acknowledgements (RFC 6675).
    Sack,
}

/// How windows grow and shrink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpControl {
    /// Each path by itself (RFC 5681).
    Reno,
    /// Each path by itself, by the time since its last loss (RFC 9438).
    Cubic,
    /// Together, with linked increases (RFC 6356).
    Lia,
    /// Together, with opportunistic linked increases.
    Olia,
    /// Together, with balanced linked adaptation.
    Balia,
}

/// On which path new data leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpScheduler {
    /// On the paths with window in turn, a segment on each.
    RoundRobin,
}

/// Where a segment is sent again after a time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpTimeoutPlace {
    /// On its path.
    Same,
    /// On its path and on another one.
    Both,
}

/// What windows grow by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpGrowth {
    /// Each acknowledgement, however much it acknowledges.
    PerAck,
    /// What is acknowledged.
    Bytes,
}
