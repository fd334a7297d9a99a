//! Counters of a path: traffic, losses and reported marks; and the tables from which documents, columns and pages are
//! made. To add a counter, add its field and its entry.

use anabranch_base::counter::Counter;
use anabranch_base::counter::DataEnd::Receiver;
use anabranch_base::counter::PageRow::{Absent, Worded};
use anabranch_base::counter::Shown::{Nowhere, Simulations, Tools};
use anabranch_base::{ByteCount, Duration, Ecn, counter};

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
    /// The chunks among them that left while in flight on another path.
    pub copied_chunks: u64,
    /// Chunks marked lost by missing reports.
    pub fast_retransmits: u64,
    /// Expiries of the T3-rtx timer.
    pub timeouts: u64,
    /// Cuts of the window that proved spurious and were taken back.
    pub undone_cuts: u64,
    /// Chunks that left again because nothing was acknowledged for two round trips.
    pub tail_probes: u64,
    /// The number of times that data left the path because it was silent while another path delivered.
    pub suspicions: u64,
    /// Packets that arrived.
    pub received_packets: u64,
    /// The packets among them that arrived with an ECN codepoint.
    pub received_ecn: EcnCounters,
    /// Reports of marks (ECNE) that left because of packets that arrived on this path.
    pub sent_echoes: u64,
    /// Reports of marks that arrived because of packets that left on this path.
    pub received_echoes: u64,
    /// Answers to such reports (CWR) that left.
    pub sent_cwrs: u64,
    /// Cuts of the window because of such a report.
    pub ecn_cuts: u64,
    /// HEARTBEATs that a loss response requested.
    pub loss_probes: u64,
    /// User data that arrived for the first time.
    pub received_bytes: ByteCount,
    /// Packets that arrived with user data for the first time.
    pub received_data_packets: u64,
    /// The number of round-trip times that were measured.
    pub round_trips: u64,
    /// The sum of these round-trip times.
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
    /// The traffic of a path.
    pub const TRAFFIC: &'static [Counter<PathCounters>] = &[
        Counter {
            row: Worded("Packets sent", "sent on this path"),
            ..counter!(sent_packets, "packets", "packets sent on this path")
        },
        Counter {
            row: Worded("User data sent", "sent on this path, including retransmissions"),
            ..counter!(sent_bytes, "B", "user data sent on this path, retransmissions included")
        },
        Counter {
            shown: Nowhere,
            ..counter!(acked_bytes, "B", "user data acknowledged that was last sent on this path")
        },
        Counter {
            shown: Tools,
            counted_by: Receiver,
            ..counter!(received_packets, "packets", "packets that arrived")
        },
        Counter {
            shown: Tools,
            counted_by: Receiver,
            ..counter!(received_bytes, "B", "user data that arrived for the first time")
        },
        Counter {
            shown: Nowhere,
            counted_by: Receiver,
            ..counter!(received_data_packets, "packets", "packets that arrived with such data")
        },
    ];

    /// Retransmissions and copies.
    pub const RESENT: &'static [Counter<PathCounters>] = &[
        Counter {
            row: Worded("Chunks resent", "chunks retransmitted on this path"),
            ..counter!(retransmitted_chunks, "chunks", "chunks that were retransmitted on this path")
        },
        Counter {
            shown: Nowhere,
            ..counter!(copied_chunks, "chunks", "those of them that were in flight on another path")
        },
    ];

    /// Losses and their consequences.
    pub const LOSSES: &'static [Counter<PathCounters>] = &[
        counter!(fast_retransmits, "chunks", "chunks marked lost by missing reports"),
        Counter {
            row: Worded("Time-outs", "expiries of the T3-rtx timer"),
            ..counter!(timeouts, "time-outs", "expiries of the retransmission timer")
        },
        Counter {
            shown: Nowhere,
            ..counter!(undone_cuts, "cuts", "cuts of the window that proved spurious and were taken back")
        },
        Counter {
            shown: Nowhere,
            ..counter!(
                tail_probes,
                "chunks",
                "chunks sent again after two round trips without acknowledgement"
            )
        },
        Counter {
            shown: Nowhere,
            ..counter!(suspicions, "suspicions", "how often data left the path because only it was silent")
        },
    ];

    /// Reports of congestion marks and responses to them (M-MET-9), and probes for losses.
    pub const MARKS: &'static [Counter<PathCounters>] = &[
        Counter {
            shown: Nowhere,
            counted_by: Receiver,
            ..counter!("received_ect0" = received_ecn.ect0, "packets", "packets that arrived with ECT(0)")
        },
        Counter {
            shown: Nowhere,
            counted_by: Receiver,
            ..counter!("received_ect1" = received_ecn.ect1, "packets", "packets that arrived with ECT(1)")
        },
        Counter {
            shown: Nowhere,
            counted_by: Receiver,
            ..counter!("received_ce" = received_ecn.ce, "packets", "packets that arrived with a mark")
        },
        Counter {
            shown: Simulations,
            counted_by: Receiver,
            row: Worded("Reports of marks", "ECNE chunks that the receiver sent"),
            ..counter!(
                "ecne_sent" = sent_echoes,
                "reports",
                "reports of congestion marks that the receiver sent"
            )
        },
        Counter {
            shown: Simulations,
            row: Absent,
            ..counter!(
                "ecne_received" = received_echoes,
                "reports",
                "reports of congestion marks that the sender received"
            )
        },
        Counter {
            shown: Simulations,
            row: Worded("Answers to reports", "CWR chunks that the sender sent"),
            ..counter!("cwr_sent" = sent_cwrs, "reports", "answers to such reports that the sender sent")
        },
        Counter {
            shown: Simulations,
            row: Worded("Cuts by marks", "reports of marks that cut the congestion window"),
            ..counter!(ecn_cuts, "cuts", "how often such a report cut the window")
        },
        Counter {
            shown: Simulations,
            row: Worded("Probes of losses", "HEARTBEATs that tested the path after a loss"),
            ..counter!("probes_sent" = loss_probes, "probes", "HEARTBEATs sent to test the path after a loss")
        },
    ];

    /// Every counter, in the order in which results list them. Of round-trip times results list only the mean.
    pub fn table() -> impl Iterator<Item = &'static Counter<PathCounters>> {
        let groups = [PathCounters::TRAFFIC, PathCounters::RESENT, PathCounters::LOSSES, PathCounters::MARKS];
        groups.into_iter().flatten()
    }

    /// The counts after `before`. Round-trip times are not reduced.
    pub fn since(&self, before: &PathCounters) -> PathCounters {
        Counter::difference(PathCounters::table(), self, before)
    }

    /// The counts of both ends of a flow of data on a path: arrivals are counted by the receiver.
    pub fn of_both_ends(sender: &PathCounters, receiver: &PathCounters) -> PathCounters {
        Counter::of_both_ends(PathCounters::table(), sender, receiver)
    }

    /// The mean of the round-trip times measured; `None` without one.
    pub fn mean_round_trip(&self) -> Option<Duration> {
        (self.round_trips > 0).then(|| self.round_trip_sum / self.round_trips)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_entry_with_a_unit_and_a_meaning() {
        let mut names: Vec<_> = PathCounters::table().map(|counter| counter.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(PathCounters::table().all(|counter| !counter.unit.is_empty() && !counter.meaning.is_empty()));
    }

    #[test]
    fn each_field_that_counts_has_an_entry_of_its_own() {
        let second = Duration::from_secs(1);
        let mut all = PathCounters { round_trips: 1, round_trip_sum: second, ..PathCounters::default() };
        (1..).zip(PathCounters::table()).for_each(|(number, counter)| (counter.write)(&mut all, number));
        assert!((1..).zip(PathCounters::table()).all(|(number, counter)| (counter.read)(&all) == number));
        let fields = format!("{all:?}");
        assert!(!fields.contains(": 0") && !fields.contains("(0)"), "a field without an entry: {fields}");
    }

    #[test]
    fn what_was_before_is_taken_away_and_the_mean_round_trip_stays() {
        let counted = |sent_packets| PathCounters { sent_packets, round_trips: 3, ..PathCounters::default() };
        assert_eq!(counted(10).since(&counted(3)), counted(7));
    }
}
