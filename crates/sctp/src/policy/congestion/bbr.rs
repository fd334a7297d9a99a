//! BBR: a window and a pacing rate from a model of the path instead of from losses (BBRv3, draft-ietf-ccwg-bbr, the editors'
//! copy after revision 04; M-BBR-1 to -7).
//!
//! Each path has a BBR of its own. Within it, rates are in byte/s and volumes in bytes, as floating-point numbers; an
//! infinite bound does not bound. Comments name the draft's functions and variables.

mod control;
mod filter;
mod loss;
mod machine;
mod min_rtt;
mod model;
mod path;
mod probe_bw;
mod probe_rtt;
mod sampler;
mod state;

use anabranch_base::{BitRate, ByteCount, Seed};

pub use loss::LossRule;

use self::path::PathBbr;
use super::{Acked, CutCause, GivenWindow, LostData, PathModel, SentData};
use crate::policy::rules::StandardRules;
use crate::policy::{ConfigError, PathId, View};

/// BBR on every path of an association.
#[derive(Debug)]
pub struct Bbr {
    rule: LossRule,
    seed: Seed,
    /// By the path's index; `None` before anything was sent on it.
    paths: Vec<Option<PathBbr>>,
}

impl Bbr {
    /// BBR with `rule` for losses. The random numbers of each path come from a child of `seed`.
    pub fn new(rule: LossRule, seed: Seed) -> Bbr {
        Bbr { rule, seed, paths: Vec::new() }
    }

    /// Checks that packets are paced: without pacers BBR's windows, twice the bandwidth-delay product, would leave in
    /// bursts.
    ///
    /// # Errors
    /// Packets are not paced; `name` is that of the control.
    pub fn check(name: &str, rules: &StandardRules) -> Result<(), ConfigError> {
        let expected = "reno where packets are not paced; bbr needs pacing (max_burst.rule = \"paced\")";
        if rules.is_paced {
            Ok(())
        } else {
            Err(ConfigError::new("congestion_control", &name, expected.to_owned()))
        }
    }

    fn path_mut(&mut self, path: PathId) -> Option<&mut PathBbr> {
        self.paths.get_mut(path.index())?.as_mut()
    }
}

impl PathModel for Bbr {
    fn add_path(&mut self, path: PathId) {
        self.paths.resize_with(self.paths.len().max(path.index() + 1), || None);
        self.paths[path.index()] = None;
    }

    fn remove_path(&mut self, path: PathId) {
        self.paths[path.index()] = None;
    }

    fn on_sent(&mut self, path: PathId, sent: &SentData, view: &View<'_>) -> Option<GivenWindow> {
        let (rule, sample) = (self.rule, view.path(path));
        let seed = &self.seed;
        let of_path = self.paths[path.index()].get_or_insert_with(|| {
            PathBbr::new(rule, sample, &seed.child(&path.index().to_string()), sent.at)
        });
        of_path.on_sent(sent, sample)
    }

    fn on_acked(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> Option<GivenWindow> {
        // M-BBR-5: one path at a time, so that the others carry what it does not.
        let is_probed = |(index, of_path): (usize, &Option<PathBbr>)| {
            index != path.index() && of_path.as_ref().is_some_and(PathBbr::is_in_probe_rtt)
        };
        let may_probe_rtt = self.rule == LossRule::Draft || !self.paths.iter().enumerate().any(is_probed);
        Some(self.path_mut(path)?.on_acked(acked, view.path(path), may_probe_rtt))
    }

    fn on_lost(&mut self, path: PathId, lost: &LostData, view: &View<'_>) {
        if let Some(of_path) = self.path_mut(path) {
            of_path.on_lost(lost, view.path(path));
        }
    }

    fn on_withheld(&mut self, path: PathId, view: &View<'_>) {
        if let Some(of_path) = self.path_mut(path) {
            of_path.on_withheld(view.path(path));
        }
    }

    fn on_cut(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> ByteCount {
        let (sample, now) = (view.path(path), view.now);
        match self.path_mut(path) {
            Some(of_path) => of_path.on_cut(cause, sample, now),
            None => sample.cwnd,
        }
    }

    fn on_undone(&mut self, path: PathId, view: &View<'_>) -> Option<GivenWindow> {
        Some(self.path_mut(path)?.on_undone(view.path(path)))
    }

    fn take_share(&mut self, path: PathId, share: f64) {
        if let Some(of_path) = self.path_mut(path) {
            of_path.take_share(share);
        }
    }

    fn pacing_rate(&self, path: PathId, view: &View<'_>) -> Option<BitRate> {
        let of_path = self.paths.get(path.index())?.as_ref()?;
        Some(of_path.pacing_rate(view.path(path)))
    }
}
