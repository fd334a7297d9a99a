//! The two ends of a path: their addresses, which of them is lost, and whether the path was announced.

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

/// The ends of one path, as reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    addresses: PathAddresses,
    is_local_gone: bool,
    is_remote_gone: bool,
    /// It was not announced, and is not verified to lead to the peer.
    is_candidate: bool,
}

impl Ends {
    /// The ends of an announced path, which both exist.
    pub(super) fn new(addresses: PathAddresses) -> Ends {
        Ends { addresses, is_local_gone: false, is_remote_gone: false, is_candidate: false }
    }

    /// The path's peer now sends from `remote`.
    pub(crate) fn move_to(&mut self, remote: SocketAddr) {
        self.addresses.remote = remote;
    }

    /// This end has gained the address `local`, or has it again.
    pub(crate) fn gain_local(&mut self, local: SocketAddr) {
        self.is_local_gone &= self.addresses.local != local;
    }

    /// This end has lost the address `local`.
    pub(crate) fn lose_local(&mut self, local: SocketAddr) {
        self.is_local_gone |= self.addresses.local == local;
    }

    /// The peer has the address `remote` again.
    pub(crate) fn gain_remote(&mut self, remote: IpAddr) {
        self.is_remote_gone &= self.addresses.remote.ip() != remote;
    }

    /// The peer has lost its address, if `is_gone` selects it.
    pub(crate) fn lose_remote(&mut self, is_gone: impl Fn(IpAddr) -> bool) {
        self.is_remote_gone |= is_gone(self.addresses.remote.ip());
    }

    /// The path is only a candidate until it is verified.
    pub(crate) fn begin_candidacy(&mut self) {
        self.is_candidate = true;
    }

    /// The path was verified, or keeps its place.
    pub(crate) fn end_candidacy(&mut self) {
        self.is_candidate = false;
    }

    /// Both addresses, lost or not.
    pub(super) fn addresses(&self) -> &PathAddresses {
        &self.addresses
    }

    /// This end's address, unless it is lost.
    pub(super) fn local(&self) -> Option<SocketAddr> {
        (!self.is_local_gone).then_some(self.addresses.local)
    }

    /// The peer's address, unless it is lost.
    pub(super) fn remote(&self) -> Option<SocketAddr> {
        (!self.is_remote_gone).then_some(self.addresses.remote)
    }

    /// Returns true if `local` was this end's address and is lost.
    pub(crate) fn has_lost_local(&self, local: SocketAddr) -> bool {
        self.is_local_gone && self.addresses.local == local
    }

    /// Returns true if the path is, or was when it was removed, only a candidate.
    pub(super) fn is_candidate(&self) -> bool {
        self.is_candidate
    }
}

impl PathAddresses {
    /// The IP version of the path.
    pub(crate) fn ip_version(&self) -> IpVersion {
        match self.remote.ip() {
            IpAddr::V4(_) => IpVersion::V4,
            IpAddr::V6(_) => IpVersion::V6,
        }
    }

    /// Returns true if a datagram from `remote` that arrived at `local` belongs to this path. An unspecified local address
    /// stands for all addresses of its socket.
    pub fn is_of(&self, local: SocketAddr, remote: SocketAddr) -> bool {
        let is_same_local =
            self.local == local || (self.local.ip().is_unspecified() && self.local.port() == local.port());
        is_same_local && self.remote == remote
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn an_end_is_lost_and_gained_by_its_own_address_alone() {
        let (local, remote) = (address("10.0.0.1:1"), address("10.0.0.2:1"));
        let other = address("10.0.0.3:1");
        let mut ends = Ends::new(PathAddresses { local, remote });
        ends.lose_local(other);
        ends.lose_remote(|ip| ip == other.ip());
        assert_eq!((ends.local(), ends.remote()), (Some(local), Some(remote)));
        ends.lose_local(local);
        ends.lose_remote(|ip| ip == remote.ip());
        assert_eq!((ends.local(), ends.remote()), (None, None));
        assert!(ends.has_lost_local(local) && !ends.has_lost_local(other));
        ends.gain_local(other);
        ends.gain_remote(other.ip());
        assert_eq!((ends.local(), ends.remote()), (None, None));
        ends.gain_local(local);
        ends.gain_remote(remote.ip());
        assert_eq!((ends.local(), ends.remote()), (Some(local), Some(remote)));
    }
}
