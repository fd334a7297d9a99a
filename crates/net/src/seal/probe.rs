//! Probes: an end whose packets remain unanswered asks whether the peer still has the session, and only a holder of
//! the key can read the probe and reply.

use std::collections::VecDeque;
use std::sync::Arc;

use super::clients::Client;
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
    probe: Vec<u8>,
    reply: Vec<u8>,
    /// The client that sent the probe; `None` with a single key.
    client: Option<Arc<Client>>,
}

impl Probe {
    /// A probe about the session with the peer's id `about` and this end's id `local`, at a server to `client`. `None`
    /// if the operating system provides no random numbers.
    pub(super) fn new(
        noise: &Noise,
        about: SessionId,
        local: SessionId,
        client: Option<&Client>,
    ) -> Option<Probe> {
        let (initiator, message) = noise.probe(about, local, client)?;
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
    /// The reply to a probe about a session: the same each time. `has_session` returns true if this end has the
    /// session with that client. `None` if the sender of the probe has another key, or is a client that was removed.
    pub(super) fn reply(
        &mut self,
        noise: &Noise,
        about: SessionId,
        probe: &[u8],
        has_session: impl FnOnce(Option<&Arc<Client>>) -> bool,
    ) -> Option<&[u8]> {
        let kept = self.latest.iter().position(|kept| kept.about == about && kept.probe == *probe);
        let index = match kept {
            Some(index) => index,
            None => {
                let responder = noise.read_probe(about, probe)?;
                let (to, client) = (responder.peer, responder.client.clone());
                let known = if has_session(client.as_ref()) { about } else { NO_SESSION };
                let message = responder.reply(known)?;
                let reply = Datagram::ProbeReply { to, message: &message }.to_vec();
                self.keep(Replied { about, probe: probe.to_vec(), reply, client })
            }
        };
        let kept = self.latest.get(index)?;
        let is_removed = kept.client.as_ref().is_some_and(|client| client.is_removed());
        (!is_removed).then_some(kept.reply.as_slice())
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
