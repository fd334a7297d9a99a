//! Loss detection: what a SACK means for each path. Which advanced, which chunks are missing, which left fast recovery.
//! The chunks stay with the send buffer; a rule sees them as plain values.

pub mod association;
pub mod cmt;
mod increment;

use std::fmt::Debug;

use anabranch_base::ByteCount;

use super::PathId;
use crate::seq::Tsn;

/// A chunk that a SACK acknowledges for the first time in the chunk's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckedChunk {
    /// Its TSN.
    pub tsn: Tsn,
    /// Where it was sent last.
    pub path: PathId,
    /// The round of that path's window in which it was sent last.
    pub round: u64,
    /// What it weighs against the window.
    pub weight: ByteCount,
    /// Its user data.
    pub payload: ByteCount,
    /// Whether it was ever sent again, so that it is not known which copy is acknowledged.
    pub is_retransmitted: bool,
    /// Whether it was ever in flight on several paths at once, so that it is not known which of them delivered it.
    pub was_copied: bool,
}

/// An outstanding chunk below something that was reported as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Its TSN.
    pub tsn: Tsn,
    /// Where it was sent last.
    pub path: PathId,
    /// How often it was reported missing.
    pub missing_reports: u8,
    /// It was fast-retransmitted already, so that only the T3-rtx timer may mark it again.
    pub is_spent: bool,
    /// The T3-rtx timer marked it once, so that it is not known which copy an acknowledgement means.
    pub has_timed_out: bool,
    /// This SACK took back an earlier gap acknowledgement of it (RFC 9260 §6.2.1).
    pub is_reneged: bool,
}

/// What a SACK means for one path's flight (M-CMT-3, M-CMT-7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathNews {
    /// The weight that left the flight because it was acknowledged, for the first time or again.
    pub left: ByteCount,
    /// The weight that came back because its acknowledgement was taken back.
    pub returned: ByteCount,
    /// The lowest TSN on the path that was sent once was acknowledged.
    pub sent_once: bool,
    /// The lowest TSN on the path that was sent more than once was acknowledged.
    pub sent_again: bool,
    /// The lower of the two was acknowledged.
    pub lowest: bool,
    /// A chunk that waits to be sent again was acknowledged cumulatively, and never before.
    pub marked: bool,
}

/// What a SACK says, chunk by chunk.
#[derive(Clone, Debug, Default)]
pub struct SackNews {
    /// The cumulative TSN ack point.
    pub cumulative: Tsn,
    /// Whether it moved.
    pub has_advanced: bool,
    /// The highest TSN it reports as received.
    pub highest_reported: Tsn,
    /// How many packets with DATA it answers, where its sender says so (M-CMT-4); 0 where it does not.
    pub packets: u8,
    /// What it cost to read: gap blocks, of this SACK and the one before, and chunks that were looked at.
    pub examined: usize,
    /// The chunks acknowledged for the first time, ascending.
    pub acked: Vec<AckedChunk>,
    /// The chunks in flight below the highest reported one, where something is acknowledged for the first time, and
    /// those that were reported before and are no longer; ascending.
    pub holes: Vec<Hole>,
    /// For each path, by index, what became of its flight.
    pub paths: Vec<PathNews>,
}

/// What follows for the paths.
#[derive(Clone, Debug, Default)]
pub struct SackFindings {
    /// For each path, by index, whether its point of in-order delivery moved.
    pub advanced: Vec<bool>,
    /// The chunks that reached the number of missing reports, ascending.
    pub missing: Vec<(Tsn, PathId)>,
}

impl SackFindings {
    /// This value, emptied and made wide enough for `paths` paths.
    pub fn cleared(&mut self, paths: usize) -> &mut SackFindings {
        self.advanced.clear();
        self.advanced.resize(paths, false);
        self.missing.clear();
        self
    }
}

impl Hole {
    /// The chunk was reported missing `times` times more.
    fn report(&mut self, times: u8) {
        self.missing_reports = self.missing_reports.saturating_add(times);
    }
}

/// A rule for reading SACKs path by path.
pub trait LossDetection: Debug + Send {
    /// A chunk left on `path`; `retransmission` if it had left before.
    fn on_sent(&mut self, _tsn: Tsn, _path: PathId, _retransmission: bool) {}

    /// A chunk last sent on `from` is sent again on `to`.
    fn on_moved(&mut self, _tsn: Tsn, _from: PathId, _to: PathId) {}

    /// A SACK arrived. Counts missing reports in `news.holes` and says in `progress`, which comes cleared,
    /// what follows.
    fn on_sack(&mut self, news: &mut SackNews, progress: &mut SackFindings);

    /// A path was given up.
    fn remove_path(&mut self, _path: PathId) {}

    /// The T3-rtx timer of `path` expired.
    fn on_timeout(&mut self, path: PathId);

    /// A loss on `path` was answered by a cut; `highest` is the highest TSN outstanding there, or anywhere
    /// if [recovery is the association's](LossDetection::recovers_by_path).
    fn enter_recovery(&mut self, path: PathId, highest: Tsn);

    /// Whether each path recovers by itself, or the association as one.
    fn recovers_by_path(&self) -> bool {
        false
    }

    /// This is the lowest chunk that is still to be acknowledged on `path`. Asked after each SACK for paths in
    /// recovery, where [each recovers by itself](LossDetection::recovers_by_path).
    fn on_lowest_unacked(&mut self, _path: PathId, _lowest: Option<Tsn>) {}

    /// Whether `path` is in fast recovery.
    fn is_in_recovery(&self, path: PathId) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn hole(tsn: u32, path: usize, missing_reports: u8) -> Hole {
        let path = PathId::from_index(path);
        Hole {
            tsn: Tsn::new(tsn),
            path,
            missing_reports,
            is_spent: false,
            has_timed_out: false,
            is_reneged: false,
        }
    }

    pub(super) fn acked(tsn: u32, path: usize) -> AckedChunk {
        AckedChunk {
            tsn: Tsn::new(tsn),
            path: PathId::from_index(path),
            round: 0,
            weight: ByteCount::new(1468),
            payload: ByteCount::new(1452),
            is_retransmitted: false,
            was_copied: false,
        }
    }

    pub(super) fn news(cumulative: u32, highest: u32, acked: Vec<AckedChunk>, holes: Vec<Hole>) -> SackNews {
        let (cumulative, highest_reported) = (Tsn::new(cumulative), Tsn::new(highest));
        SackNews { cumulative, highest_reported, acked, holes, ..SackNews::default() }
    }

    pub(super) fn sacked(order: &mut impl LossDetection, news: &mut SackNews) -> SackFindings {
        let mut progress = SackFindings { advanced: vec![false; 2], missing: Vec::new() };
        order.on_sack(news, &mut progress);
        progress
    }

    pub(super) fn counts(news: &SackNews) -> Vec<u8> {
        news.holes.iter().map(|hole| hole.missing_reports).collect()
    }
}
