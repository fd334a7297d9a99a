//! A network with and without `coupled = "auto"`: what was found after 10 s and after 30 s, and what was carried. The
//! findings of RFC 8382 are computed from the run without.

use anabranch_base::Duration;
use anabranch_runs::grid::{GridError, GridPoint, fault, parse};
use anabranch_runs::processors::on_all;
use anabranch_scenario::Scenario;
use anabranch_sim::{Run, Watch};
use rayon::prelude::*;

use super::draw::{self, NETWORKS};
use super::network::Network;
use super::rfc8382::SummaryDetector;

/// One network with one seed of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The network.
    pub network: Network,
    /// The finding of `coupled = "auto"`.
    pub auto: Found,
    /// The finding of RFC 8382.
    pub rfc8382: Found,
    /// The goodput of the flow without coupling, in Mbit/s.
    pub off_mbps: f64,
    /// The goodput with it.
    pub auto_mbps: f64,
}

/// For each path, the first other path that was found to share its bottleneck.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// 10 s after the start of the flow.
    pub(crate) after_10_s: Vec<Option<usize>>,
    /// After 30 s.
    pub(crate) after_30_s: Vec<Option<usize>>,
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
        let (rfc8382, off_mbps) = run_off(&network, seed)?;
        let (auto, auto_mbps) = run_auto(&network, seed)?;
        Ok(Trial { network, auto, rfc8382, off_mbps, auto_mbps })
    }

    /// Returns true if what was found is what is.
    pub fn is_right(&self, found: &[Option<usize>]) -> bool {
        let shared = self.network.is_shared();
        let expected = |path: usize| (shared && path < 2).then_some(1 - path.min(1));
        found.iter().enumerate().all(|(path, other)| *other == expected(path))
    }

    /// Returns the change by coupling, as a fraction of the goodput without it.
    pub fn change(&self) -> f64 {
        self.auto_mbps / self.off_mbps - 1.0
    }
}

/// Runs it without coupling: what RFC 8382 finds, and what the flow carries in Mbit/s.
fn run_off(network: &Network, seed: u64) -> Result<(Found, f64), GridError> {
    let (scenario, mut run) = begin(network, "off", seed, Watch { packets: true, ..Watch::default() })?;
    let mut detector = SummaryDetector::new(&scenario.flows[0]);
    detector.watch(&mut run, scenario.flows[0].start + Duration::from_secs(10));
    let after_10_s = detector.shares_with();
    let limit = run.limit();
    detector.watch(&mut run, limit);
    Ok((Found { after_10_s, after_30_s: detector.shares_with() }, mbps(run)))
}

/// Runs it with coupling: what that finds, and what the flow carries in Mbit/s.
fn run_auto(network: &Network, seed: u64) -> Result<(Found, f64), GridError> {
    let (scenario, mut run) = begin(network, "auto", seed, Watch::default())?;
    let after_10_s = scenario.flows[0].start + Duration::from_secs(10);
    let [after_10_s, after_30_s] = [after_10_s, run.limit()].map(|at| {
        run.advance(at.since(run.now()));
        run.shared_bottlenecks(0)
    });
    Ok((Found { after_10_s, after_30_s }, mbps(run)))
}

fn begin(network: &Network, coupled: &str, seed: u64, watch: Watch) -> Result<(Scenario, Run), GridError> {
    let point = GridPoint { scenario: network.scenario(coupled), seeds: seed..seed + 1 };
    let scenario = parse(&point)?;
    let run = Run::new(&scenario, seed, watch).map_err(|error| fault(&point, &error))?;
    Ok((scenario, run))
}

fn mbps(run: Run) -> f64 {
    run.finish().flows.first().map_or(0.0, |flow| flow.goodput_bps / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(number: usize, found: &[Option<usize>]) -> Trial {
        let network = draw::network(1, number);
        let found = Found { after_10_s: found.to_vec(), after_30_s: found.to_vec() };
        Trial { network, auto: found.clone(), rfc8382: found, off_mbps: 10.0, auto_mbps: 9.0 }
    }

    #[test]
    fn a_network_is_right_if_all_its_pairs_are() {
        let is_right = |trial: Trial| trial.is_right(&trial.auto.after_10_s);
        assert!(is_right(trial(2, &[Some(1), Some(0)])) && !is_right(trial(2, &[None, None])));
        assert!(
            is_right(trial(2, &[Some(1), Some(0), None]))
                && !is_right(trial(2, &[Some(1), Some(0), Some(0)]))
        );
        assert!(is_right(trial(3, &[None, None])) && !is_right(trial(3, &[Some(1), Some(0)])));
        assert!((trial(3, &[]).change() + 0.1).abs() < 1e-12);
    }
}
