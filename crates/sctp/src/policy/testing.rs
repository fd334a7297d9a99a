//! Values for tests of single policies, here and in other crates.

pub mod sacks;

use anabranch_base::{ByteCount, Duration, Time};

use super::congestion::Acked;
use super::congestion::coupled::Member;
use super::schedule::{Index, QueueView, WaitingChunk, WaitingChunks};
use super::{Hints, PathId, PathSample, PathState, View};
use crate::seq::Tsn;

/// A path with room: cwnd 4 units of 1,500 B, nothing in flight.
pub fn sample(index: usize) -> PathSample {
    let unit = ByteCount::new(1500);
    PathSample {
        id: PathId::from_index(index),
        state: PathState::Active,
        mtu: unit,
        packet_limit: ByteCount::new(1480),
        unit,
        cwnd: unit * 4,
        ssthresh: unit * 64,
        flight: ByteCount::ZERO,
        is_strict: false,
        blocked_by: None,
        is_paced: false,
        cut_open: false,
        ecn_open: false,
        loss_open: false,
        has_used_share: false,
        srtt: None,
        min_rtt: None,
        rttvar: Duration::ZERO,
        rto: Duration::from_secs(1),
        recovery_rto: Duration::from_secs(1),
        bandwidth: None,
        one_way: None,
        delivery: None,
        drain_to: None,
        loss_rate: 0.0,
        hints: Hints::default(),
    }
}

/// A view of `paths`, with enough room at the peer.
pub fn view(paths: &[PathSample]) -> View<'_> {
    let plenty = ByteCount::from_mib(1);
    View {
        now: Time::ZERO,
        paths,
        primary: PathId::FIRST,
        last_resort: PathId::FIRST,
        peer_window: plenty,
        receive_buffer: plenty,
        queued: plenty,
    }
}

/// Nine chunks that each fill a packet of 1,480 bytes.
pub const QUEUE: QueueView<'static> = QueueView {
    chunks: 9,
    first_tsn: Tsn::new(1),
    oldest: ByteCount::new(1480),
    widest: ByteCount::new(1480),
    waiting: &NineChunks,
};

#[derive(Debug)]
struct NineChunks;

impl WaitingChunks for NineChunks {
    fn chunk(&self, Index(index): Index) -> Option<WaitingChunk> {
        let tsn = Tsn::new(1).plus(u32::try_from(index).ok().filter(|index| *index < 9)?);
        Some(WaitingChunk { tsn, packet: ByteCount::new(1480) })
    }

    fn index_of(&self, tsn: Tsn) -> Option<Index> {
        (0..9).map(Index).find(|&index| self.chunk(index).is_some_and(|chunk| chunk.tsn == tsn))
    }
}

/// A SACK for `bytes` of a fully used window, outside fast recovery.
pub fn acked_bytes(bytes: u64) -> Acked {
    Acked {
        at: Time::ZERO,
        bytes: ByteCount::new(bytes),
        advanced: true,
        may_grow: true,
        flight_before: ByteCount::new(6000),
        is_fully_used: true,
        emptied: false,
        in_recovery: false,
        ends_round: false,
        newest: None,
        rtt: None,
        delay: None,
    }
}

/// Paths that grow together, with these windows and round-trip times.
pub fn members<const N: usize>(windows: [f64; N], srtts: [f64; N]) -> [Member; N] {
    std::array::from_fn(|i| Member { window: windows[i], srtt: srtts[i], progress: 0.0, bandwidth: None })
}
