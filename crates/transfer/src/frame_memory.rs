//! Memory for the frames of a file that is read: each is read where it is sent from, and serves again once it is
//! acknowledged.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

/// Frames of one length, in the order in which they were filled: the oldest is the first to be free again.
#[derive(Debug)]
pub struct FrameMemory {
    length: usize,
    used: VecDeque<Bytes>,
}

impl FrameMemory {
    /// For frames of at most `length` bytes.
    pub fn new(length: usize) -> FrameMemory {
        FrameMemory { length, used: VecDeque::new() }
    }

    /// A frame of the whole length; what is in it has no meaning.
    pub fn take(&mut self) -> BytesMut {
        match self.used.pop_front().map(Bytes::try_into_mut) {
            Some(Ok(memory)) => memory,
            held => {
                if let Some(Err(held)) = held {
                    self.used.push_front(held);
                }
                // A part that was split off shares the count of references, which then needs no memory of its own.
                let mut memory = BytesMut::zeroed(self.length + 1);
                drop(memory.split_off(self.length));
                memory
            }
        }
    }

    /// The first `length` bytes of a frame that is filled.
    pub fn filled(&mut self, frame: BytesMut, length: usize) -> Bytes {
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
