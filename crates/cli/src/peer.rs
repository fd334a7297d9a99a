//! The other end: its addresses, and what its silence or its words mean for the user.

use std::fmt;
use std::net::SocketAddr;

use anabranch_net::{CloseReason, ConnectError, PathAddresses, Security, SendError};

use crate::failure::{Failure, list};
use anabranch_net::Clock;

/// The other end of an association.
#[derive(Clone, Debug)]
pub struct Peer {
    addresses: Vec<SocketAddr>,
    since: Clock,
    partner: Partner,
    is_sealed: bool,
}

/// What is expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// `anabranch send` or `anabranch recv`.
    Files,
    /// `anabranch bench`.
    Tests,
}

impl Peer {
    /// The peer at `addresses`, with this security from now on.
    pub fn new(addresses: Vec<SocketAddr>, security: &Security, partner: Partner) -> Peer {
        let is_sealed = matches!(security, Security::Sealed(_));
        Peer { addresses, since: Clock::start(), partner, is_sealed }
    }

    /// What the end of an association means, where something was still to be done.
    pub fn failure(&self, reason: CloseReason) -> Failure {
        match reason {
            CloseReason::NoAnswer { attempts } => self.no_answer(attempts, Vec::new()),
            CloseReason::Graceful => Failure::PeerGone(format!(
                "{self} closed the association before the {} was complete",
                self.partner.work()
            )),
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
            error => Failure::PeerGone(format!("{self} cannot take the {}: {error}", self.partner.work())),
        }
    }

    /// What it means that no association was opened.
    pub fn not_opened(&self, error: ConnectError) -> Failure {
        match error {
            ConnectError::Failed(reason) => self.failure(reason),
            ConnectError::NoAnswer { attempts, tried } => self.no_answer(attempts, tried),
            error => Failure::Via(format!("cannot connect to {self}: {error}")),
        }
    }

    fn no_answer(&self, attempts: u32, tried: Vec<PathAddresses>) -> Failure {
        Failure::NoAnswer {
            program: self.partner.program(),
            to: self.addresses.clone(),
            tried,
            attempts,
            waited: self.since.elapsed(),
            key: self.key_question(),
        }
    }

    /// It uses another protocol.
    pub fn garbage(&self, what: &dyn fmt::Display) -> Failure {
        let protocol = self.partner.protocol();
        Failure::Garbage { protocol, peer: self.to_string(), what: what.to_string() }
    }

    /// What may be wrong with the key where there is no answer.
    fn key_question(&self) -> &'static str {
        match (self.is_sealed, self.partner) {
            (true, Partner::Files) => "is the key the one that recv printed?",
            (true, Partner::Tests) => "is the key the one that bench --serve printed?",
            (false, _) => "was it started with --insecure too?",
        }
    }
}

impl Partner {
    /// What waits for us there.
    fn program(self) -> &'static str {
        match self {
            Partner::Files => "anabranch recv",
            Partner::Tests => "anabranch bench --serve",
        }
    }

    fn protocol(self) -> &'static str {
        match self {
            Partner::Files => "file protocol",
            Partner::Tests => "test protocol",
        }
    }

    fn work(self) -> &'static str {
        match self {
            Partner::Files => "transfer",
            Partner::Tests => "test",
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&list(&self.addresses))
    }
}
