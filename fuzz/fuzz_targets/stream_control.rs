//! The invariants for any bytes that a peer sends as a control message of streams.
#![no_main]

use anabranch_net::streams::control::Entry;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stream_control(bytes));

/// Reading an entry does not panic and takes bytes; each has a meaning, so that its encoding is what was read.
fn stream_control(bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let before = rest;
        match Entry::decode(&mut rest) {
            Ok(entry) => {
                let mut again = Vec::new();
                entry.encode(&mut again);
                assert_eq!(before[..before.len() - rest.len()], again);
            }
            Err(error) => {
                assert!(!error.to_string().contains(char::is_control));
                return;
            }
        }
    }
}
