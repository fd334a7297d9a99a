//! The number of a route, which packets carry.

/// A route through the fabric, in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteId(u32);

impl RouteId {
    /// The route that was added first.
    pub const FIRST: RouteId = RouteId(0);

    /// The route with the number `index`.
    pub(crate) const fn at(index: usize) -> RouteId {
        RouteId(index as u32)
    }

    /// The number, in the order in which routes were added.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
