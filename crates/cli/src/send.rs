//! `anabranch send`: opens the files, connects, sends and reports the result.

use std::net::SocketAddr;

use anabranch_base::BitRate;
use anabranch_net::{Endpoint, Security};
use anabranch_sctp::config::Config;
use anabranch_transfer::{Sources, send_files};
use serde_json::{Value, json};

use crate::addresses;
use crate::arguments::SendArguments;
use crate::endpoint;
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::key;
use crate::live::{farewell, watched};
use crate::peer::{Partner, Peer};
use crate::report::{Outcome, TransferDocument, shortened, table, there_already};
use crate::settings;
use crate::transfer::{Progress, follow, not_sent};
use crate::view::ProgressView;
use anabranch_net::Clock;
use anabranch_net::monitor::{DataDirection, PathMonitor};

/// Runs the command.
///
/// # Errors
/// What went wrong before anything was sent.
pub async fn run(arguments: &SendArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let sources = open(arguments)?;
    let security = key::to_send(&arguments.secrecy)?;
    let to = addresses::look_up(&arguments.to).await?;
    let local = addresses::local_for(&to, &arguments.via)?;
    let tracking = addresses::address_tracking(&arguments.via);
    let config = settings::with(settings::for_tools(), &arguments.settings)?;
    let resolved = resolved(&config, &security, arguments, &list(&to));
    let endpoint = endpoint::to_connect(&local, &tracking, &config, &security)?;
    let peer = Peer::new(to.clone(), &security, Partner::Files);
    let transferred = transfer(&endpoint, &to, &peer, sources, arguments, interrupt).await;
    // However it ended: a receiver that does not hear of that would wait in vain.
    farewell(&endpoint).await;
    let SendReport { monitor, progress, failure } = transferred?;
    Ok(Outcome {
        document: Some(TransferDocument::new(&monitor, &progress, resolved).into()),
        summary: summary(&monitor, &progress),
        failure,
    })
}

/// What there is to say after a transfer.
struct SendReport {
    monitor: PathMonitor,
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
) -> Result<SendReport, Failure> {
    let association = tokio::select! {
        connected = endpoint.connect(to) => connected.map_err(|error| peer.not_opened(error))?,
        () = interrupt.pressed() => return Err(Failure::Interrupted),
    };
    let clock = Clock::start();
    let progress = Progress::new(clock);
    let mut monitor = PathMonitor::new(clock, DataDirection::Sending);
    let mut view = ProgressView::new(arguments.output);
    progress.leave_out(sources.left_out.iter().map(ToString::to_string).collect());
    let sending = send_files(&association, sources, arguments.limit_rate);
    let work =
        async { follow(sending, &progress).await.map_err(|error| not_sent(&association, peer, error)) };
    let failure = watched(&association, &mut monitor, &mut view, &progress, interrupt, work).await.err();
    Ok(SendReport { monitor, progress, failure })
}

/// All that was named is looked at before anything is sent, so that a slip costs no transfer.
fn open(arguments: &SendArguments) -> Result<Sources, Failure> {
    if arguments.name.is_some() && arguments.files.len() > 1 {
        return Err(Failure::Arguments("--name can be used with one FILE only".to_owned()));
    }
    Ok(Sources::find(&arguments.files, arguments.name.as_deref())?)
}

fn summary(monitor: &PathMonitor, progress: &Progress) -> String {
    let took = progress.duration();
    let rate = progress.bytes().rate_over(took).unwrap_or_default();
    let files = match progress.tally().verified {
        1 => "1 file is".to_owned(),
        stored => format!("{stored} files are"),
    };
    let left_out: String = shortened(&progress.left_out(), "left out").map(|line| line + "\n").collect();
    format!(
        "{}\n{left_out}{} sent in {:.1} s, {rate}{}; {files} stored at the receiver with a verified SHA-256\n",
        table(monitor, took),
        progress.bytes().rounded(),
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
