//! The replications of a run on its page: the mean of each flow with its interval, and a dot for each run.

use anabranch_base::BitRate;
use anabranch_sim::result::RunResult;
use anabranch_sim::{Estimate, summarise};

/// One flow over all runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlowRuns {
    /// The name of the flow.
    pub name: String,
    /// The mean goodput with half of the 95 % interval.
    pub goodput: String,
    /// The mean time of its transfer, likewise; empty without one.
    pub completion: String,
    /// The goodput of each run as per cent of the largest of all flows.
    pub dots: Vec<String>,
    /// The position of the mean, likewise.
    pub mean: String,
}

/// Every flow over `runs`; empty for fewer than two runs.
pub(crate) fn over_runs(runs: &[RunResult]) -> Vec<FlowRuns> {
    if runs.len() < 2 {
        return Vec::new();
    }
    let all = runs.iter().flat_map(|run| &run.flows).map(|flow| flow.goodput_bps);
    let largest = all.fold(0.0, f64::max).max(1.0);
    let part = |bps: f64| format!("{:.2}", (bps / largest * 100.0).clamp(0.0, 100.0));
    let flows = summarise(runs).into_iter().take(MOST_FLOWS).enumerate();
    flows
        .map(|(index, flow)| {
            let of_flow = runs.iter().take(MOST_DOTS).filter_map(|run| run.flows.get(index));
            FlowRuns {
                goodput: with_interval(&flow.goodput_bps, |bps| {
                    BitRate::from_bits_per_second(bps as u64).to_string()
                }),
                completion: flow
                    .completion_s
                    .map_or(String::new(), |took| with_interval(&took, |s| format!("{s:.2} s"))),
                dots: of_flow.map(|flow| part(flow.goodput_bps)).collect(),
                mean: part(flow.goodput_bps.mean),
                name: flow.name,
            }
        })
        .collect()
}

fn with_interval(estimate: &Estimate, show: impl Fn(f64) -> String) -> String {
    match estimate.ci95 {
        Some(ci95) => format!("{} ± {}", show(estimate.mean), show(ci95)),
        None => show(estimate.mean),
    }
}

/// More would not be distinguishable on a screen.
const MOST_FLOWS: usize = 50;
const MOST_DOTS: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn each_run_is_a_dot_and_the_mean_has_its_interval() {
        let run = |bps| {
            let mut run = testing::result();
            run.flows[0].goodput_bps = bps;
            run
        };
        let runs = [run(1e6), run(2e6), run(3e6)];
        let flows = over_runs(&runs);
        assert_eq!(flows.len(), 3, "all flows");
        assert_eq!(flows[0].dots, ["33.33", "66.67", "100.00"]);
        assert!(flows[0].goodput.starts_with("2.00 Mbit/s ± 2.4"), "{}", flows[0].goodput);
        assert!(over_runs(&runs[..1]).is_empty());
    }
}
