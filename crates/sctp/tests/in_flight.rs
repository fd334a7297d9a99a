//! Many chunks in flight of which none arrives, and SACKs of them: what reading SACKs costs is counted there.

use anabranch_base::ByteCount;
use anabranch_sctp::config::{BurstRule, Config, InitialWindow, MaxBurst};
use anabranch_sctp::policy::Registry;
use anabranch_sctp::wire::{GapBlock, Sack};

use crate::pair::{End, Pair};

/// The number of chunks that are in flight, each in a packet of its own.
pub(crate) const CHUNKS: u16 = 1_000;

/// Two ends with the rules of `config`, of which A has chunks in flight that have not arrived.
pub(crate) fn sending(registry: &Registry, config: Config) -> Pair {
    let room = ByteCount::from_mib(4);
    let config = Config {
        initial_window: InitialWindow::Bytes(room),
        max_burst: MaxBurst { packets: 10_000, rule: BurstRule::Event },
        send_buffer: room,
        receive_buffer: room,
        ..config
    };
    let mut pair = Pair::open_with(registry, &config, 1);
    pair.pipes[0].drop_next = [u32::MAX; 2];
    pair.send_at_once(End::A, usize::from(CHUNKS), 1_000);
    assert_eq!(pair.log.len(), usize::from(CHUNKS), "all are in flight");
    pair
}

/// A SACK of A's chunks: none cumulatively, and in these gap blocks.
pub(crate) fn sack<'a>(pair: &mut Pair, gaps: &'a [GapBlock]) -> Sack<'a> {
    let (_, cumulative_tsn_ack) = pair.at(End::A).ack_points().expect("it is open");
    Sack {
        cumulative_tsn_ack,
        a_rwnd: 4 << 20,
        flags: 0,
        gap_blocks: gaps.into(),
        duplicates: [].as_slice().into(),
    }
}

/// Returns the number of entries that A examined to read its SACKs.
pub(crate) fn examined(pair: &mut Pair) -> u64 {
    pair.at(End::A).sack_counters().examined
}
