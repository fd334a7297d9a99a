//! The primitives of the handshake: X25519 by `curve25519-dalek`, BLAKE2s by `blake2`, ChaCha20-Poly1305 by `ring`, and random
//! numbers of the operating system. The implementations that `snow` brings itself need eight more crates.

use blake2::{Blake2s256, Digest as _};
use curve25519_dalek::MontgomeryPoint;
use snow::Error;
use snow::params::{CipherChoice, DHChoice, HashChoice};
use snow::resolvers::{CryptoResolver, RingResolver};
use snow::types::{Cipher, Dh, Hash, Random};
use zeroize::Zeroizing;

/// The primitives that the protocol names have in common.
pub(super) struct Primitives;

impl CryptoResolver for Primitives {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        Some(Box::new(SystemRandom))
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        matches!(choice, DHChoice::Curve25519).then(|| Box::<X25519>::default() as Box<dyn Dh>)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        matches!(choice, HashChoice::Blake2s).then(|| Box::<Blake2s>::default() as Box<dyn Hash>)
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        RingResolver.resolve_cipher(choice)
    }
}

/// Random numbers of the operating system.
struct SystemRandom;

impl Random for SystemRandom {
    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Error> {
        getrandom::fill(dest).map_err(|_| Error::Rng)
    }
}

/// A pair of keys of X25519 (RFC 7748 §5).
#[derive(Default)]
struct X25519 {
    private: Zeroizing<[u8; KEY]>,
    public: [u8; KEY],
}

impl X25519 {
    fn set_private(&mut self, private: Zeroizing<[u8; KEY]>) {
        self.public = MontgomeryPoint::mul_base_clamped(*private).to_bytes();
        self.private = private;
    }
}

impl Dh for X25519 {
    fn name(&self) -> &'static str {
        "25519"
    }

    fn pub_len(&self) -> usize {
        KEY
    }

    fn priv_len(&self) -> usize {
        KEY
    }

    fn set(&mut self, privkey: &[u8]) {
        let mut private = Zeroizing::new([0; KEY]);
        private.copy_from_slice(privkey);
        self.set_private(private);
    }

    fn generate(&mut self, rng: &mut dyn Random) -> Result<(), Error> {
        let mut private = Zeroizing::new([0; KEY]);
        rng.try_fill_bytes(&mut *private)?;
        self.set_private(private);
        Ok(())
    }

    fn pubkey(&self) -> &[u8] {
        &self.public
    }

    fn privkey(&self) -> &[u8] {
        &*self.private
    }

    fn dh(&self, pubkey: &[u8], out: &mut [u8]) -> Result<(), Error> {
        let theirs: [u8; KEY] = pubkey.get(..KEY).and_then(|key| key.try_into().ok()).ok_or(Error::Dh)?;
        let shared = MontgomeryPoint(theirs).mul_clamped(*self.private).to_bytes();
        out.get_mut(..KEY).ok_or(Error::Dh)?.copy_from_slice(&shared);
        Ok(())
    }
}

/// BLAKE2s with 256 bits (RFC 7693).
#[derive(Default)]
struct Blake2s(Blake2s256);

impl Hash for Blake2s {
    fn name(&self) -> &'static str {
        "BLAKE2s"
    }

    fn block_len(&self) -> usize {
        BLOCK
    }

    fn hash_len(&self) -> usize {
        KEY
    }

    fn reset(&mut self) {
        self.0 = Blake2s256::new();
    }

    fn input(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn result(&mut self, out: &mut [u8]) {
        let digest = self.0.finalize_reset();
        out[..KEY].copy_from_slice(&digest);
    }
}

/// The bytes of a key of X25519, and of a digest of BLAKE2s.
const KEY: usize = 32;
/// The bytes of a block of BLAKE2s.
const BLOCK: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> [u8; KEY] {
        std::array::from_fn(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hex"))
    }

    #[test]
    fn keys_agree_as_in_rfc_7748() {
        // §6.1.
        let mut alice = X25519::default();
        alice.set(&key("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"));
        let bob = key("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
        let shared = key("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
        assert_eq!(alice.pubkey(), key("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"));
        let mut found = [0; KEY];
        assert_eq!(alice.dh(&bob, &mut found), Ok(()));
        assert_eq!(found, shared);
        assert_eq!(alice.dh(&bob[..31], &mut found), Err(Error::Dh));
    }

    #[test]
    fn pairs_of_keys_are_drawn() {
        let (mut one, mut other) = (X25519::default(), X25519::default());
        one.generate(&mut SystemRandom).expect("random numbers");
        other.generate(&mut SystemRandom).expect("random numbers");
        assert!(one.privkey() != other.privkey() && one.pubkey() != other.pubkey());
        let (mut here, mut there) = ([0; KEY], [0; KEY]);
        assert_eq!((one.dh(other.pubkey(), &mut here), other.dh(one.pubkey(), &mut there)), (Ok(()), Ok(())));
        assert_eq!(here, there);
    }

    #[test]
    fn digests_are_those_of_rfc_7693() {
        // Appendix B.
        let mut hash = Blake2s::default();
        let digest = |hash: &mut Blake2s| {
            let mut digest = [0; KEY];
            hash.result(&mut digest);
            digest
        };
        hash.input(b"forgotten");
        hash.reset();
        hash.input(b"abc");
        let abc = key("508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
        assert_eq!(digest(&mut hash), abc);
        hash.input(b"a");
        hash.input(b"bc");
        assert_eq!(digest(&mut hash), abc, "the state is new after a digest");
    }

    #[test]
    fn other_primitives_are_not_there() {
        assert!(Primitives.resolve_hash(&HashChoice::SHA256).is_none());
        assert!(Primitives.resolve_dh(&DHChoice::Curve448).is_none());
        assert!(Primitives.resolve_cipher(&CipherChoice::ChaChaPoly).is_some());
    }
}
