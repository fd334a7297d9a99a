//! Which paths exist between which addresses, and what happens to a path whose address is lost.

use std::net::{IpAddr, SocketAddr};

use super::{Path, PathTable};
use crate::path::PathAddresses;
use crate::policy::{PathId, PathState};

/// Which addresses of a path are lost, as far as was reported.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gone {
    local: bool,
    remote: bool,
}

impl PathTable {
    /// Removes path `id`, one of whose addresses is lost. It keeps its place and its counters; its flight was taken
    /// out before. If it was the primary path, it is replaced by the first active path, else by the first verified
    /// one, else by any.
    pub fn remove(&mut self, id: PathId) {
        debug_assert!(self.sample(id).flight.is_zero(), "what is in flight is taken back first");
        let path = &mut self.paths[id.index()];
        path.health.remove();
        path.last_data = None;
        self.show_health(id);
        if self.primary == id {
            let rank = |id: &PathId| match self.sample(*id).state {
                PathState::Active => 0,
                PathState::Standby => 1,
                PathState::PotentiallyFailed => 2,
                PathState::Inactive => 3,
                PathState::Unconfirmed | PathState::Removed => 4,
            };
            self.primary = self.living().min_by_key(rank).unwrap_or(id);
        }
        self.weigh_failures();
    }

    /// The paths that were not removed.
    pub fn living(&self) -> impl DoubleEndedIterator<Item = PathId> + Clone + '_ {
        self.samples.iter().filter(|sample| sample.state != PathState::Removed).map(|sample| sample.id)
    }

    /// This end has gained the address `local`, or has it again.
    pub fn gain_local(&mut self, local: SocketAddr) {
        self.paths
            .iter_mut()
            .filter(|path| path.addresses.local == local)
            .for_each(|path| path.gone.local = false);
    }

    /// This end has lost the address `local`.
    pub fn lose_local(&mut self, local: SocketAddr) {
        self.paths
            .iter_mut()
            .filter(|path| path.addresses.local == local)
            .for_each(|path| path.gone.local = true);
    }

    /// Whether this end had the address `local` and has lost it.
    pub fn has_lost_local(&self, local: SocketAddr) -> bool {
        self.paths.iter().any(|path| path.gone.local && path.addresses.local == local)
    }

    /// The peer has the address `remote` again.
    pub fn gain_remote(&mut self, remote: IpAddr) {
        let there = self.paths.iter_mut().filter(|path| path.addresses.remote.ip() == remote);
        there.for_each(|path| path.gone.remote = false);
    }

    /// The peer has lost the addresses that `is_gone` selects.
    pub fn lose_remotes(&mut self, is_gone: impl Fn(IpAddr) -> bool) {
        let there = self.paths.iter_mut().filter(|path| is_gone(path.addresses.remote.ip()));
        there.for_each(|path| path.gone.remote = true);
    }

    /// Whether the peer reported the loss of the remote address of path `id`.
    pub fn is_remote_gone(&self, id: PathId) -> bool {
        self.paths[id.index()].gone.remote
    }

    /// This end's addresses that are not lost, in the form of [`remotes`](PathTable::remotes).
    pub fn locals(&self) -> Vec<(SocketAddr, usize)> {
        self.counted(|path| (!path.gone.local).then_some(path.addresses.local))
    }

    /// The peer's addresses that are not lost, in the order in which they became known. Each has the number of paths
    /// that lead to it, which is zero if these paths lost their local addresses.
    pub fn remotes(&self) -> Vec<(SocketAddr, usize)> {
        self.counted(|path| (!path.gone.remote).then_some(path.addresses.remote))
    }

    fn counted(&self, end_of: impl Fn(&Path) -> Option<SocketAddr>) -> Vec<(SocketAddr, usize)> {
        let mut ends: Vec<(SocketAddr, usize)> = Vec::new();
        for id in self.ids() {
            let Some(end) = end_of(&self.paths[id.index()]) else { continue };
            let leads = usize::from(!self.is_removed(id));
            match ends.iter_mut().find(|(known, _)| *known == end) {
                Some((_, paths)) => *paths += leads,
                None => ends.push((end, leads)),
            }
        }
        ends
    }

    /// Whether path `id` was removed although both its addresses exist now: one was lost for a while.
    pub fn may_return(&self, id: PathId) -> bool {
        let Gone { local, remote } = self.paths[id.index()].gone;
        self.is_removed(id) && !local && !remote
    }

    /// Whether path `id` was removed: one of its addresses is lost, or was lost and nothing has arrived on the path
    /// since.
    pub fn is_removed(&self, id: PathId) -> bool {
        self.sample(id).state == PathState::Removed
    }

    /// How often a path was added or moved. While this number stays, the addresses of all paths stay.
    pub fn address_changes(&self) -> u64 {
        self.address_changes
    }

    /// The path of a datagram from `remote` to `local`. Of several, it is the one with both addresses that was not
    /// removed.
    pub fn find(&self, local: SocketAddr, remote: SocketAddr) -> Option<PathId> {
        let named = self.paths.iter().position(|path| path.addresses == PathAddresses { local, remote });
        let named = named.map(PathId::from_index).filter(|&id| !self.is_removed(id));
        named.or_else(|| {
            let fits = self.ids().filter(|&id| self.addresses(id).is_of(local, remote));
            fits.min_by_key(|&id| (self.is_removed(id), self.addresses(id).local != local))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    fn table(paths: &[(&str, &str)]) -> PathTable {
        let mut table = PathTable::new();
        for (local, remote) in paths {
            let addresses = PathAddresses { local: address(local), remote: address(remote) };
            table.add(addresses, PathState::Active, &Config::rfc9260());
        }
        table
    }

    #[test]
    fn when_the_primary_path_is_removed_one_that_works_takes_its_place() {
        let mut table = table(&[
            ("10.0.0.1:1", "10.0.0.2:1"),
            ("10.0.1.1:1", "10.0.1.2:1"),
            ("10.0.2.1:1", "10.0.2.2:1"),
        ]);
        let [first, second, third] = [0, 1, 2].map(PathId::from_index);
        table.doubt(second);
        table.remove(first);
        assert_eq!((table.primary(), table.last_resort()), (third, third));
        assert_eq!(table.resort_of(first), third, "nothing goes where there is nothing");
        table.remove(third);
        assert_eq!(table.primary(), second, "better than none");
        assert_eq!(table.living().collect::<Vec<_>>(), [second]);
        assert_eq!(table.len(), 3, "no id is used twice");
    }

    #[test]
    fn a_path_that_names_the_address_goes_before_a_wildcard_and_before_one_that_is_gone() {
        let mut table = table(&[("0.0.0.0:1", "10.0.0.2:1"), ("10.0.0.1:1", "10.0.0.2:1")]);
        let found = |table: &PathTable| table.find(address("10.0.0.1:1"), address("10.0.0.2:1"));
        assert_eq!(found(&table), Some(PathId::from_index(1)));
        table.remove(PathId::from_index(1));
        assert_eq!(found(&table), Some(PathId::FIRST));
        table.remove(PathId::FIRST);
        assert_eq!(found(&table), Some(PathId::from_index(1)), "its last packets are still on their way");
    }
}
