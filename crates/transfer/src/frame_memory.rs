//! Memory for the frames of a file: a frame is filled in place, sent from there, and reused once it is acknowledged.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

/// Frames of one length, in the order in which they were filled: the oldest is freed first.
#[derive(Debug)]
pub(crate) struct FrameMemory {
    length: usize,
    used: VecDeque<Bytes>,
}

impl FrameMemory {
    /// Memory for frames of at most `length` bytes.
    pub(crate) fn new(length: usize) -> FrameMemory {
        FrameMemory { length, used: VecDeque::new() }
    }

    /// A frame of the full length with arbitrary content.
    pub(crate) fn take(&mut self) -> BytesMut {
        match self.used.pop_front().map(Bytes::try_into_mut) {
            Some(Ok(memory)) => memory,
            held => {
                if let Some(Err(held)) = held {
                    self.used.push_front(held);
                }
                // Splitting a part off makes the memory share a reference count, which then needs no allocation of
                // its own.
                let mut memory = BytesMut::zeroed(self.length + 1);
                drop(memory.split_off(self.length));
                memory
            }
        }
    }

    /// The first `length` bytes of a filled frame.
    pub(crate) fn filled(&mut self, frame: BytesMut, length: usize) -> Bytes {
        let frame = frame.freeze();
        let part = frame.slice(..length);
        self.used.push_back(frame);
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_serves_again_once_it_is_dropped_and_not_before() {
        let mut frames = FrameMemory::new(8);
        let mut fill = |content: &[u8]| {
            let mut frame = frames.take();
            assert_eq!(frame.len(), 8);
            frame[..content.len()].copy_from_slice(content);
            frames.filled(frame, content.len())
        };
        let first = fill(b"first");
        let place = first.as_ptr();
        let second = fill(b"second");
        assert_eq!((&first[..], &second[..]), (&b"first"[..], &b"second"[..]));
        drop(first);
        assert_eq!(fill(b"third").as_ptr(), place);
        assert_eq!(second, &b"second"[..]);
    }
}
