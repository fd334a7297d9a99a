//! The greeting, with which a client offers methods of authentication, and its answer (RFC 1928 §3).
//!
//! ```text
//! greeting   5 | number of methods (1) | methods
//! answer     5 | method (1)
//! ```

use super::{SocksError, VERSION, check_version};

/// The methods that a client offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// True if the client can do without authentication, which is the only method served.
    pub without_authentication: bool,
}

impl Greeting {
    /// Reads a greeting from the start of `bytes`, with the number of its bytes; `None` until enough have arrived.
    ///
    /// # Errors
    /// The client speaks another protocol.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Greeting, usize)>, SocksError> {
        let Some((version, rest)) = bytes.split_first() else { return Ok(None) };
        check_version(*version)?;
        let Some((count, rest)) = rest.split_first() else { return Ok(None) };
        let Some((methods, rest)) = rest.split_at_checked(usize::from(*count)) else { return Ok(None) };
        let greeting = Greeting { without_authentication: methods.contains(&NO_AUTHENTICATION) };
        Ok(Some((greeting, bytes.len() - rest.len())))
    }

    /// The answer. If no method is acceptable, the client closes the connection after it.
    pub fn answer(self) -> [u8; 2] {
        [VERSION, if self.without_authentication { NO_AUTHENTICATION } else { NONE_ACCEPTABLE }]
    }
}

const NO_AUTHENTICATION: u8 = 0;
const NONE_ACCEPTABLE: u8 = 0xff;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer(bytes: &[u8]) -> Option<([u8; 2], usize)> {
        Greeting::decode(bytes).expect("a greeting").map(|(greeting, used)| (greeting.answer(), used))
    }

    #[test]
    fn no_authentication_is_chosen_wherever_it_is_in_the_list() {
        assert_eq!(answer(&[5, 1, 0]), Some(([5, 0], 3)));
        assert_eq!(answer(&[5, 3, 1, 2, 0]), Some(([5, 0], 5)));
        assert_eq!(answer(&[5, 2, 0, 2, 5, 1, 0]), Some(([5, 0], 4)), "the request may follow at once");
    }

    #[test]
    fn a_client_that_insists_on_authentication_is_refused() {
        assert_eq!(answer(&[5, 2, 1, 2, 0]), Some(([5, 0xff], 4)));
        assert_eq!(answer(&[5, 0]), Some(([5, 0xff], 2)));
    }

    #[test]
    fn an_incomplete_greeting_needs_more() {
        for bytes in [&[][..], &[5], &[5, 1], &[5, 2, 0]] {
            assert_eq!(answer(bytes), None);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_give_the_same_at_once_and_one_by_one(
            first in prop_oneof![Just(5), any::<u8>()],
            rest in prop::collection::vec(prop_oneof![0..9_u8, any::<u8>()], 0..300),
        ) {
            let bytes = [&[first][..], &rest].concat();
            let whole = Greeting::decode(&bytes);
            let one_by_one = (0..=bytes.len()).map(|len| Greeting::decode(&bytes[..len])).find(|one| *one != Ok(None));
            prop_assert_eq!(one_by_one.unwrap_or(Ok(None)), whole);
            prop_assert!(!matches!(whole, Ok(Some((_, used))) if used > bytes.len()));
        }
    }
}
