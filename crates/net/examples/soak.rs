//! The memory used by a long transfer: two processes on the loopback interface, and for each the most that was ever
//! resident. `cargo run --release -p anabranch-net --example soak -- [BYTES] [plain|sealed] [BUFFER] [MESSAGE]`, for
//! example `10000000000 sealed 1MiB..16MiB 65536`.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use anabranch_base::ByteCount;
use anabranch_net::{Config, Endpoint, Key, Options, Security, SendOptions};
use anabranch_sctp::config::Growth;
use bytes::Bytes;
use rustix::time::{ClockId, clock_gettime};

/// The task of one process.
struct Task {
    bytes: u64,
    is_sealed: bool,
    buffer: String,
    message: usize,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.split_first() {
        Some((role, rest)) if role == "receive" => receive(&Task::read(rest)?).await,
        Some((role, rest)) if role == "send" => send(&Task::read(rest)?, rest).await,
        _ => both(&Task::read(&words)?),
    }
}

/// Starts both processes and prints their results.
fn both(task: &Task) -> Result<(), Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let all = [task.bytes.to_string(), task.word().into(), task.buffer.clone(), task.message.to_string()];
    let mut receiver = Command::new(&program).arg("receive").args(&all).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(receiver.stdout.take().ok_or("no output")?).lines();
    let address = lines.next().ok_or("the receiver does not listen")??;
    let sender = Command::new(&program).arg("send").args(&all).arg(address).output()?;
    let received = lines.next().ok_or("the receiver ended early")??;
    receiver.wait()?;
    println!(
        "| transfer | receive buffer | messages | goodput | receiver | sender |\n|---|---|---|---|---|---|"
    );
    let (sent, gigabytes) = (String::from_utf8(sender.stdout)?, task.bytes as f64 / 1e9);
    println!(
        "| {gigabytes:.1} GB {} | {} | {} B | {received} | {} |",
        task.word(),
        task.buffer,
        task.message,
        sent.trim()
    );
    Ok(())
}

async fn receive(task: &Task) -> Result<(), Box<dyn Error>> {
    let server = Endpoint::bind(task.options(true)?)?;
    println!("{}", server.local_addresses()[0]);
    let association = server.accept().await.ok_or("no association was accepted")?;
    let (began, mut left) = (seconds(), task.bytes);
    while left > 0 {
        left = left.saturating_sub(association.recv().await?.len() as u64);
    }
    let goodput = task.bytes as f64 * 8e-6 / (seconds() - began);
    let buffer = association.receive_buffer().get() as f64 / 1e6;
    println!("{goodput:.0} Mbit/s | {} (buffer {buffer:.1} MB)", most_resident()?);
    association.closed().await;
    server.settled().await;
    Ok(())
}

async fn send(task: &Task, words: &[String]) -> Result<(), Box<dyn Error>> {
    let remote: SocketAddr = words.last().ok_or("no address")?.parse()?;
    let client = Endpoint::bind(task.options(false)?)?;
    let association = client.connect(&[remote]).await?;
    let payload = Bytes::from(vec![0x5a; task.message]);
    for _ in 0..task.bytes.div_ceil(task.message as u64) {
        association.send(payload.clone(), SendOptions::default()).await?;
    }
    association.close().await?;
    println!("{}", most_resident()?);
    Ok(())
}

impl Task {
    fn read(words: &[String]) -> Result<Task, Box<dyn Error>> {
        let word =
            |index: usize, default: &str| words.get(index).cloned().unwrap_or_else(|| default.to_owned());
        Ok(Task {
            bytes: word(0, "1000000000").parse()?,
            is_sealed: word(1, "sealed") == "sealed",
            buffer: word(2, "1MiB"),
            message: word(3, "65536").parse()?,
        })
    }

    fn word(&self) -> &'static str {
        if self.is_sealed { "sealed" } else { "plain" }
    }

    fn options(&self, accepts: bool) -> Result<Options, Box<dyn Error>> {
        let (first, limit) = self.buffer.split_once("..").unwrap_or((&self.buffer, &self.buffer));
        let (first, limit) = (mebibytes(first)?, mebibytes(limit)?);
        let config = Config {
            receive_buffer: first,
            receive_growth: (first != limit).then(|| Growth::to(limit)),
            send_buffer: limit,
            ..Config::tuned_2()
        };
        // Both processes are ours: a public key serves as well as a secret one.
        let security =
            if self.is_sealed { Security::Sealed(Key::from_bytes([7; 16])) } else { Security::Insecure };
        Ok(Options { local: vec!["127.0.0.1:0".parse()?], accepts, config, ..Options::with(security) })
    }
}

fn mebibytes(text: &str) -> Result<ByteCount, Box<dyn Error>> {
    let number = text.strip_suffix("MiB").ok_or("a buffer is written 1MiB or 1MiB..16MiB")?;
    Ok(ByteCount::from_mib(number.parse()?))
}

/// The time in seconds.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The largest resident memory of this process, as the system counts it.
fn most_resident() -> Result<String, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(format!("{:.1} MB", kib * 1024.0 / 1e6))
}
