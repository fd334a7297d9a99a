//! What reading SACKs by path sequence numbers costs.

use anabranch_base::ByteCount;
use anabranch_policies::{ipcc, registry};
use anabranch_sctp::config::{BurstRule, Config, InitialWindow, MaxBurst};
use anabranch_sctp::wire::{GapBlock, Sack};

use crate::pair::{End, Pair};

/// How many chunks are in flight, each in a packet of its own.
const CHUNKS: u16 = 1_000;

/// Two ends, of which A has chunks in flight that have not arrived.
fn sending_by(rules: Config) -> Pair {
    let room = ByteCount::from_mib(4);
    let config = Config {
        initial_window: InitialWindow::Bytes(room),
        max_burst: MaxBurst { packets: 10_000, rule: BurstRule::Event },
        send_buffer: room,
        receive_buffer: room,
        ..rules
    };
    let mut pair = Pair::open_with(&registry(), &config, 1);
    pair.pipes[0].drop_next = [u32::MAX; 2];
    pair.send_at_once(End::A, usize::from(CHUNKS), 1_000);
    assert_eq!(pair.log.len(), usize::from(CHUNKS), "all are in flight");
    pair
}

/// A SACK of A's chunks: none cumulatively, and in these gap blocks.
fn sack<'a>(pair: &mut Pair, gaps: &'a [GapBlock]) -> Sack<'a> {
    let (_, cumulative_tsn_ack) = pair.at(End::A).ack_points().expect("it is open");
    Sack {
        cumulative_tsn_ack,
        a_rwnd: 4 << 20,
        flags: 0,
        gap_blocks: gaps.into(),
        duplicates: [].as_slice().into(),
    }
}

/// The records of the path are read for each SACK with news, and those of chunks that arrived once.
#[test]
fn path_sequence_numbers_cost_little_more_than_tsns() {
    let work = |rules| {
        let mut pair = sending_by(rules);
        for end in 2..CHUNKS {
            let gaps = [GapBlock { start: 2, end }];
            let sack = sack(&mut pair, &gaps);
            pair.forge(End::A, &[&sack]);
        }
        pair.at(End::A).sack_counters().examined
    };
    let mut numbered = Config::rfc9260();
    ipcc::choose(&mut numbered);
    let [by_tsn, by_number] = [Config::rfc9260(), numbered].map(work);
    let beyond = by_number - by_tsn;
    assert!((1..=3 * u64::from(CHUNKS)).contains(&beyond), "{by_number} beside {by_tsn}");
}
