//! One end of a transfer whose packets are sent with an ECN codepoint; at the end it prints, as JSON, the codepoints
//! of the packets received and the reactions to marks. `tests/ecn` runs both ends and marks packets between them.
//! `marks plain|sealed receive ADDRESS CODEPOINT BYTES`, and `send` likewise; `ADDRESS` is the receiver's,
//! `CODEPOINT` the two bits of all packets as a number, or `echo` or `cwr`: the association's own use of ECN. The
//! receiver first prints `ready`.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;
use std::net::SocketAddr;

use anabranch_base::setting::Named;
use anabranch_base::{ByteCount, Ecn};
use anabranch_net::{Association, Config, Endpoint, Key, Options, Security, SendOptions};
use anabranch_sctp::config::EcnUse;
use bytes::Bytes;

/// User data in a message.
const MESSAGE: usize = 16_384;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [layer, role, address, codepoint, bytes] = &arguments[..] else {
        return Err("usage: marks plain|sealed receive|send ADDRESS CODEPOINT BYTES".into());
    };
    let security = match layer.as_str() {
        "plain" => Security::Insecure,
        // A key known to both ends; it protects nothing.
        _ => Security::Sealed(Key::from_bytes([0x5a; Key::LEN])),
    };
    let (receiver, bytes) = (address.parse::<SocketAddr>()?, bytes.parse::<u64>()?);
    let (codepoint, ecn) = match EcnUse::NAMES.iter().find(|(name, _)| name == codepoint) {
        Some((_, ecn)) => (Ecn::NotEct, *ecn),
        None => (Ecn::from_bits(codepoint.parse()?), EcnUse::Off),
    };
    let config = Config {
        codepoint,
        ecn,
        // The data in flight fits the smallest socket buffer: no packet is lost after the last queue.
        receive_buffer: ByteCount::from_kib(64),
        send_buffer: ByteCount::from_kib(256),
        ..Config::rfc9260()
    };
    let options = Options { config, ..Options::with(security) };
    match role.as_str() {
        "receive" => receive(Options { local: vec![receiver], accepts: true, ..options }, bytes).await,
        _ => {
            let unspecified = if receiver.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
            send(Options { local: vec![unspecified.parse()?], ..options }, receiver, bytes).await
        }
    }
}

async fn receive(options: Options, bytes: u64) -> Result<(), Box<dyn Error>> {
    let endpoint = Endpoint::bind(options)?;
    println!("ready");
    let association = endpoint.accept().await.ok_or("the endpoint was closed")?;
    let mut left = bytes;
    while left > 0 {
        left = left.saturating_sub(association.recv().await?.len() as u64);
    }
    association.closed().await;
    print_counts(&association);
    drop((association, endpoint.clone()));
    endpoint.settled().await;
    Ok(())
}

async fn send(options: Options, receiver: SocketAddr, bytes: u64) -> Result<(), Box<dyn Error>> {
    let endpoint = Endpoint::bind(options)?;
    let association = endpoint.connect(&[receiver]).await?;
    let payload = Bytes::from(vec![0x5a; MESSAGE]);
    for _ in 0..bytes.div_ceil(MESSAGE as u64) {
        association.send(payload.clone(), SendOptions::default()).await?;
    }
    association.close().await?;
    print_counts(&association);
    Ok(())
}

/// Prints the counts of all paths together.
fn print_counts(association: &Association) {
    let paths = association.paths();
    let counters = || paths.iter().map(|path| path.counters);
    let sum = |of: fn(&anabranch_net::PathCounters) -> u64| counters().map(|path| of(&path)).sum::<u64>();
    println!(
        r#"{{"sent": {}, "received": {}, "ect0": {}, "ect1": {}, "ce": {}, "echoes_sent": {}, "echoes_received": {},
            "cuts": {}, "cwrs": {}}}"#,
        sum(|path| path.sent_packets),
        sum(|path| path.received_packets),
        sum(|path| path.received_ecn.ect0),
        sum(|path| path.received_ecn.ect1),
        sum(|path| path.received_ecn.ce),
        sum(|path| path.sent_echoes),
        sum(|path| path.received_echoes),
        sum(|path| path.ecn_cuts),
        sum(|path| path.sent_cwrs),
    );
}
