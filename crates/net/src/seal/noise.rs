//! The handshake: two messages of Noise's pattern NN with the pre-shared key first, so that even the first message
//! cannot be read without the key. The payloads negotiate the cipher of the packets. With a server of several clients
//! the first key is that of all of them, the first payload names the client, and the second message needs the client's
//! own key.

use std::fmt;
use std::sync::Arc;

use snow::params::NoiseParams;
use snow::{Builder, HandshakeState};
use zeroize::Zeroizing;

use super::cipher::{Cipher, Ciphers, PacketKeys};
use super::client_key::ClientKey;
use super::clients::{Client, ClientId, Clients};
use super::datagram::{CLIENT_MESSAGE_LEN, MESSAGE_LEN, SessionId};
use super::key::{Key, Psk, Purpose};
use super::primitives::Primitives;

/// The parameters shared by both ends, and the keys and ciphers of this end.
pub(super) struct Noise {
    parameters: NoiseParams,
    secrets: Secrets,
    ciphers: Ciphers,
}

/// The long-term keys of an end.
enum Secrets {
    /// The key of both ends.
    Single(Psk),
    /// The keys of a client.
    Client {
        /// The key of all clients of the server.
        door: Psk,
        /// The key of this client.
        own: Psk,
        /// The identifier of this client.
        id: ClientId,
    },
    /// The keys of a server's clients.
    Clients(Clients),
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
    /// The client that the peer claims to be: only its key opens the response. `None` with a single key.
    pub client: Option<Arc<Client>>,
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
    /// The parameters of ends with one key, and packets sealed by one of `ciphers`.
    pub(super) fn new(key: &Key, ciphers: Ciphers) -> Noise {
        Noise::with(PROTOCOL, Secrets::Single(key.for_noise(Purpose::Single)), ciphers)
    }

    /// The parameters of a client of a server that has a key for each.
    pub(super) fn of_client(key: &ClientKey, ciphers: Ciphers) -> Noise {
        let (door, own) = (key.door().for_noise(Purpose::Door), key.own().for_noise(Purpose::Own));
        Noise::with(CLIENT_PROTOCOL, Secrets::Client { door, own, id: ClientId::of(key.own()) }, ciphers)
    }

    /// The parameters of a server that has a key for each client.
    pub(super) fn of_clients(clients: Clients, ciphers: Ciphers) -> Noise {
        Noise::with(CLIENT_PROTOCOL, Secrets::Clients(clients), ciphers)
    }

    fn with(protocol: &str, secrets: Secrets, ciphers: Ciphers) -> Noise {
        Noise { parameters: protocol.parse().expect("a protocol name that snow supports"), secrets, ciphers }
    }

    /// Begins a handshake, and returns the message to send. `None` if the operating system provides no random
    /// numbers, or at a server of several clients, which cannot know whom to address.
    pub(super) fn initiate(&self, local: SessionId) -> Option<(Initiator, Vec<u8>)> {
        self.begin(PROLOGUE, local, self.ciphers, None)
    }

    /// Begins a probe whether the peer still has the session `about`, at a server the peer `client`. The message of a
    /// probe is valid neither as an initiation nor for another session.
    pub(super) fn probe(
        &self,
        about: SessionId,
        local: SessionId,
        client: Option<&Client>,
    ) -> Option<(Initiator, Vec<u8>)> {
        self.begin(&prologue_about(about), local, Ciphers::CHACHA20_ALONE, client)
    }

    fn begin(
        &self,
        prologue: &[u8],
        local: SessionId,
        offered: Ciphers,
        client: Option<&Client>,
    ) -> Option<(Initiator, Vec<u8>)> {
        let payload = Payload { ciphers: offered.bits(), id: local };
        let (door, own, id) = match (&self.secrets, client) {
            (Secrets::Single(key), _) => {
                let mut state = self.builder(prologue, key)?.build_initiator().ok()?;
                let message = write(&mut state, payload)?.to_vec();
                return Some((Initiator { state, offered }, message));
            }
            (Secrets::Client { door, own, id }, _) => (door, own, *id),
            (Secrets::Clients(clients), Some(client)) => (clients.door(), client.psk(), client.id()),
            (Secrets::Clients(_), None) => return None,
        };
        let builder = self.builder(prologue, door)?.psk(OWN, own).ok()?;
        let mut state = builder.build_initiator().ok()?;
        let mut message = vec![0; CLIENT_MESSAGE_LEN];
        let payload = [payload.to_bytes(), id.bytes()].concat();
        let len = state.write_message(&payload, &mut message).ok()?;
        (len == CLIENT_MESSAGE_LEN).then_some((Initiator { state, offered }, message))
    }

    /// Reads an initiation; `None` if its sender has another key, and at a client, which only initiates. An attacker
    /// without the key causes no more work than this: a few hashes.
    pub(crate) fn read_initiation(&self, message: &[u8]) -> Option<Responder> {
        match self.secrets {
            Secrets::Client { .. } => None,
            Secrets::Single(_) | Secrets::Clients(_) => self.read_first(PROLOGUE, message),
        }
    }

    /// Reads a probe about the session `about` of this end.
    pub(crate) fn read_probe(&self, about: SessionId, message: &[u8]) -> Option<Responder> {
        self.read_first(&prologue_about(about), message)
    }

    fn read_first(&self, prologue: &[u8], message: &[u8]) -> Option<Responder> {
        let (key, expected) = match &self.secrets {
            Secrets::Single(key) => (key, MESSAGE_LEN),
            Secrets::Client { door, .. } => (door, CLIENT_MESSAGE_LEN),
            Secrets::Clients(clients) => (clients.door(), CLIENT_MESSAGE_LEN),
        };
        // A message of the other length is not for an end with such keys: no hash is needed.
        if message.len() != expected {
            return None;
        }
        let mut state = self.builder(prologue, key)?.build_responder().ok()?;
        // Some ciphers temporarily write the tag after the payload.
        let mut bytes = [0; CLIENT_MESSAGE_LEN];
        let len = state.read_message(message, &mut bytes).ok()?;
        let (payload, rest) = bytes[..len].split_first_chunk::<8>()?;
        let payload = Payload::from_bytes(*payload);
        let client = self.named(&mut state, rest)?;
        Some(Responder { state, offered: Ciphers::from_bits(payload.ciphers), peer: payload.id, client })
    }

    /// Gives the handshake the own key of the client with the identifier `id`, and returns the client at a server.
    /// `None` for an unknown identifier, or at a client for another one than its own.
    fn named(&self, state: &mut HandshakeState, id: &[u8]) -> Option<Option<Arc<Client>>> {
        let id = || id.try_into().ok().map(ClientId::from_bytes);
        match &self.secrets {
            Secrets::Single(_) => Some(None),
            Secrets::Client { own, id: ours, .. } => {
                id().filter(|id| id == ours)?;
                state.set_psk(usize::from(OWN), own.as_ref()).ok()?;
                Some(None)
            }
            Secrets::Clients(clients) => {
                let client = clients.find(id()?)?;
                state.set_psk(usize::from(OWN), client.psk().as_ref()).ok()?;
                Some(Some(client))
            }
        }
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

    fn builder<'a>(&'a self, prologue: &'a [u8], first: &'a Psk) -> Option<Builder<'a>> {
        let builder = Builder::with_resolver(self.parameters.clone(), Box::new(Primitives));
        builder.prologue(prologue).ok()?.psk(0, first).ok()
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
        f.write_str(match self.secrets {
            Secrets::Single(_) => PROTOCOL,
            Secrets::Client { .. } | Secrets::Clients(_) => CLIENT_PROTOCOL,
        })
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
/// The handshake of a client and its server. Noise hashes the name first, so that no message of one handshake is valid
/// in the other.
const CLIENT_PROTOCOL: &str = "Noise_NNpsk0+psk2_25519_ChaChaPoly_BLAKE2s";
/// The place of a client's own key in its handshake; the key of all clients has place 0.
const OWN: u8 = 2;
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

    fn flipped<T: Clone + AsMut<[u8]>>(message: &T, bit: usize) -> T {
        let mut message = message.clone();
        message.as_mut()[bit / 8] ^= 1 << (bit % 8);
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
            assert!(far.read_initiation(&flipped(&initiation, bit)).is_none(), "bit {bit}");
        }
        let responder = far.read_initiation(&initiation).expect("unchanged");
        let (_, response) = far.respond(responder, RESPONDER).expect("random numbers");
        // Bit 255 is not part of the public key (RFC 7748 §5), but the hash contains it.
        for bit in 0..MESSAGE_LEN * 8 {
            assert_eq!(initiator.read_response(&flipped(&response, bit)), None, "bit {bit}");
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

    /// The handshake of a server and its clients.
    mod with_clients {
        use super::*;

        const DOOR: u8 = 0xd0;

        fn key(byte: u8) -> Key {
            Key::from_bytes([byte; Key::LEN])
        }

        fn client(door: u8, own: u8) -> Noise {
            Noise::of_client(&ClientKey::new(key(door), key(own)), Ciphers::ALL)
        }

        /// A server of clients with these keys, named by them.
        fn server(owns: &[u8]) -> (Noise, Clients) {
            let clients = Clients::new(key(DOOR));
            clients.replace(owns.iter().map(|&own| (own.to_string(), key(own)))).expect("different keys");
            (Noise::of_clients(clients.clone(), Ciphers::ALL), clients)
        }

        fn initiation(near: &Noise) -> (Initiator, Vec<u8>) {
            let begun = near.initiate(INITIATOR).expect("random numbers");
            assert_eq!(begun.1.len(), CLIENT_MESSAGE_LEN);
            begun
        }

        #[test]
        fn each_client_derives_the_keys_of_its_own_session_and_is_named() {
            let (far, _) = server(&[1, 2]);
            for own in [1, 2] {
                let near = client(DOOR, own);
                let (mut initiator, message) = initiation(&near);
                let responder = far.read_initiation(&message).expect("a known client");
                let named = responder.client.as_ref().map(|client| client.name().to_string());
                assert_eq!((named, responder.peer), (Some(own.to_string()), INITIATOR));
                let (far_keys, response) = far.respond(responder, RESPONDER).expect("random numbers");
                let agreement = initiator.read_response(&response).expect("the same keys");
                let near_keys = initiator.finish(agreement.cipher).expect("a response was read");
                let (number, mut sealed) = (PacketNumber::new(Route::CONTROL, 5), Vec::new());
                near_keys.seal(number, b"hello", &mut sealed).expect("short");
                assert_eq!(far_keys.open(number, &mut sealed).expect("the same keys"), b"hello");
            }
        }

        /// Another program's client, from the description of the messages alone.
        #[test]
        fn the_messages_are_as_described() {
            let psk = |byte: u8, label: &[u8; 16]| -> [u8; 32] {
                std::array::from_fn(|index| if index < 16 { byte } else { label[index - 16] })
            };
            let (door, own) = (psk(DOOR, b"anabranch door 1"), psk(1, b"anabranch self 1"));
            let parameters = "Noise_NNpsk0+psk2_25519_ChaChaPoly_BLAKE2s".parse().expect("a protocol name");
            let builder = Builder::new(parameters)
                .prologue(b"anabranch sealed SCTP 1")
                .and_then(|builder| builder.psk(0, &door)?.psk(2, &own));
            let mut other = builder.expect("once").build_initiator().expect("complete");
            // No ciphers, the id 11, and the identifier of the client with the key 01…01.
            let payload = [0, 0, 0, 0, 0, 0, 0, 11, 0x48, 0x5f, 0x52, 0xc7, 0x95, 0x75, 0x94, 0x02];
            let mut message = [0; 64];
            assert_eq!(other.write_message(&payload, &mut message), Ok(64));
            let (far, _) = server(&[1]);
            let responder = far.read_initiation(&message).expect("a known client");
            assert_eq!(responder.peer, SessionId::new(11));
            let (_, response) = far.respond(responder, RESPONDER).expect("random numbers");
            let mut payload = [0; 56];
            assert_eq!(other.read_message(&response, &mut payload), Ok(8));
            assert_eq!(payload[..8], [0, 0, 0, 0, 0, 0, 0, 22]);
        }

        #[test]
        fn an_unknown_client_one_with_another_door_key_and_one_with_a_single_key_are_ignored() {
            let (far, clients) = server(&[1]);
            assert!(far.read_initiation(&initiation(&client(DOOR, 2)).1).is_none(), "unknown");
            assert!(far.read_initiation(&initiation(&client(DOOR + 1, 1)).1).is_none(), "another door");
            let (_, single) = noise(DOOR, Ciphers::ALL).initiate(INITIATOR).expect("random numbers");
            assert!(far.read_initiation(&single).is_none(), "a single key");
            assert!(noise(DOOR, Ciphers::ALL).read_initiation(&initiation(&client(DOOR, 1)).1).is_none());
            let before = initiation(&client(DOOR, 1)).1;
            clients.replace([]).expect("nobody");
            assert!(far.read_initiation(&before).is_none(), "removed");
        }

        /// A client knows the door key, and thus reads and writes the first messages of others.
        #[test]
        fn a_client_that_poses_as_another_cannot_read_the_response() {
            let (far, _) = server(&[1, 2]);
            // It writes an initiation with the identifier of client 1 and its own key.
            let impostor = Noise::with(
                CLIENT_PROTOCOL,
                Secrets::Client {
                    door: key(DOOR).for_noise(Purpose::Door),
                    own: key(2).for_noise(Purpose::Own),
                    id: ClientId::of(&key(1)),
                },
                Ciphers::ALL,
            );
            let (mut initiator, message) = initiation(&impostor);
            let responder = far.read_initiation(&message).expect("a known client");
            assert_eq!(&**responder.client.as_ref().expect("named").name(), "1");
            let (_, response) = far.respond(responder, RESPONDER).expect("random numbers");
            assert_eq!(initiator.read_response(&response), None);
        }

        #[test]
        fn a_client_that_poses_as_the_server_is_not_believed() {
            let (mut initiator, message) = initiation(&client(DOOR, 1));
            // Client 2 knows the door key and the identifier of client 1, and not its key.
            let (impostor, door) = (client(DOOR, 2), key(DOOR).for_noise(Purpose::Door));
            let builder =
                impostor.builder(PROLOGUE, &door).and_then(|builder| builder.psk(OWN, &[2; 32]).ok());
            let mut state = builder.expect("once").build_responder().expect("complete");
            state.read_message(&message, &mut [0; CLIENT_MESSAGE_LEN]).expect("the door key");
            let response = write(&mut state, Payload { ciphers: 0, id: RESPONDER }).expect("random numbers");
            assert_eq!(initiator.read_response(&response), None);
        }

        #[test]
        fn a_message_with_any_bit_changed_is_ignored() {
            let (far, _) = server(&[1]);
            let (mut initiator, message) = initiation(&client(DOOR, 1));
            for bit in 0..message.len() * 8 {
                assert!(far.read_initiation(&flipped(&message, bit)).is_none(), "bit {bit}");
            }
            let responder = far.read_initiation(&message).expect("unchanged");
            let (_, response) = far.respond(responder, RESPONDER).expect("random numbers");
            for bit in 0..MESSAGE_LEN * 8 {
                assert_eq!(initiator.read_response(&flipped(&response, bit)), None, "bit {bit}");
            }
            assert!(initiator.read_response(&response).is_some());
        }

        #[test]
        fn a_client_answers_probes_of_its_server_and_no_initiation() {
            let (far, clients) = server(&[1, 2]);
            let one = clients.find(ClientId::of(&key(1))).expect("in the table");
            let (mut initiator, probe) = far.probe(RESPONDER, INITIATOR, Some(&one)).expect("random numbers");
            let near = client(DOOR, 1);
            assert!(client(DOOR, 2).read_probe(RESPONDER, &probe).is_none(), "for another client");
            let reply =
                near.read_probe(RESPONDER, &probe).expect("its own").reply(RESPONDER).expect("written");
            assert_eq!(initiator.read_response(&reply).map(|reply| reply.peer), Some(RESPONDER));
            assert!(
                near.read_initiation(&initiation(&client(DOOR, 1)).1).is_none(),
                "a client does not accept"
            );
            assert!(far.initiate(INITIATOR).is_none(), "a server does not initiate");
        }

        /// An observer without the door key: whatever a client sends first differs each time, in all its bytes.
        #[test]
        fn the_first_messages_of_a_client_have_no_byte_in_common_that_lasts() {
            let near = client(DOOR, 1);
            let messages: Vec<Vec<u8>> = (0..64).map(|_| initiation(&near).1).collect();
            for position in 0..CLIENT_MESSAGE_LEN {
                let first = messages[0][position];
                assert!(messages.iter().any(|message| message[position] != first), "byte {position}");
            }
        }
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
            let psk = Key::from_bytes([1; 16]).for_noise(Purpose::Single);
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
            let psk = Key::from_bytes([1; 16]).for_noise(Purpose::Single);
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
