//! Loss detection: interprets a SACK for each path: which paths advanced, which chunks are missing, which paths left
//! fast recovery. The chunks stay in the send buffer; a rule sees them as plain values.

pub mod association;
pub mod cmt;
pub mod departure;
pub(super) mod increment;
pub(crate) mod rack;
mod reordering;

use std::fmt::Debug;

use anabranch_base::{ByteCount, Duration, Time};

use super::PathId;
use super::retransmission::LostBy;
use crate::seq::Tsn;

/// A chunk that a SACK acknowledges for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckedChunk {
    /// The TSN.
    pub tsn: Tsn,
    /// The path on which it was sent last.
    pub path: PathId,
    /// The round of that path's window in which it was sent last.
    pub round: u64,
    /// The number of the packet in which it was sent last, among the packets of the association.
    pub departure: u64,
    /// When it was sent last.
    pub sent_at: Time,
    /// The weight against the window.
    pub weight: ByteCount,
    /// The user data.
    pub payload: ByteCount,
    /// True if it was ever sent again: it is unknown which transmission is acknowledged.
    pub is_retransmitted: bool,
    /// True if it was ever in flight on several paths at once: it is unknown which path delivered it.
    pub was_copied: bool,
    /// True if it counted as lost, and was not sent again yet.
    pub was_lost: bool,
}

/// A chunk that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepartedChunk {
    /// The TSN.
    pub tsn: Tsn,
    /// The path on which it left.
    pub path: PathId,
    /// The number of its packet, among the packets of the association.
    pub departure: u64,
    /// The path on which it left last before, and the number of that packet; `None` if it left for the first time.
    pub before: Option<(PathId, u64)>,
}

/// An outstanding chunk below a chunk that was reported as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The TSN.
    pub tsn: Tsn,
    /// The path on which it was sent last.
    pub path: PathId,
    /// The number of the packet in which it was sent last.
    pub departure: u64,
    /// When it was sent last.
    pub sent_at: Time,
    /// The number of times it was reported missing.
    pub missing_reports: u8,
    /// It was fast-retransmitted already: only the T3-rtx timer may mark it again.
    pub was_fast_retransmitted: bool,
    /// The T3-rtx timer marked it once: it is unknown which transmission an acknowledgement answers.
    pub has_timed_out: bool,
    /// It was acknowledged once, and that was taken back; an overtaken SACK on another return path looks the same.
    pub was_acked: bool,
    /// This SACK takes back an earlier gap acknowledgement of it (RFC 9260 §6.2.1).
    pub is_reneged: bool,
}

/// The effect of a SACK on one path's flight (M-CMT-3, M-CMT-7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathNews {
    /// The weight that left the flight because it was acknowledged, for the first time or again.
    pub left: ByteCount,
    /// The weight that returned to the flight because its acknowledgement was taken back.
    pub returned: ByteCount,
    /// The lowest TSN on the path that was sent once was acknowledged.
    pub sent_once: bool,
    /// The lowest TSN on the path that was sent more than once was acknowledged.
    pub sent_again: bool,
    /// The lowest outstanding TSN on the path was acknowledged, sent once or more often.
    pub lowest: bool,
    /// A chunk that waits to be sent again was acknowledged cumulatively, and was not acknowledged before.
    pub marked: bool,
}

/// The round trips of one path when a SACK arrived; `None` before the first measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundTrips {
    /// The least.
    pub least: Option<Duration>,
    /// The smoothed one.
    pub smoothed: Option<Duration>,
}

/// The content of a SACK, chunk by chunk.
#[derive(Clone, Debug, Default)]
pub struct SackNews {
    /// When it arrived.
    pub at: Time,
    /// The cumulative TSN ack point.
    pub cumulative: Tsn,
    /// True if that point moved.
    pub has_advanced: bool,
    /// The highest TSN that the SACK reports as received.
    pub highest_reported: Tsn,
    /// The number of packets with DATA that the SACK answers, if it carries one (M-CMT-4); else 0.
    pub packets: u8,
    /// The number of the last packet that was sent, when the SACK arrived.
    pub departed: u64,
    /// The cost of reading the SACK: the gap blocks of this SACK and the one before, and the chunks that were
    /// examined.
    pub examined: usize,
    /// The number of its gap blocks.
    pub blocks: usize,
    /// The chunks acknowledged for the first time, ascending.
    pub acked: Vec<AckedChunk>,
    /// The chunks acknowledged again after their acknowledgement was taken back, ascending.
    pub acked_again: Vec<Tsn>,
    /// The chunks in flight below the highest reported one, if a chunk is acknowledged for the first time, and the
    /// chunks that were reported before and are no longer; ascending. If [the order of
    /// departures](departure::DepartureDetection) counts: the chunks in flight that left on their path before a chunk
    /// that is acknowledged for the first time, and that was sent only once.
    pub holes: Vec<Hole>,
    /// For each path, by index, the effect of the SACK on its flight.
    pub paths: Vec<PathNews>,
    /// For each path, by index, its round trips, if the rule [counts time](LossDetection::counts_time).
    pub round_trips: Vec<RoundTrips>,
}

impl SackNews {
    /// Returns true if the SACK may omit chunks above its last gap block although they have arrived: there is room for
    /// this many blocks only, and the receiver reports the lowest ones. The smallest IPv4 packet that every host
    /// accepts, 576 bytes, has room for about twice as many.
    pub fn may_be_cut_short(&self) -> bool {
        self.blocks >= 64
    }
}

/// The conclusions from a SACK for the paths.
#[derive(Clone, Debug, Default)]
pub struct SackFindings {
    /// For each path, by index, true if its point of in-order delivery moved.
    pub advanced: Vec<bool>,
    /// The chunks whose missing reports reached the threshold, ascending.
    pub missing: Vec<(Tsn, PathId)>,
}

impl SackFindings {
    /// This value, emptied and resized for `paths` paths.
    #[inline]
    pub(crate) fn cleared(&mut self, paths: usize) -> &mut SackFindings {
        self.advanced.clear();
        self.advanced.resize(paths, false);
        self.missing.clear();
        self
    }
}

impl Hole {
    /// Counts `times` more missing reports of the chunk.
    fn report(&mut self, times: u8) {
        self.missing_reports = self.missing_reports.saturating_add(times);
    }
}

/// A rule for reading SACKs path by path.
pub trait LossDetection: Debug + Send {
    /// A chunk left.
    fn on_sent(&mut self, _chunk: &DepartedChunk) {}

    /// The chunk `tsn`, last sent on `from`, is sent again on `to`; [`on_sent`](LossDetection::on_sent) follows.
    /// Returns true if it was before everything in flight on `from`, so that its timer runs for another chunk now;
    /// `None` if the order of TSNs decides.
    /// order of TSNs says so.
    fn on_moved(&mut self, _tsn: Tsn, _from: PathId, _to: PathId) -> Option<bool> {
        None
    }

    /// The chunk `tsn` left the flight of `path` without an acknowledgement, for the reason `by`.
    fn on_marked(&mut self, _tsn: Tsn, _path: PathId, _by: LostBy) {}

    /// Returns true if the chunk `tsn`, which was sent on `path` again, is the first in flight there; `None` if the
    /// order of TSNs decides.
    fn is_first_outstanding(&self, _path: PathId, _tsn: Tsn) -> Option<bool> {
        None
    }

    /// A SACK arrived. Counts missing reports in `news.holes` and writes the conclusions into `progress`, which the
    /// caller has cleared.
    fn on_sack(&mut self, news: &mut SackNews, progress: &mut SackFindings);

    /// Returns true if chunks are also lost because time passed. Then the rule receives round trips, and gives the time
    /// at which a chunk [is due](LossDetection::due). The value is constant.
    fn counts_time(&self) -> bool {
        false
    }

    /// When the next chunk of `path` is lost if no SACK arrives before.
    fn due(&self, _path: PathId) -> Option<Time> {
        None
    }

    /// A chunk is [due](LossDetection::due). `news` acknowledges nothing; its holes are all chunks that were overtaken on
    /// their path. Writes the lost ones into `progress`, as [`on_sack`](LossDetection::on_sack) does.
    fn on_due(&mut self, _news: &mut SackNews, _progress: &mut SackFindings) {}

    /// A loss on `path` proved spurious: the chunk had arrived, after this `round_trip`, if it is known.
    fn on_spurious(&mut self, _path: PathId, _round_trip: Option<Duration>, _now: Time) {}

    /// The cut of the window of `path` was taken back: its recovery ends.
    fn on_undone(&mut self, _path: PathId) {}

    /// `path` was removed.
    fn remove_path(&mut self, _path: PathId) {}

    /// Returns true if a path advances by its own chunks alone. Then windows grow only by SACKs that advance their
    /// path, in every profile (M-SCTP-4). The value is constant.
    fn advances_by_path(&self) -> bool {
        false
    }

    /// The T3-rtx timer of `path` expired.
    fn on_timeout(&mut self, path: PathId);

    /// The window of `path` was cut because of a loss. `highest` is the highest TSN outstanding on the path, or on
    /// any path if [all paths recover together](LossDetection::recovers_by_path).
    fn enter_recovery(&mut self, path: PathId, highest: Tsn);

    /// Returns true if each path recovers by itself; otherwise all paths recover together.
    fn recovers_by_path(&self) -> bool {
        false
    }

    /// `lowest` is the lowest chunk on `path` that is not acknowledged yet. Called after each SACK for paths in
    /// recovery, if [each path recovers by itself](LossDetection::recovers_by_path).
    fn on_lowest_unacked(&mut self, _path: PathId, _lowest: Option<Tsn>) {}

    /// Returns true if `path` is in fast recovery.
    fn is_in_recovery(&self, path: PathId) -> bool;

    /// Returns true if a window below its threshold grows in fast recovery too. Otherwise a path that recovers after a
    /// time-out, with a window of one packet, repairs one packet in a round trip, regardless of the number lost.
    fn slow_start_goes_on(&self) -> bool {
        false
    }

    /// Returns true if the window of `path` was already cut for the loss of the chunk `lost`, so that it is not cut again.
    fn is_cut_for(&self, path: PathId, _lost: Tsn) -> bool {
        self.is_in_recovery(path)
    }
}
