//! The directions of data in a test, seen from its client.

use crate::protocol::RequestedDirection;

/// One of the two directions of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestDirection {
    /// From the client.
    Forward,
    /// To the client.
    Reverse,
}

impl TestDirection {
    /// In a word, for documents.
    pub fn word(self) -> &'static str {
        match self {
            TestDirection::Forward => "forward",
            TestDirection::Reverse => "reverse",
        }
    }

    /// Those of a test.
    pub fn of(direction: RequestedDirection) -> Vec<TestDirection> {
        match direction {
            RequestedDirection::Forward => vec![TestDirection::Forward],
            RequestedDirection::Reverse => vec![TestDirection::Reverse],
            RequestedDirection::Both => vec![TestDirection::Forward, TestDirection::Reverse],
        }
    }
}
