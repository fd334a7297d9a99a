//! Packets that the operating system refuses because they exceed their interface's MTU.

use std::net::SocketAddr;

use anabranch_base::ByteCount;
use anabranch_sctp::association::PathAddresses;

use crate::interfaces::least_mtu;
use crate::system::SystemRef;

/// Packets refused for their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Their path.
    pub path: PathAddresses,
    /// The UDP payload of the first of them.
    pub size: usize,
    /// The number of packets.
    pub packets: u64,
}

impl Refused {
    /// The largest IP packet that can be sent there, as far as the machine reports it: the interface's MTU, and in
    /// any case less than the refused size.
    pub(crate) fn largest(&self, system: SystemRef) -> ByteCount {
        let headers = match self.path.remote {
            SocketAddr::V4(_) => 28,
            SocketAddr::V6(_) => 48,
        };
        let refused = ByteCount::of_len(self.size + headers);
        let carried = least_mtu(&[self.path.local], &system.interfaces().unwrap_or_default());
        let less = refused.saturating_sub(ByteCount::new(1));
        carried.map_or(less, |carried| carried.min(less))
    }
}
