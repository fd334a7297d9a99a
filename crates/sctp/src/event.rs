//! What an association tells its application. It knows no packet.

use std::net::SocketAddr;

use anabranch_base::ByteCount;

use crate::policy::PathId;
use crate::wire::Cause;

/// Something the application may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The handshake is done: messages may be sent.
    Connected,
    /// At least one message waits to be received.
    Readable,
    /// A full send buffer has room again for the smallest message that it refused.
    Writable,
    /// The peer restarted: what was sent and not acknowledged is lost (RFC 9260 §5.2.4.1).
    Restarted,
    /// The peer wants no more data and is shutting down.
    PeerClosing,
    /// A path joined the table: it is verified before it carries data.
    PathAdded(PathId),
    /// A path left the table: one of its addresses is gone. Should that come back, the path joins again, as
    /// [`PathAdded`](Event::PathAdded) tells.
    PathRemoved(PathId),
    /// A path was verified and carries data.
    PathConfirmed(PathId),
    /// A path may have failed: data goes elsewhere while it is probed (RFC 7829).
    PathSuspected(PathId),
    /// A path failed too often in a row and carries no more data.
    PathDown(PathId),
    /// A path that failed, or was suspected to, answers again.
    PathUp(PathId),
    /// The peer's packets on this path now come from another address or port.
    PathMoved(PathId, SocketAddr),
    /// The path carries IP packets of so many bytes, more or less than before (RFC 8899).
    PathMtu(PathId, ByteCount),
    /// It is over. Nothing follows.
    Closed(CloseReason),
}

/// How an association ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// Both ends said all they had to say, and everything was acknowledged.
    Graceful,
    /// This end called it off.
    AbortedHere {
        /// Why.
        why: String,
    },
    /// The peer called it off.
    AbortedByPeer {
        /// The causes it gave.
        causes: Vec<Cause>,
    },
    /// The peer did not answer the handshake.
    NoAnswer {
        /// How often INIT or COOKIE-ECHO was sent.
        attempts: u32,
    },
    /// The peer answers no more.
    PeerGone {
        /// How many retransmissions in a row went unanswered.
        errors: u32,
    },
    /// The peer lost its memory and has no such association any more, as only a driver with channels can know.
    PeerRestarted,
    /// The peer has no such association any more: it gave it up, or was started anew.
    PeerForgot,
    /// The peer broke the protocol.
    ProtocolViolation {
        /// How.
        what: String,
    },
}

impl std::error::Error for CloseReason {}

impl std::fmt::Display for CloseReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CloseReason::Graceful => f.write_str("closed in order"),
            CloseReason::AbortedHere { why } => write!(f, "called off here: {why}"),
            CloseReason::AbortedByPeer { causes } if causes.is_empty() => {
                f.write_str("the peer called it off and gave no cause")
            }
            CloseReason::AbortedByPeer { causes } => {
                let causes: Vec<String> = causes.iter().map(ToString::to_string).collect();
                write!(f, "the peer called it off: {}", causes.join("; "))
            }
            CloseReason::NoAnswer { attempts } => {
                write!(f, "the peer did not answer {attempts} attempts to connect")
            }
            CloseReason::PeerGone { errors } => {
                write!(f, "the peer is gone: {errors} retransmissions in a row went unanswered")
            }
            CloseReason::PeerRestarted => {
                f.write_str("the peer was started anew and knows nothing of this association")
            }
            CloseReason::PeerForgot => f.write_str(
                "the peer knows nothing of this association any more: it gave it up, or was started anew",
            ),
            CloseReason::ProtocolViolation { what } => write!(f, "the peer broke the protocol: {what}"),
        }
    }
}
