//! What the command line may say to `completions` and `manual`. It parses and does nothing else.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// `anabranch completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArguments {
    /// The shell that is to complete our commands
    pub shell: Shell,
}

/// `anabranch manual`, for those who make packages.
#[derive(Debug, Args)]
#[command(after_help = MANUAL_EXAMPLES)]
pub struct ManualArguments {
    /// The folder for the pages; it is made if need be
    pub dir: PathBuf,
}

const COMPLETIONS_EXAMPLES: &str = "\
The script goes to standard output. Packages and `make install` put it where the shell looks by
itself; begin a new shell afterwards.

Examples:
  bash:          anabranch completions bash \\
                     > ~/.local/share/bash-completion/completions/anabranch
  fish:          anabranch completions fish > ~/.config/fish/completions/anabranch.fish
  zsh:           anabranch completions zsh > ~/.zfunc/_anabranch
                 # with, in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit; compinit
  elvish:        anabranch completions elvish >> ~/.config/elvish/rc.elv
  powershell:    anabranch completions powershell >> $PROFILE";

const MANUAL_EXAMPLES: &str = "\
One page for the program and one for each of its commands.

Examples:
  read one:      anabranch manual pages && man -l pages/anabranch-send.1";
