//! The profiles for real networks, newest last. Each value stands beside its reason, and is frozen with the name; what
//! the values cost and bring is in docs/tuned.md.

use anabranch_base::{ByteCount, Duration};

use super::{
    BurstRule, Config, Failover, Growth, InitialWindow, MaxBurst, MtuDiscovery, RtoSettings, SackBatch,
    SackSettings,
};
use crate::policy::loss_detection::cmt::CmtRules;

impl Config {
    /// RFC 9260 for bulk transfers over today's networks, on all paths at once (M-CMT-1 to -5).
    ///
    /// RFC 9260's values are for signalling: a second to notice a loss, minutes to leave a dead path. Here data leaves a
    /// path at its first error (RFC 7829), or as soon as it is silent while another delivers.
    pub fn tuned_1() -> Config {
        let profile = Config::rfc9260();
        let mut config = Config {
            profile: "tuned-1",
            // Enough for most paths from the first round trip on; it grows to what the others need, up to the product of 1
            // Gbit/s and 130 ms: two paths of unlike delay need the sum of their rates for as long as the slower takes.
            receive_buffer: ByteCount::from_mib(1),
            receive_growth: Some(Growth::to(ByteCount::from_mib(16))),
            // What the peer's buffer may grow to, as it holds what is in flight.
            send_buffer: ByteCount::from_mib(16),
            // Packets that a tunnel on the way cannot carry would vanish without a word.
            mtu_discovery: MtuDiscovery::On,
            // RFC 9260's second at first, because nothing is measured: half a second is less than a satellite's round
            // trip, and a spurious time-out costs the path its window. Then, as in Linux, at least 200 ms more than the
            // round trip: a queue may grow by that much on a path with constant round trips, and delayed SACKs wait no
            // longer.
            rto: RtoSettings {
                min: Duration::from_millis(200),
                variation: Duration::from_millis(200),
                ..profile.rto
            },
            // A packet that comes alone is answered before its sender may take the path for silent (1.5 srtt + 25 ms), let
            // alone for lost.
            sack: SackSettings { delay: Duration::from_millis(20), batch: SackBatch::Whole, ..profile.sack },
            // Ten segments (RFC 6928): Linux' and QUIC's, so that networks expect them.
            initial_window: InitialWindow::TenUnits,
            // A SACK for a whole batch must not make slow start slower. By all that is acknowledged, as in QUIC, a window of
            // twice what the path holds is lost at the end of slow start rather than of one and a half.
            slow_start: "half-of-acked".to_owned(),
            // 16: a train of the kernel's (GSO) that saves most of what trains save.
            max_burst: MaxBurst { packets: 16, rule: BurstRule::Paced },
            failover: Failover {
                potentially_failed: 1,
                quick: true,
                path_max: 2,
                heartbeat: Duration::from_secs(1),
                heartbeat_max_burst: 4,
                ..profile.failover
            },
            // A train for each path in turn: packet by packet over two paths, no train would be longer than one, and more of a
            // burst is lost where queues are short.
            scheduler: "fill".into(),
            // A path that timed out has potentially failed: what it lost goes to another whatever is said here.
            retransmission: "same".into(),
            // A phone changes its network while it sends.
            dynamic_addresses: true,
            // 1 + 2 + 4 + 8 s: a person still waits.
            max_init_retransmits: 3,
            ..profile
        };
        config.set_cmt(CmtRules::ALL);
        // A receiver does not know beforehand how many paths its peers have.
        "dac-on-several-paths".clone_into(&mut config.ack_timing);
        config
    }
}
