//! The cost of each choice of `tuned-2`: processor time of plain transfers on the loopback interface, both ends in
//! this process, alternating between the choices. `cargo run --release -p anabranch-net --example profile_cost --
//! [MEGABYTES] [ROUNDS]`.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use anabranch_base::ByteCount;
use anabranch_net::{Config, Endpoint, Options, Security, SendOptions};
use anabranch_sctp::config::{BurstRule, MaxBurst, SackBatch, SackSettings};
use bytes::Bytes;
use rustix::time::{ClockId, clock_gettime};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let megabytes = arguments.next().transpose()?.unwrap_or(500);
    let rounds = arguments.next().transpose()?.unwrap_or(3);
    println!("{megabytes} MB in messages of 64 KiB, both ends together\n");
    println!("| paths | | goodput | CPU | SACKs per 1000 packets |\n|---|---|---|---|---|");
    for _ in 0..rounds {
        for paths in [1, 2] {
            for (word, config) in choices() {
                let cost = transfer(config, paths, megabytes * 1_000_000).await?;
                let gigabytes = megabytes as f64 / 1_000.0;
                println!(
                    "| {paths} | {word} | {:.0} Mbit/s | {:.2} s/GB | {:.0} |",
                    gigabytes * 8_000.0 / cost.seconds,
                    cost.processor / gigabytes,
                    cost.sacks * 1_000.0
                );
            }
        }
    }
    Ok(())
}

/// The profiles, and `tuned-2` without one choice each.
fn choices() -> [(&'static str, Config); 6] {
    let mtu = ByteCount::new(1_500);
    let tuned = Config { mtu, ..Config::tuned_2() };
    let rfc =
        Config { receive_buffer: tuned.receive_buffer, send_buffer: tuned.send_buffer, ..Config::rfc9260() };
    let each = SackSettings { batch: SackBatch::Each, ..tuned.sack };
    let unpaced = MaxBurst { packets: 64, rule: BurstRule::Event };
    [
        ("rfc9260", rfc),
        ("tuned-1", Config { mtu, ..Config::tuned_1() }),
        ("tuned-2, a SACK for two packets", Config { sack: each, ..tuned.clone() }),
        ("tuned-2, not paced", Config { max_burst: unpaced, ..tuned.clone() }),
        ("tuned-2, fill", Config { scheduler: "fill".to_owned(), ..tuned.clone() }),
        ("tuned-2", tuned),
    ]
}

/// The cost of a transfer.
struct Cost {
    seconds: f64,
    /// Processor time in seconds.
    processor: f64,
    /// SACKs for each packet sent.
    sacks: f64,
}

async fn transfer(config: Config, paths: usize, bytes: u64) -> Result<Cost, Box<dyn std::error::Error>> {
    let options = |accepts| -> Result<Options, std::net::AddrParseError> {
        let local = ["127.0.0.1:0", "127.0.0.2:0"][..paths].iter().map(|address| address.parse());
        let local = local.collect::<Result<Vec<_>, _>>()?;
        Ok(Options { local, accepts, config: config.clone(), ..Options::with(Security::Insecure) })
    };
    let (server, client) = (Endpoint::bind(options(true)?)?, Endpoint::bind(options(false)?)?);
    let near = client.connect(&server.local_addresses()).await?;
    let far = server.accept().await.ok_or("no association was accepted")?;
    let (start, worked) = (clock(ClockId::Monotonic), clock(ClockId::ProcessCPUTime));
    let receiving = tokio::spawn(async move {
        let mut left = bytes;
        while left > 0 {
            let Ok(message) = far.recv().await else { break };
            left = left.saturating_sub(message.len() as u64);
        }
        left
    });
    let payload = Bytes::from(vec![0x5a; 65_536]);
    for _ in 0..bytes.div_ceil(payload.len() as u64) {
        near.send(payload.clone(), SendOptions::default()).await?;
    }
    let left = receiving.await?;
    if left > 0 {
        return Err(format!("{left} bytes did not arrive").into());
    }
    let reports = near.paths();
    let sent: u64 = reports.iter().map(|path| path.counters.sent_packets).sum();
    let answers: u64 = reports.iter().map(|path| path.counters.received_packets).sum();
    Ok(Cost {
        seconds: clock(ClockId::Monotonic) - start,
        processor: clock(ClockId::ProcessCPUTime) - worked,
        sacks: answers as f64 / sent.max(1) as f64,
    })
}

/// The time on a clock, in seconds.
fn clock(id: ClockId) -> f64 {
    let time = clock_gettime(id);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
