//! Watches the paths of an association while it works: its events, its measurements, and the state of its paths at the
//! end.
//!
//! ```sh
//! cargo run -p anabranch-net --example watching
//! ```
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::collections::BTreeMap;
use std::error::Error;

use anabranch_net::{Association, Endpoint, Happening, Options, PathId, Security, SendOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = |accepts| -> Result<Options, std::net::AddrParseError> {
        let local = vec!["127.0.0.1:0".parse()?, "127.0.0.2:0".parse()?];
        Ok(Options { local, accepts, ..Options::with(Security::Insecure) })
    };
    let (server, client) = (Endpoint::bind(options(true)?)?, Endpoint::bind(options(false)?)?);
    let near = client.connect(&server.local_addresses()).await?;
    let far = server.accept().await.ok_or("the runtime ends")?;
    let work = async {
        for _ in 0..50 {
            near.send(vec![0; 20_000], SendOptions::default()).await?;
            far.recv().await?;
        }
        near.close().await?;
        Ok::<(), Box<dyn Error>>(())
    };
    let (worked, measured) = tokio::join!(work, watch(&near));
    worked?;
    for path in near.paths() {
        let (round_trips, windows) = measured.get(&path.id).copied().unwrap_or_default();
        println!(
            "{}: {:?}, {} acknowledged, {round_trips} round trips and {windows} windows told, window {}",
            path.id, path.sample.state, path.counters.acked_bytes, path.sample.cwnd,
        );
    }
    Ok(())
}

/// Prints events until the association ends; counts the reported round trips and windows.
async fn watch(association: &Association) -> BTreeMap<PathId, (usize, usize)> {
    let (mut events, mut records) = (association.subscribe(), association.records());
    let mut measured: BTreeMap<PathId, (usize, usize)> = BTreeMap::new();
    loop {
        tokio::select! {
            Some(event) = events.next() => match event {
                Ok(event) => println!("{}: {event:?}", association.now()),
                // A listener that is too slow gets an error, and continues with the remaining items.
                Err(missed) => println!("events: {missed}"),
            },
            Some(record) = records.next() => match record {
                Ok(record) => {
                    let (round_trips, windows) = measured.entry(record.path).or_default();
                    match record.what {
                        Happening::RoundTrip { .. } => *round_trips += 1,
                        Happening::Window { .. } => *windows += 1,
                        lost => println!("{}: {}: {lost:?}", record.at, record.path),
                    }
                }
                Err(missed) => println!("records: {missed}"),
            },
            else => return measured,
        }
    }
}

#[test]
fn an_association_is_watched_to_its_end() {
    main().expect("no error");
}
