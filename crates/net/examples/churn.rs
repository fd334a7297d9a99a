//! Two long-lived processes that continuously open and close associations between them; each prints once a second
//! what it holds. `tests/soak` runs it: `churn serve 0.0.0.0:7000` and `churn call 192.0.2.1:7000,198.51.100.1:7000`.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anabranch_net::{
    AddressTracking, Association, Config, Endpoint, Key, Options, Security, SendOptions, local_addresses_for,
};
use bytes::Bytes;
use tokio::time::{interval, sleep, timeout};

/// The results of the associations so far.
#[derive(Debug, Default)]
struct Tally {
    opened: AtomicU64,
    /// The associations that could not be opened, or did not end as intended.
    failed: AtomicU64,
    bytes: AtomicU64,
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", local] => serve(local.parse()?).await,
        ["call", remote] => {
            let remote: Result<Vec<SocketAddr>, _> = remote.split(',').map(str::parse).collect();
            call(&remote?).await
        }
        _ => Err("churn serve ADDRESS:PORT, or churn call ADDRESS:PORT[,…]".into()),
    }
}

/// Accepts every association, and answers each message with its length.
async fn serve(local: SocketAddr) -> Result<(), Box<dyn Error>> {
    let endpoint = Endpoint::bind(Options { accepts: true, ..options(vec![local]) })?;
    let tally = Arc::new(Tally::default());
    tokio::spawn(report(endpoint.clone(), tally.clone()));
    while let Some(association) = endpoint.accept().await {
        tally.opened.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(answer(association, tally.clone()));
    }
    Ok(())
}

async fn answer(association: Association, tally: Arc<Tally>) {
    while let Ok(message) = association.recv().await {
        tally.bytes.fetch_add(message.len() as u64, Ordering::Relaxed);
        let length = (message.len() as u64).to_be_bytes().to_vec();
        if association.send(length, SendOptions::default()).await.is_err() {
            return;
        }
    }
}

/// Opens one association after another, and ends them in every possible way.
async fn call(remote: &[SocketAddr]) -> Result<(), Box<dyn Error>> {
    let endpoint = Endpoint::bind(options(local_addresses_for(remote, &[])?))?;
    let tally = Arc::new(Tally::default());
    tokio::spawn(report(endpoint.clone(), tally.clone()));
    for number in 0_u64.. {
        // Some use a separate endpoint.
        let done = if number % 3 == 0 {
            timeout(LONGEST, alone(remote, number, &tally)).await
        } else {
            timeout(LONGEST, one(&endpoint, remote, number, &tally)).await
        };
        if !matches!(done, Ok(Ok(()))) {
            tally.failed.fetch_add(1, Ordering::Relaxed);
            sleep(Duration::from_millis(100)).await;
        }
    }
    Ok(())
}

/// One association, and an endpoint for it alone.
async fn alone(remote: &[SocketAddr], number: u64, tally: &Tally) -> Result<(), Box<dyn Error>> {
    let endpoint = Endpoint::bind(options(local_addresses_for(remote, &[])?))?;
    one(&endpoint, remote, number, tally).await
}

/// One association, which ends as its number says.
async fn one(
    endpoint: &Endpoint,
    remote: &[SocketAddr],
    number: u64,
    tally: &Tally,
) -> Result<(), Box<dyn Error>> {
    let association = endpoint.connect(remote).await?;
    tally.opened.fetch_add(1, Ordering::Relaxed);
    let reader = association.clone();
    let answers = tokio::spawn(async move { while reader.recv().await.is_ok() {} });
    let payload = Bytes::from(vec![0x5a; 1 + (number as usize * 7_919) % 60_000]);
    for _ in 0..1 + number % 40 {
        association.send(payload.clone(), SendOptions::default()).await?;
        tally.bytes.fetch_add(payload.len() as u64, Ordering::Relaxed);
    }
    match number % 5 {
        0 | 1 => association.close().await?,
        2 => association.abort("enough"),
        // The shutdown has begun and continues without a handle.
        3 => drop(timeout(Duration::from_millis(1), association.close()).await),
        // Dropping the last handle aborts the association.
        _ => answers.abort(),
    }
    Ok(())
}

/// Prints the held resources every second.
async fn report(endpoint: Endpoint, tally: Arc<Tally>) {
    let mut seconds = interval(Duration::from_secs(1));
    loop {
        seconds.tick().await;
        let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
        println!(
            "{{\"tasks\": {tasks}, \"associations\": {}, \"sockets\": {}, \"opened\": {}, \"failed\": {}, \"bytes\": {}}}",
            endpoint.associations(),
            endpoint.sockets().len(),
            tally.opened.load(Ordering::Relaxed),
            tally.failed.load(Ordering::Relaxed),
            tally.bytes.load(Ordering::Relaxed),
        );
    }
}

fn options(local: Vec<SocketAddr>) -> Options {
    // Both processes are ours: a public key serves as well as a secret one.
    let security = Security::Sealed(Key::from_bytes([7; 16]));
    Options {
        by_device: local.iter().all(|address| !address.ip().is_unspecified()),
        local,
        address_tracking: AddressTracking::EachInterface,
        config: Config::tuned_2(),
        ..Options::with(security)
    }
}

/// No association takes longer, unless the network is away.
const LONGEST: Duration = Duration::from_secs(30);
