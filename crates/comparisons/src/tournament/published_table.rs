//! Our values beside what another bond published of the same links.

use std::fmt::Write;

use super::contest::{Contest, NetworkResult};
use super::network::Published;

/// A row a network, with each policy's value and its share of the ceiling; then a row a policy and size of the transfer.
pub(crate) fn by_pair(contest: &Contest, results: &[NetworkResult]) -> String {
    let names: Vec<String> =
        contest.policies.iter().map(|policy| format!("{} | share", policy.name)).collect();
    let mut page = format!(
        "{}, Mbit/s. What is below 0.97 of our best link alone, or below what was published, is **marked**.\n\n\
         | pair | our best link alone | published link | published bond | ceiling | {} |\n|---|---:|---:|---:|---:|{}\n",
        contest.title(),
        names.join(" | "),
        "---:|---:|".repeat(names.len())
    );
    for (result, published) in of(results) {
        let alone = result.yardstick.best_alone.unwrap_or_default();
        let best_link = published.alone.iter().copied().fold(0.0, f64::max);
        let (bond, ceiling) = (published.bond, result.yardstick.bounds.ceiling);
        let title = &result.network.title;
        let _ = write!(page, "| {title} | {alone:.1} | {best_link:.1} | {bond:.1} | {ceiling:.1} |");
        for (policy, series) in result.policies.iter().enumerate() {
            let goodput = series.goodput.mean();
            let mark = if is_kept(result, published, policy) { "" } else { "**" };
            let _ = write!(page, " {mark}{goodput:.1}{mark} | {:.2} |", goodput / ceiling);
        }
        page.push('\n');
    }
    page + "\n" + &by_size(contest, results)
}

/// Writes the number of networks that are not below, and the mean shares.
fn by_size(contest: &Contest, results: &[NetworkResult]) -> String {
    let mut page = "| policy | transfer | not below | at least 0.95 of the ceiling | mean share of the ceiling | of the bound \
                    with start |\n|---|---|---:|---:|---:|---:|\n"
        .to_owned();
    let mut sizes: Vec<u32> = of(results).map(|(_, published)| published.transfer_mib).collect();
    sizes.dedup();
    for (policy, name) in contest.policies.iter().map(|policy| policy.name).enumerate() {
        for size in &sizes {
            let rows: Vec<(&NetworkResult, &Published)> =
                of(results).filter(|(_, published)| published.transfer_mib == *size).collect();
            let shares = |rate: fn(&NetworkResult) -> f64| {
                rows.iter().map(move |(result, _)| result.share_of(rate(result), policy))
            };
            let of_ceiling = || shares(|result| result.yardstick.bounds.ceiling);
            let of_start = shares(|result| result.yardstick.bounds.with_start);
            let count = rows.len();
            let _ = writeln!(
                page,
                "| {name} | {size} MiB | {} of {count} | {} of {count} | {:.3} | {:.3} |",
                rows.iter().filter(|(result, published)| is_kept(result, published, policy)).count(),
                of_ceiling().filter(|share| *share >= 0.95).count(),
                of_ceiling().sum::<f64>() / count as f64,
                of_start.sum::<f64>() / count as f64
            );
        }
    }
    page
}

/// The networks with published results.
fn of(results: &[NetworkResult]) -> impl Iterator<Item = (&NetworkResult, &Published)> {
    results.iter().filter_map(|result| Some((result, result.network.published.as_ref()?)))
}

/// Returns true if a policy is neither below 0.97 of our best link alone nor below what was published.
fn is_kept(result: &NetworkResult, published: &Published, policy: usize) -> bool {
    let goodput = result.policies[policy].goodput.mean();
    goodput >= 0.97 * result.yardstick.best_alone.unwrap_or_default() && goodput >= published.best()
}

#[cfg(test)]
mod tests {
    use super::super::sample::{contest, results};
    use super::*;

    #[test]
    fn what_is_below_is_marked_and_counted_by_size() {
        let mut results = results();
        results.truncate(2);
        for (result, transfer_mib) in results.iter_mut().zip([20, 200]) {
            result.network.published = Some(Published { alone: vec![5.0, 6.0], bond: 6.2, transfer_mib });
        }
        let page = by_pair(&contest(), &results);
        // Our best link alone has 7.5 Mbit/s.
        for row in [
            "| two | 7.5 | 6.0 | 6.2 | 20.0 | 16.1 | 0.81 | **6.0** | 0.30 |",
            "| two | 7.5 | 6.0 | 6.2 | 20.0 | **6.4** | 0.32 | 20.0 | 1.00 |",
            "| fill | 20 MiB | 1 of 1 | 0 of 1 | 0.805 | 0.847 |",
            "| lowest-rtt | 200 MiB | 1 of 1 | 1 of 1 | 1.000 | 1.053 |",
        ] {
            assert!(page.contains(row), "{row}\n{page}");
        }
    }
}
