//! How much is held, and how much more may be. It knows weights and numbers of chunks, and nothing of what
//! the chunks are or in which order they came.

use anabranch_base::ByteCount;

use super::load::Load;
use crate::policy::acknowledge::BufferSample;

/// The receive buffer of an association, shared by all its paths (M-SCTP-13).
///
/// The peer counts user data (or chunks, or packets: what `rwnd_charge` says), but a chunk costs memory
/// beyond that. So each chunk held counts for [`ReceiveBuffer::CHUNK_OVERHEAD`] more, and the sum may reach
/// twice the capacity: chunks of more than a few hundred bytes never notice, and a flood of tiny ones is
/// first told of a smaller window, then refused.
#[derive(Clone, Debug)]
pub struct ReceiveBuffer {
    capacity: ByteCount,
    held: Load,
    high_water: ByteCount,
    /// What the peer may still believe to be free.
    offered: ByteCount,
}

impl ReceiveBuffer {
    /// An empty buffer of `capacity`, which INIT or INIT-ACK advertised in full.
    pub fn new(capacity: ByteCount) -> ReceiveBuffer {
        ReceiveBuffer { capacity, held: Load::NONE, high_water: ByteCount::ZERO, offered: capacity }
    }

    /// A chunk was accepted.
    pub fn on_held(&mut self, chunk: Load) {
        self.held += chunk;
        self.high_water = self.high_water.max(self.held.charge);
        self.offered = self.offered.saturating_sub(chunk.charge);
    }

    /// A message was read, or chunks were discarded.
    pub fn on_released(&mut self, load: Load) {
        self.held = self.held.saturating_sub(load);
    }

    /// It holds `capacity` from now on, if that is more than before: what was offered stays offered.
    pub fn grow_to(&mut self, capacity: ByteCount) {
        self.capacity = self.capacity.max(capacity);
    }

    /// A SACK with this a_rwnd left.
    pub fn on_advertised(&mut self, a_rwnd: ByteCount) {
        self.offered = a_rwnd;
    }

    /// Whether a chunk may be held; else it is dropped and a SACK says so at once (RFC 9260 §6.2).
    pub fn has_room(&self, chunk: Load) -> bool {
        self.fits(chunk, 1)
    }

    /// Whether a chunk may be held for which all others wait: the next TSN, while the application has nothing
    /// to read. It may overdraw the buffer up to twice its capacity. RFC 9260 §6.2 would rather drop the
    /// highest TSN held; but that was acknowledged, and what is missing is less than what was ever advertised.
    /// Where even this is refused, a single message is larger than the buffer and can never be received.
    pub fn has_room_for_awaited(&self, chunk: Load) -> bool {
        self.fits(chunk, 2)
    }

    /// The numbers for flow control; `ready` is the part of what is held that the application could read now.
    pub fn sample(&self, ready: Load, full_chunk: ByteCount) -> BufferSample {
        BufferSample {
            capacity: self.capacity,
            in_order: ready.charge,
            out_of_order: self.held.charge.saturating_sub(ready.charge),
            memory_left: self.memory_limit().saturating_sub(memory_of(self.held)),
            offered: self.offered,
            full_chunk,
        }
    }

    /// What it holds when it is full.
    pub fn capacity(&self) -> ByteCount {
        self.capacity
    }

    /// What the peer may still believe to be free.
    pub fn offered(&self) -> ByteCount {
        self.offered
    }

    /// What is held.
    pub fn held(&self) -> Load {
        self.held
    }

    /// The most that was ever held at once.
    pub fn high_water(&self) -> ByteCount {
        self.high_water
    }

    /// What a chunk costs besides its payload: the message or run that it stands in and the allocator's part.
    pub const CHUNK_OVERHEAD: ByteCount = ByteCount::new(256);

    fn fits(&self, chunk: Load, times: u64) -> bool {
        let held = self.held + chunk;
        held.charge <= self.capacity * times && memory_of(held) <= self.memory_limit() * times
    }

    fn memory_limit(&self) -> ByteCount {
        self.capacity * 2
    }
}

fn memory_of(load: Load) -> ByteCount {
    load.charge + ReceiveBuffer::CHUNK_OVERHEAD * load.chunks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::acknowledge::{FlowControl, StandardFlow};

    const FULL: Load = Load::of_chunk(ByteCount::new(1500));
    const TINY: Load = Load::of_chunk(ByteCount::new(1));

    /// A buffer of four full chunks, holding `chunks` of them.
    fn buffer(chunks: u64) -> ReceiveBuffer {
        let mut buffer = ReceiveBuffer::new(ByteCount::new(6000));
        (0..chunks).for_each(|_| buffer.on_held(FULL));
        buffer
    }

    fn a_rwnd(buffer: &ReceiveBuffer) -> ByteCount {
        StandardFlow.advertise(&buffer.sample(Load::NONE, FULL.charge))
    }

    #[test]
    fn a_full_buffer_takes_nothing_more_until_something_is_read() {
        let mut buffer = buffer(4);
        assert!(!buffer.has_room(TINY));
        assert!(a_rwnd(&buffer).is_zero());
        buffer.on_released(FULL);
        assert!(buffer.has_room(FULL));
        assert_eq!(a_rwnd(&buffer), FULL.charge);
        assert_eq!(buffer.high_water(), ByteCount::new(6000));
    }

    #[test]
    fn what_all_others_wait_for_may_overdraw_the_buffer_once_over() {
        let mut buffer = buffer(4);
        for _ in 0..4 {
            assert!(buffer.has_room_for_awaited(FULL));
            buffer.on_held(FULL);
        }
        assert!(!buffer.has_room_for_awaited(TINY));
        assert!(a_rwnd(&buffer).is_zero());
    }

    #[test]
    fn a_flood_of_tiny_chunks_is_told_of_a_smaller_window_and_then_refused() {
        let mut buffer = ReceiveBuffer::new(ByteCount::from_kib(64));
        let mut chunks = 0;
        while buffer.has_room(TINY) {
            buffer.on_held(TINY);
            chunks += 1;
        }
        assert_eq!(chunks, 2 * 65_536 / 257);
        assert!(a_rwnd(&buffer) < ByteCount::new(257));
    }

    #[test]
    fn full_chunks_never_notice_the_bound_on_memory() {
        let mut buffer = ReceiveBuffer::new(FULL.charge * 100);
        for held in 1..=100 {
            buffer.on_held(FULL);
            assert_eq!(a_rwnd(&buffer), FULL.charge * (100 - held));
        }
    }

    #[test]
    fn a_buffer_that_grows_offers_more_and_one_that_is_to_shrink_stays() {
        let mut buffer = buffer(4);
        buffer.grow_to(FULL.charge * 6);
        assert!(buffer.has_room(FULL));
        assert_eq!(a_rwnd(&buffer), FULL.charge * 2);
        buffer.grow_to(FULL.charge);
        assert_eq!(buffer.capacity(), FULL.charge * 6);
    }

    #[test]
    fn what_is_ready_and_what_waits_are_told_apart() {
        let sample = buffer(3).sample(FULL, FULL.charge);
        assert_eq!(sample.in_order, ByteCount::new(1500));
        assert_eq!(sample.out_of_order, ByteCount::new(3000));
        assert_eq!(sample.offered, ByteCount::new(1500));
    }

    proptest! {
        /// Whatever was held and read in whatever order: once all is read, the peer knows or is to be told.
        #[test]
        fn a_window_never_stays_closed(
            capacity in 1500u64..20_000,
            steps in prop::collection::vec((1u64..2000, 0usize..4, any::<bool>()), 1..60),
        ) {
            let mut buffer = ReceiveBuffer::new(ByteCount::new(capacity));
            let mut waiting = Vec::new();
            for (charge, read, acknowledges) in steps {
                let chunk = Load::of_chunk(ByteCount::new(charge));
                if buffer.has_room(chunk) {
                    buffer.on_held(chunk);
                    waiting.push(chunk);
                }
                for chunk in waiting.drain(..read.min(waiting.len())) {
                    buffer.on_released(chunk);
                }
                if acknowledges {
                    let a_rwnd = a_rwnd(&buffer);
                    prop_assert!(a_rwnd + buffer.held().charge <= buffer.capacity());
                    buffer.on_advertised(a_rwnd);
                }
            }
            waiting.drain(..).for_each(|chunk| buffer.on_released(chunk));
            prop_assert_eq!(buffer.held(), Load::NONE);
            let sample = buffer.sample(Load::NONE, FULL.charge);
            let is_open = sample.offered >= FULL.charge.min(ByteCount::new(capacity / 2));
            prop_assert_ne!(is_open, StandardFlow.is_update_due(&sample));
            prop_assert_eq!(a_rwnd(&buffer), buffer.capacity());
        }
    }
}
