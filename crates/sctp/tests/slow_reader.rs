//! An application that does not read for a long time: the window closes, and the association lives on
//! (RFC 9260 §6.1 A).

use crate::pair::{End, Faults, Pair};
use anabranch_base::Duration;
use anabranch_sctp::config::Config;
use bytes::Bytes;

/// Sends messages until the send buffer is full; how many.
fn fill(pair: &mut Pair, length: usize) -> usize {
    let payload = Bytes::from(vec![7; length]);
    (0..10_000).take_while(|_| pair.try_send(End::A, 0, false, payload.clone()).is_ok()).count()
}

#[test]
fn a_reader_that_pauses_for_an_hour_does_not_end_the_association() {
    for seed in 0..60 {
        let mut pair = Pair::open(Config::rfc9260(), 2);
        pair.seed(seed);
        // Packets overtake one another and some are lost: chunks are missing when the window closes.
        pair.pipes[1].delay = Duration::from_millis(10 + seed % 7);
        pair.faults = Faults { jitter: Duration::from_millis(seed % 5), loss: 10, ..Faults::default() };
        let length = [50_004, 1_424, 1_000][seed as usize % 3];
        let mut sent = 0;
        for _ in 0..200 {
            sent += fill(&mut pair, length);
            pair.run_for(Duration::from_millis(20));
        }
        pair.run_for(Duration::from_secs(3600));
        assert_eq!(pair.closed(End::A), None, "seed {seed}");
        let mut received = 0;
        pair.run_until(Duration::from_secs(600), |pair| {
            received += pair.receive(End::Z).len();
            received == sent
        });
        assert_eq!(received, sent, "seed {seed}");
    }
}

#[test]
fn probing_a_window_that_is_all_but_closed_costs_no_congestion_window() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    for _ in 0..200 {
        // 1 MiB is not a multiple of it: what is left of the window is too small for a chunk, but not zero.
        fill(&mut pair, 1_424);
        pair.run_for(Duration::from_millis(20));
    }
    pair.run_for(Duration::from_secs(600));
    let path = pair.at(End::A).paths()[0].clone();
    assert!(pair.at(End::A).path_counters(path.id).timeouts > 3, "it was probed");
    assert!(path.cwnd > path.unit * 100, "it grew to {} and stayed", path.cwnd);
}
