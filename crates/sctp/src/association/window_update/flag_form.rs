//! M-CMT-3 in its flag form, version 2, with the settings under "When to search anew": an independent oracle for the
//! window update. It keeps the sender's queue chunk by chunk, as the mechanism's text does.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The events that set the flags: marks, retransmissions and moves, as the mechanism demands, or acknowledgements
/// alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchAnew {
    AsSpecified,
    /// The rules as first published, to show their defects.
    OnlyAfterAcks,
}

/// The queue of chunks that were sent and are not cumulatively acknowledged, and the two trackers of each
/// destination.
#[derive(Clone, Debug)]
pub(super) struct FlagForm {
    queue: BTreeMap<u32, Queued>,
    cumulative: u32,
    destinations: Vec<Destination>,
    anew: SearchAnew,
}

/// A TSN of the queue.
#[derive(Clone, Copy, Debug)]
struct Queued {
    destination: usize,
    is_sent_again: bool,
    is_marked: bool,
    /// "acked before": gap-acked by an earlier SACK, even if that was taken back.
    was_acked: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Destination {
    /// `pseudo_cumack` and `find_pseudo_cumack`.
    sent_once: Tracker,
    /// `rtx_pseudo_cumack` and `find_rtx_pseudo_cumack`.
    sent_again: Tracker,
}

/// "A tracker whose flag is set is void": a missing TSN means that the flag is set.
#[derive(Clone, Copy, Debug, Default)]
struct Tracker {
    lowest: Option<u32>,
}

impl FlagForm {
    pub(super) fn new(destinations: usize, anew: SearchAnew) -> FlagForm {
        let destinations = vec![Destination::default(); destinations];
        FlagForm { queue: BTreeMap::new(), cumulative: 0, destinations, anew }
    }

    /// Handles the sending of `tsn` to `destination`, for the first time or again.
    pub(super) fn on_sent(&mut self, tsn: u32, destination: usize) {
        let previous = self.queue.get(&tsn).copied();
        self.queue.insert(
            tsn,
            Queued {
                destination,
                is_sent_again: previous.is_some(),
                is_marked: false,
                was_acked: previous.is_some_and(|queued| queued.was_acked),
            },
        );
        let Some(from) = previous.map(|queued| queued.destination) else { return };
        if self.anew == SearchAnew::AsSpecified {
            // "set find_rtx of the destination on every retransmission sent to it"
            self.destinations[destination].sent_again = Tracker::default();
            // "and both flags of the old and the new one when it changes destination"
            if from != destination {
                self.search_anew(from);
                self.search_anew(destination);
            }
        }
    }

    /// Marks `tsn` for retransmission.
    pub(super) fn on_marked(&mut self, tsn: u32) {
        let queued = self.queue.get_mut(&tsn).expect("it is outstanding");
        queued.is_marked = true;
        let destination = queued.destination;
        // "set both find flags of d on every mark (fast retransmit or T3) on d"
        if self.anew == SearchAnew::AsSpecified {
            self.search_anew(destination);
        }
    }

    /// Applies a SACK and returns, for each destination, true if it may grow; `None` for a SACK older than an earlier
    /// one.
    pub(super) fn on_sack(&mut self, cumulative: u32, gaps: &[RangeInclusive<u32>]) -> Option<Vec<bool>> {
        if cumulative < self.cumulative {
            return None;
        }
        self.cumulative = cumulative;
        let mut may_grow = vec![false; self.destinations.len()];
        let rest = self.queue.split_off(&(cumulative + 1));
        let cumulatively_acked = std::mem::replace(&mut self.queue, rest);
        for queued in cumulatively_acked.values().filter(|queued| !queued.was_acked) {
            self.search_anew(queued.destination);
            may_grow[queued.destination] = true;
        }
        // "The scan goes in TSN order over the chunks of the queue up to the highest gap end."
        let highest = gaps.last().map_or(cumulative, |gap| *gap.end());
        for (&tsn, queued) in self.queue.range_mut(..=highest) {
            let destination = &mut self.destinations[queued.destination];
            let tracker =
                if queued.is_sent_again { &mut destination.sent_again } else { &mut destination.sent_once };
            // "A chunk marked but not yet re-sent is in neither tracker, nor is one that was gap-acked, revoked and is
            // outstanding again."
            if tracker.lowest.is_none() && !queued.was_acked && !queued.is_marked {
                tracker.lowest = Some(tsn);
            }
            let is_acked = gaps.iter().any(|gap| gap.contains(&tsn));
            if is_acked && !queued.was_acked && tracker.lowest == Some(tsn) {
                may_grow[queued.destination] = true;
                *tracker = Tracker::default();
            }
            queued.was_acked |= is_acked;
        }
        Some(may_grow)
    }

    fn search_anew(&mut self, destination: usize) {
        self.destinations[destination] = Destination::default();
    }
}
