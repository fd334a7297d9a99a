//! Handles addresses: the source addresses of packets, and the addresses that this host gains and loses. `session/paths.rs`
//! adds, moves and removes the paths.

use std::net::SocketAddr;

use anabranch_base::{ByteCount, Time};

use super::{Association, State};
use crate::path::{MtuState, PathAddresses};
use crate::policy::PathId;

/// A change of a local address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocalChange {
    /// This host has the address now.
    Added(SocketAddr),
    /// This host no longer has the address.
    Removed(SocketAddr),
    /// This host has the address again, if this association used it before.
    Returned(SocketAddr),
}

impl Association {
    /// Adds a local address with one path, which is verified before it carries data. A known address changes nothing.
    /// Changes reported before the association is open take effect when it opens.
    pub fn add_local(&mut self, now: Time, address: SocketAddr) {
        self.change_local(now, LocalChange::Added(address));
    }

    /// Removes a local address. The paths of this address are removed, and their data moves to other paths at once. If
    /// no other path was ever verified, the last path stays until another one is verified, or until there are too many
    /// errors.
    pub fn remove_local(&mut self, now: Time, address: SocketAddr) {
        self.change_local(now, LocalChange::Removed(address));
    }

    /// Returns a lost local address, on a socket bound to all addresses of the host. If the association used the
    /// address before, it uses it again; else nothing changes.
    pub fn return_local(&mut self, now: Time, address: SocketAddr) {
        self.change_local(now, LocalChange::Returned(address));
    }

    /// Adds the local address `address` if the association used `lost` and lost it: the host has the one in place of the
    /// other.
    pub(crate) fn replace_local(&mut self, now: Time, lost: SocketAddr, address: SocketAddr) {
        if self.path_table().has_lost_local(lost) {
            self.add_local(now, address);
        }
    }

    /// Returns the path of a datagram from `remote` that arrived at `local` with our tag. If the peer changed its UDP
    /// port, the path continues with the new port (RFC 6951 §5.4). A new address becomes a candidate path, which is
    /// verified when it answers (RFC 9260 §5.4).
    pub fn path_of(&mut self, now: Time, local: SocketAddr, remote: SocketAddr) -> Option<PathId> {
        let table = self.path_table();
        // A removed path joins again when a packet arrives on it, if its addresses are back.
        if let Some(known) = table.find(local, remote).filter(|&known| !table.may_return(known)) {
            // RFC 5061 §5.3 F13: a packet from an address that the peer deleted is out of the blue.
            return Some(known).filter(|&known| !table.is_remote_gone(known));
        }
        let given_up = table.find(local, remote);
        let session = match &mut self.state {
            State::Open(session) | State::Closing(session, _) => session,
            State::Opening(_) | State::Closed(_) => return None,
        };
        if given_up.is_some() && session.is_given_up(PathAddresses { local, remote }) {
            return given_up;
        }
        if let Some(path) = session.path_to_move(local, remote) {
            session.move_path(path, remote, now);
            session.verify_paths(now);
            return Some(path);
        }
        let path = session.open_candidate(PathAddresses { local, remote })?;
        session.challenge(path, now);
        Some(path)
    }

    /// Moves a path to the peer's new address `remote`, as detected by a driver that authenticates packets. Does
    /// nothing if another path already leads to `remote`.
    pub fn follow(&mut self, now: Time, path: PathAddresses, remote: SocketAddr) {
        let table = self.path_table();
        let (Some(id), None) = (table.find(path.local, path.remote), table.find(path.local, remote)) else {
            return;
        };
        if let State::Open(session) | State::Closing(session, _) = &mut self.state
            && !session.ground().paths.is_removed(id)
        {
            session.move_path(id, remote, now);
        }
    }

    /// Applies the address changes that were reported before the association was open.
    pub(super) fn apply_changes(&mut self, now: Time) {
        for change in std::mem::take(&mut self.changes) {
            self.change_local(now, change);
        }
    }

    fn change_local(&mut self, now: Time, change: LocalChange) {
        let session = match &mut self.state {
            State::Open(session) | State::Closing(session, _) => session,
            State::Opening(_) => {
                self.changes.retain(|earlier| earlier.address() != change.address());
                // An address that returned is as it was when the handshake began.
                let is_news = !matches!(change, LocalChange::Returned(_));
                return self.changes.extend(is_news.then_some(change));
            }
            State::Closed(_) => return,
        };
        session.begin_event();
        match change {
            LocalChange::Added(address) => session.add_local(now, address),
            LocalChange::Removed(address) => session.remove_local(now, address),
            LocalChange::Returned(address) if session.ground().paths.has_lost_local(address) => {
                session.add_local(now, address);
            }
            LocalChange::Returned(_) => {}
        }
    }
}

impl Association {
    /// Handles a report of the operating system that it sends no packet larger than `largest` on `path`: the MTU of its
    /// interface shrank, or the packet was a probe above it. Returns true if the report is used, which it is on a path
    /// with MTU discovery.
    pub fn on_too_large(&mut self, now: Time, path: PathAddresses, largest: ByteCount) -> bool {
        let Some(id) = self.path_table().find(path.local, path.remote) else { return false };
        let (State::Open(session) | State::Closing(session, _)) = &mut self.state else { return false };
        session.begin_event();
        session.on_too_large(id, largest, now);
        session.ground().paths.mtu(id).state() != MtuState::Disabled
    }
}

impl LocalChange {
    fn address(self) -> SocketAddr {
        match self {
            LocalChange::Added(address) | LocalChange::Removed(address) | LocalChange::Returned(address) => {
                address
            }
        }
    }
}
