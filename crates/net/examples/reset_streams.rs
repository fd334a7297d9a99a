//! Streams that are opened, used and reset without end: each takes a request and its reply, and is then reset in both
//! directions. Prints the memory of the process, which has both ends, and fails if it grows.
//!
//! ```text
//! cargo run --release --example reset_streams -p anabranch-net -- [minutes] [streams]
//! ```
#![allow(clippy::print_stdout, reason = "programs of developers print")]

use std::error::Error;
use std::time::Duration;

use anabranch_net::base::ByteCount;
use anabranch_net::{Association, Config, Endpoint, Options, Security, SendOptions, StreamId};
use tokio::time::Instant;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<u16> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let minutes = words.first().copied().unwrap_or(60).max(1);
    let count = words.get(1).copied().unwrap_or(10_000).max(1);

    let server = Endpoint::bind(options(count, true))?;
    let client = Endpoint::bind(options(count, false))?;
    let addresses = server.local_addresses();
    let (near, far) = tokio::join!(client.connect(&addresses), server.accept());
    let (near, far) = (near?, far.ok_or("no association")?);
    let echo = tokio::spawn(echo(far.clone()));

    let (began, streams) = (Instant::now(), all(count));
    let (mut reset, mut memory) = (0_u64, Vec::new());
    for minute in 1..=minutes {
        while began.elapsed() < Duration::from_secs(60) * u32::from(minute) {
            for batch in streams.chunks(BATCH) {
                use_once(&near, &far, batch).await?;
                reset += batch.len() as u64;
            }
        }
        memory.push(resident()?);
        println!("{minute} min: {reset} streams reset, {} resident", memory[memory.len() - 1]);
    }
    near.close().await?;
    echo.await??;
    judge(&memory)
}

/// Sends a request on each of these streams, takes the replies, which must be the first messages of their streams, and
/// resets the streams in both directions.
async fn use_once(near: &Association, far: &Association, batch: &[StreamId]) -> Result<(), Box<dyn Error>> {
    for stream in batch {
        near.send(vec![stream.get() as u8; 200], SendOptions::on(*stream)).await?;
    }
    for _ in batch {
        let reply = near.recv().await?;
        if reply.ssn.get() != 0 || reply.into_bytes().len() != 200 {
            return Err("a stream did not count from zero, or a reply is wrong".into());
        }
    }
    near.reset_streams(batch).await?;
    far.reset_streams(batch).await?;
    // An hour of it leaves the machine to others.
    tokio::time::sleep(Duration::from_millis(20)).await;
    Ok(())
}

/// Answers every message with itself.
async fn echo(association: Association) -> Result<(), anabranch_net::SendError> {
    while let Ok(message) = association.recv().await {
        let stream = message.stream;
        association.send(message.into_bytes(), SendOptions::on(stream)).await?;
    }
    Ok(())
}

/// Fails if the last third of the samples needs more memory than the middle one: the first warms up.
fn judge(memory: &[ByteCount]) -> Result<(), Box<dyn Error>> {
    let third = memory.len() / 3;
    let most = |part: &[ByteCount]| part.iter().max().copied().unwrap_or_default();
    let (middle, last) = (most(&memory[third..2 * third]), most(&memory[2 * third..]));
    println!("most in the middle third {middle}, in the last {last}");
    if third > 0 && last > middle + ALLOWED {
        return Err(format!("it grows: {middle}, then {last}").into());
    }
    println!("ok: nothing grows");
    Ok(())
}

fn options(count: u16, accepts: bool) -> Options {
    let config = Config {
        stream_reconfiguration: true,
        outbound_streams: count,
        inbound_streams: count,
        most_streams: count,
        ..Config::tuned_2()
    };
    let local = vec!["127.0.0.1:0".parse().expect("an address")];
    // Both ends are this program: nothing is secret.
    Options { local, accepts, config, ..Options::with(Security::Insecure) }
}

fn all(count: u16) -> Vec<StreamId> {
    (0..count).map(StreamId::new).collect()
}

/// The resident memory of this process.
fn resident() -> Result<ByteCount, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(ByteCount::from_kib(line.trim().trim_end_matches("kB").trim().parse()?))
}

/// The streams of one request.
const BATCH: usize = 200;
/// The noise of an allocator.
const ALLOWED: ByteCount = ByteCount::from_kib(512);
