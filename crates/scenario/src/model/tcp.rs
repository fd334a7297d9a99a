//! The settings of a TCP connection, `[flow.tcp]`.

use anabranch_base::{ByteCount, Duration};
use anabranch_link::config::QueueLimit;

/// The settings of a TCP connection; over several paths it is Multipath TCP with a subflow on each.
#[derive(Clone, Debug, PartialEq)]
pub struct Tcp {
    /// Loss detection and retransmission.
    pub recovery: TcpRecovery,
    /// The congestion control.
    pub control: TcpControl,
    /// The receive buffer that the subflows share, with several paths (M-MP-4).
    pub receive_buffer: QueueLimit,
    /// The choice of the path for new data.
    pub scheduler: TcpScheduler,
    /// The path of a segment retransmitted after a time-out, with several paths (M-MP-3).
    pub timeout_retransmission: TcpTimeoutPlace,
    /// The unit by which windows grow.
    pub growth: TcpGrowth,
    /// The number of segments acknowledged by one ACK.
    pub ack_every: u64,
    /// The largest window of a path.
    pub window: QueueLimit,
    /// The first congestion window.
    pub initial_window: QueueLimit,
    /// The first slow-start threshold; `None` for `window`.
    pub initial_ssthresh: Option<ByteCount>,
    /// The smallest retransmission time-out.
    pub min_rto: Duration,
    /// The user data of a full segment.
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
    /// Converts a limit to bytes; a packet counts as a full segment.
    pub fn bytes(&self, limit: QueueLimit) -> ByteCount {
        match limit {
            QueueLimit::Packets(packets) => ByteCount::new(packets.saturating_mul(self.mss.get())),
            QueueLimit::Bytes(bytes) => bytes,
        }
    }
}

/// The loss detection and retransmission of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpRecovery {
    /// Duplicate acknowledgements, one lost segment a round trip (RFC 6582).
    NewReno,
    /// Selective acknowledgements (RFC 6675).
    Sack,
}

/// The congestion control of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpControl {
    /// Reno on each path separately (RFC 5681).
    Reno,
    /// CUBIC on each path separately (RFC 9438).
    Cubic,
    /// Coupled, with linked increases (RFC 6356).
    Lia,
    /// Coupled, with opportunistic linked increases.
    Olia,
    /// Coupled, with balanced linked adaptation.
    Balia,
}

/// The choice of the path for new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpScheduler {
    /// The paths with free window in turn, a segment on each.
    RoundRobin,
}

/// The path of a segment retransmitted after a time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpTimeoutPlace {
    /// The path it was sent on.
    Same,
    /// That path and another one.
    Both,
}

/// The unit by which windows grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpGrowth {
    /// Each acknowledgement, regardless of its size.
    PerAck,
    /// The number of bytes acknowledged.
    Bytes,
}
