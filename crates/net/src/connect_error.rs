//! The error of an association that was not opened, in a file of its own: both the endpoint and an attempt in progress
//! return it.

use anabranch_base::Duration;
use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::endpoint as core;
use anabranch_sctp::event::CloseReason;

/// The error of an association that was not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The attempt could not be started.
    #[error(transparent)]
    Impossible(#[from] core::ConnectError),
    /// The endpoint has a key for each of several clients, and none of a server.
    #[error("a server with a key for each client only accepts associations")]
    ServesClients,
    /// The peer did not answer.
    #[error("the peer did not answer {attempts} attempts to connect over {}", shown(tried))]
    NoAnswer {
        /// The number of attempts.
        attempts: u32,
        /// The pairs of addresses that were tried, in their order.
        tried: Vec<PathAddresses>,
    },
    /// The peer did not answer in the time of [`Options::connect_timeout`](crate::Options::connect_timeout).
    #[error("the peer did not answer within {:.1} s over {}", within.as_secs_f64(), shown(tried))]
    TimedOut {
        /// The time.
        within: Duration,
        /// The pairs of addresses that were tried, in their order.
        tried: Vec<PathAddresses>,
    },
    /// The handshake failed.
    #[error("{0}")]
    Failed(CloseReason),
}

fn shown(paths: &[PathAddresses]) -> String {
    let each = paths.iter().map(|path| format!("{} > {}", path.local.ip(), path.remote));
    each.collect::<Vec<_>>().join(", ")
}
