//! SHA-256 of texts: the identity of scenarios, and the check of lines.

use sha2::{Digest, Sha256};

/// The whole digest.
pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// 64 bits of the digest in hexadecimal: enough to detect a truncated or damaged line.
#[cfg(feature = "tables")]
pub(crate) fn check(bytes: impl AsRef<[u8]>) -> String {
    hex(&sha256(bytes)[..CHECKED])
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The length of a check, in bytes.
#[cfg(feature = "tables")]
const CHECKED: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_standard() {
        // The example of FIPS 180-4.
        assert!(
            hex(&sha256("abc"))
                .starts_with("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        );
        assert_eq!(check("abc"), "ba7816bf8f01cfea");
    }
}
