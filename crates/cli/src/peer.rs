//! The other end of an association, and the messages when it fails or does not answer.

use std::fmt;
use std::net::SocketAddr;

use anabranch_base::ByteCount;
use anabranch_net::reason::{BUSY, REFUSED};
use anabranch_net::{
    Association, Clock, CloseReason, ConnectError, Endpoint, PathAddresses, Security, SendError,
};
use anabranch_sctp::wire::Cause;

use crate::failure::{Failure, list};

/// The other end of an association.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    addresses: Vec<SocketAddr>,
    since: Clock,
    partner: Partner,
    is_sealed: bool,
}

/// An association, and the peer at its other end.
#[derive(Debug)]
pub(crate) struct Connected {
    /// The association.
    pub association: Association,
    /// The sockets that it uses.
    pub endpoint: Endpoint,
    /// The peer.
    pub peer: Peer,
}

/// The program that is expected at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Partner {
    /// `anabranch send` or `anabranch recv`.
    Files,
    /// `anabranch send --listen`.
    Server,
    /// `anabranch bench`.
    Tests,
    /// A program that answers measurements.
    Doctor,
    /// `anabranch forward` at the end with the programs.
    Programs,
    /// `anabranch forward --serve`.
    Destinations,
}

impl Peer {
    /// The peer at `addresses`. The attempt to reach it begins now.
    pub(crate) fn new(addresses: Vec<SocketAddr>, security: &Security, partner: Partner) -> Peer {
        let is_sealed = security.is_sealed();
        Peer { addresses, since: Clock::start(), partner, is_sealed }
    }

    /// The failure when an association ends before the work is done.
    pub(crate) fn failure(&self, reason: CloseReason) -> Failure {
        match reason {
            CloseReason::NoAnswer { attempts } => self.no_answer(attempts, Vec::new()),
            CloseReason::Graceful => Failure::PeerGone(format!(
                "{self} closed the association before the {} was complete",
                self.partner.work()
            )),
            CloseReason::AbortedHere { why } => Failure::PeerGone(format!("cancelled at this end: {why}")),
            CloseReason::AbortedByPeer { causes } if causes.is_empty() => {
                Failure::PeerGone(format!("{self} cancelled the {} without a reason", self.partner.work()))
            }
            CloseReason::AbortedByPeer { causes } => {
                self.cancelled(&causes.iter().map(cause_text).collect::<Vec<_>>().join("; "))
            }
            CloseReason::PeerGone { errors } => Failure::PeerGone(format!(
                "{self} no longer answers: {errors} retransmissions or probes in a row went unanswered on \
                 all paths"
            )),
            CloseReason::PacketsVanish { size, carried } => Failure::PeerGone(self.too_narrow(size, carried)),
            CloseReason::PeerRestarted => {
                Failure::PeerGone(format!("{self} was restarted during the {}", self.partner.work()))
            }
            CloseReason::UnknownToPeer => Failure::PeerGone(format!(
                "{self} no longer has this {}: it gave up, or was restarted",
                self.partner.work()
            )),
            CloseReason::ProtocolViolation { what } => self.garbage(&what),
        }
    }

    /// The failure when the peer ended the association with the reason `why`.
    fn cancelled(&self, why: &str) -> Failure {
        if why.starts_with(BUSY) {
            return Failure::Busy(format!("{self} is {why}"));
        }
        match why.strip_prefix(REFUSED) {
            Some(why) => Failure::Refused(format!("{self} refused: {why}")),
            None => Failure::PeerGone(format!("{self} cancelled the {}: {why}", self.partner.work())),
        }
    }

    /// The message that the network drops packets of `size` bytes, with the remedy.
    fn too_narrow(&self, size: ByteCount, carried: Option<ByteCount>) -> String {
        let vanish = format!(
            "packets of {size} to {self} vanish, whole and in fragments, though smaller ones arrive: something \
             on the path (a tunnel, a firewall) drops them"
        );
        match carried {
            Some(carried) => {
                format!("{vanish}; run the same commands again, with --set sctp.mtu={} here", carried.get())
            }
            None => vanish,
        }
    }

    /// The failure when a message cannot be sent.
    pub(crate) fn not_sent(&self, error: SendError) -> Failure {
        match error {
            SendError::Closed(reason) => self.failure(reason),
            SendError::Closing => self.failure(CloseReason::Graceful),
            error => Failure::PeerGone(format!("{self} cannot accept the {}: {error}", self.partner.work())),
        }
    }

    /// The failure when an association cannot be opened.
    pub(crate) fn not_opened(&self, error: ConnectError) -> Failure {
        match error {
            ConnectError::Failed(reason) => self.failure(reason),
            ConnectError::NoAnswer { attempts, tried } => self.no_answer(attempts, tried),
            error => Failure::Via(format!("cannot connect to {self}: {error}")),
        }
    }

    /// The failure when the network reports an error for every pair of addresses.
    pub(crate) fn not_reached(&self, why: Vec<String>) -> Failure {
        Failure::Unreachable { to: self.addresses.clone(), why, program: self.partner.program() }
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

    /// The failure when the peer uses another protocol.
    pub(crate) fn garbage(&self, what: &dyn fmt::Display) -> Failure {
        let protocol = self.partner.protocol();
        Failure::Garbage { protocol, peer: self.to_string(), what: what.to_string() }
    }

    /// The question about the key in the failure of a peer that does not answer.
    fn key_question(&self) -> &'static str {
        match (self.is_sealed, self.partner) {
            (true, Partner::Files) => "is the key the one that recv printed?",
            (true, Partner::Server) => "is the key the one that send --listen printed?",
            (true, Partner::Doctor) => "is the key the one that it printed there?",
            (true, Partner::Tests) => "is the key the one that bench --serve printed?",
            (true, Partner::Programs | Partner::Destinations) => {
                "is the key the one that forward printed there?"
            }
            (false, _) => "was it started with --insecure too?",
        }
    }
}

impl Partner {
    /// The command of the program that is expected at the other end.
    fn program(self) -> &'static str {
        match self {
            Partner::Files => "anabranch recv",
            Partner::Server => "anabranch send --listen",
            Partner::Tests | Partner::Doctor => "anabranch bench --serve",
            Partner::Programs => "anabranch forward",
            Partner::Destinations => "anabranch forward --serve",
        }
    }

    fn protocol(self) -> &'static str {
        match self {
            Partner::Files | Partner::Server => "file protocol",
            Partner::Tests => "test protocol",
            Partner::Doctor => "measurement protocol",
            Partner::Programs | Partner::Destinations => "flow protocol",
        }
    }

    fn work(self) -> &'static str {
        match self {
            Partner::Files | Partner::Server => "transfer",
            Partner::Tests => "test",
            Partner::Doctor => "measurement",
            Partner::Programs | Partner::Destinations => "bond",
        }
    }
}

/// Returns the text of a cause; the reason of a program is unchanged.
fn cause_text(cause: &Cause) -> String {
    match cause {
        Cause::UserInitiatedAbort(why) if !why.is_empty() => String::from_utf8_lossy(why).into_owned(),
        other => other.to_string(),
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&list(&self.addresses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_peer_that_ends_it_are_not_said_to_cancel_what_it_never_began() {
        let address = "192.0.2.1:9899".parse().expect("an address");
        let peer = Peer::new(vec![address], &Security::Insecure, Partner::Files);
        let told = |why: &str| {
            let causes = vec![Cause::UserInitiatedAbort(why.as_bytes().to_vec())];
            peer.failure(CloseReason::AbortedByPeer { causes }).document()
        };
        for (why, kind, message) in [
            ("busy with another test", "busy", "192.0.2.1:9899 is busy with another test"),
            ("refused: both ends send", "refused", "192.0.2.1:9899 refused: both ends send"),
            ("its user left", "peer-gone", "192.0.2.1:9899 cancelled the transfer: its user left"),
        ] {
            assert_eq!((&told(why)["kind"], &told(why)["message"]), (&kind.into(), &message.into()));
        }
    }
}
