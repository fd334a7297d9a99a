//! A tournament as Markdown: how many checks each policy passes, by gate, and a line for each network.

use std::fmt::Write;

use super::contest::{Contest, NetworkResult};
use super::gate::{Gate, Yardstick};
use super::policy::Policy;

/// A policy over a set of networks.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// For each gate: checks passed, and checks that were judged.
    pub gates: Vec<(usize, usize)>,
    /// Lossy networks on which it is not below `fill` by more than chance, and lossy networks.
    pub strictly: (usize, usize),
    /// The shares of the physical bound, bulk networks only.
    shares: Vec<f64>,
    /// The least share of what the best link can carry, with its network; bulk networks only.
    pub least: Option<(f64, String)>,
}

impl Score {
    /// Computes the score of the policy of this number.
    pub fn of(contest: &Contest, results: &[NetworkResult], policy: usize) -> Score {
        let gates = Gate::ALL.map(|gate| {
            let judged = results.iter().filter(|result| result.network.gates.contains(&gate));
            let verdicts: Vec<bool> = judged.filter_map(|result| result.is_passed(gate, policy)).collect();
            (verdicts.iter().filter(|is_passed| **is_passed).count(), verdicts.len())
        });
        let fill = contest.position(Policy::FILL);
        let lossy = || results.iter().filter(|result| result.is_lossy());
        let below = lossy().filter(|result| fill.is_some_and(|fill| result.is_below(policy, fill))).count();
        let bulk = || results.iter().filter(|result| result.is_bulk());
        let least = bulk().map(|result| (result.share_of_best(policy), result.network.id.clone()));
        Score {
            gates: gates.to_vec(),
            strictly: (lossy().count() - below, lossy().count()),
            shares: bulk().map(|result| result.share_of_bound(policy)).collect(),
            least: least.min_by(|one, two| one.0.total_cmp(&two.0)),
        }
    }

    /// Checks passed, and checks.
    pub(crate) fn checks(&self) -> (usize, usize) {
        self.gates.iter().fold((0, 0), |(passed, all), gate| (passed + gate.0, all + gate.1))
    }

    /// The mean share of the physical bound.
    fn mean_share(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.shares.len() as f64
    }
}

/// The table by gate, a row a policy.
pub(crate) fn by_gate(contest: &Contest, results: &[NetworkResult]) -> String {
    let is_judged = |gate: &Gate| {
        let asked = results.iter().filter(|result| result.network.gates.contains(gate));
        asked
            .flat_map(|result| (0..contest.policies.len()).map(|policy| result.is_passed(*gate, policy)))
            .any(|verdict| verdict.is_some())
    };
    let judged: Vec<Gate> = Gate::ALL.into_iter().filter(is_judged).collect();
    let names: Vec<&str> = judged.iter().map(|gate| gate.name()).collect();
    let mut page = format!(
        "| policy | checks | {} | G7 strictly | mean share of the bound | least share of the best link |\n\
         |---|---:|{}---:|---:|---|\n",
        names.join(" | "),
        "---:|".repeat(names.len())
    );
    let fill = contest.position(Policy::FILL);
    for (number, policy) in contest.policies.iter().enumerate() {
        let score = Score::of(contest, results, number);
        let gates = Gate::ALL.iter().zip(&score.gates).filter(|(gate, _)| judged.contains(gate));
        let gates: Vec<String> = gates.map(|(_, counts)| of(*counts)).collect();
        let least = score.least.as_ref().map_or("–".to_owned(), |(share, id)| format!("{share:.2} ({id})"));
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {least} |",
            policy.name,
            of(score.checks()),
            gates.join(" | "),
            if contest.seeds > 1 && fill.is_some() { of(score.strictly) } else { "–".to_owned() },
            share(score.mean_share()),
        );
    }
    page
}

/// The table of the networks, a row each. A failed check stands behind its value.
pub(crate) fn by_network(contest: &Contest, results: &[NetworkResult]) -> String {
    let names: Vec<&str> = contest.policies.iter().map(|policy| policy.name).collect();
    let mut page = format!(
        "| network | | class | gates | bound | with start | with repairs | best link | best alone | {} |\n\
         |---|---|---|---|---:|---:|---:|---:|---:|{}\n",
        names.join(" | "),
        "---:|".repeat(names.len())
    );
    for result in results {
        let gates: Vec<&str> = result.network.gates.iter().map(|gate| gate.name()).collect();
        let Yardstick { bounds, best_alone, .. } = result.yardstick;
        let of_bounds = [bounds.bound, bounds.with_start, bounds.with_repairs, bounds.best_link];
        let [bound, start, repairs, best, alone] = if result.is_bulk() {
            let [bound, start, repairs, best] = of_bounds.map(|rate| format!("{rate:.2}"));
            [bound, start, repairs, best, best_alone.map_or("–".to_owned(), |rate| format!("{rate:.2}"))]
        } else {
            let none = || "–".to_owned();
            [
                milliseconds(result.yardstick.latest_ms()),
                none(),
                result.facts.least_p99_ms.map_or_else(none, milliseconds),
                none(),
                milliseconds(best_p99_alone(result)),
            ]
        };
        let cells: Vec<String> = (0..names.len()).map(|policy| cell(contest, result, policy)).collect();
        let (id, title) = (&result.network.id, &result.network.title);
        let _ = writeln!(
            page,
            "| {id} | {title} | {} | {} | {bound} | {start} | {repairs} | {best} | {alone} | {} |",
            result.facts.class.name(),
            gates.join(" "),
            cells.join(" | ")
        );
    }
    page
}

/// The share of the bound or the p99, and what failed.
fn cell(contest: &Contest, result: &NetworkResult, policy: usize) -> String {
    let value = if result.is_bulk() {
        format!("{:.3}", result.share_of_bound(policy))
    } else {
        milliseconds(result.policies[policy].performance().p99_ms)
    };
    let mut failed = failed(result, policy);
    let fill = contest.position(Policy::FILL);
    if result.is_lossy() && fill.is_some_and(|fill| result.is_below(policy, fill)) {
        failed.push("<fill");
    }
    if failed.is_empty() { value } else { format!("{value} **{}**", failed.join(" ")) }
}

/// The names of the gates of which it is known that the policy of this number fails them.
pub fn failed(result: &NetworkResult, policy: usize) -> Vec<&'static str> {
    let gates = result.network.gates.iter();
    gates.filter(|gate| result.is_passed(**gate, policy) == Some(false)).map(|gate| gate.name()).collect()
}

/// The least p99 of a path alone.
fn best_p99_alone(result: &NetworkResult) -> f64 {
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
    use super::super::sample::{contest, results};
    use super::*;

    #[test]
    fn checks_are_counted_by_gate_and_shares_over_bulk_networks() {
        let (contest, results) = (contest(), results());
        let fill = Score::of(&contest, &results, 0);
        assert_eq!((fill.checks(), fill.strictly), ((2, 4), (2, 2)));
        assert_eq!(fill.least, Some((0.8, "core-01".to_owned())));
        let other = Score::of(&contest, &results, 1);
        assert_eq!((other.checks(), other.strictly), ((2, 4), (1, 2)));
        assert_eq!(other.gates[..2], [(1, 2), (0, 0)]);
        assert!((other.mean_share() - (6.05 / 20.0 + 1.0) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_table_by_gate_has_the_gates_that_are_asked() {
        let page = by_gate(&contest(), &results());
        assert!(page.starts_with("| policy | checks | G1 | G5 | G7 | G7 strictly |"), "{page}");
        let row = "| fill | 2 of 4 | 1 of 2 | 0 of 1 | 1 of 1 | 2 of 2 | 0.562 | 0.80 (core-01) |";
        assert!(page.contains(row), "{page}");
    }

    #[test]
    fn a_single_seed_judges_nothing_strictly() {
        let page = by_gate(&Contest { seeds: 1, ..contest() }, &results());
        assert!(page.contains("| fill | 2 of 4 | 1 of 2 | 0 of 1 | 1 of 1 | – | 0.562 |"), "{page}");
    }

    #[test]
    fn a_gate_whose_references_were_not_run_is_no_check() {
        let mut results = results();
        results.iter_mut().for_each(|result| result.yardstick.fill = None);
        let policies = vec![Policy::DEFAULT, Policy::LOWEST_RTT];
        let page = by_gate(&Contest { policies, ..contest() }, &results);
        assert!(page.starts_with("| policy | checks | G1 | G5 | G7 strictly |"), "{page}");
        assert!(page.contains("| default | 1 of 3 | 1 of 2 | 0 of 1 | – | 0.562 |"), "{page}");
    }

    #[test]
    fn a_network_has_a_line_with_what_failed() {
        let page = by_network(&contest(), &results());
        let row = "| core-00 | two | links, losses | G1 G7 | 20.00 | 19.00 | 18.00 | 8.00 | 7.50 | 0.805 | \
                   0.302 **G1 G7 <fill** |";
        assert!(page.contains(row), "{page}");
        let row =
            "| core-02 | two | messages | G5 | 150 ms | – | 40 ms | – | 30 ms | 151 ms **G5** | 149 ms |";
        assert!(page.contains(row), "{page}");
    }
}
