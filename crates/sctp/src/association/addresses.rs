//! Handles addresses: those that packets come from, and those that this host gains and loses. What becomes of the
//! paths is in the recipes.

use std::net::SocketAddr;

use anabranch_base::Time;

use super::{Association, State};
use crate::path::PathAddresses;
use crate::policy::PathId;

/// A local address came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocalChange {
    /// This host has it now.
    Added(SocketAddr),
    /// This host has it no longer.
    Removed(SocketAddr),
    /// This host has an address again, if this association had it.
    Returned(SocketAddr),
}

impl Association {
    /// This host has another address: one path more, which is verified before it carries data. Known ones change nothing.
    /// Changes reported before the association is open take effect when it opens.
    pub fn add_local(&mut self, now: Time, address: SocketAddr) {
        self.change_local(now, LocalChange::Added(address));
    }

    /// This host has lost an address: its paths are removed, and what they carried goes to others at once. If there is no
    /// other that was ever verified, the last one stays until one is, or until the errors are too many.
    pub fn remove_local(&mut self, now: Time, address: SocketAddr) {
        self.change_local(now, LocalChange::Removed(address));
    }

    /// This host has an address again at a socket that has all its addresses: what used it before does so again, and what
    /// never did is left as it is.
    pub fn return_local(&mut self, now: Time, address: SocketAddr) {
        self.change_local(now, LocalChange::Returned(address));
    }

    /// The path of a datagram from `remote` that arrived at `local` with our tag. A path whose peer changed
    /// its port follows it (RFC 6951 §5.4); an address that is new becomes a path to be verified, if it answers
    /// (RFC 9260 §5.4).
    pub fn path_of(&mut self, now: Time, local: SocketAddr, remote: SocketAddr) -> Option<PathId> {
        let table = self.path_table();
        // A path that was removed joins again by what comes on it, where its addresses are back.
        if let Some(known) = table.find(local, remote).filter(|&known| !table.may_return(known)) {
            // RFC 5061 §5.3 F13: what comes from an address that the peer deleted is out of the blue.
            return Some(known).filter(|&known| !table.is_remote_gone(known));
        }
        let session = match &mut self.state {
            State::Open(session) | State::Closing(session, _) => session,
            State::Opening(_) | State::Closed(_) => return None,
        };
        if let Some(path) = session.path_to_move(local, remote) {
            session.move_path(path, remote, now);
            session.verify_paths(now);
            return Some(path);
        }
        let path = session.open_candidate(PathAddresses { local, remote })?;
        session.challenge(path, now);
        Some(path)
    }

    /// Moves a path: the packets from `path.remote` now come from `remote`, as a driver that authenticates packets
    /// found out. Nothing happens if another path leads there already.
    pub fn follow(&mut self, now: Time, path: PathAddresses, remote: SocketAddr) {
        let table = self.path_table();
        let (Some(id), None) = (table.find(path.local, path.remote), table.find(path.local, remote)) else {
            return;
        };
        if let State::Open(session) | State::Closing(session, _) = &mut self.state
            && !session.paths.is_removed(id)
        {
            session.move_path(id, remote, now);
        }
    }

    /// The association is open: what happened to addresses before then counts now.
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
                // Whatever came back is as it was when the handshake began.
                let is_news = !matches!(change, LocalChange::Returned(_));
                return self.changes.extend(is_news.then_some(change));
            }
            State::Closed(_) => return,
        };
        session.begin_event();
        match change {
            LocalChange::Added(address) => session.add_local(now, address),
            LocalChange::Removed(address) => session.remove_local(now, address),
            LocalChange::Returned(address) if session.paths.has_lost_local(address) => {
                session.add_local(now, address);
            }
            LocalChange::Returned(_) => {}
        }
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
