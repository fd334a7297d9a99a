//! The cost of reading SACKs by path sequence numbers.

use anabranch_policies::{ipcc, registry};
use anabranch_sctp::config::Config;
use anabranch_sctp::wire::GapBlock;

use crate::in_flight::{CHUNKS, examined, sack, sending};
use crate::pair::End;

/// The records of the path are read for each SACK with news, and those of chunks that arrived once.
#[test]
fn path_sequence_numbers_cost_little_more_than_tsns() {
    let work = |rules| {
        let mut pair = sending(&registry(), rules);
        for end in 2..CHUNKS {
            let gaps = [GapBlock { start: 2, end }];
            let sack = sack(&mut pair, &gaps);
            pair.forge(End::A, &[&sack]);
        }
        examined(&mut pair)
    };
    let mut numbered = Config::rfc9260();
    ipcc::choose(&mut numbered);
    let [by_tsn, by_number] = [Config::rfc9260(), numbered].map(work);
    let beyond = by_number - by_tsn;
    assert!((1..=3 * u64::from(CHUNKS)).contains(&beyond), "{by_number} beside {by_tsn}");
}
