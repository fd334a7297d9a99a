//! The line that a listening end prints, to paste at the other: where it listens, and the key if it is fresh.

use anabranch_net::{Endpoint, Security};

use crate::addresses;
use crate::arguments::Output;
use crate::failure::Failure;
use crate::key::{self, Listening};
use crate::report;

/// Whether the key is printed where the user can read it.
///
/// # Errors
/// It is fresh, and nothing is printed.
pub fn check(listening: &Listening, output: &Output) -> Result<(), Failure> {
    if listening.fresh.is_some() && output.quiet {
        return Err(Failure::Key(format!(
            "with --quiet the new key would not be shown: set {}, or give --key-file",
            key::VARIABLE
        )));
    }
    Ok(())
}

/// Where the line is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// On standard output.
    Output,
    /// On standard error, as standard output is for something else.
    Error,
    /// Nowhere.
    Nowhere,
}

impl Spoken {
    /// On standard error, where standard output has JSON.
    pub fn by(output: &Output) -> Spoken {
        match (output.quiet, output.is_json()) {
            (true, _) => Spoken::Nowhere,
            (false, true) => Spoken::Error,
            (false, false) => Spoken::Output,
        }
    }
}

/// What is run at the other end.
#[derive(Clone, Copy, Debug)]
pub struct OtherEnd {
    /// What the user calls it.
    pub place: &'static str,
    /// The command up to its options.
    pub command: &'static str,
    /// The option before the addresses.
    pub option: &'static str,
}

/// Prints the line for the other end.
pub fn tell(endpoint: &Endpoint, listening: &Listening, spoken: Spoken, other: OtherEnd) {
    let OtherEnd { place, command, option } = other;
    let to = addresses::to_paste(&endpoint.local_addresses());
    let key = listening.fresh.as_ref().map(|key| format!("{}={} ", key::VARIABLE, *key.reveal()));
    let (key, plain) = match listening.security {
        Security::Sealed(_) => (key.unwrap_or_default(), ""),
        Security::Insecure => (String::new(), "--insecure "),
    };
    let line = format!("ready; on the {place}: {key}{command} {plain}{option} {to}");
    match spoken {
        Spoken::Output => report::print_line(&line),
        Spoken::Error => eprintln!("{line}"),
        Spoken::Nowhere => {}
    }
}
