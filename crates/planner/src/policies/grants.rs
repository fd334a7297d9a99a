//! Decides which path may grow, and which one gives up room for it, one packet of window after another.

use anabranch_models::rounds::RoundProcess;

use super::{Policy, SharedBuffer};
use crate::PlanError;

impl Policy {
    /// The largest window of a path under its own limit alone.
    pub(super) fn ceiling(&self, path: usize) -> u32 {
        match self {
            Policy::Static(limits) => limits[path],
            Policy::Dynamic | Policy::Borrowing(_) => u32::MAX,
        }
    }

    /// Checks that there is a limit for each path, and room for all of them.
    pub(super) fn check(&self, paths: usize, buffer: u32) -> Result<(), PlanError> {
        let (Policy::Static(limits) | Policy::Borrowing(limits)) = self else { return Ok(()) };
        if limits.len() != paths {
            return Err(PlanError::Limits { limits: limits.len(), paths });
        }
        let least = limits.iter().map(|limit| u64::from(*limit)).sum();
        if least > u64::from(buffer) { Err(PlanError::NothingFits { least, buffer }) } else { Ok(()) }
    }
}

impl SharedBuffer {
    /// Grows a path's window as far as it needs and the policy allows.
    pub(super) fn grow(&mut self, path: usize) {
        while self.paths[path].wanted() > self.paths[path].window() {
            let windows: u32 = self.paths.iter().map(RoundProcess::window).sum();
            if windows >= self.buffer {
                let Some(giver) = self.giver(path) else { return };
                self.paths[giver].cut();
            }
            self.paths[path].grow();
        }
    }

    /// The path that gives up a packet of window to `path`, which grows in a full buffer.
    fn giver(&self, path: usize) -> Option<usize> {
        match &self.policy {
            Policy::Dynamic => {
                let below = self.ranked.iter().rev().take_while(|ranked| **ranked != path);
                below.copied().find(|below| self.paths[*below].may_cut())
            }
            Policy::Borrowing(limits) => {
                if self.paths[path].window() >= limits[path] {
                    return None;
                }
                let excess = |other: &usize| self.paths[*other].window().saturating_sub(limits[*other]);
                let beyond = (0..self.paths.len()).filter(|other| excess(other) > 0);
                beyond.filter(|other| self.paths[*other].may_cut()).max_by_key(excess)
            }
            // Limits within the buffer leave room for each window.
            Policy::Static(_) => None,
        }
    }
}
