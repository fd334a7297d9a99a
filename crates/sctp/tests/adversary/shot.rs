//! One packet of the attacker, on its way.

use std::net::SocketAddr;

use crate::pair::{End, Pair};

/// A packet that will arrive at an address of an end, with a chosen source.
#[derive(Clone, Debug)]
pub(crate) struct Shot {
    pub(crate) to: End,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    pub(crate) bytes: Vec<u8>,
}

impl Shot {
    /// To an end as if from the other end, by a pipe.
    pub(crate) fn between(pair: &Pair, to: End, pipe: usize, bytes: Vec<u8>) -> Shot {
        Shot { to, local: pair.address(to, pipe), remote: pair.seen(to.other(), pipe), bytes }
    }
}
