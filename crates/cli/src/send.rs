//! `anabranch send`: opens the files, connects, sends, says what became of it. It knows the order of these
//! steps; each is done elsewhere.

use std::net::SocketAddr;

use anabranch_base::BitRate;
use anabranch_net::{Endpoint, Security};
use anabranch_sctp::config::Config;
use serde_json::{Value, json};

use crate::addresses;
use crate::arguments::SendArguments;
use crate::clock::Stopwatch;
use crate::endpoint;
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::key;
use crate::live::{farewell, watched};
use crate::peer::{Partner, Peer};
use crate::quantity::show_size;
use crate::report::{Document, Outcome, shortened, table, there_already};
use crate::settings;
use crate::transfer::{Progress, Sources, send_files};
use crate::view::View;
use crate::watch::{Direction, Watch, addresses_of};

/// Runs the command.
///
/// # Errors
/// What went wrong before anything was sent.
pub async fn run(arguments: &SendArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let sources = open(arguments)?;
    let security = key::to_send(&arguments.secrecy)?;
    let to = addresses::look_up(&arguments.to).await?;
    let local = addresses::local_for(&to, &arguments.via)?;
    let follow = addresses::to_follow(&arguments.via);
    let config = settings::with(settings::for_tools(), &arguments.settings)?;
    let resolved = resolved(&config, &security, arguments, &list(&to));
    let endpoint = endpoint::to_connect(&local, &follow, &config, &security)?;
    let peer = Peer::new(to.clone(), &security, Partner::Files);
    let transferred = transfer(&endpoint, &to, &peer, sources, arguments, interrupt).await;
    // However it ended: a receiver that does not hear of that waits for nobody.
    farewell(&endpoint).await;
    let Transferred { watch, progress, failure } = transferred?;
    Ok(Outcome {
        document: Some(Document::new(&watch, &progress, resolved).into()),
        summary: summary(&watch, &progress),
        failure,
    })
}

/// What there is to say after a transfer.
struct Transferred {
    watch: Watch,
    progress: Progress,
    failure: Option<Failure>,
}

/// Connects and sends.
async fn transfer(
    endpoint: &Endpoint,
    to: &[SocketAddr],
    peer: &Peer,
    sources: Sources,
    arguments: &SendArguments,
    interrupt: &mut Interrupt,
) -> Result<Transferred, Failure> {
    let association = tokio::select! {
        connected = endpoint.connect(to) => connected.map_err(|error| peer.not_opened(error))?,
        () = interrupt.pressed() => return Err(Failure::Interrupted),
    };
    let clock = Stopwatch::start();
    let progress = Progress::new(clock);
    let mut watch = Watch::new(clock, Direction::Sending, addresses_of);
    let mut view = View::new(arguments.output);
    let work = send_files(&association, peer, sources, arguments.limit_rate, &progress);
    let failure = watched(&association, &mut watch, &mut view, &progress, interrupt, work).await.err();
    Ok(Transferred { watch, progress, failure })
}

/// All that was named is looked at before anything is sent, so that a slip costs no transfer.
fn open(arguments: &SendArguments) -> Result<Sources, Failure> {
    if arguments.name.is_some() && arguments.files.len() > 1 {
        return Err(Failure::Arguments("--name goes with one FILE only".to_owned()));
    }
    Sources::find(&arguments.files, arguments.name.as_deref())
}

fn summary(watch: &Watch, progress: &Progress) -> String {
    let took = progress.duration();
    let rate = progress.bytes().rate_over(took).unwrap_or_default();
    let files = match progress.tally().verified {
        1 => "1 file is".to_owned(),
        stored => format!("{stored} files are"),
    };
    let left_out: String = shortened(&progress.left_out(), "left out").map(|line| line + "\n").collect();
    format!(
        "{}\n{left_out}{} sent in {:.1} s, {rate}{}; {files} stored at the receiver with the right SHA-256\n",
        table(watch, took),
        show_size(progress.bytes()),
        took.as_secs_f64(),
        there_already(progress)
    )
}

fn resolved(config: &Config, security: &Security, arguments: &SendArguments, to: &str) -> Value {
    json!({
        "to": to,
        "via": arguments.via,
        "limit_rate_bps": arguments.limit_rate.map(BitRate::bits_per_second),
        "security": key::word(security),
        "sctp": settings::resolved(config),
    })
}
