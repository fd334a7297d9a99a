//! Prints the comparison as a table.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_scenario::Scenario;

use super::real::{Attempt, MOST_LATE};
use super::{AggregationGain, ComparisonRow};
use crate::failure::printable;
use crate::report::{head, lay_out};

/// One line a variant, and what follows from them.
pub fn comparison(scenario: &Scenario, rows: &[ComparisonRow]) -> String {
    let mut text = format!("{}\n\n", title(scenario));
    let head = head([
        "paths",
        "predicted",
        "simulated",
        "by chance",
        "took",
        "real",
        "took",
        "difference",
        "relay late",
    ]);
    text.push_str(&lay_out(&std::iter::once(head).chain(rows.iter().map(row)).collect::<Vec<_>>(), 1));
    text.push_str(&not_predicted(rows));
    text.push_str(
        "\nPredicted: by the Markov model, from rates, delays, mean losses and the receive buffer, without queues or a start.\n\
         Simulated: the mean of many seeds, packets late by up to 0.1 ms as on a real machine; by chance, 95 of 100\n\
         single runs deviate from the mean by no more than that.\n\
         Relay late: 99 of 100 packets left the emulated links no later than this after their time.\n\n",
    );
    if let Some(repeated) = rows.iter().find(|row| row.valid() > 1) {
        let all = repeated.attempts.iter().filter(|attempt| !attempt.is_void());
        let took: Vec<String> = all.map(|attempt| seconds(attempt.completion)).collect();
        text.push_str(&format!(
            "Real, {}: the median of {} transfers, which took {}.\n\n",
            repeated.variant.name,
            took.len(),
            took.join(", ")
        ));
    }
    for (world, verdict) in [
        ("In the prediction", AggregationGain::of(rows, ComparisonRow::predicted_bps)),
        ("In the simulation", AggregationGain::of(rows, |row| Some(row.simulated_bps()))),
        ("In the real transfers", AggregationGain::of(rows, |row| row.real().map(|real| real.goodput_bps))),
    ] {
        if let Some(verdict) = verdict {
            text.push_str(&tell(world, &verdict));
        }
    }
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
    let took = row.simulated.completion_s.as_ref();
    let shown = row.real().or(row.attempts.last());
    let timing = shown.map_or("-".to_owned(), |attempt| fine(attempt.timing().p99));
    let (real, real_took) = match row.real() {
        Some(real) => (rate(real.goodput_bps), seconds(real.completion)),
        // It is printed without a conclusion.
        None => (row.attempts.last().map_or("-".to_owned(), void), "-".to_owned()),
    };
    let difference = row.difference().map_or("-".to_owned(), |share| format!("{:+.1} %", share * 100.0));
    vec![
        row.variant.name.clone(),
        row.predicted_bps().map_or("—".to_owned(), rate),
        rate(row.simulated_bps()),
        format!("± {:.1} %", row.chance() * 100.0),
        took.map_or("-".to_owned(), |took| format!("{:.2} s", took.mean)),
        real,
        real_took,
        difference,
        timing,
    ]
}

/// The reasons for missing numbers: a line for each row without one.
fn not_predicted(rows: &[ComparisonRow]) -> String {
    let why = |row: &ComparisonRow| {
        let why = row.predicted.as_ref().err()?;
        Some(format!("{} is not predicted: {}.\n", row.variant.name, printable(why)))
    };
    let lines: String = rows.iter().filter_map(why).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn tell(world: &str, gain: &AggregationGain) -> String {
    format!(
        "{world}, the paths together carry {:.0} % of the sum of each alone, and {:.2} times the best one \
         alone.\n",
        gain.share_of_sum() * 100.0,
        gain.together_bps / gain.best_alone_bps
    )
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
