//! Counters of a path for reports: what it carried, and how that was acknowledged.

use anabranch_base::{ByteCount, Duration, Ecn};

/// The sums of one path since the association began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathCounters {
    /// Packets that left.
    pub sent_packets: u64,
    /// User data that left, retransmissions included.
    pub sent_bytes: ByteCount,
    /// User data acknowledged that was last sent on this path.
    pub acked_bytes: ByteCount,
    /// DATA chunks that left and had left before, on this or another path.
    pub retransmitted_chunks: u64,
    /// Those of them that left while the chunk was in flight on another path.
    pub copied_chunks: u64,
    /// Chunks marked lost by missing reports.
    pub fast_retransmits: u64,
    /// Expiries of the T3-rtx timer.
    pub timeouts: u64,
    /// Cuts of the window that proved spurious and were taken back.
    pub undone_cuts: u64,
    /// Chunks that left again because nothing was acknowledged for two round trips.
    pub tail_probes: u64,
    /// How often data left the path because it was silent while another path delivered.
    pub suspicions: u64,
    /// Packets that arrived.
    pub received_packets: u64,
    /// Those of them that arrived with an ECN codepoint.
    pub received_ecn: EcnCounters,
    /// Reports of marks (ECNE) that left because of packets that arrived on this path.
    pub sent_echoes: u64,
    /// Reports of marks that arrived because of packets that left on this path.
    pub received_echoes: u64,
    /// Answers to such reports (CWR) that left.
    pub sent_cwrs: u64,
    /// How often the window was cut because of such a report.
    pub ecn_cuts: u64,
    /// HEARTBEATs that left because a loss response asked for them.
    pub loss_probes: u64,
    /// User data that arrived for the first time.
    pub received_bytes: ByteCount,
    /// Packets that arrived with user data for the first time.
    pub received_data_packets: u64,
    /// How many round-trip times were measured.
    pub round_trips: u64,
    /// Their sum.
    pub round_trip_sum: Duration,
}

/// Packets that arrived, by ECN codepoint; all others had Not-ECT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnCounters {
    /// With ECT(0).
    pub ect0: u64,
    /// With ECT(1).
    pub ect1: u64,
    /// With CE: a queue on the path marked them.
    pub ce: u64,
}

impl EcnCounters {
    /// Counts a packet.
    pub(crate) fn count(&mut self, ecn: Ecn) {
        match ecn {
            Ecn::NotEct => {}
            Ecn::Ect0 => self.ect0 += 1,
            Ecn::Ect1 => self.ect1 += 1,
            Ecn::Ce => self.ce += 1,
        }
    }
}

impl PathCounters {
    /// The mean of the round-trip times measured; `None` without one.
    pub fn mean_round_trip(&self) -> Option<Duration> {
        (self.round_trips > 0).then(|| self.round_trip_sum / self.round_trips)
    }
}

/// The SACKs of an association since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackCounters {
    /// SACKs that left.
    pub sent: u64,
    /// Those of them that left because their delay ended, and not because a packet demanded one.
    pub sent_by_timer: u64,
    /// SACKs that arrived and were not older than an earlier one.
    pub received: u64,
    /// Those of them that newly acknowledged chunks last sent on more than one path.
    pub received_for_several_paths: u64,
    /// The cost of reading these SACKs, and SHUTDOWNs: the gap blocks of each and of the one before it, and the
    /// chunks that were examined.
    pub examined: u64,
}
