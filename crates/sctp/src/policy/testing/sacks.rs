//! Values for tests of loss detections.

use anabranch_base::{ByteCount, Time};

use crate::policy::PathId;
use crate::policy::loss_detection::{AckedChunk, Hole, LossDetection, SackFindings, SackNews};
use crate::seq::Tsn;

/// A chunk of the path with this index, in flight below what was reported, with this number of missing reports.
pub fn hole(tsn: u32, path: usize, missing_reports: u8) -> Hole {
    let path = PathId::from_index(path);
    Hole {
        tsn: Tsn::new(tsn),
        path,
        departure: u64::from(tsn),
        sent_at: Time::ZERO,
        missing_reports,
        was_fast_retransmitted: false,
        has_timed_out: false,
        was_acked: false,
        is_reneged: false,
    }
}

/// A full chunk of the path with this index that was sent once, and is acknowledged.
pub fn acked(tsn: u32, path: usize) -> AckedChunk {
    AckedChunk {
        tsn: Tsn::new(tsn),
        path: PathId::from_index(path),
        round: 0,
        departure: u64::from(tsn),
        sent_at: Time::ZERO,
        weight: ByteCount::new(1468),
        payload: ByteCount::new(1452),
        is_retransmitted: false,
        was_copied: false,
        was_lost: false,
    }
}

/// A SACK with these numbers, chunks that it acknowledges and chunks that are missing.
pub fn news(cumulative: u32, highest: u32, acked: Vec<AckedChunk>, holes: Vec<Hole>) -> SackNews {
    let (cumulative, highest_reported) = (Tsn::new(cumulative), Tsn::new(highest));
    SackNews { cumulative, highest_reported, acked, holes, ..SackNews::default() }
}

/// The findings of a loss detection in a SACK, for two paths.
pub fn sacked(order: &mut impl LossDetection, news: &mut SackNews) -> SackFindings {
    let mut progress = SackFindings { advanced: vec![false; 2], missing: Vec::new() };
    order.on_sack(news, &mut progress);
    progress
}

/// The number of reports of each missing chunk.
pub fn counts(news: &SackNews) -> Vec<u8> {
    news.holes.iter().map(|hole| hole.missing_reports).collect()
}
