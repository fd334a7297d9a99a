//! The effort for a message: how long, or how often, it is sent before it is given up (RFC 3758, RFC 7496).

use anabranch_base::Time;

/// The effort for a message. A message that is given up is not delivered; if a part of it was sent, the peer is told to
/// wait for it no longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reliability {
    /// It is never given up.
    #[default]
    Full,
    /// It is given up at this time, whether it was sent or not (RFC 3758 §4.1).
    Until(Time),
    /// It is given up when a part of it is lost after this many retransmissions (RFC 7496 §3.1).
    Retransmissions(u32),
    /// It is given up when the send buffer lacks room for a message of a lower value, which is of higher priority (RFC
    /// 7496 §3.2).
    Priority(u32),
}

impl Reliability {
    /// True if a message may be given up.
    pub fn is_partial(self) -> bool {
        self != Reliability::Full
    }
}
