//! Memory into which the operating system writes received datagrams, and which they may keep.

use bytes::{Bytes, BytesMut};

use crate::ring::Ring;

/// Memory for one receive call: a whole datagram, or as many as the system coalesces.
#[derive(Debug)]
pub(crate) struct ReceiveBuffer {
    /// [`ReceiveBuffer::LEN`] bytes.
    memory: BytesMut,
}

/// Buffers that were handed over, reused once nothing refers to them.
#[derive(Debug)]
pub(crate) struct HandedOver(Ring<Bytes>);

impl ReceiveBuffer {
    /// The length of the memory in bytes.
    pub(crate) const LEN: usize = 65_536;

    /// A buffer with fresh memory.
    pub(crate) fn new() -> ReceiveBuffer {
        let mut memory = BytesMut::zeroed(ReceiveBuffer::LEN + 1);
        // Splitting a part off makes the memory share a reference count, which then needs no allocation of its own.
        drop(memory.split_off(ReceiveBuffer::LEN));
        ReceiveBuffer { memory }
    }

    /// The memory.
    pub(crate) fn memory(&mut self) -> &mut [u8] {
        &mut self.memory
    }

    /// The memory, for reading.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.memory
    }

    /// Returns the first `len` bytes with shared ownership; the buffer gets other memory.
    pub(crate) fn hand_over(&mut self, len: usize, others: &mut HandedOver) -> Bytes {
        let other = others.take().unwrap_or_default();
        let memory = std::mem::replace(self, other).memory.freeze();
        let part = memory.slice(..len.min(memory.len()));
        others.0.put(memory);
        part
    }
}

impl Default for ReceiveBuffer {
    fn default() -> ReceiveBuffer {
        ReceiveBuffer::new()
    }
}

impl Default for HandedOver {
    fn default() -> HandedOver {
        HandedOver(Ring::new(FEWEST))
    }
}

impl HandedOver {
    /// Takes a buffer that is no longer referred to, if there is one.
    fn take(&mut self) -> Option<ReceiveBuffer> {
        let memory = self.0.take(|buffer| buffer.is_unique())?.try_into_mut().ok()?;
        Some(ReceiveBuffer { memory })
    }
}

/// The size up to which the ring is never reduced, a mebibyte in twice as many buffers: the initial receive buffer of
/// an association.
const FEWEST: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_serves_again_after_what_it_held_is_dropped_and_not_before() {
        let (mut buffer, mut others) = (ReceiveBuffer::new(), HandedOver::default());
        let place = buffer.memory().as_ptr();
        buffer.memory()[..4].copy_from_slice(b"held");
        let held = buffer.hand_over(4, &mut others);
        assert_eq!(held.as_ptr(), place, "nothing is copied");
        let second = buffer.hand_over(ReceiveBuffer::LEN, &mut others);
        assert_ne!(second.as_ptr(), place);
        assert_eq!(held, &b"held"[..]);
        drop(held);
        let mut places = Vec::new();
        for _ in 0..3 {
            assert_eq!(buffer.memory().len(), ReceiveBuffer::LEN);
            places.push(buffer.hand_over(1, &mut others).as_ptr());
        }
        assert!(places.contains(&place));
    }

    #[test]
    fn buffers_that_are_held_block_no_other() {
        let (mut buffer, mut others) = (ReceiveBuffer::new(), HandedOver::default());
        let held: Vec<Bytes> = (0..100).map(|_| buffer.hand_over(9, &mut others)).step_by(3).collect();
        (0..10_000).for_each(|_| drop(buffer.hand_over(9, &mut others)));
        assert!(others.0.len() < held.len() + 2 * FEWEST, "{}", others.0.len());
    }
}
