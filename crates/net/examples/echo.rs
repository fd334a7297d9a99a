//! A server that echoes messages, and a client that sends one, with two paths between them.
//!
//! ```sh
//! cargo run -p anabranch-net --example echo
//! ```
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;

use anabranch_net::{Association, Endpoint, Key, Options, Security, SendOptions, StreamId};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let key = Key::fresh()?; // Both ends need it; here both are in one program.
    let two_addresses = || -> Result<_, std::net::AddrParseError> {
        Ok(vec!["127.0.0.1:0".parse()?, "127.0.0.2:0".parse()?])
    };
    let sealed = || Options::with(Security::Sealed(key.clone()));

    let server = Endpoint::bind(Options { local: two_addresses()?, accepts: true, ..sealed() })?;
    let addresses = server.local_addresses();
    tokio::spawn(serve(server));

    let client = Endpoint::bind(Options { local: two_addresses()?, ..sealed() })?;
    let association = client.connect(&addresses).await?;
    let (greetings, numbers) = (association.stream(StreamId::new(0)), association.stream(StreamId::new(1)));
    greetings.send("hello").await?;
    for number in 1..=3 {
        numbers.send(format!("number {number}")).await?;
    }
    for _ in 0..4 {
        let answer = association.recv().await?;
        let stream = answer.stream;
        println!("stream {stream}: {}", String::from_utf8_lossy(&answer.into_bytes()));
    }
    for path in association.paths() {
        println!("{:?} → {:?}: {:?}", path.addresses.local, path.addresses.remote, path.sample.state);
    }
    association.close().await?;
    Ok(())
}

/// Answers every client in a task of its own.
async fn serve(server: Endpoint) {
    while let Some(association) = server.accept().await {
        tokio::spawn(echo(association));
    }
}

/// Returns each message as it came, until the client closes.
async fn echo(association: Association) {
    while let Ok(message) = association.recv().await {
        let as_it_came = SendOptions::from(&message);
        if association.send(message.into_bytes(), as_it_came).await.is_err() {
            return;
        }
    }
}

#[test]
fn the_answers_come_back() {
    main().expect("no error");
}
