//! A send buffer that is too small for two unlike paths, and what acknowledgements for good gain
//! (draft-natarajan-tsvwg-sctp-nrsack): what arrived by the fast path need not wait there for the slow one.

use crate::worlds::{only, run, scenario};
use anabranch_sim::Summary;

/// The mean goodput in Mbit/s of three runs over 10 Mbit/s with 20 ms beside 10 Mbit/s with 100 ms, with 0.1 ms of jitter,
/// a send buffer of `kib` KiB and a receive buffer of 2 MiB, which is never full.
fn goodput(kib: u32, nr_sack: bool, loss: f64) -> f64 {
    let text = format!(
        r#"
        [run]
        time = "30 s"
        warmup = "10 s"
        [[link]]
        name = "fast"
        rate = "10 Mbit/s"
        delay = "20 ms"
        jitter = "0.1 ms"
        queue = "50 packets"
        loss = {loss}
        [[link]]
        name = "slow"
        rate = "10 Mbit/s"
        delay = "100 ms"
        jitter = "0.1 ms"
        queue = "50 packets"
        loss = {loss}
        [flow.sctp]
        multipath = "cmt"
        send_buffer = "{kib} KiB"
        receive_buffer = "2 MiB"
        nr_sack = {nr_sack}
        "#
    );
    let scenario = scenario(&text);
    let runs = (1..=3).map(|seed| only(&run(&scenario, seed)).goodput_bps / 1e6);
    runs.collect::<Summary>().estimate().expect("there were runs").mean
}

/// `cargo test -p anabranch-sim --test networks nr_sack -- --nocapture` prints the table of docs/nr-sack.md.
///
/// With SACKs, most of the buffer holds what arrived by the fast path: half as much again is asked of NR-SACKs. With one
/// packet in two hundred lost, the windows limit the larger buffers, so that only the smallest must gain as much.
#[test]
fn a_small_send_buffer_carries_more_when_acknowledgements_are_for_good() {
    println!("| loss | send buffer | SACK | NR-SACK |\n|---:|---:|---:|---:|");
    for (loss, kib, least) in
        [(0.0, 64, 1.5), (0.0, 128, 1.5), (0.0, 256, 1.5), (0.005, 64, 1.5), (0.005, 128, 1.0)]
    {
        let [without, with] = [false, true].map(|nr_sack| goodput(kib, nr_sack, loss));
        println!("| {loss} | {kib} KiB | {without:.2} | {with:.2} |");
        assert!(with > without * least, "{with} with NR-SACKs, {without} without, {kib} KiB, {loss}");
    }
}
