//! `anabranch send --listen`: waits for receivers that fetch the files, and serves one at a time.

use anabranch_base::BitRate;
use anabranch_net::monitor::{DataDirection, PathMonitor};
use anabranch_net::{Association, Clock, Endpoint, Security};
use anabranch_sctp::config::Config;
use anabranch_transfer::protocol::FileKind;
use anabranch_transfer::{Sources, serve_files};
use serde_json::{Value, json};

use crate::arguments::{HostPort, SendArguments};
use crate::endpoint;
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::key::{self, Listening};
use crate::live::{INTERRUPTED, dismiss};
use crate::notice;
use crate::peer::{Partner, Peer};
use crate::ready::{self, LineTarget, OtherEnd};
use crate::report::Outcome;
use crate::send::{SendRun, Sent, left_out, open};
use crate::settings;
use crate::succession::{self, Stay, interrupted};
use crate::unreadable_peers;

/// Serves `found` until one receiver has all, or with `--keep` until Ctrl-C.
///
/// # Errors
/// What went wrong before anything was sent, and Ctrl-C while nothing was.
pub async fn run(
    hosts: &[HostPort],
    found: Sources,
    arguments: &SendArguments,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let once = can_be_read_once(&found);
    if once && arguments.keep {
        return Err(Failure::Arguments(
            "--keep serves the files again and again, and input from a pipe can be read only once: store it in a \
             file first, or leave out --keep"
                .to_owned(),
        ));
    }
    let config = settings::with(settings::for_tools(), &arguments.settings)?;
    let listening = key::to_listen(&arguments.secrecy, interrupt).await?;
    ready::check(&listening, &arguments.output)?;
    let endpoint = endpoint::to_listen(hosts, &config, &listening.security).await?;
    ready::tell(&endpoint, hosts, &listening, LineTarget::by(&arguments.output), RECEIVER);
    let Listening { security, .. } = listening;
    let resolved = resolved(&config, &security, &endpoint, arguments);
    let congestion_control = config.congestion_control;
    let server = Server { endpoint: &endpoint, security, resolved, congestion_control, arguments };
    let ended = server.serve_all(once.then_some(found), interrupt).await;
    dismiss(&endpoint, &ended).await;
    ended
}

/// A sender that listens.
struct Server<'a> {
    endpoint: &'a Endpoint,
    security: Security,
    resolved: Value,
    congestion_control: String,
    arguments: &'a SendArguments,
}

impl Server<'_> {
    /// One receiver after another, as many as are wanted. Sources that can be read only `once` are not looked up again.
    async fn serve_all(&self, once: Option<Sources>, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
        let stay = Stay::of(self.arguments.keep);
        let (mut next, mut broken_off, mut told) = (None, None, Vec::new());
        loop {
            let association = match next.take() {
                Some(association) => association,
                None => tokio::select! {
                    accepted = self.endpoint.accept() => accepted
                        .ok_or_else(|| Failure::System(std::io::Error::other("the sockets were closed")))?,
                    () = interrupt.pressed() => return interrupted(broken_off),
                    never = unreadable_peers::tell(self.endpoint, self.arguments.output, &mut told) => match never {},
                },
            };
            let sources = match once.clone().map_or_else(|| open(self.arguments), Ok) {
                Ok(sources) => sources,
                Err(failure) => {
                    association.abort(&failure.to_string());
                    if !self.arguments.keep {
                        return Err(failure);
                    }
                    // A file that is replaced may be away for a moment.
                    self.tell_broken(&failure, LISTENS);
                    continue;
                }
            };
            let serving = self.serve(&association, sources, interrupt);
            tokio::pin!(serving);
            let Sent { outcome, is_begun } = tokio::select! {
                sent = &mut serving => sent,
                () = succession::successor(self.endpoint, &association, &mut next, stay) => serving.await,
            };
            let is_over = match &outcome.failure {
                Some(Failure::Interrupted) => {
                    if let Some(newcomer) = next {
                        newcomer.abort(INTERRUPTED);
                    }
                    return Ok(outcome);
                }
                None | Some(Failure::NotStored(_)) => true,
                // What a peer of another kind did not take can still be read.
                Some(_) => once.is_some() && is_begun,
            };
            match (is_over, self.arguments.keep) {
                (true, false) => return Ok(outcome),
                (_, true) if is_begun => {
                    outcome.show(self.arguments.result_output());
                }
                _ => {
                    let advice = if is_begun { CONTINUES } else { LISTENS };
                    outcome.failure.iter().for_each(|failure| self.tell_broken(failure, advice));
                    broken_off = is_begun.then_some(outcome).or(broken_off);
                }
            }
        }
    }

    /// One receiver.
    async fn serve(&self, association: &Association, sources: Sources, interrupt: &mut Interrupt) -> Sent {
        let mut monitor = PathMonitor::new(Clock::start(), DataDirection::Sending);
        monitor.update(association);
        let peer = Peer::new(monitor.remote_addresses(), &self.security, Partner::Files);
        let sending = SendRun {
            arguments: self.arguments,
            resolved: &self.resolved,
            peer: &peer,
            congestion_control: &self.congestion_control,
        };
        let left_out = left_out(&sources);
        let files = serve_files(association, sources, self.arguments.limit_rate);
        sending.run(association, left_out, files, interrupt).await
    }

    fn tell_broken(&self, failure: &Failure, advice: &str) {
        failure.tell();
        if !self.arguments.output.quiet {
            notice::tell(advice);
        }
    }
}

/// Returns true if something of it is gone once it was read: input from a pipe.
fn can_be_read_once(sources: &Sources) -> bool {
    sources.entries.iter().any(|entry| entry.offer.kind == FileKind::File { size: None })
}

fn resolved(config: &Config, security: &Security, endpoint: &Endpoint, arguments: &SendArguments) -> Value {
    json!({
        "listen": list(&endpoint.local_addresses()),
        "keep": arguments.keep,
        "limit_rate_bps": arguments.limit_rate.map(BitRate::bits_per_second),
        "security": key::word(security),
        "sctp": settings::resolved(config),
    })
}

/// After a receiver that had nothing,
const LISTENS: &str = "still listening";
/// and after one that had a part.
const CONTINUES: &str = "still listening; the same command on the receiver continues the transfer";
/// The other end: the receiver.
const RECEIVER: OtherEnd = OtherEnd { place: "receiver", command: "anabranch recv", option: "--from" };
