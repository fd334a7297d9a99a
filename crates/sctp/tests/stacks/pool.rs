//! Memory for datagrams that is used again as soon as nothing refers to it.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

/// A ring of slabs: the oldest is the first to be free again.
#[derive(Debug)]
pub(crate) struct Pool {
    current: BytesMut,
    used: VecDeque<BytesMut>,
}

impl Pool {
    pub(crate) fn new() -> Pool {
        Pool { current: BytesMut::with_capacity(SLAB), used: VecDeque::new() }
    }

    /// A copy of `bytes`. Nothing is allocated once there are slabs for all that is in flight.
    pub(crate) fn copy(&mut self, bytes: &[u8]) -> Bytes {
        if self.current.capacity() < bytes.len() {
            let free = self.used.front_mut().is_some_and(|oldest| oldest.try_reclaim(SLAB));
            let next = if free { self.used.pop_front() } else { None };
            let next = next.unwrap_or_else(|| BytesMut::with_capacity(SLAB));
            self.used.push_back(std::mem::replace(&mut self.current, next));
        }
        self.current.extend_from_slice(bytes);
        self.current.split().freeze()
    }
}

/// Many datagrams, so that few slabs make a large window.
const SLAB: usize = 64 * 1024;
