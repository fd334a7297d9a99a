//! The two addresses of a path.

use std::net::{IpAddr, SocketAddr};

use crate::config::IpVersion;

/// The addresses between which a path leads, with UDP ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PathAddresses {
    /// This end's address; unspecified if the operating system chooses it.
    pub local: SocketAddr,
    /// The peer's address.
    pub remote: SocketAddr,
}

impl PathAddresses {
    /// The IP version of the path.
    pub fn ip_version(&self) -> IpVersion {
        match self.remote.ip() {
            IpAddr::V4(_) => IpVersion::V4,
            IpAddr::V6(_) => IpVersion::V6,
        }
    }

    /// Whether a datagram from `remote` that arrived at `local` belongs to this path. An unspecified local address
    /// stands for all addresses of its socket.
    pub fn is_of(&self, local: SocketAddr, remote: SocketAddr) -> bool {
        let is_same_local =
            self.local == local || (self.local.ip().is_unspecified() && self.local.port() == local.port());
        is_same_local && self.remote == remote
    }
}
