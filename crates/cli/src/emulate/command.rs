//! `anabranch emulate -- COMMAND`: runs a command in a network namespace, with one interface per path.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anabranch_base::{Duration, Seed};
use anabranch_emulate::RelayReport;
use anabranch_emulate::namespaces::{NamespacePair, SetupError, may_have_namespaces};
use anabranch_emulate::supervised::{self, BlockedSignals, CommandOutput, Job, SupervisedCommand};
use anabranch_files::WholeFile;
use anabranch_lab::load::{LARGEST, why};
use anabranch_lab::{LoadError, Origin, Purpose, load_bytes};
use anabranch_observe::{Body, CannotWrite};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::{document, refuse_appstripe, table};
use crate::arguments::EmulateArguments;
use crate::failure::Failure;
use crate::notice;
use crate::policies;
use crate::report::{Outcome, ending, print_line, wait_until_printed};
use crate::scenario::refuse_replaced;
use crate::signals;
use anabranch_net::Clock;

/// Runs this process as one that supervises the command, if it was started for that.
pub(crate) fn run_if_spawned(words: &[OsString]) -> Option<ExitCode> {
    supervised::run_if_spawned(words)
}

/// Runs the command, and returns its exit status. It must be called before there are threads.
pub(crate) fn run_command(arguments: &EmulateArguments) -> ExitCode {
    let (status, outcome) = match run(arguments) {
        Ok(status) => (status, Outcome::default()),
        Err(failure) => (0, failure.into()),
    };
    outcome.show(arguments.result_output());
    // From here on, signals end the program: only the reader of the output is waited for.
    let _ = supervised::end_by_signals();
    wait_until_printed();
    match status {
        0 => ending(outcome.failure.as_ref()),
        status => ExitCode::from(status),
    }
}

fn run(arguments: &EmulateArguments) -> Result<u8, Failure> {
    refuse_replaced("--report", arguments.report.as_deref(), &[&arguments.scenario])?;
    let blocked_signals = BlockedSignals::block()?;
    let (bytes, origin) = read_before(&arguments.scenario, &blocked_signals)?;
    let loaded = load_bytes(&bytes, origin, &arguments.changes(), Purpose::Links, &policies::registry())?;
    let scenario = &loaded.scenario;
    refuse_appstripe(scenario)?;
    // A file that cannot be written fails before anything runs.
    let report_file = arguments.report.as_deref().map(ReportFile::create).transpose()?;
    may_have_namespaces().map_err(SetupError::Namespace)?;
    let namespaces = NamespacePair::open(scenario, &Seed::from_number(scenario.run.seed))?;
    let supervised = SupervisedCommand::begin(blocked_signals, &namespaces, &job(arguments))?;
    let status = wait(arguments, &namespaces, &supervised)?;
    let report = namespaces.stop();
    let body = document::of_command(&loaded, &report, status);
    if let Some(file) = report_file {
        file.write(&body)?;
    }
    tell(arguments, &report, &body);
    Ok(status)
}

/// Reads the scenario, unless a signal arrives first: a terminal, a pipe or a FIFO may give nothing, and no thread may
/// exist yet that could wait for it.
fn read_before(file: &Path, signals: &BlockedSignals) -> Result<(Vec<u8>, Origin), Failure> {
    let not_read =
        |error: &io::Error| Failure::from(LoadError::NotRead { file: file.to_owned(), why: why(error) });
    if file.as_os_str() == "-" {
        let bytes = bytes_before(rustix::stdio::stdin(), signals, not_read)?;
        return Ok((bytes, Origin::of_text("stdin", Some(PathBuf::new()))));
    }
    let opened = rustix::fs::open(file, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
    let opened = opened.map_err(|error| not_read(&error.into()))?;
    Ok((bytes_before(opened.as_fd(), signals, not_read)?, Origin::of_file(file)))
}

fn bytes_before(
    source: BorrowedFd<'_>,
    signals: &BlockedSignals,
    not_read: impl Fn(&io::Error) -> Failure,
) -> Result<Vec<u8>, Failure> {
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        if let Some(signal) = signals.before(source)? {
            signals::record(signal);
            return Err(Failure::Interrupted);
        }
        match rustix::io::read(source, &mut piece[..]) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(not_read(&error.into())),
        }
        if bytes.len() as u64 > LARGEST {
            return Err(not_read(&io::Error::other(format!("it has more than {} MiB", LARGEST >> 20))));
        }
    }
}

fn job(arguments: &EmulateArguments) -> Job {
    let is_ours = arguments.output.is_json();
    Job {
        command: arguments.command.clone(),
        lines: arguments.far.clone(),
        output: if is_ours { CommandOutput::Error } else { CommandOutput::Output },
    }
}

/// Waits until the command ends.
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

/// Reports the links. Standard output belongs to the command unless a document was requested.
fn tell(arguments: &EmulateArguments, report: &RelayReport, body: &Body) {
    let output = arguments.result_output();
    if output.is_json() {
        let outcome = Outcome { document: Some(body.clone()), ..Outcome::default() };
        outcome.show(output);
    } else if !output.quiet && arguments.report.is_none() {
        notice::show(table::relayed(report).trim_end());
    }
}

/// The file of `--report`.
struct ReportFile<'a> {
    path: &'a Path,
    file: WholeFile,
}

impl ReportFile<'_> {
    fn create(path: &Path) -> Result<ReportFile<'_>, Failure> {
        let file = WholeFile::at(path).map_err(|error| cannot_write(path, error))?;
        Ok(ReportFile { path, file })
    }

    fn write(mut self, body: &Body) -> Result<(), Failure> {
        let written = writeln!(self.file, "{:#}", body.value(None)).and_then(|()| self.file.finish());
        written.map_err(|error| cannot_write(self.path, error))
    }
}

fn cannot_write(path: &Path, source: io::Error) -> Failure {
    Failure::Record(CannotWrite { path: path.to_owned(), source })
}

const SECOND: Duration = Duration::from_secs(1);
