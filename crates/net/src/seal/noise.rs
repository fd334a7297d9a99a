//! The handshake: two messages of Noise's pattern NN with the pre-shared key first, so that even the first message
//! cannot be read without the key. The payloads negotiate the cipher of the packets.

use std::fmt;

use snow::params::NoiseParams;
use snow::{Builder, HandshakeState};
use zeroize::Zeroizing;

use super::cipher::{Cipher, Ciphers, PacketKeys};
use super::datagram::{MESSAGE_LEN, SessionId};
use super::key::Key;

/// The parameters shared by both ends, and the ciphers of this end.
pub(super) struct Noise {
    parameters: NoiseParams,
    psk: Zeroizing<[u8; 32]>,
    ciphers: Ciphers,
}

/// A handshake begun by this end, without a response yet.
#[derive(Debug)]
pub(super) struct Initiator {
    state: HandshakeState,
    offered: Ciphers,
}

/// A handshake begun by a peer with the key.
#[derive(Debug)]
pub(super) struct Responder {
    state: HandshakeState,
    offered: Ciphers,
    /// The peer's id of the session.
    pub peer: SessionId,
}

/// The result of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Agreement {
    /// The peer's id of the session.
    pub peer: SessionId,
    /// The cipher of the packets, one of those offered.
    pub cipher: Cipher,
}

/// The payload of a message: 8 bits about ciphers and the 56 bits of an id. Programs from before the choice of
/// ciphers write zeros for the former, and ignore them when reading.
#[derive(Clone, Copy)]
struct Payload {
    ciphers: u8,
    id: SessionId,
}

impl Noise {
    /// The parameters for this key and packets sealed by one of `ciphers`.
    pub(super) fn new(key: &Key, ciphers: Ciphers) -> Noise {
        let parameters = PROTOCOL.parse().expect("a protocol name that snow supports");
        Noise { parameters, psk: key.for_noise(), ciphers }
    }

    /// Begins a handshake, and returns the message to send. `None` if the operating system provides no random
    /// numbers.
    pub(super) fn initiate(&self, local: SessionId) -> Option<(Initiator, [u8; MESSAGE_LEN])> {
        self.begin(PROLOGUE, local, self.ciphers)
    }

    /// Begins a probe whether the peer still has the session `about`. The message of a probe is valid neither as an
    /// initiation nor for another session.
    pub(super) fn probe(&self, about: SessionId, local: SessionId) -> Option<(Initiator, [u8; MESSAGE_LEN])> {
        self.begin(&prologue_about(about), local, Ciphers::CHACHA20_ALONE)
    }

    fn begin(
        &self,
        prologue: &[u8],
        local: SessionId,
        offered: Ciphers,
    ) -> Option<(Initiator, [u8; MESSAGE_LEN])> {
        let mut state = self.builder(prologue)?.build_initiator().ok()?;
        let message = write(&mut state, Payload { ciphers: offered.bits(), id: local })?;
        Some((Initiator { state, offered }, message))
    }

    /// Reads an initiation; `None` if its sender has another key. An attacker without the key causes no more work
    /// than this: a few hashes.
    pub(crate) fn read_initiation(&self, message: &[u8; MESSAGE_LEN]) -> Option<Responder> {
        self.read_first(PROLOGUE, message)
    }

    /// Reads a probe about the session `about` of this end.
    pub(crate) fn read_probe(&self, about: SessionId, message: &[u8; MESSAGE_LEN]) -> Option<Responder> {
        self.read_first(&prologue_about(about), message)
    }

    fn read_first(&self, prologue: &[u8], message: &[u8; MESSAGE_LEN]) -> Option<Responder> {
        let mut state = self.builder(prologue)?.build_responder().ok()?;
        let payload = read(&mut state, message)?;
        Some(Responder { state, offered: Ciphers::from_bits(payload.ciphers), peer: payload.id })
    }

    /// Responds to an initiation. Returns the keys of the session and the message to send.
    pub(super) fn respond(
        &self,
        responder: Responder,
        local: SessionId,
    ) -> Option<(PacketKeys, [u8; MESSAGE_LEN])> {
        let Responder { mut state, offered, .. } = responder;
        let cipher = self.ciphers.choose(offered);
        let message = write(&mut state, Payload { ciphers: cipher.code(), id: local })?;
        let [initiator, responder] = split(state);
        Some((PacketKeys::new(cipher, &responder, &initiator)?, message))
    }

    fn builder<'a>(&'a self, prologue: &'a [u8]) -> Option<Builder<'a>> {
        Builder::new(self.parameters.clone()).prologue(prologue).ok()?.psk(0, &self.psk).ok()
    }
}

impl Initiator {
    /// Reads the response. `None`, without a change of state, if another end wrote it, or if it or the initiation was
    /// altered on the path; `None` as well if the peer chose a cipher that was not offered.
    pub(crate) fn read_response(&mut self, message: &[u8; MESSAGE_LEN]) -> Option<Agreement> {
        let payload = read(&mut self.state, message)?;
        let cipher = Cipher::from_code(payload.ciphers).filter(|&cipher| self.offered.contains(cipher))?;
        Some(Agreement { peer: payload.id, cipher })
    }

    /// The keys of the session, once the response has been read.
    pub(super) fn finish(self, cipher: Cipher) -> Option<PacketKeys> {
        if !self.state.is_handshake_finished() {
            return None;
        }
        let [initiator, responder] = split(self.state);
        PacketKeys::new(cipher, &initiator, &responder)
    }
}

impl Responder {
    /// The reply to a probe: `known` is the id of the session, or zero.
    pub(super) fn reply(mut self, known: SessionId) -> Option<[u8; MESSAGE_LEN]> {
        write(&mut self.state, Payload { ciphers: Cipher::ChaCha20Poly1305.code(), id: known })
    }
}

impl Payload {
    const ID_BYTES: u32 = 56;

    fn to_bytes(self) -> [u8; 8] {
        (u64::from(self.ciphers) << Payload::ID_BYTES | self.id.bits()).to_be_bytes()
    }

    fn from_bytes(bytes: [u8; 8]) -> Payload {
        Payload { ciphers: bytes[0], id: SessionId::new(u64::from_be_bytes(bytes)) }
    }
}

impl fmt::Debug for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PROTOCOL)
    }
}

/// The prologue of a probe, with the id of the session.
fn prologue_about(about: SessionId) -> Vec<u8> {
    [PROBE_PROLOGUE, &about.bits().to_be_bytes()].concat()
}

/// The keys of packets from the initiator and from the responder (Noise §5.2, `Split`).
fn split(mut state: HandshakeState) -> [Zeroizing<[u8; 32]>; 2] {
    let (initiator, responder) = state.dangerously_get_raw_split();
    [Zeroizing::new(initiator), Zeroizing::new(responder)]
}

fn write(state: &mut HandshakeState, payload: Payload) -> Option<[u8; MESSAGE_LEN]> {
    let mut message = [0; MESSAGE_LEN];
    let len = state.write_message(&payload.to_bytes(), &mut message).ok()?;
    (len == MESSAGE_LEN).then_some(message)
}

fn read(state: &mut HandshakeState, message: &[u8; MESSAGE_LEN]) -> Option<Payload> {
    // Some ciphers temporarily write the tag after the payload.
    let mut payload = [0; MESSAGE_LEN];
    let len = state.read_message(message, &mut payload).ok()?;
    payload[..len].split_first_chunk::<8>().map(|(bytes, _)| Payload::from_bytes(*bytes))
}

const PROTOCOL: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
/// The version of the layer, which must be equal at both ends: other versions cannot read its messages.
const PROLOGUE: &[u8] = b"anabranch sealed SCTP 1";
const PROBE_PROLOGUE: &[u8] = b"anabranch sealed SCTP 1 inquiry";

#[cfg(test)]
mod tests {
    use super::super::datagram::PacketNumber;
    use super::super::datagram::Route;
    use super::*;

    const INITIATOR: SessionId = SessionId::new(11);
    const RESPONDER: SessionId = SessionId::new(22);

    fn noise(byte: u8, ciphers: Ciphers) -> Noise {
        Noise::new(&Key::from_bytes([byte; 16]), ciphers)
    }

    fn flipped(message: [u8; MESSAGE_LEN], bit: usize) -> [u8; MESSAGE_LEN] {
        let mut message = message;
        message[bit / 8] ^= 1 << (bit % 8);
        message
    }

    /// Both ends' keys after an undisturbed handshake.
    fn agree(near: &Noise, far: &Noise) -> (PacketKeys, PacketKeys) {
        let (mut initiator, initiation) = near.initiate(INITIATOR).expect("random numbers");
        let responder = far.read_initiation(&initiation).expect("the same key");
        assert_eq!(responder.peer, INITIATOR);
        let (far, response) = far.respond(responder, RESPONDER).expect("random numbers");
        let agreement = initiator.read_response(&response).expect("the same key");
        assert_eq!(agreement, Agreement { peer: RESPONDER, cipher: far.cipher() });
        (initiator.finish(agreement.cipher).expect("a response was read"), far)
    }

    #[test]
    fn both_ends_derive_the_same_keys_for_the_best_cipher_of_both() {
        let (old, new) = (Ciphers::CHACHA20_ALONE, Ciphers::ALL);
        for (near, far, cipher) in [
            (old, old, Cipher::ChaCha20Poly1305),
            (old, new, Cipher::ChaCha20Poly1305),
            (new, old, Cipher::ChaCha20Poly1305),
            (new, new, Cipher::Aes256Gcm),
        ] {
            let (near, far) = agree(&noise(1, near), &noise(1, far));
            assert_eq!((near.cipher(), far.cipher()), (cipher, cipher));
            let number = PacketNumber::new(Route::CONTROL, 5);
            for (from, to) in [(&near, &far), (&far, &near)] {
                let mut sealed = Vec::new();
                from.seal(number, b"hello", &mut sealed).expect("short");
                assert_eq!(to.open(number, &mut sealed).expect("the same keys"), b"hello");
            }
        }
    }

    #[test]
    fn an_initiation_with_another_key_is_ignored() {
        let (_, initiation) = noise(1, Ciphers::ALL).initiate(INITIATOR).expect("random numbers");
        assert!(noise(2, Ciphers::ALL).read_initiation(&initiation).is_none());
    }

    /// The offer and the choice of the cipher are authenticated: an attacker without the key cannot make two ends
    /// that both have AES use the other cipher, nor a cipher that one of them lacks.
    #[test]
    fn a_message_with_any_bit_changed_is_ignored() {
        let (near, far) = (noise(1, Ciphers::ALL), noise(1, Ciphers::ALL));
        let (mut initiator, initiation) = near.initiate(INITIATOR).expect("random numbers");
        for bit in 0..MESSAGE_LEN * 8 {
            assert!(far.read_initiation(&flipped(initiation, bit)).is_none(), "bit {bit}");
        }
        let responder = far.read_initiation(&initiation).expect("unchanged");
        let (_, response) = far.respond(responder, RESPONDER).expect("random numbers");
        // Bit 255 is not part of the public key (RFC 7748 §5), but the hash contains it.
        for bit in 0..MESSAGE_LEN * 8 {
            assert_eq!(initiator.read_response(&flipped(response, bit)), None, "bit {bit}");
        }
        let agreement = Agreement { peer: RESPONDER, cipher: Cipher::Aes256Gcm };
        assert_eq!(
            initiator.read_response(&response),
            Some(agreement),
            "forgeries before it changed nothing"
        );
    }

    /// An attacker replaces an initiation by a recorded one of the same end without AES: the response belongs to
    /// another handshake.
    #[test]
    fn a_response_to_an_older_offer_is_ignored() {
        let far = noise(1, Ciphers::ALL);
        let (_, older) = noise(1, Ciphers::CHACHA20_ALONE).initiate(INITIATOR).expect("random numbers");
        let (mut initiator, _) = noise(1, Ciphers::ALL).initiate(INITIATOR).expect("random numbers");
        let responder = far.read_initiation(&older).expect("the same key");
        let (_, response) = far.respond(responder, RESPONDER).expect("random numbers");
        assert_eq!(initiator.read_response(&response), None);
    }

    #[test]
    fn a_cipher_that_was_not_offered_is_refused() {
        let (mut initiator, initiation) =
            noise(1, Ciphers::CHACHA20_ALONE).initiate(INITIATOR).expect("random numbers");
        let mut responder = noise(1, Ciphers::ALL).read_initiation(&initiation).expect("the same key");
        // A peer that holds the key and breaks the protocol.
        responder.offered = Ciphers::ALL;
        let (_, response) = noise(1, Ciphers::ALL).respond(responder, RESPONDER).expect("random numbers");
        assert_eq!(initiator.read_response(&response), None);
    }

    /// The handshake and the packets of a program from before the choice of ciphers: the payload is an id alone.
    mod before_the_choice_of_ciphers {
        use snow::StatelessTransportState;

        use super::*;

        fn builder(psk: &Zeroizing<[u8; 32]>) -> Builder<'_> {
            let parameters = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s".parse().expect("a protocol name");
            Builder::new(parameters)
                .prologue(b"anabranch sealed SCTP 1")
                .expect("once")
                .psk(0, psk)
                .expect("once")
        }

        fn write(state: &mut HandshakeState, id: u64) -> [u8; MESSAGE_LEN] {
            let mut message = [0; MESSAGE_LEN];
            state.write_message(&id.to_be_bytes(), &mut message).expect("room");
            message
        }

        fn read(state: &mut HandshakeState, message: &[u8]) -> u64 {
            let mut payload = [0; MESSAGE_LEN];
            state.read_message(message, &mut payload).expect("the same key");
            u64::from_be_bytes(*payload.first_chunk().expect("eight bytes")) & 0x00ff_ffff_ffff_ffff
        }

        fn exchange(old: &StatelessTransportState, new: &PacketKeys) {
            let number = PacketNumber::new(Route::CONTROL, 9);
            let mut sealed = [0; 64];
            let len = old.write_message(number.nonce(), b"from the old end", &mut sealed).expect("room");
            assert_eq!(new.open(number, &mut sealed[..len]).expect("the same keys"), b"from the old end");
            let (mut sealed, mut opened) = (Vec::new(), [0; 64]);
            new.seal(number, b"from the new end", &mut sealed).expect("short");
            let len = old.read_message(number.nonce(), &sealed, &mut opened).expect("the same keys");
            assert_eq!(&opened[..len], b"from the new end");
        }

        #[test]
        fn an_old_program_opens_a_session_with_this_one() {
            let psk = Key::from_bytes([1; 16]).for_noise();
            let mut old = builder(&psk).build_initiator().expect("complete");
            let initiation = write(&mut old, 11);
            let new = noise(1, Ciphers::ALL);
            let responder = new.read_initiation(&initiation).expect("the same key");
            let (new, response) = new.respond(responder, RESPONDER).expect("random numbers");
            assert_eq!(read(&mut old, &response), 22);
            exchange(&old.into_stateless_transport_mode().expect("finished"), &new);
        }

        #[test]
        fn an_old_program_accepts_a_session_of_this_one() {
            let psk = Key::from_bytes([1; 16]).for_noise();
            let mut old = builder(&psk).build_responder().expect("complete");
            let (mut new, initiation) = noise(1, Ciphers::ALL).initiate(INITIATOR).expect("random numbers");
            assert_eq!(read(&mut old, &initiation), 11);
            let response = write(&mut old, 22);
            let agreement = Agreement { peer: RESPONDER, cipher: Cipher::ChaCha20Poly1305 };
            assert_eq!(new.read_response(&response), Some(agreement));
            let new = new.finish(agreement.cipher).expect("a response was read");
            exchange(&old.into_stateless_transport_mode().expect("finished"), &new);
        }
    }
}
