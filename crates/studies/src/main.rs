//! The studies' command line: `cargo run --release -p anabranch-studies -- STUDY`.

mod commands;

use std::process::ExitCode;

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
    Ns2(commands::ns2::Arguments),
    Ns3(commands::ns3::Arguments),
    Sharing(commands::sharing::Arguments),
    Small(commands::small::Arguments),
    Tournament(commands::tournament::Arguments),
    Tuned(commands::tuned::Arguments),
}

fn main() -> ExitCode {
    let ended = match Arguments::parse().study {
        Study::Blocking(arguments) => commands::blocking::run(&arguments),
        Study::Failover(arguments) => commands::failover::run(&arguments),
        Study::Figures(arguments) => commands::figures::run(&arguments),
        Study::FiguresCheck(arguments) => commands::figures_check::run(&arguments),
        Study::Ns2(arguments) => commands::ns2::run(&arguments),
        Study::Ns3(arguments) => commands::ns3::run(&arguments),
        Study::Sharing(arguments) => commands::sharing::run(&arguments),
        Study::Small(arguments) => commands::small::run(&arguments),
        Study::Tournament(arguments) => commands::tournament::run(&arguments),
        Study::Tuned(arguments) => commands::tuned::run(&arguments),
    };
    ended.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}
