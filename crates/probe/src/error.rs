//! The errors of a measurement.

use anabranch_base::Duration;
use anabranch_net::{CloseReason, SendError};

use crate::protocol::FrameError;

/// The error of a measurement that did not complete.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The other end refuses to measure, with its reason.
    #[error("the other end refuses to measure: {0}")]
    Refused(String),
    /// This end refused the client, with this reason.
    #[error("refused the client: {0}")]
    RefusedHere(String),
    /// The other end did not answer.
    #[error(
        "no {what} from the other end within {within}: it is gone, or too busy to measure with; try again"
    )]
    NoAnswer {
        /// The awaited frame or packet.
        what: &'static str,
        /// For how long.
        within: Duration,
    },
    /// The measurement took too long.
    #[error("the measurement did not end within {0}: the other end delays it; try again, or with --light")]
    TooLong(Duration),
    /// The other end sent bytes that are not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The other end sent a frame that is not expected.
    #[error("unexpected message of the other end while measuring: {0}")]
    Unexpected(&'static str),
    /// The other end wants to measure, too.
    #[error("both ends measure: start one of them with --answer, as `anabranch doctor --listen --answer`")]
    BothMeasure,
    /// The other end reports what cannot be.
    #[error("an impossible report of the other end: {0}")]
    Impossible(&'static str),
    /// The other end sent a message of another protocol.
    #[error(
        "the other end speaks another protocol while this one measures: use the same release at both ends"
    )]
    Foreign,
    /// There is no path to measure.
    #[error("no confirmed path to measure: check that the other end answers, and the local addresses")]
    NoPath,
    /// No test packet came back.
    #[error(
        "no test packet came back on any path: the other end ignores them; use the same release at both ends"
    )]
    NothingCameBack,
    /// The association does not carry test packets.
    #[error("this association carries no test packets: set sctp.test_packets at both ends")]
    TestsOff,
    /// A message could not be sent.
    #[error("cannot send a message of the measurement: {0}")]
    Send(SendError),
    /// The association has ended.
    #[error("the association ended while measuring: {0}")]
    Closed(CloseReason),
}
