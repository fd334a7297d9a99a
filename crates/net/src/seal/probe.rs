//! Probes: an end whose packets remain unanswered asks whether the peer still has the session, and only a holder of
//! the key can read the probe and reply.

use std::collections::VecDeque;

use super::datagram::{Datagram, MESSAGE_LEN, SessionId};
use super::noise::{Initiator, Noise};

/// A probe without a reply yet.
#[derive(Debug)]
pub(super) struct Probe {
    initiator: Initiator,
    about: SessionId,
    datagram: Vec<u8>,
}

/// The latest replies of this end, so that a probe repeated by the peer or by an attacker causes no second handshake.
#[derive(Debug, Default)]
pub(super) struct ProbeReplies {
    latest: VecDeque<Replied>,
}

#[derive(Debug)]
struct Replied {
    about: SessionId,
    probe: [u8; MESSAGE_LEN],
    reply: Vec<u8>,
}

impl Probe {
    /// A probe about the session with the peer's id `about` and this end's id `local`. `None` if the operating system
    /// provides no random numbers.
    pub(super) fn new(noise: &Noise, about: SessionId, local: SessionId) -> Option<Probe> {
        let (initiator, message) = noise.probe(about, local)?;
        let datagram = Datagram::Probe { about, message: &message }.to_vec();
        Some(Probe { initiator, about, datagram })
    }

    /// The peer's id of the session.
    pub(super) fn about(&self) -> SessionId {
        self.about
    }

    /// The datagram, the same for every transmission.
    pub(super) fn datagram(&self) -> &[u8] {
        &self.datagram
    }

    /// Reads a reply. Returns true if the peer has the session; `None`, without a change of state, if it is not a
    /// reply to this probe by a holder of the key.
    pub(crate) fn read_reply(&mut self, message: &[u8; MESSAGE_LEN]) -> Option<bool> {
        self.initiator.read_response(message).map(|reply| reply.peer != NO_SESSION)
    }
}

impl ProbeReplies {
    /// The reply to a probe about a session that this end has or lacks: the same each time. `None` if the sender of
    /// the probe has another key.
    pub(super) fn reply(
        &mut self,
        noise: &Noise,
        about: SessionId,
        probe: &[u8; MESSAGE_LEN],
        has_session: bool,
    ) -> Option<&[u8]> {
        let kept = self.latest.iter().position(|kept| kept.about == about && kept.probe == *probe);
        let index = match kept {
            Some(index) => index,
            None => {
                let responder = noise.read_probe(about, probe)?;
                let to = responder.peer;
                let message = responder.reply(if has_session { about } else { NO_SESSION })?;
                let reply = Datagram::ProbeReply { to, message: &message }.to_vec();
                self.keep(Replied { about, probe: *probe, reply })
            }
        };
        self.latest.get(index).map(|kept| kept.reply.as_slice())
    }

    /// The number of replies kept.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.latest.len()
    }

    /// Keeps a reply in place of the oldest, and returns its index.
    fn keep(&mut self, replied: Replied) -> usize {
        if self.latest.len() == MOST_REPLIES {
            self.latest.pop_front();
        }
        self.latest.push_back(replied);
        self.latest.len() - 1
    }
}

/// The id in a reply for an unknown session.
const NO_SESSION: SessionId = SessionId::new(0);
/// The most replies kept.
const MOST_REPLIES: usize = 64;
