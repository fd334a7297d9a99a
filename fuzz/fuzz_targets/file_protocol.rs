//! The invariants for any messages that a peer sends as frames of the file protocol.
#![no_main]

use anabranch_base::ByteCount;
use anabranch_transfer::protocol::{
    ReceiverAnswer, FilePath, MAX_PIECE, MAX_WHY, Receiver, Sender, ReceiverStep, decode, encode,
};
use sha2::{Digest as _, Sha256};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| file_protocol(bytes));

/// The bytes are frames, each after its length. Reading one does not panic, and its encoding is unchanged. A receiver
/// writes no more than was sent, and keeps no more than it promises.
fn file_protocol(bytes: &[u8]) {
    let mut receiver = Receiver::default();
    let mut arrived = ByteCount::ZERO;
    for message in messages(bytes) {
        if let Ok(frame) = decode(message) {
            assert_eq!(encode(&frame), message, "every byte of a frame has a meaning");
        }
        if let Ok(ReceiverAnswer::Verdict(verdict)) = Sender::answer(message) {
            assert!(verdict.why.len() <= MAX_WHY && !verdict.why.contains(char::is_control));
        }
        match receiver.handle(message) {
            Ok(ReceiverStep::Create(offer)) => {
                arrived = ByteCount::ZERO;
                check_path(&offer.path);
            }
            Ok(ReceiverStep::MakeDirectory(offer)) => check_path(&offer.path),
            Ok(ReceiverStep::Find(offer)) => {
                check_path(&offer.path);
                // Part of the file is present: as many bytes as the first byte of its path, within its size.
                let len = usize::from(offer.path.as_bytes()[0]);
                arrived = ByteCount::of_len(len).min(offer.size().unwrap_or_default());
                receiver.has(arrived);
            }
            Ok(ReceiverStep::Compare) => {
                let (from, _) = receiver.compare(Some(Sha256::new()));
                assert!(from == arrived || from.is_zero());
                arrived = from;
            }
            Ok(ReceiverStep::BeginAnew) => arrived = ByteCount::ZERO,
            Ok(ReceiverStep::Write(piece)) => {
                assert!(!piece.is_empty() && piece.len() <= MAX_PIECE.min(message.len()));
                arrived += ByteCount::of_len(piece.len());
            }
            Ok(ReceiverStep::Keep { path, size, .. }) => {
                check_path(&path);
                assert_eq!(size, arrived);
            }
            Ok(ReceiverStep::Discard(verdict)) => assert!(!verdict.is_verified()),
            Ok(ReceiverStep::Ignore) => {}
            Err(error) => {
                assert!(!error.to_string().contains(char::is_control));
                break;
            }
        }
        if let Some((offer, received)) = receiver.current() {
            assert_eq!(received, arrived);
            assert!(offer.size().is_none_or(|promised| received <= promised));
        }
    }
}

/// Checks that a path stays in its directory, and that a terminal can show it safely.
fn check_path(path: &FilePath) {
    let is_name = |name: &[u8]| !name.is_empty() && name.len() <= 255 && name != b"." && name != b"..";
    assert!(path.as_bytes().split(|byte| *byte == b'/').all(is_name));
    assert!(path.as_path().is_relative() && !path.as_bytes().contains(&0));
    assert!(!path.to_string().contains(char::is_control));
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
