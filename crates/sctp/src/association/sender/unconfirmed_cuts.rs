//! Detects spurious losses: for each cut of a window, keeps the chunks that were declared lost until each is known to
//! have arrived or not (Eifel and DSACK detection, RFC 3522 and RFC 3708, chunk by chunk).

use std::collections::{BTreeMap, VecDeque};

use anabranch_base::{Duration, Time};

use crate::policy::PathId;
use crate::policy::congestion::CutWindow;
use crate::policy::loss_detection::AckedChunk;
use crate::seq::Tsn;

/// The cuts that may have been spurious, and the chunks that caused them.
///
/// A peer that reports false duplicates makes real losses look spurious. It gains no more than the windows from before
/// the cuts, and takes at most the memory of the lost chunks.
#[derive(Debug, Default)]
pub(super) struct UnconfirmedCuts {
    /// The cuts, oldest first.
    cuts: VecDeque<Cut>,
    lost: BTreeMap<u32, UnconfirmedLoss>,
    /// The chunks whose acknowledgement may answer the retransmission, because it was late, with its time.
    answered: VecDeque<(Time, u32)>,
    /// The number of the last cut.
    last: u64,
}

/// A cut of a path's window, and the losses since then.
#[derive(Clone, Copy, Debug)]
struct Cut {
    number: u64,
    path: PathId,
    /// The window before the cut.
    before: CutWindow,
    /// The number of losses without a verdict, and of those proven spurious.
    open: usize,
    spurious: usize,
    /// True if a chunk was really lost.
    is_justified: bool,
}

/// A chunk that was declared lost.
#[derive(Clone, Copy, Debug)]
struct UnconfirmedLoss {
    cut: u64,
    /// The sending time of the first transmission.
    left_at: Time,
    /// The time of an acknowledgement that may answer the retransmission, because it was late.
    acked_at: Option<Time>,
}

/// The proof that a chunk had arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proof {
    /// The path of the cut.
    pub path: PathId,
    /// The round trip of the first transmission, or a lower bound if a duplicate is the proof; `None` if it is not
    /// known.
    pub round_trip: Option<Duration>,
}

/// A cut that proved spurious.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpuriousCut {
    /// The path.
    pub path: PathId,
    /// The window before the cut.
    pub before: CutWindow,
}

impl UnconfirmedCuts {
    /// Returns true if no loss waits for a verdict.
    pub(super) fn is_empty(&self) -> bool {
        self.cuts.is_empty()
    }

    /// Notes a cut of the window of `path` for a loss; `before` is the window before it.
    pub(super) fn on_cut(&mut self, path: PathId, before: CutWindow) {
        self.last += 1;
        if self.cuts.len() == MOST_CUTS {
            self.cuts.pop_front();
        }
        let number = self.last;
        self.cuts.push_back(Cut { number, path, before, open: 0, spurious: 0, is_justified: false });
    }

    /// Notes the loss of the chunk `tsn`, sent at `left_at` on `path`, for the last cut there.
    pub(super) fn on_lost(&mut self, tsn: Tsn, path: PathId, left_at: Time) {
        if let Some(UnconfirmedLoss { cut, .. }) = self.lost.remove(&tsn.get()) {
            // A chunk that is lost again was not merely late.
            self.settle(cut, false);
        }
        let has_room = self.lost.len() < MOST_LOST;
        let Some(cut) = self.cuts.iter_mut().rev().find(|cut| cut.path == path) else { return };
        if has_room {
            cut.open += 1;
            self.lost.insert(tsn.get(), UnconfirmedLoss { cut: cut.number, left_at, acked_at: None });
        } else {
            cut.is_justified = true;
        }
    }

    /// Judges an acknowledged chunk; `least` is the minimum round trip of its path. Returns the proof if the chunk was
    /// only late.
    pub(super) fn on_acked(
        &mut self,
        chunk: &AckedChunk,
        least: Option<Duration>,
        now: Time,
    ) -> Option<Proof> {
        let tsn = chunk.tsn.get();
        let UnconfirmedLoss { cut, left_at, .. } = *self.lost.get(&tsn)?;
        // A new minimum round trip does not prove it: only one chunk in a round trip is measured.
        let is_too_soon = least.is_some_and(|least| now.since(chunk.sent_at) < least * 3 / 4);
        if !chunk.was_lost && !is_too_soon && !chunk.was_copied {
            self.answered.push_back((now, tsn));
            self.lost.entry(tsn).and_modify(|loss| loss.acked_at = Some(now));
            return None;
        }
        self.lost.remove(&tsn);
        let is_spurious = chunk.was_lost || is_too_soon;
        let path = self.settle(cut, is_spurious)?;
        is_spurious.then_some(Proof { path, round_trip: Some(now.since(left_at)) })
    }

    /// Handles the report that the chunk `tsn` arrived twice. Without a round trip only the first proof of each cut is
    /// returned: the reordering window grows once for each cut.
    pub(super) fn on_duplicate(&mut self, tsn: Tsn) -> Option<Proof> {
        let UnconfirmedLoss { cut, left_at, acked_at } = self.lost.remove(&tsn.get())?;
        let path = self.settle(cut, true)?;
        let is_first = self.cuts.iter().any(|known| known.number == cut && known.spurious == 1);
        let round_trip = acked_at.map(|at| at.since(left_at));
        (is_first || round_trip.is_some()).then_some(Proof { path, round_trip })
    }

    /// Confirms as lost the chunks acknowledged longer than `timeout` ago without proof of the contrary.
    pub(crate) fn on_time(&mut self, timeout: Duration, now: Time) {
        while let Some(&(acked_at, tsn)) =
            self.answered.front().filter(|(acked_at, _)| *acked_at + timeout < now)
        {
            self.answered.pop_front();
            // If the chunk was lost again since, the entry is that of the later loss.
            let is_it = |loss: &UnconfirmedLoss| loss.left_at <= acked_at;
            if let Some(UnconfirmedLoss { cut, .. }) = self.lost.get(&tsn).copied().filter(is_it) {
                self.lost.remove(&tsn);
                self.settle(cut, false);
            }
        }
        self.cuts.retain(|cut| cut.open > 0 || cut.spurious > 0 && !cut.is_justified);
    }

    /// Removes a cut whose losses all proved spurious. If the window was cut again since, the later cut takes over the
    /// window from before this one.
    pub(crate) fn take_spurious(&mut self) -> Option<SpuriousCut> {
        loop {
            let is_spurious = |cut: &Cut| cut.open == 0 && cut.spurious > 0 && !cut.is_justified;
            let index = self.cuts.iter().position(is_spurious)?;
            let Cut { path, before, .. } = self.cuts.remove(index)?;
            let Some(later) = self.cuts.range_mut(index..).find(|later| later.path == path) else {
                return Some(SpuriousCut { path, before });
            };
            later.before.cwnd = later.before.cwnd.max(before.cwnd);
            later.before.ssthresh = later.before.ssthresh.max(before.ssthresh);
        }
    }

    /// Drops the cuts of a removed path.
    pub(super) fn remove_path(&mut self, path: PathId) {
        self.cuts.retain(|cut| cut.path != path);
        let cuts = &self.cuts;
        self.lost.retain(|_, loss| cuts.iter().any(|cut| cut.number == loss.cut));
    }

    /// Counts the verdict about a loss of the cut `number`. Returns the path of the cut.
    fn settle(&mut self, number: u64, is_spurious: bool) -> Option<PathId> {
        let cut = self.cuts.iter_mut().find(|cut| cut.number == number)?;
        cut.open = cut.open.saturating_sub(1);
        cut.spurious += usize::from(is_spurious);
        cut.is_justified |= !is_spurious;
        Some(cut.path)
    }
}

/// The maximum number of cuts; older ones are no longer taken back.
const MOST_CUTS: usize = 16;
/// The maximum number of losses without a verdict; with more, cuts count as justified.
const MOST_LOST: usize = 16_384;

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;

    const LEAST: Option<Duration> = Some(Duration::from_millis(40));

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn window(cwnd: u64) -> CutWindow {
        CutWindow { cwnd: ByteCount::new(cwnd), ssthresh: ByteCount::new(cwnd) }
    }

    /// The chunk `tsn`, sent again at 100 ms.
    fn acked(tsn: u32) -> AckedChunk {
        AckedChunk {
            tsn: Tsn::new(tsn),
            path: PathId::FIRST,
            round: 0,
            departure: 0,
            sent_at: at(100),
            weight: ByteCount::ZERO,
            payload: ByteCount::ZERO,
            is_retransmitted: true,
            was_copied: false,
            was_lost: false,
        }
    }

    /// A cut from `cwnd` for the losses of `lost`.
    pub(super) fn cut(unconfirmed: &mut UnconfirmedCuts, cwnd: u64, lost: &[u32]) {
        unconfirmed.on_cut(PathId::FIRST, window(cwnd));
        lost.iter().for_each(|&tsn| unconfirmed.on_lost(Tsn::new(tsn), PathId::FIRST, at(60)));
    }

    #[test]
    fn a_cut_is_spurious_when_all_its_chunks_had_arrived() {
        let mut unconfirmed = UnconfirmedCuts::default();
        cut(&mut unconfirmed, 10, &[1, 2, 3]);
        let never_left_again = AckedChunk { was_lost: true, ..acked(1) };
        let proof = |ms| Some(Proof { path: PathId::FIRST, round_trip: Some(Duration::from_millis(ms)) });
        assert_eq!(unconfirmed.on_acked(&never_left_again, LEAST, at(500)), proof(440));
        assert_eq!(unconfirmed.on_acked(&acked(2), LEAST, at(129)), proof(69), "sooner than any round trip");
        assert_eq!(unconfirmed.on_acked(&acked(3), LEAST, at(131)), None);
        assert_eq!(unconfirmed.take_spurious(), None, "nothing is known of the last one");
        unconfirmed.on_duplicate(Tsn::new(3));
        assert_eq!(
            unconfirmed.take_spurious(),
            Some(SpuriousCut { path: PathId::FIRST, before: window(10) })
        );
        assert!(unconfirmed.is_empty());
    }

    #[test]
    fn a_cut_with_one_loss_stays() {
        let mut unconfirmed = UnconfirmedCuts::default();
        cut(&mut unconfirmed, 10, &[1, 2]);
        unconfirmed.on_duplicate(Tsn::new(1));
        unconfirmed.on_acked(&acked(2), LEAST, at(150));
        unconfirmed.on_time(Duration::from_millis(60), at(210));
        assert!(!unconfirmed.is_empty(), "a duplicate may still be reported");
        unconfirmed.on_time(Duration::from_millis(60), at(211));
        assert_eq!((unconfirmed.take_spurious(), unconfirmed.is_empty()), (None, true));
        unconfirmed.on_duplicate(Tsn::new(2));
        assert_eq!(unconfirmed.take_spurious(), None);
    }

    #[test]
    fn what_is_lost_again_was_lost() {
        let mut unconfirmed = UnconfirmedCuts::default();
        cut(&mut unconfirmed, 10, &[1]);
        cut(&mut unconfirmed, 5, &[1]);
        unconfirmed.on_duplicate(Tsn::new(1));
        assert_eq!(unconfirmed.take_spurious(), Some(SpuriousCut { path: PathId::FIRST, before: window(5) }));
    }

    #[test]
    fn a_later_cut_counts_from_the_window_before_a_spurious_one() {
        let mut unconfirmed = UnconfirmedCuts::default();
        cut(&mut unconfirmed, 10, &[1]);
        cut(&mut unconfirmed, 5, &[2]);
        unconfirmed.on_duplicate(Tsn::new(1));
        assert_eq!(unconfirmed.take_spurious(), None);
        unconfirmed.on_duplicate(Tsn::new(2));
        assert_eq!(
            unconfirmed.take_spurious(),
            Some(SpuriousCut { path: PathId::FIRST, before: window(10) })
        );
    }

    #[test]
    fn memory_is_bounded() {
        let mut unconfirmed = UnconfirmedCuts::default();
        (0..40).for_each(|cwnd| cut(&mut unconfirmed, cwnd, &[]));
        (0..40_000).for_each(|tsn| unconfirmed.on_lost(Tsn::new(tsn), PathId::FIRST, at(60)));
        assert_eq!((unconfirmed.cuts.len(), unconfirmed.lost.len()), (MOST_CUTS, MOST_LOST));
    }
}
