//! One end of a transfer on the loopback interface at full speed; `tests/peers/run` measures it beside other
//! transports. `bulk plain|sealed[:PROFILE] receive|send PORT BYTES MESSAGE [BITS]`; BITS is a rate in bit/s. The receiver
//! prints `ready`, then the seconds from the first message to the last.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anabranch_base::ByteCount;
use anabranch_net::{Config, Endpoint, Key, Options, Security, SendOptions};
use bytes::Bytes;
use rustix::time::{ClockId, clock_gettime};

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    // One thread does the work of the two threads of the operating system's TCP: the program and the driver of the
    // sockets alternate.
    run().await
}

async fn run() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [layer, role, port, bytes, message, rate @ ..] = &arguments[..] else {
        return Err("usage: bulk plain|sealed[:PROFILE] receive|send PORT BYTES MESSAGE [BITS]".into());
    };
    let rate = rate.first().map(|rate| rate.parse::<f64>()).transpose()?;
    let (port, bytes, message) = (port.parse::<u16>()?, bytes.parse::<u64>()?, message.parse::<usize>()?);
    let (layer, profile) = layer.split_once(':').unwrap_or((layer, "tuned-2"));
    let security = match layer {
        "plain" => Security::Insecure,
        // A key known to both ends; it protects nothing.
        _ => Security::Sealed(Key::from_bytes([0x5a; Key::LEN])),
    };
    let receiver = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let config = Config {
        receive_buffer: ByteCount::from_mib(1),
        send_buffer: ByteCount::from_mib(1),
        mtu: ByteCount::new(1_500),
        ..Config::profile(profile).ok_or("there is no such profile")?
    };
    let options = Options { config, ..Options::with(security) };
    match role.as_str() {
        "receive" => receive(Options { local: vec![receiver], accepts: true, ..options }, bytes).await,
        _ => {
            let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
            send(Options { local: vec![local], ..options }, receiver, bytes, message, rate).await
        }
    }
}

async fn receive(options: Options, bytes: u64) -> Result<(), Failure> {
    let endpoint = Endpoint::bind(options)?;
    println!("ready");
    let association = endpoint.accept().await.ok_or("no association was accepted")?;
    let mut left = bytes;
    let mut start = None;
    while left > 0 {
        let message = association.recv().await?;
        start.get_or_insert_with(seconds);
        left = left.saturating_sub(message.len() as u64);
    }
    println!("{:.6}", start.map_or(0.0, |start| seconds() - start));
    association.closed().await;
    drop((association, endpoint.clone()));
    endpoint.settled().await;
    Ok(())
}

async fn send(
    options: Options,
    receiver: SocketAddr,
    bytes: u64,
    message: usize,
    rate: Option<f64>,
) -> Result<(), Failure> {
    let endpoint = Endpoint::bind(options)?;
    let association = endpoint.connect(&[receiver]).await?;
    let payload = Bytes::from(vec![0x5a; message]);
    let began = seconds();
    for number in 0..bytes.div_ceil(message as u64) {
        if let Some(pause) = rate.and_then(|rate| pause(seconds() - began, number * message as u64, rate)) {
            tokio::time::sleep(pause).await;
        }
        association.send(payload.clone(), SendOptions::default()).await?;
    }
    Ok(association.close().await?)
}

/// The wait before the next message when `sent` bytes were sent in `age` seconds: at least a millisecond, as in the
/// programs of the other transports.
fn pause(age: f64, sent: u64, rate: f64) -> Option<Duration> {
    let left = sent as f64 * 8.0 / rate - age;
    (left > 0.0).then(|| Duration::from_secs_f64(left.max(0.001)))
}

/// The time in seconds.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
