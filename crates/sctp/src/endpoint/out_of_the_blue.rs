//! Answers packets that belong to no association (RFC 9260 §8.4), without any state about their senders.

use anabranch_base::Time;

use super::{Arrival, Channel, Endpoint};
use crate::wire::{
    Abort, Cause, Chunk, CommonHeader, EncodeChunk, ErrorChunk, Packet, PacketBuilder, ShutdownComplete,
};

impl Endpoint {
    /// Applies the rules of RFC 9260 §8.4 from rule 2 on: rule 1 was applied before, and packets that begin with INIT
    /// (3) or COOKIE-ECHO (4) are handled elsewhere.
    pub(super) fn answer_out_of_the_blue(&mut self, now: Time, arrival: &Arrival, packet: &Packet<'_>) {
        let contains =
            |wanted: fn(&Chunk<'_>) -> bool| packet.chunks().map_while(Result::ok).any(|c| wanted(&c));
        // 2) "If the OOTB packet contains an ABORT chunk, the receiver MUST silently discard".
        if contains(|chunk| matches!(chunk, Chunk::Abort(_))) {
            return;
        }
        // 5) "If the packet contains a SHUTDOWN ACK chunk, the receiver SHOULD respond [...] with a SHUTDOWN
        // COMPLETE chunk".
        if contains(|chunk| matches!(chunk, Chunk::ShutdownAck)) {
            return self.reflect(now, arrival, packet.header(), &ShutdownComplete { tag_reflected: true });
        }
        // 6) SHUTDOWN-COMPLETE, 7) "an ERROR chunk with the "Stale Cookie" error cause or a COOKIE ACK chunk".
        if contains(is_final) {
            return;
        }
        // 8) "The receiver SHOULD respond [...] with an ABORT chunk". For an aborted association, this is the ABORT
        // that it sent: it has the reason, and may have been lost or reordered, especially with several paths.
        if let Some(packet) = self.sent_abort(arrival, packet.header()) {
            if self.may_answer_other(now, arrival) {
                self.reply(arrival, packet);
            }
            return;
        }
        let abort = Abort { tag_reflected: true, causes: Vec::new() };
        self.reflect(now, arrival, packet.header(), &abort);
    }

    /// The ABORT of the association to which this packet belongs, if this end aborted it.
    fn sent_abort(&self, arrival: &Arrival, header: CommonHeader) -> Option<Vec<u8>> {
        if header.destination_port != self.config.port {
            return None;
        }
        let tag = header.verification_tag;
        let held = self.by_tag.get(&tag).filter(|id| self.channels.of(**id) == arrival.channel);
        let sent = held.and_then(|id| self.associations.get(*id)?.sent_abort());
        sent.or_else(|| self.sent_aborts.of(tag, arrival.channel)).map(<[u8]>::to_vec)
    }

    /// Answers with one chunk, with the tag of the received packet.
    fn reflect(&mut self, now: Time, arrival: &Arrival, header: CommonHeader, chunk: &dyn EncodeChunk) {
        if !self.may_answer_other(now, arrival) {
            return;
        }
        let answer = CommonHeader {
            source_port: header.destination_port,
            destination_port: header.source_port,
            verification_tag: header.verification_tag,
        };
        self.answer(arrival, answer, chunk);
    }

    /// Returns true if an INIT is answered. The source may be forged, so the rate is limited. A channel proves the source.
    pub(super) fn may_answer_init(&mut self, now: Time, arrival: &Arrival) -> bool {
        arrival.channel != Channel::PLAIN || self.inits.take(now, arrival.remote.ip())
    }

    /// Returns true if any other packet from an unknown peer is answered, in the same way.
    pub(super) fn may_answer_other(&mut self, now: Time, arrival: &Arrival) -> bool {
        arrival.channel != Channel::PLAIN || self.others.take(now, arrival.remote.ip())
    }

    /// Answers an unknown peer with one chunk.
    pub(super) fn answer(&mut self, arrival: &Arrival, header: CommonHeader, chunk: &dyn EncodeChunk) {
        let mut bytes = Vec::new();
        let mut builder = PacketBuilder::new(&mut bytes, header, LARGEST_ANSWER);
        if builder.push(chunk).is_ok() {
            builder.finish(self.settings.config.checksum);
            self.reply(arrival, bytes);
        }
    }
}

/// Returns true if the chunk is discarded without an answer.
fn is_final(chunk: &Chunk<'_>) -> bool {
    match chunk {
        Chunk::ShutdownComplete(_) | Chunk::CookieAck => true,
        Chunk::Error(ErrorChunk { causes }) => {
            causes.iter().any(|cause| matches!(cause, Cause::StaleCookie(_)))
        }
        _ => false,
    }
}

/// Enough for an INIT-ACK with its cookie and many addresses; much less than the largest datagram.
const LARGEST_ANSWER: usize = 4_096;
