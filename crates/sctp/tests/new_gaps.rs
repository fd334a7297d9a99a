//! SACKs that report only new gaps, between ends that are set to it (M-IPCC-9): what they say, what they save, and what a
//! lost one costs.

use crate::pair::{End, Pair, chunks};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::{BurstRule, Config, InitialWindow, MaxBurst, SackSettings};
use anabranch_sctp::wire::Chunk;

fn all_gaps() -> Config {
    let rfc = Config::rfc9260();
    Config {
        initial_window: InitialWindow::Bytes(ByteCount::new(200_000)),
        max_burst: MaxBurst { packets: 1000, rule: BurstRule::Event },
        sack: SackSettings { every: 1, ..rfc.sack },
        missing_reports: 255,
        ..rfc
    }
}

fn new_gaps() -> Config {
    Config { sack_content: "new".into(), ..all_gaps() }
}

/// A SACK as Z sent it: its flags, and how many gap blocks it has.
type SackBlocks = (u8, usize);

/// A sends 60 chunks at once, of which every second one is lost up to the thirtieth. The SACKs that answer, as long as
/// nothing is sent again.
fn answers(mut pair: Pair) -> (Pair, Vec<SackBlocks>) {
    pair.z.reads_at_once = true;
    (1..=15).for_each(|nth| pair.lose_nth(End::A, "DATA", 2 * nth));
    pair.keep_packets();
    pair.log.clear();
    pair.send_at_once(End::A, 60, 1_000);
    pair.run_for(Duration::from_millis(200));
    let from_z = pair.log.iter().filter(|line| line.from == End::Z);
    let told = from_z.flat_map(|line| chunks(&line.bytes)).filter_map(|chunk| match chunk {
        Chunk::Sack(sack) => Some((sack.flags, sack.gap_blocks.iter().count())),
        _ => None,
    });
    let told = told.collect();
    (pair, told)
}

fn blocks(told: &[SackBlocks]) -> usize {
    told.iter().map(|(_, blocks)| blocks).sum()
}

fn arrived(pair: &mut Pair) -> usize {
    pair.run_for(Duration::from_secs(120));
    pair.z.read.len()
}

#[test]
fn only_what_changed_lately_is_reported_and_the_rest_stays_acknowledged() {
    let (mut pair, told) = answers(Pair::open(new_gaps(), 1));
    let (_, all) = answers(Pair::open(all_gaps(), 1));
    assert!(told.iter().all(|(flags, _)| *flags == 0x20), "{told:?}");
    assert_eq!(told.len(), all.len(), "the same packets arrived");
    assert!(blocks(&told) * 3 < blocks(&all), "{} blocks, of {}", blocks(&told), blocks(&all));
    // Forty-five arrived; the others are in flight still.
    assert_eq!(pair.path(End::A, 0).flight.get(), 15 * 1_016);
    assert_eq!(arrived(&mut pair), 60);
    assert_eq!(pair.at(End::A).path_counters(anabranch_sctp::policy::PathId::FIRST).retransmitted_chunks, 15);
}

#[test]
fn between_ends_of_which_one_does_not_know_it_all_gaps_are_reported() {
    for (a, z) in [(all_gaps(), new_gaps()), (new_gaps(), all_gaps())] {
        let mut pair = Pair::unequal(a, z, 1);
        pair.establish();
        let (mut pair, told) = answers(pair);
        assert!(told.iter().all(|(flags, _)| *flags == 0) && told.last().is_some_and(|told| told.1 == 15));
        assert_eq!(arrived(&mut pair), 60);
    }
}

/// The news of up to two SACKs in a row that are lost is in the next one.
#[test]
fn two_sacks_may_be_lost_without_their_news() {
    let mut pair = Pair::open(new_gaps(), 1);
    for nth in [5, 6, 11, 12, 20] {
        pair.lose_nth(End::Z, "SACK", nth);
    }
    let (mut pair, _) = answers(pair);
    assert_eq!(pair.path(End::A, 0).flight.get(), 15 * 1_016);
    assert_eq!(arrived(&mut pair), 60);
}

#[test]
fn if_all_sacks_with_a_block_are_lost_its_chunk_goes_again_and_is_reported_again() {
    let mut pair = Pair::open(new_gaps(), 1);
    (5..=14).for_each(|nth| pair.lose_nth(End::Z, "SACK", nth));
    let (mut pair, _) = answers(pair);
    assert!(pair.path(End::A, 0).flight.get() > 15 * 1_016);
    assert_eq!(arrived(&mut pair), 60);
}
