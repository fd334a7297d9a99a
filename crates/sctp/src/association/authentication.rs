//! Authenticated chunks (RFC 4895): what each end announces for them, and the resulting key.
//!
//! The endpoint pair shared key is empty, so the key protects only against attackers that did not see the handshake.

use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use sha1::Sha1;
use sha2::Sha256;

use super::init::InitRefusal;
use crate::wire::{Asconf, AsconfAck, Auth, Cause, HmacAlgorithm, Parameter, VerificationTag};

/// The part of the key that one end contributes: "The RANDOM parameter MUST contain a 32-byte Random Number" (§6.1).
pub type RandomNumber = [u8; 32];

/// The authentication parameters that the peer announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerTerms {
    /// The RANDOM, CHUNKS and HMAC-ALGO in sequence, without padding: its key vector.
    vector: Vec<u8>,
    /// The chunk types that the peer accepts only authenticated.
    required: Vec<u8>,
    algorithm: HmacAlgorithm,
}

/// The peer's random number is not 32 bytes long: "the association MUST be aborted" (§6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongRandom {
    /// The length of the number in bytes.
    pub length: usize,
}

/// The association shared key, and the peer's demands.
#[derive(Clone, PartialEq, Eq)]
pub struct AuthKeys {
    key: Vec<u8>,
    /// The algorithm with which this end signs.
    algorithm: HmacAlgorithm,
    /// The chunk types that the peer accepts only authenticated.
    required: Vec<u8>,
}

/// The result of verifying an AUTH chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authenticity {
    /// The chunks after it are unmodified.
    Authentic,
    /// The chunks after it are not authentic, or cannot be checked.
    Forged,
    /// The algorithm is not among those that this end announced.
    Unsupported,
}

impl WrongRandom {
    /// The ABORT for a peer with `peer_tag`: "The ABORT chunk SHOULD contain the error cause 'Protocol Violation'".
    pub fn refusal(self, peer_tag: VerificationTag) -> InitRefusal {
        let what = format!("its random number has {} bytes, expected 32", self.length);
        InitRefusal { cause: Some(Cause::ProtocolViolation(what.as_bytes().to_vec())), peer_tag, what }
    }
}

/// The parameters that this end puts into an INIT or INIT-ACK for authentication.
pub(crate) fn announcement(random: &RandomNumber) -> [Parameter; 3] {
    [
        Parameter::Random(random.to_vec()),
        Parameter::ChunkList(REQUIRED_HERE.to_vec()),
        Parameter::HmacAlgorithms(ALGORITHMS.iter().map(|algorithm| algorithm.id()).collect()),
    ]
}

/// Returns true if this end accepts chunks of type `kind` only authenticated (RFC 5061 §4.1.1, §4.1.2).
pub(crate) fn is_required_here(kind: u8) -> bool {
    REQUIRED_HERE.contains(&kind)
}

impl PeerTerms {
    /// Reads what the parameters of an INIT or INIT-ACK announce. `None` if that is not enough to authenticate
    /// anything, or does not fit into a cookie.
    ///
    /// # Errors
    /// The random number is not 32 bytes long.
    pub fn read(parameters: &[Parameter]) -> Result<Option<PeerTerms>, WrongRandom> {
        let of_kind = |is_wanted: fn(&Parameter) -> bool| parameters.iter().find(|p| is_wanted(p));
        let Some(random @ Parameter::Random(number)) = of_kind(|p| matches!(p, Parameter::Random(_))) else {
            return Ok(None);
        };
        if number.len() != size_of::<RandomNumber>() {
            return Err(WrongRandom { length: number.len() });
        }
        let chunks = of_kind(|p| matches!(p, Parameter::ChunkList(_)));
        let algorithms = of_kind(|p| matches!(p, Parameter::HmacAlgorithms(_)));
        let vector = vector_of([Some(random), chunks, algorithms].into_iter().flatten());
        Ok(PeerTerms::from_vector(&vector))
    }

    /// The terms whose key vector is `vector`.
    pub(crate) fn from_vector(vector: &[u8]) -> Option<PeerTerms> {
        if vector.len() > LONGEST_VECTOR {
            return None;
        }
        let (mut required, mut algorithm) = (Vec::new(), None);
        let mut rest = vector;
        while let Some((&[kind_high, kind_low, high, low], after)) = rest.split_first_chunk::<4>() {
            let length = usize::from(u16::from_be_bytes([high, low])).checked_sub(4)?;
            let (value, after) = after.split_at_checked(length)?;
            match u16::from_be_bytes([kind_high, kind_low]) {
                Parameter::CHUNK_LIST => required = value.to_vec(),
                Parameter::HMAC_ALGORITHMS => {
                    let ids = value.as_chunks::<2>().0.iter().map(|id| u16::from_be_bytes(*id));
                    // "The receiver of an HMAC-ALGO parameter SHOULD use the first listed algorithm it supports."
                    algorithm = ids.filter_map(HmacAlgorithm::from_id).next();
                }
                _ => {}
            }
            rest = after;
        }
        Some(PeerTerms { vector: vector.to_vec(), required, algorithm: algorithm? })
    }

    /// The key vector, from which [`from_vector`](PeerTerms::from_vector) restores the terms.
    pub(crate) fn vector(&self) -> &[u8] {
        &self.vector
    }
}

impl AuthKeys {
    /// The key of an association between an end with the random number `random` and a `peer` with these terms, with
    /// an empty endpoint pair shared key: "selecting the numerically smaller key vector [...] and then concatenating
    /// the numerically larger key vector to that" (§6.1). A vector begins with a byte that is not zero, so the longer
    /// one is the larger one.
    pub fn agree(random: &RandomNumber, peer: &PeerTerms) -> AuthKeys {
        let own = vector_of(announcement(random).iter());
        let (first, second) = if (own.len(), &own) <= (peer.vector.len(), &peer.vector) {
            (&own, &peer.vector)
        } else {
            (&peer.vector, &own)
        };
        let key = [first.as_slice(), second.as_slice()].concat();
        AuthKeys { key, algorithm: peer.algorithm, required: peer.required.clone() }
    }

    /// Returns true if the peer accepts chunks of type `kind` only authenticated, or RFC 5061 demands it. "The types for
    /// INIT, INIT-ACK, SHUTDOWN-COMPLETE, and AUTH chunks MUST be ignored" (§3.2).
    pub(crate) fn must_authenticate(&self, kind: u8) -> bool {
        is_required_here(kind) || (self.required.contains(&kind) && !NEVER_REQUIRED.contains(&kind))
    }

    /// The AUTH chunk to put before authenticated chunks, with an empty code.
    pub(crate) fn blank(&self) -> Auth<'static> {
        Auth { key: 0, algorithm: self.algorithm.id(), code: self.algorithm.blank() }
    }

    /// Writes the code into the blank AUTH chunk at the start of `bytes`, which end with the packet.
    pub fn sign(&self, bytes: &mut [u8]) {
        let code = self.code(self.algorithm, bytes);
        let Some(field) = bytes.get_mut(CODE_AT..CODE_AT + code.len()) else { return };
        field.copy_from_slice(&code);
    }

    /// Verifies the AUTH chunk `auth` at the start of `bytes`, which end with the packet.
    pub fn verify(&self, auth: &Auth<'_>, bytes: &[u8]) -> Authenticity {
        let Some(algorithm) = HmacAlgorithm::from_id(auth.algorithm) else {
            return Authenticity::Unsupported;
        };
        // "If an endpoint with no shared key receives a Shared Key Identifier other than 0, it MUST silently discard
        // all authenticated chunks" (§6.3).
        if auth.key != 0 || auth.code.len() != algorithm.blank().len() {
            return Authenticity::Forged;
        }
        if is_equal(&self.code(algorithm, bytes), auth.code) {
            Authenticity::Authentic
        } else {
            Authenticity::Forged
        }
    }

    /// The code over an AUTH chunk and the chunks after it, "with its HMAC field set to zero" (§6.2).
    fn code(&self, algorithm: HmacAlgorithm, bytes: &[u8]) -> Vec<u8> {
        let (head, rest) = bytes.split_at(CODE_AT.min(bytes.len()));
        let blank = algorithm.blank();
        let parts = [head, blank, rest.get(blank.len()..).unwrap_or_default()];
        match algorithm {
            HmacAlgorithm::Sha1 => hmac::<Hmac<Sha1>>(&self.key, parts),
            HmacAlgorithm::Sha256 => hmac::<Hmac<Sha256>>(&self.key, parts),
        }
    }
}

impl std::fmt::Debug for AuthKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "keys for {:?}, chunks {:?}", self.algorithm, self.required)
    }
}

/// The parameters in sequence: "padding is omitted" (§6.1).
fn vector_of<'a>(parameters: impl Iterator<Item = &'a Parameter>) -> Vec<u8> {
    parameters.flat_map(Parameter::to_bytes).collect()
}

fn hmac<M: Mac + KeyInit>(key: &[u8], parts: [&[u8]; 3]) -> Vec<u8> {
    let mut code = <M as KeyInit>::new_from_slice(key).expect("HMAC takes keys of any length");
    parts.iter().for_each(|part| code.update(part));
    code.finalize().into_bytes().to_vec()
}

/// Compares in constant time.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let differences =
        one.iter().zip(other).fold(0, |sum, (one, other)| std::hint::black_box(sum | (one ^ other)));
    one.len() == other.len() && differences == 0
}

/// The chunk types that this end accepts only authenticated.
const REQUIRED_HERE: [u8; 2] = [Asconf::KIND, AsconfAck::KIND];

/// INIT, INIT-ACK, SHUTDOWN-COMPLETE and AUTH.
const NEVER_REQUIRED: [u8; 4] = [1, 2, 14, Auth::KIND];

/// The algorithms that this end verifies, the preferred one first.
const ALGORITHMS: [HmacAlgorithm; 2] = [HmacAlgorithm::Sha256, HmacAlgorithm::Sha1];

/// The offset of the code in an AUTH chunk.
const CODE_AT: usize = 8;

/// RANDOM, the longest CHUNKS, and 16 algorithms. Longer vectors are not used, so that cookies stay small.
const LONGEST_VECTOR: usize = 36 + 260 + 4 + 32;

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(random: u8, rest: &[Parameter]) -> PeerTerms {
        let parameters = [&[Parameter::Random(vec![random; 32])], rest].concat();
        PeerTerms::read(&parameters).expect("a random number of 32 bytes").expect("an algorithm")
    }

    fn signed(keys: &AuthKeys, rest: &[u8]) -> Vec<u8> {
        let mut bytes = vec![15, 0, 0, 8 + keys.blank().code.len() as u8, 0, 0, 0, keys.algorithm.id() as u8];
        bytes.extend_from_slice(keys.blank().code);
        bytes.extend_from_slice(rest);
        keys.sign(&mut bytes);
        bytes
    }

    fn verdict(keys: &AuthKeys, bytes: &[u8]) -> Authenticity {
        let algorithm = u16::from(bytes[7]);
        let code = &bytes[CODE_AT..usize::from(bytes[3])];
        keys.verify(&Auth { key: 0, algorithm, code }, bytes)
    }

    #[test]
    fn a_vector_may_be_as_long_as_a_cookie_has_room_for_and_no_longer() {
        let own = vector_of(announcement(&[1; 32]).iter());
        let vector = |length: usize| {
            let mut bytes = own.clone();
            let list = length - bytes.len();
            bytes.extend(Parameter::CHUNK_LIST.to_be_bytes());
            bytes.extend((list as u16).to_be_bytes());
            bytes.resize(length, 0);
            bytes
        };
        assert!(PeerTerms::from_vector(&vector(LONGEST_VECTOR)).is_some());
        assert!(PeerTerms::from_vector(&vector(LONGEST_VECTOR + 1)).is_none());
    }

    #[test]
    fn both_ends_derive_the_same_key_whichever_has_the_larger_vector() {
        for (near, far) in [([1; 32], [2; 32]), ([2; 32], [1; 32]), ([3; 32], [3; 32])] {
            let (here, there) = (announcement(&near), announcement(&far));
            let read = |parameters: &[Parameter]| PeerTerms::read(parameters).unwrap().unwrap();
            let (one, other) = (AuthKeys::agree(&near, &read(&there)), AuthKeys::agree(&far, &read(&here)));
            assert_eq!(one, other);
            assert_eq!(verdict(&other, &signed(&one, b"whatever follows")), Authenticity::Authentic);
        }
    }

    /// The complete vectors: RANDOM, CHUNKS, HMAC-ALGO, "padding is omitted", the smaller vector first.
    #[test]
    fn the_key_is_both_vectors_whatever_the_order_on_the_wire() {
        let rest = [Parameter::HmacAlgorithms(vec![1]), Parameter::ChunkList(vec![0x80, 0xc1])];
        let peer = terms(9, &rest);
        let expected_peer =
            [&[0x80, 2, 0, 36], &[9; 32][..], &[0x80, 3, 0, 6, 0x80, 0xc1], &[0x80, 4, 0, 6, 0, 1]].concat();
        assert_eq!(peer.vector(), expected_peer);
        let keys = AuthKeys::agree(&[7; 32], &peer);
        let own =
            [&[0x80, 2, 0, 36], &[7; 32][..], &[0x80, 3, 0, 6, 0xc1, 0x80], &[0x80, 4, 0, 8, 0, 3, 0, 1]];
        assert_eq!(keys.key, [expected_peer, own.concat()].concat(), "the shorter is the smaller number");
        assert_eq!(keys.algorithm, HmacAlgorithm::Sha1);
        assert_eq!(PeerTerms::from_vector(peer.vector()), Some(peer));
    }

    #[test]
    fn whatever_is_changed_is_forged() {
        for first in [1, 3] {
            let keys = AuthKeys::agree(&[7; 32], &terms(9, &[Parameter::HmacAlgorithms(vec![first])]));
            let bytes = signed(&keys, &[1, 2, 3, 4]);
            assert_eq!(verdict(&keys, &bytes), Authenticity::Authentic);
            for at in (0..bytes.len()).filter(|at| *at != 3) {
                let mut changed = bytes.clone();
                changed[at] ^= 0x40;
                assert_ne!(verdict(&keys, &changed), Authenticity::Authentic, "byte {at}");
            }
            let code = &bytes[CODE_AT..bytes.len() - 4];
            let auth = Auth { key: 1, algorithm: first, code };
            assert_eq!(keys.verify(&auth, &bytes), Authenticity::Forged, "there is no key 1");
            assert_eq!(keys.verify(&Auth { algorithm: 2, key: 0, code }, &bytes), Authenticity::Unsupported);
            assert_eq!(
                keys.verify(&Auth { code: &code[..4], key: 0, algorithm: first }, &bytes),
                Authenticity::Forged
            );
        }
    }

    #[test]
    fn a_peer_without_random_or_without_a_known_algorithm_authenticates_nothing() {
        let random = Parameter::Random(vec![0; 32]);
        let algorithms = |ids: &[u16]| Parameter::HmacAlgorithms(ids.to_vec());
        assert_eq!(PeerTerms::read(&[algorithms(&[1])]), Ok(None));
        assert_eq!(PeerTerms::read(std::slice::from_ref(&random)), Ok(None));
        assert_eq!(PeerTerms::read(&[random.clone(), algorithms(&[2, 9])]), Ok(None));
        assert_eq!(PeerTerms::read(&[random.clone(), algorithms(&[1; 200])]), Ok(None), "too many to keep");
        let short = [Parameter::Random(vec![0; 31]), algorithms(&[1])];
        assert_eq!(PeerTerms::read(&short), Err(WrongRandom { length: 31 }));
        let last = PeerTerms::read(&[random, algorithms(&[2, 3, 1])]).unwrap().unwrap();
        assert_eq!(last.algorithm, HmacAlgorithm::Sha256);
    }

    #[test]
    fn what_the_peer_asks_for_is_authenticated_but_for_what_cannot_be() {
        let rest = [Parameter::ChunkList(vec![0, 1, 14]), Parameter::HmacAlgorithms(vec![1])];
        let keys = AuthKeys::agree(&[7; 32], &terms(9, &rest));
        let wanted = [0, 1, 3, 14, 128, 193].map(|kind| keys.must_authenticate(kind));
        assert_eq!(wanted, [true, false, false, false, true, true]);
    }
}
