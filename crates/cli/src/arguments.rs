//! The arguments of the command line. This module only parses: it looks up no name and opens no file.

#[cfg(any(test, not(feature = "full")))]
mod absent;
mod bench;
mod compare;
#[cfg(feature = "full")]
mod doctor;
mod emulate;
#[cfg(feature = "full")]
mod figures;
#[cfg(feature = "full")]
mod forward;
mod host;
mod models;
#[cfg(feature = "full")]
pub(crate) mod options_file;
mod output;
#[cfg(feature = "full")]
mod plan;
mod quantity;
#[cfg(feature = "full")]
mod recorded;
mod remarks;
mod remote;
mod retry;
mod secrecy;
mod setting_changes;
mod settings_request;
#[cfg(feature = "full")]
mod shell;
mod sim;
#[cfg(feature = "full")]
mod status;
#[cfg(feature = "full")]
mod sweep;
mod transfer;
mod via;
mod wrong;

pub(crate) use bench::BenchArguments;
pub(crate) use compare::{CompareArguments, DemoArguments};
#[cfg(feature = "full")]
pub(crate) use doctor::DoctorArguments;
pub(crate) use emulate::EmulateArguments;
#[cfg(feature = "full")]
pub(crate) use figures::{
    ALL, FiguresArguments, FiguresCommand, ReportArguments, RunArguments, StudyArguments,
};
#[cfg(feature = "full")]
pub(crate) use forward::{ForwardArguments, LocalPort, PortMapping};
pub(crate) use host::HostPort;
pub(crate) use models::PredictArguments;
pub(crate) use output::{Output, Timing};
#[cfg(feature = "full")]
pub(crate) use plan::{MethodName, PlanArguments};
#[cfg(feature = "full")]
pub(crate) use recorded::{FromArguments, ScenarioArguments, ScenarioCommand};
pub(crate) use remarks::{Example, Remarks};
pub(crate) use remote::{Receiver, RemotePlace};
pub(crate) use retry::RetryLimit;
pub(crate) use secrecy::Secrecy;
pub(crate) use setting_changes::SettingChanges;
pub(crate) use settings_request::settings_request;
pub(crate) use settings_request::{SettingGroup, SettingsRequest};
#[cfg(feature = "full")]
pub(crate) use shell::{CompletionsArguments, ManualArguments};
pub(crate) use sim::{Percentage, SimArguments};
#[cfg(feature = "full")]
pub(crate) use status::StatusArguments;
#[cfg(feature = "full")]
pub(crate) use sweep::SweepArguments;
pub(crate) use transfer::{RecvArguments, SendArguments};
pub(crate) use via::Via;
pub(crate) use wrong::ArgumentError;

#[cfg(not(feature = "full"))]
use absent::AbsentArguments as ScenarioArguments;
#[cfg(not(feature = "full"))]
use absent::AbsentArguments as PlanArguments;
#[cfg(not(feature = "full"))]
use absent::AbsentArguments as SweepArguments;
#[cfg(not(feature = "full"))]
use absent::AbsentArguments as FiguresArguments;
#[cfg(not(feature = "full"))]
use absent::AbsentArguments as ForwardArguments;
#[cfg(not(feature = "full"))]
use absent::AbsentArguments as DoctorArguments;
#[cfg(not(feature = "full"))]
use absent::AbsentArguments as StatusArguments;
#[cfg(not(feature = "full"))]
use absent::AbsentArguments as CompletionsArguments;
#[cfg(not(feature = "full"))]
use absent::AbsentArguments as ManualArguments;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

/// Bond several links into one: sends files over all paths between two hosts at once.
#[derive(Debug, Parser)]
#[command(name = "anabranch", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "a program has one, which is not moved about")]
pub(crate) enum Command {
    /// Demonstrate two links of a phone: predicted, simulated and real results in one table
    Demo(DemoArguments),
    /// Run a scenario in the simulator
    Sim(SimArguments),
    /// Make scenarios from recordings of links
    Scenario(ScenarioArguments),
    /// Predict throughput with analytic models
    Predict(PredictArguments),
    /// Plan a window limit for each path in a shared receive buffer
    Plan(PlanArguments),
    /// Compare predicted, simulated and real results: each path of a scenario alone, and all together
    Compare(CompareArguments),
    /// Sweep over a grid of scenarios: every point simulated several times, a table of all runs
    Sweep(SweepArguments),
    /// Reproduce the papers' figures, and judge the claims about them
    Figures(FiguresArguments),
    /// Emulate a scenario's links between real programs: interfaces for any COMMAND, or a relay for UDP
    Emulate(EmulateArguments),
    /// Send files over all usable paths to a host that runs `anabranch recv`
    Send(SendArguments),
    /// Receive files from `anabranch send`, verify them and store them in a directory
    Recv(RecvArguments),
    /// Measure the goodput of the paths to a host that runs `anabranch bench --serve`
    Bench(BenchArguments),
    /// Measure the links to another host: why the bond over them is slow, and what would help
    Doctor(DoctorArguments),
    /// Carry the connections of other programs over all links, by SOCKS5, HTTP CONNECT and ports
    Forward(ForwardArguments),
    /// Show the links, flows and rates of the running `anabranch forward`
    Status(StatusArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
    /// Write the manual pages into a directory, for packages
    #[command(hide = true)]
    Manual(ManualArguments),
}

impl Arguments {
    /// The form in which the command's result is printed.
    pub(crate) fn output(&self) -> Output {
        match &self.command {
            Command::Demo(demo) => demo.output,
            Command::Sim(sim) => sim.output,
            Command::Predict(predict) => predict.output,
            Command::Compare(compare) => compare.output,
            Command::Emulate(emulate) => emulate.result_output(),
            Command::Send(send) => send.result_output(),
            Command::Recv(recv) => recv.result_output(),
            Command::Bench(bench) => bench.result_output(),
            #[cfg(feature = "full")]
            Command::Forward(forward) => forward.output(),
            #[cfg(feature = "full")]
            Command::Doctor(doctor) => doctor.output,
            #[cfg(feature = "full")]
            Command::Status(status) => status.output(),
            #[cfg(feature = "full")]
            Command::Scenario(scenario) => scenario.output(),
            #[cfg(feature = "full")]
            Command::Plan(plan) => plan.output,
            #[cfg(feature = "full")]
            Command::Sweep(sweep) => sweep.output,
            #[cfg(feature = "full")]
            Command::Figures(figures) => figures.output(),
            #[cfg(feature = "full")]
            Command::Completions(_) | Command::Manual(_) => Output::default(),
            #[cfg(not(feature = "full"))]
            Command::Forward(absent)
            | Command::Doctor(absent)
            | Command::Status(absent)
            | Command::Scenario(absent)
            | Command::Plan(absent)
            | Command::Sweep(absent)
            | Command::Figures(absent)
            | Command::Completions(absent)
            | Command::Manual(absent) => absent.output(),
        }
    }
}

impl Command {
    /// Returns true if the command runs until it is stopped, so that its messages are a log.
    pub(crate) fn is_service(&self) -> bool {
        match self {
            Command::Send(send) => send.listen.is_some() && send.keep,
            Command::Recv(recv) => recv.keep,
            Command::Bench(bench) => bench.serve && !bench.once,
            #[cfg(feature = "full")]
            Command::Forward(forward) => forward.runs_on(),
            _ => false,
        }
    }
}

/// Why the arguments were not parsed.
#[derive(Debug)]
pub(crate) enum NotParsed {
    /// Help or the version was requested, or help is shown because nothing was given.
    Help(clap::Error),
    /// An argument is wrong.
    Wrong(ArgumentError),
}

/// Parses a command line, whose first word is the program's name.
///
/// # Errors
/// It is wrong, or asks for help or the version.
pub(crate) fn parse(words: &[OsString]) -> Result<Arguments, NotParsed> {
    parse_words(words).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => NotParsed::Help(error),
        _ => {
            let mut program = Arguments::command();
            program.build();
            let shown: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            NotParsed::Wrong(ArgumentError::of(&error, &shown, &program))
        }
    })
}

fn parse_words(words: &[impl Into<OsString> + Clone]) -> Result<Arguments, clap::Error> {
    let mut matches = laid_out(Arguments::command()).try_get_matches_from(words.to_vec())?;
    Arguments::from_arg_matches_mut(&mut matches)
}

/// The usage line of a command, as in `--help`.
pub(crate) fn usage(command: &clap::Command) -> String {
    command.clone().help_template("{usage}").render_help().to_string().trim().to_owned()
}

/// The command and its subcommands, with their remarks laid out for a terminal.
fn laid_out(command: clap::Command) -> clap::Command {
    #[cfg(not(feature = "full"))]
    let command = absent::marked(command);
    let remarks = command.get_after_help().map(|remarks| Remarks::of(&remarks.to_string()).laid_out());
    command.after_help(remarks.unwrap_or_default()).mut_subcommands(laid_out)
}

const EXAMPLES: &str = "\
Examples:
  see a demonstration:            anabranch demo
  simulate a scenario:            anabranch sim scenarios/wifi-lte.toml
  on one host:                    anabranch recv --dir inbox
  on the other, as printed:       ANABRANCH_KEY=… anabranch send big.iso --to 192.0.2.1,198.51.100.1

See `anabranch COMMAND --help` for details. Exit status: 0 success, 1 failure, 2 invalid input,
130 after Ctrl-C.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn examples_fit_a_terminal_of_80_columns() {
        let program = Arguments::command();
        for command in std::iter::once(&program).chain(program.get_subcommands()) {
            let remarks = command.get_after_help().map(|remarks| Remarks::of(&remarks.to_string()));
            let examples = remarks.unwrap_or_default().laid_out();
            let (_, examples) = examples.split_once("Examples:\n").expect("every command has examples");
            let examples = examples.split("\n\n").next().unwrap_or_default();
            for line in examples.lines() {
                assert!(line.chars().count() <= 80, "{}: {line:?} is wider", command.get_name());
            }
        }
    }
}
