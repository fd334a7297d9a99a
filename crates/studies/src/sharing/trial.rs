//! A network with and without `coupled = "auto"`: what was found after 10 s and after 30 s, and what was carried.

use anabranch_base::{Duration, Time};
use anabranch_sim::{Run, Watch};
use rayon::prelude::*;

use super::draw::{self, NETWORKS};
use super::network::Network;
use crate::grid::{GridError, GridPoint, fault, parse};
use crate::processors::on_all;

/// One network with one seed of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The network.
    pub network: Network,
    /// For each path, the other that was found to share its bottleneck, 10 s after the start of the flow.
    pub after_10_s: Vec<Option<usize>>,
    /// The same after 30 s.
    pub after_30_s: Vec<Option<usize>>,
    /// What the flow carried without coupling, in Mbit/s.
    pub off_mbps: f64,
    /// What it carried with it.
    pub auto_mbps: f64,
}

/// What one run gave.
struct Outcome {
    after_10_s: Vec<Option<usize>>,
    after_30_s: Vec<Option<usize>>,
    mbps: f64,
}

impl Trial {
    /// Runs all networks that are drawn from `seed`, each with the seeds 1 to `seeds`, and with `control` instead of the drawn one.
    ///
    /// # Errors
    /// A network that cannot be run.
    pub fn all(seed: u64, seeds: u64, control: Option<&'static str>) -> Result<Vec<Trial>, GridError> {
        let numbered = (0..NETWORKS).flat_map(|number| (1..=seeds).map(move |run| (number, run)));
        let all: Vec<(usize, u64)> = numbered.collect();
        let one = |&(number, run): &(usize, u64)| {
            let drawn = draw::network(seed, number);
            Trial::of(Network { control: control.unwrap_or(drawn.control), ..drawn }, run)
        };
        on_all(|| all.par_iter().with_max_len(1).map(one).collect())?
    }

    fn of(network: Network, seed: u64) -> Result<Trial, GridError> {
        let [off, auto] = ["off", "auto"].map(|coupled| Outcome::of(&network, coupled, seed));
        let (off, auto) = (off?, auto?);
        let Outcome { after_10_s, after_30_s, mbps } = auto;
        Ok(Trial { network, after_10_s, after_30_s, off_mbps: off.mbps, auto_mbps: mbps })
    }

    /// Whether what was found is what is.
    pub fn is_right(&self, found: &[Option<usize>]) -> bool {
        let shared = self.network.is_shared();
        let expected = |path: usize| (shared && path < 2).then_some(1 - path.min(1));
        found.iter().enumerate().all(|(path, other)| *other == expected(path))
    }

    /// What coupling changed, as a part of what was carried without it.
    pub fn change(&self) -> f64 {
        self.auto_mbps / self.off_mbps - 1.0
    }
}

impl Outcome {
    fn of(network: &Network, coupled: &str, seed: u64) -> Result<Outcome, GridError> {
        let point = GridPoint { scenario: network.scenario(coupled), seeds: seed..seed + 1 };
        let mut run =
            Run::new(&parse(&point)?, seed, Watch::default()).map_err(|error| fault(&point, &error))?;
        let start = Duration::from_millis((1e3 * network.start_s).round() as u64);
        run.advance(start + Duration::from_secs(10));
        let after_10_s = run.shared_bottlenecks(0);
        let left = run.limit().since(Time::ZERO + start + Duration::from_secs(10));
        run.advance(left);
        let after_30_s = run.shared_bottlenecks(0);
        let mbps = run.finish().flows.first().map_or(0.0, |flow| flow.goodput_bps / 1e6);
        Ok(Outcome { after_10_s, after_30_s, mbps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(number: usize, found: &[Option<usize>]) -> Trial {
        let network = draw::network(1, number);
        let found = found.to_vec();
        Trial { network, after_10_s: found.clone(), after_30_s: found, off_mbps: 10.0, auto_mbps: 9.0 }
    }

    #[test]
    fn a_network_is_right_if_all_its_pairs_are() {
        let is_right = |trial: Trial| trial.is_right(&trial.after_10_s);
        assert!(is_right(trial(2, &[Some(1), Some(0)])) && !is_right(trial(2, &[None, None])));
        assert!(
            is_right(trial(2, &[Some(1), Some(0), None]))
                && !is_right(trial(2, &[Some(1), Some(0), Some(0)]))
        );
        assert!(is_right(trial(3, &[None, None])) && !is_right(trial(3, &[Some(1), Some(0)])));
        assert!((trial(3, &[]).change() + 0.1).abs() < 1e-12);
    }
}
