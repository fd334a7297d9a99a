//! `anabranch send FILE user@host:dir`: starts a receiver on the other host by ssh, and sends to it.
//!
//! The receiver reads a new key from its standard input, prints its addresses, and ends when that input does: with the
//! connection of ssh, or with this program.

mod addresses;
mod command;
mod output;
mod session;

use anabranch_net::Security;
use anabranch_transfer::Sources;

use super::FileList;
use super::dial::FileSender;
use crate::arguments::{RemotePlace, SendArguments};
use crate::dialing::{Dialer, Route};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::peer::Partner;
use crate::report::Outcome;
use crate::retry::{self, Attempt, Attempts};
use crate::settings;
use command::SshCommand;
use session::Session;

/// Sends `found` to the directory `place`.
///
/// # Errors
/// What failed before anything was sent.
pub(super) async fn run(
    place: RemotePlace,
    files: FileList<'_>,
    found: Sources,
    arguments: &SendArguments,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    if arguments.secrecy.insecure || arguments.secrecy.key_file.is_some() {
        return Err(Failure::Arguments(
            "HOST:DIR gives the other end a new key through ssh: leave out --key-file and --insecure"
                .to_owned(),
        ));
    }
    let config = settings::changed(settings::for_tools(), &arguments.settings)?;
    let command = SshCommand::to(place, arguments)?;
    let dialer = Dialer {
        config,
        security: Security::Insecure,
        mark: None,
        partner: Partner::Files,
        output: arguments.output,
    };
    let sender = FileSender::new(arguments, files, found);
    let started = Started { command, dialer, sender, arguments, running: None };
    retry::within(arguments.retry, arguments.output, started, interrupt).await
}

/// The transfer to a receiver that ssh starts.
struct Started<'a> {
    command: SshCommand,
    dialer: Dialer,
    sender: FileSender<'a>,
    arguments: &'a SendArguments,
    /// The receiver of an earlier attempt.
    running: Option<Running>,
}

/// A receiver on the other host, and the way to it.
struct Running {
    session: Session,
    route: Route,
}

impl Attempts for Started<'_> {
    async fn attempt(&mut self, interrupt: &mut Interrupt) -> Attempt {
        let running = match self.running(interrupt).await {
            Ok(running) => running,
            Err(failure) => return Attempt::failed(failure),
        };
        let mut attempt = self.sender.send_over(&running.route, interrupt).await;
        match &mut attempt.outcome {
            Ok(outcome) if outcome.failure.is_none() => {
                outcome.failure = running.session.ended().await.err().map(Failure::from);
            }
            // The receiver keeps its part, and waits for the next attempt.
            _ if self.arguments.retry.is_some() => self.running = Some(running),
            _ => running.session.end().await,
        }
        attempt
    }
}

impl Started<'_> {
    /// The receiver that is still there, or a new one.
    async fn running(&mut self, interrupt: &mut Interrupt) -> Result<Running, Failure> {
        if let Some(mut running) = self.running.take() {
            if running.session.is_running() {
                return Ok(running);
            }
            running.session.end().await;
        }
        let key = key::fresh()?;
        let (session, ready) = tokio::select! {
            started = Session::start(&self.command, &key) => started?,
            () = interrupt.pressed() => return Err(Failure::Interrupted),
        };
        let to = addresses::of(&self.command, &ready).await?;
        let dialer = Dialer { security: Security::Sealed(key), ..self.dialer.clone() };
        let via = &self.arguments.via;
        let route =
            Route::to(dialer.clone(), to.all(), via).or_else(|_| Route::to(dialer, to.first(), via))?;
        Ok(Running { session, route })
    }
}
