//! Who is at the other end, and what its silence or its words mean for a person. It knows no file.

use std::fmt;
use std::net::SocketAddr;

use anabranch_net::{CloseReason, ConnectError, Security, SendError};

use crate::clock::Stopwatch;
use crate::failure::{Failure, list};
use crate::key;

/// The other end of an association.
#[derive(Clone, Debug)]
pub struct Peer {
    addresses: Vec<SocketAddr>,
    since: Stopwatch,
    /// What may be wrong with the key where it does not answer.
    key: &'static str,
}

impl Peer {
    /// The peer at `addresses`, spoken to so from now.
    pub fn new(addresses: Vec<SocketAddr>, security: &Security) -> Peer {
        Peer { addresses, since: Stopwatch::start(), key: key::question(security) }
    }

    /// What the end of an association means, where something was still to be done.
    pub fn failure(&self, reason: CloseReason) -> Failure {
        match reason {
            CloseReason::NoAnswer { attempts } => Failure::NoAnswer {
                to: self.addresses.clone(),
                attempts,
                waited: self.since.elapsed(),
                key: self.key,
            },
            CloseReason::Graceful => {
                Failure::PeerGone(format!("{self} closed the association before the transfer was complete"))
            }
            CloseReason::AbortedHere { why } => Failure::PeerGone(format!("called off here: {why}")),
            CloseReason::AbortedByPeer { .. } => Failure::PeerGone(format!("{self}: {reason}")),
            CloseReason::PeerGone { errors } => Failure::PeerGone(format!(
                "{self} vanished: {errors} retransmissions or probes in a row went unanswered on all paths"
            )),
            CloseReason::PeerRestarted => Failure::PeerGone(format!("{self} was started anew in the middle")),
            CloseReason::PeerForgot => Failure::PeerGone(format!(
                "{self} knows nothing of this transfer any more: it gave it up, or was started anew in the middle"
            )),
            CloseReason::ProtocolViolation { what } => self.garbage(&what),
        }
    }

    /// What it means that a message could not be sent.
    pub fn not_sent(&self, error: SendError) -> Failure {
        match error {
            SendError::Closed(reason) => self.failure(reason),
            SendError::Closing => self.failure(CloseReason::Graceful),
            error => Failure::PeerGone(format!("{self} cannot take files: {error}")),
        }
    }

    /// What it means that no association was opened.
    pub fn not_opened(&self, error: ConnectError) -> Failure {
        match error {
            ConnectError::Failed(reason) => self.failure(reason),
            error => Failure::Via(format!("cannot connect to {self}: {error}")),
        }
    }

    /// It speaks something else.
    pub fn garbage(&self, what: &dyn fmt::Display) -> Failure {
        Failure::Garbage { peer: self.to_string(), what: what.to_string() }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&list(&self.addresses))
    }
}
