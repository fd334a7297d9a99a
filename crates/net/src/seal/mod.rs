//! Seals whole SCTP packets below SCTP: authenticated, encrypted, and each opened once. No socket and no clock belongs
//! here.
//!
//! Two ends that hold the same [`Key`] shake hands by `Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s`
//! (<https://noiseprotocol.org>), one datagram each way:
//!
//! ```text
//! question   1 | 7 zeros                 | Noise message 1 (32 + 8 + 16): which id the asking end wants
//! answer     2 | id of the asking end    | Noise message 2 (32 + 8 + 16): which id the answering end wants
//! packet     3 | id of the receiving end | number (8) | SCTP packet, encrypted | tag (16)
//! inquiry    4 | id of the receiving end | Noise message 1 (32 + 8 + 16): id of the asking end
//! verdict    5 | id of the asking end    | Noise message 2 (32 + 8 + 16): id of the answering end, or 0
//! ```
//!
//! A question without the key has no answer, and an answer is no longer than its question. The high 16 bits of a
//! packet's number are the path, the low 48 count the packets of that path: under one key no number comes twice, on
//! whatever path. What arrives a second time, or more than 2,048 behind, is dropped. After 2^32 packets the asking end
//! asks for fresh keys, inside the session.
//!
//! An end whose packets go unanswered inquires whether the peer still has their session: one that was started anew
//! cannot open them, nor say so in the session. That it has none can only be said by a holder of the key that receives
//! the inquiry, so only by an attacker that could have dropped the packets as well.
//!
//! There is no timer here. A question is asked again when SCTP sends its INIT again; fresh keys are asked for again
//! as packets leave.

mod datagram;
mod inquiry;
mod key;
mod keys;
mod noise;
mod session;
mod table;
mod window;

pub use datagram::{Datagram, PacketNumber, Route, SessionId};
pub use key::{Key, KeyError, Security};
pub use keys::Limits;
pub use table::{Opened, Sealed, Sealing, asked};
pub use window::Window;

#[cfg(test)]
mod tests;
