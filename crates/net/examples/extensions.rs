//! A partner for other SCTP stacks in plain UDP (RFC 6951) that does what its input says, with the extensions that are
//! switched on: for tests of these extensions.
//!
//! ```sh
//! cargo run -p anabranch-net --example extensions -- local=10.0.1.2:9899 remote=10.0.1.1:9899 port=9 \
//!     partial_reliability=true interleaving=true nr_sack=true stream_reconfiguration=true send_buffer=65536
//! ```
//!
//! With a `remote` it opens the association, otherwise it accepts one. Each line of its input is a command:
//!
//! - `send STREAM MESSAGES SIZE EFFORT VALUE PAUSE IMMEDIATE` sends messages, with a pause of so many milliseconds after
//!   each; the effort is `full`, `lifetime` (in milliseconds), `retransmissions` or `priority`, and with 1 at the end each
//!   message asks for a SACK without delay;
//! - `reset outgoing STREAM,…`, `reset incoming STREAM,…` and `reset association`; `all` is a list of streams, too;
//! - `add OUTGOING INCOMING` adds streams;
//! - `close`.
//!
//! A line of its output says `sent` or `received` with the stream, the number, the bytes and the Adler-32 of a message,
//! or tells of an event; `done` follows each command. The number of a message is its payload protocol identifier.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

#[path = "partner/messages.rs"]
mod messages;
#[path = "partner/settings.rs"]
mod settings;

use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use anabranch_base::ByteCount;
use anabranch_net::{
    Association, Config, Endpoint, Event, Events, Options, Ppid, Security, SendError, SendOptions, StreamId,
};
use anabranch_sctp::config::MessageLimit;
use tokio::sync::mpsc;

use self::messages::{FIRST_PPID, adler32, content};
use self::settings::Settings;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let settings = Settings::read(&words)?;
    let endpoint = Endpoint::bind(options(&settings)?)?;
    println!("ready");
    let association = settings.associate(&endpoint).await?;
    tokio::spawn(tell_events(association.subscribe()));
    tokio::spawn(tell_messages(association.clone()));
    let (outgoing, incoming) = association.streams();
    println!("open {outgoing} {incoming}");
    let mut commands = lines();
    let mut sent = 0;
    while let Some(line) = commands.recv().await {
        let said = match obey(&association, &line, &mut sent).await {
            Ok(()) => "done".to_owned(),
            Err(error) => format!("failed {line}: {error}"),
        };
        println!("{said}");
    }
    Ok(())
}

fn options(settings: &Settings) -> Result<Options, Box<dyn Error>> {
    let config = Config {
        receive_buffer: ByteCount::new(1 << 20),
        send_buffer: ByteCount::new(settings.value("send_buffer", 2 << 20)?),
        message_limit: MessageLimit::SendBuffer,
        partial_reliability: settings.value("partial_reliability", false)?,
        interleaving: settings.value("interleaving", false)?,
        nr_sack: settings.value("nr_sack", false)?,
        stream_reconfiguration: settings.value("stream_reconfiguration", false)?,
        stream_scheduler: anabranch_sctp::config::StreamScheduler::RoundRobin,
        outbound_streams: 10,
        ..Config::rfc9260()
    };
    Ok(Options {
        local: settings.list("local")?,
        accepts: !settings.opens(),
        config,
        sctp_port: settings.value("port", anabranch_net::UDP_PORT)?,
        ..Options::with(Security::Insecure)
    })
}

/// The lines of this program's input.
fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::task::spawn_blocking(move || {
        std::io::stdin().lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    receiver
}

/// Carries one command out.
async fn obey(association: &Association, line: &str, sent: &mut u32) -> Result<(), Box<dyn Error>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["send", stream, messages, size, effort, value, pause, immediate] => {
            let options = SendOptions::on(StreamId::new(stream.parse()?));
            let options = with_effort(options, effort, value)?;
            let options = if immediate == "1" { options.immediate() } else { options };
            let pause = Duration::from_millis(pause.parse()?);
            for _ in 0..messages.parse()? {
                send(association, options, *sent, size.parse()?).await?;
                *sent += 1;
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
            }
        }
        ["reset", "association"] => association.reset_association().await?,
        ["reset", "outgoing", streams] => association.reset_streams(&list(streams)?).await?,
        ["reset", "incoming", streams] => association.request_incoming_reset(&list(streams)?).await?,
        ["add", outgoing, incoming] => association.add_streams(outgoing.parse()?, incoming.parse()?).await?,
        ["close"] => association.close().await?,
        _ => return Err("this is not a command".into()),
    }
    Ok(())
}

fn with_effort(options: SendOptions, effort: &str, value: &str) -> Result<SendOptions, Box<dyn Error>> {
    Ok(match effort {
        "full" => options,
        "lifetime" => options.lifetime(Duration::from_millis(value.parse()?)),
        "retransmissions" => options.retransmissions(value.parse()?),
        "priority" => options.priority(value.parse()?),
        other => return Err(format!("no effort is called {other:?}").into()),
    })
}

/// Sends message `number`, once there is room for it.
async fn send(
    association: &Association,
    options: SendOptions,
    number: u32,
    size: usize,
) -> Result<(), SendError> {
    let payload = content(number, size);
    println!("sent {} {number} {size} {:08x}", options.stream.get(), adler32(1, &payload));
    match association.send(payload, options.ppid(Ppid::new(FIRST_PPID + number))).await {
        Err(SendError::Expired) => {
            println!("given-up {} {number} unsent", options.stream.get());
            Ok(())
        }
        other => other,
    }
}

async fn tell_messages(association: Association) {
    let reason = loop {
        match association.recv().await {
            Ok(message) => {
                let (stream, number) = (message.stream.get(), message.ppid.get().wrapping_sub(FIRST_PPID));
                let payload = message.into_bytes();
                println!("received {stream} {number} {} {:08x}", payload.len(), adler32(1, &payload));
            }
            Err(reason) => break reason,
        }
    };
    println!("closed {reason}");
}

async fn tell_events(mut events: Events) {
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::GivenUp { stream, ppid, was_sent, .. }) => {
                let how = if was_sent { "sent" } else { "unsent" };
                println!("given-up {} {} {how}", stream.get(), ppid.get().wrapping_sub(FIRST_PPID));
            }
            Ok(Event::OutgoingStreamsReset(streams)) => println!("reset-outgoing {}", shown(&streams)),
            Ok(Event::IncomingStreamsReset(streams)) => println!("reset-incoming {}", shown(&streams)),
            Ok(Event::StreamsAdded { outbound, inbound }) => println!("added {outbound} {inbound}"),
            Ok(Event::AssociationReset) => println!("reset-association"),
            Ok(Event::StreamChangeRefused { change, result }) => println!("refused {change:?} {result:?}"),
            Ok(_) => {}
            Err(missed) => println!("missed {missed}"),
        }
    }
}

/// A list of streams as users write it; empty for all.
fn list(text: &str) -> Result<Vec<StreamId>, <u16 as FromStr>::Err> {
    if text == "all" {
        return Ok(Vec::new());
    }
    text.split(',').map(|number| number.parse().map(StreamId::new)).collect()
}

/// A list of streams as `list` reads it.
fn shown(streams: &[StreamId]) -> String {
    if streams.is_empty() {
        return "all".to_owned();
    }
    let numbers: Vec<String> = streams.iter().map(|stream| stream.get().to_string()).collect();
    numbers.join(",")
}
