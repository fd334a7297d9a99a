//! Undoes cuts that prove spurious, with loss detection by time (RFC 3522, RFC 3708, RFC 4015): restores the window and
//! ssthresh from before the cut.

use anabranch_base::Time;

use super::Sender;
use super::unconfirmed_cuts::{Proof, SpuriousCut};
use crate::association::ground::Ground;
use crate::policy::PathId;
use crate::policy::congestion::{CutCause, CutWindow};
use crate::policy::loss_detection::SackNews;
use crate::seq::Tsn;

impl Sender {
    /// Notes the window of `path` before a cut for `cause`.
    pub(super) fn note_cut(&mut self, ground: &Ground, path: PathId, cause: CutCause) {
        if self.rules.counts_time && matches!(cause, CutCause::Missing | CutCause::Timeout) {
            let sample = ground.paths.sample(path);
            self.unconfirmed.on_cut(path, CutWindow { cwnd: sample.cwnd, ssthresh: sample.ssthresh });
        }
    }

    /// Checks for spurious losses when a SACK arrives; `duplicates` are the chunks that it reports as received twice.
    #[inline]
    pub(super) fn judge_cuts(
        &mut self,
        ground: &mut Ground,
        news: &SackNews,
        duplicates: impl Iterator<Item = Tsn>,
        now: Time,
    ) {
        if self.unconfirmed.is_empty() {
            return;
        }
        for chunk in &news.acked {
            let least = ground.paths.sample(chunk.path).min_rtt;
            if let Some(Proof { path, round_trip }) = self.unconfirmed.on_acked(chunk, least, now) {
                self.rules.detection.on_spurious(path, round_trip, now);
            }
        }
        for tsn in duplicates {
            if let Some(Proof { path, round_trip }) = self.unconfirmed.on_duplicate(tsn) {
                self.rules.detection.on_spurious(path, round_trip, now);
            }
        }
        let timeout = ground.paths.samples().iter().map(|path| path.rto).max();
        self.unconfirmed.on_time(timeout.unwrap_or_default(), now);
        while let Some(cut) = self.unconfirmed.take_spurious() {
            self.take_back(ground, cut, now);
        }
    }

    fn take_back(&mut self, ground: &mut Ground, SpuriousCut { path, before }: SpuriousCut, now: Time) {
        if ground.paths.is_removed(path) {
            return;
        }
        ground.paths.counters_mut(path).undone_cuts += 1;
        self.rules.detection.on_undone(path);
        ground.paths.change_after_loss(path, |state| state.on_cut(None));
        self.give_back(ground, path, before, now);
    }
}
