//! The arguments of `scenario from`.

use std::path::PathBuf;
use std::str::FromStr;

use anabranch_base::Duration;
use anabranch_traces::{Choices, GivenLink, TraceKind};
use clap::builder::PossibleValue;
use clap::{Args, Subcommand, ValueEnum};

use super::Output;
use super::quantity;

/// `anabranch scenario`.
#[derive(Debug, Args)]
#[command(after_help = SCENARIO_EXAMPLES)]
pub(crate) struct ScenarioArguments {
    /// The subcommand.
    #[command(subcommand)]
    pub command: ScenarioCommand,
}

/// The commands of `anabranch scenario`.
#[derive(Debug, Subcommand)]
pub(crate) enum ScenarioCommand {
    /// Make a scenario from recordings: Mahimahi traces, CSV tables, ping, iperf3 --json
    From(FromArguments),
}

impl ScenarioArguments {
    /// The form in which the command's result is printed.
    pub(crate) fn output(&self) -> Output {
        let ScenarioCommand::From(from) = &self.command;
        from.output
    }
}

/// `anabranch scenario from`.
#[derive(Clone, Debug, Args)]
#[command(after_help = FROM_EXAMPLES)]
pub(crate) struct FromArguments {
    /// Recordings; `-` reads standard input. Files whose names differ only in words such as ping, iperf3, up or down
    /// belong to one link; each other file is a link
    #[arg(value_name = "FILE", required_unless_present = "links")]
    pub files: Vec<PathBuf>,
    /// Files of one link, with any names; of two of one kind, the second is the reverse direction
    #[arg(long = "link", value_name = "NAME=FILE,…")]
    pub links: Vec<NamedLink>,
    /// The names of the links, in the order of their first files (default: from the names of the files)
    #[arg(long = "name", value_name = "NAME,…", value_delimiter = ',')]
    pub names: Vec<String>,
    /// The kind of all files (default: recognised by their content)
    #[arg(long, value_name = "KIND")]
    pub kind: Option<KindName>,
    /// Average over steps of this length, such as 500ms
    #[arg(long, value_name = "TIME", value_parser = quantity::some_seconds)]
    pub step: Option<Duration>,
    /// The time between probes of ping, if its output does not have it
    #[arg(long, value_name = "TIME", value_parser = quantity::some_seconds)]
    pub interval: Option<Duration>,
    /// Keep ping's delays as steps over time, instead of a minimum delay and a jitter
    #[arg(long)]
    pub delay_steps: bool,
    /// Write Mahimahi traces as steps of --step (default 100 ms), so that the scenario needs no other file
    #[arg(long)]
    pub inline: bool,
    /// Write the scenario to a file (default: standard output)
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// `NAME=FILE,FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedLink(pub GivenLink);

/// A kind of recording by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KindName(pub TraceKind);

impl FromArguments {
    /// Returns the choices for reading and writing.
    pub(crate) fn choices(&self) -> Choices {
        Choices { step: self.step, interval: self.interval, delay_steps: self.delay_steps }
    }
}

impl FromStr for NamedLink {
    type Err = String;

    fn from_str(text: &str) -> Result<NamedLink, String> {
        let expected = "expected NAME=FILE,…, such as wifi=ping.txt,iperf3.json";
        let (name, files) = text.split_once('=').ok_or(expected)?;
        let files: Vec<String> = files.split(',').map(str::to_owned).collect();
        if name.is_empty() || files.iter().any(String::is_empty) {
            return Err(expected.to_owned());
        }
        Ok(NamedLink(GivenLink { name: name.to_owned(), files }))
    }
}

impl ValueEnum for KindName {
    fn value_variants<'a>() -> &'a [KindName] {
        const ALL: [KindName; 4] = [
            KindName(TraceKind::Mahimahi),
            KindName(TraceKind::Csv),
            KindName(TraceKind::Ping),
            KindName(TraceKind::Iperf3),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

const SCENARIO_EXAMPLES: &str = "\
Examples:
  from a recording:      anabranch scenario from walk.csv --write walk.toml";

const FROM_EXAMPLES: &str = "\
The kind of each file is recognised by its content. Comments in the scenario say of each value how
it was measured, or that it is assumed: a queue always, a delay or a rate where no file has one.

Examples:
  run a recording:       anabranch scenario from walk.csv | anabranch sim -
  while ping runs:       ping -c 20 192.0.2.1 | anabranch scenario from - --name wifi
  join two of one link:  anabranch scenario from wifi-ping.txt wifi-iperf3.json
  whatever their names:  anabranch scenario from --link lte=a.txt,b.json --write lte.toml
  both ways of a trace:  anabranch scenario from cell.down cell.up --write cell.toml";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_has_a_name_and_files() {
        let link = "wifi=a.txt,b=c.json".parse::<NamedLink>().map(|link| (link.0.name, link.0.files));
        assert_eq!(link, Ok(("wifi".to_owned(), vec!["a.txt".to_owned(), "b=c.json".to_owned()])));
        for text in ["", "wifi", "=a", "wifi=", "wifi=a,,b"] {
            assert!(text.parse::<NamedLink>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_kind_has_a_name() {
        let names: Vec<TraceKind> = KindName::value_variants().iter().map(|kind| kind.0).collect();
        assert_eq!(names, TraceKind::ALL);
    }
}
