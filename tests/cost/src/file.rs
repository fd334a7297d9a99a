//! A file of one megabyte and a hundred small ones, from the sender's frames to the receiver's last word.

use std::hint::black_box;

use anabranch_base::ByteCount;
use anabranch_transfer::protocol::{
    FileKind, FilePath, FileVerdict, FrameRef, MAX_PIECE, Offer, Receiver, ReceiverStep, Sender, encode,
};

use crate::count;

const LARGE: usize = 1_000_000;
const SMALL: usize = 3_000;
const FILES: usize = 100;

/// Every frame of the sender goes to the receiver.
pub(crate) fn transfer() {
    let content = vec![7; LARGE];
    let mut written = 0;
    count(&mut || {
        let (mut sender, mut receiver) = (Sender::default(), Receiver::default());
        written += send(&mut sender, &mut receiver, "large", &content);
        for file in 0..FILES {
            written += send(&mut sender, &mut receiver, &format!("folder/{file}"), &content[..SMALL]);
        }
    });
    assert_eq!(written, LARGE + FILES * SMALL, "the receiver writes what was sent");
}

/// Sends a file, and returns the bytes that the receiver writes.
fn send(sender: &mut Sender, receiver: &mut Receiver, path: &str, content: &[u8]) -> usize {
    let path = FilePath::new(path.as_bytes()).expect("a plain name");
    let kind = FileKind::File { size: Some(ByteCount::of_len(content.len())) };
    let offer = Offer { path, kind, mode: Some(0o600), modified: None };
    let first = sender.offer(offer).expect("one file after another");
    assert!(matches!(receiver.handle(&first), Ok(ReceiverStep::Create(_))));
    let mut written = 0;
    for piece in content.chunks(MAX_PIECE) {
        let frame = sender.data(piece).expect("a piece of the file");
        match receiver.handle(&frame) {
            Ok(ReceiverStep::Write(piece)) => written += black_box(piece).len(),
            other => panic!("{other:?} for a piece"),
        }
    }
    let (frame, sent) = sender.end().expect("all of the file");
    assert!(matches!(receiver.handle(&frame), Ok(ReceiverStep::Keep { digest, .. }) if digest == sent));
    let verdict = encode(&FrameRef::Verdict(FileVerdict::verified()));
    assert!(Sender::answer(&verdict).is_ok());
    written
}
