//! The shares of the bound that policies reach, by class of network and network by network.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::contest::{Contest, NetworkResult};
use super::course::Class;
use super::table::failed;

/// A set's results under one control.
pub(super) type SetResults = (String, Contest, Vec<NetworkResult>);

/// A policy over the networks of one class.
#[derive(Clone, Debug, PartialEq)]
struct ClassScore<'r> {
    results: Vec<&'r NetworkResult>,
    policy: usize,
}

/// The table of one set, a row for each policy and class of bulk networks.
pub(crate) fn by_class(contest: &Contest, results: &[NetworkResult]) -> String {
    let results: Vec<&NetworkResult> = results.iter().collect();
    let mut page = head("policy");
    for (number, policy) in contest.policies.iter().enumerate() {
        page.push_str(&rows(policy.name, &results, number));
    }
    page
}

/// The table over all sets together, a row for each control, policy and class of bulk networks.
pub(crate) fn over_sets(sets: &[SetResults]) -> String {
    let mut all = Vec::<(String, usize, Vec<&NetworkResult>)>::new();
    for (_, contest, results) in sets {
        for (number, policy) in contest.policies.iter().enumerate() {
            let name = format!("{}, {}", contest.title(), policy.name);
            match all.iter_mut().find(|known| known.0 == name) {
                Some(known) => known.2.extend(results),
                None => all.push((name, number, results.iter().collect())),
            }
        }
    }
    all.iter().fold(head("profile, control, policy"), |page, (name, number, results)| {
        page + &rows(name, results, *number)
    })
}

/// The table of the networks under one policy, a row each.
pub(crate) fn by_network(contest: &Contest, results: &[NetworkResult], policy: usize) -> String {
    let mut page = format!(
        "{}, {}: rates in Mbit/s, and shares of them.\n\n\
         | network | | class | bound | with start | with repairs | best link | goodput | share | of start | of repairs | \
         of best link | queue p95 | found | failed |\n\
         |---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
        contest.title(),
        contest.policies[policy].name
    );
    for result in results {
        let bounds = result.yardstick.bounds;
        let rates = [bounds.bound, bounds.with_start, bounds.with_repairs, bounds.best_link];
        let series = &result.policies[policy];
        let cells =
            |values: [f64; 4], digits: usize| values.map(|value| format!("{value:.digits$}")).join(" | ");
        let shares = if result.is_bulk() {
            cells(rates.map(|rate| result.share_of(rate, policy)), 3)
        } else {
            let least = result.facts.least_p99_ms.unwrap_or(f64::NAN);
            format!("p99 {:.0} ms, least {least:.0} | – | – | –", series.performance().p99_ms)
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {:.2} | {shares} | {:.0} ms | {} | {} |",
            result.network.id,
            result.network.title,
            result.facts.class.name(),
            cells(rates, 2),
            series.goodput.mean(),
            series.queue.mean(),
            found(&[series.found.mean()], series.missed.mean()),
            failed(result, policy).join(" ")
        );
    }
    page
}

/// A row for each control and policy: in how many networks messages at a constant rate are as much in time as they can be. Nothing
/// where no network has messages.
pub(super) fn messages(sets: &[SetResults]) -> String {
    let mut rows = String::new();
    for (set, contest, results) in sets {
        let with_messages: Vec<&NetworkResult> = results.iter().filter(|result| !result.is_bulk()).collect();
        for (policy, known) in contest.policies.iter().enumerate().filter(|_| !with_messages.is_empty()) {
            let count = |is: &dyn Fn(&NetworkResult) -> bool| {
                with_messages.iter().filter(|result| is(result)).count()
            };
            let least = |result: &NetworkResult| result.facts.least_p99_ms.unwrap_or(f64::NAN);
            let p99 = |result: &NetworkResult| result.policies[policy].performance().p99_ms;
            let overloaded = count(&|result| least(result).is_infinite());
            let never =
                count(&|result| least(result).is_finite() && least(result) > result.yardstick.latest_ms());
            let near = count(&|result| least(result).is_finite() && p99(result) <= least(result) + MARGIN_MS);
            let in_time = count(&|result| p99(result) <= result.yardstick.latest_ms());
            let _ = writeln!(
                rows,
                "| {set} | {}, {} | {} | {overloaded} | {never} | {in_time} | {near} |",
                contest.title(),
                known.name,
                with_messages.len()
            );
        }
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "| set | profile, control, policy | networks | overloaded | where no other is in time | in time | at most {MARGIN_MS:.0} ms above the least p99 |\n\
         |---|---|---:|---:|---:|---:|---:|\n{rows}"
    )
}

/// A p99 above the least one by no more is good.
const MARGIN_MS: f64 = 100.0;

fn head(first: &str) -> String {
    format!(
        "| {first} | class | networks | share of the bound | least | of the bound with start | of the bound with repairs | \
         of the best link | least | below 0.97 of it | queue p95, mean | most | new rate found |\n\
         |---|---|---:|---:|---|---:|---:|---:|---|---:|---:|---:|---:|\n"
    )
}

/// A row for each class of bulk networks that there are, and one for all.
fn rows(name: &str, results: &[&NetworkResult], policy: usize) -> String {
    let mut classes = BTreeMap::<Class, Vec<&NetworkResult>>::new();
    for result in results.iter().copied().filter(|result| result.is_bulk()) {
        classes.entry(result.facts.class).or_default().push(result);
    }
    let all: Vec<&NetworkResult> = classes.values().flatten().copied().collect();
    let of_class = classes.iter().map(|(class, results)| (class.name(), results.clone()));
    let rows = of_class.chain((classes.len() > 1).then_some(("all", all)));
    rows.map(|(class, results)| ClassScore { results, policy }.row(name, class)).collect()
}

impl ClassScore<'_> {
    fn row(&self, name: &str, class: &str) -> String {
        let of_bound = self.shares(|result| result.yardstick.bounds.bound);
        let of_best = self.shares(|result| result.yardstick.bounds.best_link);
        let mean_of = |rate: fn(&NetworkResult) -> f64| mean(&self.shares(rate));
        let queues: Vec<f64> = self.results.iter().map(|result| self.series(result).queue.mean()).collect();
        let times: Vec<f64> = self.results.iter().map(|result| self.series(result).found.mean()).collect();
        let missed = self.results.iter().map(|result| self.series(result).missed.mean()).sum();
        format!(
            "| {name} | {class} | {} | {:.3} | {} | {:.3} | {:.3} | {:.3} | {} | {} | {:.0} ms | {:.0} ms | {} |\n",
            self.results.len(),
            mean(&of_bound),
            self.least(&of_bound),
            mean_of(|result| result.yardstick.bounds.with_start),
            mean_of(|result| result.yardstick.bounds.with_repairs),
            mean(&of_best),
            self.least(&of_best),
            of_best.iter().filter(|share| **share < 0.97).count(),
            mean(&queues),
            queues.iter().copied().fold(0.0, f64::max),
            found(&times, missed)
        )
    }

    fn series<'s>(&self, result: &'s NetworkResult) -> &'s super::contest::Series {
        &result.policies[self.policy]
    }

    fn shares(&self, rate: impl Fn(&NetworkResult) -> f64) -> Vec<f64> {
        self.results.iter().map(|result| result.share_of(rate(result), self.policy)).collect()
    }

    /// The least of these, with its network.
    fn least(&self, shares: &[f64]) -> String {
        let least = shares.iter().zip(&self.results).min_by(|one, two| one.0.total_cmp(two.0));
        least.map_or(String::new(), |(share, result)| format!("{share:.2} ({})", result.network.id))
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean of the times that are known, and how many events were missed.
fn found(times: &[f64], missed: f64) -> String {
    let times: Vec<f64> = times.iter().copied().filter(|time| !time.is_nan()).collect();
    match times.is_empty() {
        true => "–".to_owned(),
        false if missed > 0.0 => format!("{:.1} s, {missed:.1} not", mean(&times)),
        false => format!("{:.1} s", mean(&times)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{contest, results};
    use super::*;

    #[test]
    fn a_class_has_a_row_of_means_and_leasts() {
        let page = by_class(&contest(), &results());
        let row = "| fill | links, losses | 2 | 0.562 | 0.32 (core-01) | 0.592 | 0.625 | 1.406 | 0.80 (core-01) | 1 | \
                   11 ms | 11 ms | – |";
        assert!(page.contains(row), "{page}");
        assert_eq!(page.lines().count(), 4, "one class needs no row for all: {page}");
    }

    #[test]
    fn messages_are_judged_by_the_gate_and_by_the_least_that_is_possible() {
        let page = messages(&[("a".to_owned(), contest(), results())]);
        let rows: Vec<&str> =
            page.lines().skip(2).map(|row| row.split_once("| 1 |").expect("one").1).collect();
        assert_eq!(
            rows,
            [" 0 | 0 | 0 | 0 |", " 0 | 0 | 1 | 0 |"],
            "151 and 149 ms, where 150 are allowed and 40 possible: {page}"
        );
        assert_eq!(messages(&[("a".to_owned(), contest(), results()[..2].to_vec())]), "");
    }

    #[test]
    fn sets_of_one_control_are_taken_together() {
        let with = |control: &str| Contest { control: Some(control.to_owned()), ..contest() };
        let mut others = results();
        others[1].facts.class = Class::Events;
        let set = |name: &str, control, results: &[NetworkResult]| {
            (name.to_owned(), with(control), results.to_vec())
        };
        let sets = [set("a", "reno", &results()), set("b", "reno", &others), set("a", "bbr", &results())];
        let page = over_sets(&sets);
        for row in [
            "| tuned-1, reno, fill | links, losses | 3 |",
            "| tuned-1, reno, fill | events | 1 |",
            "| tuned-1, reno, fill | all | 4 |",
            "| tuned-1, bbr, lowest-rtt | links, losses | 2 |",
        ] {
            assert!(page.contains(row), "{row}\n{page}");
        }
    }

    #[test]
    fn a_network_has_a_row_with_its_shares() {
        let page = by_network(&contest(), &results(), 1);
        let row = "| core-00 | two | links, losses | 20.00 | 19.00 | 18.00 | 8.00 | 6.05 | 0.302 | 0.318 | 0.336 | 0.756 | \
                   11 ms | – | G1 G7 |";
        assert!(page.contains(row), "{page}");
        assert!(page.contains("| 8.00 | p99 149 ms, least 40 | – | – | – | 11 ms | – |  |"), "{page}");
    }

    #[test]
    fn times_are_means_of_those_that_are_known() {
        assert_eq!(found(&[f64::NAN], 0.0), "–");
        assert_eq!(found(&[1.0, f64::NAN, 2.0], 0.0), "1.5 s");
        assert_eq!(found(&[3.0], 1.0), "3.0 s, 1.0 not");
    }
}
