//! How an association ends, and its last packet. It knows no timer and no data.

use super::dispatch::Flow;
use super::init::Refusal;
use super::{Association, Grave, State};
use crate::event::{CloseReason, Event};
use crate::policy::PathId;
use crate::wire::{self, Abort, Cause, CommonHeader, PacketBuilder, ShutdownComplete, VerificationTag};

impl Association {
    pub(super) fn refuse(&mut self, refusal: &Refusal) -> Flow {
        let reason = CloseReason::ProtocolViolation { what: refusal.what.clone() };
        if let State::Opening(handshake) = &self.state {
            let header = handshake.header(refusal.peer_tag);
            let causes = refusal.cause.iter().cloned().collect();
            self.farewell = Some((PathId::FIRST, self.packet_with_abort(header, causes)));
        }
        Flow::End(reason)
    }

    pub(super) fn say_shutdown_complete(&mut self, path: PathId) {
        let Some(session) = self.session() else { return };
        let mut packet = Vec::new();
        let mut builder = PacketBuilder::new(&mut packet, session.header(), MIN_PACKET);
        builder.push(&ShutdownComplete { tag_reflected: false }).expect("a chunk of four bytes fits");
        builder.finish(session.settings.config.checksum);
        self.farewell = Some((path, packet));
    }

    pub(super) fn abort_with(&mut self, cause: Cause, reason: CloseReason) {
        if let Some(session) = self.session() {
            let path = session.usable_path(session.paths.primary());
            let packet = self.packet_with_abort(session.header(), vec![cause]);
            self.farewell = Some((path, packet));
        }
        self.end(reason);
    }

    /// The peer broke the protocol: the association is over (RFC 9260 §3.3.10.13).
    pub(super) fn call_off(&mut self, what: String) {
        let cause = Cause::ProtocolViolation(what.as_bytes().to_vec());
        self.abort_with(cause, CloseReason::ProtocolViolation { what });
    }

    pub(super) fn packet_with_abort(&self, header: CommonHeader, causes: Vec<Cause>) -> Vec<u8> {
        let mut packet = Vec::new();
        let mut builder = PacketBuilder::new(&mut packet, header, MIN_PACKET);
        let abort = Abort { tag_reflected: false, causes };
        if builder.push(&abort).is_err() {
            // The causes are too long to be told.
            let bare = Abort { tag_reflected: false, causes: Vec::new() };
            builder.push(&bare).expect("a chunk of four bytes fits");
        }
        builder.finish(self.checksum().unwrap_or(wire::Checksum::Crc32c));
        packet
    }

    /// The association is over. What arrived whole can still be read.
    pub(super) fn end(&mut self, reason: CloseReason) {
        let tags = self.tags();
        let tags = (tags.0, tags.1.unwrap_or(VerificationTag::ZERO));
        let paths = match std::mem::replace(&mut self.state, State::buried()) {
            State::Open(mut session) | State::Closing(mut session, _) => {
                while let Some(message) = session.delivery.take() {
                    self.unread.push_back(message);
                }
                self.events.append(&mut session.events);
                session.paths
            }
            State::Opening(mut handshake) => handshake.take_paths(),
            State::Closed(_) => return,
        };
        self.state = State::Closed(Grave { paths, tags });
        self.events.push_back(Event::Closed(reason));
    }
}

/// A packet that fits everywhere (RFC 9260 §6.9: the least IPv4 MTU that is assumed is 576).
const MIN_PACKET: usize = 512;
