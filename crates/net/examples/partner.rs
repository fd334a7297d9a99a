//! A partner for other SCTP stacks in plain UDP (RFC 6951): it echoes, discards, or sends messages and checks what
//! comes back.
//!
//! ```sh
//! cargo run -p anabranch-net --example partner -- echo    local=10.0.1.2:9899,10.0.2.2:9899 port=7
//! cargo run -p anabranch-net --example partner -- discard local=10.0.1.2:9899 port=9
//! cargo run -p anabranch-net --example partner -- source  local=10.0.1.2:9899 remote=10.0.1.1:9899 port=7 \
//!     messages=100 size=1200 answers=100
//! ```
//!
//! `port` is SCTP's own. `messages`, `size`, `streams` and `unordered=true` say what `source` sends, `answers` how
//! many echoes it waits for; `buffer` is the receive buffer and half of the send buffer in bytes; with `follow=true`
//! the addresses of interfaces are used and given up as they come and go; `ecn=echo`, `ecn=cwr` and `ecn_test=true`
//! are the settings of these names, and `ipcc=true` sends by IPCC and not by CMT. With a `remote` it opens the
//! association, otherwise it serves one. At its end one line says what was counted, as `key=value`; late packets are
//! still answered until the program's input ends, as a peer that lost our last one needs (RFC 9260 §8.4).
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

#[path = "partner/messages.rs"]
mod messages;
#[path = "partner/settings.rs"]
mod settings;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::time::Instant;

use anabranch_base::ByteCount;
use anabranch_base::setting::Named;
use anabranch_net::{
    AddressTracking, Association, CloseReason, Config, Endpoint, Options, PathCounters, Ppid, Security,
    SendOptions, StreamId,
};
use anabranch_policies::ipcc;
use anabranch_sctp::config::{EcnUse, MessageLimit};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use bytes::Bytes;

use self::messages::{FIRST_PPID, adler32, content};
use self::settings::Settings;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [role, settings @ ..] = &words[..] else {
        return Err("a role is missing: echo, discard or source".into());
    };
    let settings = Settings::read(settings)?;
    let endpoint = Endpoint::bind(options(&settings)?)?;
    println!("ready");
    let association = settings.associate(&endpoint).await?;
    let mut count = Count::start();
    let reason = match role.as_str() {
        "echo" => echo(&association, &mut count).await?,
        "discard" => discard(&association, &mut count).await,
        "source" => source(&association, &settings, &mut count).await?,
        other => {
            return Err(format!("no role is called {other:?}: there are echo, discard and source").into());
        }
    };
    println!("{}", count.line(&association, &reason));
    drop(association);
    endpoint.settled().await;
    tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop)).await?;
    Ok(())
}

/// Answers each message by itself, in its stream.
async fn echo(association: &Association, count: &mut Count) -> Result<CloseReason, Box<dyn Error>> {
    loop {
        let message = match association.recv().await {
            Ok(message) => message,
            Err(reason) => return Ok(reason),
        };
        let as_it_came = SendOptions::from(&message);
        let payload = message.into_bytes();
        count.on_received(&payload);
        // A peer that has begun to shut down accepts nothing more: `recv` says how the association ended.
        if association.send(payload, as_it_came).await.is_ok() {
            count.sent += 1;
        }
    }
}

async fn discard(association: &Association, count: &mut Count) -> CloseReason {
    loop {
        match association.recv().await {
            Ok(message) => count.on_received(&message.into_bytes()),
            Err(reason) => return reason,
        }
    }
}

/// Sends all, waits for the answers, and closes.
async fn source(
    association: &Association,
    settings: &Settings,
    count: &mut Count,
) -> Result<CloseReason, Box<dyn Error>> {
    let (messages, size) = (settings.value("messages", 1)?, settings.value("size", 1)?);
    let (streams, answers) = (settings.value("streams", 1)?, settings.value("answers", 0)?);
    let unordered = settings.value("unordered", false)?;
    let sends = async {
        let mut sum = 1;
        for index in 0..messages {
            let (number, stream) = (u32::try_from(index)?, u16::try_from(index % streams.max(1))?);
            let ordered = SendOptions::on(StreamId::new(stream)).ppid(Ppid::new(FIRST_PPID + number));
            let options = if unordered { ordered.unordered() } else { ordered };
            let payload = content(number, size);
            sum = adler32(sum, &payload);
            association.send(payload, options).await?;
        }
        Ok::<(u64, u32), Box<dyn Error>>((messages, sum))
    };
    let judges = async {
        for _ in 0..answers {
            let answer = association.recv().await?;
            let (ppid, stream) = (answer.ppid, answer.stream);
            count.on_answer(ppid, stream, &answer.into_bytes(), size);
        }
        Ok::<(), Box<dyn Error>>(())
    };
    let (sent, judged) = tokio::join!(sends, judges);
    // The end of the association says more than the failure of one message.
    judged?;
    (count.sent, count.sent_sum) = sent?;
    let reason = match association.close().await {
        Ok(()) => CloseReason::Graceful,
        Err(error) => error.reason,
    };
    count.span = count.started.elapsed().as_secs_f64();
    Ok(reason)
}

/// The counts of an association.
struct Count {
    started: Instant,
    /// Seconds until the last message, or until everything was acknowledged.
    span: f64,
    sent: u64,
    /// The checksum of the data that `source` sends.
    sent_sum: u32,
    received: u64,
    bytes: u64,
    sum: u32,
    /// Answers that equal the whole message.
    whole: u64,
    /// Answers that equal its end: from a server that reads large messages in parts.
    tails: u64,
    /// Answers that are neither, or overtook another of their stream.
    wrong: u64,
    last: BTreeMap<u16, u32>,
}

impl Count {
    #[expect(clippy::disallowed_methods, reason = "transfers are in real time")]
    fn start() -> Count {
        Count {
            started: Instant::now(),
            span: 0.0,
            sent: 0,
            sent_sum: 1,
            received: 0,
            bytes: 0,
            sum: 1,
            whole: 0,
            tails: 0,
            wrong: 0,
            last: BTreeMap::new(),
        }
    }

    fn on_received(&mut self, payload: &Bytes) {
        self.received += 1;
        self.bytes += payload.len() as u64;
        self.sum = adler32(self.sum, payload);
        self.span = self.started.elapsed().as_secs_f64();
    }

    /// The payload protocol identifier comes back as it was sent: it is the message's number.
    fn on_answer(&mut self, ppid: Ppid, stream: StreamId, payload: &Bytes, size: usize) {
        self.on_received(payload);
        let before = self.last.insert(stream.get(), ppid.get());
        let sent = content(ppid.get().wrapping_sub(FIRST_PPID), size);
        match (before < Some(ppid.get()), payload[..] == sent[..], sent.ends_with(payload)) {
            (true, true, _) => self.whole += 1,
            (true, false, true) => self.tails += 1,
            _ => self.wrong += 1,
        }
    }

    fn line(&self, association: &Association, reason: &CloseReason) -> String {
        let Count { span, sent, sent_sum, received, bytes, sum, whole, tails, wrong, .. } = self;
        let mut line = format!(
            "sent={sent} sent_sum={sent_sum:08x} received={received} bytes={bytes} sum={sum:08x} whole={whole} \
             tails={tails} wrong={wrong} seconds={span:.3}"
        );
        let paths = association.paths();
        for (key, of) in PATH_COUNTS {
            let _ = write!(line, " {key}={}", paths.iter().map(|path| of(&path.counters)).sum::<u64>());
        }
        for path in &paths {
            let (sent, received) = (path.counters.sent_bytes.get(), path.counters.received_bytes.get());
            let _ = write!(line, " path={}/{sent}/{received}", path.addresses.remote.ip());
        }
        let _ = write!(line, " end={reason}");
        line
    }
}

/// A name and its counter of a path.
type PathCount = (&'static str, fn(&PathCounters) -> u64);

/// The counters printed as sums over all paths.
const PATH_COUNTS: [PathCount; 6] = [
    ("marked", |path| path.received_ecn.ce),
    ("echoes_sent", |path| path.sent_echoes),
    ("echoes_received", |path| path.received_echoes),
    ("cwrs", |path| path.sent_cwrs),
    ("cuts", |path| path.ecn_cuts),
    ("again", |path| path.retransmitted_chunks),
];

fn options(settings: &Settings) -> Result<Options, Box<dyn Error>> {
    let buffer: u64 = settings.value("buffer", 1 << 20)?;
    let mut config = Config {
        receive_buffer: ByteCount::new(buffer),
        send_buffer: ByteCount::new(buffer.saturating_mul(2)),
        message_limit: MessageLimit::SendBuffer,
        // INIT announces the extension, with AUTH if the peer supports both (RFC 4895, RFC 5061).
        dynamic_addresses: true,
        ecn: ecn(settings)?,
        ecn_test: settings.value("ecn_test", false)?,
        ..Config::rfc9260()
    };
    if settings.value("follow", false)? {
        // A removed address removes the path to the peer's in the same network: the minutes of RFC 9260's
        // defaults are for other hosts.
        let Config { rto, failover, .. } = Config::tuned_2();
        (config.rto, config.failover) = (rto, failover);
    }
    // These rules concern only the sender: the peer need not know them.
    config.set_cmt(CmtRules { delayed_ack: false, ..CmtRules::ALL });
    if settings.value("ipcc", false)? {
        ipcc::choose(&mut config);
        config.scheduler = "window-regulated".to_owned();
        config.fast_retransmission = "alternate".to_owned();
    }
    Ok(Options {
        local: settings.list("local")?,
        address_tracking: if settings.value("follow", false)? {
            AddressTracking::EachInterface
        } else {
            AddressTracking::Off
        },
        accepts: !settings.opens(),
        config,
        sctp_port: settings.value("port", anabranch_net::UDP_PORT)?,
        registry: anabranch_policies::registry(),
        ..Options::with(Security::Insecure)
    })
}

fn ecn(settings: &Settings) -> Result<EcnUse, Box<dyn Error>> {
    let word: String = settings.value("ecn", "off".to_owned())?;
    let known = EcnUse::NAMES.iter().find(|(name, _)| *name == word);
    known.map(|(_, ecn)| *ecn).ok_or_else(|| format!("ecn cannot be {word}").into())
}
