//! The server's side of HTTP CONNECT (RFC 9110 §9.3.6): the head of a request, of which httparse reads the lines. The
//! bytes after the head belong to the tunnel.

mod response;

pub use response::{Status, established, refusal};

use crate::destination::{Destination, DestinationError};

/// A request for a tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectRequest {
    /// The destination, which always has a port.
    pub destination: Destination,
}

/// The error of bytes that are not a request for a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The method is not CONNECT.
    #[error("an HTTP request other than CONNECT")]
    Method,
    /// The head does not follow HTTP/1.0 or HTTP/1.1.
    #[error("a malformed HTTP request: {0}")]
    Malformed(httparse::Error),
    /// The target is not a host and a port.
    #[error("a CONNECT request with {0}")]
    Target(#[from] DestinationError),
    /// The head is longer than 16 KiB or has more than 64 headers.
    #[error("an HTTP request with more than {MAX_HEAD} bytes or {MAX_HEADERS} headers before its end")]
    TooLarge,
}

impl ConnectRequest {
    /// Reads the head of a request from the start of `bytes`, with the number of its bytes; `None` until its last line has
    /// arrived.
    ///
    /// # Errors
    /// It is not a request for a tunnel; [`ConnectError::status`] has the answer.
    pub fn decode(bytes: &[u8]) -> Result<Option<(ConnectRequest, usize)>, ConnectError> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        // A later byte does not change the result, so that it does not depend on the sizes of the reads.
        let head = bytes.get(..MAX_HEAD).unwrap_or(bytes);
        match request.parse(head) {
            Ok(httparse::Status::Complete(used)) => {
                if request.method != Some("CONNECT") {
                    return Err(ConnectError::Method);
                }
                let destination = request.path.unwrap_or_default().parse()?;
                Ok(Some((ConnectRequest { destination }, used)))
            }
            Ok(httparse::Status::Partial) if head.len() == MAX_HEAD => Err(ConnectError::TooLarge),
            Ok(httparse::Status::Partial) => Ok(None),
            Err(httparse::Error::TooManyHeaders) => Err(ConnectError::TooLarge),
            Err(error) => Err(ConnectError::Malformed(error)),
        }
    }
}

impl ConnectError {
    /// The status of the answer.
    pub fn status(self) -> Status {
        match self {
            ConnectError::Method => Status::MethodNotAllowed,
            ConnectError::Malformed(_) | ConnectError::Target(_) => Status::BadRequest,
            ConnectError::TooLarge => Status::HeadTooLarge,
        }
    }
}

const MAX_HEAD: usize = 16 * 1024;
const MAX_HEADERS: usize = 64;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::destination::tests::destination;

    fn decode(head: &str) -> Result<Option<(String, usize)>, ConnectError> {
        let request = ConnectRequest::decode(head.as_bytes())?;
        Ok(request.map(|(request, used)| (request.destination.to_string(), used)))
    }

    fn status(head: &str) -> u16 {
        decode(head).expect_err("an error").status().code()
    }

    #[test]
    fn a_head_ends_where_the_tunnel_begins() {
        let head = "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\nUser-Agent: x\r\n\r\n";
        let expected = Ok(Some(("example.org:443".to_owned(), head.len())));
        assert_eq!(decode(head), expected);
        assert_eq!(decode(&format!("{head}CONNECT b:1 HTTP/1.1\r\n\r\n")), expected);
    }

    #[test]
    fn either_version_and_any_kind_of_destination_is_read() {
        for destination in ["a:1", "192.0.2.1:80", "[2001:db8::1]:65535", "xn--bcher-kva.example:443"] {
            for version in ["1.0", "1.1"] {
                let head = format!("CONNECT {destination} HTTP/{version}\r\n\r\n");
                assert_eq!(decode(&head), Ok(Some((destination.to_owned(), head.len()))));
            }
        }
    }

    #[test]
    fn another_method_is_not_allowed() {
        for line in
            ["GET http://a/ HTTP/1.1", "POST /x HTTP/1.1", "connect a:1 HTTP/1.1", "OPTIONS * HTTP/1.0"]
        {
            assert_eq!(status(&format!("{line}\r\nHost: a\r\n\r\n")), 405, "{line}");
        }
    }

    #[test]
    fn a_malformed_head_is_a_bad_request() {
        let lines = [
            "CONNECT a HTTP/1.1",
            "CONNECT a: HTTP/1.1",
            "CONNECT a:0 HTTP/1.1",
            "CONNECT a:65536 HTTP/1.1",
            "CONNECT ::1:80 HTTP/1.1",
            "CONNECT user@a:80 HTTP/1.1",
            "CONNECT http://a:80 HTTP/1.1",
            "CONNECT  a:80 HTTP/1.1",
            "CONNECT a:80 HTTP/2.0",
            "CONNECT a:80",
            "CONNECT a:80 HTTP/1.1\r\nno colon",
            "CONNECT a:80 HTTP/1.1\r\nA: b\r\n folded",
            "CONNECT a:80 HTTP/1.1\r\nA : b",
            "\x05\x01\x00",
            "\x16\x03\x01",
        ];
        for line in lines {
            assert_eq!(status(&format!("{line}\r\n\r\n")), 400, "{line:?}");
        }
    }

    #[test]
    fn a_head_of_16_kib_with_64_headers_is_the_largest() {
        let with = |headers: usize, padding: usize| {
            let headers = "A: b\r\n".repeat(headers - 1);
            format!("CONNECT a:80 HTTP/1.1\r\n{headers}P: {}\r\n\r\n", "x".repeat(padding))
        };
        let padding = MAX_HEAD - with(64, 0).len();
        assert_eq!(decode(&with(64, padding)), Ok(Some(("a:80".to_owned(), MAX_HEAD))));
        assert_eq!(status(&with(64, padding + 1)), 431);
        assert_eq!(status(&with(65, 0)), 431);
        assert_eq!(status(&format!("CONNECT {}", "x".repeat(MAX_HEAD))), 431);
        let unfinished = "CONNECT a:80 HTTP/1.1\r\nP: ".to_owned() + &"x".repeat(MAX_HEAD - 50);
        assert_eq!(decode(&unfinished), Ok(None));
    }

    /// A head, or one with a piece that does not belong there.
    fn head() -> impl Strategy<Value = Vec<u8>> {
        let pieces =
            ["\r", "\n", "\r\n\r\n", " ", ":", "\0", "\u{fc}", "HTTP/1.1", "x", "\t", "GET ", "[", "\x7f"];
        let headers =
            prop::collection::vec("[A-Za-z-]{1,8}: ?[ -~]{0,20}\r\n", 0..4).prop_map(|lines| lines.concat());
        let damage = prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(pieces.to_vec())),
            0..3,
        );
        (destination(), 0..=2_u8, headers, damage).prop_map(|(destination, version, headers, damage)| {
            let mut head =
                format!("CONNECT {destination} HTTP/1.{version}\r\n{headers}\r\nafter").into_bytes();
            for (at, piece) in damage {
                let at = at.index(head.len());
                head.splice(at..at, piece.bytes());
            }
            head
        })
    }

    fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
        let whole = ConnectRequest::decode(bytes);
        let first =
            (0..=bytes.len()).map(|len| ConnectRequest::decode(&bytes[..len])).find(|one| *one != Ok(None));
        prop_assert_eq!(&first.unwrap_or(Ok(None)), &whole);
        prop_assert!(!matches!(whole, Ok(Some((_, used))) if used > bytes.len()));
        Ok(())
    }

    proptest! {
        #[test]
        fn any_head_gives_the_same_at_once_and_one_by_one(head in head()) {
            check(&head)?;
        }

        #[test]
        fn any_bytes_give_the_same_at_once_and_one_by_one(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            check(&bytes)?;
        }

        #[test]
        fn any_destination_is_read(destination in destination()) {
            let head = format!("CONNECT {destination} HTTP/1.1\r\n\r\n");
            let request = ConnectRequest { destination };
            prop_assert_eq!(ConnectRequest::decode(head.as_bytes()), Ok(Some((request, head.len()))));
        }
    }
}
