//! Who may read and change what is sent, as the command line says it. It reads no key.

use std::path::PathBuf;

use clap::Args;

/// Who may read and change what is sent.
#[derive(Clone, Debug, Default, Args)]
pub struct Secrecy {
    /// The file with the key that both ends have, for services; else the variable ANABRANCH_KEY
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub key_file: Option<PathBuf>,
    /// Plain SCTP in UDP (RFC 6951): everybody on the way can read and change it
    #[arg(long)]
    pub insecure: bool,
}
