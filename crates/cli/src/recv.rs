//! `anabranch recv`: listens, receives, says what became of it. It knows the order of these steps; each is
//! done elsewhere.

use std::convert::Infallible;

use anabranch_net::{Association, Endpoint, Follow, Options, Security};
use anabranch_planner::live;
use anabranch_sctp::config::Config;
use serde_json::{Value, json};

use crate::addresses;
use crate::arguments::{Output, RecvArguments};
use crate::clock::Stopwatch;
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::key::{self, Listening};
use crate::live::{farewell, watched};
use crate::peer::Peer;
use crate::quantity::show_size;
use crate::report::{self, Document, Outcome, hex, table};
use crate::settings;
use crate::transfer::{Overwrite, Progress, Store, receive_files};
use crate::view::View;
use crate::watch::{Direction, Watch, addresses_of};

/// Runs the command.
///
/// # Errors
/// What went wrong before anything was received, and Ctrl-C while nothing was.
pub async fn run(arguments: &RecvArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let config = settings::with(settings::for_tools(), &arguments.settings)?;
    let listening = key::to_listen(&arguments.secrecy)?;
    if listening.fresh.is_some() && arguments.output.quiet {
        return Err(Failure::Key(format!(
            "with --quiet nobody would learn the fresh key: set {}, or give --key-file",
            key::VARIABLE
        )));
    }
    let overwrite = if arguments.force { Overwrite::Always } else { Overwrite::Never };
    let store = Store::open(&arguments.dir, overwrite)?;
    let local = addresses::to_listen(&arguments.listen).await?;
    let options = Options {
        local,
        follow: if arguments.listen.is_empty() { Follow::EachInterface } else { Follow::Nothing },
        accepts: true,
        config: config.clone(),
        registry: live::registry(),
        ..Options::with(listening.security.clone())
    };
    let endpoint = Endpoint::bind(options).map_err(|error| addresses::bind_failure(&error))?;
    tell_where(&endpoint, &listening, &arguments.output);
    let Listening { security, .. } = listening;
    let resolved = resolved(&config, &security, &endpoint, arguments);
    loop {
        let association = tokio::select! {
            accepted = endpoint.accept() => accepted,
            () = interrupt.pressed() => return Err(Failure::Interrupted),
        };
        let Some(association) = association else {
            return Err(Failure::System(std::io::Error::other("the sockets were closed")));
        };
        let outcome = tokio::select! {
            outcome = receive(&association, &security, store.clone(), &resolved, arguments, interrupt) => outcome,
            never = turn_away(&endpoint) => match never {},
        };
        match outcome {
            // Somebody connected and left, a port scan perhaps: that was no transfer.
            None => {}
            Some(outcome) if arguments.keep && !matches!(outcome.failure, Some(Failure::Interrupted)) => {
                outcome.print(arguments.result_output());
            }
            Some(outcome) => {
                farewell(&endpoint).await;
                return Ok(outcome);
            }
        }
    }
}

/// One transfer; `None` where the peer left without offering a file.
async fn receive(
    association: &Association,
    security: &Security,
    store: Store,
    resolved: &Value,
    arguments: &RecvArguments,
    interrupt: &mut Interrupt,
) -> Option<Outcome> {
    let clock = Stopwatch::start();
    let progress = Progress::new(clock);
    let mut watch = Watch::new(clock, Direction::Receiving, addresses_of);
    let mut view = View::new(arguments.output);
    watch.look(association);
    let peer = Peer::new(watch.paths().iter().map(|path| path.report.addresses.remote).collect(), security);
    let dir = store.dir().to_owned();
    let work = receive_files(association, &peer, store, &progress);
    let failure = watched(association, &mut watch, &mut view, &progress, interrupt, work).await.err();
    let is_nothing = progress.done().is_empty() && matches!(failure, None | Some(Failure::PeerGone(_)));
    if is_nothing && progress.current().is_none() {
        if !arguments.output.quiet {
            eprintln!("{peer} connected and left without sending a file; still listening");
        }
        return None;
    }
    let summary = summary(&watch, &progress, &dir.display().to_string());
    Some(Outcome {
        document: Some(Document::new(&watch, &progress, resolved.clone()).into()),
        summary,
        failure,
    })
}

/// While one transfer runs, others are told so. Never ends.
async fn turn_away(endpoint: &Endpoint) -> Infallible {
    while let Some(association) = endpoint.accept().await {
        association.abort("busy with another transfer; try again later");
    }
    std::future::pending().await
}

/// The line to paste on the sender, with the key if it is fresh. Whoever reads JSON finds it on standard error.
fn tell_where(endpoint: &Endpoint, listening: &Listening, output: &Output) {
    if output.quiet {
        return;
    }
    let to = addresses::to_paste(&endpoint.local_addresses());
    let key = listening.fresh.as_ref().map(|key| format!("{}={} ", key::VARIABLE, *key.reveal()));
    let (key, plain) = match listening.security {
        Security::Sealed(_) => (key.unwrap_or_default(), ""),
        Security::Insecure => (String::new(), "--insecure "),
    };
    let line = format!("ready; on the sender: {key}anabranch send FILE {plain}--to {to}");
    if output.is_json() {
        eprintln!("{line}");
    } else {
        report::print_line(&line);
    }
}

fn summary(watch: &Watch, progress: &Progress, dir: &str) -> String {
    let took = progress.duration();
    let done = progress.done();
    let stored = done.iter().filter(|file| file.verdict.is_verified());
    let files: String = stored
        .map(|file| {
            let digest = file.digest.as_ref().map(hex).unwrap_or_default();
            format!("{dir}/{}  {}  SHA-256 {digest}\n", file.name, show_size(file.size))
        })
        .collect();
    let rate = progress.bytes().rate_over(took).unwrap_or_default();
    let bytes = show_size(progress.bytes());
    format!("{}\n{files}{bytes} received in {:.1} s, {rate}\n", table(watch, took), took.as_secs_f64())
}

fn resolved(config: &Config, security: &Security, endpoint: &Endpoint, arguments: &RecvArguments) -> Value {
    json!({
        "listen": list(&endpoint.local_addresses()),
        "dir": arguments.dir.display().to_string(),
        "keep": arguments.keep,
        "force": arguments.force,
        "security": key::word(security),
        "sctp": settings::resolved(config),
    })
}
