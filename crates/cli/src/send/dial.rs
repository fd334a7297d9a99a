//! `anabranch send --to`: dials a receiver that listens.

use anabranch_base::BitRate;
use anabranch_transfer::{Sources, send_files};
use serde_json::{Value, json};

use super::sending::{SendRun, left_out};
use super::{FileList, can_be_read_once};
use crate::arguments::{HostPort, RetryLimit, SendArguments};
use crate::dialing::{Dialer, Route};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::peer::Partner;
use crate::report::Outcome;
use crate::retry::{self, Attempt, Attempts};
use crate::settings;

/// Sends `found` to the receiver at `hosts`.
///
/// # Errors
/// What failed before anything was sent.
pub(super) async fn run(
    hosts: &[HostPort],
    files: FileList<'_>,
    found: Sources,
    arguments: &SendArguments,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let config = settings::changed(settings::for_tools(), &arguments.settings)?;
    let security = key::to_dial(&arguments.secrecy, interrupt).await?;
    let dialer = Dialer { config, security, mark: None, partner: Partner::Files, output: arguments.output };
    let dialled = Dialled { hosts, dialer, sender: FileSender::new(arguments, files, found) };
    retry::within(arguments.retry, arguments.output, dialled, interrupt).await
}

/// The transfer to a receiver that listens.
struct Dialled<'a> {
    hosts: &'a [HostPort],
    dialer: Dialer,
    sender: FileSender<'a>,
}

impl Attempts for Dialled<'_> {
    async fn attempt(&mut self, interrupt: &mut Interrupt) -> Attempt {
        // Names and interfaces may have other addresses than before.
        match Route::find(self.dialer.clone(), self.hosts, &self.sender.arguments.via).await {
            Ok(route) => self.sender.send_over(&route, interrupt).await,
            Err(failure) => Attempt::failed(failure),
        }
    }
}

/// The files, for one attempt after another.
pub(super) struct FileSender<'a> {
    arguments: &'a SendArguments,
    files: FileList<'a>,
    /// The sources of the first attempt; of all, if they can be read only once.
    found: Option<Sources>,
    is_once: bool,
}

impl<'a> FileSender<'a> {
    pub(super) fn new(arguments: &'a SendArguments, files: FileList<'a>, found: Sources) -> FileSender<'a> {
        let is_once = can_be_read_once(&found);
        FileSender { arguments, files, found: Some(found), is_once }
    }

    /// Connects over `route` and sends the files.
    pub(super) async fn send_over(&mut self, route: &Route, interrupt: &mut Interrupt) -> Attempt {
        let found = if self.is_once { self.found.clone() } else { self.found.take() };
        let sources = match found.map_or_else(|| self.files.open(), Ok) {
            Ok(sources) => sources,
            Err(failure) => return Attempt::failed(failure),
        };
        let (arguments, is_once) = (self.arguments, self.is_once);
        let run = SendRun { arguments, resolved: resolved(route, arguments), config: &route.dialer.config };
        let sent = route.dial(interrupt, async |receiver, interrupt| {
            let left_out = left_out(&sources);
            let files = send_files(&receiver.association, sources, arguments.limit_rate);
            Ok(run.follow(&receiver, left_out, files, interrupt).await)
        });
        match sent.await {
            Ok(sent) => Attempt {
                outcome: Ok(sent.outcome),
                has_connected: true,
                has_moved: sent.has_moved,
                is_last: is_once && sent.is_begun,
            },
            Err(failure) => Attempt::failed(failure),
        }
    }
}

fn resolved(route: &Route, arguments: &SendArguments) -> Value {
    json!({
        "to": route.hosts(),
        "via": arguments.via.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "retry": arguments.retry.as_ref().map(RetryLimit::to_string),
        "limit_rate_bps": arguments.limit_rate.map(BitRate::bits_per_second),
        "security": key::word(&route.dialer.security),
        "sctp": settings::resolved(&route.dialer.config),
    })
}
