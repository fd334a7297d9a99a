//! `anabranch send`: opens the files, connects (or is served by [`serve`]), sends and reports the result.

use std::net::SocketAddr;

use anabranch_base::BitRate;
use anabranch_net::{Association, Endpoint, Security};
use anabranch_sctp::config::Config;
use anabranch_transfer::{SendFilesError, Sources, Transfer, send_files};
use serde_json::{Value, json};

use crate::addresses;
use crate::arguments::SendArguments;
use crate::connecting::connect;
use crate::endpoint;
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::key;
use crate::links::{Outlets, charges};
use crate::live::{farewell, watched};
use crate::peer::{Partner, Peer};
use crate::report::{Outcome, TransferDocument, losses, shortened, table, there_already};
use crate::serve;
use crate::settings;
use crate::transfer::{FileCounts, Progress, follow, not_sent};
use crate::view::ProgressView;
use anabranch_net::Clock;
use anabranch_net::monitor::{DataDirection, PathMonitor};

/// Runs the command.
///
/// # Errors
/// What went wrong before anything was sent.
pub async fn run(arguments: &SendArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let sources = open(arguments)?;
    match &arguments.listen {
        Some(hosts) => serve::run(hosts, sources, arguments, interrupt).await,
        None => dial(sources, arguments, interrupt).await,
    }
}

/// Connects, sends and says goodbye.
async fn dial(
    sources: Sources,
    arguments: &SendArguments,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let security = key::to_send(&arguments.secrecy, interrupt).await?;
    let to = addresses::look_up(&arguments.to).await?;
    let outlets = Outlets::to(&to, &arguments.via)?;
    let config = settings::with(settings::for_tools(), &arguments.settings)?;
    let resolved = resolved(&config, &security, arguments, &list(&to.concat()));
    let endpoint = endpoint::to_connect(&outlets, &config, &security)?;
    let peer = Peer::new(to.concat(), &security, Partner::Files);
    let congestion_control = &config.congestion_control;
    let sending = SendRun { arguments, resolved: &resolved, peer: &peer, congestion_control };
    let ended = transfer(&endpoint, &to, &sending, sources, interrupt).await;
    // However it ended: a receiver that does not hear of that would wait in vain.
    farewell(&endpoint).await;
    ended
}

/// Connects and sends.
async fn transfer(
    endpoint: &Endpoint,
    to: &[Vec<SocketAddr>],
    sending: &SendRun<'_>,
    sources: Sources,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let association = connect(endpoint, to, sending.peer, sending.arguments.output, interrupt).await?;
    let left_out = left_out(&sources);
    let files = send_files(&association, sources, sending.arguments.limit_rate);
    Ok(sending.run(&association, left_out, files, interrupt).await.outcome)
}

/// One transfer to a peer, whichever end dialled.
pub struct SendRun<'a> {
    pub arguments: &'a SendArguments,
    /// The settings, for the document.
    pub resolved: &'a Value,
    /// The receiver.
    pub peer: &'a Peer,
    /// The congestion control, by name.
    pub congestion_control: &'a str,
}

/// The outcome of a transfer.
pub struct Sent {
    /// As it is reported.
    pub outcome: Outcome,
    /// True if the receiver took any file, or began to.
    pub is_begun: bool,
}

impl SendRun<'_> {
    /// Follows `files` to its end.
    pub async fn run(
        &self,
        association: &Association,
        left_out: Vec<String>,
        files: Transfer<'_, SendFilesError>,
        interrupt: &mut Interrupt,
    ) -> Sent {
        let clock = Clock::start();
        let progress = Progress::new(clock);
        let mut monitor = PathMonitor::new(clock, DataDirection::Sending);
        let mut view = ProgressView::new(self.arguments.output);
        progress.leave_out(left_out);
        let peer = self.peer;
        let work =
            async { follow(files, &progress).await.map_err(|error| not_sent(association, peer, error)) };
        let failure = watched(association, &mut monitor, &mut view, &progress, interrupt, work).await.err();
        let is_begun = progress.current().is_some() || progress.tally() != FileCounts::default();
        let document = Some(TransferDocument::new(&monitor, &progress, self.resolved.clone()).into());
        let outcome = Outcome { document, summary: self.summary(&monitor, &progress), failure };
        Sent { outcome, is_begun }
    }

    fn summary(&self, monitor: &PathMonitor, progress: &Progress) -> String {
        let took = progress.duration();
        let rate = progress.bytes().rate_over(took).unwrap_or_default();
        let files = match progress.tally().verified {
            1 => "1 file is".to_owned(),
            stored => format!("{stored} files are"),
        };
        let left_out: String = shortened(&progress.left_out(), "left out").map(|line| line + "\n").collect();
        let losses = losses(monitor, took, self.congestion_control);
        format!(
            "{}\n{}{left_out}{} sent in {:.1} s, {rate}{}; {files} stored at the receiver with a verified SHA-256\n{losses}",
            table(monitor, took),
            charges(monitor.links()),
            progress.bytes().rounded(),
            took.as_secs_f64(),
            there_already(progress)
        )
    }
}

/// Describes the sources that are left out.
pub fn left_out(sources: &Sources) -> Vec<String> {
    sources.left_out.iter().map(ToString::to_string).collect()
}

/// Opens every named source before anything is sent, so that a slip costs no transfer.
pub fn open(arguments: &SendArguments) -> Result<Sources, Failure> {
    if arguments.name.is_some() && arguments.files.len() > 1 {
        return Err(Failure::Arguments("--name can be used with one FILE only".to_owned()));
    }
    Ok(Sources::find(&arguments.files, arguments.name.as_deref())?)
}

fn resolved(config: &Config, security: &Security, arguments: &SendArguments, to: &str) -> Value {
    json!({
        "to": to,
        "via": arguments.via.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "limit_rate_bps": arguments.limit_rate.map(BitRate::bits_per_second),
        "security": key::word(security),
        "sctp": settings::resolved(config),
    })
}
