//! One association: the only place that combines the parts. This file has its states and its methods for applications
//! and drivers. The files beside it handle each event.

mod account;
mod addresses;
mod admission;
mod announce;
mod authentication;
mod challenge;
mod control;
pub mod cookie;
mod cutting;
mod datagram;
mod dispatch;
mod doubts;
mod draws;
mod ending;
mod extensions;
mod failover;
mod growth;
mod handshake;
mod init;
mod loss;
mod marks;
mod mtu;
mod ns2;
mod on_asconf;
mod on_data;
mod on_sack;
mod on_timeout;
mod open_packet;
mod opening;
mod outbox;
mod pacing;
mod packet_auth;
mod pairs;
mod policies;
mod probe;
mod race;
mod rack;
mod reading;
mod receiver_rules;
mod reconfiguration;
mod recording;
mod retransmit;
mod revival;
mod roster;
mod search;
mod session;
mod shutdown;
mod small_window;
mod split;
mod timers;
mod transmit;
mod undo;
mod vanishing;
mod window_exemptions;
#[cfg(test)]
mod window_update;

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use anabranch_base::{ByteCount, Duration, Machine, Seed, Time};
use bytes::Bytes;

use addresses::LocalChange;
pub use authentication::RandomNumber;
pub(crate) use datagram::Verified;
pub use datagram::{Datagram, Ecn, Packet, Transmit};
pub use extensions::{Extensions, OfferedExtensions, PeerExtensions};
use handshake::Handshake;
pub use handshake::LocalIdentity;
pub use init::{
    InitBody, InitRefusal, MAX_PATHS, acceptable, address_parameter, address_parameters, check_init,
    reached_as,
};
pub use pairs::{Alternatives, InitPace, Ways};
pub use policies::Policies;
pub use race::MAX_PAIRS;
pub use receiver_rules::ReceiverRules;
pub use session::{Agreement, Settings};
use session::{PeerGone, Session};
use shutdown::ShutdownState;
use timers::Timer;

use crate::event::{CloseReason, Event};
pub use crate::path::{EcnCounters, PathAddresses, PathCounters, SackCounters, TimeInLimit};
use crate::path::{PathTable, Remembered};
use crate::policy::{Hints, PathId, PathSample};
pub use crate::receive::Message;
use crate::receive::ReadyMessages;
use crate::record::Record;
pub use crate::send::Outgoing;
use crate::seq::Tsn;
use crate::wire;
use crate::wire::{Cause, VerificationTag};

/// An SCTP association without I/O.
///
/// After every `handle*`, call [`poll_transmit`](Association::poll_transmit) until it returns `None`, then read
/// [`poll_timeout`](Association::poll_timeout). [`poll_event`](Association::poll_event) and
/// [`receive`](Association::receive) may be called at any time.
#[derive(Debug)]
pub struct Association {
    state: State,
    /// Events that are delivered after the session ended.
    events: VecDeque<Event>,
    /// The records while there is no session to hold them; `None` if recording is off.
    records: Option<VecDeque<Record>>,
    /// Messages that were complete before the association ended or restarted.
    unread: ReadyMessages,
    /// A last packet, and the path it takes.
    farewell: Option<(PathId, Vec<u8>)>,
    /// Changes of local addresses while the association was opening.
    changes: Vec<LocalChange>,
}

#[derive(Debug)]
enum State {
    Closed(ClosedAssociation),
    Opening(Box<Handshake>),
    Open(Box<Session>),
    Closing(Box<Session>, ShutdownState),
}

/// What can still be read of a closed association.
#[derive(Debug)]
struct ClosedAssociation {
    paths: PathTable,
    tags: (VerificationTag, VerificationTag),
    /// User data that was sent and never acknowledged.
    undelivered: ByteCount,
    receive_buffer: ByteCount,
    /// The ABORT, if this end aborted the association.
    last_word: Option<Vec<u8>>,
}

/// The state of an association (RFC 9260 §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssociationState {
    /// The association is closed.
    Closed,
    /// INIT is not answered yet.
    CookieWait,
    /// COOKIE-ECHO is not answered yet.
    CookieEchoed,
    /// The association is open.
    Established,
    /// The association closes when all data is acknowledged.
    ShutdownPending,
    /// This end sent SHUTDOWN.
    ShutdownSent,
    /// The peer sent SHUTDOWN.
    ShutdownReceived,
    /// This end sent SHUTDOWN-ACK.
    ShutdownAckSent,
}

/// Why a message cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The buffer has no room now. [`Event::Writable`] reports when it has.
    #[error("the send buffer has room for {free}, the message has {wanted}")]
    BufferFull {
        /// The free room.
        free: ByteCount,
        /// The message's length.
        wanted: ByteCount,
    },
    /// The message is larger than the buffer of one end.
    #[error("a message of {wanted} never fits a buffer of {buffer}")]
    TooLarge {
        /// The message's length.
        wanted: ByteCount,
        /// The size that it may not exceed: by [`MessageLimit`](crate::config::MessageLimit), the smaller of the two
        /// buffers.
        buffer: ByteCount,
    },
    /// The peer does not accept this many streams.
    #[error("there is no stream {stream}: the peer takes {streams}")]
    NoSuchStream {
        /// The stream.
        stream: u16,
        /// How many streams there are.
        streams: u16,
    },
    /// The message is empty, which RFC 9260 does not allow.
    #[error("an empty message cannot be sent")]
    Empty,
    /// The handshake is not complete, or the association is closing or closed.
    #[error("the association is not open")]
    NotOpen,
}

impl Association {
    /// Opens an association over `ways`: the first INIT leaves on the first path.
    pub fn connect(
        settings: Arc<Settings>,
        identity: LocalIdentity,
        announced: Vec<IpAddr>,
        ways: Ways<'_>,
        seed: Seed,
    ) -> Association {
        let handshake = Handshake::new(settings, identity, announced, ways, seed);
        Association::in_state(State::Opening(Box::new(handshake)))
    }

    /// Handles every timer that has expired at `now`.
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
                (State::Closing(session, stage), Timer::ShutdownGuard) => {
                    if let Some(next) = session.on_guard_expired(*stage, now) {
                        *stage = next;
                        continue;
                    }
                    // RFC 9260 §9.2: "SHOULD send an ABORT chunk when the T5-shutdown-guard timer expires".
                    let reason = gone(PeerGone { errors: session.errors });
                    let why = b"the shutdown took too long".to_vec();
                    return self.abort_with(Cause::UserInitiatedAbort(why), reason);
                }
                (State::Open(session) | State::Closing(session, _), timer) => {
                    if let Timer::Retransmission(path) = timer
                        && let Some(reason) = session.judge_vanishing(path, now)
                    {
                        let why = reason.to_string().into_bytes();
                        return self.abort_with(Cause::UserInitiatedAbort(why), reason);
                    }
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

    /// Appends up to `max_segments` packets for one path to `buf`; `None` when nothing is to be sent.
    pub fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max_segments: usize) -> Option<Transmit> {
        let (path, len) = match &mut self.state {
            State::Open(session) | State::Closing(session, _) => {
                let fixed = session.settings.config.codepoint;
                let sent = session.poll_transmit(now, buf, max_segments);
                return if fixed == Ecn::NotEct {
                    sent
                } else {
                    sent.map(|sent| Transmit { ecn: fixed, ..sent })
                };
            }
            State::Opening(handshake) => handshake.poll_transmit(now, buf)?,
            State::Closed(_) => {
                let (path, packet) = self.farewell.take()?;
                buf.extend_from_slice(&packet);
                (path, packet.len())
            }
        };
        Some(Transmit::single(path, len))
    }

    /// The time at which [`handle_timeout`](Association::handle_timeout) is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.timers.next(),
            State::Opening(handshake) => handshake.timers.next(),
            State::Closed(_) => None,
        }
    }

    /// The next event for the application.
    pub fn poll_event(&mut self) -> Option<Event> {
        let session = self.session_mut().and_then(|session| session.events.pop_front());
        session.or_else(|| self.events.pop_front())
    }

    /// Queues a message. Its bytes are copied only into packets.
    ///
    /// # Errors
    /// There is no room now, or never will be; the stream does not exist; the association is not open.
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
        let config = &session.settings.config;
        let buffer = config.message_limit.of(config.send_buffer, session.peer_window.buffer);
        if wanted > buffer {
            return Err(SendError::TooLarge { wanted, buffer });
        }
        let free = session.send_space();
        if wanted > free {
            session.want_room(wanted);
            return Err(SendError::BufferFull { free, wanted });
        }
        session.on_message(now, message);
        Ok(())
    }

    /// The next complete message in its order.
    pub fn receive(&mut self) -> Option<Message> {
        if let Some(message) = self.unread.take() {
            return Some(message);
        }
        self.session_mut()?.take_message()
    }

    /// Whether a SACK is to be sent: reading may have made room that the peer waits for.
    pub fn is_sack_due(&self) -> bool {
        self.session().is_some_and(|session| session.is_sack_due)
    }

    /// Closes the association gracefully: data that was sent is delivered first.
    pub fn close(&mut self, now: Time) {
        match std::mem::replace(&mut self.state, State::vacant()) {
            State::Open(session) => self.state = State::Closing(session, ShutdownState::Pending),
            State::Opening(handshake) => {
                self.state = State::Opening(handshake);
                self.abort_with(Cause::UserInitiatedAbort(Vec::new()), CloseReason::Graceful);
            }
            other => self.state = other,
        }
        self.after_event(now);
    }

    /// Aborts the association at once and sends the reason `why` to the peer.
    pub fn abort(&mut self, why: &str) {
        let reason = CloseReason::AbortedHere { why: why.to_owned() };
        self.abort_with(Cause::UserInitiatedAbort(why.as_bytes().to_vec()), reason);
    }

    /// Limits the congestion windows of the paths in `limits`.
    pub fn set_limits(&mut self, limits: &[(PathId, ByteCount)]) {
        if let Some(session) = self.session_mut() {
            session.policies.limit.set_limits(limits);
            session.reconsider();
        }
    }

    /// Makes `path` the path for data when only one path is used. Unknown paths are ignored.
    pub fn set_primary(&mut self, path: PathId) {
        if let Some(paths) = self.paths_mut().filter(|paths| path.index() < paths.len()) {
            paths.set_primary(path);
        }
        if let Some(session) = self.session_mut() {
            session.reconsider();
        }
    }

    /// Keeps the paths from `local` as backups, or no longer: also those that are added later. A backup is verified and
    /// probed, and carries data only while no other path is active. The peer is told, and does the same if it is of
    /// this implementation.
    pub fn set_backup(&mut self, now: Time, local: SocketAddr, is_backup: bool) {
        let Some(paths) = self.paths_mut() else { return };
        let changed = paths.set_backup(local, is_backup);
        if let Some(session) = self.session_mut() {
            session.begin_event();
            changed.into_iter().for_each(|path| session.tell_backup(path, now));
        }
    }

    /// Gives each path what is `known` of it from other associations.
    pub(crate) fn remember(&mut self, known: impl Fn(PathAddresses) -> Option<Remembered>) {
        if let Some(paths) = self.paths_mut() {
            paths.remember(known);
        }
    }

    /// Tells the policies what is known of `path` before anything is measured. Unknown paths are ignored.
    pub fn set_hints(&mut self, path: PathId, hints: Hints) {
        if let Some(paths) = self.paths_mut().filter(|paths| path.index() < paths.len()) {
            paths.set_hints(path, hints);
        }
    }

    /// The cumulative TSN ack points, once the association is open: of data that arrived, and of data that was sent.
    pub fn ack_points(&self) -> Option<(Tsn, Tsn)> {
        self.session().map(|session| (session.arrivals.cumulative(), session.send.ack_point()))
    }

    /// The state of the association.
    pub fn state(&self) -> AssociationState {
        match &self.state {
            State::Closed(_) => AssociationState::Closed,
            State::Opening(handshake) if handshake.is_cookie_echoed() => AssociationState::CookieEchoed,
            State::Opening(_) => AssociationState::CookieWait,
            State::Open(_) => AssociationState::Established,
            State::Closing(_, ShutdownState::Pending) => AssociationState::ShutdownPending,
            State::Closing(_, ShutdownState::Sent) => AssociationState::ShutdownSent,
            State::Closing(_, ShutdownState::Received { .. }) => AssociationState::ShutdownReceived,
            State::Closing(_, ShutdownState::AckSent) => AssociationState::ShutdownAckSent,
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

    /// User data that was given to [`send`](Association::send) and is not acknowledged; after the end of the
    /// association, the user data that was never acknowledged.
    pub fn unacknowledged(&self) -> ByteCount {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.send.held_bytes(),
            State::Opening(_) => ByteCount::ZERO,
            State::Closed(closed) => closed.undelivered,
        }
    }

    /// User data that waits to be sent for the first time.
    pub fn waiting(&self) -> ByteCount {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.send.waiting_bytes(),
            _ => ByteCount::ZERO,
        }
    }

    /// User data that waits for the application or for the rest of its message.
    pub fn received_bytes_held(&self) -> ByteCount {
        self.session().map_or(ByteCount::ZERO, |session| session.buffer.held())
    }

    /// How many streams there are for sending and for receiving. `None` without a session.
    pub fn streams(&self) -> Option<(u16, u16)> {
        let agreement = &self.session()?.agreement;
        Some((agreement.outbound_streams, agreement.inbound_streams))
    }

    /// The size of the receive buffer in user data: as configured, or as large as it has grown.
    pub fn receive_buffer(&self) -> ByteCount {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.buffer.capacity(),
            State::Opening(handshake) => handshake.settings.config.receive_buffer,
            State::Closed(closed) => closed.receive_buffer,
        }
    }

    /// Every path, including removed ones, as policies see it.
    pub fn paths(&self) -> &[PathSample] {
        self.path_table().samples()
    }

    /// The addresses of a path.
    ///
    /// # Panics
    /// `path` is not one of [`paths`](Association::paths).
    pub fn path_addresses(&self, path: PathId) -> PathAddresses {
        self.path_table().addresses(path)
    }

    /// What identifies packets without our tag as this association's: the peer's port and tag, once known. The last
    /// number counts added and moved paths; while it stays, the addresses of all paths stay.
    pub(crate) fn reached_by(&self) -> (Option<u16>, Option<VerificationTag>, u64) {
        let (port, tag) = match &self.state {
            State::Open(session) | State::Closing(session, _) => {
                let Agreement { peer_port, peer_tag, .. } = session.agreement;
                return (Some(peer_port), Some(peer_tag), session.paths.address_changes());
            }
            State::Opening(handshake) => (Some(handshake.identity.peer_port), handshake.peer_tag()),
            State::Closed(closed) => (None, Some(closed.tags.1)),
        };
        (port, tag, self.path_table().address_changes())
    }

    /// Counters of what a path carried.
    ///
    /// # Panics
    /// `path` is not one of [`paths`](Association::paths).
    pub fn path_counters(&self, path: PathId) -> PathCounters {
        self.path_table().counters(path)
    }

    /// The first other path that was found to share the bottleneck of `path`, where `coupled` is `auto`; `None` if none was.
    pub fn shares_with(&self, path: PathId) -> Option<PathId> {
        self.session().and_then(|session| session.policies.congestion.shares_with(path))
    }

    /// The SACKs that this end sent and received.
    pub fn sack_counters(&self) -> SackCounters {
        self.path_table().sacks()
    }

    /// What limited a path, from the association's opening until `now`. The limit at the end of an association counts
    /// on.
    ///
    /// # Panics
    /// `path` is not one of [`paths`](Association::paths).
    pub fn time_in_limit(&self, now: Time, path: PathId) -> TimeInLimit {
        self.path_table().time_in_limit(path, now)
    }

    /// The congestion window of a path in bytes, averaged over the same time as
    /// [`time_in_limit`](Association::time_in_limit).
    ///
    /// # Panics
    /// `path` is not one of [`paths`](Association::paths).
    pub fn mean_cwnd(&self, now: Time, path: PathId) -> f64 {
        self.path_table().mean_cwnd(path, now)
    }

    /// For how long there was data to send and congestion window on a path, but no receive window.
    pub fn blocked(&self, now: Time) -> Duration {
        self.path_table().blocked(now)
    }

    /// Both tags: ours, and the peer's once it is known.
    pub fn tags(&self) -> (VerificationTag, Option<VerificationTag>) {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => {
                (session.agreement.local_tag, Some(session.agreement.peer_tag))
            }
            State::Opening(handshake) => (handshake.identity.tag, handshake.peer_tag()),
            State::Closed(closed) => (closed.tags.0, Some(closed.tags.1)),
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

    /// A restarted peer's cookie arrived while the last SHUTDOWN-ACK is not answered (RFC 9260 §5.2.4 A): "it MUST
    /// NOT set up a new association but instead resend the SHUTDOWN ACK chunk and send an ERROR chunk".
    pub fn refuse_restart(&mut self, now: Time) {
        self.repeat_shutdown_ack(now);
        if let State::Closing(session, _) = &mut self.state {
            session.report(session.paths.primary(), vec![Cause::CookieReceivedWhileShuttingDown]);
        }
    }

    /// The values in this end's INIT, while the INIT is not answered (RFC 9260 §5.2.1).
    pub fn identity(&self) -> Option<LocalIdentity> {
        match &self.state {
            State::Opening(handshake) => Some(handshake.identity),
            _ => None,
        }
    }

    /// An INIT arrived while the last SHUTDOWN-ACK is not answered: sends the SHUTDOWN-ACK again (RFC 9260 §9.2).
    pub fn repeat_shutdown_ack(&mut self, now: Time) {
        if let State::Closing(session, ShutdownState::AckSent) = &mut self.state {
            session.send_shutdown_ack(now);
        }
    }

    fn in_state(state: State) -> Association {
        Association {
            state,
            events: VecDeque::new(),
            records: None,
            unread: ReadyMessages::default(),
            farewell: None,
            changes: Vec::new(),
        }
    }

    /// What may follow any event: the next stage of a shutdown that nothing delays any more.
    fn after_event(&mut self, now: Time) {
        if let State::Closing(session, stage) = &mut self.state {
            *stage = session.advance_shutdown(*stage, now);
        }
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
            State::Closed(closed) => &closed.paths,
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
    /// A placeholder while the state changes.
    fn vacant() -> State {
        let tags = (VerificationTag::ZERO, VerificationTag::ZERO);
        let (undelivered, receive_buffer) = (ByteCount::ZERO, ByteCount::ZERO);
        State::Closed(ClosedAssociation {
            paths: PathTable::new(),
            tags,
            undelivered,
            receive_buffer,
            last_word: None,
        })
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

fn gone(gone: PeerGone) -> CloseReason {
    CloseReason::PeerGone { errors: gone.errors }
}
