//! The interface of policies for flow control. The rules of both ends are in one place so that they match.

use std::fmt;

use anabranch_base::ByteCount;

/// The current state of a receive buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSample {
    /// The size in bytes, for chunks of the size that arrived recently.
    pub capacity: ByteCount,
    /// The data that the application could read now.
    pub in_order: ByteCount,
    /// The data that waits for earlier fragments or messages.
    pub out_of_order: ByteCount,
    /// The bytes that its memory can still hold, in chunks of that size; more than the free capacity unless the chunks
    /// are very small.
    pub holdable: ByteCount,
    /// The window that the peer may still assume: the last advertised one minus the data that arrived since then.
    pub offered: ByteCount,
    /// The weight of a full chunk: less room is of little use to the peer.
    pub full_chunk: ByteCount,
}

/// Decides which window is advertised, and how the sender uses it (M-SCTP-13).
pub trait FlowControl: fmt::Debug + Send {
    /// Receiver: the a_rwnd of a SACK that leaves now.
    fn advertise(&self, buffer: &BufferSample) -> ByteCount;

    /// Receiver: returns true if a SACK is due only because of the window: the application has read, and the peer may
    /// wait for room.
    fn is_update_due(&self, buffer: &BufferSample) -> bool;

    /// Sender: the amount that may be sent, given the peer's last `a_rwnd` and the `flight` to all its addresses.
    fn peer_window(&self, a_rwnd: ByteCount, flight: ByteCount) -> ByteCount;
}
