//! The arguments that change settings of an end.

use std::path::PathBuf;

use clap::Args;

/// Changes of the protocol's settings at this end: those of a file, then those of the command line.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SettingChanges {
    /// Change a protocol setting at this end; `--set help` lists all settings
    #[arg(long = "set", value_name = "sctp.KEY=VALUE")]
    pub settings: Vec<String>,
    /// Read settings from a file before those of `--set`: a table [sctp], such as `congestion_control = "bbr"`
    #[arg(long = "settings", value_name = "FILE")]
    pub settings_file: Option<PathBuf>,
}
