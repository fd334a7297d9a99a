//! `anabranch send --listen`: waits for receivers that fetch the files, and serves one at a time.

use std::ops::ControlFlow;

use anabranch_base::BitRate;
use anabranch_transfer::{Sources, serve_files};
use serde_json::json;

use super::sending::{SendRun, Sent, left_out};
use super::{FileList, can_be_read_once};
use crate::arguments::{HostPort, SendArguments};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::listening::{LineTarget, Listener, Newcomers, OtherEnd, Persistence, ReadyLine, Service};
use crate::notice;
use crate::peer::{Connected, Partner};
use crate::report::Outcome;
use crate::settings;

/// Serves `found` until one receiver has every file, or with `--keep` until Ctrl-C.
///
/// # Errors
/// What failed before anything was sent, and Ctrl-C before anything was.
pub(super) async fn run(
    hosts: &[HostPort],
    files: FileList<'_>,
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
    let config = settings::changed(settings::measurable(settings::for_tools()), &arguments.settings)?;
    let key = key::to_listen(&arguments.secrecy, arguments.output, interrupt).await?;
    let line = ReadyLine { other: RECEIVER, target: LineTarget::by(arguments.output) };
    let listener =
        Listener::open(hosts.into(), &config, &key, Partner::Files, line, arguments.output).await?;
    let resolved = json!({
        "listen": listener.addresses(),
        "keep": arguments.keep,
        "limit_rate_bps": arguments.limit_rate.map(BitRate::bits_per_second),
        "security": key::word(&key.security),
        "sctp": settings::resolved(&config),
    });
    let service = FileService {
        run: SendRun { arguments, resolved, config: &config },
        files,
        once: once.then_some(found),
        broken_off: None,
    };
    listener.serve_all(service, interrupt).await
}

/// The files for every receiver.
struct FileService<'a> {
    run: SendRun<'a>,
    files: FileList<'a>,
    /// Sources that can be read only once, which are not opened again for each receiver.
    once: Option<Sources>,
    /// The latest transfer that began and was broken off.
    broken_off: Option<Outcome>,
}

impl Service for FileService<'_> {
    type Served = Result<Sent, Failure>;

    async fn serve(&mut self, receiver: &Connected, interrupt: &mut Interrupt) -> Result<Sent, Failure> {
        let arguments = self.run.arguments;
        let sources = self.once.clone().map_or_else(|| self.files.open(), Ok);
        let sources = sources.inspect_err(|failure| receiver.association.abort(&failure.to_string()))?;
        let left_out = left_out(&sources);
        let files = serve_files(&receiver.association, sources, arguments.limit_rate);
        Ok(self.run.follow(receiver, left_out, files, interrupt).await)
    }

    async fn on_served(
        &mut self,
        _: Connected,
        served: Result<Sent, Failure>,
        _: bool,
    ) -> ControlFlow<Result<Outcome, Failure>> {
        let keep = self.run.arguments.keep;
        let Sent { outcome, is_begun, .. } = match served {
            Ok(sent) => sent,
            Err(failure) if keep => {
                // A file that is being replaced may be absent for a moment.
                self.report(&failure, LISTENS);
                return ControlFlow::Continue(());
            }
            Err(failure) => return ControlFlow::Break(Err(failure)),
        };
        let is_over = match &outcome.failure {
            Some(Failure::Interrupted) => return ControlFlow::Break(Ok(outcome)),
            None | Some(Failure::NotStored(_)) => true,
            // Input that a peer of another kind did not take can still be read.
            Some(_) => self.once.is_some() && is_begun,
        };
        if is_over && !keep {
            return ControlFlow::Break(Ok(outcome));
        }
        if keep && is_begun {
            outcome.show(self.run.arguments.result_output());
            return ControlFlow::Continue(());
        }
        let advice = if is_begun { CONTINUES } else { LISTENS };
        outcome.failure.iter().for_each(|failure| self.report(failure, advice));
        if is_begun {
            self.broken_off = Some(outcome);
        }
        ControlFlow::Continue(())
    }

    fn on_interrupt(&mut self) -> Result<Outcome, Failure> {
        Outcome::interrupted(self.broken_off.take())
    }

    fn newcomers(&self) -> Newcomers {
        Newcomers::AfterTransfer(Persistence::of(self.run.arguments.keep))
    }
}

impl FileService<'_> {
    fn report(&self, failure: &Failure, advice: &str) {
        failure.tell();
        if !self.run.arguments.output.quiet {
            notice::tell(advice);
        }
    }
}

/// The notice after a receiver that got nothing.
const LISTENS: &str = "still listening";
/// The notice after a receiver that got a part.
const CONTINUES: &str = "still listening; the same command on the receiver continues the transfer";
const RECEIVER: OtherEnd = OtherEnd { place: "receiver", command: "anabranch recv", option: "--from" };
