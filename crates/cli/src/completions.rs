//! `anabranch completions`: the script by which a shell completes our commands.

use clap::{Arg, Command, CommandFactory as _, ValueHint};
use clap_complete::generate;

use crate::arguments::{Arguments, CompletionsArguments};
use crate::failure::Failure;
use crate::report::Outcome;

/// The script for a shell.
///
/// # Errors
/// None.
pub fn run(arguments: &CompletionsArguments) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut completed(), NAME, &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    Ok(Outcome { summary: script, ..Outcome::default() })
}

/// The command line as shells are to know it: without what `--help` does not show.
fn completed() -> Command {
    let whole = Arguments::command();
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .subcommands(shown.map(|command| command.mut_args(hinted)))
}

/// The argument, with what its values are.
fn hinted(argument: Arg) -> Arg {
    let hint = match argument.get_id().as_str() {
        "scenario" | "key_file" | "report" | "plot" | "write" => ValueHint::FilePath,
        "dir" | "pcap" | "trace" => ValueHint::DirPath,
        "files" => ValueHint::AnyPath,
        "to" => ValueHint::Hostname,
        "via" | "listen" | "name" | "settings" => ValueHint::Other,
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
    fn folders_are_completed_where_folders_are_meant() {
        let script = run(&CompletionsArguments { shell: Shell::Zsh }).expect("a script").summary;
        assert!(script.contains("DIR:_files -/"), "recv --dir takes folders");
        assert!(script.contains(",…:_hosts"), "send --to takes hosts");
    }
}
