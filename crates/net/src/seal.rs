//! Seals complete SCTP packets below SCTP: authenticated, encrypted, and protected against replay. It uses no socket
//! and no clock.
//!
//! Two ends with the same [`Key`] perform the handshake `Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s`
//! (<https://noiseprotocol.org>), one datagram in each direction:
//!
//! ```text
//! initiation   1 | 7 zeros                 | Noise message 1 (32 + 8 + 16): ciphers (1) and id (7) of the initiator
//! response     2 | id of the initiator     | Noise message 2 (32 + 8 + 16): cipher (1) and id (7) of the responder
//! packet       3 | id of the receiving end | number (8) | SCTP packet, encrypted | tag (16)
//! probe        4 | id of the receiving end | Noise message 1 (32 + 8 + 16): 0 (1) and id (7) of the sender
//! probe reply  5 | id of the probe's sender | Noise message 2 (32 + 8 + 16): 0 (1) and the probed id (7), or 0
//! ```
//!
//! The initiation offers ciphers, bit 0 for AES-256-GCM; the response names one of them, 0 for ChaCha20-Poly1305 and
//! 1 for AES-256-GCM. Both bytes are in the encrypted and authenticated payloads, and the second message
//! authenticates the first: without the key the choice cannot be changed. Programs from before this choice write zero
//! in both places and ignore them when reading, so that they agree on ChaCha20-Poly1305 with every later one. The
//! packet keys are those of Noise's `Split()`, and the nonces those that Noise defines for the cipher.
//!
//! An initiation without the key gets no response, and a response is no longer than its initiation. The high 16 bits
//! of a packet's number are the path, the low 48 count the packets of that path: under one key no number is used
//! twice, on any path. Duplicates and packets more than 2,048 behind are dropped. After 2^32 packets, 2^22 with
//! AES-256-GCM, the initiator begins a handshake for fresh keys inside the session.
//!
//! An end whose packets remain unanswered probes whether the peer still has their session: a restarted peer can
//! neither open the packets nor report that in the session. Only a holder of the key that receives the probe can
//! reply that it has none; such an attacker could have dropped the packets as well.
//!
//! The layer has no timers. An initiation is retransmitted with SCTP's INIT; one for fresh keys with later packets.
//!
//! # A server of several clients
//!
//! A [server of several clients](Clients) has a key for each, and one that all of them share, the door key. The
//! handshake is `Noise_NNpsk0+psk2_25519_ChaChaPoly_BLAKE2s` with the door key first and the client's own key last;
//! initiations and probes are longer by an identifier of the client, which is derived from its own key:
//!
//! ```text
//! initiation   1 | 7 zeros                 | Noise message 1 (32 + 16 + 16): ciphers (1), id (7), identifier (8)
//! probe        4 | id of the receiving end | Noise message 1 (32 + 16 + 16): 0 (1), id (7), identifier (8)
//! ```
//!
//! The other datagrams are as above. An end has keys of one kind and ignores messages of the other kind's length. An
//! observer without the door key cannot distinguish one client from another. The clients of a server can read each
//! other's identifiers if they see the packets, but can complete a handshake neither as another client nor as the
//! server: the response needs the client's own key, and so do the packets that open an association. A session belongs
//! to one client: handshakes for fresh keys and probes of another one have no effect on it.
//!
//! A removed client gets no response to an initiation or a probe, no association in a session that it still has, and
//! no fresh keys. The session lasts as long as the association, which the application ends, and until 256 others have
//! ended later.

mod cipher;
mod client_key;
mod clients;
mod datagram;
mod key;
mod keys;
mod noise;
mod primitives;
mod probe;
mod security;
mod session;
mod table;
mod window;

pub use cipher::{Cipher, Ciphers};
pub use client_key::ClientKey;
pub(crate) use clients::Client;
pub use clients::{Clients, ClientsError};
pub use datagram::{Datagram, PacketNumber, Route, SessionId};
pub use key::{Key, KeyError};
pub use keys::Limits;
pub use security::Security;
pub use table::{Opened, Sealed, Sealing, initiated};
pub use window::Window;

#[cfg(test)]
mod tests;
