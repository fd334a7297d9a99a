//! Streams at full speed over loopback while the reader of one pauses: prints the share of each of the others in every
//! second, and the memory that the receiver committed.
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
    let (received, _paused) = start(&near, &far, count).await?;

    for second in 1..=seconds {
        let before: Vec<u64> = received.iter().map(|bytes| bytes.load(Ordering::Relaxed)).collect();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let now = received.iter().map(|bytes| bytes.load(Ordering::Relaxed));
        let shares: Vec<u64> = now.zip(before).map(|(now, before)| now - before).collect();
        let sum = ByteCount::new(shares.iter().sum());
        let (least, most) = (shares.iter().min(), shares.iter().max());
        println!(
            "{second} s: {sum}, of each stream {} to {}; committed {} of {}",
            ByteCount::new(least.copied().unwrap_or(0)),
            ByteCount::new(most.copied().unwrap_or(0)),
            far.committed(),
            far.association().receive_buffer(),
        );
    }
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

/// Starts a sender and a reader for each stream; the reader of the first one pauses, and is returned.
async fn start(
    near: &Streams,
    far: &Streams,
    count: u16,
) -> Result<(Vec<Arc<AtomicU64>>, Stream), Box<dyn Error>> {
    for id in 1..=count {
        let mut stream = near.open(StreamId::new(id))?;
        tokio::spawn(
            async move { while stream.send(vec![7; 1_000], SendOptions::default()).await.is_ok() {} },
        );
    }
    let (mut received, mut paused) = (Vec::new(), None);
    for _ in 0..count {
        let mut stream = far.accept_stream().await?;
        if stream.id() == StreamId::new(1) {
            paused = Some(stream);
            continue;
        }
        let bytes = Arc::new(AtomicU64::new(0));
        received.push(bytes.clone());
        tokio::spawn(async move {
            while let Ok(Some(message)) = stream.recv().await {
                bytes.fetch_add(message.len() as u64, Ordering::Relaxed);
            }
        });
    }
    Ok((received, paused.ok_or("the first stream did not arrive")?))
}
