//! The anabranch program: reads the command line, runs one command, ends with its status.

mod addresses;
mod arguments;
mod bench;
mod clock;
mod compare;
mod completions;
mod demo;
mod emulate;
mod endpoint;
mod failure;
mod interrupt;
mod key;
mod live;
mod manual;
mod peer;
mod plan;
mod predict;
mod quantity;
mod ready;
mod recv;
mod report;
mod scenario;
mod send;
mod settings;
mod sim;
mod transfer;
mod turns;
mod view;

use std::ffi::OsString;
use std::process::ExitCode;

use anabranch_observe::Body;
use clap::error::ErrorKind;

use arguments::{Command, asks_for_settings};
use failure::Failure;
use interrupt::Interrupt;
use report::Outcome;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = emulate::run_if_spawned(&words) {
        return code;
    }
    let given: Vec<String> = words.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    if asks_for_settings(&given) {
        report::print_line(settings::list().trim_end());
        return ExitCode::SUCCESS;
    }
    let arguments = match arguments::parse() {
        Ok(arguments) => arguments,
        Err(error) => return not_understood(&error),
    };
    if let Command::Emulate(emulated) = &arguments.command
        && !emulated.command.is_empty()
    {
        return emulate::run_command(emulated);
    }
    let output = arguments.output();
    if let Command::Compare(compared) = &arguments.command
        && let Err(failure) = compare::prepare(compared)
    {
        return Outcome::from(failure).print(output);
    }
    let outcome = match tokio::runtime::Runtime::new() {
        Ok(runtime) => {
            // On a worker, where it and the driver of the sockets take turns: on this thread each message would wake another.
            let command = runtime.spawn(run(arguments.command));
            let outcome = match runtime.block_on(command) {
                Ok(outcome) => outcome.unwrap_or_else(Outcome::from),
                Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
            };
            // A thread that still reads standard input must not hold up the end.
            runtime.shutdown_background();
            outcome
        }
        Err(error) => Failure::System(error).into(),
    };
    outcome.print(output)
}

async fn run(command: Command) -> Result<Outcome, Failure> {
    let mut interrupt = Interrupt::listen()?;
    match &command {
        Command::Demo(arguments) => demo::run(arguments, &mut interrupt).await,
        Command::Sim(arguments) => sim::run(arguments, &mut interrupt).await,
        Command::Predict(arguments) => predict::run(arguments, &mut interrupt).await,
        Command::Plan(arguments) => plan::run(arguments, &mut interrupt).await,
        Command::Compare(arguments) => compare::run(arguments, &mut interrupt).await,
        Command::Emulate(arguments) => emulate::run(arguments, &mut interrupt).await,
        Command::Send(arguments) => send::run(arguments, &mut interrupt).await,
        Command::Recv(arguments) => recv::run(arguments, &mut interrupt).await,
        Command::Bench(arguments) => bench::run(arguments, &mut interrupt).await,
        Command::Completions(arguments) => completions::run(arguments),
        Command::Manual(arguments) => manual::run(arguments),
    }
}

/// Help and version are not failures; anything else is wrong input, reported as a document, too, if one was requested.
fn not_understood(error: &clap::Error) -> ExitCode {
    let mut own = std::env::args_os().take_while(|argument| argument != "--");
    let wants_json = own.any(|argument| argument == "--json" || argument == "--json-lines");
    if wants_json && !matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let message = error.to_string();
        let failure = Failure::Arguments(message.trim_start_matches("error: ").trim_end().to_owned());
        report::print_line(&format!("{:#}", Body::default().value(Some(failure.document()))));
    }
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
