//! The responses to a request for a tunnel: the tunnel, or a refusal with a short text, after which the server closes
//! the connection.

/// The status of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The head is malformed.
    BadRequest,
    /// The server does not permit the destination.
    Forbidden,
    /// The method is not CONNECT.
    MethodNotAllowed,
    /// The head is too large.
    HeadTooLarge,
    /// The destination cannot be connected to.
    BadGateway,
    /// The destination does not answer.
    GatewayTimeout,
}

impl Status {
    /// The code of HTTP.
    pub fn code(self) -> u16 {
        self.line().0
    }

    fn line(self) -> (u16, &'static str) {
        match self {
            Status::BadRequest => (400, "Bad Request"),
            Status::Forbidden => (403, "Forbidden"),
            Status::MethodNotAllowed => (405, "Method Not Allowed"),
            Status::HeadTooLarge => (431, "Request Header Fields Too Large"),
            Status::BadGateway => (502, "Bad Gateway"),
            Status::GatewayTimeout => (504, "Gateway Timeout"),
        }
    }
}

/// The response that opens the tunnel. It has no length, as RFC 9110 §9.3.6 asks.
pub fn established() -> &'static [u8] {
    b"HTTP/1.1 200 Connection established\r\n\r\n"
}

/// A response that refuses the tunnel, with `reason` as its text, of which 1,024 bytes at most are sent.
pub fn refusal(status: Status, reason: &str) -> Vec<u8> {
    let (code, phrase) = status.line();
    let reason = &reason[..reason.floor_char_boundary(MAX_REASON)];
    // RFC 9110 §15.5.6: "The origin server MUST generate an Allow header field in a 405 response".
    let allow = if status == Status::MethodNotAllowed { "Allow: CONNECT\r\n" } else { "" };
    let length = reason.len() + 1;
    let response = format!(
        "HTTP/1.1 {code} {phrase}\r\n{allow}Content-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{reason}\n"
    );
    response.into_bytes()
}

const MAX_REASON: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn text(status: Status, reason: &str) -> String {
        String::from_utf8(refusal(status, reason)).expect("text")
    }

    #[test]
    fn a_refusal_is_a_complete_response() {
        let expected = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 9\r\n\
                        Connection: close\r\n\r\nno entry\n";
        assert_eq!(text(Status::Forbidden, "no entry"), expected);
    }

    #[test]
    fn every_refusal_has_its_code_and_the_length_of_its_text() {
        let all = [
            (Status::BadRequest, 400),
            (Status::Forbidden, 403),
            (Status::MethodNotAllowed, 405),
            (Status::HeadTooLarge, 431),
            (Status::BadGateway, 502),
            (Status::GatewayTimeout, 504),
        ];
        for (status, code) in all {
            assert_eq!(status.code(), code);
            let response = text(status, "\u{fc}ber\r\n\r\nHTTP/1.1 200 OK");
            let mut headers = [httparse::EMPTY_HEADER; 8];
            let mut parsed = httparse::Response::new(&mut headers);
            let head = parsed.parse(response.as_bytes()).expect("a response").unwrap();
            assert_eq!(parsed.code, Some(code));
            let length =
                parsed.headers.iter().find(|header| header.name == "Content-Length").expect("a length");
            assert_eq!(length.value, (response.len() - head).to_string().as_bytes());
            let allow =
                parsed.headers.iter().any(|header| header.name == "Allow" && header.value == b"CONNECT");
            assert_eq!(allow, code == 405);
        }
    }

    #[test]
    fn a_long_reason_is_cut_between_characters() {
        let response = text(Status::BadGateway, &"\u{20ac}".repeat(1_000));
        assert!(response.ends_with(&format!("\r\n\r\n{}\n", "\u{20ac}".repeat(341))));
    }

    #[test]
    fn an_established_tunnel_has_no_length() {
        let mut headers = [httparse::EMPTY_HEADER; 1];
        let mut parsed = httparse::Response::new(&mut headers);
        let head = parsed.parse(established()).expect("a response").unwrap();
        assert_eq!((head, parsed.code, parsed.headers.len()), (established().len(), Some(200), 0));
    }
}
