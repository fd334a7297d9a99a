//! `anabranch manual`: writes the manual pages of the program and of each command, from the text of `--help`.

mod environment;
mod page;

use std::fs;
use std::path::Path;

use anabranch_observe::CannotWrite;
use clap::{Command, CommandFactory as _};

use crate::arguments::{Arguments, ManualArguments};
use crate::failure::Failure;
use crate::report::Outcome;

/// Writes every page into a folder.
///
/// # Errors
/// The folder or a file cannot be written.
pub(crate) fn run(arguments: &ManualArguments) -> Result<Outcome, Failure> {
    let at = |path: &Path| {
        let path = path.to_owned();
        |source| CannotWrite { path, source }
    };
    fs::create_dir_all(&arguments.dir).map_err(at(&arguments.dir))?;
    for (name, page) in pages() {
        let path = arguments.dir.join(name);
        anabranch_files::write(&path, page).map_err(at(&path))?;
    }
    Ok(Outcome::default())
}

/// The name of each page's file, and its text.
fn pages() -> Vec<(String, String)> {
    let program = built();
    let page = |command| (format!("{}.1", page::name(command)), page::text(&program, command));
    with_commands(&program).into_iter().map(page).collect()
}

/// A command and all its subcommands that `--help` shows.
fn with_commands(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().filter(|command| !command.is_hide_set());
    std::iter::once(command).chain(below.flat_map(with_commands)).collect()
}

/// The whole command line, each command with its usage.
fn built() -> Command {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(command: &str) -> String {
        let is_it = |(name, page): (String, String)| (name == format!("{command}.1")).then_some(page);
        pages().into_iter().find_map(is_it).expect("a page of this command")
    }

    #[test]
    fn every_command_has_a_page_with_every_section() {
        let program = built();
        for command in with_commands(&program).into_iter().skip(1) {
            let page = page_of(&page::name(command));
            for section in
                ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"]
            {
                assert!(
                    page.contains(&format!(".SH \"{section}\"")) || page.contains(&format!(".SH {section}")),
                    "{}: {section}\n{page}",
                    command.get_name()
                );
            }
        }
        assert!(page_of("anabranch").contains("anabranch\\-send(1)"));
    }

    #[test]
    fn what_help_does_not_show_has_no_page() {
        assert!(!pages().iter().any(|(name, _)| name.contains("manual")));
    }

    #[test]
    fn examples_are_distinguished_from_the_text_around_them() {
        let page = page_of("anabranch-recv");
        assert!(page.contains("on all interfaces:\n.RS 4\n.EX\nanabranch recv\n.EE\n.RE\n"), "{page}");
    }
}
