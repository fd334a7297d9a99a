//! Packets that the operating system refuses because they exceed their interface's MTU.

use std::io;
use std::net::SocketAddr;

use anabranch_base::ByteCount;
use anabranch_sctp::association::PathAddresses;

use crate::interfaces::{interfaces, least_mtu};

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
    pub(crate) fn largest(&self) -> ByteCount {
        let headers = match self.path.remote {
            SocketAddr::V4(_) => 28,
            SocketAddr::V6(_) => 48,
        };
        let refused = ByteCount::of_len(self.size + headers);
        let carried = least_mtu(&[self.path.local], &interfaces().unwrap_or_default());
        let less = refused.saturating_sub(ByteCount::new(1));
        carried.map_or(less, |carried| carried.min(less))
    }
}

/// Returns true if `error` is the operating system's error for a packet that is too large.
pub(crate) fn is_too_large(error: &io::Error) -> bool {
    error.raw_os_error() == Some(TOO_LARGE)
}

/// `EMSGSIZE`, for which the standard library has no kind.
#[cfg(target_os = "linux")]
const TOO_LARGE: i32 = 90;
/// The same on BSD systems.
#[cfg(not(target_os = "linux"))]
const TOO_LARGE: i32 = 40;
