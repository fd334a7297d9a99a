//! The two ciphers of packets, and the choice between them: AES-256-GCM if both processors have instructions for it,
//! otherwise ChaCha20-Poly1305.

use std::fmt;

use ring::aead::{self, AES_256_GCM, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

use super::datagram::PacketNumber;

/// A cipher that authenticates and encrypts packets (RFC 5116).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// RFC 8439. It is fast on every processor.
    ChaCha20Poly1305,
    /// NIST SP 800-38D, with keys of 256 bits. It is several times as fast on processors with instructions for AES
    /// and carry-less multiplication, and slower than ChaCha20-Poly1305 without them.
    Aes256Gcm,
}

/// The ciphers that an end offers or accepts. ChaCha20-Poly1305 is always among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ciphers {
    has_aes: bool,
}

/// A pair of packet keys, one for each direction.
pub(super) struct PacketKeys {
    cipher: Cipher,
    sealing: LessSafeKey,
    opening: LessSafeKey,
}

impl Cipher {
    /// The code of the chosen cipher in a handshake's response.
    pub(super) const fn code(self) -> u8 {
        match self {
            Cipher::ChaCha20Poly1305 => 0,
            Cipher::Aes256Gcm => 1,
        }
    }

    /// The cipher of a code; `None` for codes that this version does not define.
    pub(super) const fn from_code(code: u8) -> Option<Cipher> {
        match code {
            0 => Some(Cipher::ChaCha20Poly1305),
            1 => Some(Cipher::Aes256Gcm),
            _ => None,
        }
    }

    fn algorithm(self) -> &'static aead::Algorithm {
        match self {
            Cipher::ChaCha20Poly1305 => &CHACHA20_POLY1305,
            Cipher::Aes256Gcm => &AES_256_GCM,
        }
    }

    /// The nonce of a packet, in the byte order that Noise §12 defines for each cipher.
    fn nonce(self, number: PacketNumber) -> Nonce {
        let number = match self {
            Cipher::ChaCha20Poly1305 => number.nonce().to_le_bytes(),
            Cipher::Aes256Gcm => number.nonce().to_be_bytes(),
        };
        let mut nonce = [0; aead::NONCE_LEN];
        nonce[4..].copy_from_slice(&number);
        Nonce::assume_unique_for_key(nonce)
    }
}

impl Ciphers {
    /// ChaCha20-Poly1305 only: the cipher of programs from before the choice.
    pub const CHACHA20_ALONE: Ciphers = Ciphers { has_aes: false };
    /// Both ciphers.
    pub const ALL: Ciphers = Ciphers { has_aes: true };

    /// The ciphers that this machine's processor computes fast.
    pub(crate) fn of_this_processor() -> Ciphers {
        Ciphers { has_aes: has_aes_instructions() }
    }

    /// The cipher for a session with a peer that offers `offered`.
    pub const fn choose(self, offered: Ciphers) -> Cipher {
        if self.has_aes && offered.has_aes { Cipher::Aes256Gcm } else { Cipher::ChaCha20Poly1305 }
    }

    /// Returns true if `cipher` is among them.
    pub const fn contains(self, cipher: Cipher) -> bool {
        match cipher {
            Cipher::ChaCha20Poly1305 => true,
            Cipher::Aes256Gcm => self.has_aes,
        }
    }

    /// The offer in a handshake's initiation: one bit for each cipher besides ChaCha20-Poly1305.
    pub(super) const fn bits(self) -> u8 {
        if self.has_aes { AES_256_GCM_BIT } else { 0 }
    }

    /// The ciphers of an offer. Bits that this version does not define are ignored: a later version may offer more.
    pub(super) const fn from_bits(bits: u8) -> Ciphers {
        Ciphers { has_aes: bits & AES_256_GCM_BIT != 0 }
    }
}

impl PacketKeys {
    /// The keys with these bytes, or `None` if they do not fit the cipher.
    pub(super) fn new(cipher: Cipher, sealing: &[u8; 32], opening: &[u8; 32]) -> Option<PacketKeys> {
        let key = |bytes: &[u8; 32]| UnboundKey::new(cipher.algorithm(), bytes).ok().map(LessSafeKey::new);
        Some(PacketKeys { cipher, sealing: key(sealing)?, opening: key(opening)? })
    }

    /// The cipher of the keys.
    pub(super) fn cipher(&self) -> Cipher {
        self.cipher
    }

    /// Appends the encrypted `packet` and its tag to `out`. The caller never uses a number twice. `None`, without
    /// appending anything, if the packet is longer than the cipher permits.
    pub(super) fn seal(&self, number: PacketNumber, packet: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let start = out.len();
        out.extend_from_slice(packet);
        let nonce = self.cipher.nonce(number);
        match self.sealing.seal_in_place_separate_tag(nonce, Aad::empty(), &mut out[start..]) {
            Ok(tag) => out.extend_from_slice(tag.as_ref()),
            Err(_) => {
                out.truncate(start);
                return None;
            }
        }
        Some(())
    }

    /// Opens a sealed packet in place. `None`, with undefined content left in place, if another key or number sealed
    /// it, or if it was altered.
    pub(super) fn open<'a>(&self, number: PacketNumber, sealed: &'a mut [u8]) -> Option<&'a mut [u8]> {
        self.opening.open_in_place(self.cipher.nonce(number), Aad::empty(), sealed).ok()
    }
}

impl fmt::Debug for PacketKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PacketKeys({:?})", self.cipher)
    }
}

/// Returns true if the processor has instructions for AES and for the multiplication of GCM.
fn has_aes_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("pclmulqdq");
    // Rust's name for FEAT_AES and FEAT_PMULL together.
    #[cfg(target_arch = "aarch64")]
    let has = std::arch::is_aarch64_feature_detected!("aes");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let has = false;
    has
}

/// An end that offers AES-256-GCM sets this bit.
const AES_256_GCM_BIT: u8 = 1;

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_sctp::policy::PathId;

    use crate::seal::Route;

    const CIPHERS: [Cipher; 2] = [Cipher::ChaCha20Poly1305, Cipher::Aes256Gcm];

    fn number(counter: u64) -> PacketNumber {
        PacketNumber::new(Route::CONTROL, counter)
    }

    #[test]
    fn a_packet_opens_with_its_own_number_alone() {
        for cipher in CIPHERS {
            let near = PacketKeys::new(cipher, &[1; 32], &[2; 32]).expect("keys of 32 bytes");
            let far = PacketKeys::new(cipher, &[2; 32], &[1; 32]).expect("keys of 32 bytes");
            let mut sealed = Vec::new();
            near.seal(number(7), b"packet", &mut sealed).expect("short");
            assert_eq!(sealed.len(), 6 + 16);
            assert_eq!(far.open(number(8), &mut sealed.clone()), None);
            assert_eq!(
                near.open(number(7), &mut sealed.clone()),
                None,
                "the other direction has another key"
            );
            assert_eq!(far.open(number(7), &mut sealed).expect("its own"), b"packet");
        }
    }

    /// NIST's GCM test case 13 (all zeros, 256 bits) and RFC 8439's construction with an all-zero key, both without
    /// data: the tags computed by other programs.
    #[test]
    fn the_tag_of_an_empty_packet_is_that_of_the_standards() {
        let tag = |cipher| {
            let keys = PacketKeys::new(cipher, &[0; 32], &[0; 32]).expect("keys of 32 bytes");
            let mut out = Vec::new();
            keys.seal(PacketNumber::new(Route::of(PathId::FIRST).expect("the first"), 0), b"", &mut out)
                .expect("short");
            out.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        assert_eq!(tag(Cipher::Aes256Gcm), "530f8afbc74536b9a963b4f1c4cb738b");
        assert_eq!(tag(Cipher::ChaCha20Poly1305), "4eb972c9a8fb3a1b382bb4d36f5ffad1");
    }

    #[test]
    fn aes_is_chosen_where_both_ends_offer_it() {
        let (old, new) = (Ciphers::CHACHA20_ALONE, Ciphers::ALL);
        let choices = [(old, old), (old, new), (new, old), (new, new)].map(|(near, far)| far.choose(near));
        let chacha = Cipher::ChaCha20Poly1305;
        assert_eq!(choices, [chacha, chacha, chacha, Cipher::Aes256Gcm]);
    }

    #[test]
    fn unknown_offers_are_ignored_and_unknown_choices_refused() {
        assert_eq!(Ciphers::from_bits(0b1111_1110), Ciphers::CHACHA20_ALONE);
        assert_eq!(Ciphers::from_bits(0b1111_1111), Ciphers::ALL);
        for cipher in CIPHERS {
            assert_eq!(Cipher::from_code(cipher.code()), Some(cipher));
        }
        assert_eq!(Cipher::from_code(2), None);
    }
}
