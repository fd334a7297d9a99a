//! Adds, moves and removes paths (RFC 9260 §5.4; RFC 5061 §5.3).

use std::net::{IpAddr, SocketAddr};

use anabranch_base::Time;

use super::Session;
use crate::association::ground::Timer;
use crate::association::init::MAX_PATHS;
use crate::association::peer_addresses::AddressChange;
use crate::event::Event;
use crate::path::PathAddresses;
use crate::policy::{PathId, PathState};

impl Session {
    /// Adds an unverified path between these addresses, or lets a removed one join again. `None` if there are too
    /// many paths and none of them may be replaced.
    pub(crate) fn open_path(&mut self, addresses: PathAddresses) -> Option<PathId> {
        if self.ground.paths.living().count() >= MAX_PATHS {
            let least = self.least_useful()?;
            self.remove_path(least);
        }
        let id = self.settle_at(addresses)?;
        self.sender.add_path(&mut self.ground, id);
        self.ground.log.event(Event::PathAdded(id));
        Some(id)
    }

    /// Puts a path into the table: at its own index, else at that of a removed candidate, else at a new one. If the
    /// table is full, it replaces the removed path on which nothing arrived for the longest time.
    fn settle_at(&mut self, addresses: PathAddresses) -> Option<PathId> {
        let config = &self.ground.settings.config;
        let removed = || self.ground.paths.ids().filter(|&id| self.ground.paths.is_removed(id));
        if let Some(known) = removed().find(|&id| self.ground.paths.addresses(id) == addresses) {
            self.ground.paths.reset(known, PathState::Unconfirmed, config);
            return Some(known);
        }
        let guess = removed().find(|&id| self.ground.paths.is_candidate(id));
        if guess.is_none() && self.ground.paths.len() < MAX_PATHS_EVER {
            return Some(self.ground.paths.add(addresses, PathState::Unconfirmed, config));
        }
        let place = guess.or_else(|| removed().min_by_key(|&id| self.ground.paths.last_arrival(id)))?;
        self.ground.paths.replace(place, addresses, PathState::Unconfirmed, config);
        Some(place)
    }

    /// Like [`open_path`](Session::open_path), for a candidate path: a packet arrived on it, possibly with a forged
    /// source, or it is tried because others do not answer. Any other path may replace it, and it is removed if it
    /// does not answer.
    pub(crate) fn open_candidate(&mut self, addresses: PathAddresses) -> Option<PathId> {
        let is_known =
            |id: PathId| self.ground.paths.addresses(id) == addresses && !self.ground.paths.is_candidate(id);
        let was_path = self.ground.paths.ids().any(is_known);
        let id = self.open_path(addresses)?;
        if !was_path {
            self.ground.paths.set_candidate(id);
        }
        Some(id)
    }

    /// The path to replace when the limit is reached: the candidate on which nothing arrived for the longest time,
    /// otherwise such a path among the inactive ones. A working path is not replaced.
    fn least_useful(&self) -> Option<PathId> {
        let rank = |id: &PathId| {
            let is_failed = self.ground.paths.sample(*id).state == PathState::Inactive;
            let may_leave = Some(*id) != self.peer.departed() && *id != self.ground.paths.primary();
            match (self.ground.paths.is_candidate(*id), is_failed && may_leave) {
                (true, _) => Some(0),
                (false, true) => Some(1),
                (false, false) => None,
            }
        };
        let ranked = self
            .ground
            .paths
            .living()
            .filter_map(|id| Some((rank(&id)?, self.ground.paths.last_arrival(id), id)));
        ranked.min().map(|(_, _, id)| id)
    }

    /// Moves a path whose peer now sends from `remote` (RFC 6951 §5.4: "the receiver MUST [...] update the UDP port").
    /// Errors on the old port do not count against the new one: the path is probed at once.
    pub(crate) fn move_path(&mut self, id: PathId, remote: SocketAddr, now: Time) {
        self.ground.paths.move_to(id, remote);
        self.ground.paths.doubt(id);
        self.ground.timers.stop(Timer::HeartbeatAnswer(id));
        self.ground.log.event(Event::PathMoved(id, remote));
        self.ground.send_heartbeat(id, now);
    }

    /// The path whose peer now sends from `remote` to `local`: it has the same addresses and another port, and is not
    /// known to work with the old port. A path that works keeps its port: two uplinks behind one NAT differ only in
    /// the port.
    pub(crate) fn path_to_move(&self, local: SocketAddr, remote: SocketAddr) -> Option<PathId> {
        self.ground.paths.ids().find(|&id| {
            let addresses = self.ground.paths.addresses(id);
            let is_same_host = PathAddresses { remote, ..addresses }.is_of(local, remote)
                && addresses.remote.ip() == remote.ip();
            let state = self.ground.paths.sample(id).state;
            is_same_host && (state == PathState::Unconfirmed || state.has_failed())
        })
    }

    /// Adds a new local address, with one path to [its partner](partner) among the peer's addresses. The path is probed
    /// after the address was announced to the peer, if it can be announced.
    pub(crate) fn add_local(&mut self, now: Time, local: SocketAddr) {
        self.ground.paths.gain_local(local);
        if let Some(departed) =
            self.peer.departed().filter(|&id| self.ground.paths.addresses(id).local == local)
        {
            // The peer never lost this path; a probe shows whether it still works.
            self.peer.set_departed(None);
            self.peer.announce_change(&mut self.ground, now, AddressChange::Add(local));
            self.ground.paths.doubt(departed);
            // Chunks sent meanwhile are certainly lost: do not wait for the time-out, which has backed off.
            self.sender.take_all_back(&mut self.ground, departed);
            self.ground.timers.stop(Timer::Retransmission(departed));
            self.ground.timers.stop(Timer::HeartbeatAnswer(departed));
            return self.ground.send_heartbeat(departed, now);
        }
        let is_known = self.ground.paths.living().any(|id| self.ground.paths.addresses(id).local == local);
        if is_known {
            return;
        }
        if let Some(remote) = partner(local, &self.ground.paths.remotes())
            && self.open_path(PathAddresses { local, remote }).is_some()
        {
            self.peer.announce_change(&mut self.ground, now, AddressChange::Add(local));
            self.peer.verify_paths(&mut self.ground, now);
        }
    }

    /// Removes a lost local address, and reports it to the peer as soon as the peer has another one.
    pub(crate) fn remove_local(&mut self, now: Time, local: SocketAddr) {
        self.release_local(local);
        self.peer.announce_change(&mut self.ground, now, AddressChange::Delete(local));
    }

    /// Removes the paths of a local address that is lost or may not be used.
    pub(super) fn release_local(&mut self, local: SocketAddr) {
        self.ground.paths.lose_local(local);
        self.release_paths(|path| path.local == local);
    }

    /// Removes the paths to addresses that the peer has lost: "It MUST NOT send SCTP packets for the association to
    /// that address" (RFC 5061 §5.3 F13). If no verified path is left, data waits until a path is verified.
    pub(super) fn lose_remotes(&mut self, is_gone: impl Fn(IpAddr) -> bool) {
        self.ground.paths.lose_remotes(&is_gone);
        let gone: Vec<PathId> = self
            .ground
            .paths
            .living()
            .filter(|&id| is_gone(self.ground.paths.addresses(id).remote.ip()))
            .collect();
        self.peer.set_departed(self.peer.departed().filter(|id| !gone.contains(id)));
        gone.into_iter().for_each(|id| self.remove_path(id));
        let is_any_verified = self.ground.paths.living().any(|id| self.peer.is_verified(&self.ground, id));
        self.sender.await_verification(!is_any_verified);
    }

    /// Removes the paths of a lost address, which `is_gone` selects. Their data moves to other paths at once.
    ///
    /// If no other path was ever verified, one of them stays. Data sent on it is lost, and counts as lost, until
    /// another path is verified or there are too many errors.
    fn release_paths(&mut self, is_gone: impl Fn(PathAddresses) -> bool) {
        let (gone, left): (Vec<PathId>, Vec<PathId>) =
            self.ground.paths.living().partition(|&id| is_gone(self.ground.paths.addresses(id)));
        if self.peer.departed().is_none() && !left.iter().any(|&id| self.peer.is_verified(&self.ground, id)) {
            let worked = gone.iter().copied().filter(|&id| self.peer.is_verified(&self.ground, id));
            let last = worked.min_by_key(|&id| (id != self.ground.paths.primary(), id));
            self.peer.set_departed(last.or_else(|| gone.first().copied().filter(|_| left.is_empty())));
        }
        let stays = self.peer.departed();
        gone.into_iter().filter(|id| Some(*id) != stays).for_each(|id| self.remove_path(id));
    }

    /// Removes the last path, whose address was lost, when another path is verified.
    pub(super) fn settle_departure(&mut self) {
        self.sender.await_verification(false);
        let Some(departed) = self.peer.departed() else { return };
        if self.ground.paths.living().any(|id| id != departed && self.peer.is_verified(&self.ground, id)) {
            self.peer.set_departed(None);
            self.remove_path(departed);
        }
    }

    /// Removes a path: what is in flight there counts as lost.
    pub(crate) fn remove_path(&mut self, id: PathId) {
        self.sender.remove_path(&mut self.ground, id);
        self.receiver.remove_path(id);
        self.ground.paths.remove(id);
        let timers = [
            Timer::Retransmission,
            Timer::Heartbeat,
            Timer::HeartbeatAnswer,
            Timer::Pacing,
            Timer::Resend,
            Timer::Overtaken,
            Timer::TailProbe,
        ];
        timers.map(|of| of(id)).into_iter().for_each(|timer| self.ground.timers.stop(timer));
        self.ground.outbox.remove_path(id);
        self.ground.log.event(Event::PathRemoved(id));
    }

    /// Tries other pairs of addresses in place of `path`, which does not answer.
    pub(crate) fn try_other_pairs(&mut self, path: PathId, now: Time) {
        let tried = self.peer.take_other_pairs(&self.ground, path);
        if tried.is_empty() {
            return;
        }
        tried.into_iter().for_each(|pair| _ = self.open_candidate(pair));
        self.peer.verify_paths(&mut self.ground, now);
    }

    /// Removes pairs that others make superfluous, after a path was verified or did not answer a HEARTBEAT.
    pub(crate) fn drop_superfluous_pairs(&mut self, now: Time) {
        for id in self.peer.pairs_to_judge(&self.ground) {
            if self.peer.gives_up(&mut self.ground, id, now) {
                self.give_up_pair(id);
            }
        }
    }

    /// Removes a path. The end that chose the pairs keeps a record of it: a packet that still arrives on it does not
    /// reopen it.
    fn give_up_pair(&mut self, id: PathId) {
        if self.peer.chose_pairs() {
            self.ground.paths.keep_place(id);
        }
        self.remove_path(id);
    }
}

/// The partner of a new address among the other end's addresses: the one with the fewest paths, of the same IP
/// version, and loopback only with loopback; of equals the first. If the other end has one such address, it is that
/// one. If two hosts each gain an address one after the other, the two new addresses become partners.
pub(super) fn partner(fresh: SocketAddr, others: &[(SocketAddr, usize)]) -> Option<SocketAddr> {
    let is_alike = |(other, _): &&(SocketAddr, usize)| {
        other.is_ipv4() == fresh.is_ipv4() && other.ip().is_loopback() == fresh.ip().is_loopback()
    };
    others.iter().filter(is_alike).min_by_key(|(_, paths)| *paths).map(|(other, _)| *other)
}

/// The maximum number of paths in the table: beyond it, an index is reused even if it was not a candidate's. A path
/// that returns takes its own index again.
const MAX_PATHS_EVER: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_address_goes_with_the_one_of_its_version_that_has_the_fewest_paths() {
        let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
        let known = [("10.0.0.2:9", 2), ("10.0.1.2:9", 1), ("[2001:db8::2]:9", 0), ("127.0.0.1:9", 0)];
        let known = known.map(|(text, paths)| (address(text), paths));
        let goes_with = |text: &str, count: usize| partner(address(text), &known[..count]);
        assert_eq!(goes_with("10.0.5.1:9", 4), Some(address("10.0.1.2:9")));
        assert_eq!(goes_with("10.0.5.1:9", 1), Some(address("10.0.0.2:9")), "there is only one");
        assert_eq!(goes_with("[2001:db8::1]:9", 4), Some(address("[2001:db8::2]:9")));
        assert_eq!(goes_with("127.0.0.9:9", 4), Some(address("127.0.0.1:9")));
        assert_eq!(goes_with("[2001:db8::1]:9", 2), None);
    }
}
