//! The paths of an association: the parts of each, and the samples that policies see. A file of the folder has the methods that
//! concern one part; `flight.rs` and `joining.rs` have the events that concern several.

mod answering;
mod bursts;
mod ends;
mod failure;
mod flight;
mod joining;
mod measuring;
mod mtu;
mod records;
mod roles;
mod windows;

use anabranch_base::{ByteCount, Duration};

use super::after_loss::LossState;
use super::default_paths::DefaultPaths;
use super::ecn::EcnTrial;
use super::ends::Ends;
use super::estimates::Estimates;
use super::gate::Gate;
use super::limits::BlockedClock;
use super::liveness::Liveness;
use super::measured::Measured;
use super::mtu::MtuSearch;
use super::reports::Reports;
use super::roles::{Roles, Statements};
use super::sack_counters::SackCounters;
use super::share::Shares;
use crate::policy::{Blocker, Hints, PathId, PathSample};

/// The table of paths. A removed path keeps its place, so that no id is used twice, except that another path may take
/// the place of a path on which only probes were sent.
#[derive(Debug)]
pub(crate) struct PathTable {
    samples: Vec<PathSample>,
    paths: Vec<Path>,
    default_paths: DefaultPaths,
    roles: Roles,
    blocked: BlockedClock,
    sacks: SackCounters,
    address_changes: u64,
    /// Errors in a row, on all paths together.
    errors_in_row: u32,
}

/// The parts of one path. None of them calls another.
#[derive(Debug)]
struct Path {
    ends: Ends,
    liveness: Liveness,
    role: Statements,
    gate: Gate,
    estimates: Estimates,
    measured: Measured,
    mtu: MtuSearch,
    after_loss: LossState,
    ecn_trial: EcnTrial,
    reports: Reports,
}

impl PathTable {
    /// A table without paths.
    pub(crate) fn new() -> PathTable {
        PathTable {
            samples: Vec::new(),
            paths: Vec::new(),
            default_paths: DefaultPaths::new(),
            roles: Roles::default(),
            blocked: BlockedClock::default(),
            sacks: SackCounters::default(),
            address_changes: 0,
            errors_in_row: 0,
        }
    }

    /// Sets the values that the user or the scenario gives for path `id`.
    pub(crate) fn set_hints(&mut self, id: PathId, hints: Hints) {
        self.sample_mut(id).hints = hints;
    }

    /// Changes the state that loss responses keep on path `id`.
    pub(crate) fn change_after_loss<T>(&mut self, id: PathId, change: impl FnOnce(&mut LossState) -> T) -> T {
        let (path, sample) = self.at(id);
        let changed = change(&mut path.after_loss);
        path.after_loss.show(sample);
        path.show_blocker(sample);
        changed
    }

    /// The state that loss responses keep on path `id`.
    pub(crate) fn after_loss(&self, id: PathId) -> &LossState {
        &self.path(id).after_loss
    }

    /// The duration of a timer of path `id` that starts now: the RTO, unless another time was drawn.
    pub(crate) fn take_timer(&mut self, id: PathId) -> Duration {
        let (path, sample) = self.at(id);
        path.after_loss.take_timer().unwrap_or(sample.rto)
    }

    /// The trial of ECN on path `id`.
    pub(crate) fn trial_mut(&mut self, id: PathId) -> &mut EcnTrial {
        &mut self.path_mut(id).ecn_trial
    }

    /// Notes whether path `id`, which holds `sent` in this end's buffer and `received` in the peer's, has used up its
    /// share.
    pub(crate) fn show_share(&mut self, id: PathId, shares: &Shares, sent: ByteCount, received: ByteCount) {
        self.sample_mut(id).has_used_share = !shares.has_room(sent, received);
    }

    /// The paths as policies see them.
    pub(crate) fn samples(&self) -> &[PathSample] {
        &self.samples
    }

    /// One path as policies see it.
    pub(crate) fn sample(&self, id: PathId) -> &PathSample {
        &self.samples[id.index()]
    }

    /// The ids.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = PathId> + use<> {
        (0..self.paths.len()).map(PathId::from_index)
    }

    /// The number of paths, including removed ones.
    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    /// Path `id`, to change it, and what policies see of it.
    fn at(&mut self, id: PathId) -> (&mut Path, &mut PathSample) {
        (&mut self.paths[id.index()], &mut self.samples[id.index()])
    }

    fn sample_mut(&mut self, id: PathId) -> &mut PathSample {
        &mut self.samples[id.index()]
    }

    fn path_mut(&mut self, id: PathId) -> &mut Path {
        &mut self.paths[id.index()]
    }

    fn path(&self, id: PathId) -> &Path {
        &self.paths[id.index()]
    }
}

impl Path {
    fn show_blocker(&self, sample: &mut PathSample) {
        sample.blocked_by = if self.after_loss.holds_data() {
            Some(Blocker::LossResponse)
        } else {
            self.gate.blocker(sample.flight)
        };
    }
}

impl Default for PathTable {
    fn default() -> PathTable {
        PathTable::new()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::net::SocketAddr;

    use super::*;
    use crate::config::Config;
    use crate::path::PathAddresses;
    use crate::policy::PathState;

    pub(crate) fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    /// Active paths between these addresses.
    pub(crate) fn table_between(ends: &[(&str, &str)]) -> PathTable {
        let mut table = PathTable::new();
        for (local, remote) in ends {
            let addresses = PathAddresses { local: address(local), remote: address(remote) };
            table.add(addresses, PathState::Active, &Config::rfc9260());
        }
        table
    }

    /// Two paths, each with addresses of its own.
    pub(crate) fn table() -> PathTable {
        let mut table =
            table_between(&[("10.0.1.1:9899", "10.0.1.2:9899"), ("10.0.2.1:9899", "10.0.2.2:9899")]);
        table.on_event(Config::rfc9260().max_burst);
        table
    }
}
