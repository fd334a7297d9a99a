//! Groups flows with equal forecasts: copies, whose paths and links differ in the number at the end of their names.

use std::collections::BTreeMap;

use anabranch_sim::predict::Forecast;

/// The forecasts in groups of equal content, in the order of their first flows.
pub(crate) fn equal_groups(forecasts: &[Forecast]) -> Vec<Vec<&Forecast>> {
    let mut groups: Vec<Vec<&Forecast>> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for forecast in forecasts {
        let index = *known.entry(content(forecast)).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(forecast),
            None => groups.push(vec![forecast]),
        }
    }
    groups
}

/// Returns the name of the group in a table: `Flow a`, or `Flows a, b, …, z (26 equal)`.
pub(super) fn name_of(group: &[&Forecast]) -> String {
    let names: Vec<&str> = group.iter().map(|forecast| forecast.flow.as_str()).collect();
    match names.as_slice() {
        [one] => format!("Flow {one}"),
        [first, second, _, _, .., last] => {
            format!("Flows {first}, {second}, …, {last} ({} equal)", names.len())
        }
        few => format!("Flows {} ({} equal)", few.join(", "), few.len()),
    }
}

/// The content of a forecast: all but the name of the flow and the numbers of copies.
fn content(forecast: &Forecast) -> String {
    let Forecast { flow: _, basis, models, notes } = forecast;
    unnumbered(&format!("{basis:?} {models:?} {notes:?}"))
}

/// Removes the numbers of copies: digits after `-` at the end of a quoted name.
fn unnumbered(text: &str) -> String {
    let mut parts = text.split('"');
    let mut kept = parts.next().unwrap_or("").to_owned();
    for part in parts {
        kept.push('"');
        // A quote within a text has a backslash before it.
        match part.strip_suffix('\\') {
            Some(name) => kept.extend([stem(name), "\\"]),
            None => kept.push_str(stem(part)),
        }
    }
    kept
}

/// A name without the number of a copy; other text unchanged.
fn stem(name: &str) -> &str {
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if is_name && stem.len() < name.len() && stem.ends_with('-') { stem } else { name }
}

#[cfg(test)]
mod tests {
    use anabranch_sim::predict::{Basis, Model, Prediction, Windows};

    use super::*;

    fn of(flow: &str, path: &str, bps: f64, note: &str) -> Forecast {
        let prediction = Prediction { throughput_bps: vec![bps], goodput_bps: vec![bps] };
        let basis = Basis {
            receive_buffer: 87,
            paths: vec![path.to_owned()],
            limits: Some(vec![87]),
            windows: Windows::Whole,
        };
        Forecast {
            flow: flow.to_owned(),
            basis: Some(basis),
            models: vec![(Model::Markov, Ok(prediction))],
            notes: vec![note.to_owned()],
        }
    }

    fn groups(forecasts: &[Forecast]) -> Vec<String> {
        equal_groups(forecasts).iter().map(|group| name_of(group)).collect()
    }

    #[test]
    fn copies_are_one_group_and_what_differs_stands_alone() {
        let forecasts = [
            of("a-1", "pair-1", 1e6, "link \"wifi-1\" reorders"),
            of("b", "pair-9", 2e6, "link \"wifi-9\" reorders"),
            of("a-2", "pair-2", 1e6, "link \"wifi-2\" reorders"),
            of("c", "pair-3", 1e6, "link \"lte-3\" reorders"),
        ];
        assert_eq!(groups(&forecasts), ["Flows a-1, a-2 (2 equal)", "Flow b", "Flow c"]);
    }

    #[test]
    fn many_names_are_listed_by_the_first_and_the_last() {
        let flows: Vec<Forecast> = (1..=20).map(|n| of(&format!("main-{n}"), "p", 1e6, "")).collect();
        assert_eq!(groups(&flows), ["Flows main-1, main-2, …, main-20 (20 equal)"]);
        assert_eq!(groups(&flows[..3]), ["Flows main-1, main-2, main-3 (3 equal)"]);
    }

    #[test]
    fn numbers_that_are_not_of_copies_tell_flows_apart() {
        let forecasts = [of("a", "p", 1e6, "4 missing reports"), of("b", "p", 1e6, "3 missing reports")];
        assert_eq!(groups(&forecasts).len(), 2);
        assert_eq!(groups(&[of("a", "p", 1e6, "loss 1e-3"), of("b", "p", 1e6, "loss 1e-4")]).len(), 2);
        assert_eq!(
            unnumbered("[\"a-12\", \\\"b-3\\\", 4, \"5\", \"-\"]"),
            "[\"a-\", \\\"b-\\\", 4, \"5\", \"-\"]"
        );
    }
}
