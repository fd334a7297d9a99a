//! The invariants for any messages and test packets that a measuring client sends.
#![no_main]

use anabranch_base::{ByteCount, Duration, Machine, Time};
use anabranch_net::PathId;
use anabranch_probe::protocol::{BODY_LENGTH, TestBody, decode, encode};
use anabranch_probe::{IncomingTest, Input, Limits, Output, Responder};
use bytes::Bytes;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| measurement(bytes));

/// The bytes are frames and bodies of test packets, each after its length. Reading one does not panic, and reading its
/// encoding gives the same. A server sends no more than its limits, and its memory and its turns are bounded.
fn measurement(bytes: &[u8]) {
    let mut now = Time::ZERO;
    let mut server = Responder::new(now, LIMITS);
    let mut sent = 0;
    for message in messages(bytes) {
        now += Duration::from_millis(20);
        if let Ok(frame) = decode(message) {
            assert_eq!(decode(&encode(&frame)), Ok(frame), "what is written is read as it was");
        }
        if let Ok(body) = TestBody::decode(message) {
            assert_eq!(body.encode().as_slice(), message);
        }
        if message.len() == BODY_LENGTH {
            let (path, body) = (PathId::from_index(0), Bytes::copy_from_slice(message));
            server.handle(now, Input::Test(IncomingTest { path, body, size: ByteCount::new(100), at: now }));
        } else {
            server.handle(now, Input::Message(Bytes::copy_from_slice(message)));
        }
        for _ in 0..MOST_TURNS {
            match server.poll(now) {
                None => break,
                Some(Output::Test(test)) => sent += test.size.get(),
                Some(Output::Message(frame)) => assert!(frame.len() <= 65_536),
                Some(Output::Finished(_)) => return,
                Some(_) => {}
            }
        }
        assert!(sent <= LIMITS.bytes.get());
        server.handle_timeout(now);
    }
}

/// Each message after its length in one byte; the last may be shorter than its length.
fn messages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (length, behind) = rest.split_first()?;
        let (message, behind) = behind.split_at(usize::from(*length).min(behind.len()));
        rest = behind;
        Some(message)
    })
}

const MOST_TURNS: usize = 10_000;
const LIMITS: Limits = Limits {
    rate: anabranch_base::BitRate::from_mbps(100),
    bytes: ByteCount::new(1_000_000),
    duration: Duration::from_secs(60),
    lanes: 4,
};
