//! The handshake: two messages of Noise's pattern NN with the pre-shared key first, so that not even the first message
//! can be read without the key.

use std::fmt;

use snow::params::NoiseParams;
use snow::{Builder, HandshakeState, StatelessTransportState};
use zeroize::Zeroizing;

use super::datagram::SessionId;
use super::key::Key;

/// What both ends agree on beforehand.
pub struct Noise {
    parameters: NoiseParams,
    psk: Zeroizing<[u8; 32]>,
}

/// A question of ours that is not answered.
#[derive(Debug)]
pub struct Asking {
    state: HandshakeState,
}

/// A question of a peer with the key, to be answered.
#[derive(Debug)]
pub struct Asked {
    state: HandshakeState,
    /// What the peer wants to be called.
    pub peer: SessionId,
}

impl Noise {
    /// With this key.
    pub fn new(key: &Key) -> Noise {
        Noise { parameters: PROTOCOL.parse().expect("a name that Noise knows"), psk: key.for_noise() }
    }

    /// Begins a handshake, with the message to send. `None` if the operating system has no random numbers.
    pub fn ask(&self, local: SessionId) -> Option<(Asking, [u8; MESSAGE_LEN])> {
        self.begin(PROLOGUE, local)
    }

    /// The same for an inquiry about a session of the peer's: neither can be taken for the other, nor for one about
    /// another session.
    pub fn inquire(&self, about: SessionId, local: SessionId) -> Option<(Asking, [u8; MESSAGE_LEN])> {
        self.begin(&prologue_about(about), local)
    }

    fn begin(&self, prologue: &[u8], local: SessionId) -> Option<(Asking, [u8; MESSAGE_LEN])> {
        let mut state = self.builder(prologue)?.build_initiator().ok()?;
        let message = write(&mut state, local)?;
        Some((Asking { state }, message))
    }

    /// Reads a first message; `None` if its sender has another key. This is all the work that an attacker without the
    /// key can cause: a few hashes.
    pub fn hear(&self, message: &[u8; MESSAGE_LEN]) -> Option<Asked> {
        self.listen(PROLOGUE, message)
    }

    /// The same for an inquiry about a session of this end's.
    pub fn hear_inquiry(&self, about: SessionId, message: &[u8; MESSAGE_LEN]) -> Option<Asked> {
        self.listen(&prologue_about(about), message)
    }

    fn listen(&self, prologue: &[u8], message: &[u8; MESSAGE_LEN]) -> Option<Asked> {
        let mut state = self.builder(prologue)?.build_responder().ok()?;
        let peer = read(&mut state, message)?;
        Some(Asked { state, peer })
    }

    fn builder<'a>(&'a self, prologue: &'a [u8]) -> Option<Builder<'a>> {
        Builder::new(self.parameters.clone()).prologue(prologue).ok()?.psk(0, &self.psk).ok()
    }
}

impl Asking {
    /// Reads the answer; `None`, and nothing changes, if another end wrote it. Otherwise returns the peer's id.
    pub fn hear(&mut self, message: &[u8; MESSAGE_LEN]) -> Option<SessionId> {
        read(&mut self.state, message)
    }

    /// The cipher that was agreed on, once the answer has arrived.
    pub fn finish(self) -> Option<StatelessTransportState> {
        self.state.into_stateless_transport_mode().ok()
    }
}

impl Asked {
    /// The answer, and the cipher that it agrees on.
    pub fn answer(mut self, local: SessionId) -> Option<(StatelessTransportState, [u8; MESSAGE_LEN])> {
        let message = write(&mut self.state, local)?;
        Some((self.state.into_stateless_transport_mode().ok()?, message))
    }
}

impl fmt::Debug for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PROTOCOL)
    }
}

/// The prologue of an inquiry, which has the session in it.
fn prologue_about(about: SessionId) -> Vec<u8> {
    [INQUIRY_PROLOGUE, &about.bits().to_be_bytes()].concat()
}

fn write(state: &mut HandshakeState, local: SessionId) -> Option<[u8; MESSAGE_LEN]> {
    let mut message = [0; MESSAGE_LEN];
    let len = state.write_message(&local.bits().to_be_bytes(), &mut message).ok()?;
    (len == MESSAGE_LEN).then_some(message)
}

fn read(state: &mut HandshakeState, message: &[u8; MESSAGE_LEN]) -> Option<SessionId> {
    // Some ciphers write the tag behind the payload for a moment.
    let mut payload = [0; MESSAGE_LEN];
    let len = state.read_message(message, &mut payload).ok()?;
    let (bits, _) = payload[..len].split_first_chunk::<8>()?;
    Some(SessionId::new(u64::from_be_bytes(*bits)))
}

/// A public key, a session id, a tag.
pub const MESSAGE_LEN: usize = 32 + 8 + 16;
const PROTOCOL: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
/// Both ends must use this version of the layer; other versions cannot read its messages.
const PROLOGUE: &[u8] = b"anabranch sealed SCTP 1";
const INQUIRY_PROLOGUE: &[u8] = b"anabranch sealed SCTP 1 inquiry";

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(byte: u8) -> Noise {
        Noise::new(&Key::from_bytes([byte; 16]))
    }

    #[test]
    fn both_ends_come_to_one_cipher() {
        let (mut asking, question) = noise(1).ask(SessionId::new(11)).expect("random numbers");
        let asked = noise(1).hear(&question).expect("the same key");
        assert_eq!(asked.peer, SessionId::new(11));
        let (far, answer) = asked.answer(SessionId::new(22)).expect("random numbers");
        assert_eq!(asking.hear(&answer), Some(SessionId::new(22)));
        let near = asking.finish().expect("answered");
        let (mut sealed, mut opened) = ([0; 64], [0; 64]);
        let len = near.write_message(5, b"hello", &mut sealed).expect("room");
        assert_eq!(far.read_message(5, &sealed[..len], &mut opened).ok(), Some(5));
        assert_eq!(&opened[..5], b"hello");
    }

    #[test]
    fn who_has_another_key_is_not_heard() {
        let (_, question) = noise(1).ask(SessionId::new(11)).expect("random numbers");
        assert!(noise(2).hear(&question).is_none());
    }

    #[test]
    fn no_bit_of_a_message_may_change() {
        let (mut asking, question) = noise(1).ask(SessionId::new(11)).expect("random numbers");
        let flipped = |message: [u8; MESSAGE_LEN], bit: usize| {
            let mut message = message;
            message[bit / 8] ^= 1 << (bit % 8);
            message
        };
        for bit in 0..MESSAGE_LEN * 8 {
            assert!(noise(1).hear(&flipped(question, bit)).is_none(), "bit {bit}");
        }
        let (_, answer) =
            noise(1).hear(&question).expect("unchanged").answer(SessionId::new(22)).expect("random numbers");
        // Bit 255 is none of the public key's (RFC 7748 §5), but the hash has it.
        for bit in 0..MESSAGE_LEN * 8 {
            assert_eq!(asking.hear(&flipped(answer, bit)), None, "bit {bit}");
        }
        assert_eq!(asking.hear(&answer), Some(SessionId::new(22)), "forgeries before it changed nothing");
    }
}
