//! Memory for datagrams, reused as soon as nothing refers to it.

use anabranch_base::ByteCount;
use bytes::{Bytes, BytesMut};

use crate::ring::Ring;

/// Copies each datagram into a separate buffer, less than twice as long as the datagram (or [`SMALLEST`]), so that a
/// retained datagram keeps no other one in memory, however many the system received at once. Nothing is allocated
/// once there are buffers for all datagrams retained at a time.
#[derive(Debug)]
pub(crate) struct BufferPool {
    /// One ring per buffer length: [`SMALLEST`], and each class twice the one before.
    rings: [Ring<BytesMut>; CLASSES],
}

impl Default for BufferPool {
    fn default() -> BufferPool {
        BufferPool { rings: std::array::from_fn(|_| Ring::new(FEWEST)) }
    }
}

impl BufferPool {
    /// Copies a datagram. Returns the copy and the size of its buffer.
    pub(crate) fn copy(&mut self, datagram: &[u8]) -> (Bytes, ByteCount) {
        let class = class_of(datagram.len());
        let Some(ring) = self.rings.get_mut(class) else {
            return (Bytes::copy_from_slice(datagram), ByteCount::of_len(datagram.len()));
        };
        let length = SMALLEST << class;
        (copy(ring, datagram, length), ByteCount::of_len(length))
    }

    /// The total size of the buffers.
    #[cfg(test)]
    fn size(&self) -> usize {
        (0..).zip(&self.rings).map(|(class, ring)| ring.len() * (SMALLEST << class)).sum()
    }
}

/// Copies a datagram into a buffer of `ring`, whose buffers all have this `length`.
fn copy(ring: &mut Ring<BytesMut>, datagram: &[u8], length: usize) -> Bytes {
    let free = ring.take(|buffer| buffer.try_reclaim(length));
    let mut buffer = free.unwrap_or_else(|| BytesMut::with_capacity(length));
    buffer.extend_from_slice(datagram);
    let copy = buffer.split().freeze();
    ring.put(buffer);
    copy
}

/// The class whose buffers hold `length` bytes.
fn class_of(length: usize) -> usize {
    let multiple = length.div_ceil(SMALLEST).max(1).next_power_of_two();
    multiple.trailing_zeros() as usize
}

/// The length of the smallest buffers.
const SMALLEST: usize = 128;
/// The size up to which a ring is never reduced is twice this number of buffers.
const FEWEST: usize = 64;
/// The last class holds the longest possible datagram.
const CLASSES: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_equals_its_datagram_and_its_buffer_is_less_than_twice_as_long() {
        let mut pool = BufferPool::default();
        for length in [0, 1, 127, 128, 129, 1_499, 2_048, 2_049, 65_507, 65_536, 65_537] {
            let datagram: Vec<u8> = (0..length).map(|number| number as u8).collect();
            let (copy, memory) = pool.copy(&datagram);
            assert_eq!(copy, datagram);
            let memory = memory.as_len();
            assert!(memory >= length && memory < (2 * length).max(SMALLEST + 1), "{length} B in {memory} B");
        }
    }

    #[test]
    fn a_buffer_is_reused_after_its_datagram_is_dropped_and_not_before() {
        let mut pool = BufferPool::default();
        let (first, _) = pool.copy(&[1; 1_400]);
        let place = first.as_ptr();
        let (second, _) = pool.copy(&[2; 1_400]);
        let part = first.slice(100..200);
        drop(first);
        let (third, _) = pool.copy(&[3; 1_400]);
        assert_eq!((part, second), (Bytes::from(vec![1; 100]), Bytes::from(vec![2; 1_400])));
        // It is reused after the others.
        drop(third);
        let places: Vec<_> = (0..3).map(|_| pool.copy(&[4; 1_400]).0.as_ptr()).collect();
        assert!(places.contains(&place));
        assert_eq!(pool.size(), 3 * 2_048);
    }

    #[test]
    fn a_datagram_that_is_held_blocks_no_other() {
        let mut pool = BufferPool::default();
        let held: Vec<Bytes> = (0..1_000).map(|_| pool.copy(&[0; 1_400]).0).step_by(44).collect();
        (0..10_000).for_each(|_| drop(pool.copy(&[1; 1_400])));
        assert!(held.iter().all(|datagram| datagram == &vec![0; 1_400]));
        assert!(pool.size() < 4 * FEWEST * 2_048, "{} B", pool.size());
    }

    #[test]
    fn buffers_of_a_burst_are_freed_in_the_turns_after_it() {
        let mut pool = BufferPool::default();
        let burst: Vec<Bytes> = (0..10_000).map(|_| pool.copy(&[0; 1_400]).0).collect();
        assert_eq!(pool.size(), 10_000 * 2_048);
        drop(burst);
        (0..100_000).for_each(|_| drop(pool.copy(&[1; 1_400])));
        assert!(pool.size() < 4 * FEWEST * 2_048, "{} B", pool.size());
    }
}
