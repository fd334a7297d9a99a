//! Handles each chunk as the state of the association demands.

use anabranch_base::{ByteCount, Time};

use super::admission::{Admission, ChunksBefore};
use super::receiver::PacketData;
use super::session::{Session, ShutdownState};
use super::{Association, Datagram, State, Verified};
use crate::event::{CloseReason, Event};
use crate::policy::PathId;
use crate::seq::Tsn;
use crate::wire::{self, Cause, Chunk, ChunkError, ChunkFault, CommonHeader, CookieAck};

/// The consequence of one chunk for the rest of its packet and for the association.
pub(super) enum ChunkOutcome {
    /// The next chunk is read.
    Continue,
    /// The rest of the packet is discarded.
    Discard,
    /// The association ends.
    End(CloseReason),
    /// The association ends, and an ABORT with the cause is sent to the peer.
    Abort(Cause, CloseReason),
    /// The peer violated the protocol, and no specific error cause names the violation.
    Violation(String),
}

impl Association {
    /// Handles a packet that arrived on one of the paths. The endpoint has checked that it belongs to this association.
    pub fn handle(&mut self, now: Time, datagram: &Datagram) {
        let Some(checksum) = self.checksum() else { return };
        if let Ok(packet) = wire::Packet::decode(&datagram.bytes, checksum) {
            let Datagram { path, ecn, ref bytes, memory } = *datagram;
            let memory = memory.max(ByteCount::of_len(bytes.len()));
            self.handle_verified(now, &Verified { path, ecn, bytes, memory, packet: &packet, taken: &[] });
        }
    }

    /// Like [`handle`](Association::handle), for a datagram that is already decoded and verified: the checksum of a
    /// full packet costs more than all other work on it.
    pub(crate) fn handle_verified(&mut self, now: Time, arrived: &Verified<'_>) {
        if let Some(paths) = self.paths_mut() {
            paths.on_arrival(arrived.path, arrived.ecn, now);
        }
        let mut data = self.session_mut().map(|session| session.begin_packet(now, arrived));
        let mut chunks = arrived.packet.chunks();
        let mut before = ChunksBefore::default();
        loop {
            let rest = chunks.rest();
            let flow = match chunks.next() {
                None => break,
                Some(Ok(chunk)) => match self.admit(arrived.path, &chunk, rest, &mut before) {
                    Admission::Accept => self.handle_chunk(now, arrived, &chunk, &mut data),
                    Admission::Skip => ChunkOutcome::Continue,
                    Admission::Refuse => ChunkOutcome::Discard,
                },
                Some(Err(error)) => self.handle_bad_chunk(arrived.path, &error),
            };
            match flow {
                ChunkOutcome::Continue => {}
                ChunkOutcome::Discard => break,
                ChunkOutcome::End(reason) => return self.end(reason),
                ChunkOutcome::Abort(cause, reason) => return self.abort_loudly(cause, reason),
                ChunkOutcome::Violation(what) => return self.abort_for_violation(what),
            }
        }
        if let (Some(session), Some(data)) = (self.session_mut(), data)
            && let Err(bad) = session.end_packet(arrived, &data, now)
        {
            return self.abort_for_violation(bad.to_string());
        }
        self.after_event(now);
    }

    /// Handles one chunk according to the association's state.
    fn handle_chunk(
        &mut self,
        now: Time,
        arrived: &Verified<'_>,
        chunk: &Chunk<'_>,
        data: &mut Option<PacketData>,
    ) -> ChunkOutcome {
        if !self.may_have_tag(arrived.packet.header(), chunk) {
            return ChunkOutcome::Discard;
        }
        match (&mut self.state, chunk) {
            (State::Open(session) | State::Closing(session, _), Chunk::Abort(abort))
                if !session.may_end_by(arrived.path, abort.tag_reflected) =>
            {
                ChunkOutcome::Discard
            }
            // All data was delivered in both directions, and the association no longer exists at the peer: its
            // SHUTDOWN-COMPLETE was lost, or the answer to a late packet of ours overtook it (RFC 9260 §8.4).
            (State::Closing(_, ShutdownState::AckSent), Chunk::Abort(abort)) if abort.tag_reflected => {
                ChunkOutcome::End(CloseReason::Graceful)
            }
            // §8.4 rule 8: this is the peer's answer to a packet that matches no association.
            (State::Open(_) | State::Closing(..), Chunk::Abort(abort))
                if abort.tag_reflected && abort.causes.is_empty() =>
            {
                ChunkOutcome::End(CloseReason::UnknownToPeer)
            }
            (_, Chunk::Abort(abort)) => {
                ChunkOutcome::End(CloseReason::AbortedByPeer { causes: abort.causes.clone() })
            }
            (State::Opening(_), chunk) => self.handle_opening(now, arrived, chunk, data),
            // The endpoint has read the cookie and applied it. Only the COOKIE-ACK remains.
            (State::Open(session), Chunk::CookieEcho(_)) => {
                session.ground_mut().acknowledge_cookie(arrived.path, now);
                ChunkOutcome::Continue
            }
            (State::Closing(session, _), Chunk::CookieEcho(_)) => {
                session.ground_mut().answer(arrived.path, CookieAck);
                ChunkOutcome::Continue
            }
            (State::Closing(_, ShutdownState::AckSent), Chunk::ShutdownComplete(_)) => {
                ChunkOutcome::End(CloseReason::Graceful)
            }
            (State::Closing(_, ShutdownState::Sent | ShutdownState::AckSent), Chunk::ShutdownAck) => {
                self.say_shutdown_complete(arrived.path);
                ChunkOutcome::End(CloseReason::Graceful)
            }
            (State::Open(_) | State::Closing(..), Chunk::Shutdown(shutdown)) => {
                self.on_shutdown(now, arrived.path, shutdown.cumulative_tsn_ack)
            }
            (State::Open(session), chunk) => session.handle_chunk(now, arrived, chunk, None, data),
            (State::Closing(session, stage), chunk) => {
                session.handle_chunk(now, arrived, chunk, Some(*stage), data)
            }
            _ => ChunkOutcome::Continue,
        }
    }

    /// Handles a chunk during the handshake.
    fn handle_opening(
        &mut self,
        now: Time,
        arrived: &Verified<'_>,
        chunk: &Chunk<'_>,
        data: &mut Option<PacketData>,
    ) -> ChunkOutcome {
        let State::Opening(handshake) = &mut self.state else { return ChunkOutcome::Discard };
        match chunk {
            Chunk::InitAck(ack) => match handshake.on_init_ack(arrived.path, ack) {
                Ok(()) => ChunkOutcome::Discard,
                Err(refusal) => self.refuse(arrived.path, &refusal),
            },
            Chunk::CookieAck => {
                let Some(session) = handshake.on_cookie_ack() else { return ChunkOutcome::Discard };
                self.state = State::Open(Box::new(session));
                self.on_open(now);
                *data = self.session().map(Session::reading);
                ChunkOutcome::Continue
            }
            Chunk::Heartbeat(heartbeat) => {
                handshake.on_heartbeat(arrived.path, heartbeat);
                ChunkOutcome::Continue
            }
            Chunk::Error(error) => {
                for cause in &error.causes {
                    if let Cause::StaleCookie(staleness) = cause
                        && let Err(no) = handshake.on_stale_cookie(*staleness)
                    {
                        return ChunkOutcome::End(CloseReason::NoAnswer { attempts: no.attempts });
                    }
                }
                ChunkOutcome::Continue
            }
            _ => ChunkOutcome::Continue,
        }
    }

    /// Handles a chunk with a valid header and an invalid value (RFC 9260 §3.2, §6.2, §3.3.10).
    fn handle_bad_chunk(&mut self, path: PathId, error: &ChunkError) -> ChunkOutcome {
        let Some(session) = self.session_mut() else { return ChunkOutcome::Discard };
        match error.fault {
            // RFC 9260 §6.2: "an ABORT chunk with the error cause set to No User Data".
            ChunkFault::NoUserData { .. } => {
                ChunkOutcome::Abort(error.cause(), CloseReason::ProtocolViolation { what: error.to_string() })
            }
            // RFC 6525 §3.1: "SHOULD send an ERROR chunk with a Protocol Violation cause".
            ChunkFault::Combination if session.ground().agreement.features.reconfiguration => {
                session.ground_mut().report(path, vec![error.cause()]);
                ChunkOutcome::Continue
            }
            ChunkFault::Combination => ChunkOutcome::Continue,
            _ => ChunkOutcome::Discard,
        }
    }

    /// Handles a SHUTDOWN, which also acknowledges data (RFC 9260 §9.2).
    fn on_shutdown(&mut self, now: Time, path: PathId, cumulative: Tsn) -> ChunkOutcome {
        let Some(session) = self.session_mut() else { return ChunkOutcome::Discard };
        if let Err(bad) = session.on_cumulative_ack(now, path, cumulative) {
            return ChunkOutcome::Violation(bad.to_string());
        }
        match std::mem::replace(&mut self.state, State::vacant()) {
            State::Open(mut session) => {
                session.ground_mut().log.event(Event::PeerClosing);
                let stage = session.on_shutdown_received(now);
                self.state = State::Closing(session, stage);
            }
            State::Closing(mut session, ShutdownState::Pending) => {
                let stage = session.on_shutdown_received(now);
                self.state = State::Closing(session, stage);
            }
            State::Closing(mut session, ShutdownState::Sent) => {
                // Both ends sent SHUTDOWN at once: "the endpoint SHOULD respond with a SHUTDOWN ACK".
                session.answer_on(path);
                session.send_shutdown_ack(now);
                self.state = State::Closing(session, ShutdownState::AckSent);
            }
            other => self.state = other,
        }
        ChunkOutcome::Continue
    }

    /// Returns true if a chunk may arrive with the tag in `header`. RFC 9260 §8.5: the tag must be ours. ABORT and
    /// SHUTDOWN-COMPLETE may carry the peer's tag, with the T bit set.
    fn may_have_tag(&self, header: CommonHeader, chunk: &Chunk<'_>) -> bool {
        let (local, peer) = self.tags();
        let is_reflected = match chunk {
            Chunk::Abort(abort) => abort.tag_reflected,
            Chunk::ShutdownComplete(complete) => complete.tag_reflected,
            _ => false,
        };
        let expected = if is_reflected { peer } else { Some(local) };
        expected == Some(header.verification_tag)
    }
}
