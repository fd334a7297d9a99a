//! The differences between the CMT module of ns-2.35 and our CMT. Code that may follow either calls a method of
//! [`Ns2`], which decides by the rules that are switched on: without its rule the value is ours. They serve to compare
//! our results with those of that module; docs/oracle.md describes the effect of each rule.

mod pseudo_cumack;
mod rules;

use anabranch_base::{ByteCount, Duration, Time};

use super::congestion::CutWindow;
use super::loss_detection::SackNews;
use super::loss_detection::increment::Increment;
use super::retransmission::LostBy;
use super::{PathId, PathSample};
use crate::seq::Tsn;
use rules::Rule;

pub(crate) use pseudo_cumack::PseudoCumacks;

/// The rules of ns-2's module that replace ours, and what follows from them. Two of them together are
/// `cmt.recovery = "ns2"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ns2(u16);

/// The time a path was idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdleTime {
    /// In whole RTOs.
    pub(crate) rtos: u64,
    /// The end of the last counted RTO, where the next count starts.
    pub(crate) counted_to: Time,
}

impl Ns2 {
    /// Returns true if every value is ours.
    #[inline]
    pub(crate) fn is_ours(self) -> bool {
        self == Ns2::NONE
    }

    /// Returns true if lost chunks may keep their room in the peer's window, so that no new data takes it.
    ///
    /// Ours: yes. ns-2, with any rule: no, as in RFC 9260 §6.2.1.
    pub(crate) fn lost_may_keep_room(self) -> bool {
        self.is_ours()
    }
}

/// The recovery of a path (M-CMT-2).
impl Ns2 {
    /// Returns true if each path recovers by itself even if fast retransmit is not split.
    ///
    /// Ours: no, the association recovers. ns-2 (1): yes.
    #[inline]
    pub(crate) fn always_recovers_by_path(self) -> bool {
        self.has(Rule::Recovery)
    }

    /// Returns true if a path is in fast recovery, so that its window does not grow. `exit` is the highest TSN that was
    /// outstanding on it at its last cut, unless it was forgotten since.
    ///
    /// Ours: until `exit` is forgotten. ns-2 (1): never, windows grow on.
    #[inline]
    pub(crate) fn is_in_recovery(self, exit: Option<Tsn>) -> bool {
        exit.is_some() && !self.has(Rule::Recovery)
    }

    /// Returns true if the last cut of a path, which left `exit`, also answers the loss of the chunk `lost`.
    ///
    /// Ours: one cut for each recovery. ns-2 (1): a chunk above `exit` cuts again.
    #[inline]
    pub(crate) fn is_cut_for(self, exit: Option<Tsn>, lost: Tsn) -> bool {
        if self.has(Rule::Recovery) {
            exit.is_some_and(|point| !point.is_before(lost))
        } else {
            exit.is_some()
        }
    }

    /// Returns true if a time-out on a path ends its recovery.
    ///
    /// Ours: yes. ns-2 (1): no, its recovery never ends.
    pub(crate) fn timeout_ends_recovery(self) -> bool {
        !self.has(Rule::Recovery)
    }

    /// The chunks up to `cumulative` are acknowledged: forgets the `exits` of paths that this concerns.
    ///
    /// Ours: none, a path leaves recovery by its own lowest chunk. ns-2 (1): those up to there, because later losses are
    /// above them. They must not stay until TSNs wrap and reach them again.
    #[inline]
    pub(crate) fn forget_passed(self, exits: &mut [Option<Tsn>], cumulative: Tsn) {
        if self.has(Rule::Recovery) {
            for exit in exits {
                *exit = exit.filter(|point| cumulative.is_before(*point));
            }
        }
    }
}

/// The chunk that the window update waits for (M-CMT-3).
impl Ns2 {
    /// Returns true if the window update waits for the lowest chunk of a path until it is acknowledged, even if it is marked
    /// meanwhile. [`PseudoCumacks`] follows these chunks.
    ///
    /// Ours: no, it moves on to the lowest chunk in flight, as FreeBSD's does. ns-2 (2): yes, as in M-CMT-3 without the
    /// flags set on a mark, unless a chunk of the path is sent on another path.
    #[inline]
    pub(crate) fn lowest_stays(self) -> bool {
        self.has(Rule::LowestStays)
    }

    /// Returns true if the cumulative acknowledgement of a chunk lets the window of its path grow, whichever chunk it is, and the
    /// path search its lowest chunks again. `was_acked` says whether a gap block acknowledged it before.
    ///
    /// Ours: no, only that of its lowest chunks and of marked ones. ns-2 (2): if it was not acknowledged before.
    #[inline]
    pub(crate) fn advances_path(self, was_acked: bool) -> bool {
        !was_acked && self.has(Rule::LowestStays)
    }

    /// After a packet of retransmissions for `path`, the path that searches its lowest chunks again. `next_lost` gives
    /// the path of the next lost chunk.
    ///
    /// Ours: none. ns-2 (7): that of the next lost chunk, which it examines for the same packet, if it is another one.
    #[inline]
    pub(crate) fn searches_after_packet(
        self,
        path: PathId,
        next_lost: impl FnOnce() -> Option<PathId>,
    ) -> Option<PathId> {
        if self.has(Rule::SearchByPacket) { next_lost().filter(|&other| other != path) } else { None }
    }
}

/// Cuts and exemptions for missing reports.
impl Ns2 {
    /// Returns true if a cut may raise a window that is below the floor, whatever the setting says.
    ///
    /// Ours: no. ns-2 (3): yes.
    pub(crate) fn cut_may_raise(self) -> bool {
        self.has(Rule::CutsWaiting)
    }

    /// Returns true if missing reports on one path also cut the path whose chunks `waiting`, ascending, wait to be sent again.
    /// `is_cut_for` says whether the last cut of that path answered the loss of a chunk.
    ///
    /// Ours: no. ns-2 (3): yes, unless that cut answered the loss of the highest of them.
    pub(crate) fn cuts_waiting(
        self,
        waiting: impl Iterator<Item = Tsn>,
        is_cut_for: impl FnOnce(Tsn) -> bool,
    ) -> bool {
        self.has(Rule::CutsWaiting) && waiting.last().is_some_and(|highest| !is_cut_for(highest))
    }

    /// Returns true if missing reports on one path allow a packet beyond the window on the path of a chunk that was found lost
    /// `by` this, and waits to be sent again.
    ///
    /// Ours: no, only on their own path. ns-2 (4): yes, if it waits for fast retransmit.
    pub fn exempts_waiting(self, by: LostBy) -> bool {
        self.has(Rule::ExemptsWaiting) && by == LostBy::MissingReports
    }
}

/// Idle decay (M-SCTP-17).
impl Ns2 {
    /// Returns true if windows may decay at each SACK too.
    ///
    /// Ours: no, only when the application sends. ns-2 (5): yes.
    #[inline]
    pub(crate) fn decays_at_sacks(self) -> bool {
        self.has(Rule::DecayInFlight)
    }

    /// Returns true if the window of a path decays with `flight` in flight.
    ///
    /// Ours: only if it has nothing in flight. ns-2 (5): always.
    #[inline]
    pub(crate) fn decays_with(self, flight: ByteCount) -> bool {
        flight.is_zero() || self.has(Rule::DecayInFlight)
    }

    /// The time a path has been idle `now`, counted from `start`, when data last left or the last count ended.
    ///
    /// Ours: the next count starts now, if a whole RTO has passed. ns-2 (5): it starts at the last whole RTO.
    #[inline]
    pub(crate) fn idle_time(self, start: Time, rto: Duration, now: Time) -> IdleTime {
        let rtos = now.since(start).as_nanos() / rto.as_nanos().max(1);
        let counted_to = match self.has(Rule::DecayInFlight) {
            true => start + rto * rtos,
            false if rtos > 0 => now,
            false => start,
        };
        IdleTime { rtos, counted_to }
    }

    /// Returns true if idle decay raises small windows: [`Ns2::decayed`] gives the window then.
    ///
    /// Ours: no. ns-2 (5): yes.
    pub(crate) fn decay_lifts(self) -> bool {
        self.has(Rule::DecayInFlight)
    }

    /// The window after idle decay that lifts: one above `least` is halved, but becomes at least 4 units, even if it was
    /// smaller.
    pub(crate) fn decayed(sample: &PathSample, least: ByteCount) -> CutWindow {
        let halved = (sample.cwnd / 2).max(sample.unit * 4);
        let cwnd = if sample.cwnd > least { halved } else { sample.cwnd };
        CutWindow { cwnd, ssthresh: sample.ssthresh }
    }
}

/// Delayed acknowledgement (M-CMT-4, M-CMT-5).
impl Ns2 {
    /// Returns true if a SACK carries a number of packets only if it leaves because of that number, and otherwise 0.
    ///
    /// Ours: no, it carries the number of packets that it answers. ns-2 (6): yes.
    pub(crate) fn counts_full_only(self) -> bool {
        self.has(Rule::PacketCount)
    }

    /// The number of missing reports as which the SACK `news` counts.
    ///
    /// Ours: [`Increment::of_delayed`]. ns-2 (6): if all its gap blocks belong to one path, the number of packets that it
    /// carries, even 0; the chunks that it acknowledges cumulatively do not make it mixed.
    pub(in crate::policy) fn increment(self, news: &SackNews) -> Increment {
        if self.has(Rule::PacketCount) { increment_of_gap_blocks(news) } else { Increment::of_delayed(news) }
    }
}

/// Accounts of chunks, timers, bursts and round trips.
impl Ns2 {
    /// Returns true if the cumulative acknowledgement of the chunk at `position` restarts T3-rtx of `path`, even if it was not the
    /// lowest one there.
    ///
    /// Ours: no. ns-2 (8): if it is not below both chunks of the path that the window update waits for, the lowest sent
    /// once and the lowest sent again.
    #[inline]
    pub(crate) fn restarts_timer(self, pseudo_cumack: &PseudoCumacks, path: PathId, position: u64) -> bool {
        self.has(Rule::Accounts) && pseudo_cumack.is_reached(path, position)
    }

    /// Returns true if an acknowledged chunk counts as acknowledged for the first time. `was_acked` is true if it was
    /// acknowledged before, and that acknowledgement was taken back.
    ///
    /// Ours: once. ns-2 (8): each time.
    #[inline]
    pub(crate) fn counts_as_new(self, was_acked: bool) -> bool {
        !was_acked || self.has(Rule::Accounts)
    }

    /// Returns true if, once a retransmission was acknowledged, every later event has the same limit on the packets
    /// that it sends.
    ///
    /// Ours: no. ns-2 (8): yes.
    pub(crate) fn bounds_bursts_for_good(self) -> bool {
        self.has(Rule::Accounts)
    }

    /// Returns true if the loss of the chunk `lost` ends the measurement of a round trip by the chunk `timed` of the same path.
    ///
    /// Ours: that of any chunk. ns-2 (8): that of `timed` alone.
    pub(crate) fn loss_ends_measurement(self, lost: Tsn, timed: Tsn) -> bool {
        lost == timed || !self.has(Rule::Accounts)
    }

    /// Returns true if a cut ends the measurement of a round trip on its path.
    ///
    /// Ours: no, the loss behind it did. ns-2 (8): yes.
    pub(crate) fn cut_ends_measurement(self) -> bool {
        self.has(Rule::Accounts)
    }
}

/// The weight of a SACK by its gap blocks.
fn increment_of_gap_blocks(news: &SackNews) -> Increment {
    let mut beyond = news.acked.iter().filter(|chunk| news.cumulative.is_before(chunk.tsn));
    let Some(first) = beyond.next() else { return Increment::ONE };
    if beyond.any(|chunk| chunk.path != first.path) {
        return Increment::ONE;
    }
    let lowest = news.acked.iter().find(|chunk| chunk.path == first.path).unwrap_or(first);
    Increment::on_path(first.path, news.packets, lowest.tsn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::sacks::{acked, hole, news};

    const BOTH: [Ns2; 2] = [Ns2::NONE, Ns2(u16::MAX)];

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn a_path_with_a_recover_point_is_never_in_recovery_and_later_losses_cut_it_again() {
        let exit = Some(Tsn::new(30));
        assert_eq!(BOTH.map(|rules| rules.is_in_recovery(exit)), [true, false]);
        let cut_for = |lost| BOTH.map(|rules| rules.is_cut_for(exit, Tsn::new(lost)));
        assert_eq!([30, 31].map(cut_for), [[true, true], [true, false]]);
        assert_eq!(BOTH.map(|rules| rules.is_cut_for(None, Tsn::new(30))), [false, false]);
        let kept = |cumulative| {
            BOTH.map(|rules| {
                let mut exits = [exit];
                rules.forget_passed(&mut exits, Tsn::new(cumulative));
                exits[0].is_some()
            })
        };
        assert_eq!([29, 30].map(kept), [[true, true], [true, false]]);
    }

    #[test]
    fn idle_time_is_counted_from_now_or_from_the_last_whole_rto() {
        let counted = |now| {
            BOTH.map(|rules| rules.idle_time(at(10), Duration::from_secs(2), at(now)))
                .map(|IdleTime { rtos, counted_to }| (rtos, counted_to))
        };
        assert_eq!(counted(11), [(0, at(10)), (0, at(10))]);
        assert_eq!(counted(15), [(2, at(15)), (2, at(14))]);
        let in_flight = [ByteCount::ZERO, ByteCount::new(1)];
        assert_eq!(in_flight.map(|flight| Ns2::NONE.decays_with(flight)), [true, false]);
    }

    #[test]
    fn the_highest_waiting_chunk_decides_on_a_cut_and_the_next_lost_one_on_a_search() {
        let waiting = || [3, 7].map(Tsn::new).into_iter();
        let cut_up_to = |exit| BOTH.map(|rules| rules.cuts_waiting(waiting(), |lost| lost.get() <= exit));
        assert_eq!([6, 7].map(cut_up_to), [[false, true], [false, false]]);
        let (one, two) = (PathId::FIRST, PathId::from_index(1));
        let search = |next| BOTH.map(|rules| rules.searches_after_packet(one, || next));
        assert_eq!([Some(one), Some(two)].map(search), [[None, None], [None, Some(two)]]);
    }

    /// The chunks up to TSN `cumulative` are acknowledged cumulatively, those above it by gap blocks.
    fn increment(packets: u8, cumulative: u32, chunks: &[(u32, usize)], missing: (u32, usize)) -> [u8; 2] {
        let chunks = chunks.iter().map(|&(tsn, path)| acked(tsn, path)).collect();
        let sack = SackNews { packets, ..news(cumulative, 9, chunks, vec![]) };
        BOTH.map(|rules| rules.increment(&sack).of(&hole(missing.0, missing.1, 0)))
    }

    #[test]
    fn for_ns2_a_cumulative_ack_mixes_nothing_and_the_packet_count_is_believed() {
        assert_eq!(increment(2, 2, &[(2, 1), (4, 0)], (3, 0)), [1, 2], "ours: the SACK is of two paths");
        assert_eq!(increment(0, 1, &[(4, 0)], (3, 0)), [1, 0], "a SACK by the timer");
        assert_eq!(increment(2, 1, &[(3, 0), (4, 1)], (2, 0)), [1, 1], "gap blocks of two paths");
        assert_eq!(increment(2, 1, &[(2, 0), (4, 0)], (3, 0)), [1, 1], "on both sides of the chunk");
        assert_eq!(increment(2, 1, &[(4, 0)], (3, 1)), [1, 1], "the chunk is of another path");
    }
}
