//! The interface of policies for flow control, with the rules of both ends in one place so that they match.

use std::fmt;

use anabranch_base::ByteCount;

/// A receive buffer as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSample {
    /// What it holds when it is full, of chunks of the size that came lately.
    pub capacity: ByteCount,
    /// What the application could read now.
    pub in_order: ByteCount,
    /// What waits for fragments or messages before it.
    pub out_of_order: ByteCount,
    /// What the memory behind it can still hold of them; more than the free capacity unless they are very small.
    pub holdable: ByteCount,
    /// What the peer may still believe to be free: the window last advertised less what arrived since.
    pub offered: ByteCount,
    /// A full chunk's weight: less room than this is of little use to the peer.
    pub full_chunk: ByteCount,
}

/// Decides what is advertised, and what a sender makes of it (M-SCTP-13).
pub trait FlowControl: fmt::Debug + Send {
    /// Receiver: the a_rwnd of a SACK that leaves now.
    fn advertise(&self, buffer: &BufferSample) -> ByteCount;

    /// Receiver: whether a SACK is due for nothing but the window, because the application has read and the
    /// peer may be waiting for it.
    fn is_update_due(&self, buffer: &BufferSample) -> bool;

    /// Sender: what may leave, by the peer's last a_rwnd and what is in flight to all its addresses.
    fn peer_window(&self, a_rwnd: ByteCount, flight: ByteCount) -> ByteCount;
}
