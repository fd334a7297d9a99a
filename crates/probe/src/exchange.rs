//! The inputs and outputs of both ends of a measurement.

use anabranch_diagnose::recording::End;
use anabranch_net::PathId;
use bytes::Bytes;

use crate::error::ProbeError;
use crate::progress::Progress;
use crate::traffic::{IncomingTest, OutgoingTest};

/// An input of an end.
#[derive(Clone, Debug)]
pub enum Input {
    /// A message of the other end, in order.
    Message(Bytes),
    /// A test packet of the other end.
    Test(IncomingTest),
    /// The test packet that was polled last, of this lane, could not be sent.
    Refused {
        /// The lane.
        lane: u8,
    },
    /// The answer to [`Output::WantFacts`].
    Facts(Box<End>),
}

/// An output of an end, which finishes with a `T`.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<T> {
    /// Send this message.
    Message(Bytes),
    /// Send this test packet.
    Test(OutgoingTest),
    /// Say what is known of this machine, and of the lanes.
    WantFacts {
        /// The paths of the lanes, in their order.
        paths: Vec<Option<PathId>>,
    },
    /// The progress, for the user.
    Progress(Progress),
    /// The measurement has ended; nothing follows.
    Finished(Result<T, ProbeError>),
}
