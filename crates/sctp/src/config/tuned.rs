//! The profiles for real networks, newest last. The reason for each value is beside it. A profile with a name never
//! changes. docs/tuned.md shows the costs and gains of the values.

use anabranch_base::{ByteCount, Duration};

use super::{
    BurstRule, Config, Coupling, EcnUse, Failover, Growth, InitialWindow, MaxBurst, MtuDiscovery,
    RtoSettings, SackBatch, SackSettings,
};
use crate::policy::congestion::reno::IdleThreshold;
use crate::policy::loss_detection::cmt::CmtRules;

impl Config {
    /// RFC 9260 for bulk transfers over today's networks, on all paths at once (M-CMT-1 to -5).
    ///
    /// RFC 9260's values suit signalling: it takes a second to detect a loss, and minutes to abandon a dead path. Here
    /// data moves to other paths at the first error (RFC 7829), or as soon as the path is silent while another
    /// delivers.
    pub fn tuned_1() -> Config {
        let profile = Config::rfc9260();
        let mut config = Config {
            profile: "tuned-1",
            // This suffices for most paths from the first round trip on. It grows up to the product of 1 Gbit/s and 130
            // ms: two paths with different delays need the sum of their rates times the longer delay.
            receive_buffer: ByteCount::from_mib(1),
            receive_growth: Some(Growth::to(ByteCount::from_mib(16))),
            // The size to which the peer's buffer may grow, since this buffer holds the data in flight.
            send_buffer: ByteCount::from_mib(16),
            // Otherwise packets that a tunnel on the path cannot carry would be lost without a report.
            mtu_discovery: MtuDiscovery::On,
            // RFC 9260's second at first, because nothing is measured yet: half a second is less than a satellite's
            // round trip, and a spurious time-out costs the path its window. Later, as in Linux, at least 200 ms more
            // than the round trip: on a path with constant round trips a queue may grow by that much, and delayed
            // SACKs wait no longer.
            rto: RtoSettings {
                min: Duration::from_millis(200),
                variation: Duration::from_millis(200),
                ..profile.rto
            },
            // A single packet is acknowledged before its sender suspects the path (silence of 1.5 srtt + 25 ms), and so
            // well before it may declare the packet lost.
            sack: SackSettings { delay: Duration::from_millis(20), batch: SackBatch::Whole, ..profile.sack },
            // Ten segments (RFC 6928), as in Linux and QUIC, so that networks expect them.
            initial_window: InitialWindow::TenUnits,
            // One SACK for a whole batch must not slow down slow start. If a window grew by all acknowledged bytes, as
            // in QUIC, the window would exceed the path's capacity by a factor of two at the end of slow start; here it
            // is one and a half.
            slow_start: "half-of-acked".to_owned(),
            // 16: trains of this length (the kernel's GSO) have most of the gain of longer trains.
            max_burst: MaxBurst { packets: 16, rule: BurstRule::Paced },
            failover: Failover {
                potentially_failed: 1,
                quick: true,
                path_max: 2,
                heartbeat: Duration::from_secs(1),
                heartbeat_max_burst: 4,
                ..profile.failover
            },
            // The paths alternate train by train. If they alternated packet by packet, every train would have one
            // packet. The cost: short queues lose more of a burst.
            scheduler: "fill".into(),
            // A path with a time-out has potentially failed: its lost chunks go to another path, independent of this
            // setting.
            retransmission: "same".into(),
            // A receiver does not know the number of its peers' paths in advance.
            cmt_ack_timing: "dac-on-several-paths".into(),
            // A phone may change its network during a transfer.
            dynamic_addresses: true,
            // 1 + 2 + 4 + 8 s: a user still waits that long.
            max_init_retransmits: 3,
            ..profile
        };
        config.set_cmt(CmtRules::ALL);
        config
    }

    /// The values of tuned-1, for receive buffers that are small compared with the paths' delays, and for senders with
    /// less data than the paths could carry.
    pub fn tuned_2() -> Config {
        let mut config = Config {
            profile: "tuned-2",
            // Chunks arrive in order, so that each path needs only its own rate times its own delay in the peer's
            // buffer, and no message waits for a slow path.
            scheduler: "in-order-arrival".into(),
            // A lost chunk that blocks others is sent on the path where it arrives first.
            retransmission: "in-order-arrival".into(),
            fast_retransmission: "in-order-arrival".into(),
            // Radio links lose packets without congestion, and their jitter is not a queue: losses with an empty queue
            // do not cut the window.
            congestion_control: "westwood".into(),
            // Two paths over one link together take the share of one flow.
            coupled: Coupling::Auto,
            // A program that sends several files one after the other reuses its paths.
            remember_paths: true,
            // Slow start ends when a queue builds up (RFC 9406), not by losses at one and a half times the path's
            // capacity.
            slow_start: "hystart++".to_owned(),
            // A train of sixteen packets nearly fills a queue of twenty. Where a millisecond carries more than four, trains
            // are as long as before.
            max_burst: MaxBurst { packets: 4, rule: BurstRule::Paced },
            // A slow path is often idle if there is too little data to send ahead; its slow start continues afterwards.
            idle_ssthresh: IdleThreshold::AtLeastWindow,
            // A marking queue drops no packet. The form is that of today's stacks; each path is tested, and used
            // without ECN if marks are not reported or ECT packets are lost.
            ecn: EcnUse::Cwr,
            ecn_test: true,
            // In a window of a few packets, one packet that waits for a delayed SACK is a large part.
            sack_immediately: true,
            ..Config::tuned_1()
        };
        // TSNs are sent out of order. Links reorder, and radio links lose and delay: a cut for packets that were only
        // late is undone.
        config.set_sender_cmt(CmtRules::BY_TIME);
        config
    }
}
