//! All peers of an endpoint: finds the session of a datagram, opens sessions, and forgets them.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::endpoint::{Channel, ChannelUse};

use super::datagram::{Datagram, PacketNumber, Route, SessionId};
use super::inquiry::Verdicts;
use super::key::Key;
use super::keys::{Limits, Order};
use super::noise::{MESSAGE_LEN, Noise};
use super::session::Session;

/// The sealed layer of an endpoint.
///
/// What strangers can make it remember is bounded: a question without the key leaves nothing behind, and of the
/// sessions that no association uses only the latest are kept.
#[derive(Debug)]
pub struct Sealing {
    pub(super) noise: Noise,
    limits: Limits,
    pub(super) sessions: BTreeMap<Channel, Session>,
    pub(super) by_id: BTreeMap<SessionId, Channel>,
    /// Answered, and silent since: a question that comes again gets the same answer.
    questions: BTreeMap<[u8; MESSAGE_LEN], Channel>,
    /// The same in the order in which they came.
    unconfirmed: VecDeque<Channel>,
    /// Sessions without an association, in the order in which they lost it.
    idle: VecDeque<Channel>,
    answered: u64,
    pub(super) verdicts: Verdicts,
}

/// What became of a packet that was to be sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sealed {
    /// It was appended, [`Datagram::OVERHEAD`] longer.
    Packet,
    /// No keys yet: a request for them was appended, and the packet leaves after the answer.
    Question,
    /// Nothing was appended: the channel does not exist, or its numbers are used up.
    Nothing,
}

/// What came of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// A packet was appended, and came by this channel.
    Packet {
        /// The peer's.
        channel: Channel,
        /// The address from which it counts as coming: an overtaken packet counts as coming from its path's latest
        /// address, so that an attacker that delays packets cannot open paths.
        remote: SocketAddr,
        /// Where the packets of its path came from until now, if they moved.
        moved_from: Option<SocketAddr>,
    },
    /// A datagram was appended that goes back the way this one came.
    Reply,
    /// Nothing was appended: the peer of this channel has forgotten the session, and whatever was in it.
    Forgotten(Channel),
    /// Nothing was appended.
    Nothing,
}

/// The channel of the `number`-th session that this end asks for.
pub const fn asked(number: u64) -> Channel {
    Channel::new(number << 1 | 1)
}

/// The channel of the `number`-th session that a peer asked for, from 1.
const fn answered(number: u64) -> Channel {
    Channel::new(number << 1)
}

impl Sealing {
    /// For peers with this key.
    pub fn new(key: &Key, limits: Limits) -> Sealing {
        Sealing {
            noise: Noise::new(key),
            limits,
            sessions: BTreeMap::new(),
            by_id: BTreeMap::new(),
            questions: BTreeMap::new(),
            unconfirmed: VecDeque::new(),
            idle: VecDeque::new(),
            answered: 0,
            verdicts: Verdicts::default(),
        }
    }

    /// An association began to use a channel, or is gone.
    pub fn on_use(&mut self, news: ChannelUse) {
        match news {
            ChannelUse::Taken(channel) => {
                if channel.number() % 2 == 1 && !self.sessions.contains_key(&channel) {
                    self.ask(channel);
                }
                if let Some(session) = self.sessions.get_mut(&channel) {
                    session.uses = session.uses.saturating_add(1);
                    self.idle.retain(|idle| *idle != channel);
                }
            }
            ChannelUse::Released(channel) => {
                let Some(session) = self.sessions.get_mut(&channel) else { return };
                session.uses = session.uses.saturating_sub(1);
                if session.uses == 0 {
                    self.set_idle(channel);
                }
            }
        }
    }

    /// Appends a packet, sealed, to `out`, or the question without whose answer it cannot be.
    pub fn seal(&mut self, channel: Channel, route: Route, packet: &[u8], out: &mut Vec<u8>) -> Sealed {
        let Some(session) = self.sessions.get_mut(&channel) else { return Sealed::Nothing };
        if session.seal(route, packet, out).is_some() {
            Sealed::Packet
        } else if session.hold(route, packet, out).is_some() {
            Sealed::Question
        } else {
            Sealed::Nothing
        }
    }

    /// Appends a datagram that the session itself has to send beside its packets, if any: the question for fresh
    /// keys. Any path will do.
    pub fn take_control(&mut self, channel: Channel, out: &mut Vec<u8>) -> Option<()> {
        let session = self.sessions.get_mut(&channel)?;
        if session.wants_keys() {
            let local = fresh_id(&self.by_id)?;
            session.set_question(local, self.noise.ask(local)?);
            self.by_id.insert(local, channel);
        }
        session.repeat_question(out)
    }

    /// A datagram arrived this way. Whatever is in it, the worst that it can do is be dropped.
    pub fn handle(&mut self, way: PathAddresses, datagram: &[u8], out: &mut Vec<u8>) -> Opened {
        let start = out.len();
        let opened = match Datagram::parse(datagram) {
            Some(Datagram::Question(message)) => self.on_question(message, out),
            Some(Datagram::Answer { to, message }) => self.on_answer(to, message, out),
            Some(Datagram::Inquiry { about, message }) => self.on_inquiry(about, message, out),
            Some(Datagram::Verdict { to, message }) => self.on_verdict(to, message),
            Some(Datagram::Packet { to, number, sealed }) => self.on_packet(way, to, number, sealed, out),
            None => None,
        };
        if opened.is_none() {
            out.truncate(start);
        }
        opened.unwrap_or(Opened::Nothing)
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    #[cfg(test)]
    pub(super) fn by_id_len(&self) -> usize {
        self.by_id.len()
    }

    fn ask(&mut self, channel: Channel) {
        let Some(local) = fresh_id(&self.by_id) else { return };
        let Some(question) = self.noise.ask(local) else { return };
        self.by_id.insert(local, channel);
        self.sessions.insert(channel, Session::ask(self.limits, local, question));
    }

    fn on_question(&mut self, message: &[u8; MESSAGE_LEN], out: &mut Vec<u8>) -> Option<Opened> {
        if let Some(session) = self.questions.get(message).and_then(|channel| self.sessions.get(channel)) {
            out.extend_from_slice(session.answer_to(message)?);
            return Some(Opened::Reply);
        }
        let asked = self.noise.hear(message)?;
        let local = fresh_id(&self.by_id)?;
        let session = Session::answer(self.limits, local, asked, message)?;
        out.extend_from_slice(session.answer_to(message)?);
        self.answered += 1;
        let channel = answered(self.answered);
        self.by_id.insert(local, channel);
        self.questions.insert(*message, channel);
        self.sessions.insert(channel, session);
        self.unconfirmed.push_back(channel);
        if self.unconfirmed.len() > MOST_UNCONFIRMED
            && let Some(oldest) = self.unconfirmed.pop_front()
        {
            self.forget(oldest);
        }
        Some(Opened::Reply)
    }

    fn on_answer(&mut self, to: SessionId, message: &[u8; MESSAGE_LEN], out: &mut Vec<u8>) -> Option<Opened> {
        let session = self.sessions.get_mut(self.by_id.get(&to)?)?;
        if !session.on_answer(message) {
            return None;
        }
        session.release_held(out)?;
        Some(Opened::Reply)
    }

    fn on_packet(
        &mut self,
        way: PathAddresses,
        to: SessionId,
        number: PacketNumber,
        sealed: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<Opened> {
        let channel = *self.by_id.get(&to)?;
        let start = out.len();
        let session = self.sessions.get_mut(&channel)?;
        let question = session.unconfirmed().copied();
        let order = session.open(to, number, sealed, out)?;
        for dropped in session.dropped.drain(..) {
            self.by_id.remove(&dropped);
        }
        let route = number.route();
        let (remote, moved_from) = match order {
            Order::Late => (session.remote_of(route, way), None),
            Order::Latest if route.is_path() => (way.remote, session.on_way(route, way)),
            Order::Latest => (way.remote, None),
        };
        if let Some(question) = question {
            self.confirm(channel, &question);
        }
        if route == Route::CONTROL {
            return self.on_control(channel, to, start, out);
        }
        Some(Opened::Packet { channel, remote, moved_from })
    }

    /// A question or an answer within a session, opened at the end of `out`.
    fn on_control(
        &mut self,
        channel: Channel,
        to: SessionId,
        start: usize,
        out: &mut Vec<u8>,
    ) -> Option<Opened> {
        let datagram = out.split_off(start);
        let session = self.sessions.get_mut(&channel)?;
        match Datagram::parse(&datagram)? {
            Datagram::Question(message) if session.may_be_asked(to) => {
                if session.answer_to(message).is_none() {
                    let asked = self.noise.hear(message)?;
                    let local = fresh_id(&self.by_id)?;
                    session.set_next(local, asked, message)?;
                    self.by_id.insert(local, channel);
                }
                let answer = session.answer_to(message)?.to_vec();
                session.seal(Route::CONTROL, &answer, out)?;
                Some(Opened::Reply)
            }
            Datagram::Answer { message, .. } => {
                session.on_answer(message);
                None
            }
            _ => None,
        }
    }

    /// The peer of a session has received the answer.
    fn confirm(&mut self, channel: Channel, question: &[u8; MESSAGE_LEN]) {
        self.questions.remove(question);
        self.unconfirmed.retain(|waiting| *waiting != channel);
        self.set_idle(channel);
    }

    /// No association uses a session: it is kept for what may still come, and among a bounded number.
    fn set_idle(&mut self, channel: Channel) {
        self.idle.push_back(channel);
        if self.idle.len() > MOST_IDLE
            && let Some(oldest) = self.idle.pop_front()
        {
            self.forget(oldest);
        }
    }

    fn forget(&mut self, channel: Channel) {
        let Some(session) = self.sessions.remove(&channel) else { return };
        for id in session.ids().chain(session.dropped.iter().copied()) {
            self.by_id.remove(&id);
        }
        if let Some(question) = session.unconfirmed() {
            self.questions.remove(question);
        }
    }
}

/// An id that no session has. `None` if the operating system has no random numbers.
fn fresh_id(taken: &BTreeMap<SessionId, Channel>) -> Option<SessionId> {
    loop {
        let mut bits = [0; 8];
        getrandom::fill(&mut bits).ok()?;
        let id = SessionId::new(u64::from_be_bytes(bits));
        if !taken.contains_key(&id) {
            return Some(id);
        }
    }
}

/// How many peers may have been answered and not heard from since.
const MOST_UNCONFIRMED: usize = 256;
/// How many sessions without an association are kept: a last packet may come again.
const MOST_IDLE: usize = 256;
