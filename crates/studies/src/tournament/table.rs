//! A tournament as Markdown: how many checks each policy passes, by gate, and a line for each network.

use std::fmt::Write;

use super::contest::{Contest, NetworkResult};
use super::gate::Gate;
use super::policy::Policy;

/// A policy over a set of networks.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// For each gate: checks passed, and checks.
    pub gates: Vec<(usize, usize)>,
    /// Lossy networks on which it is not below `fill` by more than chance, and lossy networks.
    pub strictly: (usize, usize),
    /// The shares of the bound, bulk networks only.
    shares: Vec<f64>,
    /// The least share of the best path alone, with its network; bulk networks only.
    pub least: Option<(f64, String)>,
}

impl Score {
    /// That of the policy of this number.
    pub fn of(contest: &Contest, results: &[NetworkResult], policy: usize) -> Score {
        let gates = Gate::ALL.map(|gate| {
            let checks = || results.iter().filter(|result| result.network.gates.contains(&gate));
            (checks().filter(|result| result.is_passed(gate, policy)).count(), checks().count())
        });
        let fill = contest.position(Policy::FILL);
        let lossy = || results.iter().filter(|result| result.is_lossy());
        let below = lossy().filter(|result| fill.is_some_and(|fill| result.is_below(policy, fill))).count();
        let bulk = || results.iter().filter(|result| result.is_bulk());
        let least = bulk().map(|result| (result.share_of_best(policy), result.network.id.clone()));
        Score {
            gates: gates.to_vec(),
            strictly: (lossy().count() - below, lossy().count()),
            shares: bulk().map(|result| result.share_of_whole(policy)).collect(),
            least: least.min_by(|one, two| one.0.total_cmp(&two.0)),
        }
    }

    /// Checks passed, and checks.
    pub fn checks(&self) -> (usize, usize) {
        self.gates.iter().fold((0, 0), |(passed, all), gate| (passed + gate.0, all + gate.1))
    }

    /// The mean share of the bound; with `most` at most that of each network.
    fn mean_share(&self, most: f64) -> f64 {
        self.shares.iter().map(|share| share.min(most)).sum::<f64>() / self.shares.len() as f64
    }
}

/// The table by gate, a row a policy.
pub fn by_gate(contest: &Contest, results: &[NetworkResult]) -> String {
    let judged =
        Gate::ALL.into_iter().filter(|gate| results.iter().any(|one| one.network.gates.contains(gate)));
    let judged: Vec<Gate> = judged.collect();
    let names: Vec<&str> = judged.iter().map(|gate| gate.name()).collect();
    let mut page = format!(
        "| policy | checks | {} | G7 strictly | mean share of the bound | each at most 1 | least share of the best path |\n\
         |---|---:|{}---:|---:|---:|---|\n",
        names.join(" | "),
        "---:|".repeat(names.len())
    );
    for (number, policy) in contest.policies.iter().enumerate() {
        let score = Score::of(contest, results, number);
        let gates = Gate::ALL.iter().zip(&score.gates).filter(|(gate, _)| judged.contains(gate));
        let gates: Vec<String> = gates.map(|(_, counts)| of(*counts)).collect();
        let least = score.least.as_ref().map_or("–".to_owned(), |(share, id)| format!("{share:.2} ({id})"));
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {least} |",
            policy.name,
            of(score.checks()),
            gates.join(" | "),
            if contest.seeds > 1 { of(score.strictly) } else { "–".to_owned() },
            share(score.mean_share(f64::INFINITY)),
            share(score.mean_share(1.0)),
        );
    }
    page
}

/// The table of the networks, a row each. A failed check stands behind its value.
pub fn by_network(contest: &Contest, results: &[NetworkResult]) -> String {
    let names: Vec<&str> = contest.policies.iter().map(|policy| policy.name).collect();
    let mut page = format!(
        "| network | | gates | bound | best alone | {} |\n|---|---|---|---:|---:|{}\n",
        names.join(" | "),
        "---:|".repeat(names.len())
    );
    for result in results {
        let gates: Vec<&str> = result.network.gates.iter().map(|gate| gate.name()).collect();
        let [bound, best] = match result.is_bulk() {
            true => [result.yardstick.whole(), result.yardstick.best_alone].map(|rate| format!("{rate:.2}")),
            false => [result.yardstick.latest_ms(), least_p99(result)].map(milliseconds),
        };
        let cells: Vec<String> = (0..names.len()).map(|policy| cell(contest, result, policy)).collect();
        let (id, title) = (&result.network.id, &result.network.title);
        let _ = writeln!(
            page,
            "| {id} | {title} | {} | {bound} | {best} | {} |",
            gates.join(" "),
            cells.join(" | ")
        );
    }
    page
}

/// The share of the bound or the p99, and what failed.
fn cell(contest: &Contest, result: &NetworkResult, policy: usize) -> String {
    let value = match result.is_bulk() {
        true => format!("{:.3}", result.share_of_whole(policy)),
        false => milliseconds(result.policies[policy].performance().p99_ms),
    };
    let failed = result.network.gates.iter().filter(|gate| !result.is_passed(**gate, policy));
    let mut failed: Vec<&str> = failed.map(|gate| gate.name()).collect();
    let fill = contest.position(Policy::FILL);
    if result.is_lossy() && fill.is_some_and(|fill| result.is_below(policy, fill)) {
        failed.push("<fill");
    }
    if failed.is_empty() { value } else { format!("{value} **{}**", failed.join(" ")) }
}

/// The least p99 of a path alone.
fn least_p99(result: &NetworkResult) -> f64 {
    result.alone.iter().map(|series| series.p99.mean()).fold(f64::INFINITY, f64::min)
}

fn milliseconds(value: f64) -> String {
    format!("{value:.0} ms")
}

fn share(value: f64) -> String {
    if value.is_nan() { "–".to_owned() } else { format!("{value:.3}") }
}

fn of((passed, all): (usize, usize)) -> String {
    format!("{passed} of {all}")
}

#[cfg(test)]
mod tests {
    use super::super::contest::{References, Series};
    use super::super::gate::Yardstick;
    use super::super::network::{Network, NetworkFacts};
    use super::*;
    use crate::figures::by_seed::BySeed;

    fn contest() -> Contest {
        let policies = vec![Policy::FILL, Policy::LOWEST_RTT];
        Contest { profile: "tuned-1".to_owned(), policies, seeds: 2, references: References::OfThisBuild }
    }

    fn series(goodput: [f64; 2], p99: f64) -> Series {
        let sample = |values: [f64; 2]| BySeed::new(values.to_vec()).expect("two");
        Series { goodput: sample(goodput), p99: sample([p99; 2]) }
    }

    fn result(id: &str, gates: &[Gate], cbr_share: Option<f64>, policies: &[Series; 2]) -> NetworkResult {
        let network = Network {
            id: id.to_owned(),
            title: "two".to_owned(),
            gates: gates.to_vec(),
            buffer_bytes: 65_536,
            cbr_share,
            ceiling_mbps: 20.0,
            bound_mbps: 20.0,
            toml: String::new(),
        };
        let links = vec!["p0".to_owned(), "p1".to_owned()];
        NetworkResult {
            network,
            facts: NetworkFacts { links, longest_delay_ms: 50.0, has_losses: true },
            yardstick: Yardstick {
                ceiling: 20.0,
                bound: 20.0,
                best_alone: 8.0,
                sum_alone: 16.0,
                fill: policies[0].goodput.mean(),
                lowest_rtt: policies[1].goodput.mean(),
                longest_delay_ms: 50.0,
            },
            policies: policies.to_vec(),
            alone: vec![series([8.0, 8.0], 40.0), series([8.0, 8.0], 30.0)],
        }
    }

    fn results() -> Vec<NetworkResult> {
        vec![
            result(
                "core-00",
                &[Gate::G1, Gate::G7],
                None,
                &[series([16.0, 16.2], 0.0), series([6.0, 6.1], 0.0)],
            ),
            result("core-01", &[Gate::G1], None, &[series([7.0, 9.0], 0.0), series([16.0, 24.0], 0.0)]),
            result(
                "core-02",
                &[Gate::G5],
                Some(0.7),
                &[series([9.0, 9.0], 151.0), series([8.0, 8.0], 149.0)],
            ),
        ]
    }

    #[test]
    fn checks_are_counted_by_gate_and_shares_over_bulk_networks() {
        let (contest, results) = (contest(), results());
        let fill = Score::of(&contest, &results, 0);
        assert_eq!((fill.checks(), fill.strictly), ((3, 4), (2, 2)));
        assert_eq!(fill.least, Some((1.0, "core-01".to_owned())));
        let other = Score::of(&contest, &results, 1);
        assert_eq!((other.checks(), other.strictly), ((2, 4), (1, 2)));
        assert_eq!(other.gates[..2], [(1, 2), (0, 0)]);
        assert!((other.mean_share(f64::INFINITY) - (6.05 / 16.0 + 1.25) / 2.0).abs() < 1e-12);
        assert!((other.mean_share(1.0) - (6.05 / 16.0 + 1.0) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_table_by_gate_has_the_gates_that_are_asked() {
        let page = by_gate(&contest(), &results());
        assert!(page.starts_with("| policy | checks | G1 | G5 | G7 | G7 strictly |"), "{page}");
        assert!(
            page.contains(
                "| fill | 3 of 4 | 2 of 2 | 0 of 1 | 1 of 1 | 2 of 2 | 0.753 | 0.750 | 1.00 (core-01) |"
            ),
            "{page}"
        );
    }

    #[test]
    fn a_single_seed_judges_nothing_strictly() {
        let page = by_gate(&Contest { seeds: 1, ..contest() }, &results());
        assert!(page.contains("| fill | 3 of 4 | 2 of 2 | 0 of 1 | 1 of 1 | – | 0.753 |"), "{page}");
    }

    #[test]
    fn a_network_has_a_line_with_what_failed() {
        let page = by_network(&contest(), &results());
        assert!(
            page.contains("| core-00 | two | G1 G7 | 16.00 | 8.00 | 1.006 | 0.378 **G1 G7 <fill** |"),
            "{page}"
        );
        assert!(page.contains("| core-02 | two | G5 | 150 ms | 30 ms | 151 ms **G5** | 149 ms |"), "{page}");
    }
}
