//! The invariants for any bytes that a client sends as the head of an HTTP request.
#![no_main]

use anabranch_forward::http_connect::{ConnectRequest, established, refusal};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| http_connect(bytes));

/// Reading a head does not panic and does not depend on the sizes of the reads. The head of a tunnel reads the same in
/// its shortest form; an error has a response with a length.
fn http_connect(bytes: &[u8]) {
    let whole = ConnectRequest::decode(bytes);
    // Longer heads are read at a few lengths, for the sake of time.
    let step = 1 + bytes.len() / 256;
    let mut parts = (0..bytes.len()).step_by(step).map(|len| ConnectRequest::decode(&bytes[..len]));
    assert_eq!(parts.find(|part| *part != Ok(None)).unwrap_or_else(|| whole.clone()), whole);
    match whole {
        Ok(Some((request, used))) => {
            assert!(used <= bytes.len().min(MAX_HEAD) && !established().is_empty());
            let head = format!("CONNECT {} HTTP/1.1\r\n\r\n", request.destination);
            assert_eq!(ConnectRequest::decode(head.as_bytes()), Ok(Some((request, head.len()))));
        }
        Ok(None) => assert!(bytes.len() < MAX_HEAD),
        Err(error) => {
            let why = error.to_string();
            assert!(!why.contains(char::is_control));
            assert!([400, 405, 431].contains(&error.status().code()));
            let response = refusal(error.status(), &String::from_utf8_lossy(bytes));
            let response = String::from_utf8(response).expect("text");
            let (head, body) = response.split_once("\r\n\r\n").expect("a head");
            assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())));
            assert!(body.len() <= 1025);
        }
    }
}

const MAX_HEAD: usize = 16 * 1024;
