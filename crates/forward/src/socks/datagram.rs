//! A UDP datagram between a client and the relay (RFC 1928 §7): a header and the payload. Fragments are dropped, as
//! RFC 1928 asks of an implementation that does not reassemble them.
//!
//! ```text
//! reserved (2) | fragment (1) | destination, or source on the return | data
//! ```

use crate::destination::{Destination, DestinationError};

/// A datagram of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// The destination of a datagram from the client, the source of one to the client.
    pub destination: Destination,
    /// The payload.
    pub data: &'a [u8],
}

/// The error of a datagram that is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatagramError {
    /// The datagram ends within its header.
    #[error("a datagram of {0} bytes, which ends within its header")]
    Truncated(usize),
    /// The datagram is a fragment of another one.
    #[error("a fragment with the number {0}: fragments are not reassembled")]
    Fragment(u8),
    /// The destination is malformed.
    #[error(transparent)]
    Destination(#[from] DestinationError),
}

impl<'a> Datagram<'a> {
    /// Appends the header and the payload to `bytes`.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend([0, 0, UNFRAGMENTED]);
        self.destination.encode(bytes);
        bytes.extend(self.data);
    }

    /// Reads a whole datagram. The reserved bytes are ignored.
    ///
    /// # Errors
    /// The datagram is to be dropped.
    pub fn decode(bytes: &'a [u8]) -> Result<Datagram<'a>, DatagramError> {
        let truncated = DatagramError::Truncated(bytes.len());
        let ([_, _, fragment], rest) = bytes.split_first_chunk().ok_or(truncated)?;
        if *fragment != UNFRAGMENTED {
            return Err(DatagramError::Fragment(*fragment));
        }
        let (destination, used) = Destination::decode(rest)?.ok_or(truncated)?;
        Ok(Datagram { destination, data: rest.get(used..).unwrap_or_default() })
    }
}

const UNFRAGMENTED: u8 = 0;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::destination::tests::destination;

    #[test]
    fn a_datagram_to_a_name_is_read() {
        let datagram = Datagram::decode(b"\0\0\0\x03\x01a\x00\x35query").expect("a datagram");
        assert_eq!((datagram.destination.to_string().as_str(), datagram.data), ("a:53", &b"query"[..]));
    }

    #[test]
    fn fragments_and_incomplete_headers_are_dropped() {
        assert_eq!(Datagram::decode(&[0, 0, 1, 1, 192, 0, 2, 1, 0, 53]), Err(DatagramError::Fragment(1)));
        assert_eq!(Datagram::decode(&[0, 0, 0x81]), Err(DatagramError::Fragment(0x81)));
        assert_eq!(Datagram::decode(&[0, 0]), Err(DatagramError::Truncated(2)));
        assert_eq!(Datagram::decode(&[0, 0, 0, 1, 192, 0, 2, 1, 0]), Err(DatagramError::Truncated(9)));
        let unknown = DatagramError::Destination(DestinationError::UnknownKind(0));
        assert_eq!(Datagram::decode(&[0, 0, 0, 0]), Err(unknown));
    }

    proptest! {
        #[test]
        fn datagrams_are_read_as_they_were_written(
            destination in destination(),
            data in prop::collection::vec(any::<u8>(), 0..99),
        ) {
            let datagram = Datagram { destination, data: &data };
            let mut bytes = Vec::new();
            datagram.encode(&mut bytes);
            prop_assert_eq!(Datagram::decode(&bytes), Ok(datagram));
        }

        #[test]
        fn any_bytes_are_a_datagram_or_an_error(rest in prop::collection::vec(prop_oneof![0..5_u8, any::<u8>()], 0..40)) {
            let bytes = [&[0, 0][..], &rest].concat();
            if let Ok(datagram) = Datagram::decode(&bytes) {
                prop_assert!(bytes.ends_with(datagram.data));
                prop_assert!(datagram.data.len() < bytes.len());
            }
        }
    }
}
