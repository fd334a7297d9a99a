//! The largest packet of each path, as windows and packets use it.

use anabranch_base::{ByteCount, Duration};

use super::PathTable;
use crate::config::Config;
use crate::path::mtu::{MtuSearch, ProbePace};
use crate::policy::PathId;

impl PathTable {
    /// The search for the largest packet of path `id`, mutable.
    pub(crate) fn mtu_mut(&mut self, id: PathId) -> &mut MtuSearch {
        &mut self.path_mut(id).mtu
    }

    /// The search for the largest packet of path `id`.
    pub(crate) fn mtu(&self, id: PathId) -> &MtuSearch {
        &self.path(id).mtu
    }

    /// Sets the packet size of path `id` to what its search allows.
    ///
    /// RFC 8899 §3 item 7: "An update to the PLPMTU [...] MUST NOT increase the congestion window measured in bytes".
    /// But a strict window of less than one unit would never open again.
    pub(crate) fn show_mtu(&mut self, id: PathId, config: &Config) {
        let ip = self.addresses(id).ip_version();
        let (path, sample) = self.at(id);
        let mtu = path.mtu.current();
        sample.mtu = mtu;
        sample.packet_limit = mtu - config.overhead(ip);
        sample.unit = config.unit_within(mtu, ip);
        if sample.is_strict {
            sample.cwnd = sample.cwnd.max(sample.unit);
        }
    }

    /// The rate of probes of the size of path `id`: no two within a round trip (RFC 8899 §3 item 7).
    pub(crate) fn probe_pace(&self, id: PathId) -> ProbePace {
        let sample = self.sample(id);
        let gap = sample.srtt.map_or(UNKNOWN_ROUND_TRIP, |srtt| srtt + srtt / 2 + ROUND_TRIP_SLACK);
        ProbePace { gap, answer_timeout: gap.max(LEAST_ANSWER_TIMEOUT) }
    }

    /// A packet size that arrives even if the MTU of path `id` shrank, as far as this is possible.
    pub(crate) fn safe_limit(&self, id: PathId, config: &Config) -> ByteCount {
        let ip = self.addresses(id).ip_version();
        let safe = config.mtu_bounds(ip).map(|bounds| bounds.least - config.overhead(ip));
        safe.map_or(self.sample(id).packet_limit, |safe| safe.min(self.sample(id).packet_limit))
    }

    /// The largest packet that any path in use carries without fragmentation.
    pub(crate) fn widest(&self) -> Option<ByteCount> {
        let used = self.samples.iter().filter(|sample| sample.state.carries_data());
        used.map(|sample| sample.packet_limit).max()
    }
}

/// The allowance for a round trip that is longer than usual; silence has the same.
const ROUND_TRIP_SLACK: Duration = Duration::from_millis(25);
/// Used before the first measurement: one and a half times the 333 ms that RFC 9002 §6.2.2 assumes.
const UNKNOWN_ROUND_TRIP: Duration = Duration::from_millis(500);
/// RFC 8899 §5.1.1 of PROBE_TIMER: "This value MUST NOT be smaller than 1 second".
const LEAST_ANSWER_TIMEOUT: Duration = Duration::from_secs(1);
