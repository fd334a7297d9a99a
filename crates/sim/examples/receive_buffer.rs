//! The size that a self-tuning receive buffer reaches, and its goodput beside that of fixed ones: two paths whose
//! round-trip times are as 1 to 8, at 1 to 1,000 Mbit/s. `cargo run --release -p anabranch-sim --example
//! receive_buffer`.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use anabranch_base::Duration;
use anabranch_planner::live;
use anabranch_scenario::{NoFiles, Scenario, Source};
use anabranch_sim::{Run, Watch};

/// The buffers that are compared: as tables have them, and as a scenario.
const BUFFERS: [(&str, &str); 4] = [
    ("256 KiB", "\"256 KiB\""),
    ("1 MiB", "\"1 MiB\""),
    ("16 MiB", "\"16 MiB\""),
    ("grows", "{ initial = \"256 KiB\", limit = \"16 MiB\" }"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fixed: String = BUFFERS[..3].iter().map(|(name, _)| format!(" {name} |")).collect();
    println!(
        "Goodput in Mbit/s; in brackets the longest round trip's worth of both rates, and what the buffer grew to.\n"
    );
    println!(
        "| profile | each path | round trips | seconds |{fixed} grows | (needed | grown) |\n\
         |---|---|---|---|---|---|---|---|---|---|"
    );
    let networks = ["tuned-1", "tuned-2"]
        .map(|profile| [(10, 80), (40, 320)].map(|(short, long)| (profile, short, long)));
    for (profile, short, long) in networks.concat() {
        for rate in [1, 10, 100, 1_000] {
            // Time for slow start and some loss episodes.
            let seconds = if rate == 1_000 { 20 } else { 60 };
            let needed = 2 * rate * 1_000_000 / 8 * long / 1_000;
            print!("| {profile} | {rate} Mbit/s | {short}, {long} ms | {seconds} |");
            let mut grown = String::new();
            for (_, buffer) in BUFFERS {
                let (goodput, size) = carried(profile, rate, (short, long), seconds, buffer)?;
                print!(" {:.1} |", goodput / 1e6);
                grown = size;
            }
            println!(" {:.2} MB | {grown} |", needed as f64 / 1e6);
        }
    }
    Ok(())
}

/// The goodput in bit/s, and the receive buffer at the end.
fn carried(
    profile: &str,
    rate: u64,
    (short, long): (u64, u64),
    seconds: u64,
    buffer: &str,
) -> Result<(f64, String), Box<dyn std::error::Error>> {
    let link = |name: &str, round_trip: u64| {
        // A queue of one round trip, 20 packets at least.
        let queue = (rate * 1_000_000 / 12_000 * round_trip / 1_000).max(20);
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{} ms\"\nqueue = \"{queue} packets\"\n",
            round_trip / 2
        )
    };
    let text = format!(
        "[run]\ntime = \"{seconds} s\"\n{}{}[flow.sctp]\nprofile = \"{profile}\"\nsend_buffer = \"32 MiB\"\n\
         receive_buffer = {buffer}\n",
        link("short", short),
        link("long", long)
    );
    let scenario =
        Scenario::parse(&Source::new("receive_buffer.toml", &text), &NoFiles, &[], &live::registry())
            .map_err(|error| error.to_string())?;
    let mut run = Run::new(&scenario, 1, Watch::default())?;
    run.advance(Duration::from_secs(seconds));
    let size = run.receive_buffer(0).map_or(0.0, |size| size.get() as f64 / 1e6);
    let result = run.finish();
    let goodput = result.flows.first().map_or(0.0, |flow| flow.goodput_bps);
    Ok((goodput, format!("{size:.2} MB")))
}
