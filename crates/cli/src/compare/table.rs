//! Prints the comparison as a table.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_scenario::Scenario;

use super::real::{Attempt, MOST_LATE};
use super::{AggregationGain, ComparisonRow, SEEDS};
use crate::failure::printable;
use crate::report::{head, lay_out_narrow};

/// The result in one line, a line for each variant, and explanations.
pub(super) fn comparison(scenario: &Scenario, rows: &[ComparisonRow]) -> String {
    let mut text = answer(rows).map_or(String::new(), |answer| format!("{answer}\n\n"));
    text.push_str(&format!("{}\n\n", title(scenario)));
    let head = head(["paths", "predicted", "simulated", "real", "took", "difference"]);
    let lines: Vec<_> = std::iter::once(head).chain(rows.iter().map(row)).collect();
    text.push_str(&lay_out_narrow(&lines, 1, &["difference", "took"]));
    text.push_str(&not_predicted(rows));
    text.push_str(&shares(rows));
    text.push_str(
        "\nPredicted: by the Markov model, from rates, delays, mean losses and the receive \
         buffer, without queues or a start.\n",
    );
    text.push_str(&simulated(rows));
    text.push_str(&real(rows));
    let void: usize =
        rows.iter().map(|row| row.attempts.iter().filter(|attempt| attempt.is_void()).count()).sum();
    if void > 0 {
        text.push_str(&format!(
            "{void} real transfers were discarded and repeated, because this machine sent more than 1 in 100 \
             packets over {MOST_LATE} late.\n"
        ));
    }
    text
}

/// The result in one line: `wifi 19 + lte 9.1 → together 28 Mbit/s, 98 % of the sum`.
fn answer(rows: &[ComparisonRow]) -> Option<String> {
    let real = |row: &ComparisonRow| row.real().map(|real| real.goodput_bps);
    let gain = AggregationGain::of(rows, real)?;
    let (_, alone) = rows.split_last()?;
    let unit = RoundUnit::of(gain.together_bps);
    let each = alone.iter().map(|row| {
        let names: Vec<&str> = row.variant.paths().collect();
        Some(format!("{} {}", names.join(" "), unit.round(real(row)?)))
    });
    Some(format!(
        "{} → together {} {}, {:.0} % of the sum",
        each.collect::<Option<Vec<_>>>()?.join(" + "),
        unit.round(gain.together_bps),
        unit.name,
        gain.share_of_sum() * 100.0
    ))
}

/// A unit for the rates of one sentence, with two digits.
struct RoundUnit {
    name: &'static str,
    size: f64,
}

impl RoundUnit {
    fn of(bps: f64) -> RoundUnit {
        let units = [("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)];
        let (name, size) = units.into_iter().find(|(_, size)| bps >= *size).unwrap_or(("bit/s", 1.0));
        RoundUnit { name, size }
    }

    fn round(&self, bps: f64) -> String {
        let value = bps / self.size;
        if value < 9.95 { format!("{value:.1}") } else { format!("{value:.0}") }
    }
}

/// The goodput of all paths together, predicted, simulated and real.
fn shares(rows: &[ComparisonRow]) -> String {
    let sources = [
        ("predicted", AggregationGain::of(rows, ComparisonRow::predicted_bps)),
        ("simulated", AggregationGain::of(rows, |row| Some(row.simulated_bps()))),
        ("real", AggregationGain::of(rows, |row| row.real().map(|real| real.goodput_bps))),
    ];
    let rows: Vec<Vec<String>> = sources
        .iter()
        .filter_map(|(source, gain)| {
            let gain = gain.as_ref()?;
            let share = format!("{:.0} %", gain.share_of_sum() * 100.0);
            let times = format!("{:.2} times", gain.together_bps / gain.best_alone_bps);
            Some(vec![(*source).to_owned(), share, times])
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = head(["together", "of the sum", "the best alone"]);
    format!("\n{}", lay_out_narrow(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 1, &[]))
}

/// Explains the simulated column, with its spread.
fn simulated(rows: &[ComparisonRow]) -> String {
    let chance = rows.iter().map(ComparisonRow::chance).fold(0.0, f64::max);
    format!(
        "Simulated: the mean of {SEEDS} seeds or more, with packets late by up to 0.1 ms as on a \
         real machine; 95 of 100 single runs are within {:.1} % of it.\n",
        chance * 100.0
    )
}

/// Explains the real column, with the timing of the emulated links.
fn real(rows: &[ComparisonRow]) -> String {
    let counted = rows.iter().filter_map(ComparisonRow::real);
    let Some(late) = counted.map(|attempt| attempt.timing().p99).max() else { return String::new() };
    let mut text = format!(
        "Real: from socket to socket through emulated links, which sent 99 of 100 packets \
         no later than {} after their time.\n",
        fine(late)
    );
    if let Some(repeated) = rows.iter().find(|row| row.valid() > 1) {
        let all = repeated.attempts.iter().filter(|attempt| !attempt.is_void());
        let took: Vec<String> = all.map(|attempt| seconds(attempt.completion)).collect();
        text.push_str(&format!(
            "Of {}, the median of {} transfers: {}.\n",
            repeated.variant.name,
            took.len(),
            took.join(", ")
        ));
    }
    text
}

fn title(scenario: &Scenario) -> String {
    let title = printable(&scenario.title);
    let amount = scenario.flows.first().and_then(|flow| flow.transfer).map(ByteCount::rounded);
    match (title.is_empty(), amount) {
        (true, None) => "Predicted, simulated and real".to_owned(),
        (true, Some(amount)) => format!("{amount}, predicted, simulated and transferred"),
        (false, None) => title,
        (false, Some(amount)) => format!("{title}: {amount}, predicted, simulated and transferred"),
    }
}

fn row(row: &ComparisonRow) -> Vec<String> {
    let (real, real_took) = match row.real() {
        Some(real) => (rate(real.goodput_bps), seconds(real.completion)),
        // A void rate is shown without a difference.
        None => (row.attempts.last().map_or("-".to_owned(), void), "-".to_owned()),
    };
    let difference = row.difference().map_or("-".to_owned(), |share| format!("{:+.1} %", share * 100.0));
    vec![
        row.variant.name.clone(),
        row.predicted_bps().map_or("—".to_owned(), rate),
        rate(row.simulated_bps()),
        real,
        real_took,
        difference,
    ]
}

/// The reasons for missing predictions: a line for each row without one.
fn not_predicted(rows: &[ComparisonRow]) -> String {
    let why = |row: &ComparisonRow| {
        let why = row.predicted.as_ref().err()?;
        Some(format!("{} is not predicted: {}.\n", row.variant.name, printable(why)))
    };
    let lines: String = rows.iter().filter_map(why).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn void(attempt: &Attempt) -> String {
    format!("{}, void", rate(attempt.goodput_bps))
}

fn rate(bps: f64) -> String {
    BitRate::from_bits_per_second(bps as u64).to_string()
}

fn seconds(span: Option<Duration>) -> String {
    span.map_or("-".to_owned(), |span| format!("{:.2} s", span.as_secs_f64()))
}

/// `0.12 ms`.
fn fine(span: Duration) -> String {
    format!("{:.2} ms", span.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use anabranch_emulate::{RelayReport, TimingError};
    use anabranch_sctp::config::Encapsulation;

    use super::super::variant::{PathVariant, VariantChoice, variants};
    use super::super::{predict, simulate};
    use super::*;
    use crate::report::wrapped;

    /// The block below "See it" in the README.
    fn shown() -> &'static str {
        let block = include_str!("../../../../README.md").split("```text\n").nth(1);
        block.and_then(|rest| rest.split("```").next()).expect("a block").trim_end()
    }

    /// The number before `unit` that ends a word of `text`.
    fn seconds_in(text: &str) -> Vec<f64> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let times = words.windows(2).filter(|two| two[1].trim_matches([',', '.']) == "s");
        times.filter_map(|two| two[0].parse().ok()).collect()
    }

    /// Rates of the line's columns in bits a second.
    fn rates_in(line: &str) -> Vec<f64> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let rates = words.windows(2).filter(|two| two[1] == "Mbit/s");
        rates.filter_map(|two| two[0].parse().ok()).map(|rate: f64| rate * 1e6).collect()
    }

    fn attempt(goodput_bps: f64, took: f64, late_ms: f64) -> Attempt {
        let timing =
            TimingError { p99: Duration::from_nanos((late_ms * 1e6) as u64), ..TimingError::default() };
        Attempt {
            goodput_bps,
            delivered: ByteCount::new(25_000_000),
            completion: Some(Duration::from_nanos((took * 1e9).round() as u64)),
            relay: RelayReport { timing, ..RelayReport::default() },
        }
    }

    /// The README's real times, beside the present prediction and simulation.
    async fn shown_row(variant: PathVariant, late_ms: f64) -> ComparisonRow {
        let line = shown().lines().find(|line| line.starts_with(&variant.name)).expect("a line");
        let median = format!("Of {},", variant.name);
        let rate = rates_in(line).pop().expect("a real rate");
        let attempts = match shown().split(&median).nth(1) {
            Some(several) => {
                seconds_in(several).iter().map(|took| attempt(25e6 * 8.0 / took, *took, late_ms)).collect()
            }
            None => seconds_in(line).iter().map(|took| attempt(rate, *took, late_ms)).collect(),
        };
        let predicted = predict(&variant).await.expect("predicted");
        let simulated = simulate(&variant).await.expect("simulated");
        ComparisonRow { variant, predicted, simulated, attempts }
    }

    /// Differences, and the last ratio, are of real rates with more digits than are shown.
    fn without_differences(text: &str) -> String {
        let is_difference = |word: &str| word.starts_with(['+', '-']) && word[1..].parse::<f64>().is_ok();
        let line = |line: &str| {
            let is_ratio = |word: &str| line.starts_with("real ") && word.starts_with("1.");
            let words =
                line.split(' ').map(|word| if is_difference(word) || is_ratio(word) { "?" } else { word });
            words.collect::<Vec<_>>().join(" ")
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Everything but the real transfers is computed again, and these are as far from the simulated ones as machines differ.
    #[tokio::test]
    async fn the_readme_shows_what_the_demo_prints() {
        let scenario = crate::demo::scenario(&[]).expect("the scenario is shipped");
        let late = shown().split("no later than ").nth(1).and_then(|rest| rest.split(' ').next());
        let late_ms = late.and_then(|late| late.parse().ok()).expect("how late packets were");
        let mut rows = Vec::new();
        for variant in
            variants(&scenario, VariantChoice::AloneAndTogether, Encapsulation::Sealed).expect("variants")
        {
            rows.push(shown_row(variant, late_ms).await);
        }
        for row in &rows {
            let difference = row.difference().expect("a real transfer");
            assert!(difference.abs() < 0.05, "{}: {difference}", row.variant.name);
        }
        let printed = wrapped(comparison(&scenario, &rows).trim_end());
        assert_eq!(
            without_differences(shown()),
            without_differences(&printed),
            "run `make demo`, and put what it prints into README.md"
        );
    }
}
