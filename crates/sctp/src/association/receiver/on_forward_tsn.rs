//! Handles FORWARD-TSN and I-FORWARD-TSN: the peer gave messages up, which are no longer waited for (RFC 3758 §3.6, RFC
//! 8260 §2.3).

use super::{BadData, PacketData, Receiver};
use crate::association::ground::Ground;
use crate::event::Event;
use crate::receive::Assembly;
use crate::seq::{Mid, Tsn};
use crate::wire::{ForwardTsn, IForwardTsn, MessageKey};

impl Receiver {
    /// Skips the TSNs up to the new cumulative one, the incomplete messages among them, and the ordered messages that
    /// the chunk lists. One that is out of date is answered by a SACK alone: "the last SACK was probably lost".
    pub(crate) fn on_forward_tsn(
        &mut self,
        ground: &mut Ground,
        forward: &ForwardTsn<'_>,
        packet: &mut PacketData,
    ) -> Result<(), BadData> {
        let skipped = forward.skipped.iter();
        let ordered = skipped.map(|skipped| MessageKey {
            stream: skipped.stream,
            unordered: false,
            mid: Mid::from(skipped.ssn),
        });
        self.skip_to(ground, forward.new_cumulative_tsn, ordered, packet)
    }

    /// Does the same by the list of an I-FORWARD-TSN, which also has unordered messages.
    pub(crate) fn on_i_forward_tsn(
        &mut self,
        ground: &mut Ground,
        forward: &IForwardTsn,
        packet: &mut PacketData,
    ) -> Result<(), BadData> {
        let skipped = forward.skipped.iter();
        let skipped = skipped.map(|skipped| MessageKey {
            stream: skipped.stream,
            unordered: skipped.unordered,
            mid: skipped.mid,
        });
        self.skip_to(ground, forward.new_cumulative_tsn, skipped, packet)
    }

    fn skip_to(
        &mut self,
        ground: &mut Ground,
        cumulative: Tsn,
        skipped: impl Iterator<Item = MessageKey>,
        packet: &mut PacketData,
    ) -> Result<(), BadData> {
        packet.acknowledge_skip();
        if cumulative.is_after(self.arrivals.cumulative()) {
            self.abort_skipped(ground);
        }
        if self.deferred.is_some() {
            self.release_before(ground, cumulative)?;
        }
        if !self.arrivals.skip_to(cumulative) {
            return Ok(());
        }
        let mut dropped = self.assembly.skip_to(cumulative);
        let was_empty = self.delivery.is_empty();
        for last in skipped {
            if !self.delivery.has_stream(last.stream) {
                continue;
            }
            if let Assembly::Interleaved(interleaved) = &mut self.assembly {
                dropped += interleaved.skip_to(last);
                self.abort_if_dropped(ground, last);
            }
            if !last.unordered {
                self.delivery.skip_to(last.stream, last.mid);
            }
        }
        self.buffer.on_released(dropped);
        if was_empty && !self.delivery.is_empty() {
            ground.log.event(Event::Readable);
        }
        Ok(())
    }
}
