//! Answers to packets that are for no association (RFC 9260 §8.4). It keeps no state of those who send them.

use super::{Arrival, Endpoint};
use crate::wire::{Abort, Chunk, CommonHeader, EncodeChunk, Packet, PacketBuilder, ShutdownComplete};

impl Endpoint {
    /// RFC 9260 §8.4, rule by rule.
    pub(super) fn answer_out_of_the_blue(&mut self, arrival: &Arrival, packet: &Packet<'_>) {
        // 1) "If the OOTB packet is to or from a non-unicast address" it is discarded.
        let (local, remote) = (arrival.local.ip(), arrival.remote.ip());
        if local.is_multicast() || remote.is_multicast() || remote.is_unspecified() {
            return;
        }
        let mut chunks = packet.chunks().map_while(Result::ok);
        let Some(first) = chunks.next() else { return };
        // 2) ABORT, 6) SHUTDOWN-COMPLETE, 7) stale cookie and COOKIE-ACK: nothing that would be answered in
        // turn for ever.
        let is_final = |chunk: &Chunk<'_>| {
            matches!(chunk, Chunk::Abort(_) | Chunk::ShutdownComplete(_) | Chunk::CookieAck | Chunk::Error(_))
        };
        if is_final(&first) || chunks.any(|chunk| is_final(&chunk)) {
            return;
        }
        // 5) SHUTDOWN-ACK is answered by SHUTDOWN-COMPLETE, 8) all else by ABORT, both with the packet's own
        // tag and the T bit.
        match first {
            Chunk::ShutdownAck => {
                self.reflect(arrival, packet.header(), &ShutdownComplete { tag_reflected: true });
            }
            Chunk::InitAck(_) | Chunk::Init(_) => {}
            _ => {
                let abort = Abort { tag_reflected: true, causes: Vec::new() };
                self.reflect(arrival, packet.header(), &abort);
            }
        }
    }

    /// Answers with one chunk that carries the tag of the packet it answers.
    fn reflect(&mut self, arrival: &Arrival, header: CommonHeader, chunk: &dyn EncodeChunk) {
        let answer = CommonHeader {
            source_port: header.destination_port,
            destination_port: header.source_port,
            verification_tag: header.verification_tag,
        };
        self.answer(arrival, answer, chunk);
    }

    /// Answers a stranger with one chunk.
    pub(super) fn answer(&mut self, arrival: &Arrival, header: CommonHeader, chunk: &dyn EncodeChunk) {
        let mut bytes = Vec::new();
        let mut builder = PacketBuilder::new(&mut bytes, header, LARGEST_ANSWER);
        if builder.push(chunk).is_ok() {
            builder.finish(self.settings.config.checksum);
            self.reply(arrival, bytes);
        }
    }
}

/// An INIT-ACK with its cookie and many addresses; never near a whole datagram.
const LARGEST_ANSWER: usize = 4_096;
