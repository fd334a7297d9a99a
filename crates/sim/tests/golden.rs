//! Goodput over a grid of networks, kept as a table: a change of behaviour is a readable diff. The table does not say
//! what is right.
//!
//! After an intended change: `INSTA_UPDATE=always cargo test -p anabranch-sim --test golden`, and the commit says why.

mod worlds;

use std::fmt::Write;

use rayon::prelude::*;
use worlds::{only, run, scenario};

const LOSSES: [f64; 8] = [0.0, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.06, 0.1];
const BUFFERS_KIB: [u64; 6] = [16, 32, 64, 128, 256, 1024];
const RTT_RATIOS: [u64; 4] = [1, 2, 4, 8];

/// Mbit/s of two paths of 10 Mbit/s each: the first with 20 ms each way, the second with `ratio` times that.
fn goodput(loss: f64, buffer_kib: u64, ratio: u64) -> f64 {
    let second = 20 * ratio;
    let text = format!(
        r#"
        [run]
        time = "20 s"
        warmup = "2 s"
        [[link]]
        name = "a"
        rate = "10 Mbit/s"
        delay = "20 ms"
        loss = {loss:?}
        [[link]]
        name = "b"
        rate = "10 Mbit/s"
        delay = "{second} ms"
        loss = {loss:?}
        [flow.sctp]
        receive_buffer = "{buffer_kib} KiB"
        "#
    );
    only(&run(&scenario(&text), 1)).goodput_bps / 1e6
}

#[test]
fn goodput_by_loss_buffer_and_ratio_of_round_trips() {
    let cells: Vec<(u64, f64, u64)> = RTT_RATIOS
        .iter()
        .flat_map(|ratio| {
            LOSSES.iter().flat_map(move |loss| BUFFERS_KIB.map(|buffer| (*ratio, *loss, buffer)))
        })
        .collect();
    let goodputs: Vec<f64> =
        cells.par_iter().map(|(ratio, loss, buffer)| goodput(*loss, *buffer, *ratio)).collect();
    let mut goodputs = goodputs.iter();
    let mut table =
        String::from("goodput in Mbit/s of 10 + 10 Mbit/s, 40 ms and 40 ms x ratio round trip, seed 1\n");
    for ratio in RTT_RATIOS {
        let _ = writeln!(
            table,
            "\nRTT ratio {ratio}\n{:>8}{}",
            "loss",
            BUFFERS_KIB.map(|kib| format!("{kib:>5} KiB")).concat()
        );
        for loss in LOSSES {
            let row: String = BUFFERS_KIB
                .iter()
                .filter_map(|_| goodputs.next())
                .map(|mbps| format!("{mbps:>9.3}"))
                .collect();
            let _ = writeln!(table, "{loss:>8}{row}");
        }
    }
    insta::assert_snapshot!(table);
}
