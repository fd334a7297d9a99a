//! SHA-256 of texts, by which scenarios are known again and damaged lines are found.

use sha2::{Digest, Sha256};

/// The whole digest.
pub fn sha256(bytes: impl AsRef<[u8]>) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// 64 bits of it, in hexadecimal digits: enough to find a line that was cut off or damaged.
#[cfg(feature = "tables")]
pub fn check(bytes: impl AsRef<[u8]>) -> String {
    hex(&sha256(bytes)[..CHECKED])
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// In bytes.
#[cfg(feature = "tables")]
const CHECKED: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_standard() {
        // FIPS 180-4's example.
        assert!(
            hex(&sha256("abc"))
                .starts_with("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        );
        assert_eq!(check("abc"), "ba7816bf8f01cfea");
    }
}
