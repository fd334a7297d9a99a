//! The addresses between which paths exist.

use std::net::{IpAddr, SocketAddr};

use super::PathTable;
use crate::path::PathAddresses;
use crate::path::ends::Ends;
use crate::policy::{PathId, PathState};

impl PathTable {
    /// The path's peer now sends from `remote`.
    pub(crate) fn move_to(&mut self, id: PathId, remote: SocketAddr) {
        self.address_changes += 1;
        self.path_mut(id).ends.move_to(remote);
    }

    /// Path `id` is only a candidate until it is verified.
    pub(crate) fn set_candidate(&mut self, id: PathId) {
        self.path_mut(id).ends.begin_candidacy();
    }

    /// Path `id` keeps its place after it is removed, so that its addresses stay known.
    pub(crate) fn keep_place(&mut self, id: PathId) {
        self.path_mut(id).ends.end_candidacy();
    }

    /// This end has gained the address `local`, or has it again.
    pub(crate) fn gain_local(&mut self, local: SocketAddr) {
        self.each_end(|ends| ends.gain_local(local));
    }

    /// This end has lost the address `local`.
    pub(crate) fn lose_local(&mut self, local: SocketAddr) {
        self.each_end(|ends| ends.lose_local(local));
    }

    /// The peer has the address `remote` again.
    pub(crate) fn gain_remote(&mut self, remote: IpAddr) {
        self.each_end(|ends| ends.gain_remote(remote));
    }

    /// The peer has lost the addresses that `is_gone` selects.
    pub(crate) fn lose_remotes(&mut self, is_gone: impl Fn(IpAddr) -> bool) {
        self.each_end(|ends| ends.lose_remote(&is_gone));
    }

    /// Returns true if this end had the address `local` and has lost it.
    pub(crate) fn has_lost_local(&self, local: SocketAddr) -> bool {
        self.paths.iter().any(|path| path.ends.has_lost_local(local))
    }

    /// Returns true if the peer reported the loss of the remote address of path `id`.
    pub(crate) fn is_remote_gone(&self, id: PathId) -> bool {
        self.path(id).ends.remote().is_none()
    }

    /// The addresses of path `id`.
    pub(crate) fn addresses(&self, id: PathId) -> PathAddresses {
        *self.path(id).ends.addresses()
    }

    /// Returns true if path `id` is, or was when it was removed, only a candidate.
    pub(crate) fn is_candidate(&self, id: PathId) -> bool {
        self.path(id).ends.is_candidate()
    }

    /// The paths that were not removed.
    pub(crate) fn living(&self) -> impl DoubleEndedIterator<Item = PathId> + Clone + '_ {
        self.samples.iter().filter(|sample| sample.state != PathState::Removed).map(|sample| sample.id)
    }

    /// Returns true if no other path uses the local address of path `id`, or none the remote one.
    pub(crate) fn has_end_of_its_own(&self, id: PathId) -> bool {
        let own = self.addresses(id);
        let others = || self.living().filter(|other| *other != id).map(|other| self.addresses(other));
        others().all(|other| other.local != own.local) || others().all(|other| other.remote != own.remote)
    }

    /// This end's addresses that are not lost, in the form of [`remotes`](PathTable::remotes).
    pub(crate) fn locals(&self) -> Vec<(SocketAddr, usize)> {
        self.counted(Ends::local)
    }

    /// The peer's addresses that are not lost, in the order in which they became known. Each has the number of paths
    /// that lead to it, which is zero if these paths lost their local addresses.
    pub(crate) fn remotes(&self) -> Vec<(SocketAddr, usize)> {
        self.counted(Ends::remote)
    }

    /// Returns true if path `id` was removed although both its addresses exist now: one was lost for a while.
    pub(crate) fn may_return(&self, id: PathId) -> bool {
        let ends = &self.path(id).ends;
        self.is_removed(id) && ends.local().is_some() && ends.remote().is_some()
    }

    /// Returns true if path `id` was removed: one of its addresses is lost, or was lost and nothing has arrived on the path
    /// since.
    pub(crate) fn is_removed(&self, id: PathId) -> bool {
        self.sample(id).state == PathState::Removed
    }

    /// The number of times that a path was added or moved. While this number stays, the addresses of all paths stay.
    pub(crate) fn address_changes(&self) -> u64 {
        self.address_changes
    }

    /// The path of a datagram from `remote` to `local`. Of several, it is the one with both addresses that was not
    /// removed.
    pub(crate) fn find(&self, local: SocketAddr, remote: SocketAddr) -> Option<PathId> {
        let named =
            self.paths.iter().position(|path| *path.ends.addresses() == PathAddresses { local, remote });
        let named = named.map(PathId::from_index).filter(|&id| !self.is_removed(id));
        named.or_else(|| {
            let addresses = |id: PathId| self.path(id).ends.addresses();
            let fits = self.ids().filter(|&id| addresses(id).is_of(local, remote));
            fits.min_by_key(|&id| (self.is_removed(id), addresses(id).local != local))
        })
    }

    fn each_end(&mut self, change: impl Fn(&mut Ends)) {
        self.paths.iter_mut().for_each(|path| change(&mut path.ends));
    }

    fn counted(&self, end_of: impl Fn(&Ends) -> Option<SocketAddr>) -> Vec<(SocketAddr, usize)> {
        let mut ends: Vec<(SocketAddr, usize)> = Vec::new();
        for id in self.ids() {
            let Some(end) = end_of(&self.path(id).ends) else { continue };
            let leads = usize::from(!self.is_removed(id));
            match ends.iter_mut().find(|(known, _)| *known == end) {
                Some((_, paths)) => *paths += leads,
                None => ends.push((end, leads)),
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{address, table, table_between};
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_path_that_names_the_address_goes_before_a_wildcard_and_before_one_that_is_gone() {
        let mut table = table_between(&[("0.0.0.0:1", "10.0.0.2:1"), ("10.0.0.1:1", "10.0.0.2:1")]);
        let found = |table: &PathTable| table.find(address("10.0.0.1:1"), address("10.0.0.2:1"));
        assert_eq!(found(&table), Some(PathId::from_index(1)));
        table.remove(PathId::from_index(1));
        assert_eq!(found(&table), Some(PathId::FIRST));
        table.remove(PathId::FIRST);
        assert_eq!(found(&table), Some(PathId::from_index(1)), "its last packets are still on their way");
    }

    #[test]
    fn a_path_is_found_by_both_addresses_and_a_wildcard_stands_for_all() {
        let mut table = table();
        let second = table.find(address("10.0.2.1:9899"), address("10.0.2.2:9899"));
        assert_eq!(second, Some(PathId::from_index(1)));
        assert_eq!(table.find(address("10.0.2.1:9899"), address("10.0.1.2:9899")), None);
        let (local, remote) = (address("0.0.0.0:5000"), address("10.0.9.9:9899"));
        let wild = table.add(PathAddresses { local, remote }, PathState::Active, &Config::rfc9260());
        assert_eq!(table.find(address("192.168.0.1:5000"), remote), Some(wild));
        assert_eq!(table.find(address("192.168.0.1:5001"), remote), None);
    }
}
