//! The invariants for any messages that a peer sends as frames of the test protocol.
#![no_main]

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_bench::protocol::{Frame, TestReceiver, ServerLimits, Server, ServerStep, DeliveryMeter, decode, encode};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bench_protocol(bytes));

/// The bytes are frames, each after its length. Reading one does not panic, and reading its encoding gives the same
/// frame. A server begins no test that it does not allow, and counts the bytes received.
fn bench_protocol(bytes: &[u8]) {
    let mut server = Server::new(7, LIMITS);
    let mut incoming = None;
    let mut arrived = ByteCount::ZERO;
    for (number, message) in messages(bytes).enumerate() {
        let now = Time::from_nanos(number as u64 * 1_000_000);
        if let Ok(frame) = decode(message) {
            assert_eq!(decode(&encode(&frame)), Ok(frame.clone()), "what is written is read as it was");
            if let Frame::Report(report) = frame {
                assert!(report.paths.iter().flat_map(|path| path.texts()).all(is_harmless));
            }
        }
        match &mut incoming {
            None => match server.handle(now, message) {
                Ok(ServerStep::Begin(ask, _)) => {
                    assert_eq!(ask.check(&LIMITS), Ok(()));
                    incoming = Some(TestReceiver::new(Some(DeliveryMeter::new(&ask, ask.offset_ns))));
                }
                Ok(ServerStep::Answer(_)) => {}
                Ok(ServerStep::Refuse(why, _)) => return assert!(is_harmless(&why)),
                Err(error) => return assert!(is_harmless(&error.to_string())),
            },
            Some(receiver) => {
                if let Err(error) = receiver.handle(now, message) {
                    return assert!(is_harmless(&error.to_string()));
                }
                if let (Ok(Frame::Data { length, .. }), false) = (decode(message), receiver.has_ended()) {
                    arrived += length;
                }
                let tally = receiver.tally().expect("the other sends");
                assert_eq!(tally.bytes(), arrived);
                let received = tally.received(now);
                assert_eq!(received.bytes + received.late_bytes, arrived.get());
                assert!(received.intervals.len() <= 512);
            }
        }
    }
}

/// Returns true if a terminal can show it safely.
fn is_harmless(text: &str) -> bool {
    !text.contains(char::is_control)
}

/// Each message after its length in two bytes; the last may be shorter than its length.
fn messages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (length, behind) = rest.split_first_chunk::<2>()?;
        let (message, behind) = behind.split_at(usize::from(u16::from_be_bytes(*length)).min(behind.len()));
        rest = behind;
        Some(message)
    })
}

const LIMITS: ServerLimits = ServerLimits {
    duration: Duration::from_secs(3_600),
    message: ByteCount::from_kib(256),
    receive_buffer: ByteCount::from_mib(16),
};
