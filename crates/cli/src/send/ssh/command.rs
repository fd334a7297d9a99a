//! The command lines: of ssh, and of the receiver that it starts.

use tokio::process::Command;

use crate::arguments::{RemotePlace, SendArguments};
use crate::failure::Failure;
use crate::quoting::quoted;

/// The command that starts a receiver on another host.
#[derive(Clone, Debug)]
pub(super) struct SshCommand {
    /// The program, and its options.
    words: Vec<String>,
    /// The other host, and the directory there.
    pub place: RemotePlace,
    /// The line for the shell of the other host.
    line: String,
}

impl SshCommand {
    /// The command to start a receiver for `place`.
    ///
    /// # Errors
    /// The program's name is empty.
    pub(super) fn to(place: RemotePlace, arguments: &SendArguments) -> Result<SshCommand, Failure> {
        let given = arguments.ssh.clone().or_else(|| std::env::var(VARIABLE).ok());
        let given = given.unwrap_or_else(|| "ssh".to_owned());
        let words: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err(Failure::Arguments(format!("the ssh command is empty: set --ssh or {VARIABLE}")));
        }
        let line = line(&arguments.remote_program, &place.dir);
        Ok(SshCommand { words, place, line })
    }

    /// The name of the program here.
    pub(super) fn program(&self) -> &str {
        &self.words[0]
    }

    /// Starts the receiver.
    pub(super) fn start(&self) -> Command {
        let mut command = self.bare();
        command.arg(&self.place.destination).arg(&self.line);
        command
    }

    /// Asks OpenSSH for the host's name in its configuration, without connecting.
    pub(super) fn configuration(&self) -> Command {
        let mut command = self.bare();
        command.arg("-G").arg(&self.place.destination);
        command
    }

    fn bare(&self) -> Command {
        let mut command = Command::new(self.program());
        // The key of another transfer is not for ssh.
        command.args(&self.words[1..]).env_remove(crate::key::VARIABLE).kill_on_drop(true);
        command
    }
}

/// The line for the shell there. Standard error joins standard output, where this end can escape it.
fn line(program: &str, dir: &str) -> String {
    let program = below_home(program, "anabranch");
    let program = if program.starts_with('-') { format!("./{program}") } else { program };
    let dir = below_home(dir, ".");
    // `-` would be standard output.
    let dir = if dir.starts_with('/') { dir } else { format!("./{dir}") };
    format!("exec {} recv --attached --quiet --key-file - --dir {} 2>&1", quoted(&program), quoted(&dir))
}

/// A path as the shell starts in the home directory; `~` would be quoted.
fn below_home(path: &str, empty: &str) -> String {
    let path = if path == "~" { "" } else { path.strip_prefix("~/").unwrap_or(path) };
    if path.is_empty() { empty.to_owned() } else { path.to_owned() }
}

/// The environment variable for the command.
const VARIABLE: &str = "ANABRANCH_SSH";

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn the_directory_is_one_word_of_the_shell_and_never_an_option() {
        let dir = |dir: &str| {
            let line = line("anabranch", dir);
            let start = "exec anabranch recv --attached --quiet --key-file - --dir ";
            let rest = line.strip_prefix(start).expect("the start").to_owned();
            rest.strip_suffix(" 2>&1").expect("the end").to_owned()
        };
        assert_eq!(
            ["", "~", "~/in box", "-", "--force"].map(dir),
            ["./.", "./.", "'./in box'", "./-", "./--force"]
        );
        assert_eq!(dir("/srv/$(touch x)';id"), "'/srv/$(touch x)'\\'';id'");
        assert!(line("~/bin/ana branch", "").starts_with("exec 'bin/ana branch' recv"));
    }
}
