//! Buffers in the order in which they were used, each of which serves again once nothing refers to it.

use std::collections::VecDeque;

/// A ring of buffers. The oldest is the first to be free again; one that is held for long blocks no other. When there are
/// too many, half of them are freed.
#[derive(Debug)]
pub struct Ring<B> {
    /// In the order in which they were used.
    buffers: VecDeque<B>,
    /// Buffers that are still held although many younger ones are not.
    stragglers: VecDeque<B>,
    /// The number of buffers in a row that were taken while half of them would have been enough.
    idle: usize,
    /// A ring of fewer buffers than twice this is left as it is.
    fewest: usize,
}

impl<B> Ring<B> {
    /// No buffers yet. Of those that a burst leaves, no more than twice `fewest` stay.
    pub fn new(fewest: usize) -> Ring<B> {
        Ring { buffers: VecDeque::new(), stragglers: VecDeque::new(), idle: 0, fewest }
    }

    /// Takes a buffer for which `is_free`, unless all that should be are held.
    pub fn take(&mut self, is_free: impl Fn(&mut B) -> bool) -> Option<B> {
        self.buffers.extend(self.stragglers.pop_front_if(&is_free));
        self.stragglers.rotate_left(usize::from(!self.stragglers.is_empty()));
        let half = self.buffers.len() / 2;
        let is_half_enough = self.buffers.get_mut(half).is_some_and(&is_free);
        self.shrink(half, is_half_enough);
        // The buffer at half is free, so that the loop ends.
        while is_half_enough && let Some(held) = self.buffers.pop_front_if(|buffer| !is_free(buffer)) {
            self.stragglers.push_back(held);
        }
        self.buffers.pop_front_if(is_free)
    }

    /// Adds a buffer that is used now.
    pub fn put(&mut self, buffer: B) {
        self.buffers.push_back(buffer);
    }

    /// How many there are.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.buffers.len() + self.stragglers.len()
    }

    /// Frees half of the buffers when the younger half was enough for several turns of the ring.
    fn shrink(&mut self, half: usize, is_half_enough: bool) {
        self.idle = if is_half_enough && half >= self.fewest { self.idle + 1 } else { 0 };
        if self.idle > self.buffers.len() * PATIENCE {
            self.buffers.drain(..half);
            self.buffers.shrink_to(half * 4);
            self.idle = 0;
        }
    }
}

/// The number of turns of the ring.
const PATIENCE: usize = 4;
