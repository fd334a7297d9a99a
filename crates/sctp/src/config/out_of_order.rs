//! The second level of a receive buffer (M-IPCC-7).

use anabranch_base::ByteCount;
use anabranch_base::setting::{Settable, Value};

/// The storage of data that waits for missing chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfOrder {
    /// In the receive buffer, which has one level.
    InBuffer,
    /// In a second level that holds as much as gap blocks can name.
    Unlimited,
    /// In a second level of this size.
    AtMost(ByteCount),
}

/// The word for a second level without a limit.
pub(super) const UNLIMITED: &str = "unlimited";

impl OutOfOrder {
    /// The second level as users write it, if there is one.
    pub(super) fn shown(self) -> Option<Value> {
        match self {
            OutOfOrder::InBuffer => None,
            OutOfOrder::Unlimited => Some(Value::word(UNLIMITED)),
            OutOfOrder::AtMost(size) => Some(size.value()),
        }
    }
}
