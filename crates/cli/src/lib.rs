//! The anabranch program: reads the command line, runs one command, ends with its status.
//!
//! A program with further policies calls [`run`] with another registry; its `main` does nothing else.

#![cfg_attr(
    not(feature = "full"),
    allow(dead_code, unused_imports, reason = "only absent commands use some of it")
)]

#[cfg(any(test, not(feature = "full")))]
mod absent;
mod addresses;
#[cfg(feature = "full")]
mod answering;
mod arguments;
mod bench;
mod clock;
mod closing;
mod compare;
#[cfg(feature = "full")]
mod completions;
mod demo;
mod dialing;
#[cfg(feature = "full")]
mod doctor;
mod emulate;
mod endpoint;
mod failure;
#[cfg(feature = "full")]
mod figures;
#[cfg(feature = "full")]
mod forward;
mod interrupt;
mod key;
mod key_echo;
mod labels;
mod links;
mod listening;
mod lookup;
#[cfg(feature = "full")]
mod manual;
mod meter;
mod notice;
mod peer;
#[cfg(feature = "full")]
mod plan;
mod policies;
mod predict;
mod quoting;
#[cfg(feature = "full")]
mod recorded;
mod recv;
mod remedies;
mod report;
mod retry;
mod scenario;
mod send;
mod setting_list;
mod settings;
mod signals;
mod sim;
#[cfg(feature = "full")]
#[cfg_attr(not(unix), path = "status/elsewhere.rs")]
mod status;
mod supervisor;
#[cfg(feature = "full")]
mod sweep;
mod threads;
mod transfer;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;

use anabranch_observe::Body;
use anabranch_scenario::Registry;

use arguments::{Command, NotParsed, Output, settings_request};
use failure::Failure;
use interrupt::Interrupt;
use key_echo::KeyEcho;
use report::Outcome;

/// The policies of the installed program. A program with further policies adds them to these.
pub fn shipped_policies() -> Registry {
    anabranch_planner::live::registry()
}

/// Runs the program with the policies of `registry`. `main` calls it once.
pub fn run(registry: Registry) -> ExitCode {
    policies::choose(registry);
    let words: Vec<OsString> = std::env::args_os().collect();
    if policies::answer(&words) {
        return ExitCode::SUCCESS;
    }
    if let Some(code) = emulate::run_if_spawned(&words) {
        return code;
    }
    let given: Vec<String> = words.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    if let Some(request) = settings_request(&given) {
        if let Some(program) = policies::named(&words) {
            return Outcome::from(policies::hand_over(Path::new(program), &words)).print(Output::default());
        }
        return setting_list::list(&request).unwrap_or_else(Outcome::from).print(Output::default());
    }
    #[cfg(feature = "full")]
    let words = match forward::with_file(words) {
        Ok(words) => words,
        Err(failure) => return Outcome::from(failure).print(Output::default()),
    };
    let arguments = match arguments::parse(&words) {
        Ok(arguments) => arguments,
        Err(why) => return not_parsed(&why, &given),
    };
    if let Command::Emulate(emulated) = &arguments.command
        && !emulated.command.is_empty()
    {
        return emulate::run_command(emulated);
    }
    let output = arguments.output();
    if let Command::Sim(simulated) = &arguments.command
        && let Some(program) = &simulated.policies
    {
        return Outcome::from(policies::hand_over(program, &words)).print(output);
    }
    if let Command::Compare(compared) = &arguments.command
        && let Err(failure) = compare::prepare(compared)
    {
        return Outcome::from(failure).print(output);
    }
    if arguments.command.is_service() {
        notice::begin_log();
    }
    let echo = KeyEcho::hide();
    let runtime = match threads::runtime() {
        Ok(runtime) => runtime,
        Err(error) => return Outcome::from(Failure::System(error)).print(output),
    };
    let outcome = runtime.block_on(carry_out(arguments.command));
    drop(echo);
    runtime.block_on(async {
        outcome.show(output);
        report::printed().await;
    });
    // The program must not wait for a thread that still reads standard input.
    runtime.shutdown_background();
    outcome.ending()
}

/// Runs the command until it ends, or until the user has pressed Ctrl-C twice.
async fn carry_out(command: Command) -> Outcome {
    let interrupt = match Interrupt::listen() {
        Ok(interrupt) => interrupt,
        Err(error) => return Failure::System(error).into(),
    };
    let forced = interrupt.forced();
    tokio::spawn(supervisor::keep_watchdog());
    // On a worker thread, which the driver of the sockets shares: here each message would wake another thread.
    let command = tokio::spawn(execute(command, interrupt));
    tokio::select! {
        ended = command => match ended {
            Ok(outcome) => outcome.unwrap_or_else(Outcome::from),
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        },
        () = forced => Failure::Interrupted.into(),
    }
}

async fn execute(command: Command, mut interrupt: Interrupt) -> Result<Outcome, Failure> {
    match &command {
        Command::Demo(arguments) => demo::run(arguments, &mut interrupt).await,
        Command::Sim(arguments) => sim::run(arguments, &mut interrupt).await,
        Command::Predict(arguments) => predict::run(arguments, &mut interrupt).await,
        Command::Compare(arguments) => compare::run(arguments, &mut interrupt).await,
        Command::Emulate(arguments) => emulate::run(arguments, &mut interrupt).await,
        Command::Send(arguments) => send::run(arguments, &mut interrupt).await,
        Command::Recv(arguments) => recv::run(arguments, &mut interrupt).await,
        Command::Bench(arguments) => bench::run(arguments, &mut interrupt).await,
        #[cfg(feature = "full")]
        Command::Forward(arguments) => forward::run(arguments, &mut interrupt).await,
        #[cfg(feature = "full")]
        Command::Doctor(arguments) => doctor::run(arguments, &mut interrupt).await,
        #[cfg(feature = "full")]
        Command::Status(arguments) => status::run(arguments, &mut interrupt).await,
        #[cfg(feature = "full")]
        Command::Scenario(arguments) => recorded::run(arguments, &mut interrupt).await,
        #[cfg(feature = "full")]
        Command::Plan(arguments) => plan::run(arguments, &mut interrupt).await,
        #[cfg(feature = "full")]
        Command::Sweep(arguments) => sweep::run(arguments, &mut interrupt).await,
        #[cfg(feature = "full")]
        Command::Figures(arguments) => figures::run(arguments, &mut interrupt).await,
        #[cfg(feature = "full")]
        Command::Completions(arguments) => completions::run(arguments),
        #[cfg(feature = "full")]
        Command::Manual(arguments) => manual::run(arguments),
        // The program itself takes no options: the first word is the command.
        #[cfg(not(feature = "full"))]
        _ => Err(absent::refusal(&std::env::args().nth(1).unwrap_or_default())),
    }
}

/// Prints why the arguments were not parsed. Help and version are not failures. Anything else is invalid input, also
/// reported as a document if one was requested.
fn not_parsed(not_parsed: &NotParsed, words: &[String]) -> ExitCode {
    let message = match not_parsed {
        NotParsed::Help(help) if help.exit_code() == 0 => None,
        NotParsed::Help(_) => Some("a command is missing"),
        NotParsed::Wrong(wrong) => Some(wrong.message.as_str()),
    };
    let mut own = words.iter().take_while(|word| *word != "--");
    let wants_json = own.any(|word| word == "--json" || word == "--json-lines");
    if let Some(message) = message.filter(|_| wants_json) {
        let failure = Failure::Arguments(message.to_owned());
        report::print_line(&format!("{:#}", Body::default().value(Some(failure.document()))));
    }
    match not_parsed {
        // On a terminal, clap colours it.
        NotParsed::Help(help) if message.is_some() || io::stdout().is_terminal() => {
            let _ = help.print();
        }
        NotParsed::Help(help) => report::print_line(help.to_string().trim_end()),
        NotParsed::Wrong(wrong) => notice::show_failure(&wrong.draw(failure::style(), failure::columns())),
    }
    report::wait_until_printed();
    if message.is_some() { ExitCode::from(2) } else { report::ending(None) }
}
