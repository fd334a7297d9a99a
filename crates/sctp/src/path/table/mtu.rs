//! The largest packet of each path, as windows and packets see it.

use anabranch_base::{ByteCount, Duration};

use super::PathTable;
use crate::config::Config;
use crate::path::mtu::{MtuSearch, ProbePace};
use crate::policy::PathId;

impl PathTable {
    /// The search for a path's largest packet, for updates.
    pub fn mtu_mut(&mut self, id: PathId) -> &mut MtuSearch {
        &mut self.paths[id.index()].mtu
    }

    /// The search for a path's largest packet.
    pub fn mtu(&self, id: PathId) -> &MtuSearch {
        &self.paths[id.index()].mtu
    }

    /// From now on the path's packets have the size that its search allows.
    ///
    /// RFC 8899 §3 item 7: "An update to the PLPMTU [...] MUST NOT increase the congestion window measured in bytes"; but
    /// a strict window of less than a unit would never open again.
    pub fn show_mtu(&mut self, id: PathId, config: &Config) {
        let path = &self.paths[id.index()];
        let (ip, mtu) = (path.addresses.ip_version(), path.mtu.current());
        let sample = &mut self.samples[id.index()];
        sample.mtu = mtu;
        sample.packet_limit = mtu - config.overhead(ip);
        sample.unit = config.unit_within(mtu, ip);
        if sample.is_strict {
            sample.cwnd = sample.cwnd.max(sample.unit);
        }
    }

    /// How fast probes of the path's size follow one another: no two within a round trip (RFC 8899 §3 item 7).
    pub fn probe_pace(&self, id: PathId) -> ProbePace {
        let sample = self.sample(id);
        let gap = sample.srtt.map_or(UNKNOWN_ROUND_TRIP, |srtt| srtt + srtt / 2 + ROUND_TRIP_SLACK);
        ProbePace { gap, patience: gap.max(LEAST_PATIENCE) }
    }

    /// The packet that gets through whatever the path has become, as far as can be helped.
    pub fn safe_limit(&self, id: PathId, config: &Config) -> ByteCount {
        let ip = self.paths[id.index()].addresses.ip_version();
        let safe = config.mtu_bounds(ip).map(|bounds| bounds.least - config.overhead(ip));
        safe.map_or(self.sample(id).packet_limit, |safe| safe.min(self.sample(id).packet_limit))
    }

    /// The largest packet that some path in use carries whole.
    pub fn widest(&self) -> Option<ByteCount> {
        let used = self.samples.iter().filter(|sample| sample.state.carries_data());
        used.map(|sample| sample.packet_limit).max()
    }
}

/// What a round trip may take longer than usual, as where a path's silence is judged.
const ROUND_TRIP_SLACK: Duration = Duration::from_millis(25);
/// Before a round trip was measured: one and a half of what RFC 9002 §6.2.2 assumes, 333 ms.
const UNKNOWN_ROUND_TRIP: Duration = Duration::from_millis(500);
/// RFC 8899 §5.1.1 of PROBE_TIMER: "This value MUST NOT be smaller than 1 second".
const LEAST_PATIENCE: Duration = Duration::from_secs(1);
