//! The directions of data in a test, as seen from the client.

use crate::protocol::RequestedDirection;

/// One of the two directions of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestDirection {
    /// From the client to the server.
    Forward,
    /// From the server to the client.
    Reverse,
}

impl TestDirection {
    /// The name in documents.
    pub fn word(self) -> &'static str {
        match self {
            TestDirection::Forward => "forward",
            TestDirection::Reverse => "reverse",
        }
    }

    /// The directions of a requested test.
    pub fn of(direction: RequestedDirection) -> Vec<TestDirection> {
        match direction {
            RequestedDirection::Forward => vec![TestDirection::Forward],
            RequestedDirection::Reverse => vec![TestDirection::Reverse],
            RequestedDirection::Both => vec![TestDirection::Forward, TestDirection::Reverse],
        }
    }
}
