//! The arguments of `completions` and `manual`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// `anabranch completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// Shell for which to print the script
    pub shell: Shell,
}

/// `anabranch manual`, for packagers.
#[derive(Debug, Args)]
#[command(after_help = MANUAL_EXAMPLES)]
pub(crate) struct ManualArguments {
    /// Directory for the pages; it is created if it does not exist
    pub dir: PathBuf,
}

const COMPLETIONS_EXAMPLES: &str = "\
The script goes to standard output. Packages and `make install` put it where the shell finds it.
Start a new shell afterwards.

Examples:
  bash:          anabranch completions bash \\
                     > ~/.local/share/bash-completion/completions/anabranch
  fish:          anabranch completions fish > ~/.config/fish/completions/anabranch.fish
  zsh:           anabranch completions zsh > ~/.zfunc/_anabranch
                 # with, in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit; compinit
  elvish:        anabranch completions elvish >> ~/.config/elvish/rc.elv
  powershell:    anabranch completions powershell >> $PROFILE";

const MANUAL_EXAMPLES: &str = "\
Writes one page for the program and one for each command.

Examples:
  read a page:   anabranch manual pages && man -l pages/anabranch-send.1";
