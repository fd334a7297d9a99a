//! One peer: the keys in use, those before them, those under negotiation, and the addresses of its paths.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use anabranch_sctp::association::PathAddresses;

use super::datagram::{Datagram, PacketNumber, Route, SessionId};
use super::inquiry::Inquiry;
use super::keys::{Keys, Limits, Order};
use super::noise::{Asked, Asking, MESSAGE_LEN};

/// What two ends share.
#[derive(Debug)]
pub struct Session {
    limits: Limits,
    /// Which end asks for keys.
    role: Role,
    /// What is sealed with; `None` until the handshake is done.
    current: Option<Keys>,
    /// What overtaken packets may still be sealed with.
    previous: Option<Keys>,
    /// What the peer asked for and has not used.
    next: Option<Next>,
    /// What we asked for and have not got.
    question: Option<Question>,
    /// The packet that waits for the first keys.
    held: Option<(Route, Vec<u8>)>,
    /// Where the latest packet of each of the peer's paths to each of our addresses came from.
    ways: BTreeMap<(Route, SocketAddr), SocketAddr>,
    /// An inquiry that is not answered.
    pub inquiry: Option<Inquiry>,
    /// How many associations use it.
    pub uses: u32,
    /// Ids that mean nothing any more.
    pub dropped: Vec<SessionId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Asks,
    Answers,
}

#[derive(Debug)]
struct Question {
    asking: Asking,
    local: SessionId,
    datagram: Vec<u8>,
    /// The count of sealed packets at which keys are requested again.
    again_at: u64,
}

#[derive(Debug)]
struct Next {
    keys: Keys,
    question: [u8; MESSAGE_LEN],
    answer: Vec<u8>,
}

impl Session {
    /// A session that this end asks for.
    pub fn ask(limits: Limits, local: SessionId, question: (Asking, [u8; MESSAGE_LEN])) -> Session {
        let mut session = Session::new(limits, Role::Asks);
        session.set_question(local, question);
        session
    }

    /// A session that a peer asked for. `None` if the operating system has no random numbers.
    pub fn answer(
        limits: Limits,
        local: SessionId,
        asked: Asked,
        question: &[u8; MESSAGE_LEN],
    ) -> Option<Session> {
        let mut session = Session::new(limits, Role::Answers);
        session.set_next(local, asked, question)?;
        Some(session)
    }

    fn new(limits: Limits, role: Role) -> Session {
        Session {
            limits,
            role,
            current: None,
            previous: None,
            next: None,
            question: None,
            held: None,
            ways: BTreeMap::new(),
            inquiry: None,
            uses: 0,
            dropped: Vec::new(),
        }
    }

    /// Appends a packet, sealed, to `out`. `None` if there are no keys, or no numbers left.
    pub fn seal(&mut self, route: Route, packet: &[u8], out: &mut Vec<u8>) -> Option<()> {
        self.current.as_mut()?.seal(route, packet, out)
    }

    /// Keeps a packet until there are keys, instead of the one kept before, which its sender will send again. Appends
    /// the question to be asked meanwhile; `None` if there is none.
    pub fn hold(&mut self, route: Route, packet: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let question = self.question.as_ref().filter(|_| self.current.is_none())?;
        out.extend_from_slice(&question.datagram);
        let (kept_route, kept) = self.held.get_or_insert_with(|| (route, Vec::new()));
        *kept_route = route;
        kept.clear();
        kept.extend_from_slice(packet);
        Some(())
    }

    /// Opens a packet, appended to `out`; with the keys that the peer uses from now on, if it is the first of those.
    pub fn open(
        &mut self,
        to: SessionId,
        number: PacketNumber,
        sealed: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<Order> {
        if let Some(next) = self.next.as_mut().filter(|next| next.keys.local == to) {
            let order = next.keys.open(number, sealed, out)?;
            self.adopt_next();
            return Some(order);
        }
        if let Some(keys) = self.current.as_mut().filter(|keys| keys.local == to) {
            let order = keys.open(number, sealed, out)?;
            if keys.opened() >= OVERLAP {
                self.drop_previous();
            }
            return Some(order);
        }
        let keys = self.previous.as_mut().filter(|keys| keys.local == to)?;
        keys.open(number, sealed, out).map(|_| Order::Late)
    }

    /// The peer's answer to our question, wherever it came from. `true` if there are fresh keys now.
    pub fn on_answer(&mut self, message: &[u8; MESSAGE_LEN]) -> bool {
        let Some(peer) = self.question.as_mut().and_then(|question| question.asking.hear(message)) else {
            return false;
        };
        let Some(Question { asking, local, .. }) = self.question.take() else { return false };
        let Some(cipher) = asking.finish() else { return false };
        self.adopt(Keys::new(cipher, self.limits, local, peer));
        true
    }

    /// The packet that waited for the keys, sealed, appended to `out`.
    pub fn release_held(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let (route, packet) = self.held.take()?;
        self.seal(route, &packet, out)
    }

    /// The latest packet of one of the peer's paths came this way. Where from until now, if that was elsewhere.
    pub fn on_way(&mut self, route: Route, way: PathAddresses) -> Option<SocketAddr> {
        let before = self.ways.insert((route, way.local), way.remote)?;
        (before != way.remote).then_some(before)
    }

    /// Where a packet of a path that came `way`, but not in its turn, counts as coming from: from where the path's latest
    /// packet to the same address came, else to any other.
    pub fn remote_of(&self, route: Route, way: PathAddresses) -> SocketAddr {
        let here = self.ways.get(&(route, way.local));
        let elsewhere = || self.ways.iter().find(|((known, _), _)| *known == route).map(|(_, remote)| remote);
        here.or_else(elsewhere).copied().unwrap_or(way.remote)
    }

    /// Whether this end is to ask for fresh keys.
    pub fn wants_keys(&self) -> bool {
        self.role == Role::Asks && self.question.is_none() && self.current.as_ref().is_some_and(Keys::is_worn)
    }

    /// Asks for fresh keys.
    pub fn set_question(&mut self, local: SessionId, (asking, message): (Asking, [u8; MESSAGE_LEN])) {
        let mut datagram = Vec::with_capacity(Datagram::HANDSHAKE_LEN);
        Datagram::Question(&message).write(&mut datagram);
        self.question = Some(Question { asking, local, datagram, again_at: 0 });
    }

    /// Appends the question for fresh keys, sealed with the present ones, to `out`, if it is to be asked now.
    pub fn repeat_question(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let (question, keys) = (self.question.as_mut()?, self.current.as_mut()?);
        if keys.sealed() < question.again_at {
            return None;
        }
        keys.seal(Route::CONTROL, &question.datagram, out)?;
        question.again_at = keys.sealed() + ASKED_AGAIN;
        Some(())
    }

    /// Whether a question for fresh keys that came in a packet to `to` is to be answered.
    pub fn may_be_asked(&self, to: SessionId) -> bool {
        self.role == Role::Answers && self.current.as_ref().is_some_and(|keys| keys.local == to)
    }

    /// The peer asked for keys. `None`, and nothing changes, if the operating system has no random numbers.
    pub fn set_next(&mut self, local: SessionId, asked: Asked, question: &[u8; MESSAGE_LEN]) -> Option<()> {
        let peer = asked.peer;
        let (cipher, message) = asked.answer(local)?;
        let mut answer = Vec::with_capacity(Datagram::HANDSHAKE_LEN);
        Datagram::Answer { to: peer, message: &message }.write(&mut answer);
        let keys = Keys::new(cipher, self.limits, local, peer);
        if let Some(unused) = self.next.replace(Next { keys, question: *question, answer }) {
            self.dropped.push(unused.keys.local);
        }
        Some(())
    }

    /// The answer to this question, if it was answered before.
    pub fn answer_to(&self, question: &[u8; MESSAGE_LEN]) -> Option<&[u8]> {
        self.next.as_ref().filter(|next| next.question == *question).map(|next| next.answer.as_slice())
    }

    /// The question of a peer that has not shown yet that it received the answer.
    pub fn unconfirmed(&self) -> Option<&[u8; MESSAGE_LEN]> {
        self.next.as_ref().filter(|_| self.current.is_none()).map(|next| &next.question)
    }

    /// What packets leave by: what the peer calls this end, and this end the peer. `None` before the handshake is done.
    pub fn names(&self) -> Option<(SessionId, SessionId)> {
        self.current.as_ref().map(|keys| (keys.local, keys.peer))
    }

    /// Every id that the peer may use.
    pub fn ids(&self) -> impl Iterator<Item = SessionId> {
        let keys = [&self.current, &self.previous].into_iter().flatten().map(|keys| keys.local);
        let next = self.next.iter().map(|next| next.keys.local);
        keys.chain(next).chain(self.question.iter().map(|question| question.local))
    }

    fn adopt_next(&mut self) {
        if let Some(next) = self.next.take() {
            self.adopt(next.keys);
        }
    }

    fn adopt(&mut self, keys: Keys) {
        self.drop_previous();
        self.previous = self.current.replace(keys);
    }

    fn drop_previous(&mut self) {
        self.dropped.extend(self.previous.take().map(|keys| keys.local));
    }
}

/// The packets with fresh keys after which the previous ones are forgotten: no packet is overtaken by more.
const OVERLAP: u64 = 4_096;
/// The packets after which fresh keys are requested again.
const ASKED_AGAIN: u64 = 64;
