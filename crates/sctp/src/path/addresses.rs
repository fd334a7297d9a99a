//! The two addresses of a path.

use std::net::{IpAddr, SocketAddr};

use crate::config::IpVersion;

/// Where a path leads: one address at each end, with the ports of UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PathAddresses {
    /// Of this end; unspecified where the operating system chooses.
    pub local: SocketAddr,
    /// Of the peer.
    pub remote: SocketAddr,
}

impl PathAddresses {
    /// Which IP carries the path.
    pub fn ip_version(&self) -> IpVersion {
        match self.remote.ip() {
            IpAddr::V4(_) => IpVersion::V4,
            IpAddr::V6(_) => IpVersion::V6,
        }
    }

    /// Whether a datagram from `remote` that arrived at `local` came this way. A local address that is not
    /// specified stands for all of its socket's.
    pub fn is_of(&self, local: SocketAddr, remote: SocketAddr) -> bool {
        let is_same_local =
            self.local == local || (self.local.ip().is_unspecified() && self.local.port() == local.port());
        is_same_local && self.remote == remote
    }
}
