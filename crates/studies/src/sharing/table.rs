//! The trials as Markdown: a line for each, and how many are right.

use std::fmt::Write;

use super::equal_links::EqualLinks;
use super::trial::Trial;

/// The line of each trial, then the summary.
pub fn page(trials: &[Trial]) -> String {
    let mut page = String::from(
        "| network | control, paths; bottlenecks in Mbit/s with queues in packets | shared | 10 s | 30 s | off, Mbit/s | auto | change |\n\
         |---:|---|---|---|---|---:|---:|---:|\n",
    );
    for trial in trials {
        let word = |found| if trial.is_right(found) { "right" } else { "**wrong**" };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {:.2} | {:.2} | {:+.1} % |",
            trial.network.number,
            trial.network.title(),
            if trial.network.is_shared() { "yes" } else { "no" },
            word(&trial.after_10_s),
            word(&trial.after_30_s),
            trial.off_mbps,
            trial.auto_mbps,
            100.0 * trial.change()
        );
    }
    page + &summary(trials)
}

/// How many trials are right, and the largest loss where nothing is shared.
pub fn summary(trials: &[Trial]) -> String {
    let mut text = String::from("\n");
    for (name, is_shared) in [("shared", true), ("not shared", false)] {
        let of_kind: Vec<&Trial> =
            trials.iter().filter(|trial| trial.network.is_shared() == is_shared).collect();
        let right = |found: fn(&Trial) -> &[Option<usize>]| {
            of_kind.iter().filter(|trial| trial.is_right(found(trial))).count()
        };
        let _ = writeln!(
            text,
            "{name}: {} of {count} right after 10 s, {} of {count} after 30 s",
            right(|trial| &trial.after_10_s),
            right(|trial| &trial.after_30_s),
            count = of_kind.len()
        );
    }
    let right = trials.iter().filter(|trial| trial.is_right(&trial.after_10_s)).count();
    let _ = writeln!(text, "all: {:.1} % right after 10 s", 100.0 * right as f64 / trials.len() as f64);
    let worst = trials.iter().filter(|trial| !trial.network.is_shared()).map(Trial::change);
    let _ = writeln!(
        text,
        "largest loss where nothing is shared: {:.1} %",
        100.0 * worst.map(|change| -change).fold(0.0, f64::max)
    );
    text
}

/// How often two equal links are taken for one, and what that costs.
pub fn equal_links(runs: &[EqualLinks]) -> String {
    let mistaken: Vec<u64> = runs.iter().filter(|run| run.is_mistaken).map(|run| run.seed).collect();
    let worst = runs.iter().map(|run| -run.change).fold(0.0, f64::max);
    format!(
        "equal links: {} of {} taken for one after 10 s (seeds {mistaken:?}), largest loss {:.2} %\n",
        mistaken.len(),
        runs.len(),
        100.0 * worst
    )
}

#[cfg(test)]
mod tests {
    use super::super::draw;
    use super::*;

    #[test]
    fn what_is_right_is_counted_by_what_is_shared() {
        let trial = |number: usize, found: [Option<usize>; 3], auto_mbps: f64| {
            let network = draw::network(1, number);
            let found = found[..network.paths.len()].to_vec();
            Trial { network, after_10_s: found.clone(), after_30_s: found, off_mbps: 10.0, auto_mbps }
        };
        let found = [Some(1), Some(0), None];
        let page = page(&[trial(2, found, 5.0), trial(3, found, 9.5), trial(5, [None; 3], 10.0)]);
        assert!(page.contains("\nshared: 1 of 1 right after 10 s, 1 of 1 after 30 s\n"), "{page}");
        assert!(page.contains("\nnot shared: 1 of 2 right after 10 s, 1 of 2 after 30 s\n"), "{page}");
        assert!(
            page.ends_with("all: 66.7 % right after 10 s\nlargest loss where nothing is shared: 5.0 %\n"),
            "{page}"
        );
        assert!(page.contains("| no | **wrong** | **wrong** | 10.00 | 9.50 | -5.0 % |"), "{page}");
    }

    #[test]
    fn equal_links_that_are_taken_for_one_are_named() {
        let run = |seed, is_mistaken, change| EqualLinks { seed, is_mistaken, change };
        let text = equal_links(&[run(1, false, 0.01), run(2, true, -0.005)]);
        assert_eq!(text, "equal links: 1 of 2 taken for one after 10 s (seeds [2]), largest loss 0.50 %\n");
    }
}
