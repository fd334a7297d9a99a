//! `anabranch completions`: the script by which a shell completes commands, options, files, and the keys and values of
//! `--set`.

use anabranch_base::setting::Kind;
use anabranch_scenario::{reference, tools};
use anabranch_sctp::policy::Registry;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command, CommandFactory as _, ValueHint};
use clap_complete::generate;

use crate::arguments::{Arguments, CompletionsArguments};
use crate::failure::Failure;
use crate::policies;
use crate::report::Outcome;

/// Prints the script for a shell.
///
/// # Errors
/// None.
pub(crate) fn run(arguments: &CompletionsArguments) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut completed(), NAME, &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    Ok(Outcome { summary: script, ..Outcome::default() })
}

/// The command line without the commands that `--help` hides.
fn completed() -> Command {
    let whole = Arguments::command();
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .subcommands(shown.map(completed_command))
}

/// A command and its subcommands, with the values that their arguments take.
fn completed_command(command: Command) -> Command {
    let sets = values_of_set(command.get_name());
    let command = command.mut_args(|argument| match argument.get_id().as_str() {
        "settings" => argument.value_parser(PossibleValuesParser::new(sets.clone())),
        _ => hinted(argument),
    });
    command.disable_help_subcommand(true).mut_subcommands(completed_command)
}

/// Returns the values of a command's `--set`: every key, with its possible values if they can be listed. Keys of links,
/// paths and events depend on the scenario and are left out; most scenarios have a flow called main.
fn values_of_set(command: &str) -> Vec<PossibleValue> {
    let registry = policies::registry();
    if let "send" | "recv" | "bench" | "doctor" | "forward" = command {
        let known = tools::known(&registry);
        return known
            .flat_map(|setting| values_of(&format!("sctp.{}", setting.key()), &setting.kind(), &registry))
            .collect();
    }
    let known = reference::known(&registry)
        .into_iter()
        .map(|known| (known.key.replace("flow.NAME.", "flow.main."), known.kind));
    let named = known.filter(|(key, _)| !key.contains(".NAME.") && !key.contains(".N."));
    named.flat_map(|(key, kind)| values_of(&key, &kind, &registry)).collect()
}

fn values_of(key: &str, kind: &Kind, registry: &Registry) -> Vec<PossibleValue> {
    let words = match kind {
        Kind::NotBuilt => return Vec::new(),
        Kind::Word(words) => (words.built)(),
        Kind::Policy(kind) => registry.names(kind).map_or(Vec::new(), |names| names.built),
        Kind::Boolean => vec!["true", "false"],
        _ => vec![""],
    };
    // Text that lasts: the program prints the script and ends.
    let value = |word: &str| -> &'static str { format!("{key}={word}").leak() };
    words.into_iter().map(|word| PossibleValue::new(value(word))).collect()
}

/// The argument, with what its values are.
fn hinted(argument: Arg) -> Arg {
    let hint = match argument.get_id().as_str() {
        "scenario" | "key_file" | "settings_file" | "report" | "plot" | "write" => ValueHint::FilePath,
        "dir" | "out" | "pcap" | "trace" => ValueHint::DirPath,
        "files" => ValueHint::AnyPath,
        "links" | "names" => ValueHint::Other,
        "to" => ValueHint::Hostname,
        "via" | "listen" | "name" => ValueHint::Other,
        _ => return argument,
    };
    argument.value_hint(hint)
}

const NAME: &str = "anabranch";

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use clap_complete::Shell;

    use super::*;

    #[test]
    fn every_shell_is_told_every_command_that_help_shows_and_no_other() {
        for &shell in Shell::value_variants() {
            let script = run(&CompletionsArguments { shell }).expect("a script").summary;
            for command in Arguments::command().get_subcommands() {
                let is_told = script.contains(&format!("'{}'", command.get_name()))
                    || script.contains(&format!("anabranch__subcmd__{}", command.get_name()))
                    || script.contains(&format!("-a \"{}\"", command.get_name()))
                    || script.contains(&format!("anabranch;{}", command.get_name()));
                assert_eq!(is_told, !command.is_hide_set(), "{shell}: {}", command.get_name());
            }
        }
    }

    #[test]
    fn every_shell_is_told_the_keys_of_set_and_their_words() {
        for &shell in Shell::value_variants().iter().filter(|shell| completes_values(**shell)) {
            let script = run(&CompletionsArguments { shell }).expect("a script").summary;
            for value in [
                "sctp.rto.min=",
                "sctp.scheduler=fill",
                "sctp.pacing=true",
                "flow.main.sctp.charge=user",
                "flow.main.sctp.multipath=off",
                "flow.main.direction=both",
                "run.seed=",
            ] {
                assert!(script.contains(value), "{shell}: {value}");
            }
            assert!(!script.contains("sctp.retransmission=both"), "{shell}: what is not built yet");
        }
    }

    /// The scripts of the others complete names of options alone.
    fn completes_values(shell: Shell) -> bool {
        matches!(shell, Shell::Bash | Shell::Fish | Shell::Zsh)
    }

    #[test]
    fn folders_are_completed_where_folders_are_meant() {
        let script = run(&CompletionsArguments { shell: Shell::Zsh }).expect("a script").summary;
        assert!(script.contains("DIR:_files -/"), "recv --dir takes folders");
        assert!(script.contains(",…:_hosts"), "send --to takes hosts");
    }
}
