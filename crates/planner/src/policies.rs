//! Window management over a shared receive buffer, simulated in rounds: several paths, each with its own clock, and the
//! policy that assigns windows.

mod grants;

use anabranch_models::rounds::{FinishedRound, RoundProcess};
use anabranch_models::{Halving, LimitedPath, PathParameters, RoundLoss};
use rand_chacha::ChaCha12Rng;

use crate::PlanError;

/// The sharing of the buffer by windows. In every policy a window stays within its path's cap, ⌈b d + 1⌉ (WS (58)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// By rank (WS §5.1, M-CWM-2): in a full buffer a path that grows takes a packet of window from the lowest-ranked
    /// path below itself.
    Dynamic,
    /// By limits, in packets, that no window exceeds (WS §5.2).
    Static(Vec<u32>),
    /// By limits, in packets, that windows may exceed while there is room; below its own limit a path takes a packet of
    /// window from the path furthest beyond its own (M-CWM-3).
    Borrowing(Vec<u32>),
}

/// Paths that share a receive buffer under a policy.
#[derive(Clone, Debug)]
pub struct SharedBuffer {
    paths: Vec<RoundProcess>,
    /// The end of each path's round, in seconds.
    clocks: Vec<f64>,
    /// The paths' indices, the highest rank first.
    ranked: Vec<usize>,
    buffer: u32,
    policy: Policy,
}

/// The deliveries of the paths over some time.
#[derive(Clone, Debug, PartialEq)]
pub struct DeliveredByPaths {
    /// The number of packets delivered, by path.
    pub delivered: Vec<u64>,
    /// The time, in seconds.
    pub seconds: f64,
}

impl SharedBuffer {
    /// `paths` with windows of one packet, in a buffer of `buffer` packets.
    ///
    /// # Errors
    /// No path, too small a buffer, a parameter outside its domain, or limits that do not fit the paths or the buffer.
    pub fn new(
        paths: &[PathParameters],
        buffer: u32,
        policy: Policy,
        loss: RoundLoss,
    ) -> Result<SharedBuffer, PlanError> {
        if paths.is_empty() {
            return Err(PlanError::NoPath);
        }
        if (buffer as usize) < paths.len() {
            return Err(PlanError::BufferTooSmall { buffer, paths: paths.len() });
        }
        policy.check(paths.len(), buffer)?;
        let process = |(index, path): (usize, &PathParameters)| {
            let limit = path.cap().min(buffer).min(policy.ceiling(index));
            RoundProcess::new(&LimitedPath { path: *path, limit }, loss, Halving::Ceil)
        };
        let processes = paths.iter().enumerate().map(process).collect::<Result<_, _>>()?;
        Ok(SharedBuffer {
            paths: processes,
            clocks: vec![0.0; paths.len()],
            ranked: crate::problem::ranked(paths),
            buffer,
            policy,
        })
    }

    /// Simulates the next round of the path whose clock is the earliest, and lets its window grow as the policy allows.
    pub fn step(&mut self, random: &mut ChaCha12Rng) -> (usize, FinishedRound) {
        let path = self.earliest();
        let round = self.paths[path].step(random);
        self.clocks[path] += round.duration;
        self.grow(path);
        (path, round)
    }

    /// Simulates until the clock of every path is `seconds` past the earliest clock at the call.
    pub fn run(&mut self, seconds: f64, random: &mut ChaCha12Rng) -> DeliveredByPaths {
        let begin = self.clocks[self.earliest()];
        let mut delivered = vec![0; self.paths.len()];
        loop {
            let now = self.clocks[self.earliest()];
            if now >= begin + seconds {
                return DeliveredByPaths { delivered, seconds: now - begin };
            }
            let (path, round) = self.step(random);
            delivered[path] += u64::from(round.delivered);
        }
    }

    /// The windows, in packets.
    pub fn windows(&self) -> Vec<u32> {
        self.paths.iter().map(RoundProcess::window).collect()
    }

    fn earliest(&self) -> usize {
        let order = |one: &usize, other: &usize| self.clocks[*one].total_cmp(&self.clocks[*other]);
        (0..self.clocks.len()).min_by(order).unwrap_or_default()
    }
}

impl DeliveredByPaths {
    /// The throughput of all paths together, in packets/s.
    pub fn throughput(&self) -> f64 {
        self.delivered.iter().sum::<u64>() as f64 / self.seconds
    }
}
