//! Finds out whether a peer still has a session: an end asks when nothing is answered, and only a holder of the key
//! gets the answer.

use std::collections::VecDeque;

use anabranch_sctp::endpoint::Channel;

use super::datagram::{Datagram, SessionId};
use super::noise::{Asking, MESSAGE_LEN};
use super::table::{Opened, Sealing};

/// An inquiry that is not answered.
#[derive(Debug)]
pub struct Inquiry {
    asking: Asking,
    about: SessionId,
    datagram: Vec<u8>,
}

/// The latest verdicts: an inquiry that is repeated, by whomever, costs no second handshake.
#[derive(Debug, Default)]
pub struct Verdicts {
    latest: VecDeque<Given>,
}

#[derive(Debug)]
struct Given {
    about: SessionId,
    inquiry: [u8; MESSAGE_LEN],
    verdict: Vec<u8>,
}

impl Sealing {
    /// Appends an inquiry whether the peer of `channel` still has the session. `None` if there is no session to ask for.
    pub fn inquire(&mut self, channel: Channel, out: &mut Vec<u8>) -> Option<()> {
        let session = self.sessions.get_mut(&channel)?;
        let (local, about) = session.names()?;
        if session.inquiry.as_ref().is_none_or(|inquiry| inquiry.about != about) {
            let (asking, message) = self.noise.inquire(about, local)?;
            let mut datagram = Vec::with_capacity(Datagram::HANDSHAKE_LEN);
            Datagram::Inquiry { about, message: &message }.write(&mut datagram);
            session.inquiry = Some(Inquiry { asking, about, datagram });
        }
        out.extend_from_slice(&session.inquiry.as_ref()?.datagram);
        Some(())
    }

    pub(super) fn on_inquiry(
        &mut self,
        about: SessionId,
        message: &[u8; MESSAGE_LEN],
        out: &mut Vec<u8>,
    ) -> Option<Opened> {
        if self.verdicts.of(about, message).is_none() {
            let asked = self.noise.hear_inquiry(about, message)?;
            let to = asked.peer;
            let known = if self.by_id.contains_key(&about) { about } else { NO_SESSION };
            let (_, message_back) = asked.answer(known)?;
            let mut datagram = Vec::with_capacity(Datagram::HANDSHAKE_LEN);
            Datagram::Verdict { to, message: &message_back }.write(&mut datagram);
            self.verdicts.keep(Given { about, inquiry: *message, verdict: datagram });
        }
        out.extend_from_slice(self.verdicts.of(about, message)?);
        Some(Opened::Reply)
    }

    pub(super) fn on_verdict(&mut self, to: SessionId, message: &[u8; MESSAGE_LEN]) -> Option<Opened> {
        let channel = *self.by_id.get(&to)?;
        let session = self.sessions.get_mut(&channel)?;
        let known = session.inquiry.as_mut()?.asking.hear(message)?;
        let about = session.inquiry.take()?.about;
        // A peer need not remember keys that are no longer in use.
        let is_current = session.names().is_some_and(|(_, peer)| peer == about);
        (known == NO_SESSION && is_current).then_some(Opened::Forgotten(channel))
    }
}

impl Verdicts {
    fn of(&self, about: SessionId, inquiry: &[u8; MESSAGE_LEN]) -> Option<&[u8]> {
        let mut given = self.latest.iter().filter(|given| given.about == about && given.inquiry == *inquiry);
        given.next().map(|given| given.verdict.as_slice())
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.latest.len()
    }

    fn keep(&mut self, given: Given) {
        if self.latest.len() == MOST_VERDICTS {
            self.latest.pop_front();
        }
        self.latest.push_back(given);
    }
}

/// The verdict that there is none.
const NO_SESSION: SessionId = SessionId::new(0);
/// How many verdicts are kept.
const MOST_VERDICTS: usize = 64;
