//! `anabranch emulate` with a command: it runs in a network namespace, with one interface per path.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anabranch_base::{Duration, Seed};
use anabranch_emulate::RelayReport;
use anabranch_emulate::namespaces::{NamespacePair, SetupError, may_have_namespaces};
use anabranch_emulate::supervised::{self, BlockedSignals, CommandOutput, Job, SupervisedCommand};
use anabranch_observe::{Body, CannotWrite};

use super::{document, refuse_appstripe, table};
use crate::arguments::EmulateArguments;
use crate::failure::Failure;
use crate::notice;
use crate::report::{Outcome, ending, print_line};
use crate::scenario::load_links;
use anabranch_net::Clock;

/// What this process has to do if it is one of those that stand between a user and the command.
pub fn run_if_spawned(words: &[OsString]) -> Option<ExitCode> {
    supervised::run_if_spawned(words)
}

/// Runs the command and ends as that does. It must be called before there are threads.
pub fn run_command(arguments: &EmulateArguments) -> ExitCode {
    match run(arguments) {
        Ok(0) => ending(None),
        Ok(status) => ExitCode::from(status),
        Err(failure) => Outcome::from(failure).print(arguments.result_output()),
    }
}

fn run(arguments: &EmulateArguments) -> Result<u8, Failure> {
    let loaded = load_links(&arguments.scenario, &arguments.changes())?;
    let scenario = &loaded.scenario;
    refuse_appstripe(scenario)?;
    // Known before anything runs.
    let mut kept = arguments.report.as_deref().map(Kept::create).transpose()?;
    let blocked_signals = BlockedSignals::block()?;
    may_have_namespaces().map_err(SetupError::Namespace)?;
    let namespaces = NamespacePair::open(scenario, &Seed::from_number(scenario.run.seed))?;
    let supervised = SupervisedCommand::begin(blocked_signals, &namespaces, &job(arguments))?;
    let status = wait(arguments, &namespaces, &supervised)?;
    let report = namespaces.stop();
    let body = document::of_command(&loaded, &report, status);
    if let Some(kept) = &mut kept {
        kept.write(&body)?;
    }
    tell(arguments, &report, &body);
    Ok(status)
}

fn job(arguments: &EmulateArguments) -> Job {
    let is_ours = arguments.output.is_json();
    Job {
        command: arguments.command.clone(),
        lines: arguments.far.clone(),
        output: if is_ours { CommandOutput::Error } else { CommandOutput::Output },
    }
}

/// Until the command ends.
fn wait(
    arguments: &EmulateArguments,
    namespaces: &NamespacePair,
    supervised: &SupervisedCommand,
) -> Result<u8, Failure> {
    let tells = arguments.output.json_lines;
    let mut clock = Clock::start();
    loop {
        let left = tells.then(|| SECOND.saturating_sub(clock.elapsed()));
        if let Some(status) = supervised.wait(left)? {
            return Ok(status);
        }
        if tells && clock.elapsed() >= SECOND {
            clock = Clock::start();
            print_line(&document::line(&namespaces.report()).to_string());
        }
    }
}

/// Standard output is the command's unless a document was asked for there.
fn tell(arguments: &EmulateArguments, report: &RelayReport, body: &Body) {
    let output = arguments.result_output();
    if output.is_json() {
        let outcome = Outcome { document: Some(body.clone()), ..Outcome::default() };
        outcome.print(output);
    } else if !output.quiet && arguments.report.is_none() {
        notice::show(table::relayed(report).trim_end());
    }
}

/// The file in which the document is kept.
struct Kept<'a> {
    path: &'a Path,
    file: File,
}

impl Kept<'_> {
    fn create(path: &Path) -> Result<Kept<'_>, Failure> {
        let file = File::create(path).map_err(|error| cannot_write(path, error))?;
        Ok(Kept { path, file })
    }

    fn write(&mut self, body: &Body) -> Result<(), Failure> {
        writeln!(self.file, "{:#}", body.value(None)).map_err(|error| cannot_write(self.path, error))
    }
}

fn cannot_write(path: &Path, source: io::Error) -> Failure {
    Failure::Record(CannotWrite { path: path.to_owned(), source })
}

const SECOND: Duration = Duration::from_secs(1);
