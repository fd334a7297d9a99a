//! The key that two ends share, and its text form.

use std::fmt;
use std::str::FromStr;

use zeroize::Zeroizing;

/// A secret of 128 bits that only both ends hold: a holder can pose as either end.
///
/// The text form has 32 hexadecimal digits. Debug output never shows it, and the memory is cleared on drop.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    bytes: Zeroizing<[u8; Key::LEN]>,
}

/// The error of text that is not a key. It does not repeat the text, which may be almost a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The length is wrong.
    #[error("a key is 32 hexadecimal digits, not {0} characters")]
    Length(usize),
    /// A character is not a hexadecimal digit.
    #[error("a key is 32 hexadecimal digits, but character {0} is not")]
    Digit(usize),
    /// The length of a client's key is wrong.
    #[error("a client's key is 64 hexadecimal digits, not {0} characters")]
    ClientLength(usize),
    /// A character of a client's key is not a hexadecimal digit.
    #[error("a client's key is 64 hexadecimal digits, but character {0} is not")]
    ClientDigit(usize),
    /// The operating system provides no random numbers.
    #[error("the operating system provides no random numbers: {0}")]
    NoRandomness(String),
}

impl Key {
    /// The length of a key in bytes.
    pub const LEN: usize = 16;

    /// A fresh key from the operating system's random numbers.
    ///
    /// # Errors
    /// [`KeyError::NoRandomness`].
    pub fn fresh() -> Result<Key, KeyError> {
        let mut bytes = Zeroizing::new([0; Key::LEN]);
        getrandom::fill(bytes.as_mut()).map_err(|error| KeyError::NoRandomness(error.to_string()))?;
        Ok(Key { bytes })
    }

    /// A key of these bytes, which must be as hard to guess as a [fresh](Key::fresh) one.
    pub fn from_bytes(bytes: [u8; Key::LEN]) -> Key {
        Key { bytes: Zeroizing::new(bytes) }
    }

    /// The 32 digits, for the other end.
    pub fn reveal(&self) -> Zeroizing<String> {
        Zeroizing::new(self.bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8; Key::LEN] {
        &self.bytes
    }

    /// Noise's pre-shared key: this key and a label of its purpose (Noise §9: 32 bytes; it is hashed, so that a
    /// constant half does not weaken it).
    pub(super) fn for_noise(&self, purpose: Purpose) -> Psk {
        let mut psk = Zeroizing::new([0; 32]);
        psk[..Key::LEN].copy_from_slice(self.bytes.as_ref());
        psk[Key::LEN..].copy_from_slice(match purpose {
            Purpose::Single => b"anabranch seal 1",
            Purpose::Door => b"anabranch door 1",
            Purpose::Own => b"anabranch self 1",
        });
        psk
    }
}

/// A pre-shared key of Noise.
pub(super) type Psk = Zeroizing<[u8; 32]>;

/// The purpose of a key in a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The only key of both ends.
    Single,
    /// The key that all clients of a server share.
    Door,
    /// The key of one client.
    Own,
}

impl FromStr for Key {
    type Err = KeyError;

    /// Parses 32 hexadecimal digits, with optional surrounding blanks.
    fn from_str(text: &str) -> Result<Key, KeyError> {
        let bytes = parse_digits(text).map_err(|fault| match fault {
            DigitFault::Length(count) => KeyError::Length(count),
            DigitFault::Digit(position) => KeyError::Digit(position),
        })?;
        Ok(Key { bytes })
    }
}

/// The fault of text that is not hexadecimal digits of the expected number.
pub(super) enum DigitFault {
    /// The number of characters.
    Length(usize),
    /// The position of the first other character, from 1.
    Digit(usize),
}

/// The bytes of `2 * LEN` hexadecimal digits, with optional surrounding blanks.
pub(super) fn parse_digits<const LEN: usize>(text: &str) -> Result<Zeroizing<[u8; LEN]>, DigitFault> {
    let text = text.trim();
    let count = text.chars().count();
    if count != 2 * LEN {
        return Err(DigitFault::Length(count));
    }
    if let Some(wrong) = text.chars().position(|digit| !digit.is_ascii_hexdigit()) {
        return Err(DigitFault::Digit(wrong + 1));
    }
    let mut bytes = Zeroizing::new([0; LEN]);
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let value = |digit: u8| char::from(digit).to_digit(16).map_or(0, |value| value as u8);
        *byte = value(digits[0]) << 4 | value(digits[1]);
    }
    Ok(bytes)
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_written_and_read_as_32_digits() {
        let key = Key::fresh().expect("random numbers");
        let text = key.reveal();
        assert_eq!(text.len(), 32);
        assert_eq!(text.parse::<Key>(), Ok(key.clone()));
        assert_eq!(format!(" {}\n", text.to_uppercase()).parse::<Key>(), Ok(key));
    }

    #[test]
    fn two_fresh_keys_differ() {
        assert_ne!(Key::fresh().expect("random numbers"), Key::fresh().expect("random numbers"));
    }

    #[test]
    fn debug_output_does_not_show_a_key() {
        let key = Key::from_bytes([0xab; 16]);
        let shown = format!("{key:?} {key:#?}");
        assert!(!shown.contains("ab") && !shown.contains("171"), "{shown}");
    }

    #[test]
    fn what_is_no_key_is_refused_without_repeating_it() {
        let told = |text: &str| text.parse::<Key>().expect_err(text).to_string();
        assert_eq!(told(""), "a key is 32 hexadecimal digits, not 0 characters");
        assert_eq!(told(&"a".repeat(31)), "a key is 32 hexadecimal digits, not 31 characters");
        assert_eq!(told("ключ"), "a key is 32 hexadecimal digits, not 4 characters");
        let nearly = format!("{}g{}", "a".repeat(9), "b".repeat(22));
        assert_eq!(told(&nearly), "a key is 32 hexadecimal digits, but character 10 is not");
    }
}
