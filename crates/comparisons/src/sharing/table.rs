//! The trials as Markdown: a line for each, and how many are right.

use std::fmt::Write;

use super::equal_links::EqualLinks;
use super::trial::{Found, Trial};

/// The line of each trial, then the summary.
pub fn page(trials: &[Trial]) -> String {
    let mut page = String::from(
        "| network | control, paths; bottlenecks in Mbit/s with queues in packets | shared | 10 s | 30 s | RFC 8382, 10 s | 30 s \
         | off, Mbit/s | auto | change |\n\
         |---:|---|---|---|---|---|---|---:|---:|---:|\n",
    );
    for trial in trials {
        let word = |found| if trial.is_right(found) { "right" } else { "**wrong**" };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {:+.1} % |",
            trial.network.number,
            trial.network.title(),
            if trial.network.is_shared() { "yes" } else { "no" },
            word(&trial.auto.after_10_s),
            word(&trial.auto.after_30_s),
            word(&trial.rfc8382.after_10_s),
            word(&trial.rfc8382.after_30_s),
            trial.off_mbps,
            trial.auto_mbps,
            100.0 * trial.change()
        );
    }
    page + &summary(trials)
}

/// The number of trials that are right, and the largest loss where nothing is shared.
pub fn summary(trials: &[Trial]) -> String {
    let mut text = String::from("\n");
    write_right(&mut text, trials, "", |trial| &trial.auto);
    write_right(&mut text, trials, "RFC 8382: ", |trial| &trial.rfc8382);
    let right = trials.iter().filter(|trial| trial.is_right(&trial.auto.after_10_s)).count();
    let _ = writeln!(text, "all: {:.1} % right after 10 s", 100.0 * right as f64 / trials.len() as f64);
    let worst = trials.iter().filter(|trial| !trial.network.is_shared()).map(Trial::change);
    let _ = writeln!(
        text,
        "largest loss where nothing is shared: {:.1} %",
        100.0 * worst.map(|change| -change).fold(0.0, f64::max)
    );
    text
}

/// Writes the share of right findings, where a bottleneck is shared and where none is.
fn write_right(text: &mut String, trials: &[Trial], finder: &str, found: fn(&Trial) -> &Found) {
    for (name, is_shared) in [("shared", true), ("not shared", false)] {
        let of_kind = || trials.iter().filter(|trial| trial.network.is_shared() == is_shared);
        let _ = writeln!(
            text,
            "{finder}{name}: {} of {count} right after 10 s, {} of {count} after 30 s",
            of_kind().filter(|trial| trial.is_right(&found(trial).after_10_s)).count(),
            of_kind().filter(|trial| trial.is_right(&found(trial).after_30_s)).count(),
            count = of_kind().count()
        );
    }
}

/// Writes the share of runs in which two equal links are taken for one, and the cost of that.
pub(crate) fn equal_links(runs: &[EqualLinks]) -> String {
    let mistaken: Vec<u64> = runs.iter().filter(|run| run.is_mistaken).map(|run| run.seed).collect();
    let by_rfc8382 = runs.iter().filter(|run| run.is_mistaken_by_rfc8382).count();
    let worst = runs.iter().map(|run| -run.change).fold(0.0, f64::max);
    format!(
        "equal links: {} of {} taken for one after 10 s (seeds {mistaken:?}), largest loss {:.2} %; \
         RFC 8382: {by_rfc8382} of {1} taken for one after 10 s\n",
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
            let none = vec![None; found.len()];
            let auto = Found { after_10_s: found.clone(), after_30_s: found.clone() };
            let rfc8382 = Found { after_10_s: none, after_30_s: found };
            Trial { network, auto, rfc8382, off_mbps: 10.0, auto_mbps }
        };
        let found = [Some(1), Some(0), None];
        let page = page(&[trial(2, found, 5.0), trial(3, found, 9.5), trial(5, [None; 3], 10.0)]);
        assert!(page.contains("\nshared: 1 of 1 right after 10 s, 1 of 1 after 30 s\n"), "{page}");
        assert!(page.contains("\nnot shared: 1 of 2 right after 10 s, 1 of 2 after 30 s\n"), "{page}");
        assert!(page.contains("\nRFC 8382: shared: 0 of 1 right after 10 s, 1 of 1 after 30 s\n"), "{page}");
        assert!(
            page.contains("\nRFC 8382: not shared: 2 of 2 right after 10 s, 1 of 2 after 30 s\n"),
            "{page}"
        );
        assert!(
            page.ends_with("all: 66.7 % right after 10 s\nlargest loss where nothing is shared: 5.0 %\n"),
            "{page}"
        );
        assert!(
            page.contains("| no | **wrong** | **wrong** | right | **wrong** | 10.00 | 9.50 | -5.0 % |"),
            "{page}"
        );
    }

    #[test]
    fn equal_links_that_are_taken_for_one_are_named() {
        let run = |seed, is_mistaken, change| EqualLinks {
            seed,
            is_mistaken,
            is_mistaken_by_rfc8382: true,
            change,
        };
        let text = equal_links(&[run(1, false, 0.01), run(2, true, -0.005)]);
        assert_eq!(
            text,
            "equal links: 1 of 2 taken for one after 10 s (seeds [2]), largest loss 0.50 %; \
             RFC 8382: 2 of 2 taken for one after 10 s\n"
        );
    }
}
