//! Streams at full speed over loopback, of which one reader pauses: prints the goodput of the others before, during and
//! after the pause, their least and largest share, and the memory that the receiver committed.
//!
//! ```text
//! cargo run --release --example paused_reader -p anabranch-net -- [seconds] [streams]
//! ```
#![allow(clippy::print_stdout, reason = "programs of developers print")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anabranch_net::base::ByteCount;
use anabranch_net::{Config, Endpoint, Options, Security, SendOptions, Stream, StreamId, Streams};
use tokio::sync::watch;
use tokio::time::Instant;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<u16> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let seconds = words.first().copied().unwrap_or(60);
    let count = words.get(1).copied().unwrap_or(64);

    let server = Endpoint::bind(options(count, true))?;
    let client = Endpoint::bind(options(count, false))?;
    let addresses = server.local_addresses();
    let (near, far) = tokio::join!(client.connect(&addresses), server.accept());
    let (near, far) = (near?.into_streams(), far.ok_or("no association")?.into_streams());
    let (received, pause) = start(&near, &far, count).await?;

    let mut goodput = Vec::new();
    for (name, length, is_paused) in [
        ("warming up", 2, false),
        ("before", seconds.div_ceil(2), false),
        ("paused", seconds, true),
        ("after", seconds.div_ceil(2), false),
    ] {
        pause.send(is_paused)?;
        let phase = measure(&far, &received, length).await;
        println!("{name}, {length} s: {phase}");
        goodput.push(phase.bytes_per_second);
    }
    let usual = (goodput[1] + goodput[3]) / 2.0;
    println!("the others while one pauses: {:+.1} %", (goodput[2] / usual - 1.0) * 100.0);
    near.association().abort("measured");
    Ok(())
}

fn options(count: u16, accepts: bool) -> Options {
    let config = Config {
        stream_credits: true,
        outbound_streams: count + 1,
        inbound_streams: count + 1,
        receive_buffer: ByteCount::from_mib(1),
        receive_growth: None,
        ..Config::tuned_2()
    };
    let local = vec!["127.0.0.1:0".parse().expect("an address")];
    // Both ends are this program: nothing is secret.
    Options { local, accepts, config, ..Options::with(Security::Insecure) }
}

/// The transfer of the streams but the first for some seconds.
struct Phase {
    bytes_per_second: f64,
    /// The least and the largest sum of one of them.
    shares: (ByteCount, ByteCount),
    /// The most memory that the receiver committed, of its buffer.
    committed: ByteCount,
    buffer: ByteCount,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Phase { bytes_per_second, shares: (least, most), committed, buffer } = self;
        let megabits = bytes_per_second * 8e-6;
        write!(f, "{megabits:.1} Mbit/s, of each stream {least} to {most}; committed {committed} of {buffer}")
    }
}

/// Waits for some seconds, and measures what arrives meanwhile.
async fn measure(far: &Streams, received: &[Arc<AtomicU64>], seconds: u16) -> Phase {
    let read = || received.iter().map(|bytes| bytes.load(Ordering::Relaxed)).collect::<Vec<u64>>();
    let (before, began) = (read(), Instant::now());
    let mut committed = ByteCount::ZERO;
    for _ in 0..u32::from(seconds) * 10 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        committed = committed.max(far.committed());
    }
    let shares: Vec<u64> = read().iter().zip(before).map(|(now, before)| now - before).collect();
    let bound = |bytes: Option<&u64>| ByteCount::new(bytes.copied().unwrap_or(0));
    Phase {
        bytes_per_second: shares.iter().sum::<u64>() as f64 / began.elapsed().as_secs_f64(),
        shares: (bound(shares.iter().min()), bound(shares.iter().max())),
        committed,
        buffer: far.association().receive_buffer(),
    }
}

/// Starts a sender and a reader for each stream. The reader of the first one pauses whenever the channel says so, and is
/// not counted.
async fn start(
    near: &Streams,
    far: &Streams,
    count: u16,
) -> Result<(Vec<Arc<AtomicU64>>, watch::Sender<bool>), Box<dyn Error>> {
    for id in 1..=count {
        let mut stream = near.open(StreamId::new(id))?;
        tokio::spawn(
            async move { while stream.send(vec![7; 1_000], SendOptions::default()).await.is_ok() {} },
        );
    }
    let (pause, is_paused) = watch::channel(false);
    let mut received = Vec::new();
    for _ in 0..count {
        let stream = far.accept_stream().await?;
        if stream.id() == StreamId::new(1) {
            tokio::spawn(read_with_pauses(stream, is_paused.clone()));
            continue;
        }
        let bytes = Arc::new(AtomicU64::new(0));
        received.push(bytes.clone());
        tokio::spawn(read(stream, bytes));
    }
    Ok((received, pause))
}

async fn read(mut stream: Stream, bytes: Arc<AtomicU64>) {
    while let Ok(Some(message)) = stream.recv().await {
        bytes.fetch_add(message.len() as u64, Ordering::Relaxed);
    }
}

async fn read_with_pauses(mut stream: Stream, mut is_paused: watch::Receiver<bool>) {
    while is_paused.wait_for(|is_paused| !is_paused).await.is_ok() {
        let Ok(Some(_)) = stream.recv().await else { break };
    }
}
