//! The invariants for any bytes that a client sends to the port of SOCKS5, and for its datagrams.
#![no_main]

use anabranch_forward::socks::{Datagram, Greeting, Reply, Request, SocksError};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| socks(bytes));

/// The bytes are a greeting and a request, and also a datagram. Reading them does not panic and does not depend on the
/// sizes of the reads; each error has a reply or none, and no text that harms a terminal.
fn socks(bytes: &[u8]) {
    datagram(bytes);
    let Some((greeting, used)) = read(bytes, Greeting::decode) else { return };
    let method = if greeting.without_authentication { 0 } else { 0xff };
    assert_eq!(greeting.answer(), [5, method]);
    let Some((request, _)) = read(&bytes[used..], Request::decode) else { return };
    let datagram = Datagram { destination: request.destination, data: bytes };
    let mut sent = Vec::new();
    datagram.encode(&mut sent);
    assert_eq!(Datagram::decode(&sent), Ok(datagram));
}

/// Reads a value at once, and from each shorter piece.
fn read<T: Clone + std::fmt::Debug + PartialEq>(
    bytes: &[u8],
    decode: fn(&[u8]) -> Result<Option<(T, usize)>, SocksError>,
) -> Option<(T, usize)> {
    let whole = decode(bytes);
    let mut parts = (0..bytes.len().min(MOST_READ)).map(|len| decode(&bytes[..len]));
    assert_eq!(parts.find(|part| *part != Ok(None)).unwrap_or_else(|| whole.clone()), whole);
    match &whole {
        Ok(Some((_, used))) => assert!(*used <= bytes.len()),
        Ok(None) => assert!(bytes.len() < MOST_READ),
        Err(error) => {
            assert!(!error.to_string().contains(char::is_control));
            if let Some(reply) = error.reply() {
                assert_eq!(Reply::from_code(reply.code()), Some(reply));
                assert_ne!(reply, Reply::Succeeded);
                let mut written = Vec::new();
                reply.encode(None, &mut written);
                assert_eq!(written, [5, reply.code(), 0, 1, 0, 0, 0, 0, 0, 0]);
            }
        }
    }
    whole.ok().flatten()
}

fn datagram(bytes: &[u8]) {
    match Datagram::decode(bytes) {
        Ok(datagram) => {
            assert!(bytes.ends_with(datagram.data));
            let mut written = Vec::new();
            datagram.encode(&mut written);
            assert_eq!(Datagram::decode(&written), Ok(datagram));
        }
        Err(error) => assert!(!error.to_string().contains(char::is_control)),
    }
}

/// The longest request has a name of 255 bytes.
const MOST_READ: usize = 3 + 1 + 1 + 255 + 2;
