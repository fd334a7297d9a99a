//! The arguments that choose the protection of packets.

use std::path::PathBuf;

use clap::Args;

/// The protection of packets.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Secrecy {
    /// Read the key that both ends share from this file instead of the variable ANABRANCH_KEY; `-` is the first line of
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub key_file: Option<PathBuf>,
    /// Use plain SCTP over UDP (RFC 6951): anybody on the network path can read and change the data
    #[arg(long)]
    pub insecure: bool,
}
