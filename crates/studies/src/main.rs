//! The studies' command line: `cargo run --release -p anabranch-studies -- STUDY`.

mod commands;

use std::error::Error;
use std::process::ExitCode;

use anabranch_comparisons::commands::{ns2, ns3, sharing, tournament, tuned};
use anabranch_runs::printing::{NotPrinted, print, tell};
use clap::{Parser, Subcommand};

/// The simulator beside other people's numbers, and the papers' figures.
#[derive(Debug, Parser)]
#[command(name = "studies")]
struct Arguments {
    #[command(subcommand)]
    study: Study,
}

#[derive(Debug, Subcommand)]
enum Study {
    Blocking(commands::blocking::Arguments),
    Failover(commands::failover::Arguments),
    Figures(commands::figures::Arguments),
    FiguresCheck(commands::figures_check::Arguments),
    Ns2(ns2::Arguments),
    Ns3(ns3::Arguments),
    Sharing(sharing::Arguments),
    Small(commands::small::Arguments),
    Tournament(tournament::Arguments),
    Tuned(tuned::Arguments),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(other) if other.use_stderr() => {
            tell(other.to_string().trim_end());
            return ExitCode::from(2);
        }
        Err(help) => return status(print(&help.to_string()).map(|()| ExitCode::SUCCESS).map_err(Into::into)),
    };
    status(match arguments.study {
        Study::Blocking(arguments) => commands::blocking::run(&arguments),
        Study::Failover(arguments) => commands::failover::run(&arguments),
        Study::Figures(arguments) => commands::figures::run(&arguments),
        Study::FiguresCheck(arguments) => commands::figures_check::run(&arguments),
        Study::Ns2(arguments) => ns2::run(&arguments),
        Study::Ns3(arguments) => ns3::run(&arguments),
        Study::Sharing(arguments) => sharing::run(&arguments),
        Study::Small(arguments) => commands::small::run(&arguments),
        Study::Tournament(arguments) => tournament::run(&arguments),
        Study::Tuned(arguments) => tuned::run(&arguments),
    })
}

/// 2 for what cannot be run, and 1 for what ran and could not be printed.
fn status(ended: Result<ExitCode, Box<dyn Error>>) -> ExitCode {
    ended.unwrap_or_else(|error| {
        tell(&error.to_string());
        ExitCode::from(if error.is::<NotPrinted>() { 1 } else { 2 })
    })
}
