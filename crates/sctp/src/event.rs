//! The events that an association reports to its application.

use std::net::SocketAddr;

use anabranch_base::ByteCount;

use crate::path::EcnFault;
use crate::policy::PathId;
use crate::wire::{Cause, Ppid, ReConfigResult, StreamId};

/// An event of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The handshake is complete: messages may be sent.
    Connected,
    /// At least one message can be received.
    Readable,
    /// The send buffer has room again for the smallest message that it refused.
    Writable,
    /// A message was given up, as its [`Reliability`](crate::association::Reliability) demands: it is not delivered.
    GivenUp {
        /// The stream.
        stream: StreamId,
        /// The application's identifier for the content.
        ppid: Ppid,
        /// The user data.
        bytes: ByteCount,
        /// True if a part of it was sent: it may still arrive whole.
        was_sent: bool,
    },
    /// A message that was delivered in parts ends without its rest: its last part is
    /// [`Part::Aborted`](crate::association::Part::Aborted) (RFC 6458 §6.1.7). The peer gave it up or reset its stream, or
    /// the association ended.
    PartialDeliveryAborted {
        /// The stream.
        stream: StreamId,
        /// The application's identifier for the content.
        ppid: Ppid,
        /// True if it was sent without a position in its stream.
        unordered: bool,
    },
    /// This end's outgoing streams, all if the list is empty, count their messages from zero (RFC 6525).
    OutgoingStreamsReset(Vec<StreamId>),
    /// The peer's outgoing streams, all if the list is empty, count their messages from zero.
    IncomingStreamsReset(Vec<StreamId>),
    /// Streams were added: these are the numbers of all streams now.
    StreamsAdded {
        /// The number of streams of this end.
        outbound: u16,
        /// The number of streams of the peer.
        inbound: u16,
    },
    /// The association was reset: all streams of both ends count their messages from zero, and TSNs begin anew.
    AssociationReset,
    /// The peer refused a change of streams. Messages on streams that were to be reset count on.
    StreamChangeRefused {
        /// The change.
        change: StreamChange,
        /// The reason.
        result: ReConfigResult,
    },
    /// The peer restarted: data that was sent and not acknowledged is lost (RFC 9260 §5.2.4.1).
    Restarted,
    /// The peer closes the association and accepts no more data.
    PeerClosing,
    /// A path was added: it is verified before it carries data.
    PathAdded(PathId),
    /// A path was removed: one of its addresses was lost. If the address returns, the path is added again with
    /// [`PathAdded`](Event::PathAdded).
    PathRemoved(PathId),
    /// A path was verified and carries data.
    PathConfirmed(PathId),
    /// A path has potentially failed: data moves to other paths while it is probed (RFC 7829).
    PathSuspected(PathId),
    /// A path had too many consecutive errors and carries no more data.
    PathDown(PathId),
    /// A path that had failed, or potentially failed, answers again.
    PathUp(PathId),
    /// The peer's packets on this path now come from another address or port.
    PathMoved(PathId, SocketAddr),
    /// The path now carries IP packets of this many bytes, more or fewer than before (RFC 8899).
    PathMtu(PathId, ByteCount),
    /// IP packets of this many bytes no longer arrive on this path, though smaller ones do: it continues with smaller
    /// ones, which [`PathMtu`](Event::PathMtu) reports (RFC 8899 §4.3).
    PathNarrowed(PathId, ByteCount),
    /// ECN does not work on this path: its packets are sent without ECT from now on.
    EcnUnusable(PathId, EcnFault),
    /// The association is closed. No event follows.
    Closed(CloseReason),
}

/// A change of an association's streams that this end requested (RFC 6525).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamChange {
    /// The reset of outgoing streams, of all if the list is empty.
    ResetOutgoing(Vec<StreamId>),
    /// The reset of the peer's outgoing streams, of all if the list is empty.
    ResetIncoming(Vec<StreamId>),
    /// The reset of all streams and TSNs of both ends.
    ResetAssociation,
    /// So many more streams of this end.
    AddOutgoing(u16),
    /// So many more streams of the peer.
    AddIncoming(u16),
}

/// The reason for the end of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// Both ends sent all their data, and all of it was acknowledged.
    Graceful,
    /// This end aborted the association.
    AbortedHere {
        /// The reason.
        why: String,
    },
    /// The peer aborted the association.
    AbortedByPeer {
        /// The error causes in its ABORT.
        causes: Vec<Cause>,
    },
    /// The peer did not answer the handshake.
    NoAnswer {
        /// The number of times INIT or COOKIE-ECHO was sent.
        attempts: u32,
    },
    /// The peer no longer answers.
    PeerGone {
        /// The number of consecutive unanswered retransmissions.
        errors: u32,
    },
    /// The network drops packets of the size in which data was sent, and their fragments, though smaller packets
    /// arrive. Data that was sent cannot be fragmented anew.
    PacketsVanish {
        /// The size of the IP packets.
        size: ByteCount,
        /// The largest IP packet that arrives, if it is known.
        carried: Option<ByteCount>,
    },
    /// The peer restarted and no longer has the association. A driver with channels can detect this.
    PeerRestarted,
    /// The peer no longer has the association: it gave up, or was restarted.
    UnknownToPeer,
    /// The peer violated the protocol.
    ProtocolViolation {
        /// The violation.
        what: String,
    },
}

impl std::error::Error for CloseReason {}

impl std::fmt::Display for CloseReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CloseReason::Graceful => f.write_str("closed in order"),
            CloseReason::AbortedHere { why } => write!(f, "aborted at this end: {why}"),
            CloseReason::AbortedByPeer { causes } if causes.is_empty() => {
                f.write_str("the peer aborted the association without a reason")
            }
            CloseReason::AbortedByPeer { causes } => {
                let causes: Vec<String> = causes.iter().map(ToString::to_string).collect();
                write!(f, "the peer aborted the association: {}", causes.join("; "))
            }
            CloseReason::NoAnswer { attempts } => {
                write!(f, "the peer did not answer {attempts} attempts to connect")
            }
            CloseReason::PeerGone { errors } => {
                write!(f, "the peer no longer answers: {errors} retransmissions in a row went unanswered")
            }
            CloseReason::PacketsVanish { size, carried } => {
                write!(f, "packets of {size} vanish, whole and in fragments, though smaller ones arrive")?;
                carried.map_or(Ok(()), |carried| write!(f, " (of up to {carried})"))
            }
            CloseReason::PeerRestarted => {
                f.write_str("the peer was restarted and no longer has this association")
            }
            CloseReason::UnknownToPeer => {
                f.write_str("the peer no longer has this association: it gave up, or was restarted")
            }
            CloseReason::ProtocolViolation { what } => write!(f, "the peer violated the protocol: {what}"),
        }
    }
}
