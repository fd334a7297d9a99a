//! Requests and replies on many streams, client and server in one program over loopback: the latency of quick replies
//! without and with one reply that is slow and large, which its reader does not take.
//!
//! ```text
//! cargo run --release --example requests -p anabranch-net -- [streams] [requests each]
//! ```
#![allow(clippy::print_stdout, reason = "programs of developers print")]

use std::error::Error;
use std::time::Duration;

use anabranch_net::base::{ByteCount, Duration as Span};
use anabranch_net::{Clock, Config, Endpoint, Options, Security, SendOptions, Stream, Streams};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<usize> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let streams = words.first().copied().unwrap_or(64);
    let requests = words.get(1).copied().unwrap_or(200);

    let server = Endpoint::bind(options(true))?;
    let addresses = server.local_addresses();
    let serving = tokio::spawn(async move {
        if let Some(association) = server.accept().await {
            serve(association.into_streams()).await;
        }
    });
    let client = Endpoint::bind(options(false))?;
    let client = client.connect(&addresses).await?.into_streams();

    print("quick replies alone", &measure(&client, streams, requests).await?);
    // The reply to this request is endless, and is not read.
    let mut slow = client.open_next()?;
    slow.send("endless", SendOptions::default()).await?;
    tokio::time::sleep(Duration::from_millis(100)).await;
    print("beside a slow one", &measure(&client, streams, requests).await?);
    println!("{} of the slow reply wait unread", client.unread());

    client.association().abort("measured");
    serving.await?;
    Ok(())
}

fn options(accepts: bool) -> Options {
    let config = Config {
        stream_credits: true,
        outbound_streams: 4_096,
        inbound_streams: 4_096,
        receive_buffer: ByteCount::from_mib(1),
        ..Config::tuned_2()
    };
    let local = vec!["127.0.0.1:0".parse().expect("an address")];
    // Both ends are this program: nothing is secret.
    Options { local, accepts, config, ..Options::with(Security::Insecure) }
}

async fn serve(streams: Streams) {
    while let Ok(stream) = streams.accept_stream().await {
        tokio::spawn(answer(stream));
    }
}

/// Answers the requests of one stream.
async fn answer(mut stream: Stream) {
    while let Ok(Some(request)) = stream.recv().await {
        let request = request.into_bytes();
        let is_endless = request == "endless";
        while stream.send(vec![0; 1_000], SendOptions::default()).await.is_ok() && is_endless {}
    }
}

/// The sorted latencies of so many requests on each of so many streams at once.
async fn measure(client: &Streams, streams: usize, requests: usize) -> Result<Vec<Span>, Box<dyn Error>> {
    let (mut tasks, clock) = (Vec::new(), Clock::start());
    for _ in 0..streams {
        let mut stream = client.open_next()?;
        tasks.push(tokio::spawn(async move {
            let mut latencies = Vec::with_capacity(requests);
            for _ in 0..requests {
                let start = clock.now();
                stream.send(vec![1; 100], SendOptions::default()).await.expect("open");
                stream.recv().await.expect("open").expect("an answer");
                latencies.push(clock.now().since(start));
            }
            latencies
        }));
    }
    let mut all = Vec::new();
    for task in tasks {
        all.extend(task.await?);
    }
    all.sort_unstable();
    Ok(all)
}

fn print(name: &str, sorted: &[Span]) {
    let quantile = |part: f64| sorted[((sorted.len() - 1) as f64 * part) as usize];
    let [half, most, last] = [0.5, 0.99, 1.0].map(quantile);
    println!("{name}: {} replies, median {half}, 99 % {most}, longest {last}", sorted.len());
}
