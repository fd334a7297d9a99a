//! Ends an association: ABORTs in both directions, and the last packet.

use super::dispatch::ChunkOutcome;
use super::init::InitRefusal;
use super::packet_auth::PacketAuth;
use super::{Association, ClosedAssociation, State};
use crate::event::{CloseReason, Event};
use crate::policy::PathId;
use crate::wire::{self, Abort, Cause, CommonHeader, PacketBuilder, ShutdownComplete, VerificationTag};

impl Association {
    /// Returns true if the peer answers on no path: there were several consecutive time-outs.
    pub fn is_unanswered(&self) -> bool {
        self.session().is_some_and(|session| session.ground().paths.errors_in_row() >= MANY_ERRORS)
    }

    /// Closes the association without an ABORT, because the peer restarted and no longer has it.
    pub(crate) fn on_peer_restarted(&mut self) {
        if self.session().is_some() {
            self.end(CloseReason::PeerRestarted);
        }
    }

    /// Aborts the handshake because the INIT-ACK that arrived on `path` is unacceptable.
    pub(super) fn refuse(&mut self, path: PathId, refusal: &InitRefusal) -> ChunkOutcome {
        let reason = CloseReason::ProtocolViolation { what: refusal.what.clone() };
        if let State::Opening(handshake) = &self.state {
            // RFC 9260 §3.3.3: an INIT-ACK whose tag is zero gets "an ABORT chunk with the T bit set".
            let tag_reflected = refusal.peer_tag == VerificationTag::ZERO;
            let tag = if tag_reflected { handshake.identity.tag } else { refusal.peer_tag };
            let causes = refusal.cause.iter().cloned().collect();
            let packet = self.packet_with_abort(handshake.header(tag), &Abort { tag_reflected, causes });
            self.last_packet = Some((path, packet));
        }
        ChunkOutcome::End(reason)
    }

    pub(super) fn say_shutdown_complete(&mut self, path: PathId) {
        let Some(session) = self.session() else { return };
        // The route from the peer may work although the route to it does not, and the peer cannot detect that. This
        // packet is sent only once.
        let ground = session.ground();
        let path = ground.paths.usable(path);
        let mut packet = Vec::new();
        let mut builder = PacketBuilder::new(&mut packet, ground.header(), MIN_PACKET);
        builder.push(&ShutdownComplete { tag_reflected: false }).expect("a chunk of four bytes fits");
        builder.finish(ground.settings.config.checksum);
        self.last_packet = Some((path, packet));
    }

    /// Aborts the association for `reason`, and says `cause` to the peer.
    pub(super) fn abort_with(&mut self, cause: Cause, reason: CloseReason) {
        self.abort_saying(vec![cause], reason);
    }

    /// Gives the association up because the peer does not answer. An ABORT lets a peer whose packets are lost know: one
    /// that received our cookie may have opened the association.
    pub(super) fn give_up(&mut self, reason: CloseReason) {
        self.abort_saying(Vec::new(), reason);
    }

    /// Like [`abort_with`](Self::abort_with), for a reason that the peer's application should know: the ABORT is repeated
    /// if the peer did not receive it.
    pub(super) fn abort_loudly(&mut self, cause: Cause, reason: CloseReason) {
        self.abort_saying(vec![cause], reason);
        let said = self.last_packet.as_ref().map(|(_, packet)| packet.clone());
        if let State::Closed(closed) = &mut self.state {
            closed.sent_abort = said;
        }
    }

    fn abort_saying(&mut self, causes: Vec<Cause>, reason: CloseReason) {
        let route = match &self.state {
            State::Open(session) | State::Closing(session, _) => {
                let ground = session.ground();
                Some((ground.paths.usable(ground.paths.primary()), ground.header()))
            }
            // A peer that received our cookie may have opened the association.
            State::Opening(handshake) => {
                handshake.peer_tag().map(|tag| (handshake.paths().primary(), handshake.header(tag)))
            }
            State::Closed(_) => None,
        };
        if let Some((path, header)) = route {
            let abort = Abort { tag_reflected: false, causes };
            self.last_packet = Some((path, self.packet_with_abort(header, &abort)));
        }
        self.end(reason);
    }

    /// The ABORT with which this end aborted the association.
    pub(crate) fn sent_abort(&self) -> Option<&[u8]> {
        match &self.state {
            State::Closed(closed) => closed.sent_abort.as_deref(),
            _ => None,
        }
    }

    /// Takes the ABORT with which this end aborted the association.
    pub(crate) fn take_sent_abort(&mut self) -> Option<Vec<u8>> {
        match &mut self.state {
            State::Closed(closed) => closed.sent_abort.take(),
            _ => None,
        }
    }

    /// Aborts the association because the peer violated the protocol (RFC 9260 §3.3.10.13).
    pub(super) fn abort_for_violation(&mut self, what: String) {
        let cause = Cause::ProtocolViolation(what.as_bytes().to_vec());
        self.abort_loudly(cause, CloseReason::ProtocolViolation { what });
    }

    fn packet_with_abort(&self, header: CommonHeader, abort: &Abort) -> Vec<u8> {
        let mut packet = Vec::new();
        let mut builder = PacketBuilder::new(&mut packet, header, MIN_PACKET);
        let (keys, mut auth) = (self.keys(), PacketAuth::default());
        if auth.push(keys, &mut builder, abort).is_err() {
            // The causes do not fit into the packet.
            let bare = Abort { tag_reflected: abort.tag_reflected, causes: Vec::new() };
            auth.push(keys, &mut builder, &bare).expect("chunks of four bytes and of forty fit");
        }
        auth.sign(keys, &mut builder);
        builder.finish(self.checksum().unwrap_or(wire::Checksum::Crc32c));
        packet
    }

    /// Ends the association. Complete messages can still be read.
    pub(super) fn end(&mut self, reason: CloseReason) {
        let tags = self.tags();
        let tags = (tags.0, tags.1.unwrap_or(VerificationTag::ZERO));
        let (undelivered, receive_buffer) = (self.unacknowledged(), self.receive_buffer());
        let paths = match std::mem::replace(&mut self.state, State::vacant()) {
            State::Open(session) | State::Closing(session, _) => {
                let mut remains = session.into_remains();
                self.unread.append(remains.ready);
                self.events.append(&mut remains.events);
                self.records = remains.records;
                self.tests = remains.tests;
                remains.paths
            }
            State::Opening(handshake) => handshake.into_paths(),
            State::Closed(closed) => {
                self.state = State::Closed(closed);
                return;
            }
        };
        self.state =
            State::Closed(ClosedAssociation { paths, tags, undelivered, receive_buffer, sent_abort: None });
        self.events.push_back(Event::Closed(reason));
    }
}

/// This number of consecutive time-outs is not taken for chance.
const MANY_ERRORS: u32 = 2;
/// A packet of this size fits every path (RFC 9260 §6.9: the least IPv4 MTU that is assumed is 576).
const MIN_PACKET: usize = 512;
