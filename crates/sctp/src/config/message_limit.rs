//! The size limit of messages, which follows from the buffers of both ends.

use anabranch_base::ByteCount;

/// The buffers into which a sent message must fit (RFC 9260 §6.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageLimit {
    /// Both buffers: this end's send buffer and the receive buffer that the peer announced. A peer without partial
    /// delivery accepts no larger message.
    #[default]
    BothBuffers,
    /// This end's send buffer alone: for peers that "dispatch part of \[an\] inbound message through a partial delivery
    /// API", such as this implementation with [`Config::partial_delivery`](super::Config::partial_delivery). The protocol
    /// does not show whether a peer does. A peer that does not aborts the association at the first
    /// message that it cannot hold.
    SendBuffer,
}

impl MessageLimit {
    /// The largest message, with buffers of these sizes.
    pub fn of(self, send_buffer: ByteCount, peer_buffer: ByteCount) -> ByteCount {
        match self {
            MessageLimit::BothBuffers => send_buffer.min(peer_buffer),
            MessageLimit::SendBuffer => send_buffer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peers_buffer_bounds_a_message_unless_the_peer_reads_in_parts() {
        let (small, large) = (ByteCount::from_kib(128), ByteCount::from_mib(2));
        assert_eq!(MessageLimit::BothBuffers.of(large, small), small);
        assert_eq!(MessageLimit::BothBuffers.of(small, large), small);
        assert_eq!(MessageLimit::SendBuffer.of(large, small), large);
        assert_eq!(MessageLimit::SendBuffer.of(small, large), small);
    }
}
