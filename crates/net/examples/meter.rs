//! One end of a measured transfer between two hosts: at full speed, or messages at a rate; `tests/versus/run` measures
//! it beside the kernel's transports.
//!
//! ```text
//! meter receive local=A[,B…]            buffer=BYTES seconds=S [message=BYTES] [rate=BPS]
//! meter send    local=A[,B…] remote=C[,D…] buffer=BYTES seconds=S [message=BYTES] [rate=BPS]
//! ```
//!
//! The receiver prints `ready`, then one JSON document: without `rate` how much arrived, and when, in the S seconds
//! from the first message on; with `rate` when each message was due and when it arrived, in µs. `buffer=0` leaves the
//! buffers as the profile has them; `profile` and the settings in [`REPLACED`] replace those of the tools.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

use anabranch_base::ByteCount;
use anabranch_base::setting::{Refusal, Value};
use anabranch_net::sctp::config::setting;
use anabranch_net::{Association, Config, Endpoint, Key, Options, Security, SendOptions};
use bytes::Bytes;
use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::Runtime;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (role, words) = words.split_first().ok_or("usage: meter receive|send KEY=VALUE…")?;
    let arguments = Arguments::read(words)?;
    let runtime = Runtime::new()?;
    match role.as_str() {
        "receive" => runtime.block_on(receive(&arguments)),
        _ => send(&arguments, &runtime),
    }
}

/// Settings whose value is a word.
const REPLACED: [&str; 7] = [
    "scheduler",
    "window_management",
    "congestion_control",
    "loss_response",
    "ecn",
    "wireless.evidence",
    "wireless.resend",
];

/// The settings of the command line.
struct Arguments {
    local: Vec<SocketAddr>,
    remote: Vec<SocketAddr>,
    config: Config,
    seconds: f64,
    /// The length of a message.
    length: usize,
    /// Messages at a rate; `None` for full speed.
    messages: Option<Messages>,
}

/// Messages at even intervals.
struct Messages {
    count: u64,
    nanoseconds_apart: f64,
}

impl Arguments {
    fn read(words: &[String]) -> Result<Arguments, Failure> {
        let words = words.iter().map(|word| word.split_once('=').ok_or(format!("{word}: not KEY=VALUE")));
        let words: BTreeMap<&str, &str> = words.collect::<Result<_, _>>()?;
        let number = |key: &str| words.get(key).map(|text| text.parse::<f64>()).transpose();
        let seconds = number("seconds")?.ok_or("seconds=S is missing")?;
        let length = number("message")?.unwrap_or(16_384.0);
        let messages = number("rate")?.map(|rate| Messages {
            count: (rate * seconds / 8.0 / length) as u64,
            nanoseconds_apart: 8e9 * length / rate,
        });
        let mut config = match words.get("profile") {
            Some(name) => Config::profile(name).ok_or(format!("no profile {name}"))?,
            None => Config::tuned_2(),
        };
        for key in REPLACED {
            let Some((word, setting)) = words.get(key).copied().zip(setting(key)) else { continue };
            let refused =
                |why: Refusal| format!("{key}={word}: {}; expected is {}", why.message, why.expected);
            (setting.set)(&mut config, Value::word(word)).map_err(refused)?;
        }
        let buffer = number("buffer")?.unwrap_or(0.0) as u64;
        if buffer > 0 {
            config.receive_buffer = ByteCount::new(buffer);
            config.receive_growth = None;
            config.send_buffer = ByteCount::new(buffer);
        }
        let (local, remote) =
            (addresses(words.get("local").copied())?, addresses(words.get("remote").copied())?);
        Ok(Arguments { local, remote, config, seconds, length: length as usize, messages })
    }

    fn endpoint(&self) -> Result<Endpoint, Failure> {
        // A key known to both ends; it protects nothing.
        let security = Security::Sealed(Key::from_bytes([0x5a; Key::LEN]));
        let (local, config) = (self.local.clone(), self.config.clone());
        Ok(Endpoint::bind(Options {
            local,
            config,
            accepts: self.remote.is_empty(),
            by_device: true,
            ..Options::with(security)
        })?)
    }
}

/// IP addresses, all with the port that the tools use.
fn addresses(text: Option<&str>) -> Result<Vec<SocketAddr>, Failure> {
    let texts = text.unwrap_or_default().split(',').filter(|text| !text.is_empty());
    texts.map(|text| Ok(SocketAddr::from((IpAddr::from_str(text)?, 9899)))).collect()
}

async fn receive(arguments: &Arguments) -> Result<(), Failure> {
    let endpoint = arguments.endpoint()?;
    println!("ready");
    let association = endpoint.accept().await.ok_or("no association was accepted")?;
    match &arguments.messages {
        None => count(&association, arguments.seconds).await,
        Some(messages) => time(&association, messages).await,
    }
}

/// Prints how many bytes arrived, and how many of them in each tenth of a second.
async fn count(association: &Association, seconds: f64) -> Result<(), Failure> {
    let mut tenths = vec![0_u64; (seconds * 10.0).ceil() as usize];
    let mut start = None;
    loop {
        let rest = start.map_or(60.0, |start| seconds - since(start));
        if rest <= 0.0 {
            break;
        }
        let Ok(message) = tokio::time::timeout(Duration::from_secs_f64(rest), association.recv()).await
        else {
            break;
        };
        let length = message?.len() as u64;
        let start = *start.get_or_insert_with(nanoseconds);
        if let Some(tenth) = tenths.get_mut((since(start) * 10.0) as usize) {
            *tenth += length;
        }
    }
    let bytes: u64 = tenths.iter().sum();
    println!(r#"{{"bytes": {bytes}, "seconds": {seconds}, "tenths": [{}]}}"#, list(&tenths));
    Ok(())
}

/// Prints the due time and the arrival time of each message, until all have arrived or no more arrive.
async fn time(association: &Association, messages: &Messages) -> Result<(), Failure> {
    let (mut due, mut arrived) = (Vec::new(), Vec::new());
    while (due.len() as u64) < messages.count {
        let Ok(message) = tokio::time::timeout(Duration::from_secs(10), association.recv()).await else {
            break;
        };
        let message = message?.into_bytes();
        let stamp = message.first_chunk::<8>().ok_or("a message shorter than its stamp")?;
        arrived.push(nanoseconds());
        due.push(u64::from_be_bytes(*stamp));
    }
    let first = due.iter().min().copied().unwrap_or_default();
    let relative = |times: &[u64]| list(times.iter().map(|time| time.saturating_sub(first) / 1_000));
    println!(r#"{{"due": [{}], "arrived": [{}]}}"#, relative(&due), relative(&arrived));
    Ok(())
}

/// Sends from this thread: its sleep is finer than that of the runtime's timer.
fn send(arguments: &Arguments, runtime: &Runtime) -> Result<(), Failure> {
    let endpoint = {
        let _entered = runtime.enter();
        arguments.endpoint()?
    };
    let association = runtime.block_on(endpoint.connect(&arguments.remote))?;
    let Some(messages) = &arguments.messages else {
        let payload = Bytes::from(vec![0x5a; arguments.length]);
        return runtime.block_on(async {
            loop {
                association.send(payload.clone(), SendOptions::default()).await?;
            }
        });
    };
    let start = nanoseconds();
    for number in 0..messages.count {
        let due = start + (number as f64 * messages.nanoseconds_apart) as u64;
        std::thread::sleep(Duration::from_nanos(due.saturating_sub(nanoseconds())));
        let mut message = vec![0; arguments.length];
        message.get_mut(..8).ok_or("a message shorter than its stamp")?.copy_from_slice(&due.to_be_bytes());
        runtime.block_on(association.send(message, SendOptions::default()))?;
    }
    Ok(runtime.block_on(association.close())?)
}

fn list<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}

/// The time on a clock that both ends on one machine share.
fn nanoseconds() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// Seconds since `start`.
fn since(start: u64) -> f64 {
    nanoseconds().saturating_sub(start) as f64 / 1e9
}
