//! Handles FORWARD-TSN: the peer gave messages up, which are no longer waited for (RFC 3758 §3.6).

use super::{PacketData, Receiver};
use crate::association::ground::Ground;
use crate::event::Event;
use crate::wire::ForwardTsn;

impl Receiver {
    /// Skips the TSNs up to the new cumulative one, the incomplete messages among them, and the ordered messages that
    /// the chunk lists. One that is out of date is answered by a SACK alone: "the last SACK was probably lost".
    pub(crate) fn on_forward_tsn(
        &mut self,
        ground: &mut Ground,
        forward: &ForwardTsn<'_>,
        packet: &mut PacketData,
    ) {
        packet.acknowledge_skip();
        if !self.arrivals.skip_to(forward.new_cumulative_tsn) {
            return;
        }
        let dropped = self.reassembly.skip_to(forward.new_cumulative_tsn);
        self.buffer.on_released(dropped);
        let was_empty = self.delivery.is_empty();
        for skipped in forward.skipped.iter() {
            self.delivery.skip_to(skipped.stream, skipped.ssn);
        }
        if was_empty && !self.delivery.is_empty() {
            ground.log.event(Event::Readable);
        }
    }
}
