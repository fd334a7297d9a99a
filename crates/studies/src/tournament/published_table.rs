//! Our values beside what another bond published of the same links.

use std::fmt::Write;

use super::contest::{Contest, NetworkResult};

/// A row a network; for each policy its value, its share of the ceiling, and what it is below.
pub fn by_pair(contest: &Contest, results: &[NetworkResult]) -> String {
    let names: Vec<String> =
        contest.policies.iter().map(|policy| format!("{} | share", policy.name)).collect();
    let mut page = format!(
        "{}, Mbit/s: *ours* below 0.97 of our best link alone or below what was published is **marked**.\n\n\
         | pair | our best link alone | published link | published bond | ceiling | {} |\n|---|---:|---:|---:|---:|{}\n",
        contest.title(),
        names.join(" | "),
        "---:|---:|".repeat(names.len())
    );
    let mut kept = vec![0; contest.policies.len()];
    let published = results.iter().filter_map(|result| Some((result, result.network.published.as_ref()?)));
    for (result, published) in published.clone() {
        let alone = result.yardstick.best_alone.unwrap_or_default();
        let best_link = published.alone.iter().copied().fold(0.0, f64::max);
        let (bond, ceiling) = (published.bond, result.yardstick.bounds.ceiling);
        let _ = write!(
            page,
            "| {} | {alone:.1} | {best_link:.1} | {bond:.1} | {ceiling:.1} |",
            result.network.title
        );
        for (number, series) in result.policies.iter().enumerate() {
            let goodput = series.goodput.mean();
            let is_kept = goodput >= 0.97 * alone && goodput >= published.best();
            kept[number] += usize::from(is_kept);
            let mark = if is_kept { "" } else { "**" };
            let _ = write!(page, " {mark}{goodput:.1}{mark} | {:.2} |", goodput / ceiling);
        }
        page.push('\n');
    }
    let count = published.count();
    for (policy, kept) in contest.policies.iter().zip(kept) {
        let _ = writeln!(page, "\n{}: {kept} of {count} not below.", policy.name);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::super::published::Published;
    use super::super::sample::{contest, results};
    use super::*;

    #[test]
    fn what_is_below_is_marked() {
        let mut results = results();
        results.truncate(2);
        for result in &mut results {
            result.network.published = Some(Published { alone: vec![5.0, 6.0], bond: 6.2 });
        }
        let page = by_pair(&contest(), &results);
        // Our best link alone has 7.5 Mbit/s.
        let row = "| two | 7.5 | 6.0 | 6.2 | 20.0 | 16.1 | 0.81 | **6.0** | 0.30 |";
        assert!(page.contains(row), "{page}");
        assert!(page.contains("| **6.4** | 0.32 | 20.0 | 1.00 |"), "{page}");
        assert!(page.contains("fill: 1 of 2 not below.") && page.contains("lowest-rtt: 1 of 2"), "{page}");
    }
}
