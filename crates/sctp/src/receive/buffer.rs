//! The size of the receive buffer, and its free space.

use anabranch_base::ByteCount;

use super::bundle::Bundle;
use super::load::MemoryLoad;
use crate::policy::acknowledge::BufferSample;

/// The receive buffer of an association, shared by all its paths (M-SCTP-13).
///
/// The peer counts user data (or chunks, or packets: `rwnd_charge` decides), but a chunk takes more memory than that.
/// The data in the buffer may take memory of up to twice the capacity; the owners of the data report how much it takes.
/// Chunks of more than a few hundred bytes are not affected. If chunks are small, the advertised window is at most what
/// this memory can hold in chunks of the size that arrived recently.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveBuffer {
    capacity: ByteCount,
    held: ByteCount,
    /// The window that the peer may still use.
    offered: ByteCount,
    usual: Usual,
    /// The size of the second level, for data that waits for missing chunks; zero with one level.
    second_level: ByteCount,
}

/// The level to which a chunk belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// It has the next TSN.
    First {
        /// The weight of the data that the application could read now.
        ready: ByteCount,
        /// Other chunks wait for it.
        is_awaited: bool,
    },
    /// It waits for missing chunks.
    Second {
        /// The weight of all that waits.
        waiting: ByteCount,
    },
}

/// The weight of recent chunks, and the memory that they take when most are delivered in order: sums in which each
/// new chunk replaces a part of the older ones.
#[derive(Clone, Copy, Debug)]
struct Usual {
    charge: u64,
    memory: u64,
}

impl ReceiveBuffer {
    /// An empty buffer of `capacity`, which INIT or INIT-ACK has advertised in full.
    pub(crate) fn new(capacity: ByteCount) -> ReceiveBuffer {
        ReceiveBuffer {
            capacity,
            held: ByteCount::ZERO,
            offered: capacity,
            usual: Usual::UNKNOWN,
            second_level: ByteCount::ZERO,
        }
    }

    /// This buffer, with a second level of this size for data that waits for missing chunks (M-IPCC-7).
    pub(crate) fn with_second_level(self, second_level: ByteCount) -> ReceiveBuffer {
        ReceiveBuffer { second_level, ..self }
    }

    /// Adds an accepted chunk.
    #[inline]
    pub(crate) fn on_held(&mut self, chunk: MemoryLoad) {
        self.held += chunk.charge;
        self.offered = self.offered.saturating_sub(chunk.charge);
        self.usual.on_chunk(chunk);
    }

    /// Removes a message of weight `charge` that was read, or chunks of that weight that were discarded.
    pub(crate) fn on_released(&mut self, charge: ByteCount) {
        self.held = self.held.saturating_sub(charge);
    }

    /// Grows the buffer to `capacity`, if that is more than before. It never shrinks, because an advertised window must
    /// not be withdrawn.
    pub(crate) fn grow_to(&mut self, capacity: ByteCount) {
        self.capacity = self.capacity.max(capacity);
    }

    /// Notes that a SACK with `a_rwnd` was sent.
    pub(crate) fn on_advertised(&mut self, a_rwnd: ByteCount) {
        self.offered = a_rwnd;
    }

    /// Returns true if `chunk` fits, if the data in the buffer takes `memory` now. If it does not fit, it is dropped, and a
    /// SACK reports this at once (RFC 9260 §6.2).
    pub(crate) fn has_room(&self, chunk: MemoryLoad, memory: ByteCount) -> bool {
        self.fits(chunk, memory, 1)
    }

    /// Returns true if `chunk`, which has the next TSN and for which other chunks wait, fits. It may fill the buffer up
    /// to twice its capacity. RFC 9260 §6.2 would rather drop the highest TSN in the buffer; but that TSN was
    /// acknowledged, and the missing chunks are within the window that was advertised. If even this chunk does not fit
    /// and nothing can be read, a single message is larger than the buffer and can never be received.
    pub(crate) fn has_room_for_awaited(&self, chunk: MemoryLoad, memory: ByteCount) -> bool {
        self.fits(chunk, memory, 2)
    }

    /// With two levels, returns true if `chunk` fits into its level: the first one, of which data of weight `ready`
    /// takes a part, for the next chunk, else the second one.
    ///
    /// As with one level, a chunk for which others wait may fill the first level up to twice its capacity. Fragments of
    /// incomplete messages count in the second level; the sum of both levels is never exceeded.
    pub(crate) fn has_room_in_level(&self, chunk: MemoryLoad, level: Level, memory: ByteCount) -> bool {
        let second = self.second_level;
        let all = self.capacity * 2 + second;
        let fits = match level {
            Level::First { ready, is_awaited } => {
                ready + chunk.charge <= self.capacity * if is_awaited { 2 } else { 1 }
            }
            Level::Second { waiting } => waiting + chunk.charge <= second,
        };
        fits && self.held + chunk.charge <= all && memory + chunk.memory <= all * 2
    }

    /// The values for flow control. `ready` is the weight of the data that the application could read now, `memory`
    /// the memory that all data in the buffer takes.
    #[inline]
    pub(crate) fn sample(&self, ready: ByteCount, memory: ByteCount, full_chunk: ByteCount) -> BufferSample {
        let limit = self.memory_limit();
        BufferSample {
            capacity: self.capacity.min(self.usual.charge_of(limit)),
            in_order: ready,
            out_of_order: self.held.saturating_sub(ready),
            holdable: self.usual.charge_of(limit.saturating_sub(memory)),
            offered: self.offered,
            full_chunk,
        }
    }

    /// The size of the buffer.
    pub(crate) fn capacity(&self) -> ByteCount {
        self.capacity
    }

    /// The window that the peer may still use.
    pub(crate) fn offered(&self) -> ByteCount {
        self.offered
    }

    /// The weight of the data in the buffer.
    pub(crate) fn held(&self) -> ByteCount {
        self.held
    }

    fn fits(&self, chunk: MemoryLoad, memory: ByteCount, times: u64) -> bool {
        self.held + chunk.charge <= self.capacity * times
            && memory + chunk.memory <= self.memory_limit() * times
    }

    fn memory_limit(&self) -> ByteCount {
        self.capacity * 2
    }
}

impl Usual {
    /// The initial average: as after one large chunk that takes only as much memory as its weight.
    const UNKNOWN: Usual = Usual { charge: 1500 * SCALE, memory: 1500 * SCALE };

    #[inline]
    fn on_chunk(&mut self, chunk: MemoryLoad) {
        let length = chunk.memory.saturating_sub(MemoryLoad::OVERHEAD).as_len();
        let memory = if length <= Bundle::LARGEST { Bundle::cost_of(length) } else { chunk.memory };
        self.charge = self.charge - self.charge / AVERAGED_OVER + chunk.charge.get() * SCALE;
        self.memory = self.memory - self.memory / AVERAGED_OVER + memory.get() * SCALE;
    }

    /// The weight of recent chunks that fit into `memory`.
    #[inline]
    fn charge_of(self, memory: ByteCount) -> ByteCount {
        let memory_of_usual = self.memory.max(1);
        let charge = match memory.get().checked_mul(self.charge) {
            Some(product) => product / memory_of_usual,
            // 128-bit divisions are slow, and such a large buffer is rare.
            None => {
                let product = u128::from(memory.get()) * u128::from(self.charge);
                u64::try_from(product / u128::from(memory_of_usual)).unwrap_or(u64::MAX)
            }
        };
        ByteCount::new(charge)
    }
}

/// The length of the moving average in chunks: each new chunk replaces one part in this number.
const AVERAGED_OVER: u64 = 128;
/// The sums are in fractions of a byte, because rounding would dominate chunks of one byte.
const SCALE: u64 = 1 << 16;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::acknowledge::{FlowControl, StandardFlow};

    const FULL: MemoryLoad = MemoryLoad::of_chunk(ByteCount::new(1500), 1500);
    const TINY: MemoryLoad = MemoryLoad::of_chunk(ByteCount::new(1), 1);

    /// The memory of `chunks` full chunks.
    fn full(chunks: u64) -> ByteCount {
        FULL.memory * chunks
    }

    /// A buffer for four full chunks, with `chunks` of them in it.
    fn buffer(chunks: u64) -> ReceiveBuffer {
        let mut buffer = ReceiveBuffer::new(ByteCount::new(6000));
        (0..chunks).for_each(|_| buffer.on_held(FULL));
        buffer
    }

    fn a_rwnd(buffer: &ReceiveBuffer, memory: ByteCount) -> ByteCount {
        StandardFlow.advertise(&buffer.sample(ByteCount::ZERO, memory, FULL.charge))
    }

    #[test]
    fn a_full_buffer_takes_nothing_more_until_something_is_read() {
        let mut buffer = buffer(4);
        assert!(!buffer.has_room(TINY, full(4)));
        assert!(a_rwnd(&buffer, full(4)).is_zero());
        buffer.on_released(FULL.charge);
        assert!(buffer.has_room(FULL, full(3)));
        assert_eq!(a_rwnd(&buffer, full(3)), FULL.charge);
    }

    #[test]
    fn what_all_others_wait_for_may_overdraw_the_buffer_once_over() {
        let mut buffer = buffer(4);
        for held in 4..8 {
            assert!(buffer.has_room_for_awaited(FULL, full(held)));
            buffer.on_held(FULL);
        }
        assert!(!buffer.has_room_for_awaited(TINY, full(8)));
        assert!(a_rwnd(&buffer, full(8)).is_zero());
    }

    #[test]
    fn a_flood_of_chunks_that_take_memory_each_is_refused_when_that_is_full() {
        let mut buffer = ReceiveBuffer::new(ByteCount::from_kib(64));
        let mut memory = ByteCount::ZERO;
        let mut chunks = 0;
        while buffer.has_room(TINY, memory) {
            buffer.on_held(TINY);
            memory += TINY.memory;
            chunks += 1;
        }
        assert_eq!(chunks, 2 * 65_536 / 257);
        assert!(a_rwnd(&buffer, memory) < ByteCount::new(257));
    }

    #[test]
    fn no_more_is_advertised_than_can_be_held_in_chunks_like_those_that_came_lately() {
        for length in [1, 10, 20, 64, 200, 255] {
            let chunk = MemoryLoad::of_chunk(ByteCount::of_len(length), length);
            let mut buffer = ReceiveBuffer::new(ByteCount::from_mib(1));
            for _ in 0..AVERAGED_OVER * 12 {
                buffer.on_held(chunk);
                buffer.on_released(chunk.charge);
            }
            let chunks = a_rwnd(&buffer, ByteCount::ZERO).get() / length as u64;
            // Averages are rounded: one in a thousand is allowed.
            assert!(Bundle::cost_of(length) * chunks * 999 <= buffer.memory_limit() * 1000, "{length} B");
            assert!(length < 200 || chunks * length as u64 > 1_000_000, "{length} B: {chunks} chunks");
        }
    }

    #[test]
    fn full_chunks_never_notice_the_bound_on_memory() {
        let mut buffer = ReceiveBuffer::new(FULL.charge * 100);
        for held in 1..=100 {
            buffer.on_held(FULL);
            assert_eq!(a_rwnd(&buffer, full(held)), FULL.charge * (100 - held));
        }
    }

    #[test]
    fn a_buffer_that_grows_offers_more_and_one_that_is_to_shrink_stays() {
        let mut buffer = buffer(4);
        buffer.grow_to(FULL.charge * 6);
        assert!(buffer.has_room(FULL, full(4)));
        assert_eq!(a_rwnd(&buffer, full(4)), FULL.charge * 2);
        buffer.grow_to(FULL.charge);
        assert_eq!(buffer.capacity(), FULL.charge * 6);
    }

    #[test]
    fn ready_and_waiting_data_are_distinguished() {
        let sample = buffer(3).sample(FULL.charge, full(3), FULL.charge);
        assert_eq!(sample.in_order, ByteCount::new(1500));
        assert_eq!(sample.out_of_order, ByteCount::new(3000));
        assert_eq!(sample.offered, ByteCount::new(1500));
    }

    proptest! {
        /// After any sequence of arrivals and reads: once everything is read, the advertised window is open or a window
        /// update is due.
        #[test]
        fn a_window_never_stays_closed(
            capacity in 1500u64..20_000,
            steps in prop::collection::vec((1u64..2000, 0usize..4, any::<bool>()), 1..60),
        ) {
            let mut buffer = ReceiveBuffer::new(ByteCount::new(capacity));
            let mut waiting = Vec::new();
            let memory_of = |waiting: &[MemoryLoad]| waiting.iter().fold(MemoryLoad::NONE, |sum, &chunk| sum + chunk).memory;
            for (charge, read, acknowledges) in steps {
                let chunk = MemoryLoad::of_chunk(ByteCount::new(charge), charge as usize);
                if buffer.has_room(chunk, memory_of(&waiting)) {
                    buffer.on_held(chunk);
                    waiting.push(chunk);
                }
                for chunk in waiting.drain(..read.min(waiting.len())) {
                    buffer.on_released(chunk.charge);
                }
                if acknowledges {
                    let a_rwnd = a_rwnd(&buffer, memory_of(&waiting));
                    prop_assert!(a_rwnd + buffer.held() <= buffer.capacity());
                    buffer.on_advertised(a_rwnd);
                }
            }
            waiting.drain(..).for_each(|chunk| buffer.on_released(chunk.charge));
            prop_assert_eq!(buffer.held(), ByteCount::ZERO);
            let sample = buffer.sample(ByteCount::ZERO, ByteCount::ZERO, FULL.charge);
            let is_open = sample.offered >= FULL.charge.min(ByteCount::new(capacity / 2));
            prop_assert_ne!(is_open, StandardFlow.is_update_due(&sample));
            prop_assert_eq!(a_rwnd(&buffer, ByteCount::ZERO), buffer.capacity());
        }
    }
}
