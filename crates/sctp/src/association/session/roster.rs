//! How paths join, move and leave (RFC 9260 §5.4; RFC 5061 §5.3).

use std::cmp::Reverse;
use std::net::{IpAddr, SocketAddr};

use anabranch_base::{ByteCount, Time};

use super::init::MAX_PATHS;
use super::reconfiguration::AddressChange;
use super::session::{Session, look};
use super::timers::Timer;
use crate::event::Event;
use crate::path::PathAddresses;
use crate::policy::retransmission::LostBy;
use crate::policy::{PathId, PathState};

impl Session {
    /// Adds an unverified path between these addresses, or lets a removed one join again. `None` if there are too
    /// many paths and none of them may be replaced.
    pub fn open_path(&mut self, addresses: PathAddresses) -> Option<PathId> {
        if self.paths.living().count() >= MAX_PATHS {
            let least = self.least_useful()?;
            self.remove_path(least);
        }
        let id = self.settle_at(addresses)?;
        self.paths.set_initial_ssthresh(self.peer_window.buffer);
        self.join(id);
        self.fit_first_windows(&[id]);
        self.events.push_back(Event::PathAdded(id));
        Some(id)
    }

    /// The place of a path in the table: its own, else that of a removed candidate, else a new one. If the table is
    /// full, it is the place of the removed path on which nothing arrived for the longest time.
    fn settle_at(&mut self, addresses: PathAddresses) -> Option<PathId> {
        let config = &self.settings.config;
        let removed = || self.paths.ids().filter(|&id| self.paths.is_removed(id));
        if let Some(known) = removed().find(|&id| self.paths.addresses(id) == addresses) {
            self.paths.reset(known, PathState::Unconfirmed, config);
            return Some(known);
        }
        let guess = removed().find(|&id| self.paths.is_candidate(id));
        if guess.is_none() && self.paths.len() < MAX_PATHS_EVER {
            return Some(self.paths.add(addresses, PathState::Unconfirmed, config));
        }
        let place = guess.or_else(|| removed().min_by_key(|&id| self.paths.last_arrival(id)))?;
        self.paths.replace(place, addresses, PathState::Unconfirmed, config);
        Some(place)
    }

    /// Like [`open_path`](Session::open_path), for a candidate path: a packet arrived on it, possibly with a forged
    /// source, or it is tried because others do not answer. Any other path may replace it, and it is removed if it
    /// does not answer.
    pub(super) fn open_candidate(&mut self, addresses: PathAddresses) -> Option<PathId> {
        let is_known = |id: PathId| self.paths.addresses(id) == addresses && !self.paths.is_candidate(id);
        let was_path = self.paths.ids().any(is_known);
        let id = self.open_path(addresses)?;
        if !was_path {
            self.paths.set_candidate(id);
        }
        Some(id)
    }

    /// The path to replace when there are as many as allowed: the candidate on which nothing arrived for the longest
    /// time, otherwise such a path among the inactive ones. A working path is not replaced.
    fn least_useful(&self) -> Option<PathId> {
        let rank = |id: &PathId| {
            let is_failed = self.paths.sample(*id).state == PathState::Inactive;
            let may_leave = Some(*id) != self.departed && *id != self.paths.primary();
            match (self.paths.is_candidate(*id), is_failed && may_leave) {
                (true, _) => Some(0),
                (false, true) => Some(1),
                (false, false) => None,
            }
        };
        let ranked = self.paths.living().filter_map(|id| Some((rank(&id)?, self.paths.last_arrival(id), id)));
        ranked.min().map(|(_, _, id)| id)
    }

    /// The path's peer now sends from `remote` (RFC 6951 §5.4: "the receiver MUST [...] update the UDP port"). Errors
    /// on the old port do not count against the new one: the path is probed at once.
    pub fn move_path(&mut self, id: PathId, remote: SocketAddr, now: Time) {
        self.paths.move_to(id, remote);
        self.paths.doubt(id);
        self.timers.stop(Timer::HeartbeatAnswer(id));
        self.events.push_back(Event::PathMoved(id, remote));
        self.send_heartbeat(id, now);
    }

    /// The path whose peer now sends from `remote` to `local`: it has the same addresses and another port, and is not
    /// known to work with the old port. A path that works keeps its port: two uplinks behind one NAT differ only in
    /// the port.
    pub fn path_to_move(&self, local: SocketAddr, remote: SocketAddr) -> Option<PathId> {
        self.paths.ids().find(|&id| {
            let addresses = self.paths.addresses(id);
            let is_same_host = PathAddresses { remote, ..addresses }.is_of(local, remote)
                && addresses.remote.ip() == remote.ip();
            let state = self.paths.sample(id).state;
            is_same_host && (state == PathState::Unconfirmed || state.has_failed())
        })
    }

    /// This host has a new address. It adds one path, to [its partner](partner) among the peer's addresses. The path
    /// is probed after the address was announced to the peer, if it can be announced.
    pub fn add_local(&mut self, now: Time, local: SocketAddr) {
        self.paths.gain_local(local);
        if let Some(departed) = self.departed.filter(|&id| self.paths.addresses(id).local == local) {
            // The peer never lost this path; a probe tells whether it still works.
            self.departed = None;
            self.announce_change(now, AddressChange::Add(local));
            self.paths.doubt(departed);
            // Chunks that left meanwhile are certainly lost: the time-out, long by now, is not waited for.
            self.take_all_back(departed);
            self.timers.stop(Timer::Retransmission(departed));
            self.timers.stop(Timer::HeartbeatAnswer(departed));
            return self.send_heartbeat(departed, now);
        }
        let is_known = self.paths.living().any(|id| self.paths.addresses(id).local == local);
        if is_known {
            return;
        }
        if let Some(remote) = partner(local, &self.paths.remotes())
            && self.open_path(PathAddresses { local, remote }).is_some()
        {
            self.announce_change(now, AddressChange::Add(local));
            self.verify_paths(now);
        }
    }

    /// This host has lost an address: reports it to the peer as soon as the peer has another one.
    pub fn remove_local(&mut self, now: Time, local: SocketAddr) {
        self.release_local(local);
        self.announce_change(now, AddressChange::Delete(local));
    }

    /// This end has lost an address, or may not use it.
    pub(super) fn release_local(&mut self, local: SocketAddr) {
        self.paths.lose_local(local);
        self.release_paths(|path| path.local == local);
    }

    /// The peer has lost addresses: "It MUST NOT send SCTP packets for the association to that address" (RFC 5061
    /// §5.3 F13). If no verified path is left, data waits until a path is verified.
    pub(super) fn lose_remotes(&mut self, is_gone: impl Fn(IpAddr) -> bool) {
        self.paths.lose_remotes(&is_gone);
        let gone: Vec<PathId> =
            self.paths.living().filter(|&id| is_gone(self.paths.addresses(id).remote.ip())).collect();
        self.departed = self.departed.filter(|id| !gone.contains(id));
        gone.into_iter().for_each(|id| self.remove_path(id));
        self.awaits_verification = !self.paths.living().any(|id| self.is_verified(id));
    }

    /// An address is lost: removes the paths that `is_gone` selects. Their data goes to other paths at once.
    ///
    /// If no other path was ever verified, one of them stays. Data sent on it is lost, and counts as lost, until
    /// another path is verified or there are too many errors.
    fn release_paths(&mut self, is_gone: impl Fn(PathAddresses) -> bool) {
        let (gone, left): (Vec<PathId>, Vec<PathId>) =
            self.paths.living().partition(|&id| is_gone(self.paths.addresses(id)));
        if self.departed.is_none() && !left.iter().any(|&id| self.is_verified(id)) {
            let worked = gone.iter().copied().filter(|&id| self.is_verified(id));
            let last = worked.min_by_key(|&id| (id != self.paths.primary(), id));
            self.departed = last.or_else(|| gone.first().copied().filter(|_| left.is_empty()));
        }
        let stays = self.departed;
        gone.into_iter().filter(|id| Some(*id) != stays).for_each(|id| self.remove_path(id));
    }

    /// Another path is verified: removes the last path whose address was lost before.
    pub(super) fn settle_departure(&mut self) {
        self.awaits_verification = false;
        let Some(departed) = self.departed else { return };
        if self.paths.living().any(|id| id != departed && self.is_verified(id)) {
            self.departed = None;
            self.remove_path(departed);
        }
    }

    /// A SACK took acknowledgements back: chunks that are in flight again on a removed path are certainly lost.
    pub(super) fn clear_removed_paths(&mut self) {
        for id in self.paths.ids() {
            if self.paths.is_removed(id) && !self.paths.sample(id).flight.is_zero() {
                self.take_all_back(id);
            }
        }
    }

    /// Adds path `id` of the table to the send buffer and the policies.
    pub(super) fn join(&mut self, id: PathId) {
        self.send.add_path(id);
        self.policies.congestion.add_path(id);
        self.policies.slow_start.add_path(id);
    }

    /// M-CWM-1: "initial windows are scaled so the constraint holds". If the windows together exceed the room, the
    /// windows of the `fresh` paths are cut to equal parts of what the others leave. Each keeps a packet, for which the
    /// largest of the others make room.
    pub(super) fn fit_first_windows(&mut self, fresh: &[PathId]) {
        let view = look(Time::ZERO, &self.paths, &self.peer_window, &self.send);
        let room = self.policies.limit.room(&view);
        let together = |is_counted: &dyn Fn(PathId) -> bool| -> ByteCount {
            let sharing = view.paths.iter().filter(|path| path.state != PathState::Removed);
            sharing.filter(|path| is_counted(path.id)).map(|path| path.cwnd).sum()
        };
        if together(&|_| true) <= room {
            return;
        }
        let part = room.saturating_sub(together(&|id| !fresh.contains(&id))) / fresh.len() as u64;
        fresh.iter().for_each(|&id| self.paths.fit_first_window(id, part));
        self.shrink_windows_to(room);
    }

    /// Shrinks the largest windows packet by packet, to a packet at least, until all together do not exceed `room`.
    fn shrink_windows_to(&mut self, room: ByteCount) {
        loop {
            let sharing = self.paths.samples().iter().filter(|path| path.state != PathState::Removed);
            let together: ByteCount = sharing.clone().map(|path| path.cwnd).sum();
            let excess = together.saturating_sub(room);
            let Some(largest) = sharing.max_by_key(|path| (path.cwnd, Reverse(path.id))) else { return };
            let cut = excess.min(largest.cwnd.saturating_sub(largest.unit)).min(largest.unit);
            if cut.is_zero() {
                return;
            }
            self.paths.shrink(largest.id, cut);
        }
    }

    pub(super) fn remove_path(&mut self, id: PathId) {
        self.take_all_back(id);
        self.paths.remove(id);
        let timers = [
            Timer::Retransmission,
            Timer::Heartbeat,
            Timer::HeartbeatAnswer,
            Timer::Pacing,
            Timer::Resend,
            Timer::Overtaken,
            Timer::TailProbe,
        ];
        timers.map(|of| of(id)).into_iter().for_each(|timer| self.timers.stop(timer));
        self.outbox.retain(|control| !(control.is_probe && control.path == id));
        self.picked = self.picked.filter(|(path, _)| *path != id);
        self.planned_copy = self.planned_copy.filter(|(_, path)| *path != id);
        self.send.call_off_copies(id);
        self.exemptions.forget(id);
        self.doubts.forget(id);
        self.marks.forget(id);
        self.policies.detection.remove_path(id);
        self.policies.congestion.remove_path(id);
        self.policies.slow_start.remove_path(id);
        self.events.push_back(Event::PathRemoved(id));
    }

    /// Marks everything in flight on a removed path as lost.
    fn take_all_back(&mut self, id: PathId) {
        self.send.in_flight_on(id).into_iter().for_each(|tsn| _ = self.mark_lost(tsn, id, LostBy::Timeout));
        self.paths.on_all_lost(id);
    }

    /// Whether a path works or worked before; false for the path whose address was lost.
    pub(super) fn is_verified(&self, id: PathId) -> bool {
        let state = self.paths.sample(id).state;
        (state.works() || state.has_failed()) && self.departed != Some(id)
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

/// How many paths an association may have had in total before it reuses a place in the table that was not a
/// candidate's. A path that returns takes its own place again.
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
