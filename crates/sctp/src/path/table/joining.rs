//! A path joins the table, takes the place of another, or begins anew: each of its parts begins with it.

use anabranch_base::{ByteCount, Duration};

use super::{Path, PathTable};
use crate::config::Config;
use crate::path::PathAddresses;
use crate::path::after_loss::LossState;
use crate::path::default_paths::DefaultPaths;
use crate::path::ecn::EcnTrial;
use crate::path::ends::Ends;
use crate::path::estimates::Estimates;
use crate::path::gate::Gate;
use crate::path::liveness::Liveness;
use crate::path::measured::Measured;
use crate::path::mtu::MtuSearch;
use crate::path::reports::Reports;
use crate::path::roles::Statements;
use crate::policy::{Blocker, Hints, PathId, PathSample, PathState};

impl PathTable {
    /// Adds a path in `state`; the first one added is the primary path.
    pub(crate) fn add(&mut self, addresses: PathAddresses, state: PathState, config: &Config) -> PathId {
        let id = PathId::from_index(self.paths.len());
        let (sample, path) = fresh(id, addresses, state, config);
        self.address_changes += 1;
        self.samples.push(sample);
        self.paths.push(path);
        self.settle_new(id);
        id
    }

    /// Puts a new path in `state` in the place of the removed path `id`.
    pub(crate) fn replace(
        &mut self,
        id: PathId,
        addresses: PathAddresses,
        state: PathState,
        config: &Config,
    ) {
        (self.samples[id.index()], self.paths[id.index()]) = fresh(id, addresses, state, config);
        self.address_changes += 1;
        self.settle_new(id);
    }

    /// Keeps only the paths `kept`, in this order and with new ids. Nothing but the handshake used them.
    pub(crate) fn select(&mut self, kept: &[PathId]) {
        let mut old: Vec<Option<(PathSample, Path)>> =
            self.samples.drain(..).zip(self.paths.drain(..)).map(Some).collect();
        for id in kept {
            if let Some((sample, path)) = old.get_mut(id.index()).and_then(Option::take) {
                self.samples.push(PathSample { id: PathId::from_index(self.samples.len()), ..sample });
                self.paths.push(path);
            }
        }
        self.default_paths = DefaultPaths::new();
        self.address_changes += 1;
        self.update_failures();
    }

    /// Resets path `id` to the windows and the health of a new path, in `state`.
    pub(crate) fn reset(&mut self, id: PathId, state: PathState, config: &Config) {
        let (path, sample) = self.at(id);
        let ip = path.ends.addresses().ip_version();
        path.liveness.restart(state);
        path.role = Statements::default();
        path.gate.restart();
        path.estimates.restart(config.rto, sample);
        path.measured.restart(sample);
        path.ecn_trial = EcnTrial::default();
        sample.cwnd = config.first_window(ip);
        sample.ssthresh = config.initial_ssthresh.unwrap_or(ByteCount::MAX);
        sample.flight = ByteCount::ZERO;
        self.settle_new(id);
        self.change_after_loss(id, |state| *state = LossState::default());
    }

    /// Notes the statements about the addresses of a path that has just joined.
    fn settle_new(&mut self, id: PathId) {
        self.update_role(id);
        self.update_failures();
    }
}

/// A path on which nothing was sent yet.
fn fresh(id: PathId, addresses: PathAddresses, state: PathState, config: &Config) -> (PathSample, Path) {
    let ip = addresses.ip_version();
    let estimates = Estimates::new(config.rto);
    let mut sample = PathSample {
        id,
        state,
        mtu: config.first_mtu(ip),
        packet_limit: config.first_mtu(ip) - config.overhead(ip),
        unit: config.window_unit(ip),
        cwnd: config.first_window(ip),
        ssthresh: config.initial_ssthresh.unwrap_or(ByteCount::MAX),
        flight: ByteCount::ZERO,
        is_strict: config.strict_window,
        blocked_by: Some(Blocker::Burst),
        is_paced: false,
        cut_open: false,
        ecn_open: false,
        loss_open: false,
        has_used_share: false,
        srtt: None,
        min_rtt: None,
        rttvar: Duration::ZERO,
        rto: Duration::ZERO,
        recovery_rto: Duration::ZERO,
        bandwidth: None,
        one_way: None,
        delivery: None,
        drain_to: None,
        loss_rate: 0.0,
        hints: Hints::default(),
    };
    estimates.show(&mut sample);
    let path = Path {
        ends: Ends::new(addresses),
        liveness: Liveness::new(state),
        role: Statements::default(),
        gate: Gate::new(),
        estimates,
        measured: Measured::new(),
        mtu: config.mtu_bounds(ip).map_or_else(|| MtuSearch::off(config.mtu), MtuSearch::within),
        after_loss: LossState::default(),
        ecn_trial: EcnTrial::default(),
        reports: Reports::new(),
    };
    (sample, path)
}
