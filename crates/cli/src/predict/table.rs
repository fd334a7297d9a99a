//! Prints predictions as a table.

use anabranch_base::BitRate;
use anabranch_scenario::Scenario;
use anabranch_sim::predict::{Basis, Forecast, Model, Prediction, Windows};

use super::groups::{equal_groups, name_of};
use crate::failure::printable;
use crate::report::{head, lay_out_narrow};

/// A table for each predicted flow, and a line for each other flow; equal flows share one.
pub(super) fn predictions(scenario: &Scenario, forecasts: &[Forecast]) -> String {
    let mut text = String::new();
    if !scenario.title.is_empty() {
        text.push_str(&format!("{}\n\n", printable(&scenario.title)));
    }
    let paragraphs: Vec<String> = equal_groups(forecasts).iter().map(|group| paragraph(group)).collect();
    text.push_str(&paragraphs.join("\n"));
    text
}

/// Describes a group by its first flow.
fn paragraph(group: &[&Forecast]) -> String {
    let [forecast, others @ ..] = group else { return String::new() };
    let Some(basis) = &forecast.basis else {
        let why = forecast.models.iter().find_map(|(_, found)| found.as_ref().err());
        let are = if others.is_empty() { "is" } else { "are" };
        return format!("{} {are} not predicted: {}.\n", name_of(group), why.map_or("", String::as_str));
    };
    let each = if others.is_empty() { "" } else { "each with " };
    let mut text = format!("{}, {each}{}.\n\n", name_of(group), describe(basis));
    let found: Vec<(Model, &Prediction)> =
        forecast.models.iter().filter_map(|(model, found)| Some((*model, found.as_ref().ok()?))).collect();
    if !found.is_empty() {
        text.push_str(&table(basis, &found));
    }
    for (model, found) in &forecast.models {
        if let Err(why) = found {
            text.push_str(&format!("\nNot predicted by {}: {why}.\n", model.name()));
        }
    }
    if !forecast.notes.is_empty() {
        text.push_str("\nNotes:\n");
        text.extend(forecast.notes.iter().map(|note| format!("- {note}\n")));
    }
    text
}

fn describe(basis: &Basis) -> String {
    let windows = match &basis.windows {
        Windows::Whole => "separate for each path",
        Windows::EvenParts => "shared equally by the paths",
        Windows::Planned => "shared by the paths as by `anabranch plan`",
        Windows::Given(_) => "shared by the paths as the scenario says",
    };
    format!("receive buffer {} packets, {windows}", basis.receive_buffer)
}

/// A line for each path, a column for each model, and the sums.
fn table(basis: &Basis, found: &[(Model, &Prediction)]) -> String {
    let mut columns = head(["path", "limit"]);
    columns.extend(found.iter().map(|(model, _)| model.name().to_owned()));
    let mut rows = vec![columns];
    for (index, path) in basis.paths.iter().enumerate() {
        let limit = basis.limits.as_ref().and_then(|limits| limits.get(index));
        let mut row = vec![path.clone(), limit.map_or("-".to_owned(), ToString::to_string)];
        row.extend(
            found
                .iter()
                .map(|(_, found)| found.throughput_bps.get(index).map_or("-".to_owned(), |bps| rate(*bps))),
        );
        rows.push(row);
    }
    let mut line = |name: &str, sum: fn(&Prediction) -> f64| {
        let mut row = head([name, ""]);
        row.extend(found.iter().map(|(_, found)| rate(sum(found))));
        rows.push(row);
    };
    line("together", Prediction::total_bps);
    line("goodput", Prediction::total_goodput_bps);
    lay_out_narrow(&rows, 1, &[])
}

fn rate(bps: f64) -> String {
    BitRate::from_bits_per_second(bps as u64).to_string()
}
