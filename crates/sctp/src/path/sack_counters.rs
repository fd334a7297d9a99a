//! The counters of an association's acknowledgements, and the table from which results are made.

use anabranch_base::counter;
use anabranch_base::counter::{Counter, DataEnd, Shown};

/// The SACKs of an association since it began. The paths share them: one SACK may report data that arrived on several
/// paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackCounters {
    /// SACKs that left.
    pub sent: u64,
    /// The SACKs among them that left because their delay ended, and not because a packet demanded one.
    pub sent_by_timer: u64,
    /// SACKs that arrived and were not older than an earlier one.
    pub received: u64,
    /// The SACKs among them that newly acknowledged chunks last sent on more than one path.
    pub received_for_several_paths: u64,
    /// The cost of reading these SACKs, and SHUTDOWNs: the gap blocks of each and of the one before it, and the
    /// chunks that were examined.
    pub examined: u64,
}

impl SackCounters {
    /// Every counter, in the order in which results list them.
    pub const TABLE: &'static [Counter<SackCounters>] = &[
        Counter {
            counted_by: DataEnd::Receiver,
            ..counter!(
                sent,
                "SACKs",
                "acknowledgements that the receiver sent; empty without any kind of them"
            )
        },
        Counter {
            counted_by: DataEnd::Receiver,
            ..counter!(sent_by_timer, "SACKs", "those of them that left because their delay ended")
        },
        counter!(received, "SACKs", "acknowledgements that the sender received, without late ones"),
        counter!(
            received_for_several_paths,
            "SACKs",
            "those of them that newly acknowledged chunks of more than one path"
        ),
        Counter {
            shown: Shown::Nowhere,
            ..counter!(examined, "blocks and chunks", "the cost of reading acknowledgements")
        },
    ];

    /// The acknowledgements of a flow of data, as counted by its two ends.
    pub fn of_both_ends(sender: &SackCounters, receiver: &SackCounters) -> SackCounters {
        Counter::of_both_ends(SackCounters::TABLE.iter(), sender, receiver)
    }

    /// The sums of both.
    pub fn and(self, other: SackCounters) -> SackCounters {
        Counter::sum(SackCounters::TABLE.iter(), &self, &other)
    }
}
