//! The request of a client (RFC 1928 §4): a TCP connection, or the relaying of UDP datagrams.
//!
//! ```text
//! 5 | command (1) | reserved (1) | destination
//! ```

use super::{SocksError, check_version};
use crate::destination::Destination;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The command.
    pub command: Command,
    /// The destination of a connection; for UDP the address from which the client is going to send, or zeros.
    pub destination: Destination,
}

/// A command that is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Connect to the destination.
    Connect,
    /// Relay UDP datagrams while the connection of the request is open.
    UdpAssociate,
}

impl Request {
    /// Reads a request from the start of `bytes`, with the number of its bytes; `None` until enough have arrived. The
    /// reserved byte is ignored.
    ///
    /// # Errors
    /// It is not a request, or one that is not served; [`SocksError::reply`] has the answer.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Request, usize)>, SocksError> {
        let Some((version, rest)) = bytes.split_first() else { return Ok(None) };
        check_version(*version)?;
        let Some((command, rest)) = rest.split_first() else { return Ok(None) };
        let command = match *command {
            1 => Command::Connect,
            2 => return Err(SocksError::Bind),
            3 => Command::UdpAssociate,
            other => return Err(SocksError::UnknownCommand(other)),
        };
        let Some((_reserved, rest)) = rest.split_first() else { return Ok(None) };
        let request = Destination::decode(rest)?
            .map(|(destination, used)| (Request { command, destination }, bytes.len() - rest.len() + used));
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::destination::{DestinationError, tests::destination};

    #[test]
    fn a_connection_by_name_is_read() {
        let bytes = b"\x05\x01\x00\x03\x0bexample.org\x01\xbbTLS";
        let (request, used) = Request::decode(bytes).expect("valid").expect("complete");
        assert_eq!(
            (request.command, request.destination.to_string().as_str()),
            (Command::Connect, "example.org:443")
        );
        assert_eq!(&bytes[used..], b"TLS");
    }

    #[test]
    fn an_association_of_udp_may_leave_its_address_open() {
        let (request, used) =
            Request::decode(&[5, 3, 0, 1, 0, 0, 0, 0, 0, 0]).expect("valid").expect("complete");
        assert_eq!((request.command, used), (Command::UdpAssociate, 10));
        assert_eq!(request.destination.to_string(), "0.0.0.0:0");
    }

    #[test]
    fn commands_and_addresses_that_are_not_served_are_refused() {
        assert_eq!(Request::decode(&[5, 2]), Err(SocksError::Bind));
        assert_eq!(Request::decode(&[5, 0]), Err(SocksError::UnknownCommand(0)));
        assert_eq!(Request::decode(&[4, 1]), Err(SocksError::Version4));
        let unknown = SocksError::Destination(DestinationError::UnknownKind(2));
        assert_eq!(Request::decode(&[5, 1, 0, 2]), Err(unknown));
    }

    proptest! {
        #[test]
        fn any_destination_is_read(destination in destination(), after in prop::collection::vec(any::<u8>(), 0..9)) {
            let mut bytes = vec![5, 1, 0];
            destination.encode(&mut bytes);
            let used = bytes.len();
            bytes.extend(after);
            prop_assert_eq!(Request::decode(&bytes), Ok(Some((Request { command: Command::Connect, destination }, used))));
        }

        #[test]
        fn any_bytes_give_the_same_at_once_and_one_by_one(
            first in prop_oneof![Just(5), any::<u8>()],
            rest in prop::collection::vec(prop_oneof![0..5_u8, 97..123_u8, any::<u8>()], 0..40),
        ) {
            let bytes = [&[first][..], &rest].concat();
            let whole = Request::decode(&bytes);
            let one_by_one = (0..=bytes.len()).map(|len| Request::decode(&bytes[..len])).find(|one| *one != Ok(None));
            prop_assert_eq!(&one_by_one.unwrap_or(Ok(None)), &whole);
            prop_assert!(!matches!(whole, Ok(Some((_, used))) if used > bytes.len()));
        }
    }
}
