//! One association: the only place where the parts meet. This file knows the states and which chunk means
//! what in which of them; what then happens is in the recipes beside it.

mod control;
pub mod cookie;
mod datagram;
mod handshake;
mod on_data;
mod on_sack;
mod on_timeout;
mod policies;
mod session;
mod shutdown;
mod timers;
mod transmit;

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use anabranch_base::{ByteCount, Machine, Seed, Time};
use bytes::Bytes;

use cookie::StateCookie;
pub use datagram::{Datagram, Ecn, Packet, Transmit};
use handshake::Handshake;
pub use handshake::{
    Identity, InitBody, MAX_PATHS, Refusal, acceptable, address_parameter, address_parameters, check_init,
};
pub use policies::Policies;
pub use session::Settings;
use session::{Agreement, PeerGone, Session};
use shutdown::Shutdown;
use timers::Timer;

use crate::event::{CloseReason, Event};
use crate::path::PathTable;
pub use crate::path::{PathAddresses, PathCounters};
use crate::policy::{PathId, PathSample, PathState};
pub use crate::receive::Message;
use crate::record::Record;
pub use crate::send::Outgoing;
use crate::wire;
use crate::wire::{
    Abort, Cause, Chunk, ChunkError, ChunkFault, CommonHeader, CookieAck, PacketBuilder, ShutdownComplete,
    VerificationTag,
};

/// An SCTP association without I/O.
///
/// After every `handle*`, [`poll_transmit`](Association::poll_transmit) until it answers `None`, then read
/// [`poll_timeout`](Association::poll_timeout). [`poll_event`](Association::poll_event) and
/// [`receive`](Association::receive) may be called at any time.
#[derive(Debug)]
pub struct Association {
    state: State,
    /// What is told although no session is left to tell it.
    events: VecDeque<Event>,
    /// What arrived whole before the association ended or restarted.
    unread: VecDeque<Message>,
    /// A last packet, and the path it takes.
    farewell: Option<(PathId, Vec<u8>)>,
}

#[derive(Debug)]
enum State {
    Closed(Grave),
    Opening(Box<Handshake>),
    Open(Box<Session>),
    Closing(Box<Session>, Shutdown),
}

/// What is left to look at of an association that is over.
#[derive(Debug)]
struct Grave {
    paths: PathTable,
    tags: (VerificationTag, VerificationTag),
}

/// Where an association is in its life (RFC 9260 §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssociationState {
    /// Over.
    Closed,
    /// INIT is not answered.
    CookieWait,
    /// COOKIE-ECHO is not answered.
    CookieEchoed,
    /// Open.
    Established,
    /// To be closed when all data is acknowledged.
    ShutdownPending,
    /// The peer was told.
    ShutdownSent,
    /// The peer told us.
    ShutdownReceived,
    /// The peer was answered.
    ShutdownAckSent,
}

/// Why a message cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// There will be room: [`Event::Writable`] says when.
    #[error("the send buffer has room for {free}, the message has {wanted}")]
    BufferFull {
        /// What there is room for.
        free: ByteCount,
        /// The message's length.
        wanted: ByteCount,
    },
    /// There will never be room at one of the ends.
    #[error("a message of {wanted} never fits a buffer of {buffer}")]
    TooLarge {
        /// The message's length.
        wanted: ByteCount,
        /// The smaller of the two buffers.
        buffer: ByteCount,
    },
    /// The peer does not take so many streams.
    #[error("there is no stream {stream}: the peer takes {streams}")]
    NoSuchStream {
        /// The stream.
        stream: u16,
        /// How many there are.
        streams: u16,
    },
    /// RFC 9260 has no empty user messages.
    #[error("an empty message cannot be sent")]
    Empty,
    /// The handshake is not done, or the association is closing or closed.
    #[error("the association is not open")]
    NotOpen,
}

/// What one chunk leads to.
enum Flow {
    /// The next chunk.
    Continue,
    /// The rest of the packet is not read.
    Discard,
    /// The association is over.
    End(CloseReason),
    /// The association is over, and the peer is told why.
    Abort(Cause, CloseReason),
    /// The peer did something that no rule allows and no cause of its own names.
    Violation(String),
}

impl Association {
    /// Opens an association over `paths`: the first INIT goes to the first of them.
    pub fn connect(
        settings: Arc<Settings>,
        identity: Identity,
        announced: Vec<IpAddr>,
        paths: &[PathAddresses],
        seed: Seed,
    ) -> Association {
        let handshake = Handshake::new(settings, identity, announced, paths, seed);
        Association::in_state(State::Opening(Box::new(handshake)))
    }

    /// Opens the association that a peer's cookie describes, over `paths`; the first is where it came from.
    pub fn accept(
        now: Time,
        settings: Arc<Settings>,
        cookie: &StateCookie,
        paths: &[PathAddresses],
        seed: &Seed,
    ) -> Association {
        let mut table = PathTable::new();
        for (index, &addresses) in paths.iter().enumerate() {
            // RFC 9260 §5.4: of the acceptor's paths only the one its INIT-ACK took is confirmed.
            let state = if index == 0 { PathState::Active } else { PathState::Unconfirmed };
            table.add(addresses, state, &settings.config);
        }
        let session = Session::new(settings, agreement_of(cookie), table, seed);
        let mut association = Association::in_state(State::Open(Box::new(session)));
        association.on_open(now);
        association
    }

    /// A packet arrived on one of the paths. The endpoint has seen to it that it is for this association.
    pub fn handle(&mut self, now: Time, datagram: &Datagram) {
        let Some(checksum) = self.checksum() else { return };
        let Ok(packet) = wire::Packet::decode(&datagram.bytes, checksum) else { return };
        if let Some(paths) = self.paths_mut() {
            paths.counters_mut(datagram.path).received_packets += 1;
        }
        let mut data = self.session_mut().map(|session| {
            session.begin_event();
            session.begin_packet()
        });
        for chunk in packet.chunks() {
            let flow = match chunk {
                Ok(chunk) => self.handle_chunk(now, datagram, packet.header(), chunk, &mut data),
                Err(error) => self.handle_bad_chunk(&error),
            };
            match flow {
                Flow::Continue => {}
                Flow::Discard => break,
                Flow::End(reason) => return self.end(reason),
                Flow::Abort(cause, reason) => return self.abort_with(cause, reason),
                Flow::Violation(what) => return self.call_off(what),
            }
        }
        if let (Some(session), Some(data)) = (self.session_mut(), data)
            && let Err(bad) = session.end_packet(datagram.path, &data, now)
        {
            return self.call_off(bad.to_string());
        }
        self.after_event(now);
    }

    /// Lets every timer act whose time has come.
    pub fn handle_timeout(&mut self, now: Time) {
        while let Some(timer) = self.take_expired(now) {
            if let Some(session) = self.session_mut() {
                session.begin_event();
            }
            let result = match (&mut self.state, timer) {
                (State::Opening(handshake), _) => {
                    handshake.on_timeout().map_err(|no| CloseReason::NoAnswer { attempts: no.attempts })
                }
                (State::Closing(session, stage), Timer::Shutdown) => {
                    session.on_shutdown_timeout(*stage, now).map_err(gone)
                }
                (State::Closing(session, _), Timer::ShutdownGuard) => {
                    // RFC 9260 §9.2: "SHOULD send an ABORT chunk when the T5-shutdown-guard timer expires".
                    let reason = gone(PeerGone { errors: session.errors });
                    let why = b"the shutdown took too long".to_vec();
                    return self.abort_with(Cause::UserInitiatedAbort(why), reason);
                }
                (State::Open(session) | State::Closing(session, _), timer) => {
                    session.on_timer(timer, now).map_err(gone)
                }
                (State::Closed(_), _) => Ok(()),
            };
            if let Err(reason) = result {
                return self.end(reason);
            }
        }
        self.after_event(now);
    }

    /// Appends up to `max_segments` packets for one path to `buf`; `None` when there is nothing to send.
    pub fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max_segments: usize) -> Option<Transmit> {
        let (path, len) = match &mut self.state {
            State::Open(session) | State::Closing(session, _) => {
                return session.poll_transmit(now, buf, max_segments);
            }
            State::Opening(handshake) => handshake.poll_transmit(now, buf)?,
            State::Closed(_) => {
                let (path, packet) = self.farewell.take()?;
                buf.extend_from_slice(&packet);
                (path, packet.len())
            }
        };
        Some(Transmit { path, ecn: Ecn::NotCapable, segment_size: len, len, round: 0, retransmission: false })
    }

    /// When [`handle_timeout`](Association::handle_timeout) is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.timers.next(),
            State::Opening(handshake) => handshake.timers.next(),
            State::Closed(_) => None,
        }
    }

    /// What the application may want to know next.
    pub fn poll_event(&mut self) -> Option<Event> {
        let session = self.session_mut().and_then(|session| session.events.pop_front());
        session.or_else(|| self.events.pop_front())
    }

    /// What a study may want to know next; nothing unless [`record`](Association::record) was called.
    pub fn poll_record(&mut self) -> Option<Record> {
        self.session_mut()?.records.as_mut()?.pop_front()
    }

    /// From now on records are kept until they are polled.
    pub fn record(&mut self) {
        if let Some(session) = self.session_mut() {
            session.records.get_or_insert_default();
        }
    }

    /// Gives a message to be sent. It is copied only when it is written into packets.
    ///
    /// # Errors
    /// There is no room, now or ever; the stream does not exist; the association is not open.
    pub fn send(&mut self, now: Time, message: Outgoing) -> Result<(), SendError> {
        let State::Open(session) = &mut self.state else { return Err(SendError::NotOpen) };
        let wanted = ByteCount::of_len(message.payload.len());
        let streams = session.agreement.outbound_streams;
        if message.stream.get() >= streams {
            return Err(SendError::NoSuchStream { stream: message.stream.get(), streams });
        }
        if wanted.is_zero() {
            return Err(SendError::Empty);
        }
        let buffer = session.settings.config.send_buffer.min(session.peer_window.buffer);
        if wanted > buffer {
            return Err(SendError::TooLarge { wanted, buffer });
        }
        let free = session.send_space();
        if wanted > free {
            session.is_writer_waiting = true;
            return Err(SendError::BufferFull { free, wanted });
        }
        session.on_message(now, message);
        Ok(())
    }

    /// The next message that arrived whole and in its turn.
    pub fn receive(&mut self) -> Option<Message> {
        if let Some(message) = self.unread.pop_front() {
            return Some(message);
        }
        self.session_mut()?.take_message()
    }

    /// Ends the association in order: what was sent is delivered first.
    pub fn close(&mut self, now: Time) {
        match std::mem::replace(&mut self.state, State::buried()) {
            State::Open(session) => self.state = State::Closing(session, Shutdown::Pending),
            State::Opening(handshake) => {
                self.state = State::Opening(handshake);
                self.end(CloseReason::Graceful);
            }
            other => self.state = other,
        }
        self.after_event(now);
    }

    /// Ends the association at once; the peer is told `why`.
    pub fn abort(&mut self, why: &str) {
        let reason = CloseReason::AbortedHere { why: why.to_owned() };
        self.abort_with(Cause::UserInitiatedAbort(why.as_bytes().to_vec()), reason);
    }

    /// Bounds the congestion windows as a plan says.
    pub fn set_limits(&mut self, limits: &[(PathId, ByteCount)]) {
        if let Some(session) = self.session_mut() {
            session.policies.limit.set_limits(limits);
        }
    }

    /// Data goes to `path` when only one is used. Unknown paths are passed over.
    pub fn set_primary(&mut self, path: PathId) {
        if let Some(paths) = self.paths_mut().filter(|paths| path.index() < paths.len()) {
            paths.set_primary(path);
        }
    }

    /// Where the association is in its life.
    pub fn state(&self) -> AssociationState {
        match &self.state {
            State::Closed(_) => AssociationState::Closed,
            State::Opening(handshake) if handshake.is_cookie_echoed() => AssociationState::CookieEchoed,
            State::Opening(_) => AssociationState::CookieWait,
            State::Open(_) => AssociationState::Established,
            State::Closing(_, Shutdown::Pending) => AssociationState::ShutdownPending,
            State::Closing(_, Shutdown::Sent) => AssociationState::ShutdownSent,
            State::Closing(_, Shutdown::Received) => AssociationState::ShutdownReceived,
            State::Closing(_, Shutdown::AckSent) => AssociationState::ShutdownAckSent,
        }
    }

    /// Whether messages may be sent.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    /// How much user data may be sent now.
    pub fn send_space(&self) -> ByteCount {
        match &self.state {
            State::Open(session) => session.send_space(),
            _ => ByteCount::ZERO,
        }
    }

    /// User data that was given to [`send`](Association::send) and is not acknowledged.
    pub fn unacknowledged(&self) -> ByteCount {
        self.session().map_or(ByteCount::ZERO, |session| session.send.held_bytes())
    }

    /// User data that is held for the application or until it is complete.
    pub fn received_bytes_held(&self) -> ByteCount {
        self.session().map_or(ByteCount::ZERO, |session| session.buffer.held().charge)
    }

    /// Every path there is or was, as policies see it.
    pub fn paths(&self) -> &[PathSample] {
        self.path_table().samples()
    }

    /// Where a path leads.
    ///
    /// # Panics
    /// `path` is not one of [`paths`](Association::paths).
    pub fn path_addresses(&self, path: PathId) -> PathAddresses {
        self.path_table().addresses(path)
    }

    /// What a path carried.
    ///
    /// # Panics
    /// `path` is not one of [`paths`](Association::paths).
    pub fn path_counters(&self, path: PathId) -> PathCounters {
        self.path_table().counters(path)
    }

    /// The path of a datagram from `remote` that arrived at `local` with our tag. A path whose peer changed
    /// its port follows it (RFC 6951 §5.4); an address that is new becomes a path to be verified.
    pub fn path_of(&mut self, now: Time, local: SocketAddr, remote: SocketAddr) -> Option<PathId> {
        if let Some(known) = self.path_table().find(local, remote) {
            return Some(known);
        }
        let session = match &mut self.state {
            State::Open(session) | State::Closing(session, _) => session,
            State::Opening(_) | State::Closed(_) => return None,
        };
        let path = match session.path_to_move(local, remote) {
            Some(path) => {
                session.move_path(path, remote);
                path
            }
            None if session.paths.len() < MAX_PATHS => session.add_path(PathAddresses { local, remote }),
            None => return None,
        };
        session.verify_paths(now);
        Some(path)
    }

    /// Both tags: ours, and the peer's once it is known.
    pub fn tags(&self) -> (VerificationTag, Option<VerificationTag>) {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => {
                (session.agreement.local_tag, Some(session.agreement.peer_tag))
            }
            State::Opening(handshake) => (handshake.identity.tag, handshake.peer_tag()),
            State::Closed(grave) => (grave.tags.0, Some(grave.tags.1)),
        }
    }

    /// The peer's SCTP port.
    pub fn peer_port(&self) -> Option<u16> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => Some(session.agreement.peer_port),
            State::Opening(handshake) => Some(handshake.identity.peer_port),
            State::Closed(_) => None,
        }
    }

    /// What this end called itself in its INIT, while that is not answered (RFC 9260 §5.2.1).
    pub fn identity(&self) -> Option<Identity> {
        match &self.state {
            State::Opening(handshake) => Some(handshake.identity),
            _ => None,
        }
    }

    /// An INIT came while the last SHUTDOWN-ACK is not answered: it goes again (RFC 9260 §9.2).
    pub fn repeat_shutdown_ack(&mut self, now: Time) {
        if let State::Closing(session, Shutdown::AckSent) = &mut self.state {
            session.send_shutdown_ack(now);
        }
    }

    /// The peer's INIT crossed ours, and its cookie came first (RFC 9260 §5.2.4 B): the association is open.
    pub fn on_collision(&mut self, now: Time, cookie: &StateCookie) {
        match &mut self.state {
            State::Opening(handshake) => {
                let paths = handshake.take_paths();
                let (settings, seed) = (handshake.settings.clone(), handshake.seed.clone());
                let session = Session::new(settings, agreement_of(cookie), paths, &seed);
                self.state = State::Open(Box::new(session));
                self.on_open(now);
            }
            State::Open(session) | State::Closing(session, _) => {
                session.agreement.peer_tag = cookie.peer_tag;
            }
            State::Closed(_) => {}
        }
    }

    /// The peer lost its memory and came back (RFC 9260 §5.2.4 A): everything begins anew, on the same paths.
    pub fn on_restart(&mut self, now: Time, cookie: &StateCookie, seed: &Seed) {
        let state = std::mem::replace(&mut self.state, State::buried());
        let (State::Open(mut session) | State::Closing(mut session, _)) = state else {
            self.state = state;
            return;
        };
        while let Some(message) = session.take_message() {
            self.unread.push_back(message);
        }
        self.events.append(&mut session.events);
        let (settings, mut paths) = (session.settings.clone(), session.paths);
        for id in paths.ids() {
            let is_source = paths.addresses(id).is_of(cookie.local, cookie.remote);
            let state = if is_source { PathState::Active } else { PathState::Unconfirmed };
            if paths.sample(id).state != PathState::Removed {
                paths.reset(id, state, &settings.config);
            }
            if is_source {
                paths.set_primary(id);
            }
        }
        let mut session = Session::new(settings, agreement_of(cookie), paths, seed);
        session.events.append(&mut self.events);
        session.events.push_back(Event::Restarted);
        self.state = State::Open(Box::new(session));
        self.start_watching(now);
    }

    fn in_state(state: State) -> Association {
        Association { state, events: VecDeque::new(), unread: VecDeque::new(), farewell: None }
    }

    /// One chunk, by the state it arrives in.
    fn handle_chunk(
        &mut self,
        now: Time,
        datagram: &Datagram,
        header: CommonHeader,
        chunk: Chunk<'_>,
        data: &mut Option<on_data::PacketData>,
    ) -> Flow {
        if !self.may_have_tag(header, &chunk) {
            return Flow::Discard;
        }
        match (&mut self.state, chunk) {
            (_, Chunk::Abort(abort)) => Flow::End(CloseReason::AbortedByPeer { causes: abort.causes }),
            (State::Opening(handshake), Chunk::InitAck(ack)) => {
                match handshake.on_init_ack(datagram.path, &ack) {
                    Ok(()) => Flow::Discard,
                    Err(refusal) => self.refuse(&refusal),
                }
            }
            (State::Opening(handshake), Chunk::CookieAck) => {
                let Some(session) = handshake.on_cookie_ack() else { return Flow::Discard };
                self.state = State::Open(Box::new(session));
                self.on_open(now);
                *data = self.session().map(Session::begin_packet);
                Flow::Continue
            }
            (State::Opening(handshake), Chunk::Error(error)) => {
                for cause in &error.causes {
                    if let Cause::StaleCookie(staleness) = cause {
                        handshake.on_stale_cookie(*staleness);
                    }
                }
                Flow::Continue
            }
            // The endpoint has read the cookie; what it means was done. What is left is the answer.
            (State::Open(session) | State::Closing(session, _), Chunk::CookieEcho(_)) => {
                session.post(datagram.path, CookieAck);
                Flow::Continue
            }
            (State::Closing(_, Shutdown::AckSent), Chunk::ShutdownComplete(_)) => {
                Flow::End(CloseReason::Graceful)
            }
            (State::Closing(_, Shutdown::Sent | Shutdown::AckSent), Chunk::ShutdownAck) => {
                self.say_shutdown_complete(datagram.path);
                Flow::End(CloseReason::Graceful)
            }
            (State::Open(_) | State::Closing(..), chunk) => {
                self.handle_in_session(now, datagram, chunk, data)
            }
            _ => Flow::Continue,
        }
    }

    /// A chunk that any open or closing association understands.
    fn handle_in_session(
        &mut self,
        now: Time,
        datagram: &Datagram,
        chunk: Chunk<'_>,
        data: &mut Option<on_data::PacketData>,
    ) -> Flow {
        let stage = match &self.state {
            State::Closing(_, stage) => Some(*stage),
            _ => None,
        };
        let Some(session) = self.session_mut() else { return Flow::Discard };
        let path = datagram.path;
        match chunk {
            Chunk::Data(chunk) if stage.is_none_or(Shutdown::takes_data) => {
                let Some(packet) = data else { return Flow::Continue };
                if let Err(error) = session.on_data(path, &datagram.bytes, &chunk, packet) {
                    return Flow::Violation(error.to_string());
                }
                if stage == Some(Shutdown::Sent) {
                    // RFC 9260 §9.2: "it MUST respond to each received packet containing one or more DATA
                    // chunks with a SHUTDOWN chunk and restart the T2-shutdown timer".
                    packet.answer_at_once();
                    session.send_shutdown(now);
                }
            }
            Chunk::Sack(sack) => {
                if let Err(bad) = session.on_sack(now, &sack) {
                    return Flow::Violation(bad.to_string());
                }
            }
            Chunk::Heartbeat(heartbeat) => session.on_heartbeat(path, heartbeat),
            Chunk::HeartbeatAck(ack) => session.on_heartbeat_ack(now, &ack),
            Chunk::Shutdown(shutdown) => return self.on_shutdown(now, path, shutdown.cumulative_tsn_ack),
            Chunk::Unknown(unknown) => {
                let action = unknown.action();
                if action.is_report() {
                    session.report(path, vec![Cause::UnrecognizedChunkType(unknown.to_bytes())]);
                }
                if action.is_stop() {
                    return Flow::Discard;
                }
            }
            _ => {}
        }
        Flow::Continue
    }

    /// A chunk whose frame is sound and whose content is not (RFC 9260 §3.2, §6.2, §3.3.10).
    fn handle_bad_chunk(&mut self, error: &ChunkError) -> Flow {
        if self.session().is_none() {
            return Flow::Discard;
        }
        match error.fault {
            // RFC 9260 §6.2: "an ABORT chunk with the error cause set to No User Data".
            ChunkFault::NoUserData { .. } => {
                Flow::Abort(error.cause(), CloseReason::ProtocolViolation { what: error.to_string() })
            }
            _ => Flow::Discard,
        }
    }

    /// The peer wants to close; what it acknowledges counts (RFC 9260 §9.2).
    fn on_shutdown(&mut self, now: Time, path: PathId, cumulative: crate::seq::Tsn) -> Flow {
        let Some(session) = self.session_mut() else { return Flow::Discard };
        if let Err(bad) = session.on_acknowledgement(now, cumulative, std::iter::empty(), None) {
            return Flow::Violation(bad.to_string());
        }
        match std::mem::replace(&mut self.state, State::buried()) {
            State::Open(mut session) => {
                session.events.push_back(Event::PeerClosing);
                self.state = State::Closing(session, Shutdown::Received);
            }
            State::Closing(session, Shutdown::Pending) => {
                self.state = State::Closing(session, Shutdown::Received);
            }
            State::Closing(mut session, Shutdown::Sent) => {
                // Both ends closed at once: "the endpoint SHOULD respond with a SHUTDOWN ACK".
                session.sack_path = path;
                session.send_shutdown_ack(now);
                self.state = State::Closing(session, Shutdown::AckSent);
            }
            other => self.state = other,
        }
        Flow::Continue
    }

    /// RFC 9260 §8.5: the tag must be ours; ABORT and SHUTDOWN-COMPLETE may carry the peer's, with the T
    /// bit set.
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

    /// The handshake is done.
    fn on_open(&mut self, now: Time) {
        if let Some(session) = self.session_mut() {
            session.events.push_back(Event::Connected);
        }
        self.start_watching(now);
    }

    fn start_watching(&mut self, now: Time) {
        if let Some(session) = self.session_mut() {
            session.begin_event();
            session.start_heartbeats(now);
        }
    }

    /// What may follow from anything: a shutdown that nothing holds up any more.
    fn after_event(&mut self, now: Time) {
        if let State::Closing(session, stage) = &mut self.state {
            *stage = session.advance_shutdown(*stage, now);
        }
    }

    fn refuse(&mut self, refusal: &Refusal) -> Flow {
        let reason = CloseReason::ProtocolViolation { what: refusal.what.clone() };
        if let State::Opening(handshake) = &self.state {
            let header = handshake.header(refusal.peer_tag);
            let causes = refusal.cause.iter().cloned().collect();
            self.farewell = Some((PathId::FIRST, self.packet_with_abort(header, causes)));
        }
        Flow::End(reason)
    }

    fn say_shutdown_complete(&mut self, path: PathId) {
        let Some(session) = self.session() else { return };
        let mut packet = Vec::new();
        let mut builder = PacketBuilder::new(&mut packet, session.header(), MIN_PACKET);
        builder.push(&ShutdownComplete { tag_reflected: false }).expect("a chunk of four bytes fits");
        builder.finish(session.settings.config.checksum);
        self.farewell = Some((path, packet));
    }

    fn abort_with(&mut self, cause: Cause, reason: CloseReason) {
        if let Some(session) = self.session() {
            let path = session.usable_path(session.paths.primary());
            let packet = self.packet_with_abort(session.header(), vec![cause]);
            self.farewell = Some((path, packet));
        }
        self.end(reason);
    }

    /// The peer broke the protocol: the association is over (RFC 9260 §3.3.10.13).
    fn call_off(&mut self, what: String) {
        let cause = Cause::ProtocolViolation(what.as_bytes().to_vec());
        self.abort_with(cause, CloseReason::ProtocolViolation { what });
    }

    fn packet_with_abort(&self, header: CommonHeader, causes: Vec<Cause>) -> Vec<u8> {
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
    fn end(&mut self, reason: CloseReason) {
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

    fn take_expired(&mut self, now: Time) -> Option<Timer> {
        match &mut self.state {
            State::Open(session) | State::Closing(session, _) => session.timers.take_expired(now),
            State::Opening(handshake) => handshake.timers.take_expired(now),
            State::Closed(_) => None,
        }
    }

    fn checksum(&self) -> Option<wire::Checksum> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => Some(session.settings.config.checksum),
            State::Opening(handshake) => Some(handshake.settings.config.checksum),
            State::Closed(_) => None,
        }
    }

    fn session(&self) -> Option<&Session> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => Some(session),
            State::Opening(_) | State::Closed(_) => None,
        }
    }

    fn session_mut(&mut self) -> Option<&mut Session> {
        match &mut self.state {
            State::Open(session) | State::Closing(session, _) => Some(session),
            State::Opening(_) | State::Closed(_) => None,
        }
    }

    fn path_table(&self) -> &PathTable {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => &session.paths,
            State::Opening(handshake) => handshake.paths(),
            State::Closed(grave) => &grave.paths,
        }
    }

    fn paths_mut(&mut self) -> Option<&mut PathTable> {
        match &mut self.state {
            State::Open(session) | State::Closing(session, _) => Some(&mut session.paths),
            State::Opening(handshake) => Some(handshake.paths_mut()),
            State::Closed(_) => None,
        }
    }
}

impl State {
    /// What stands in while the state is being changed.
    fn buried() -> State {
        let tags = (VerificationTag::ZERO, VerificationTag::ZERO);
        State::Closed(Grave { paths: PathTable::new(), tags })
    }
}

impl Machine for Association {
    type Input = Datagram;
    type Output = Packet;

    fn handle(&mut self, now: Time, datagram: Datagram) {
        Association::handle(self, now, &datagram);
    }

    fn handle_timeout(&mut self, now: Time) {
        Association::handle_timeout(self, now);
    }

    fn poll(&mut self, now: Time) -> Option<Packet> {
        let mut bytes = Vec::new();
        let transmit = self.poll_transmit(now, &mut bytes, 1)?;
        Some(Packet { transmit, bytes: Bytes::from(bytes) })
    }

    fn poll_timeout(&self) -> Option<Time> {
        Association::poll_timeout(self)
    }
}

/// What a cookie says, from the side of the end that made it.
fn agreement_of(cookie: &StateCookie) -> Agreement {
    Agreement {
        local_port: cookie.local_port,
        peer_port: cookie.peer_port,
        local_tag: cookie.local_tag,
        peer_tag: cookie.peer_tag,
        local_tsn: cookie.local_tsn,
        peer_tsn: cookie.peer_tsn,
        peer_window: ByteCount::new(u64::from(cookie.peer_window)),
        outbound_streams: cookie.outbound_streams,
        inbound_streams: cookie.inbound_streams,
    }
}

fn gone(gone: PeerGone) -> CloseReason {
    CloseReason::PeerGone { errors: gone.errors }
}

/// A packet that fits everywhere (RFC 9260 §6.9: the least IPv4 MTU that is assumed is 576).
const MIN_PACKET: usize = 512;
