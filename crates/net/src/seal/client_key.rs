//! The key of one client of a server that has a key for each, and its text form.

use std::fmt;
use std::str::FromStr;

use zeroize::Zeroizing;

use super::key::{DigitFault, Key, KeyError, parse_digits};

/// The keys with which a client opens associations with a server that knows several clients: the door key, which all
/// clients of the server share, and the client's own.
///
/// The text form has 64 hexadecimal digits, twice as many as that of a [`Key`]: the door key, then the own key. Debug
/// output never shows it, and the memory is cleared on drop.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientKey {
    door: Key,
    own: Key,
}

impl ClientKey {
    /// The key of a client with the key `own`, for the server of [`Clients::new(door)`](super::Clients::new).
    pub fn new(door: Key, own: Key) -> ClientKey {
        ClientKey { door, own }
    }

    /// The 64 digits, for the client.
    pub fn reveal(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(4 * Key::LEN));
        text.push_str(&self.door.reveal());
        text.push_str(&self.own.reveal());
        text
    }

    /// The key that all clients of the server share.
    pub(super) fn door(&self) -> &Key {
        &self.door
    }

    /// The key of the client alone.
    pub(super) fn own(&self) -> &Key {
        &self.own
    }
}

impl FromStr for ClientKey {
    type Err = KeyError;

    /// Parses 64 hexadecimal digits, with optional surrounding blanks.
    fn from_str(text: &str) -> Result<ClientKey, KeyError> {
        let bytes = parse_digits::<{ 2 * Key::LEN }>(text).map_err(|fault| match fault {
            DigitFault::Length(count) => KeyError::ClientLength(count),
            DigitFault::Digit(position) => KeyError::ClientDigit(position),
        })?;
        let key = |start: usize| Key::from_bytes(std::array::from_fn(|index| bytes[start + index]));
        Ok(ClientKey { door: key(0), own: key(Key::LEN) })
    }
}

impl fmt::Debug for ClientKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientKey(secret)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;

    #[test]
    fn a_clients_key_is_written_and_read_as_64_digits() {
        let key = ClientKey::new(Key::from_bytes([0xd0; 16]), Key::from_bytes([0x0e; 16]));
        let text = key.reveal();
        assert_eq!(*text, format!("{}{}", "d0".repeat(16), "0e".repeat(16)));
        assert_eq!(text.parse::<ClientKey>(), Ok(key.clone()));
        assert_eq!(format!("\t{}\n", text.to_uppercase()).parse::<ClientKey>(), Ok(key));
    }

    #[test]
    fn a_clients_key_and_a_single_key_are_not_mistaken_for_each_other() {
        let (single, client) = ("a".repeat(32), "a".repeat(64));
        assert_eq!(single.parse::<ClientKey>(), Err(KeyError::ClientLength(32)));
        assert_eq!(client.parse::<Key>(), Err(KeyError::Length(64)));
    }

    #[test]
    fn debug_output_does_not_show_a_clients_key() {
        let key = ClientKey::new(Key::from_bytes([0xab; 16]), Key::from_bytes([0xab; 16]));
        let shown = format!("{key:?} {key:#?}");
        assert!(!shown.contains("ab") && !shown.contains("171"), "{shown}");
    }

    #[test]
    fn what_is_no_clients_key_is_refused_without_repeating_it() {
        let told = |text: &str| text.parse::<ClientKey>().expect_err(text).to_string();
        assert_eq!(told(""), "a client's key is 64 hexadecimal digits, not 0 characters");
        assert_eq!(told(&"a".repeat(63)), "a client's key is 64 hexadecimal digits, not 63 characters");
        let nearly = format!("{}g{}", "a".repeat(40), "b".repeat(23));
        assert_eq!(told(&nearly), "a client's key is 64 hexadecimal digits, but character 41 is not");
    }

    proptest! {
        #[test]
        fn any_text_is_a_key_of_its_digits_or_an_error(text in "[0-9a-fA-F ]{60,68}|\\PC*") {
            if let Ok(key) = text.parse::<ClientKey>() {
                assert_eq!(*key.reveal(), text.trim().to_lowercase());
            }
        }

        #[test]
        fn any_clients_key_survives_a_round_trip(door in any::<[u8; 16]>(), own in any::<[u8; 16]>()) {
            let key = ClientKey::new(Key::from_bytes(door), Key::from_bytes(own));
            assert_eq!(key.reveal().parse(), Ok(key));
        }
    }
}
