//! The cost of sealing: processor time of a transfer on the loopback interface, both ends in this process, sealed and
//! plain alternately. `cargo run --release -p anabranch-net --example sealed_cost -- [MEGABYTES] [ROUNDS]`.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use anabranch_base::ByteCount;
use anabranch_net::{Config, Endpoint, Key, Options, Security, SendOptions};
use bytes::Bytes;
use rustix::time::{ClockId, clock_gettime};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let megabytes = arguments.next().transpose()?.unwrap_or(500);
    let rounds = arguments.next().transpose()?.unwrap_or(3);
    println!("{megabytes} MB, both ends together\n");
    println!("| messages | | goodput | CPU |\n|---|---|---|---|");
    for _ in 0..rounds {
        for message in [1_400, 65_536] {
            for security in [Security::Insecure, Security::Sealed(Key::fresh()?)] {
                let word = if matches!(security, Security::Insecure) { "plain" } else { "sealed" };
                let (seconds, processor) = transfer(security, megabytes * 1_000_000, message).await?;
                let gigabytes = megabytes as f64 / 1_000.0;
                println!(
                    "| {message} B | {word} | {:.0} Mbit/s | {:.2} s/GB |",
                    gigabytes * 8_000.0 / seconds,
                    processor / gigabytes
                );
            }
        }
    }
    Ok(())
}

/// The elapsed seconds of a transfer, and its processor time in seconds.
async fn transfer(
    security: Security,
    bytes: u64,
    message: usize,
) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let config = Config {
        receive_buffer: ByteCount::from_mib(4),
        send_buffer: ByteCount::from_mib(8),
        mtu: ByteCount::new(1_500),
        ..Config::rfc9260()
    };
    let options = |accepts| -> Result<Options, std::net::AddrParseError> {
        let local = vec!["127.0.0.1:0".parse()?];
        Ok(Options { local, accepts, config: config.clone(), ..Options::with(security.clone()) })
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
    let payload = Bytes::from(vec![0x5a; message]);
    for _ in 0..bytes.div_ceil(message as u64) {
        near.send(payload.clone(), SendOptions::default()).await?;
    }
    let left = receiving.await?;
    if left > 0 {
        return Err(format!("{left} bytes did not arrive").into());
    }
    Ok((clock(ClockId::Monotonic) - start, clock(ClockId::ProcessCPUTime) - worked))
}

/// The time on a clock, in seconds.
fn clock(id: ClockId) -> f64 {
    let time = clock_gettime(id);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
