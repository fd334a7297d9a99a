//! Dynamic source routing at one station (M-DSR-1; RFC 4728 without replies from caches, without salvaging, and without a
//! first request to neighbours alone).

mod cache;
mod discovery;
mod send_buffer;

use anabranch_link::Packet;
use anabranch_link::fabric::Station;

pub use cache::RouteCache;
pub use discovery::Discoveries;
pub use send_buffer::SendBuffer;

/// What a station knows and holds for routing.
#[derive(Debug)]
pub struct Router<L> {
    /// The routes that it knows.
    pub cache: RouteCache,
    /// The routes that it looks for, and the requests that it has seen.
    pub discoveries: Discoveries,
    /// Packets without a route.
    pub buffer: SendBuffer<L>,
}

impl<L> Router<L> {
    /// Takes the next packet for which there is a route, with its destination. That route need not be looked for any more,
    /// however it was learned.
    pub fn take_routable(&mut self) -> Option<(Station, Packet<L>)> {
        let cache = &self.cache;
        let found = self.buffer.take_first(|to| cache.find(to).is_some());
        found.iter().for_each(|(to, _)| self.discoveries.end(*to));
        found
    }
}

impl<L> Default for Router<L> {
    fn default() -> Router<L> {
        Router {
            cache: RouteCache::default(),
            discoveries: Discoveries::default(),
            buffer: SendBuffer::default(),
        }
    }
}
