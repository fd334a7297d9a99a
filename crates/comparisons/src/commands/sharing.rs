//! `sharing`: prints which paths are found to share a bottleneck.

use std::error::Error;
use std::process::ExitCode;

use anabranch_runs::printing::print;

use crate::sharing::equal_links::EqualLinks;
use crate::sharing::trial::Trial;
use crate::sharing::{draw, table};

/// Paths that share a bottleneck, found by `coupled = "auto"` and by RFC 8382 on forty drawn networks (docs/sharing.md)
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The seed from which the networks are drawn
    #[arg(long, value_name = "SEED", default_value = "1")]
    draw: u64,
    /// Run each network with the seeds 1 to N
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Print the scenario of this network and run nothing
    #[arg(long, value_name = "NUMBER")]
    show: Option<usize>,
    /// Run two equal links that share nothing instead, with the seeds 1 to N
    #[arg(long, value_name = "N", conflicts_with = "show", value_parser = clap::value_parser!(u64).range(1..))]
    equal_links: Option<u64>,
    /// The congestion control, instead of the drawn ones; `reno` with equal links
    #[arg(long, value_name = "NAME", value_parser = draw::CONTROLS)]
    control: Option<String>,
}

/// Prints it.
///
/// # Errors
/// A network that cannot be run, or output that is not taken.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    let control = draw::CONTROLS.into_iter().find(|known| arguments.control.as_deref() == Some(known));
    let text = match (arguments.show, arguments.equal_links) {
        (Some(number), _) => draw::network(arguments.draw, number).scenario("auto"),
        (None, Some(seeds)) => table::equal_links(&EqualLinks::all(seeds, control.unwrap_or("reno"))?),
        (None, None) => table::page(&Trial::all(arguments.draw, arguments.seeds, control)?),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
