//! One association: the only place that combines the parts. This file has its states and its methods for applications
//! and drivers. The files beside it handle each event.

mod addresses;
mod admission;
mod agreement;
mod authentication;
pub mod cookie;
mod datagram;
mod dispatch;
mod ending;
mod extensions;
mod features;
mod ground;
mod handshake;
mod init;
mod opening;
mod packet_auth;
mod packing;
mod peer_addresses;
mod queries;
mod race;
mod receiver;
mod receiver_rules;
mod reconfiguration;
mod reconfiguring;
mod recording;
mod sender;
mod session;
mod test_packets;
#[cfg(test)]
mod window_update;

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use anabranch_base::{ByteCount, Machine, Seed, Time};
use bytes::Bytes;

use addresses::LocalChange;
pub use agreement::{Agreement, Settings};
pub use authentication::RandomNumber;
pub(crate) use datagram::Verified;
pub use datagram::{Datagram, Ecn, Packet, Transmit};
pub use extensions::{Extensions, OfferedExtensions, PeerExtensions};
pub use features::Features;
use ground::{PeerGone, Timer};
use handshake::Handshake;
pub use handshake::LocalIdentity;
pub use init::{InitBody, InitRefusal, MAX_PATHS, check_init};
pub(crate) use init::{acceptable, address_parameter, address_parameters, announced_socket};
pub use peer_addresses::{Alternatives, InitPace, Routes};
pub use queries::AssociationState;
pub use race::MAX_PAIRS;
pub use receiver_rules::ReceiverRules;
pub use reconfiguring::ReconfigurationError;
pub(crate) use session::build_policies;
use session::{Session, ShutdownState};
use test_packets::TestInbox;
pub use test_packets::{ReceivedTest, TestError};

use crate::config::{Config, Failover, RtoSettings};
use crate::event::{CloseReason, Event};
pub use crate::path::{EcnCounters, PathAddresses, PathCounters, SackCounters, TimeInLimit};
use crate::path::{PathTable, Remembered};
use crate::policy::{Hints, PathId};
use crate::receive::ReadyMessages;
pub use crate::receive::{Message, Part};
use crate::record::Record;
pub use crate::send::{Outgoing, Reliability};
use crate::wire;
use crate::wire::{Cause, PathRole, StreamId, VerificationTag};

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
    /// The records while no session holds them; `None` if recording is off.
    records: Option<VecDeque<Record>>,
    /// The test packets while no session holds them; `None` without a reader.
    tests: Option<Box<TestInbox>>,
    /// Messages that were complete before the association ended or restarted.
    unread: ReadyMessages,
    /// A last packet, and the path it takes.
    last_packet: Option<(PathId, Vec<u8>)>,
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

/// The values that a closed association still reports.
#[derive(Debug)]
struct ClosedAssociation {
    paths: PathTable,
    tags: (VerificationTag, VerificationTag),
    /// The user data that was sent and never acknowledged.
    undelivered: ByteCount,
    receive_buffer: ByteCount,
    /// The ABORT, if this end aborted the association.
    sent_abort: Option<Vec<u8>>,
}

/// Why a message cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The send buffer is full. [`Event::Writable`] reports when it has room again.
    #[error("the send buffer has room for {free}, the message has {wanted}")]
    BufferFull {
        /// The free space.
        free: ByteCount,
        /// The message's length.
        wanted: ByteCount,
    },
    /// The message is larger than the buffer of one end.
    #[error("a message of {wanted} never fits a buffer of {buffer}")]
    TooLarge {
        /// The message's length.
        wanted: ByteCount,
        /// The largest message allowed: by [`MessageLimit`](crate::config::MessageLimit), the smaller of the two
        /// buffers.
        buffer: ByteCount,
    },
    /// The stream is outside the range that the peer accepts.
    #[error("there is no stream {stream}: the peer takes {streams}")]
    NoSuchStream {
        /// The stream.
        stream: u16,
        /// The number of streams.
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
    /// Opens an association over `routes`: the first INIT is sent on the first path.
    pub fn connect(
        settings: Arc<Settings>,
        identity: LocalIdentity,
        announced: Vec<IpAddr>,
        routes: Routes<'_>,
        seed: Seed,
    ) -> Association {
        let handshake = Handshake::new(settings, identity, announced, routes, seed);
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
                    session.on_shutdown_timeout(*stage, now).map_err(peer_gone)
                }
                (State::Closing(session, stage), Timer::ShutdownGuard) => {
                    if let Some(next) = session.on_guard_expired(*stage, now) {
                        *stage = next;
                        continue;
                    }
                    // RFC 9260 §9.2: "SHOULD send an ABORT chunk when the T5-shutdown-guard timer expires".
                    let reason = peer_gone(PeerGone { errors: session.ground().paths.errors_in_row() });
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
                    session.on_timer(timer, now).map_err(peer_gone)
                }
                (State::Closed(_), _) => Ok(()),
            };
            if let Err(reason) = result {
                return self.give_up(reason);
            }
        }
        self.after_event(now);
    }

    /// Appends up to `max_segments` packets for one path to `buf`; `None` when nothing is to be sent.
    pub fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max_segments: usize) -> Option<Transmit> {
        let (path, len) = match &mut self.state {
            State::Open(session) | State::Closing(session, _) => {
                let fixed = session.ground().settings.config.codepoint;
                let sent = session.poll_transmit(now, buf, max_segments);
                return if fixed == Ecn::NotEct {
                    sent
                } else {
                    sent.map(|sent| Transmit { ecn: fixed, ..sent })
                };
            }
            State::Opening(handshake) => handshake.poll_transmit(now, buf)?,
            State::Closed(_) => {
                let (path, packet) = self.last_packet.take()?;
                buf.extend_from_slice(&packet);
                (path, packet.len())
            }
        };
        Some(Transmit::single(path, len))
    }

    /// The time at which [`handle_timeout`](Association::handle_timeout) is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.ground().timers.next(),
            State::Opening(handshake) => handshake.timers.next(),
            State::Closed(_) => None,
        }
    }

    /// Returns true if there is an event for the application.
    #[inline]
    pub(crate) fn has_events(&self) -> bool {
        !self.events.is_empty() || self.session().is_some_and(|session| session.ground().log.has_events())
    }

    /// The next event for the application.
    pub fn poll_event(&mut self) -> Option<Event> {
        let session = self.session_mut().and_then(|session| session.ground_mut().log.take_event());
        session.or_else(|| self.events.pop_front())
    }

    /// Queues a message. The bytes are copied only once, into packets.
    ///
    /// # Errors
    /// The buffer is full, or too small for the message; the stream does not exist; the association is not open.
    pub fn send(&mut self, now: Time, message: Outgoing) -> Result<(), SendError> {
        self.session_for(&message)?.on_message(now, message);
        Ok(())
    }

    /// Like [`send`](Association::send), but leaves `message` untouched on an error.
    ///
    /// # Errors
    /// As [`send`](Association::send).
    #[inline]
    pub fn try_send(&mut self, now: Time, message: &mut Outgoing) -> Result<(), SendError> {
        let session = self.session_for(message)?;
        let payload = std::mem::take(&mut message.payload);
        session.on_message(now, Outgoing { payload, ..*message });
        Ok(())
    }

    /// Like [`try_send`](Association::try_send), but the message leaves before all that waits, on the path where it arrives
    /// first. That needs a [`stream_scheduler`](crate::config::Config::stream_scheduler) other than `first-come`, and no
    /// earlier message of its stream that waits. It is for short messages of streams that send little.
    ///
    /// # Errors
    /// As [`send`](Association::send).
    pub fn try_send_prompt(&mut self, now: Time, message: &mut Outgoing) -> Result<(), SendError> {
        let session = self.session_for(message)?;
        let payload = std::mem::take(&mut message.payload);
        session.on_prompt_message(now, Outgoing { payload, ..*message });
        Ok(())
    }

    /// The amount of waiting data among which the scheduler of paths last chose: with less, a path that has room may have
    /// nothing to carry.
    pub fn look_ahead(&self) -> ByteCount {
        self.session().map_or(ByteCount::ZERO, Session::look_ahead)
    }

    /// Takes the next message in delivery order: a complete one, or, with
    /// [`partial_delivery`](crate::config::Config::partial_delivery), a [part](Message::part) of one.
    pub fn receive(&mut self) -> Option<Message> {
        if let Some(message) = self.unread.take() {
            return Some(message);
        }
        self.session_mut()?.take_message()
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
        self.abort_loudly(Cause::UserInitiatedAbort(why.as_bytes().to_vec()), reason);
    }

    /// Gives a stream a value for the [stream scheduler](crate::config::StreamScheduler): its priority, of which the
    /// lowest is sent first, by default 0; or its weight, by default 1. Other schedulers ignore it. No effect before the
    /// association is open.
    pub fn set_stream_value(&mut self, stream: StreamId, value: u16) {
        if let Some(session) = self.session_mut() {
            session.set_stream_value(stream, value);
        }
    }

    /// Limits the congestion windows of the paths in `limits`.
    pub fn set_limits(&mut self, limits: &[(PathId, ByteCount)]) {
        if let Some(session) = self.session_mut() {
            session.set_limits(limits);
        }
    }

    /// Makes `path` the primary path, which carries data when only one path is used. Unknown paths are ignored.
    pub fn set_primary(&mut self, path: PathId) {
        if let Some(paths) = self.paths_mut().filter(|paths| path.index() < paths.len()) {
            paths.set_primary(path);
        }
        if let Some(session) = self.session_mut() {
            session.reconsider();
        }
    }

    /// Gives `role` to the paths from `local`, also to those added later. Paths of all roles are verified and probed.
    ///
    /// A [backup](PathRole::Backup) carries data only while no other path is active. A
    /// [secondary](PathRole::Secondary) path carries new data only after data has waited for the congestion windows of
    /// all ordinary paths for 100 ms or two round trips, and until none waits. If the ordinary paths fail, it is one of
    /// them. HEARTBEATs tell the role to the peer, which follows it if it runs this implementation.
    pub fn set_role(&mut self, now: Time, local: SocketAddr, role: PathRole) {
        let Some(paths) = self.paths_mut() else { return };
        let changed = paths.set_role(local, role);
        if let Some(session) = self.session_mut() {
            session.begin_event();
            changed.into_iter().for_each(|path| session.announce_role(path, now));
        }
    }

    /// The bounds of the retransmission time-out; `None` if the association is closed.
    pub fn rto(&self) -> Option<RtoSettings> {
        self.settings().map(|settings| settings.config.rto)
    }

    /// Changes the bounds of the retransmission time-out of all paths; `rto.initial` is for paths without measurements.
    pub fn set_rto(&mut self, rto: RtoSettings) {
        self.change_settings(|config| config.rto = rto);
        if let Some(paths) = self.paths_mut() {
            paths.set_rto(rto);
        }
    }

    /// The failure detection of the association and of its paths; `None` if the association is closed.
    pub fn failover(&self) -> Option<Failover> {
        self.settings().map(|settings| settings.config.failover)
    }

    /// Changes the failure detection. HEARTBEATs follow the new interval from now on.
    pub fn set_failover(&mut self, now: Time, failover: Failover) {
        self.change_settings(|config| config.failover = failover);
        if let Some(session) = self.session_mut() {
            session.ground_mut().reschedule_heartbeats(now);
        }
    }

    /// Gives each path the estimates `known` from other associations.
    pub(crate) fn remember(&mut self, known: impl Fn(PathAddresses) -> Option<Remembered>) {
        if let Some(paths) = self.paths_mut() {
            paths.remember(known);
        }
    }

    /// Gives the policies `hints` about `path` before anything is measured. Unknown paths are ignored.
    pub fn set_hints(&mut self, path: PathId, hints: Hints) {
        if let Some(paths) = self.paths_mut().filter(|paths| path.index() < paths.len()) {
            paths.set_hints(path, hints);
        }
    }

    /// Refuses a restarted peer's cookie that arrives while the last SHUTDOWN-ACK is not answered (RFC 9260 §5.2.4 A):
    /// "it MUST NOT set up a new association but instead resend the SHUTDOWN ACK chunk and send an ERROR chunk".
    pub(crate) fn refuse_restart(&mut self, now: Time) {
        self.repeat_shutdown_ack(now);
        if let State::Closing(session, _) = &mut self.state {
            let ground = session.ground_mut();
            ground.report(ground.paths.primary(), vec![Cause::CookieReceivedWhileShuttingDown]);
        }
    }

    /// Sends the SHUTDOWN-ACK again, because an INIT arrived before it was answered (RFC 9260 §9.2).
    pub(crate) fn repeat_shutdown_ack(&mut self, now: Time) {
        if let State::Closing(session, ShutdownState::AckSent) = &mut self.state {
            session.send_shutdown_ack(now);
        }
    }

    fn in_state(state: State) -> Association {
        Association {
            state,
            events: VecDeque::new(),
            records: None,
            tests: None,
            unread: ReadyMessages::default(),
            last_packet: None,
            changes: Vec::new(),
        }
    }

    /// Advances a shutdown as far as possible after each event.
    fn after_event(&mut self, now: Time) {
        if let State::Closing(session, stage) = &mut self.state {
            *stage = session.advance_shutdown(*stage, now);
        }
    }

    fn take_expired(&mut self, now: Time) -> Option<Timer> {
        match &mut self.state {
            State::Open(session) | State::Closing(session, _) => {
                session.ground_mut().timers.take_expired(now)
            }
            State::Opening(handshake) => handshake.timers.take_expired(now),
            State::Closed(_) => None,
        }
    }

    fn checksum(&self) -> Option<wire::Checksum> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => {
                Some(session.ground().settings.config.checksum)
            }
            State::Opening(handshake) => Some(handshake.settings.config.checksum),
            State::Closed(_) => None,
        }
    }

    /// The open session, if `message` may be sent and has room.
    #[inline]
    fn session_for(&mut self, message: &Outgoing) -> Result<&mut Session, SendError> {
        let State::Open(session) = &mut self.state else { return Err(SendError::NotOpen) };
        let wanted = ByteCount::of_len(message.payload.len());
        let streams = session.ground().agreement.outbound_streams;
        if message.stream.get() >= streams {
            return Err(SendError::NoSuchStream { stream: message.stream.get(), streams });
        }
        if wanted.is_zero() {
            return Err(SendError::Empty);
        }
        let buffer = session.largest_message();
        if wanted > buffer {
            return Err(SendError::TooLarge { wanted, buffer });
        }
        session.make_room(wanted, message.reliability);
        let free = session.send_space();
        if wanted > free {
            session.want_room(wanted);
            return Err(SendError::BufferFull { free, wanted });
        }
        Ok(session)
    }

    #[inline]
    fn session(&self) -> Option<&Session> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => Some(session),
            State::Opening(_) | State::Closed(_) => None,
        }
    }

    #[inline]
    fn session_mut(&mut self) -> Option<&mut Session> {
        match &mut self.state {
            State::Open(session) | State::Closing(session, _) => Some(session),
            State::Opening(_) | State::Closed(_) => None,
        }
    }

    #[inline]
    fn path_table(&self) -> &PathTable {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => &session.ground().paths,
            State::Opening(handshake) => handshake.paths(),
            State::Closed(closed) => &closed.paths,
        }
    }

    fn settings(&self) -> Option<&Settings> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => Some(&session.ground().settings),
            State::Opening(handshake) => Some(&handshake.settings),
            State::Closed(_) => None,
        }
    }

    /// Changes the settings of this association alone.
    fn change_settings(&mut self, change: impl FnOnce(&mut Config)) {
        let settings = match &mut self.state {
            State::Open(session) | State::Closing(session, _) => &mut session.ground_mut().settings,
            State::Opening(handshake) => return handshake.change_settings(change),
            State::Closed(_) => return,
        };
        change(&mut Arc::make_mut(settings).config);
    }

    #[inline]
    fn paths_mut(&mut self) -> Option<&mut PathTable> {
        match &mut self.state {
            State::Open(session) | State::Closing(session, _) => Some(&mut session.ground_mut().paths),
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
            sent_abort: None,
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

fn peer_gone(error: PeerGone) -> CloseReason {
    CloseReason::PeerGone { errors: error.errors }
}
