//! Buffers in the order of their use, each reused once nothing refers to it.

use std::collections::VecDeque;

/// A ring of buffers. The oldest is expected to be free first; one that is held for long does not block the others.
/// If there are too many, half of them are freed.
#[derive(Debug)]
pub(crate) struct Ring<B> {
    /// The buffers in the order of their use.
    buffers: VecDeque<B>,
    /// The buffers that are still held although many younger ones are free.
    stragglers: VecDeque<B>,
    /// The number of consecutive takes for which half of the buffers would have been enough.
    idle: usize,
    /// The ring is reduced only above twice this number of buffers.
    fewest: usize,
}

impl<B> Ring<B> {
    /// A ring without buffers. After a burst no more than twice `fewest` stay.
    pub(crate) fn new(fewest: usize) -> Ring<B> {
        Ring { buffers: VecDeque::new(), stragglers: VecDeque::new(), idle: 0, fewest }
    }

    /// Takes a buffer for which `is_free`, unless those examined are all held.
    pub(crate) fn take(&mut self, is_free: impl Fn(&mut B) -> bool) -> Option<B> {
        self.buffers.extend(pop_front_if(&mut self.stragglers, &is_free));
        self.stragglers.rotate_left(usize::from(!self.stragglers.is_empty()));
        let half = self.buffers.len() / 2;
        let is_half_enough = self.buffers.get_mut(half).is_some_and(&is_free);
        self.shrink(half, is_half_enough);
        // The buffer in the middle is free, so that the loop ends.
        while is_half_enough && let Some(held) = pop_front_if(&mut self.buffers, |buffer| !is_free(buffer)) {
            self.stragglers.push_back(held);
        }
        pop_front_if(&mut self.buffers, is_free)
    }

    /// Adds a buffer that is now in use.
    pub(crate) fn put(&mut self, buffer: B) {
        self.buffers.push_back(buffer);
    }

    /// The number of buffers.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.buffers.len() + self.stragglers.len()
    }

    /// Frees half of the buffers when the younger half was enough for several rounds.
    fn shrink(&mut self, half: usize, is_half_enough: bool) {
        self.idle = if is_half_enough && half >= self.fewest { self.idle + 1 } else { 0 };
        if self.idle > self.buffers.len() * PATIENCE {
            self.buffers.drain(..half);
            self.buffers.shrink_to(half * 4);
            self.idle = 0;
        }
    }
}

/// The number of rounds before the ring is reduced.
const PATIENCE: usize = 4;

fn pop_front_if<B>(buffers: &mut VecDeque<B>, is_wanted: impl FnOnce(&mut B) -> bool) -> Option<B> {
    if buffers.front_mut().is_some_and(is_wanted) { buffers.pop_front() } else { None }
}
